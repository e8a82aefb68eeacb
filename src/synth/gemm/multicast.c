/* SPDX-License-Identifier: Apache-2.0 */
/* Lets the two blocks of a cluster share an operand: they compute neighbouring tiles of D, of one row of
 * tiles where A is shared and of one column where B is; each loads a half of the operand's stage and
 * multicasts it to both. A half is of whole swizzle patterns, so that it lies as it does in a stage that one
 * block loads. */
#include "base/arith.h"
#include "synth/gemm/choose.h"

enum { EXTENT_MOST = 1 << 30 /* so that coordinates of a neighbour fit 31 bits */, GRANULE = 16 /* bytes of a tensor copy */, ROWS_LEAST = 1024 /* times were measured with many tiles */, BLOCKS = 2, PATTERN = 8 /* rows of a swizzle */ };

/* The planned operand that the request names; the product may be the transposed one. */
static int32_t operand_asked(const zlay_plan *plan, int32_t multicast)
{
    return (multicast == ZLAY_MULTICAST_B) != (plan->info.swapped != 0) ? ZLAY_OPERAND_B : ZLAY_OPERAND_A;
}

/* What products have that share nothing; NULL: this one may share. */
static const char *alone(const zlay_plan *plan)
{
    return plan->info.splits > 1 ? "split_k" : zl_gemm_scaled(plan) ? "scales" : NULL;
}

void zl_multicast_share(zlay_plan *plan, int32_t operand)
{
    plan->operand[operand].parts = BLOCKS;
    plan->info.multicast = operand == ZLAY_OPERAND_A ? ZLAY_MULTICAST_A : ZLAY_MULTICAST_B;
    plan->info.cluster = BLOCKS;
}

/* Whether the planner knows times of clusters that share B, and every tile that it chooses has halves. */
bool zl_multicast_may(const zlay_plan *plan, const zlay_gemm *gemm)
{
    if (zl_d_by_columns(plan) || alone(plan) || plan->info.m < ROWS_LEAST || plan->info.m > EXTENT_MOST || plan->info.n > EXTENT_MOST || gemm->tile_n % (BLOCKS * PATTERN)) return false;
    for (int32_t o = 0; o < 2; o++)
        if (plan->operand[o].major != ZLAY_MAJOR_K || zl_row_alignment(plan, o) < GRANULE) return false;
    return true;
}

zlay_status zl_gemm_multicast(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    int32_t asked = gemm->multicast;
    plan->info.cluster = plan->info.splits;
    for (int32_t o = 0; o < 3; o++) plan->operand[o].parts = plan->operand[o].slices = 1;
    if (asked < ZLAY_MULTICAST_NONE || asked > ZLAY_MULTICAST_B)
        return zl_fail(ctx, ZLAY_EINVAL, "multicast: %d is none of none, auto, a, b", asked);
    if (asked == ZLAY_MULTICAST_NONE || asked == ZLAY_MULTICAST_AUTO) return ZLAY_OK; /* choose.c decides */
    if (alone(plan)) return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: products with %s have none", alone(plan));
    zl_multicast_share(plan, operand_asked(plan, asked));
    return ZLAY_OK;
}

zlay_status zl_multicast_check(zlay_ctx *ctx, zlay_plan *plan)
{
    plan->info.clusters = zl_umul_sat(zl_clusters_m(&plan->info), zl_clusters_n(&plan->info));
    if (zl_multicast(&plan->info) && (plan->info.m > EXTENT_MOST || plan->info.n > EXTENT_MOST))
        return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: m and n are at most %d, for a tile may have a neighbour behind D", EXTENT_MOST);
    for (int32_t o = 0; o < 2; o++) {
        const zl_operand *operand = &plan->operand[o];
        if (operand->parts == 1) continue;
        if (plan->info.full_count != 1)
            return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: threads move an operand; repack lays it out for tensor copies");
        if (operand->major != ZLAY_MAJOR_K)
            return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: an operand whose K is not contiguous is shared by nothing; a "
                                              "K-major one, or none, works");
        if (operand->copies_count > 1)
            return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: tile_k: %u elements are in several boxes; steps of 128 bytes are divided",
                           plan->info.tile_k);
        if (operand->map.box[1] % PATTERN)
            return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: halves of %u rows; they have a multiple of %d",
                           operand->map.box[1], PATTERN);
    }
    return ZLAY_OK;
}
