/* SPDX-License-Identifier: Apache-2.0 */
/* Plans a product with weights of 4 bits for targets whose matrix instructions read registers, and writes its pipe. The packed
 * weights are those of other targets. Lane 16 c + i of wave w takes 16 bytes of each half of a tile, of which the lower four bits
 * of bytes are row i / 8 * 16 + i % 8 of the wave's 32 and the upper ones the row 8 behind it: as mfma 16x16x16 has them, but that
 * k are in another order, in which rows of A are loaded, too. Nothing lies in shared memory. The loads of the next step's weights
 * run beside the products. */
#include "base/arith.h"
#include "pipe/order/verify.h"
#include "synth/weights/weights.h"

#include <string.h>

enum { WAVES = 2, LANES = 64, SIDE = 16, K = 16, BLOCKS_MOST = 4, ELEMENT = 2 /* bytes */, ALIGN = 4 /* registers */ };
static const uint64_t bytes_most = (uint64_t)1 << 31;

const char *const zl_weights_sets[ZL_WW_SETS] = {"T", "G", "Z", "X", "S", "W", "C", "R"};

static bool exists(const zlay_target *target, zlay_mma *mma)
{
    zlay_verdict verdict;
    *mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = SIDE, .n = SIDE, .k = K, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16,
                      .d = ZLAY_TYPE_F32, .blocks = 1};
    return !zlay_mma_check(&verdict, NULL, 0, target, mma) && verdict.answer == ZLAY_YES;
}

bool zl_weights_by_waves(const zlay_target *target)
{
    zlay_mma mma;
    return exists(target, &mma);
}

/* ---- the request --------------------------------------------------------------------------- */

/* Offsets of lanes have 32 bits, of which the uppermost marks what lies outside. */
static zlay_status bytes_check(zlay_ctx *ctx, const zlay_weights_plan *p, const char *field, uint64_t rows, uint64_t row)
{
    uint64_t bytes;
    if (zl_umul(rows, row, &bytes) && bytes <= bytes_most) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s: %llu rows of %llu bytes pass the 2^31 that a kernel of %s addresses", field,
                   (unsigned long long)rows, (unsigned long long)row, zlay_target_name(p->target));
}

static zlay_status sizes_check(zlay_ctx *ctx, const zlay_weights_plan *p)
{
    uint64_t rows = zl_round_up(p->ask.m, p->info.tile_m);
    zlay_status status = bytes_check(ctx, p, "lda", rows, p->ask.lda * ELEMENT);
    if (!status) status = bytes_check(ctx, p, "ldd", rows, p->ask.ldd * ELEMENT);
    if (!status) status = bytes_check(ctx, p, "lds", p->info.steps, p->ask.lds * ELEMENT);
    return status ? status : bytes_check(ctx, p, "k", p->info.steps, zl_weights_bytes(p->ask.weights));
}

static zlay_status supported(zlay_ctx *ctx, const zlay_weights_plan *p)
{
    const zlay_weights *a = &p->ask;
    bool four = a->weights == ZLAY_TYPE_U4 || a->weights == ZLAY_TYPE_S4;
    if (!four) return zl_weights_refuse(ctx, p, "weights", zlay_type_name(a->weights), a->weights == ZLAY_TYPE_S8 ? "s4" : "u4");
    if (a->type != ZLAY_TYPE_BF16) return zl_weights_refuse(ctx, p, "type", zlay_type_name(a->type), "bf16");
    if (a->warpgroups > 1) return zl_weights_refuse(ctx, p, "warpgroups", "above 1", "1");
    if (a->cluster > 1) return zl_weights_refuse(ctx, p, "cluster", "2", "1");
    return ZLAY_OK;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void tile_choose(zlay_weights_plan *p)
{
    uint64_t blocks = zl_weights_tiles(p->ask.m, SIDE);
    p->wave.blocks = blocks < BLOCKS_MOST ? (uint32_t)blocks : BLOCKS_MOST;
    p->info = (zlay_weights_summary){.tile_m = p->wave.blocks * SIDE,
                                     .tile_n = ZL_WEIGHTS_N,
                                     .tile_k = ZL_WEIGHTS_K,
                                     .stages = 1,
                                     .warpgroups = 1,
                                     .threads = WAVES * LANES,
                                     .steps = zl_weights_tiles(p->ask.k, ZL_WEIGHTS_K),
                                     .cluster = 1};
    p->info.grid[0] = zl_weights_tiles(p->ask.n, ZL_WEIGHTS_N);
    p->info.grid[1] = zl_weights_tiles(p->ask.m, p->info.tile_m);
    p->info.grid[2] = 1;
}

/* Registers of a lane, behind those that every kernel has: of each set, in an order in which none needs padding. */
static void registers_choose(zlay_weights_plan *p)
{
    zl_weights_wave *w = &p->wave;
    const uint32_t count[ZL_WW_SETS] = {
        [ZL_WW_SUMS] = 8 * w->blocks,     [ZL_WW_LOADED] = 8,   [ZL_WW_ZEROS] = 4, [ZL_WW_VECTORS] = 16 * w->blocks,
        [ZL_WW_SCALES] = 12,              [ZL_WW_WEIGHTS] = 32, [ZL_WW_GROUP] = 8 * w->blocks,
        [ZL_WW_RESULT] = 2,
    };
    w->registers = ZL_WW_FIRST;
    for (uint32_t i = 0; i < ZL_WW_SETS; i++) {
        w->set[i] = w->registers;
        w->registers += count[i];
    }
    w->registers = (uint32_t)zl_round_up(w->registers, ALIGN);
}

static void sets_bind(zlay_weights_plan *p)
{
    for (int32_t i = 0; i < ZL_WW_SETS; i++) {
        p->wave.acc[i] = -1;
        for (uint32_t a = 0; a < p->pipe->accs_count; a++)
            if (!strcmp(p->pipe->accs[a].name, zl_weights_sets[i])) p->wave.acc[i] = (int32_t)a;
    }
}

/* ---- the pipe ---------------------------------------------------------------------------------- */

static void put_load(zl_text *out, const zlay_weights_plan *p, uint32_t set, uint32_t lane_bytes, uint32_t times)
{
    zl_putf(out, "  load %u -> %s times %u\n", p->info.threads * lane_bytes * times, zl_weights_sets[set], times);
}

static void put_weights(zl_text *out, const zlay_weights_plan *p)
{
    put_load(out, p, ZL_WW_LOADED, 16, 2);
    if (p->ask.zeros) put_load(out, p, ZL_WW_ZEROS, 2, 2);
}

static void put_vectors(zl_text *out, const zlay_weights_plan *p)
{
    put_load(out, p, ZL_WW_VECTORS, 4, 16 * p->wave.blocks);
    put_load(out, p, ZL_WW_SCALES, 8, 2);
}

/* A step; `more`: the loads of the next, each where the registers of this one are free. */
static void put_step(zl_text *out, const zlay_weights_plan *p, bool more)
{
    zl_putf(out, "  waitcount memory 0\n  use W, G%s\n", p->ask.zeros ? ", Z" : "");
    if (more) put_weights(out, p);
    zl_puts(out, "  mma W, X -> C fresh\n  use C, T, S\n");
    if (more) put_vectors(out, p);
}

/* Uses, by their first registers: T becomes 0, W the numbers of G, T the greater by C times the scales S, R the rounded T. */
static void pipe_put(zl_text *out, const void *plan)
{
    const zlay_weights_plan *p = plan;
    zl_putf(out, "pipe weights\nparam N 1..\nglobal D[1]\nrole waves warps 0..%d\n  use T\n", WAVES - 1);
    put_weights(out, p);
    put_vectors(out, p);
    zl_puts(out, "  for i in 0..N-1\n");
    put_step(out, p, true);
    zl_puts(out, "  end\n");
    put_step(out, p, false);
    zl_putf(out, "  use R, T\n  send R -> D[0] times %u\nend\n", 2 * p->wave.blocks);
}

zlay_status zl_weights_wave_make(zlay_ctx *ctx, zlay_weights_plan *p)
{
    zlay_status status = supported(ctx, p);
    if (status) return status;
    exists(p->target, &p->wave.mma);
    tile_choose(p);
    status = sizes_check(ctx, p);
    if (!status && zl_weights_packed(&p->info.packed, p->ask.weights, p->ask.n, p->ask.k))
        status = zl_fail(ctx, ZLAY_EOVERFLOW, "n, k: packed weights pass 2^62 bytes");
    if (!status) status = zl_pipe_proved(ctx, &p->pipe, pipe_put, p);
    if (status) return status;
    p->wave.waves = WAVES;
    registers_choose(p);
    sets_bind(p);
    return ZLAY_OK;
}
