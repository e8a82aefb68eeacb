/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the tile that a block of a wgmma GEMM computes and the number of stages, and places
 * stages, staging of D and barriers in shared memory. The tile is the one with the least modelled
 * time, from times of one K step that were measured on an H200: the wave model of tiles over
 * processors fits within 3 % where K has 40 steps or more. */
#include "synth/gemm/plan.h"
#include "base/arith.h"

#include <zlay/block.h>

enum {
    ROWS = 64,          /* of a consumer warpgroup: wgmma's M */
    COLUMNS_LEAST = 64, /* a row of a pass of D */
    COLUMNS_MOST = 256, /* wgmma's N */
    K_BYTES = 128, /* of K in a step, at most: a row of the widest swizzle */
    ALIGN = 1024, /* the 128-byte swizzle repeats on this */
    STAGES_LEAST =
        2, /* a consumer releases a stage when it has the next: one stage is a deadlock */
    STAGES_MOST = 12, /* more take longer to begin with than they win: 13 and 16 were measured */
    PASS_BYTES = 256,  /* of a row of D in a pass, at most */
    WARPGROUP = 128,   /* threads */
    PROCESSORS = 132,  /* of an H200; only the choice of a default tile looks at it */
    ENDS = 4,          /* K steps that fill and epilogue of a tile add in the model */
    ENDS_OVERLAP = 8,  /* the same where the last pass of D overlaps the one before */
    STORE_GRANULE = 16,    /* bytes in which a tensor store writes a row */
    LINE = 128,            /* bytes at whose multiples a copied row of a box is one line of L2 */
    STORE_RATE = 44,       /* elements of D that threads of a block store in a ns, by their instructions */
    TILES_MOST = INT32_MAX /* of D: blocks of the grid's first dimension */
};

/* Elements of K in 128 bytes. */
static uint32_t k_most(const zlay_plan *plan)
{
    return K_BYTES / plan->operand[ZLAY_OPERAND_A].element;
}

/* Boxes of a B whose N is contiguous have 64 columns; the stages of B begin where the swizzle does. */
static bool fits_b(const zlay_plan *plan, uint32_t n, uint32_t k)
{
    bool boxes = plan->operand[ZLAY_OPERAND_B].major == ZLAY_MAJOR_K || n % 64 == 0;
    return boxes && n * k * plan->operand[ZLAY_OPERAND_B].element % ALIGN == 0;
}

/* Checks the tile sizes that the request fixes; 0 is left to the plan. */
static zlay_status tile_check(zlay_ctx *ctx, const zlay_plan *plan, uint32_t m, uint32_t n,
                              uint32_t k)
{
    uint32_t most = k_most(plan);
    if (m && m != ROWS && m != 2 * ROWS)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_m: %u is neither 64 nor 128", m);
    if (n && (n < COLUMNS_LEAST || n > COLUMNS_MOST || n % 8))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is no multiple of 8 in %d..%d", n, COLUMNS_LEAST,
                       COLUMNS_MOST);
    if (k && k != most / 4 && k != most / 2 && k != most)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u is none of %u, %u, %u", k, most / 4, most / 2,
                       most);
    zlay_status status = zl_gemm_scales_tile(ctx, plan, n);
    if (status) return status;
    if (n && !fits_b(plan, n, k))
        return zl_fail(ctx, ZLAY_EINVAL,
                       "tile_n: %u does not fit B, whose N is contiguous or whose stage would begin "
                       "beside a multiple of %d; a multiple of 64 does",
                       n, ALIGN);
    return ZLAY_OK;
}

/* Nanoseconds of one K step of 128 bytes, its share of fill and epilogue included, and what it takes
 * more where rows of A and B begin beside multiples of 128 bytes: from `device-bench --tiles` of 4096^3
 * and of 4095 x 4097 x 4104, docs/performance.md. Between two rows of one m the times are those of the
 * straight line. */
static const struct measured {
    uint32_t m, n, step, beside;
} measured[] = {
    {64, 64, 190, 87},   {64, 128, 218, 116},  {64, 192, 300, 116},  {64, 256, 383, 72},
    {128, 64, 325, 148}, {128, 128, 380, 246}, {128, 192, 562, 183}, {128, 256, 735, 72},
};

static uint32_t between(uint32_t n, uint32_t n0, uint32_t t0, uint32_t n1, uint32_t t1)
{
    return n1 == n0 ? t0 : (t0 * (n1 - n) + t1 * (n - n0)) / (n1 - n0);
}

/* The times of a tile of m in {64, 128} and n in 64..256. */
static struct measured times_of(uint32_t m, uint32_t n)
{
    size_t row = 0;
    while (measured[row].m != m || measured[row].n < n) row++;
    const struct measured *high = &measured[row], *low = high->n == n ? high : high - 1;
    return (struct measured){m, n, between(n, low->n, low->step, high->n, high->step),
                             between(n, low->n, low->beside, high->n, high->beside)};
}

/* How many tiles D has; UINT64_MAX where they pass 64 bits. */
static uint64_t tiles_of_d(const zlay_plan_summary *info, uint32_t m, uint32_t n)
{
    return zl_umul_sat(zl_ceil_div(info->m, m), zl_ceil_div(info->n, n));
}

/* And how many blocks compute them. */
static uint64_t blocks_of_d(const zlay_plan_summary *info, uint32_t m, uint32_t n)
{
    return zl_umul_sat(tiles_of_d(info, m, n), info->splits);
}

/* Whether rows of D leave by tensor copies. */
static bool is_stored(const zlay_plan *plan)
{
    return !(zl_row_alignment(plan, ZLAY_OPERAND_D) % STORE_GRANULE);
}

/* Whether tensor copies bring rows of an operand that begin beside lines. */
static bool is_beside(const zlay_plan *plan, int32_t operand)
{
    uint64_t alignment = zl_row_alignment(plan, operand);
    return alignment >= STORE_GRANULE && alignment < LINE;
}

/* What a step takes more: the measured time, by the share of its rows that begin beside lines. */
static uint64_t beside_cost(const zlay_plan *plan, const struct measured *t)
{
    uint32_t rows = (is_beside(plan, ZLAY_OPERAND_A) ? t->m : 0) + (is_beside(plan, ZLAY_OPERAND_B) ? t->n : 0);
    return (uint64_t)t->beside * rows / (t->m + t->n);
}

/* The modelled time of a tile shape: the waves of tiles over all processors, times the time of one
 * tile, which is its K steps, a few steps for fill and epilogue, and the stores by threads where
 * tensor stores are not possible.  It fits 64 bits: there are fewer than 2^24 waves, and a tile
 * takes less than 2^36. */
static uint64_t tile_cost(const zlay_plan *plan, uint32_t m, uint32_t n)
{
    struct measured t = times_of(m, n);
    uint32_t ends = n % 64 ? ENDS_OVERLAP : ENDS;
    uint64_t own = zl_ceil_div(plan->info.k, (uint64_t)k_most(plan) * plan->info.splits);
    uint64_t steps = (own + ends) * (t.step + beside_cost(plan, &t));
    return zl_ceil_div(blocks_of_d(&plan->info, m, n), PROCESSORS) *
           (steps + (is_stored(plan) ? 0 : m * n / STORE_RATE));
}

/* What is tried where the request leaves a size open. Passes of D that overlap were measured with
 * tensor copies alone. Tiles of scaled products were not measured: they are chosen by the times of those without scales. */
static bool is_candidate(const zlay_plan *plan, uint32_t n, uint32_t k)
{
    return zl_gemm_scales_fit(plan, n) && fits_b(plan, n, k) && n % (is_stored(plan) ? 16 : 64) == 0;
}

/* Chooses the cheapest shape with at most TILES_MOST tiles, among those that the request allows;
 * returns its modelled time, UINT64_MAX where there is none. */
static uint64_t tile_choose(const zlay_plan *plan, uint32_t *m, uint32_t *n, uint32_t k)
{
    uint64_t best = UINT64_MAX;
    uint32_t want_m = *m, want_n = *n;
    for (uint32_t rows = 2 * ROWS; rows; rows -= ROWS)
        for (uint32_t columns = COLUMNS_MOST; columns >= COLUMNS_LEAST; columns -= 8) {
            if (want_m && rows != want_m) continue;
            if (want_n ? columns != want_n : !is_candidate(plan, columns, k)) continue;
            if (blocks_of_d(&plan->info, rows, columns) > TILES_MOST) continue;
            if (!want_n && !zl_split_fits(plan, rows, columns, k)) continue;
            uint64_t cost = tile_cost(plan, rows, columns);
            if (cost >= best) continue;
            best = cost;
            *m = rows;
            *n = columns;
        }
    return best;
}

uint64_t zl_gemm_time(const zlay_plan *plan, const zlay_gemm *gemm)
{
    uint32_t m = gemm->tile_m, n = gemm->tile_n;
    return tile_choose(plan, &m, &n, gemm->tile_k ? gemm->tile_k : k_most(plan));
}

/* The columns of D in a pass: 256 bytes of a row, 128 of elements of a byte, or 64 columns. */
static uint32_t pass_columns(uint32_t n, uint32_t d_bytes)
{
    uint32_t most = d_bytes == 1 ? PASS_BYTES / 2 : PASS_BYTES / d_bytes;
    return n % most == 0 ? most : 64;
}

static uint32_t smem_bytes(const zlay_plan_summary *info, uint32_t stages)
{
    return stages * info->stage_bytes + info->consumers * info->pitch_d + zl_split_smem(info) +
           2 * 8 * stages + zl_split_bars(info) + ALIGN;
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
    info->smem_bar = info->smem_d + info->consumers * info->pitch_d + zl_split_smem(info);
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
    zlay_status status = tile_check(ctx, plan, m, n, k);
    if (status) return status;
    if (tile_choose(plan, &m, &n, k) == UINT64_MAX)
        return info->splits > 1 ? zl_fail(ctx, ZLAY_ENOTSUP, "split_k: %u; no tile fits shared memory, or "
                                                             "there are more than 2^31 - 1 blocks", info->splits)
                                : zl_fail(ctx, ZLAY_ENOTSUP, "more than 2^31 - 1 tiles of D");
    info->tile_m = m;
    info->tile_n = n;
    info->tile_k = k;
    info->tiles_m = zl_ceil_div(info->m, m);
    info->tiles_n = zl_ceil_div(info->n, n);
    info->tiles_k = zl_ceil_div(info->k, k);
    info->consumers = m / ROWS;
    info->threads = WARPGROUP * (1 + info->consumers);
    info->pass_n = pass_columns(n, d_bytes);
    info->passes = (uint32_t)zl_ceil_div(n, info->pass_n);
    info->pitch_d = ROWS * info->pass_n * d_bytes;
    info->stage_bytes = (m + n) * k * element;
    instruction(plan);
    info->k_steps = k / info->mma.k;
    status = instruction_check(ctx, plan);
    if (!status) status = stages_choose(ctx, info, gemm->stages);
    if (!status) place(info, m * k * element, n * k * element);
    return status;
}
