/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a GEMM of few rows be planned as D^T = B^T A^T: columns of the request's D are the rows of tiles, of which wgmma has 64,
 * and its rows the columns, of which an instruction has 8 to 256 and so wastes fewer. Operands, extents and roles change
 * places; D stays where it lies, so that the planned product's columns are contiguous. */
#include "synth/gemm/plan.h"

enum {
    ROWS_FEW = 16, /* of D, with which the transposed product was measured to take less time */
#define READ(rate) READ_RATE = rate,
#include "synth/gemm/times.def"
};

/* What products have that are not planned so; NULL: this one may be. */
static const char *refusal(const zlay_plan *plan, const zlay_gemm *gemm)
{
    if (plan->operand[ZLAY_OPERAND_D].element == 1) return "elements of D of 8 bits, of which neighbours in a row are a register";
    return gemm->a_scales || gemm->b_scales ? "products with scales" : NULL;
}

static void exchange(zlay_plan *plan)
{
    zl_operand a = plan->operand[ZLAY_OPERAND_A], *d = &plan->operand[ZLAY_OPERAND_D];
    uint64_t address = plan->address[ZLAY_OPERAND_A], m = plan->info.m;
    plan->operand[ZLAY_OPERAND_A] = plan->operand[ZLAY_OPERAND_B];
    plan->operand[ZLAY_OPERAND_B] = a;
    plan->address[ZLAY_OPERAND_A] = plan->address[ZLAY_OPERAND_B];
    plan->address[ZLAY_OPERAND_B] = address;
    plan->info.m = plan->info.n;
    plan->info.n = m;
    plan->info.swapped = !plan->info.swapped;
    plan->info.d_order = ZLAY_ORDER_COLUMN;
    d->major = ZLAY_MAJOR_MN;
}

/* What a product takes at least where its time is that of reading A and B from memory. */
static uint64_t reading_time(const zlay_plan *plan)
{
    uint64_t time = 0;
    for (int32_t o = 0; o < 2; o++)
        time += plan->operand[o].outer * plan->operand[o].inner * plan->operand[o].element / READ_RATE;
    return time;
}

/* The modelled time of the product in its cheapest tile, alone or transposed; UINT64_MAX: the request allows none. */
static uint64_t time_of(const zlay_plan *plan, const zlay_gemm *gemm, bool exchanged)
{
    zlay_plan trial = *plan;
    trial.info.splits = gemm->split_k ? gemm->split_k : 1;
    if (exchanged) exchange(&trial);
    return zl_umax(zl_gemm_time(&trial, gemm), reading_time(plan));
}

/* Whether an epilogue may be transposed, D has few enough rows, or columns where it is column-major, and the transposed product takes less time. */
static bool pays(const zlay_plan *plan, const zlay_gemm *gemm)
{
    bool refused = plan->epilogue && !plan->info.swapped && zl_body_is_sided(plan->epilogue);
    return !refused && plan->info.m <= ROWS_FEW && time_of(plan, gemm, true) < time_of(plan, gemm, false);
}

zlay_status zl_gemm_swap(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    const char *why = refusal(plan, gemm);
    if (gemm->swap < ZLAY_SWAP_NEVER || gemm->swap > ZLAY_SWAP_ALWAYS)
        return zl_fail(ctx, ZLAY_EINVAL, "swap: %d is none of never, auto, always", gemm->swap);
    if (gemm->swap == ZLAY_SWAP_AUTO && !why && pays(plan, gemm)) exchange(plan);
    if (gemm->swap != ZLAY_SWAP_ALWAYS) return ZLAY_OK;
    if (why) return zl_fail(ctx, ZLAY_ENOTSUP, "swap: not planned are %s", why);
    exchange(plan);
    return ZLAY_OK;
}
