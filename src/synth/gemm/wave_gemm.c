/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a GEMM for targets whose matrix instructions read registers (MFMA): the instruction and
 * the tile of a block and of a wave, the path of the loads, the registers of a lane by number, and
 * shared memory. Where the request leaves the tile open, the default leaves room for two blocks in
 * shared memory. */
#include "target/target.h"
#include "base/arith.h"
#include "synth/gemm/plan.h"

#include <string.h>
#include <zlay/buffer.h>
#include <zlay/block.h>

enum {
    ELEMENT = 2, /* bytes of bf16 */
    CHUNK = 16,  /* bytes of a load, and of a read */
    WAVES = 2,   /* of a block, along M and along N */
    STEP = CHUNK / ELEMENT,
    STAGES_DEFAULT = 2,
    STAGES_MOST = 4,
    BLOCKS_BESIDE = 2, /* that a default tile leaves room for */
    SCALARS = 48,
    STAGE_MOST = 1 << 16 /* bytes: 16 bits of offset */
};

#define SPAN_MOST                                                                                  \
    ((uint64_t)1 << 31) /* offsets of a tile's elements, bytes: half of 32 bits is outside */

/* ---- the instruction ------------------------------------------------------------------ */

/* The shapes of the instruction; the first that the target has is used. */
static const uint32_t instructions[][3] = {{32, 32, 16}, {32, 32, 8}};

static bool instruction_find(zlay_mma *out, const zlay_target *target)
{
    for (size_t i = 0; i < ZL_COUNT(instructions); i++) {
        zlay_verdict verdict;
        *out = (zlay_mma){.instruction = ZLAY_MMA_MFMA,
                          .m = instructions[i][0],
                          .n = instructions[i][1],
                          .k = instructions[i][2],
                          .a = ZLAY_TYPE_BF16,
                          .b = ZLAY_TYPE_BF16,
                          .d = ZLAY_TYPE_F32,
                          .blocks = 1};
        if (!zlay_mma_check(&verdict, NULL, 0, target, out) && verdict.answer == ZLAY_YES)
            return true;
    }
    return false;
}

bool zl_wave_target(const zlay_target *target)
{
    zlay_mma mma;
    return instruction_find(&mma, target);
}

/* ---- the tile --------------------------------------------------------------------------- */

static bool tile_side(uint32_t side) { return side == 64 || side == 128 || side == 256; }

static zlay_status tile_check(zlay_ctx *ctx, const zlay_plan_summary *info)
{
    if (!tile_side(info->tile_m))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_m: %u is none of 64, 128, 256", info->tile_m);
    if (!tile_side(info->tile_n))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is none of 64, 128, 256", info->tile_n);
    if (info->tile_k != 32 && info->tile_k != 64 && info->tile_k != 128)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u is none of 32, 64, 128", info->tile_k);
    return ZLAY_OK;
}

static uint32_t stage_bytes(const zlay_plan_summary *info)
{
    return (info->tile_m + info->tile_n) * info->tile_k * ELEMENT;
}

/* The default tile: the greatest K step with which two blocks fit into shared memory. */
static void tile_default(zlay_plan_summary *info, const zlay_gemm *gemm)
{
    uint64_t capacity = zlay_smem_capacity(info->target);
    info->tile_m = gemm->tile_m ? gemm->tile_m : info->m > 64 ? 128 : 64;
    info->tile_n = gemm->tile_n ? gemm->tile_n : info->n > 64 ? 128 : 64;
    info->tile_k = gemm->tile_k ? gemm->tile_k : 64;
    info->stages = gemm->stages ? gemm->stages : STAGES_DEFAULT;
    while (!gemm->tile_k && info->tile_k > 32 &&
           (uint64_t)BLOCKS_BESIDE * info->stages * stage_bytes(info) > capacity)
        info->tile_k /= 2;
}

static zlay_status tiles_count(zlay_ctx *ctx, zlay_plan_summary *info)
{
    info->tiles_m = zl_ceil_div(info->m, info->tile_m);
    info->tiles_n = zl_ceil_div(info->n, info->tile_n);
    info->tiles_k = zl_ceil_div(info->k, info->tile_k);
    if (zl_umul_sat(info->tiles_n, info->threads) > UINT32_MAX)
        return zl_fail(ctx, ZLAY_ENOTSUP, "n: %llu tiles of %u threads pass 2^32",
                       (unsigned long long)info->tiles_n, info->threads);
    return ZLAY_OK;
}

static zlay_status smem_place(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_plan_summary *info = &plan->info;
    zlay_verdict verdict;
    info->stage_bytes = stage_bytes(info);
    info->pitch_a = info->pitch_b = info->stage_bytes;
    info->smem_b = info->tile_m * info->tile_k * ELEMENT;
    info->smem = info->stages * info->stage_bytes;
    zlay_status status = zlay_smem_check(&verdict, NULL, 0, info->target, info->smem);
    if (!status && verdict.answer == ZLAY_NO)
        return zl_fail(ctx, ZLAY_NONE, "SMEM_BLOCK: %u stages of %u bytes; a block has %llu",
                       info->stages, info->stage_bytes,
                       (unsigned long long)zlay_smem_capacity(info->target));
    if (status || info->stage_bytes <= STAGE_MOST) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "tile: a stage of %u bytes is more than the offsets of its writes reach, %d",
                   info->stage_bytes, STAGE_MOST);
}

/* ---- loads ------------------------------------------------------------------------------- */

/* Whether loads may write straight to shared memory.  Their address there has 16 bits, in M0. */
static bool may_be_direct(const zlay_plan_summary *info)
{
    return zlay_target_direct(info->target) & 1u << CHUNK && info->smem <= 1u << 16;
}

static zlay_status stages_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    uint32_t most = plan->wave.shape.direct ? STAGES_MOST : STAGES_DEFAULT;
    if (plan->info.stages >= STAGES_DEFAULT && plan->info.stages <= most) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "stages: %u is not in %d..%u", plan->info.stages,
                   STAGES_DEFAULT, most);
}

static zlay_status aligned(zlay_ctx *ctx, const char *field, uint64_t value, uint64_t to)
{
    if (value % to == 0) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "%s: %llu is no multiple of %llu, and loads bring 16 bytes at once", field,
                   (unsigned long long)value, (unsigned long long)to);
}

static zlay_status operand_check(zlay_ctx *ctx, const zlay_plan *plan, int32_t operand,
                                 const char *pitch, const char *address)
{
    const zl_operand *o = &plan->operand[operand];
    if (o->major != ZLAY_MAJOR_K)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "%c: K is not contiguous; waves read K-contiguous operands here",
                       "AB"[operand]);
    zlay_status status = aligned(ctx, "k", plan->info.k, STEP);
    if (!status) status = aligned(ctx, pitch, o->pitch, STEP);
    return status ? status : aligned(ctx, address, plan->address[operand], CHUNK);
}

static zlay_status span_check(zlay_ctx *ctx, const char *field, uint64_t rows, uint64_t pitch)
{
    if (zl_umul_sat(zl_umul_sat(rows, pitch), ELEMENT) < SPAN_MOST) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "%s: %llu rows of %llu elements pass the 2^31 bytes of a "
                   "tile's offsets",
                   field, (unsigned long long)rows, (unsigned long long)pitch);
}

/* Sets the bytes of a store: the greatest power of two, at most 8, that divides rows, pitch and
 * address of D. */
static zlay_status store_width(zlay_ctx *ctx, zlay_plan *plan)
{
    const zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    uint64_t bytes = (d->inner | d->pitch) * ELEMENT | plan->address[ZLAY_OPERAND_D] | 8;
    plan->wave.shape.store_bytes = (uint32_t)(bytes & (~bytes + 1));
    return span_check(ctx, "ldd", plan->info.tile_m, d->pitch);
}

/* Checks that an offset of 2^31 is outside of the longest buffer resource that a tile may have:
 * then loads there return 0, and stores are dropped. */
static zlay_status outside_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_buffer resource = {.records = SPAN_MOST - 1, .data_format = 4};
    zlay_buffer_access access = {.offset = (uint32_t)SPAN_MOST, .bytes = CHUNK};
    zlay_buffer_reach reach = {0};
    zlay_status status = zlay_buffer_reaches(&reach, plan->info.target, &resource, &access);
    if (!status && reach.answer == ZLAY_NO) return ZLAY_OK;
    return zl_fail(ctx, status ? status : ZLAY_ENOTSUP,
                   "target: no rule says that loads past a buffer bring 0");
}

static zlay_status loads_plan(zlay_ctx *ctx, zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    zlay_wave_gemm *w = &plan->wave.shape;
    w->row_bytes = info->tile_k * ELEMENT;
    w->direct = may_be_direct(info);
    w->ahead = w->direct ? info->stages - 1 : 2;
    zlay_status status = stages_check(ctx, plan);
    if (!status) status = outside_check(ctx, plan);
    if (!status) status = operand_check(ctx, plan, ZLAY_OPERAND_A, "lda", "a_address");
    if (!status) status = operand_check(ctx, plan, ZLAY_OPERAND_B, "ldb", "b_address");
    if (!status) status = span_check(ctx, "lda", info->tile_m, plan->operand[0].pitch);
    if (!status) status = span_check(ctx, "ldb", info->tile_n, plan->operand[1].pitch);
    return status ? status : store_width(ctx, plan);
}

/* ---- registers --------------------------------------------------------------------------- */

static void sums_plan(zlay_plan *plan)
{
    zlay_plan_summary *info = &plan->info;
    zlay_wave_gemm *w = &plan->wave.shape;
    w->accumulators = w->blocks_m * w->blocks_n * info->mma.m * info->mma.n / w->lanes;
    w->stores = w->accumulators * ELEMENT / w->store_bytes;
    info->k_steps = info->tile_k / info->mma.k;
}

/* The next `count` registers at an aligned number. */
static uint32_t take(uint32_t *next, uint32_t count, uint32_t aligned_to)
{
    uint32_t at = (*next + aligned_to - 1) / aligned_to * aligned_to;
    *next = at + count;
    return at;
}

/* Numbers the registers of a lane.  The first four are scratch registers of every step. */
static void registers_plan(zlay_plan *plan)
{
    zlay_wave_gemm *w = &plan->wave.shape;
    zl_wave_registers *r = &plan->wave.registers;
    uint32_t next = 4, words = CHUNK / 4;
    r->write = take(&next, 2, 1);
    r->offset = take(&next, zl_wave_loads(w), 1);
    r->key = take(&next, 1, 1);
    r->nowhere = take(&next, 1, 1);
    for (int32_t operand = 0; operand < 2; operand++) {
        r->read[operand] = take(&next, w->reads, 1);
        r->at[operand] = take(&next, w->reads, 1);
    }
    r->fragment = take(&next, 2 * (w->blocks_m + w->blocks_n) * words, words);
    r->loaded = take(&next, w->direct ? 0 : zl_wave_loads(w) * words, words);
    w->registers = take(&next, 0, 8);
    w->scalars = SCALARS;
}

/* Registers and accumulators share one register file. */
static zlay_status registers_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_target_summary limits;
    const zlay_wave_gemm *w = &plan->wave.shape;
    zlay_status status = zlay_target_info(&limits, plan->info.target);
    if (status || w->registers + w->accumulators <= limits.registers) return status;
    return zl_fail(ctx, ZLAY_NONE, "a lane has %u registers, the tile takes %u and %u sums",
                   limits.registers, w->registers, w->accumulators);
}

zlay_status zl_wave_gemm_plan(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_plan_summary *info = &plan->info;
    zlay_target_summary limits;
    zlay_status status = zlay_target_info(&limits, info->target);
    if (status) return status;
    instruction_find(&info->mma, info->target);
    plan->wave.shape.lanes = limits.lanes;
    plan->wave.shape.waves_m = plan->wave.shape.waves_n = WAVES;
    info->threads = limits.lanes * WAVES * WAVES;
    tile_default(info, gemm);
    status = tile_check(ctx, info);
    if (!status) status = tiles_count(ctx, info);
    if (!status) status = smem_place(ctx, plan);
    if (!status) status = loads_plan(ctx, plan);
    if (!status) status = zl_wave_gemm_lay(ctx, plan);
    if (status) return status;
    sums_plan(plan);
    registers_plan(plan);
    status = registers_check(ctx, plan);
    if (!status) status = zl_wave_certify(ctx, plan);
    return status ? status : zl_wave_gemm_pipe(ctx, plan);
}

zlay_status zlay_plan_wave(zlay_wave_gemm *out, const zlay_plan *plan)
{
    if (!out || !plan) return ZLAY_EINVAL;
    if (!zl_by_waves(plan)) return ZLAY_NONE;
    *out = plan->wave.shape;
    return ZLAY_OK;
}

zlay_status zlay_plan_launch(zlay_wave_launch *out, const zlay_plan *plan)
{
    if (!out || !plan) return ZLAY_EINVAL;
    if (!zl_by_waves(plan)) return ZLAY_NONE;
    const zlay_plan_summary *info = &plan->info;
    *out = (zlay_wave_launch){.grid = {info->tiles_n, info->tiles_m, 1},
                              .threads = info->threads,
                              .smem = info->smem,
                              .arguments = 3,
                              .argument_bytes = 3 * 8,
                              .align_ab = CHUNK,
                              .align_d = plan->wave.shape.store_bytes};
    return ZLAY_OK;
}
