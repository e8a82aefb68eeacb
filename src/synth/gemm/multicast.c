/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the two blocks of a cluster share an operand: they compute neighbouring tiles of D, of one row of
 * tiles where A is shared and of one column where B is; each loads a half of the operand's stage and
 * multicasts it to both. A half is of whole swizzle patterns, so that it lies as it does in a stage that one
 * block loads. */
#include "base/arith.h"
#include "synth/gemm/plan.h"

enum { ROWS_MOST = 1 << 29 /* of a set of tiles, so that coordinates fit 31 bits */, BLOCKS = 2, PATTERN = 8 /* rows of a swizzle */ };

/* The planned operand that the request names; the product may be the transposed one. */
static int32_t operand_asked(const zlay_plan *plan, int32_t multicast)
{
    return (multicast == ZLAY_MULTICAST_B) != (plan->info.swapped != 0) ? ZLAY_OPERAND_B : ZLAY_OPERAND_A;
}

zlay_status zl_gemm_multicast(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_plan_summary *info = &plan->info;
    int32_t asked = gemm->multicast;
    info->cluster = info->splits;
    for (int32_t o = 0; o < 3; o++) plan->operand[o].parts = 1;
    info->clusters = zl_umul_sat(info->tiles_m, info->tiles_n);
    if (asked < ZLAY_MULTICAST_NONE || asked > ZLAY_MULTICAST_B)
        return zl_fail(ctx, ZLAY_EINVAL, "multicast: %d is none of none, a, b", asked);
    if (asked == ZLAY_MULTICAST_NONE) return ZLAY_OK;
    const char *also = info->splits > 1 ? "split_k" : zl_gemm_scaled(plan) ? "scales" : NULL;
    if (also) return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: products with %s have none", also);
    int32_t shared = operand_asked(plan, asked);
    plan->operand[shared].parts = BLOCKS;
    info->multicast = shared == ZLAY_OPERAND_A ? ZLAY_MULTICAST_A : ZLAY_MULTICAST_B;
    info->cluster = BLOCKS;
    info->clusters = zl_umul_sat(zl_clusters_m(info), zl_clusters_n(info));
    if (zl_clusters_m(info) * info->tile_m > ROWS_MOST || zl_clusters_n(info) * info->tile_n > ROWS_MOST)
        return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: a neighbour's coordinates pass 2^31");
    return ZLAY_OK;
}

zlay_status zl_multicast_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    for (int32_t o = 0; o < 2; o++) {
        const zl_operand *operand = &plan->operand[o];
        if (operand->parts == 1) continue;
        if (plan->info.full_count != 1)
            return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: threads move an operand; repack lays it out for tensor copies");
        if (operand->major != ZLAY_MAJOR_K)
            return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: an operand whose K is not contiguous is shared by nothing; a "
                                              "K-major one, or none, works");
        if (operand->map.box[1] % PATTERN)
            return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: halves of %u rows; they have a multiple of %d",
                           operand->map.box[1], PATTERN);
    }
    return ZLAY_OK;
}

bool zl_multicast(const zlay_plan_summary *info) { return info->multicast != ZLAY_MULTICAST_NONE; }

uint64_t zl_clusters_m(const zlay_plan_summary *info)
{
    return info->multicast == ZLAY_MULTICAST_B ? zl_ceil_div(info->tiles_m, BLOCKS) : info->tiles_m;
}

uint64_t zl_clusters_n(const zlay_plan_summary *info)
{
    return info->multicast == ZLAY_MULTICAST_A ? zl_ceil_div(info->tiles_n, BLOCKS) : info->tiles_n;
}
