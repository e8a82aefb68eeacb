/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a product for each of several groups of rows by one kernel: rows of A and D lie below each other, group after group, B
 * has a matrix for each group, and the kernel reads on the device where groups begin (src/emit/pipe/tiles.c).
 *
 * Loads may bring rows of the group behind; no store may pass the end of its own. The map of D ends rows where the kernel says,
 * with strides that wrap around at 2^64 (as Triton's ragged stores): a tile's row that is r rows before the end e of its group
 * is row 2^30 - r of 2^30, in plane 2^30 - e of planes that are 2^34 bytes less a row apart, and e times 2^34 bytes further. Both
 * multiples of 2^34 add up to 2^64, so that row e - r of D is what remains, and a row behind e is outside of the map. */
#include "base/arith.h"
#include "synth/gemm/plan.h"

enum { ROWS_LOG = 30, PLANE_LOG = 34, GRANULE = 16 /* bytes of a tensor copy */ };

/* What the request has that products of groups do not; NULL: nothing. */
static const char *refusal(const zlay_gemm *gemm)
{
    return gemm->epilogue       ? "an epilogue"
           : gemm->a_scales     ? "a_scales"
           : gemm->b_scales     ? "b_scales"
           : gemm->d_scales     ? "d_scales"
           : gemm->repack       ? "repack"
           : gemm->split_k > 1  ? "split_k"
           : gemm->multicast    ? "multicast"
           : gemm->swap         ? "swap"
           : gemm->stream_k     ? "stream_k"
                                : NULL;
}

/* Whether all matrices of B fit 64 bits of addresses. */
static bool b_fits(const zlay_plan *plan, uint64_t groups)
{
    const zl_operand *b = &plan->operand[ZLAY_OPERAND_B];
    uint64_t bytes;
    return zl_umul(b->pitch * b->element * b->outer, groups, &bytes) && zl_uadd(bytes, plan->address[ZLAY_OPERAND_B], &bytes);
}

zlay_status zl_gemm_groups(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    static const char *const names[] = {"A", "B", "D"};
    const char *why = refusal(gemm);
    if (!gemm->groups) return ZLAY_OK;
    if (gemm->groups > INT32_MAX) return zl_fail(ctx, ZLAY_EINVAL, "groups: %u is not in 1..%d", gemm->groups, INT32_MAX);
    if (why) return zl_fail(ctx, ZLAY_ENOTSUP, "groups: products with %s have none", why);
    if (plan->info.swapped) return zl_fail(ctx, ZLAY_ENOTSUP, "groups: a D that is column-major has none");
    if (plan->info.m >= 1u << ROWS_LOG)
        return zl_fail(ctx, ZLAY_ENOTSUP, "m: %llu; groups have fewer than 2^%d rows together", (unsigned long long)plan->info.m, ROWS_LOG);
    if (!b_fits(plan, gemm->groups))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "groups: %u matrices of B pass 2^64 bytes", gemm->groups);
    for (int32_t o = 0; o < 3; o++) {
        if (plan->operand[o].major != ZLAY_MAJOR_K)
            return zl_fail(ctx, ZLAY_ENOTSUP, "groups: K is contiguous in A and in B, and %s is not so", names[o]);
        if (zl_row_alignment(plan, o) % GRANULE)
            return zl_fail(ctx, ZLAY_ENOTSUP, "groups: tensor copies move all operands, and the address or a row of %s is no multiple of %d bytes",
                           names[o], GRANULE);
    }
    plan->info.groups = gemm->groups;
    return ZLAY_OK;
}

uint64_t zl_groups_tiles(const zlay_plan_summary *info, uint32_t rows)
{
    return info->groups ? (info->m + (uint64_t)info->groups * (rows - 1)) / rows : zl_ceil_div(info->m, rows);
}

/* The last tile of a group is half empty. */
uint64_t zl_groups_usual(const zlay_plan_summary *info, uint32_t rows)
{
    return zl_ceil_div(info->m + (uint64_t)info->groups * (rows / 2), rows);
}

/* B's third dimension is the group. */
static void map_b(zlay_tensormap *map, const zlay_plan *plan)
{
    map->rank = 3;
    map->extent[2] = plan->info.groups;
    map->stride[1] = map->stride[0] * map->extent[1];
    map->box[2] = map->step[2] = 1;
}

static void map_d(zlay_tensormap *map)
{
    map->rank = 4;
    map->extent[1] = map->extent[2] = map->extent[3] = (uint64_t)1 << ROWS_LOG;
    map->stride[1] = ((uint64_t)1 << PLANE_LOG) - map->stride[0];
    map->stride[2] = (uint64_t)1 << PLANE_LOG;
    map->box[2] = map->box[3] = map->step[2] = map->step[3] = 1;
}

void zl_groups_map(zlay_tensormap *map, const zlay_plan *plan, int32_t operand)
{
    if (!plan->info.groups) return;
    if (operand == ZLAY_OPERAND_B) map_b(map, plan);
    if (operand == ZLAY_OPERAND_D) map_d(map);
}

void zl_groups_copy(zlay_copy *copy, const zlay_plan *plan, int32_t operand, int32_t begin, int32_t end, int32_t group)
{
    if (!plan->info.groups) return;
    if (operand == ZLAY_OPERAND_B) copy->advance[2][group] = 1;
    else copy->advance[1][begin] = 1;
    if (operand != ZLAY_OPERAND_D) return;
    copy->coordinate[1] = copy->coordinate[2] = 1 << ROWS_LOG;
    copy->advance[1][end] = copy->advance[2][end] = -1;
    copy->advance[3][end] = 1;
}
