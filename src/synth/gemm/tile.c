/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the tile that a block of a GEMM by wgmma, tcgen05 or mma.sync computes and the number of stages, and
 * places stages, staging of D and barriers in shared memory. The tile is the one with the least
 * modelled time (time.c). */
#include "synth/gemm/choose.h"
#include "synth/gemm/groups.h"
#include "base/arith.h"

#include <zlay/block.h>

enum {
    ROWS_MOST = 128,    /* of a tile */
    COLUMNS_LEAST = 64, /* a row of a pass of D */
    COLUMNS_TAKEN = 64, /* of a pass of D, and of the sums of a step that are taken from tensor memory together; */
    COLUMNS_TAKEN_BESIDE = 32, /* the same where scales of columns are loaded beside them */
    COLUMNS_FEW = 8,    /* the same where columns of D are contiguous: N of an instruction */
    COLUMNS_MOST = 256, /* N of an instruction */
    PASS_LEAST = 64, /* columns of a tile of groups that leaves by two passes, for more stages */
    SUMS_MOST = 128 * 128, /* of a tile by mma.sync: 64 registers of a thread */
    K_BYTES = 128, /* of K in a step, by default: a row of the widest swizzle */
    K_ROWS = 4,    /* of these at most */
    COLUMNS_DEEP = 16, /* of a tile with so many by default, */
    STAGES_DEEP = 4,   /* where K has so many of these steps */
    ALIGN = 1024, /* the 128-byte swizzle repeats on this */
    STAGES_LEAST =
        2, /* a consumer releases a stage when it has the next: one stage is a deadlock */
    STAGES_MOST = 12, /* more take longer to begin with than they win: 13 and 16 were measured */
    STAGES_FEW = 16,  /* the same where columns of D are contiguous: stages have fewer bytes */
    PASS_BYTES = 256,  /* of a row of D in a pass, at most */
    WARPGROUP = 128,   /* threads */
    GRANULE = 16,          /* bytes of a tensor copy */
    STAGES_STREAM = 5,     /* at most, for whose pipe the proof takes a second or less */
    TILES_MOST = INT32_MAX /* of D: blocks of the grid's first dimension */
};

/* What the choice of a tile asks of a target. */
typedef struct tile_choice {
    uint32_t rows;               /* of a consumer, and the least of a tile */
    uint32_t columns_step;       /* of N */
} tile_choice;

static uint32_t columns_least(const zlay_plan *plan) { return zl_d_by_columns(plan) ? COLUMNS_FEW : COLUMNS_LEAST; }

/* Boxes of a B whose N is contiguous have 128 bytes, or all columns; the stages of B begin where the swizzle does. */
static bool fits_b(const zlay_plan *plan, uint32_t n, uint32_t k)
{
    const zl_operand *b = &plan->operand[ZLAY_OPERAND_B];
    uint32_t row = n * b->element;
    bool boxes = b->major == ZLAY_MAJOR_K || row % K_BYTES == 0 || row == K_BYTES / 2;
    return boxes && row * k % ALIGN == 0;
}

static const tile_choice *choice_of(const zlay_plan *plan)
{
    static const tile_choice h200 = {.rows = 64, .columns_step = 8},
                             b200 = {.rows = 128, .columns_step = 16},
                             a100 = {.rows = 64, .columns_step = 64};
    return zl_by_tmem(plan) ? &b200 : zl_by_sync(plan) ? &a100 : &h200;
}

/* Whether eight warps divide a tile, and its sums fit their registers. */
static bool fits_warps(uint32_t m, uint32_t n)
{
    return !(n & (n - 1)) && m * n <= SUMS_MOST;
}

/* Rows of the swizzle in which elements of K of a step lie, at most. A step of several has fewer barriers for its bytes. */
static uint32_t rows_most(const zlay_plan *plan) { return zl_by_wgmma(plan) && !zl_gemm_scaled(plan) ? K_ROWS : 1; }

static bool fits_k(const zlay_plan *plan, uint32_t k)
{
    uint32_t most = zl_gemm_k_most(plan);
    return k >= most / 4 && k <= most * rows_most(plan) && !(k & (k - 1));
}

/* Where columns of a D of 4 bytes are contiguous, its two boxes lie so that a thread's places have bits of their own. */
static bool fits_d(const zlay_plan *plan, uint32_t n)
{
    return !zl_d_by_columns(plan) || plan->operand[ZLAY_OPERAND_D].element != 4 || !(n & (n - 1));
}

/* Checks the tile sizes that the request fixes; 0 is left to the plan. */
static zlay_status tile_check(zlay_ctx *ctx, const zlay_plan *plan, uint32_t m, uint32_t n, uint32_t k)
{
    uint32_t most = zl_gemm_k_most(plan), rows = choice_of(plan)->rows, step = choice_of(plan)->columns_step;
    bool wide = zl_groups_turned(&plan->info) && m == ZL_GROUPS_ROWS;
    if (m && m != rows && m != ROWS_MOST && !wide)
        return zl_fail(ctx, ZLAY_EINVAL, rows == ROWS_MOST ? "tile_m: %u is not 128, the rows of one tcgen05.mma"
                                                           : "tile_m: %u is neither 64 nor 128", m);
    if (n && (n < columns_least(plan) || n > COLUMNS_MOST || n % step))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is no multiple of %u in %u..%d", n, step, columns_least(plan),
                       COLUMNS_MOST);
    if (n && zl_by_sync(plan) && !fits_warps(m ? m : rows, n))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is none of 64, 128 and, with 64 rows, 256: eight warps divide these", n);
    if (n && !fits_d(plan, n))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is no power of two, as tiles have it whose rows are columns of a D of 4 bytes", n);
    if (k && !fits_k(plan, k))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u is no power of two in %u..%u", k, most / 4, most * rows_most(plan));
    zlay_status status = zl_gemm_scales_tile(ctx, plan, m, n);
    if (!status) status = zl_gemm_blocks_tile(ctx, plan, n, k);
    if (status) return status;
    if (n && !fits_b(plan, n, k))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u does not fit B, whose N is contiguous or whose stage would begin beside a multiple of %d; a "
                       "multiple of %u does", n, ALIGN, K_BYTES / plan->operand[ZLAY_OPERAND_B].element);
    return ZLAY_OK;
}

/* Whether two stages and the tile of D, which leaves by one pass, fit shared memory. */
static bool fits_shared(const zlay_plan *plan, uint32_t m, uint32_t n, uint32_t k)
{
    const zl_operand *o = plan->operand;
    uint64_t stages = (uint64_t)STAGES_LEAST * (m + n) * k * o[ZLAY_OPERAND_A].element;
    return stages + m * n * o[ZLAY_OPERAND_D].element + ALIGN <= zlay_smem_capacity(plan->info.target);
}

/* What is tried where the request leaves a size open. A tile has all of few columns, or rows are read once more. Tiles of scaled products were not measured: they are chosen by the times of those without scales. */
static bool is_candidate(const zlay_plan *plan, uint32_t m, uint32_t n, uint32_t k)
{
    if (zl_by_sync(plan)) return fits_warps(m, n) && fits_b(plan, n, k) && fits_shared(plan, m, n, k);
    if (zl_groups_turned(&plan->info)) return zl_groups_fit(&plan->info, m, n);
    if (zl_d_by_columns(plan) && n < zl_umin(plan->info.n, COLUMNS_LEAST)) return false;
    return zl_gemm_scales_fit(plan, n) && zl_gemm_blocks_fit(plan, n) && fits_b(plan, n, k) && fits_d(plan, n) && (n % 16 == 0 || n == COLUMNS_FEW);
}

/* Whether a tile of these rows and columns is one of those that the request allows, with at most TILES_MOST tiles of D. */
static bool is_allowed(const zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n, uint32_t k)
{
    if (gemm->tile_m && m != gemm->tile_m) return false;
    if (gemm->tile_n ? n != gemm->tile_n : !is_candidate(plan, m, n, k)) return false;
    if ((zl_by_sync(plan) && !fits_warps(m, n)) || !zl_gemm_scales_rows(plan, m)) return false;
    uint64_t blocks = zl_tile_blocks(&plan->info, m, n, 0);
    if (blocks > TILES_MOST) return false;
    if (zl_stream(&plan->info) && gemm->stream_k == ZLAY_STREAM_AUTO && blocks <= plan->processors) return false; /* of one wave none is divided */
    return gemm->tile_n || zl_split_fits(plan, m, n, k);
}

/* The columns of D in a pass: 256 bytes of a row, 128 of elements of a byte, or 64 columns. What an epilogue loads for 128
 * columns beside sums from tensor memory is more than a thread has registers for (ptxas 13.0 spills), and so is what it takes
 * of a step's sums beside those of 128 columns that it has. */
static uint32_t pass_columns(const zlay_plan *plan, uint32_t n, uint32_t d_bytes, bool epilogue)
{
    if (zl_groups_turned(&plan->info)) return n % 32 || n < PASS_LEAST ? n : n / 2;
    if (zl_d_by_columns(plan)) return n;
    if (zl_by_tmem(plan) && zl_gemm_scaled(plan)) return zl_gemm_by_columns(plan) ? COLUMNS_TAKEN_BESIDE : COLUMNS_TAKEN;
    if (zl_gemm_by_columns(plan) || (epilogue && zl_by_tmem(plan) && !plan->quantises)) return 64;
    uint32_t most = d_bytes == 1 ? PASS_BYTES / 2 : PASS_BYTES / d_bytes;
    return n % most == 0 ? most : 64;
}

/* Of full and empty; with tensor memory also those of tmem_pipe.c, and its address. */
static uint32_t barrier_bytes(const zlay_plan *plan, uint32_t stages)
{
    const zlay_plan_summary *info = &plan->info;
    uint32_t addresses = zl_gemm_by_blocks(plan) ? 2 : zl_gemm_rings(plan);
    if (zl_gemm_by_sync(info->target)) return 0;
    if (zl_groups_taken(info)) return 8 * (2 * stages + ZL_GROUPS_BARRIERS);
    return 2 * 8 * stages + (zl_gemm_by_tmem(info->target) ? ZL_TMEM_BARRIERS * 8 + 4 * addresses : 0);
}

/* What lies between the stages and the barriers. */
static uint32_t middle_bytes(const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    uint32_t messages = zl_groups_taken(info) ? 2 * ZL_GROUPS_MESSAGE : 0;
    return info->consumers * info->pitch_d + zl_gemm_scales_smem(plan) + zl_split_smem(info) + messages;
}

static uint32_t smem_bytes(const zlay_plan *plan, uint32_t stages)
{
    const zlay_plan_summary *info = &plan->info;
    return stages * (info->stage_bytes + zl_gemm_blocks_bytes(plan)) + middle_bytes(plan) + barrier_bytes(plan, stages) + zl_split_bars(info) + ALIGN;
}

/* By mma.sync all stages but one are filled before a tile's first step. */
static uint32_t stages_most(const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    bool few = zl_by_sync(plan) && info->tiles_k + 1 < STAGES_MOST;
    if (zl_stream(info) || zl_groups_in_k(info)) return STAGES_STREAM;
    return few ? (uint32_t)info->tiles_k + 1 : zl_d_by_columns(plan) ? STAGES_FEW : STAGES_MOST;
}

/* As many as fit shared memory. */
static uint32_t stages_that_fit(const zlay_plan *plan)
{
    uint32_t stages = stages_most(plan), rings = zl_gemm_rings(plan);
    while (stages > STAGES_LEAST && smem_bytes(plan, stages) > (uint64_t)zlay_smem_capacity(plan->info.target)) stages -= rings;
    return stages;
}

/* Takes the stages that the request fixes, else as many as fit. */
static zlay_status stages_choose(zlay_ctx *ctx, zlay_plan *plan, uint32_t want)
{
    zlay_plan_summary *info = &plan->info;
    uint32_t rings = zl_gemm_rings(plan);
    uint64_t capacity = zlay_smem_capacity(info->target);
    uint32_t most = stages_most(plan), stages = want ? want : stages_that_fit(plan);
    if (want > most && zl_by_sync(plan) && most < STAGES_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "stages: %u; K has %llu steps, and a ring by mma.sync has at most one stage more",
                       want, (unsigned long long)info->tiles_k);
    if (want && (want < STAGES_LEAST || want > most))
        return zl_fail(ctx, ZLAY_EINVAL, "stages: %u is not in %d..%u", want, STAGES_LEAST, most);
    if (want % rings)
        return zl_fail(ctx, ZLAY_EINVAL, "stages: %u; products with scales have two rings of as many stages each: %u works", want, want + 1);
    info->stages = stages;
    info->smem = smem_bytes(plan, stages);
    zlay_verdict verdict;
    zlay_status status = zlay_smem_check(&verdict, NULL, 0, info->target, info->smem);
    if (status) return status;
    if (verdict.answer == ZLAY_YES) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_NONE, "SMEM_BLOCK: %u stages of %u bytes need %u bytes of shared memory; a block has %llu",
                   stages, info->stage_bytes, info->smem, (unsigned long long)capacity);
}

static void place(zlay_plan *plan)
{
    zlay_plan_summary *info = &plan->info;
    uint32_t row = info->stage_bytes / (info->tile_m + info->tile_n), tile_a = info->tile_m * row, tile_b = info->tile_n * row;
    info->smem_a = 0;
    info->pitch_a = tile_a;
    info->smem_b = info->stages * tile_a;
    info->pitch_b = tile_b;
    info->smem_d = info->stages * info->stage_bytes;
    info->smem_bar = info->smem_d + middle_bytes(plan) + info->stages * zl_gemm_blocks_bytes(plan);
}

/* Divides the tile among consumers, or among the warps of mma.sync. */
static void divide(zlay_plan *plan)
{
    zlay_plan_summary *info = &plan->info;
    bool sync = zl_by_sync(plan);
    plan->rows = sync ? info->tile_m : choice_of(plan)->rows;
    info->consumers = info->tile_m / plan->rows;
    info->threads = WARPGROUP * (1 + info->consumers) + (zl_by_tmem(plan) ? ZL_TMEM_THREADS : 0);
    if (sync) zl_sync_grid(&plan->warps, ZL_SYNC_WARPS, info->tile_m, info->tile_n);
}

/* Whether steps of 512 bytes of K were the fastest: of few rows whose product is planned transposed. Where blocks share steps or
 * stages, the request fixes the ring, or threads load, steps have 128 bytes; so they have where K has few. */
static bool is_deep(const zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n)
{
    const zlay_plan_summary *info = &plan->info;
    if (!zl_d_by_columns(plan) || gemm->tile_k || gemm->stages || info->cluster > 1) return false;
    for (int32_t o = 0; o < 2; o++)
        if (plan->operand[o].major != ZLAY_MAJOR_K || zl_row_alignment(plan, o) < GRANULE) return false;
    return m == 64 && n <= COLUMNS_DEEP && info->k >= (uint64_t)STAGES_DEEP * K_ROWS * zl_gemm_k_most(plan);
}

/* What follows of a plan from its tile, but for the ring. */
static void tile_lay(zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n)
{
    zlay_plan_summary *info = &plan->info;
    uint32_t k = gemm->tile_k ? gemm->tile_k : zl_gemm_k_most(plan);
    if (is_deep(plan, gemm, m, n)) k *= K_ROWS;
    info->tile_m = m;
    info->tile_n = n;
    info->tile_k = k;
    info->tiles_m = zl_groups_high(info, m, 0);
    info->tiles_n = zl_groups_wide(info, n);
    info->tiles_k = zl_ceil_div(info->k, k);
    info->split_steps = zl_ceil_div(info->tiles_k, info->splits);
    divide(plan);
    uint32_t d_bytes = plan->operand[ZLAY_OPERAND_D].element;
    info->pass_n = zl_by_sync(plan) ? n : pass_columns(plan, n, d_bytes, gemm->epilogue != NULL);
    info->passes = (uint32_t)zl_ceil_div(n, info->pass_n);
    info->pitch_d = plan->rows * info->pass_n * d_bytes;
    info->stage_bytes = (m + n) * (k / zl_pack(plan->operand[ZLAY_OPERAND_A].type) * plan->operand[ZLAY_OPERAND_A].element);
    if (!zl_by_sync(plan)) info->mma.n = n;
    info->k_steps = k / info->mma.k;
}

zl_tile_shape zl_tile_weigh(zlay_gemm_terms *out, const zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n)
{
    zlay_plan laid = *plan;
    zl_gemm_instruction(&laid); /* orientations are compared before it is made */
    tile_lay(&laid, gemm, m, n);
    return (zl_tile_shape){m, n, zl_tile_time(out, &laid, gemm, m, n, (uint64_t)stages_that_fit(&laid) * laid.info.stage_bytes)};
}

uint32_t zl_tile_shapes(const zlay_plan *plan, const zlay_gemm *gemm, zl_tile_shape *out)
{
    const tile_choice *on = choice_of(plan);
    zlay_gemm_terms terms;
    uint32_t count = 0, least = columns_least(plan), k = gemm->tile_k ? gemm->tile_k : zl_gemm_k_most(plan);
    for (uint32_t m = zl_groups_turned(&plan->info) ? ZL_GROUPS_ROWS : ROWS_MOST; m; m -= on->rows)
        for (uint32_t n = COLUMNS_MOST; n >= least; n -= on->columns_step)
            if (is_allowed(plan, gemm, m, n, k)) out[count++] = zl_tile_weigh(&terms, plan, gemm, m, n);
    return count;
}

zl_tile_shape zl_tile_cheapest(const zlay_plan *plan, const zlay_gemm *gemm)
{
    zl_tile_shape shapes[ZL_TILE_SHAPES], best = {0, 0, UINT64_MAX};
    uint32_t count = zl_tile_shapes(plan, gemm, shapes);
    for (uint32_t i = 0; i < count; i++)
        if (shapes[i].time < best.time) best = shapes[i];
    return best;
}

zlay_status zl_gemm_tile(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_plan_summary *info = &plan->info;
    zl_gemm_instruction(plan);
    zlay_status status = tile_check(ctx, plan, gemm->tile_m, gemm->tile_n, gemm->tile_k ? gemm->tile_k : zl_gemm_k_most(plan));
    if (status) return status;
    if (plan->shape.time == UINT64_MAX)
        return info->splits > 1 ? zl_fail(ctx, ZLAY_ENOTSUP, "split_k: %u; no tile fits shared memory, or "
                                                             "there are more than 2^31 - 1 blocks", info->splits)
                                : zl_fail(ctx, ZLAY_ENOTSUP, "more than 2^31 - 1 tiles of D");
    tile_lay(plan, gemm, plan->shape.m, plan->shape.n);
    status = zl_gemm_instruction_check(ctx, plan);
    if (!status) status = stages_choose(ctx, plan, gemm->stages);
    if (!status) place(plan);
    return status;
}
