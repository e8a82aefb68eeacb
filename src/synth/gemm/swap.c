/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a GEMM of few rows be planned as D^T = B^T A^T: columns of the request's D are the rows of tiles, of which wgmma has 64,
 * and its rows the columns, of which an instruction has 8 to 256 and so wastes fewer. Operands, extents and roles change
 * places; D stays where it lies, so that the planned product's columns are contiguous. */
#include "synth/gemm/choose.h"
#include "synth/gemm/groups.h"

/* On an H200 the transposed product took less time for 1, 8 and 16 rows in all of nine shapes (docs/performance.md). */
enum { ROWS_FEW = 16, COLUMNS_LEAST = 64, GRANULE = 16 /* bytes of a tensor copy */ };

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

/* The rank of the best way and tile of one orientation, which is chosen before the request's split is read. */
static uint64_t side_rank(const zlay_plan *plan, const zlay_gemm *gemm, bool turned)
{
    zlay_plan side = *plan;
    if (turned) exchange(&side);
    side.info.splits = gemm->split_k && gemm->split_k != ZLAY_SPLIT_AUTO ? gemm->split_k : 1;
    side.info.cluster = side.info.splits;
    return zl_gemm_way_choose(&side, gemm);
}

/* Whether the model has less for the transposed product, where the request leaves the tile open and fixes nothing that an
 * orientation changes. */
static bool is_less(const zlay_plan *plan, const zlay_gemm *gemm)
{
    bool open = !gemm->tile_m && !gemm->tile_n && !plan->epilogue && gemm->multicast <= ZLAY_MULTICAST_AUTO && gemm->stream_k != ZLAY_STREAM_ALWAYS;
    for (int32_t o = 0; o < 2; o++)
        if (zl_row_alignment(plan, o) % GRANULE) return false; /* threads that load need stages that a wide tile may not have */
    return open && side_rank(plan, gemm, true) < side_rank(plan, gemm, false);
}

/* Whether D has few enough rows, or columns where it is column-major, the request leaves the tile open or asks for one of fewer
 * columns than other plans have, and an epilogue may be transposed. */
static bool pays(const zlay_plan *plan, const zlay_gemm *gemm)
{
    bool refused = plan->epilogue && !plan->info.swapped && zl_body_is_sided(plan->epilogue);
    return !refused && plan->info.m <= ROWS_FEW && gemm->tile_n < COLUMNS_LEAST;
}

zlay_status zl_gemm_swap(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    const char *why = refusal(plan, gemm);
    if (gemm->swap < ZLAY_SWAP_NEVER || gemm->swap > ZLAY_SWAP_ALWAYS)
        return zl_fail(ctx, ZLAY_EINVAL, "swap: %d is none of never, auto, always", gemm->swap);
    if (zl_groups_in_k(&plan->info)) {
        plan->info.workspace = ZL_GROUPS_WORKSPACE;
        return ZLAY_OK;
    }
    if (plan->info.groups && !why && !plan->epilogue) {
        exchange(plan);
        plan->info.workspace = ZL_GROUPS_WORKSPACE;
        return ZLAY_OK;
    }
    if (gemm->swap == ZLAY_SWAP_AUTO && !why && (pays(plan, gemm) || is_less(plan, gemm))) exchange(plan);
    if (gemm->swap != ZLAY_SWAP_ALWAYS) return ZLAY_OK;
    if (why) return zl_fail(ctx, ZLAY_ENOTSUP, "swap: not planned are %s", why);
    exchange(plan);
    return ZLAY_OK;
}
