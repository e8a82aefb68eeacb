/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether the steps of tiles are divided among all blocks (stream-K): where the request says so, or where that takes less
 * time by the model of tile.c. split.c has what it adds to the pipe. */
#include "synth/gemm/plan.h"

enum { GRANULE = 16 /* bytes of a tensor copy */, PERCENT = 100, MODEL_ERROR = 3 /* per cent, of times of tiles */ };

/* What products have that are not divided so; NULL: this one may be. */
static const char *undivided(const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    for (int32_t o = 0; o < 2; o++)
        if (zl_row_alignment(plan, o) < GRANULE) return "operands that threads move";
    return info->splits > 1          ? "split_k"
           : zl_multicast(info)      ? "multicast"
           : info->workspace         ? "repacked operands"
           : zl_gemm_scaled(plan)    ? "scales of A and B"
           : zl_d_by_columns(plan)   ? "columns of D as the rows of tiles"
                                     : NULL;
}

/* Whether the modelled time is less with units. Between two shapes of tiles it must be less by more than the model errs. */
static bool pays(const zlay_plan *plan, const zlay_gemm *gemm, uint32_t blocks)
{
    zlay_plan divided = *plan;
    uint32_t tile[2], whole[2];
    divided.info.stream_blocks = blocks;
    uint64_t time = zl_tile_modelled(&divided, gemm, tile), other = zl_tile_modelled(plan, gemm, whole);
    bool same = tile[0] == whole[0] && tile[1] == whole[1];
    return time < (same ? other : other / PERCENT * (PERCENT - MODEL_ERROR));
}

zlay_status zl_gemm_stream(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    uint32_t blocks = zl_tile_processors(plan), tile_k = gemm->tile_k ? gemm->tile_k : zl_gemm_k_most(plan);
    const char *why = undivided(plan);
    if (gemm->stream_k < ZLAY_STREAM_NEVER || gemm->stream_k > ZLAY_STREAM_ALWAYS)
        return zl_fail(ctx, ZLAY_EINVAL, "stream_k: %d is none of never, auto, always", gemm->stream_k);
    if (gemm->stream_k == ZLAY_STREAM_NEVER) return ZLAY_OK;
    if (!why && plan->info.k <= tile_k) why = "a K of one step";
    if (!why && zl_ceil_div(plan->info.k, tile_k) > UINT32_MAX / blocks) why = "so long a K that 32 bits do not count the steps of all blocks";
    if (gemm->stream_k == ZLAY_STREAM_AUTO) {
        if (!why && pays(plan, gemm, blocks)) plan->info.stream_blocks = blocks;
        return ZLAY_OK;
    }
    if (why) return zl_fail(ctx, ZLAY_ENOTSUP, "stream_k: products with %s have none", why);
    plan->info.stream_blocks = blocks;
    return ZLAY_OK;
}
