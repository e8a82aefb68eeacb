/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses how blocks divide the work of a GEMM, together with its tile: for each way that the request leaves open (whole tiles,
 * pairs that share B, stream-K, K split over a cluster) the cheapest shape of tile.c's model, and of these the one of the least
 * rank. A rank is the modelled time; where the time rests on more than was measured, it is that much more. */
#include "base/arith.h"
#include "synth/gemm/choose.h"

enum {
    PERCENT = 100,
    STREAM_ERROR = 6, /* per cent, of times: what stream-K must win by, by another tile than whole tiles have */
    SPLIT_ERROR = 15, /* the same of sums that a block sends to another */
    WIDTH_ERROR = 1,  /* the same of tiles whose columns are no multiple of 64 */
    WIDTH = 64,
    SPLITS = 2 /* blocks of the first of the divisions of K, each of which has twice those of the one before */
};

/* Whether the request has fixed how the work is divided. */
static bool is_fixed(const zlay_plan *plan)
{
    return plan->info.splits > 1 || zl_multicast(&plan->info) || zl_stream(&plan->info);
}

bool zl_gemm_way_take(zlay_plan *plan, const zlay_gemm *gemm, zl_gemm_way way)
{
    if (way == ZL_GEMM_WHOLE) return true;
    if (is_fixed(plan) || plan->info.groups) return false;
    if (way == ZL_GEMM_PAIRS) {
        if (gemm->multicast != ZLAY_MULTICAST_AUTO || !zl_multicast_may(plan, gemm)) return false;
        zl_multicast_share(plan, ZLAY_OPERAND_B);
    } else if (way == ZL_GEMM_STREAM) {
        if (gemm->stream_k != ZLAY_STREAM_AUTO || !zl_stream_may(plan, gemm)) return false;
        plan->info.stream_blocks = plan->processors;
    } else {
        uint32_t splits = (uint32_t)SPLITS << (way - ZL_GEMM_SPLIT_2);
        if (gemm->split_k != ZLAY_SPLIT_AUTO || !zl_split_may(plan, gemm, splits)) return false;
        plan->info.splits = plan->info.cluster = splits;
    }
    return true;
}

uint64_t zl_gemm_way_rank(const zl_tile_shape *shape, zl_gemm_way way, const zl_tile_shape *whole)
{
    bool same = shape->m == whole->m && shape->n == whole->n;
    uint32_t error = way >= ZL_GEMM_SPLIT_2 ? SPLIT_ERROR : way == ZL_GEMM_STREAM && !same ? STREAM_ERROR : 0;
    if (shape->n % WIDTH && shape->n > WIDTH) error += WIDTH_ERROR;
    return zl_umul_sat(shape->time, PERCENT) / (PERCENT - error);
}

/* The shape of the least rank of a way, and its rank; UINT64_MAX: there is none. */
static uint64_t way_least(const zlay_plan *plan, const zlay_gemm *gemm, zl_gemm_way way, zl_tile_shape *best, const zl_tile_shape *whole)
{
    zl_tile_shape shapes[ZL_TILE_SHAPES];
    uint32_t count = zl_tile_shapes(plan, gemm, shapes);
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t rank = zl_gemm_way_rank(&shapes[i], way, whole);
        if (rank >= least) continue;
        least = rank;
        *best = shapes[i];
    }
    return least;
}

uint64_t zl_gemm_way_choose(zlay_plan *plan, const zlay_gemm *gemm)
{
    zl_tile_shape whole = zl_tile_cheapest(plan, gemm), shape = whole;
    uint64_t least = UINT64_MAX;
    zl_gemm_way best = ZL_GEMM_WHOLE;
    plan->shape = whole;
    for (zl_gemm_way way = ZL_GEMM_WHOLE; way < ZL_GEMM_WAYS; way++) {
        zlay_plan other = *plan;
        if (!zl_gemm_way_take(&other, gemm, way)) continue;
        uint64_t rank = way_least(&other, gemm, way, &shape, &whole);
        if (rank >= least) continue;
        least = rank;
        best = way;
        plan->shape = shape;
    }
    zl_gemm_way_take(plan, gemm, best);
    return least;
}
