/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a GEMM for targets whose matrix instructions read registers (MFMA): the instruction and
 * the tile of a block and of a wave, the path of the loads, the registers of a lane by number, and
 * shared memory. Where the request leaves the tile open, the default leaves room for two blocks in
 * shared memory. */
#include "target/target.h"
#include "base/arith.h"
#include "synth/gemm/groups.h"

#include <string.h>
#include <zlay/buffer.h>
#include <zlay/block.h>

enum {
    CHUNK = 16,  /* bytes of a load, and of a read */
    ROW_DEFAULT = 128, /* bytes of a row of a stage */
    ROW_LEAST = 64,
    STAGES_DEFAULT = 2,
    STAGES_MOST = 4,
    BLOCKS_BESIDE = 2, /* that a default tile leaves room for */
    REGISTERS_BY = 8,
    VECTORS_MOST = 256,  /* registers beside accumulators */
    STAGE_MOST = 1 << 16 /* bytes: 16 bits of offset */
};

#define SPAN_MOST                                                                                  \
    ((uint64_t)1 << 31) /* offsets of a tile's elements, bytes: half of 32 bits is outside */

/* ---- the tile --------------------------------------------------------------------------- */

static bool tile_side(uint32_t side) { return side == 64 || side == 128 || side == 256; }

/* A and B have elements of one size. */
static uint32_t element_of(const zlay_plan *plan) { return plan->operand[0].element; }

/* The fewest rows with which each wave has results. */
static uint32_t rows_least(const zlay_plan *plan)
{
    return plan->wave.shape.waves_m * plan->info.mma.n;
}

static zlay_status tile_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    uint32_t element = element_of(plan);
    if (!tile_side(info->tile_m))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_m: %u is none of 64, 128, 256", info->tile_m);
    if (info->tile_m < rows_least(plan))
        return zl_fail(ctx, ZLAY_EINVAL,
                       "tile_m: %u; a body that reduces rows needs %u, %u of each wave", info->tile_m,
                       rows_least(plan), info->mma.n);
    if (!tile_side(info->tile_n))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u is none of 64, 128, 256", info->tile_n);
    uint32_t least = ROW_LEAST / element;
    if (info->tile_k != least && info->tile_k != 2 * least && info->tile_k != 4 * least)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u is none of %u, %u, %u", info->tile_k, least,
                       2 * least, 4 * least);
    return ZLAY_OK;
}

static uint32_t stage_bytes(const zlay_plan_summary *info, uint32_t element)
{
    return (info->tile_m + info->tile_n) * info->tile_k * element;
}

/* Columns of a tile, which the body of a D with scales has blocks of. */
static zlay_status columns_plan(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    plan->info.tile_n = gemm->tile_n ? gemm->tile_n : plan->info.n > 64 || plan->quantises ? 128 : 64;
    return zl_gemm_scales_tile(ctx, plan, plan->info.tile_m, plan->info.tile_n);
}

/* The default rows and the greatest K step with which two blocks fit into shared memory. */
static void tile_default(zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_plan_summary *info = &plan->info;
    uint32_t element = element_of(plan);
    uint64_t rows = info->groups ? zl_ceil_div(zl_groups_rows(info), info->groups) : info->m;
    bool small = rows <= 64 && rows_least(plan) <= 64;
    uint64_t capacity = zlay_smem_capacity(info->target);
    info->tile_m = gemm->tile_m ? gemm->tile_m : small ? 64 : 128;
    info->tile_k = gemm->tile_k ? gemm->tile_k : ROW_DEFAULT / element;
    info->stages = gemm->stages ? gemm->stages : STAGES_DEFAULT;
    while (!gemm->tile_k && !zl_gemm_scaled(plan) && info->tile_k * element > ROW_LEAST &&
           (uint64_t)BLOCKS_BESIDE * info->stages * stage_bytes(info, element) > capacity)
        info->tile_k /= 2;
}

static zlay_status tiles_count(zlay_ctx *ctx, zlay_plan_summary *info)
{
    info->tiles_m = zl_groups_high(info, info->tile_m, 0);
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
    info->stage_bytes = stage_bytes(info, element_of(plan));
    info->pitch_a = info->pitch_b = info->stage_bytes;
    info->smem_b = info->tile_m * info->tile_k * element_of(plan);
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
    zlay_status status = aligned(ctx, "k", plan->info.k, CHUNK / o->element);
    if (!status) status = aligned(ctx, pitch, o->pitch, CHUNK / o->element);
    return status ? status : aligned(ctx, address, plan->address[operand], CHUNK);
}

static zlay_status span_check(zlay_ctx *ctx, const char *field, uint64_t rows, const zl_operand *o)
{
    uint64_t pitch = o->pitch;
    if (zl_umul_sat(zl_umul_sat(rows, pitch), o->element) < SPAN_MOST) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "%s: %llu rows of %llu elements pass the 2^31 bytes of a "
                   "tile's offsets",
                   field, (unsigned long long)rows, (unsigned long long)pitch);
}

/* Sets the bytes of a store: the greatest power of two, at most a run of columns, that divides
 * rows, pitch and address of D. */
static zlay_status store_width(zlay_ctx *ctx, zlay_plan *plan)
{
    const zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    uint64_t bytes = (d->inner | d->pitch) * d->element | plan->address[ZLAY_OPERAND_D];
    bytes |= ZL_ROOM_RUN * d->element;
    plan->wave.shape.store_bytes = (uint32_t)(bytes & (~bytes + 1));
    return span_check(ctx, "ldd", plan->info.tile_m, d);
}

/* Checks that an offset of 2^31 is outside of the longest buffer resource that a tile may have:
 * then loads there return 0, and stores are dropped. */
static zlay_status outside_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_buffer resource;
    zlay_buffer_access access = {.offset = (uint32_t)SPAN_MOST, .bytes = CHUNK};
    zlay_buffer_reach reach = {0};
    zlay_status status = zlay_buffer_raw(&resource, plan->info.target);
    resource.records = SPAN_MOST - 1;
    if (!status) status = zlay_buffer_reaches(&reach, plan->info.target, &resource, &access);
    if (!status && reach.answer == ZLAY_NO) return ZLAY_OK;
    return zl_fail(ctx, status ? status : ZLAY_ENOTSUP,
                   "target: no rule says that loads past a buffer bring 0");
}

static zlay_status loads_plan(zlay_ctx *ctx, zlay_plan *plan)
{
    const zlay_plan_summary *info = &plan->info;
    zlay_wave_gemm *w = &plan->wave.shape;
    w->row_bytes = info->tile_k * element_of(plan);
    w->direct = may_be_direct(info);
    w->ahead = w->direct ? info->stages - 1 : 2;
    zlay_status status = stages_check(ctx, plan);
    if (!status) status = outside_check(ctx, plan);
    if (!status) status = operand_check(ctx, plan, ZLAY_OPERAND_A, "lda", "a_address");
    if (!status) status = operand_check(ctx, plan, ZLAY_OPERAND_B, "ldb", "b_address");
    if (!status) status = span_check(ctx, "lda", info->tile_m, &plan->operand[0]);
    if (!status) status = span_check(ctx, "ldb", info->tile_n, &plan->operand[1]);
    return status ? status : store_width(ctx, plan);
}

/* ---- registers --------------------------------------------------------------------------- */

static void sums_plan(zlay_plan *plan)
{
    zlay_plan_summary *info = &plan->info;
    zlay_wave_gemm *w = &plan->wave.shape;
    w->accumulators = w->blocks_m * w->blocks_n * info->mma.m * info->mma.n / w->lanes;
    w->stores = w->accumulators * plan->operand[ZLAY_OPERAND_D].element / w->store_bytes;
    info->k_steps = info->tile_k / info->mma.k;
}

/* The next `count` registers at an aligned number. */
static uint32_t take(uint32_t *next, uint32_t count, uint32_t aligned_to)
{
    uint32_t at = (*next + aligned_to - 1) / aligned_to * aligned_to;
    *next = at + count;
    return at;
}

/* Numbers the registers of a lane.  The first four are scratch registers of every step; bodies in the loop have more. */
static void registers_plan(zlay_plan *plan)
{
    zlay_wave_gemm *w = &plan->wave.shape;
    zl_wave_registers *r = &plan->wave.registers;
    uint32_t next = zl_gemm_scaled(plan) ? ZL_WAVE_BODY_OWN : 4, words = CHUNK / 4;
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
    w->registers = take(&next, 0, REGISTERS_BY);
    r->count = next;
    w->scalars = ZL_WAVE_SCALARS;
}

/* Registers and accumulators share one register file, of which either is at most half. The epilogue
 * needs none of the loop's registers but the thread's number. */
static zlay_status registers_check(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_target_summary limits;
    zlay_wave_gemm *w = &plan->wave.shape;
    uint32_t body = zl_wave_body_first(plan) + plan->wave.body_registers, next = body;
    body = take(&next, 0, REGISTERS_BY);
    if (body > VECTORS_MOST)
        return zl_fail(ctx, ZLAY_NONE, "epilogue: body %.64s takes %u registers, a lane has %d",
                       zl_wave_body(plan)->name, body, VECTORS_MOST);
    if (body > w->registers) w->registers = body;
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
    zl_wave_product(&info->mma, info->target, plan->operand[ZLAY_OPERAND_A].type,
                    plan->operand[ZLAY_OPERAND_B].type);
    plan->wave.shape.lanes = limits.lanes;
    status = columns_plan(ctx, plan, gemm);
    if (!status) status = zl_wave_body_read(ctx, plan, gemm);
    if (status) return status;
    info->threads = limits.lanes * plan->wave.shape.waves_m * plan->wave.shape.waves_n;
    tile_default(plan, gemm);
    status = tile_check(ctx, plan);
    if (!status) status = zl_gemm_scales_tile(ctx, plan, info->tile_m, info->tile_n);
    if (!status) status = tiles_count(ctx, info);
    if (!status) status = smem_place(ctx, plan);
    if (!status) status = loads_plan(ctx, plan);
    if (!status) status = zl_wave_gemm_lay(ctx, plan);
    if (status) return status;
    sums_plan(plan);
    registers_plan(plan);
    status = zl_wave_body_plan(ctx, plan);
    if (!status) status = zl_wave_scales_plan(ctx, plan);
    if (!status) status = registers_check(ctx, plan);
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
    zl_wave_argument argument;
    *out = (zlay_wave_launch){.grid = {info->tiles_n, info->tiles_m, 1},
                              .threads = info->threads,
                              .smem = info->smem,
                              .align_ab = CHUNK,
                              .align_d = plan->wave.shape.store_bytes};
    while (!zl_wave_argument_nth(&argument, plan, out->arguments)) {
        out->argument_bytes = argument.at + argument.bytes;
        out->arguments++;
    }
    return ZLAY_OK;
}
