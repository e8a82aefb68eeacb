/* SPDX-License-Identifier: Apache-2.0 */
/* Says which products may have the steps of their tiles divided among all blocks (stream-K), and divides those whose request says so;
 * choose.c decides where it leaves that open. split.c has what it adds to the pipe. */
#include "synth/gemm/choose.h"

enum { GRANULE = 16 /* bytes of a tensor copy */ };

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

/* Why a product is not divided so; NULL: it may be. */
static const char *refusal(const zlay_plan *plan, const zlay_gemm *gemm)
{
    uint32_t blocks = plan->processors, tile_k = gemm->tile_k ? gemm->tile_k : zl_gemm_k_most(plan);
    const char *why = undivided(plan);
    if (why) return why;
    if (plan->info.k <= tile_k) return "a K of one step";
    return zl_ceil_div(plan->info.k, tile_k) > UINT32_MAX / blocks ? "so long a K that 32 bits do not count the steps of all blocks" : NULL;
}

bool zl_stream_may(const zlay_plan *plan, const zlay_gemm *gemm) { return !refusal(plan, gemm); }

zlay_status zl_gemm_stream(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    if (gemm->stream_k < ZLAY_STREAM_NEVER || gemm->stream_k > ZLAY_STREAM_ALWAYS)
        return zl_fail(ctx, ZLAY_EINVAL, "stream_k: %d is none of never, auto, always", gemm->stream_k);
    if (gemm->stream_k != ZLAY_STREAM_ALWAYS) return ZLAY_OK; /* choose.c decides */
    const char *why = refusal(plan, gemm);
    if (why) return zl_fail(ctx, ZLAY_ENOTSUP, "stream_k: products with %s have none", why);
    plan->info.stream_blocks = plan->processors;
    return ZLAY_OK;
}
