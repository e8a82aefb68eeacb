/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the tile that a block of a wgmma GEMM computes and the number of stages, and places
 * stages, staging of D and barriers in shared memory. The tile is the one with the least modelled
 * time, from times of one K step that were measured on an H200. */
#include "synth/gemm/plan.h"
#include "base/arith.h"

#include <string.h>
#include <zlay/block.h>

enum {
    ROWS = 64,    /* of a consumer warpgroup: wgmma's M */
    MMA_K = 16,   /* elements of K of one wgmma */
    ELEMENT = 2,  /* bytes of bf16 */
    ALIGN = 1024, /* the 128-byte swizzle repeats on this */
    STAGES_LEAST =
        2, /* a consumer releases a stage when it has the next: one stage is a deadlock */
    STAGES_MOST = 8,
    PASS_MOST = 128,   /* columns of D in a pass */
    WARPGROUP = 128,   /* threads */
    PROCESSORS = 132,  /* of an H200; only the choice of a default tile looks at it */
    ENDS = 4,          /* K steps that fill and epilogue of a tile add in the model */
    STORE_GRANULE = 16,    /* bytes in which a tensor store writes a row */
    TILES_MOST = INT32_MAX /* of D: blocks of the grid's first dimension */
};

/* Checks the tile sizes that the request fixes; 0 is left to the plan. */
static zlay_status tile_check(zlay_ctx *ctx, uint32_t m, uint32_t n, uint32_t k)
{
    if (m && m != ROWS && m != 2 * ROWS)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_m: %u is neither 64 nor 128", m);
    if (n && (n < 64 || n > 256 || n % 64))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is no multiple of 64 in 64..256", n);
    if (k && k != 16 && k != 32 && k != 64)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u is none of 16, 32, 64", k);
    return ZLAY_OK;
}

/* Nanoseconds of one K step of 64, its share of fill and epilogue included, and what an epilogue by
 * threads adds to a tile: from `device-bench --tiles`, docs/performance.md. */
static const struct {
    uint32_t m, n, step, by_threads;
} measured[] = {
    {128, 256, 735, 5000}, {128, 192, 562, 12600}, {128, 128, 380, 17000}, {128, 64, 325, 10200},
    {64, 256, 383, 5000},  {64, 192, 300, 8000},   {64, 128, 218, 8000},   {64, 64, 190, 6000},
};

/* How many tiles D has; UINT64_MAX where they pass 64 bits. */
static uint64_t tiles_of_d(const zlay_plan_summary *info, uint32_t m, uint32_t n)
{
    return zl_umul_sat(zl_ceil_div(info->m, m), zl_ceil_div(info->n, n));
}

/* The modelled time of a tile shape: the waves of tiles over all processors, times the time of one
 * tile, which is its K steps, a few steps for fill and epilogue, and the epilogue by threads where
 * tensor stores are not possible.  It fits 64 bits: there are fewer than 2^24 waves, and a tile
 * takes less than 2^36. */
static uint64_t tile_cost(const zlay_plan_summary *info, size_t row)
{
    uint64_t tiles = tiles_of_d(info, measured[row].m, measured[row].n);
    bool stored = info->n * ELEMENT % STORE_GRANULE == 0;
    uint64_t steps = (zl_ceil_div(info->k, 64) + ENDS) * measured[row].step;
    return zl_ceil_div(tiles, PROCESSORS) * (steps + (stored ? 0 : measured[row].by_threads));
}

/* Chooses the cheapest shape with at most TILES_MOST tiles, among those that the request allows. */
static zlay_status tile_choose(zlay_ctx *ctx, const zlay_plan_summary *info, uint32_t *m,
                               uint32_t *n)
{
    uint64_t best = UINT64_MAX;
    uint32_t want_m = *m, want_n = *n;
    bool found = false;
    for (size_t i = 0; i < ZL_COUNT(measured); i++) {
        uint32_t rows = measured[i].m, columns = measured[i].n;
        if ((want_m && rows != want_m) || (want_n && columns != want_n)) continue;
        if (tiles_of_d(info, rows, columns) > TILES_MOST) continue;
        uint64_t cost = tile_cost(info, i);
        if (found && cost >= best) continue;
        found = true;
        best = cost;
        *m = rows;
        *n = columns;
    }
    return found ? ZLAY_OK : zl_fail(ctx, ZLAY_ENOTSUP, "more than 2^31 - 1 tiles of D");
}

static uint32_t smem_bytes(const zlay_plan_summary *info, uint32_t stages)
{
    return stages * info->stage_bytes + info->consumers * info->pitch_d + 2 * 8 * stages + ALIGN;
}

/* Takes the stages that the request fixes, else as many as fit shared memory. */
static zlay_status stages_choose(zlay_ctx *ctx, zlay_plan_summary *info, uint32_t want)
{
    uint64_t capacity = zlay_smem_capacity(info->target);
    uint32_t stages = want ? want : STAGES_MOST;
    if (want && (want < STAGES_LEAST || want > STAGES_MOST))
        return zl_fail(ctx, ZLAY_EINVAL, "stages: %u is not in %d..%d", want, STAGES_LEAST,
                       STAGES_MOST);
    while (!want && stages > STAGES_LEAST && smem_bytes(info, stages) > capacity) stages--;
    info->stages = stages;
    info->smem = smem_bytes(info, stages);
    zlay_verdict verdict;
    zlay_status status = zlay_smem_check(&verdict, NULL, 0, info->target, info->smem);
    if (status) return status;
    if (verdict.answer == ZLAY_YES) return ZLAY_OK;
    return zl_fail(
        ctx, ZLAY_NONE,
        "SMEM_BLOCK: %u stages of %u bytes need %u bytes of shared memory; a block has %llu",
        stages, info->stage_bytes, info->smem, (unsigned long long)capacity);
}

static void place(zlay_plan_summary *info, uint32_t tile_a, uint32_t tile_b)
{
    info->smem_a = 0;
    info->pitch_a = tile_a;
    info->smem_b = info->stages * tile_a;
    info->pitch_b = tile_b;
    info->smem_d = info->stages * info->stage_bytes;
    info->smem_bar = info->smem_d + info->consumers * info->pitch_d;
}

static void instruction(zlay_plan *plan)
{
    zlay_mma *mma = &plan->info.mma;
    memset(mma, 0, sizeof *mma);
    mma->m = ROWS;
    mma->n = plan->info.tile_n;
    mma->k = MMA_K;
    mma->a = mma->b = ZLAY_TYPE_BF16;
    mma->d = ZLAY_TYPE_F32;
    mma->a_major = plan->operand[ZLAY_OPERAND_A].major;
    mma->b_major = plan->operand[ZLAY_OPERAND_B].major;
}

static zlay_status instruction_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_rule rule;
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, plan->info.target, &plan->info.mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason.rule);
    if (status) return status;
    return zl_fail(ctx, ZLAY_NONE, "%s: %s (target %s)", rule.id, rule.text,
                   zlay_target_name(plan->info.target));
}

zlay_status zl_gemm_tile(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_plan_summary *info = &plan->info;
    uint32_t m = gemm->tile_m, n = gemm->tile_n, k = gemm->tile_k ? gemm->tile_k : 64;
    zlay_status status = tile_check(ctx, m, n, k);
    if (status) return status;
    status = tile_choose(ctx, info, &m, &n);
    if (status) return status;
    info->tile_m = m;
    info->tile_n = n;
    info->tile_k = k;
    info->tiles_m = zl_ceil_div(info->m, m);
    info->tiles_n = zl_ceil_div(info->n, n);
    info->tiles_k = zl_ceil_div(info->k, k);
    info->consumers = m / ROWS;
    info->threads = WARPGROUP * (1 + info->consumers);
    info->pass_n = n % PASS_MOST ? 64 : PASS_MOST;
    info->passes = n / info->pass_n;
    info->pitch_d = ROWS * info->pass_n * ELEMENT;
    info->k_steps = k / MMA_K;
    info->stage_bytes = (m + n) * k * ELEMENT;
    instruction(plan);
    status = instruction_check(ctx, plan);
    if (!status) status = stages_choose(ctx, info, gemm->stages);
    if (!status) place(info, m * k * ELEMENT, n * k * ELEMENT);
    return status;
}
