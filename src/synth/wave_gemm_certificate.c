/* SPDX-License-Identifier: Apache-2.0 */
/* The certificates of a plan of waves: what lanes read against what their instruction multiplies,
 * what loads bring against the request, and the sums that a lane stores against those it holds. */
#include "synth/plan.h"

#include <string.h>

enum { ELEMENT = 2, STEP = 16 / ELEMENT, RUN = 4, TEXT = 256 };

static uint32_t rows_of(const zlay_plan *plan, int32_t operand)
{
    return operand == ZLAY_OPERAND_A ? plan->info.tile_m : plan->info.tile_n;
}

/* Modes appended to a strided layout, each more than its last input. */
typedef struct tail {
    uint64_t extent[4], stride[4];
} tail;

static zlay_status extended(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const tail *t)
{
    char text[TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = zlay_layout_print(&buf, a);
    const char *colon = status ? NULL : strchr(text, ':');
    const uint64_t *e = t->extent, *s = t->stride;
    if (!colon) return zl_fail(ctx, ZLAY_EINTERNAL, "a fragment is no strided layout");
    return zl_layout_format(
        ctx, out, "(%.*s,%llu,%llu,%llu,%llu):(%s,%llu,%llu,%llu,%llu)", (int)(colon - text), text,
        (unsigned long long)e[0], (unsigned long long)e[1], (unsigned long long)e[2],
        (unsigned long long)e[3], colon + 1, (unsigned long long)s[0], (unsigned long long)s[1],
        (unsigned long long)s[2], (unsigned long long)s[3]);
}

/* An instruction's (lane, value) -> row and K as `to` places them, then its repetitions. */
static zlay_status by_instruction(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan,
                                  int32_t fragment, const zlay_layout *to, const tail *t)
{
    zlay_layout *own = NULL, *placed = NULL;
    zlay_status status =
        zlay_mma_fragment(ctx, &own, plan->info.target, &plan->info.mma, fragment);
    if (!status) status = zlay_layout_compose(ctx, &placed, to, own);
    if (!status) status = extended(ctx, out, placed, t);
    zlay_layout_free(own);
    zlay_layout_free(placed);
    return status;
}

/* Which element of the tile instruction `part` of a read multiplies where: in the place of its own K
 * the lane's next elements.  A stands second, so it has the fragment of B. */
static zlay_status multiplied(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan,
                              int32_t operand)
{
    const zlay_wave_gemm *w = &plan->wave.shape;
    const zlay_mma *mma = &plan->info.mma;
    uint64_t rows = rows_of(plan, operand), beside = w->lanes / mma->m, each = mma->k / beside;
    uint64_t blocks = operand == ZLAY_OPERAND_A ? w->blocks_m : w->blocks_n;
    tail t = {{w->read_products, w->reads, blocks, 2},
              {each * rows, beside * STEP * rows, mma->m, blocks * mma->m}};
    zlay_layout *tile = NULL;
    zlay_status status = zl_layout_format(ctx, &tile, "(%u,(%llu,%llu)):(1,(%llu,%llu))", mma->m,
                                          (unsigned long long)each, (unsigned long long)beside,
                                          (unsigned long long)rows,
                                          (unsigned long long)(STEP * rows));
    if (!status)
        status = by_instruction(ctx, out, plan,
                                operand == ZLAY_OPERAND_A ? ZLAY_FRAGMENT_B : ZLAY_FRAGMENT_A,
                                tile, &t);
    zlay_layout_free(tile);
    return status;
}

/* Where the element lies that lanes read, as src/emit/wave_setup.c computes addresses. */
static zlay_status read_at(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan,
                           int32_t operand)
{
    const zlay_wave_gemm *w = &plan->wave.shape;
    uint32_t rows = plan->info.mma.m, beside = w->lanes / rows, k = plan->info.tile_k;
    uint32_t each = STEP / w->read_products;
    uint32_t blocks = operand == ZLAY_OPERAND_A ? w->blocks_m : w->blocks_n;
    return zl_layout_format(
        ctx, out, "Sw<%u,3,%d> o 0 o ((%u,%u),%u,%u,%u,%u,2):((%u,%d),1,%u,%u,%u,%u)",
        w->swizzle_bits, zl_wave_shift(plan), rows, beside, each, w->read_products, w->reads,
        blocks, k, STEP, each, beside * STEP, rows * k, blocks * rows * k);
}

static zlay_status shared_pair(zlay_ctx *ctx, zlay_layout *pair[2], const zlay_plan *plan,
                               int32_t operand)
{
    zlay_layout *tile = NULL;
    zlay_status status = multiplied(ctx, &tile, plan, operand);
    if (!status) status = zlay_layout_compose(ctx, &pair[0], plan->operand[operand].smem, tile);
    zlay_layout_free(tile);
    return status ? status : read_at(ctx, &pair[1], plan, operand);
}

/* The element of global memory that loads bring to each place of the stage, at the places where the
 * layout has the tile's elements; and the element itself. */
static zlay_status global_pair(zlay_ctx *ctx, zlay_layout *pair[2], const zlay_plan *plan,
                               int32_t operand)
{
    const zlay_wave_gemm *w = &plan->wave.shape;
    const zl_operand *o = &plan->operand[operand];
    uint32_t rows = rows_of(plan, operand), k = plan->info.tile_k;
    zlay_layout *matrix = NULL, *loads = NULL, *brought = NULL;
    zlay_status status = zl_layout_format(ctx, &matrix, "(%u,%u):(1,%llu)", k, rows,
                                          (unsigned long long)o->pitch);
    if (!status)
        status = zl_layout_format(ctx, &loads, "Sw<%u,3,%d> o 0 o (%d,%u,%u):(1,%d,%u)",
                                  w->swizzle_bits, zl_wave_shift(plan), STEP, plan->info.threads,
                                  rows * k / (STEP * plan->info.threads), STEP,
                                  STEP * plan->info.threads);
    if (!status) status = zlay_layout_compose(ctx, &brought, matrix, loads);
    if (!status) status = zlay_layout_compose(ctx, &pair[0], brought, o->smem);
    if (!status)
        status = zl_layout_format(ctx, &pair[1], "(%u,%u):(%llu,1)", rows, k,
                                  (unsigned long long)o->pitch);
    zlay_layout_free(matrix);
    zlay_layout_free(loads);
    zlay_layout_free(brought);
    return status;
}

/* Sums of a lane -> elements of D, by the instruction's map and as src/emit/wave_store.c stores
 * them: the instruction's rows are columns of D. */
static zlay_status stored_pair(zlay_ctx *ctx, zlay_layout *pair[2], const zlay_plan *plan)
{
    const zlay_wave_gemm *w = &plan->wave.shape;
    const zlay_mma *mma = &plan->info.mma;
    uint64_t pitch = plan->operand[ZLAY_OPERAND_D].pitch, rows = mma->n, beside = w->lanes / rows;
    unsigned long long next = rows * pitch, runs = mma->m * rows / (w->lanes * (uint64_t)RUN);
    tail t = {{w->blocks_n, w->blocks_m, 2, 2},
              {mma->m, next, (uint64_t)w->blocks_n * mma->m, w->blocks_m * next}};
    zlay_layout *matrix = NULL;
    zlay_status status = zl_layout_format(ctx, &matrix, "(%u,%u):(1,%llu)", mma->m, mma->n,
                                          (unsigned long long)pitch);
    if (!status) status = by_instruction(ctx, &pair[0], plan, ZLAY_FRAGMENT_D, matrix, &t);
    if (!status)
        status = zl_layout_format(
            ctx, &pair[1],
            "((%llu,%llu),(%d,%llu),%u,%u,2,2):((%llu,%d),(1,%llu),%u,%llu,%u,%llu)",
            (unsigned long long)rows, (unsigned long long)beside, RUN, runs, w->blocks_n,
            w->blocks_m, (unsigned long long)pitch, RUN, (unsigned long long)(RUN * beside), mma->m,
            next, w->blocks_n * mma->m, w->blocks_m * next);
    zlay_layout_free(matrix);
    return status;
}

static zlay_status decide(zlay_ctx *ctx, const zlay_plan *plan, uint32_t i)
{
    zlay_answer answer;
    zlay_status status =
        zlay_layout_equal(ctx, &answer, NULL, plan->certificate[i][0], plan->certificate[i][1]);
    if (status || answer == ZLAY_YES) return status;
    return zl_fail(ctx, ZLAY_EINTERNAL, "certificate %u does not hold; please report this request",
                   i);
}

zlay_status zl_wave_certify(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_status status = ZLAY_OK;
    for (int32_t operand = 0; !status && operand < ZLAY_OPERAND_D; operand++) {
        status = shared_pair(ctx, plan->certificate[2 * operand], plan, operand);
        if (!status) status = global_pair(ctx, plan->certificate[2 * operand + 1], plan, operand);
    }
    if (!status) status = stored_pair(ctx, plan->certificate[2 * ZLAY_OPERAND_D], plan);
    for (uint32_t i = 0; !status && i <= 2 * ZLAY_OPERAND_D; i++) status = decide(ctx, plan, i);
    return status;
}
