/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the tile that a block of a wgmma GEMM computes and the number of stages, and places
 * stages, staging of D and barriers in shared memory. The tile is the one with the least modelled
 * time, from times of one K step that were measured on an H200. */
#include "synth/gemm/plan.h"
#include "base/arith.h"

#include <zlay/block.h>

enum {
    ROWS = 64,    /* of a consumer warpgroup: wgmma's M */
    K_BYTES = 128, /* of K in a step, at most: a row of the widest swizzle */
    ALIGN = 1024, /* the 128-byte swizzle repeats on this */
    STAGES_LEAST =
        2, /* a consumer releases a stage when it has the next: one stage is a deadlock */
    STAGES_MOST = 8,
    PASS_BYTES = 256,  /* of a row of D in a pass, at most */
    WARPGROUP = 128,   /* threads */
    PROCESSORS = 132,  /* of an H200; only the choice of a default tile looks at it */
    ENDS = 4,          /* K steps that fill and epilogue of a tile add in the model */
    STORE_GRANULE = 16,    /* bytes in which a tensor store writes a row */
    TILES_MOST = INT32_MAX /* of D: blocks of the grid's first dimension */
};

/* Checks the tile sizes that the request fixes; 0 is left to the plan. `most` is the K of a whole
 * step. */
static zlay_status tile_check(zlay_ctx *ctx, uint32_t m, uint32_t n, uint32_t k, uint32_t most)
{
    if (m && m != ROWS && m != 2 * ROWS)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_m: %u is neither 64 nor 128", m);
    if (n && (n < 64 || n > 256 || n % 64))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is no multiple of 64 in 64..256", n);
    if (k && k != most / 4 && k != most / 2 && k != most)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u is none of %u, %u, %u", k, most / 4, most / 2,
                       most);
    return ZLAY_OK;
}

/* Nanoseconds of one K step of 64 bf16, its share of fill and epilogue included, and what an
 * epilogue by threads adds to a tile: from `device-bench --tiles`, docs/performance.md. */
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

/* Elements of K in 128 bytes. */
static uint32_t k_most(const zlay_plan *plan)
{
    return K_BYTES / plan->operand[ZLAY_OPERAND_A].element;
}

/* The modelled time of a tile shape: the waves of tiles over all processors, times the time of one
 * tile, which is its K steps, a few steps for fill and epilogue, and the epilogue by threads where
 * tensor stores are not possible.  It fits 64 bits: there are fewer than 2^24 waves, and a tile
 * takes less than 2^36. */
static uint64_t tile_cost(const zlay_plan *plan, size_t row)
{
    const zlay_plan_summary *info = &plan->info;
    uint32_t d_bytes = plan->operand[ZLAY_OPERAND_D].element;
    uint64_t tiles = tiles_of_d(info, measured[row].m, measured[row].n);
    bool stored = info->n * d_bytes % STORE_GRANULE == 0;
    uint64_t steps = (zl_ceil_div(info->k, k_most(plan)) + ENDS) * measured[row].step;
    return zl_ceil_div(tiles, PROCESSORS) * (steps + (stored ? 0 : measured[row].by_threads));
}

/* Chooses the cheapest shape with at most TILES_MOST tiles, among those that the request allows. */
static zlay_status tile_choose(zlay_ctx *ctx, const zlay_plan *plan, uint32_t *m, uint32_t *n)
{
    const zlay_plan_summary *info = &plan->info;
    uint64_t best = UINT64_MAX;
    uint32_t want_m = *m, want_n = *n;
    bool found = false;
    for (size_t i = 0; i < ZL_COUNT(measured); i++) {
        uint32_t rows = measured[i].m, columns = measured[i].n;
        if ((want_m && rows != want_m) || (want_n && columns != want_n)) continue;
        if (tiles_of_d(info, rows, columns) > TILES_MOST) continue;
        uint64_t cost = tile_cost(plan, i);
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
    zl_gemm_product(mma, plan->operand[ZLAY_OPERAND_A].type, plan->operand[ZLAY_OPERAND_B].type);
    mma->n = plan->info.tile_n;
    mma->a_major = plan->operand[ZLAY_OPERAND_A].major;
    mma->b_major = plan->operand[ZLAY_OPERAND_B].major;
}

/* The order of the request that makes an operand K-major; of a swapped product A is the request's
 * B. */
static const char *order_wanted(const zlay_plan *plan, int32_t field)
{
    if (field != ZLAY_FIELD_A_MAJOR && field != ZLAY_FIELD_B_MAJOR) return "";
    bool of_a = (field == ZLAY_FIELD_A_MAJOR) != (plan->info.swapped != 0);
    return of_a ? "; a_order: the nearest that works is row"
                : "; b_order: the nearest that works is column";
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
    return zl_fail(ctx, ZLAY_NONE, "%s: %s (target %s)%s", rule.id, rule.text,
                   zlay_target_name(plan->info.target), order_wanted(plan, reason.field));
}

zlay_status zl_gemm_tile(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_plan_summary *info = &plan->info;
    uint32_t element = plan->operand[ZLAY_OPERAND_A].element;
    uint32_t d_bytes = plan->operand[ZLAY_OPERAND_D].element, most = k_most(plan);
    uint32_t m = gemm->tile_m, n = gemm->tile_n, k = gemm->tile_k ? gemm->tile_k : most;
    zlay_status status = tile_check(ctx, m, n, k, most);
    if (status) return status;
    status = tile_choose(ctx, plan, &m, &n);
    if (status) return status;
    info->tile_m = m;
    info->tile_n = n;
    info->tile_k = k;
    info->tiles_m = zl_ceil_div(info->m, m);
    info->tiles_n = zl_ceil_div(info->n, n);
    info->tiles_k = zl_ceil_div(info->k, k);
    info->consumers = m / ROWS;
    info->threads = WARPGROUP * (1 + info->consumers);
    info->pass_n = n % (PASS_BYTES / d_bytes) ? 64 : PASS_BYTES / d_bytes;
    info->passes = n / info->pass_n;
    info->pitch_d = ROWS * info->pass_n * d_bytes;
    info->stage_bytes = (m + n) * k * element;
    instruction(plan);
    info->k_steps = k / info->mma.k;
    status = instruction_check(ctx, plan);
    if (!status) status = stages_choose(ctx, info, gemm->stages);
    if (!status) place(info, m * k * element, n * k * element);
    return status;
}
