/* SPDX-License-Identifier: Apache-2.0 */
/* Two products in a chain, E = G C with G = A B or act(A B1) * (A B2), by two kernels or by one. One kernel keeps a tile of E in its sums,
 * computes its rows of G some columns at a time, and multiplies these by C from shared memory; blocks of other columns of E compute the
 * same rows again. Two kernels leave G in global memory, or what L2 holds of it. */
#include "base/request.h"
#include "synth/io/io.h"
#include "target/target.h"

#include <zlay/machine.h>
#include <zlay/type.h>

enum { A, B, C, G, E, TENSORS, K_BYTES = 128, ALIGN = 1024, STAGES = 2, SLICES = 16, EXTENT_BITS = 31, STAGES_MOST = 64,
       COLUMNS_STEP = 64, WAYS_MOST = 4096, CROSSOVER = 14 };

/* One tile and, of two kernels, one band; `held`: the rows of A stay in shared memory. */
typedef struct pick {
    uint32_t m, h, n, band, held;
} pick;

typedef struct chain {
    zlay_io_chain ask;
    zl_io_tiles legal;
    uint32_t bits, tile_k, products; /* 2 where there are two products */
    pick *pick;
    uint64_t picks;
} chain;

/* ---- the request ---------------------------------------------------------------------------------- */

static zlay_status request_read(zlay_ctx *ctx, chain *c, const zlay_io_chain *request)
{
    static const zl_request_form form = {"zlay_io_chain", sizeof(zlay_io_chain), offsetof(zlay_io_chain, reserved),
                                         {ZL_RESERVED(zlay_io_chain, reserved), ZL_RESERVED(zlay_io_chain, reserved0)}};
    zlay_io_chain *ask = &c->ask;
    zlay_status status = zl_request_read(ctx, ask, request, &form);
    if (status) return status;
    const uint64_t extent[] = {ask->m, ask->k, ask->h, ask->n};
    for (int i = 0; i < 4; i++)
        if (!extent[i] || extent[i] >> EXTENT_BITS)
            return zl_fail(ctx, ZLAY_EINVAL, "%c: %llu is not in 1..2^%d - 1", "mkhn"[i], (unsigned long long)extent[i], EXTENT_BITS);
    if (ask->gated > 1 || ask->front > 1 || ask->crossover > 1 || ask->fused > ZLAY_IO_FUSED)
        return zl_fail(ctx, ZLAY_EINVAL, "gated, front and crossover are 0 or 1, fused one of ZLAY_IO_*");
    if (ask->stages > STAGES_MOST) return zl_fail(ctx, ZLAY_EINVAL, "stages: %u, of %d at most", ask->stages, STAGES_MOST);
    if (!ask->stages) ask->stages = STAGES;
    if (!ask->type) ask->type = ZLAY_TYPE_BF16;
    c->bits = zlay_type_bits(ask->type);
    if (c->bits != 8 && c->bits != 16 && c->bits != 32) return zl_fail(ctx, ZLAY_EINVAL, "type: elements of 8, 16 or 32 bits");
    c->tile_k = K_BYTES * 8 / c->bits;
    c->products = ask->gated + 1;
    return ZLAY_OK;
}

/* ---- what is legal -------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Of two kernels that of the one that needs more. */
static uint64_t smem_of(const chain *c, const pick *p, bool fused)
{
    uint64_t element = c->bits / 8, first = (uint64_t)c->products * p->h * K_BYTES, second = (uint64_t)p->n * K_BYTES, a = (uint64_t)p->m * K_BYTES;
    uint64_t stages = c->ask.stages, g = (uint64_t)p->m * p->h * element, e = (uint64_t)p->m * p->n * element;
    if (!fused) return ALIGN + larger(stages * (a + first) + g, stages * (a + second) + e);
    uint64_t rows = p->held ? zl_ceil_div(c->ask.k, c->tile_k) * a : stages * a;
    return ALIGN + larger(rows + stages * (first + second) + g, e); /* E leaves through the same memory */
}

static uint64_t sums_of(const chain *c, const pick *p, bool fused)
{
    uint64_t g = (uint64_t)p->m * p->h * c->products, e = (uint64_t)p->m * p->n;
    return fused ? g + e : larger(g, e);
}

static void pick_put(chain *c, const pick *p, bool fused, const zlay_io_machine *machine, uint64_t *least)
{
    if (sums_of(c, p, fused) > (fused ? c->legal.fused : c->legal.sums) || c->picks == WAYS_MOST) return;
    if (c->legal.pairs && (!zl_is_power_of_two(p->h) || !zl_is_power_of_two(p->n))) return;
    uint64_t smem = smem_of(c, p, fused);
    *least = zl_umin(*least, smem);
    if (smem <= machine->smem) c->pick[c->picks++] = *p;
}

/* All that is legal of one kind. */
static void picks_list(chain *c, bool fused, const zlay_io_machine *machine, uint64_t *least)
{
    const zl_io_tiles *t = &c->legal;
    c->picks = 0;
    for (uint32_t m = t->m_least; m <= t->m_most; m += t->m_step)
        for (uint32_t h = COLUMNS_STEP; h <= t->n_most; h += COLUMNS_STEP)
            for (uint32_t n = COLUMNS_STEP; n <= t->n_most; n += COLUMNS_STEP) {
                uint64_t rows = zl_ceil_div(c->ask.m, m), band;
                for (uint32_t i = 0; (band = zl_io_band(rows, i)); i++)
                    for (uint32_t held = 0; held <= (uint32_t)fused; held++)
                        pick_put(c, &(pick){m, h, n, (uint32_t)band, held}, fused, machine, least);
            }
}

/* ---- ways ------------------------------------------------------------------------------------------ */

static zl_io_operand operand(uint32_t tensor, uint32_t by, uint64_t unit, bool sliced)
{
    return (zl_io_operand){.tensor = tensor, .by = by, .unit = unit, .share = 1, .sliced = sliced};
}

static zl_io_kernel kernel(const pick *p, uint64_t rows, uint64_t columns, uint64_t depth)
{
    return (zl_io_kernel){.rows = rows, .columns = columns, .depth = depth, .tile_m = p->m, .band = p->band, .persistent = true};
}

static uint64_t products_of(uint64_t a, uint64_t b, uint64_t c, uint64_t times)
{
    return zl_umul_sat(2 * a, zl_umul_sat(b, zl_umul_sat(c, times)));
}

static void way_of(zl_io_way *out, const chain *c, uint64_t i, bool fused)
{
    const pick *p = &c->pick[i];
    const zlay_io_chain *a = &c->ask;
    uint64_t rows = zl_ceil_div(a->m, p->m), columns = zl_ceil_div(a->n, p->n);
    uint64_t first = products_of(a->m, a->k, a->h, fused ? columns * c->products : c->products), second = products_of(a->m, a->h, a->n, 1);
    *out = (zl_io_way){.choice = {.tile_m = p->m, .tile_n = p->n, .tile_k = c->tile_k, .tile_h = p->h, .band = p->band, .held = p->held,
                                  .fused = fused ? ZLAY_IO_FUSED : ZLAY_IO_SEPARATE, .smem = (uint32_t)smem_of(c, p, fused),
                                  .sums = (uint32_t)(4 * sums_of(c, p, fused)),
                                  .tiles = rows * (fused ? columns : columns + zl_ceil_div(a->h, p->h)),
                                  .flops = zl_uadd_sat(first, second)}};
}

/* A step is some columns of G: it reads the rows of A, unless they stay, B and C. */
static void way_fused(zl_io_way *out, const void *of, uint64_t i)
{
    const chain *c = of;
    const pick *p = &c->pick[i];
    way_of(out, c, i, true);
    zl_io_kernel *k = &out->kernel[0];
    *k = kernel(p, c->ask.m, c->ask.n, c->ask.h);
    out->kernels = 1;
    k->tile_n = p->n;
    k->step = p->h;
    k->flops = out->choice.flops;
    k->operands_count = 3;
    k->operand[0] = operand(A, ZL_IO_ROW, c->ask.k * c->bits, false);
    k->operand[0].once = p->held;
    k->operand[1] = operand(B, 0, c->ask.k * c->bits * c->products, true);
    k->operand[2] = operand(C, ZL_IO_COLUMN, c->bits, true);
    k->result = operand(E, ZL_IO_ROW | ZL_IO_COLUMN, c->bits, false);
}

/* The second kernel reads G in the tiles in which the first wrote it. */
static void way_separate(zl_io_way *out, const void *of, uint64_t i)
{
    const chain *c = of;
    const pick *p = &c->pick[i];
    way_of(out, c, i, false);
    zl_io_kernel *first = &out->kernel[0], *second = &out->kernel[1];
    out->kernels = 2;
    *first = kernel(p, c->ask.m, c->ask.h, c->ask.k);
    first->tile_n = p->h;
    first->step = zl_ceil_div(zl_ceil_div(c->ask.k, c->tile_k), SLICES) * c->tile_k;
    first->operands_count = 2;
    first->operand[0] = operand(A, ZL_IO_ROW, c->bits, true);
    first->operand[1] = operand(B, ZL_IO_COLUMN, (uint64_t)c->bits * c->products, true);
    first->result = operand(G, ZL_IO_ROW | ZL_IO_COLUMN, c->bits, false);
    *second = kernel(p, c->ask.m, c->ask.n, c->ask.h);
    first->flops = products_of(c->ask.m, c->ask.k, c->ask.h, c->products);
    second->flops = products_of(c->ask.m, c->ask.h, c->ask.n, 1);
    second->tile_n = p->n;
    second->step = p->h;
    second->operands_count = 2;
    second->operand[0] = operand(G, ZL_IO_ROW, c->bits, true);
    second->operand[1] = operand(C, ZL_IO_COLUMN, c->bits, true);
    second->result = operand(E, ZL_IO_ROW | ZL_IO_COLUMN, c->bits, false);
}

/* ---- both kinds ------------------------------------------------------------------------------------ */

/* Products and sums of all processors in 1000 cycles, by the widest row of the target's matrix instruction; 0: not known. */
static uint64_t flops_of(const zlay_target *target, int32_t type, uint32_t processors)
{
    static const int32_t ops[][4] = {{ZLAY_OP_WGMMA, 64, 256, 0}, {ZLAY_OP_TCGEN05, 128, 256, 0}, {ZLAY_OP_MMA_SYNC, 16, 8, 0}};
    zlay_machine m;
    zlay_machine_form f;
    int64_t units = 1;
    int32_t i = target->features & ZL_HAS_WGMMA ? 0 : target->features & ZL_HAS_TCGEN05 ? 1 : 2;
    int32_t k = 256 / (int32_t)zlay_type_bits(type);
    if (zlay_machine_find(&m, target) || zlay_machine_form_find(&f, &m, ops[i][0], type, ops[i][1], ops[i][2], k) || !f.occupancy_milli) return 0;
    if (zlay_machine_unit_count(&units, &m, f.unit) || units < f.units) return 0;
    return (uint64_t)2 * (uint64_t)(f.m * f.n) * (uint64_t)f.k * 1000000 / (uint64_t)f.occupancy_milli * (uint64_t)(units / f.units) * processors;
}

static zlay_status tensors_count(zlay_ctx *ctx, zl_io_problem *p, const chain *c)
{
    const zlay_io_chain *a = &c->ask;
    const uint64_t size[][3] = {[A] = {a->m, a->k, 1}, [B] = {a->k, a->h, c->products}, [C] = {a->h, a->n, 1}, [G] = {a->m, a->h, 1}, [E] = {a->m, a->n, 1}};
    uint64_t sum = 0;
    for (int t = 0; t < TENSORS; t++) {
        p->bits[t] = zl_umul_sat(zl_umul_sat(size[t][0], size[t][1]), size[t][2] * c->bits);
        sum = zl_uadd_sat(sum, p->bits[t]);
    }
    return sum >> 62 ? zl_fail(ctx, ZLAY_EOVERFLOW, "the tensors have more than 2^62 bits") : ZLAY_OK;
}

/* The best of one kind, tiles 0 where none fits. */
static zlay_status kind_search(zl_io_problem *p, chain *c, zlay_io_answer *out, bool fused, uint64_t *least)
{
    picks_list(c, fused, &p->machine, least);
    p->way = fused ? way_fused : way_separate;
    p->ways = c->picks;
    zlay_status status = zl_io_search(p, out);
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

/* Both kinds, or the one of the request; `best` is the cheaper. */
static zlay_status kinds_search(zl_io_problem *p, chain *c, zlay_io_answer *out, uint64_t *least)
{
    zlay_io_answer *each = zl_scratch(p->ctx, 2, sizeof *each);
    if (!each) return ZLAY_ENOMEM;
    zlay_status status = ZLAY_OK;
    *least = UINT64_MAX;
    for (int fused = 0; fused < 2 && !status; fused++)
        if (c->ask.fused != (fused ? ZLAY_IO_SEPARATE : ZLAY_IO_FUSED)) status = kind_search(p, c, &each[fused], fused, least);
    if (status) return status;
    const zlay_io_choice *one = &each[0].best, *two = &each[1].best;
    int best = !one->tiles || (two->tiles && zl_io_better(two, one));
    *out = each[best];
    out->other = each[!best].best;
    out->grid = each[0].grid + each[1].grid;
    out->run = each[0].run + each[1].run;
    return ZLAY_OK;
}

static zlay_status crossover_find(zl_io_problem *p, chain *c, zlay_io_answer *out)
{
    zlay_io_answer *at = zl_scratch(p->ctx, 1, sizeof *at);
    uint64_t least, m = c->ask.m;
    zlay_status status = at ? ZLAY_OK : ZLAY_ENOMEM;
    for (uint32_t e = 0; !status && e < CROSSOVER; e++) {
        zl_mark mark = zl_scratch_mark(p->ctx);
        c->ask.m = (uint64_t)1 << e;
        status = tensors_count(p->ctx, p, c);
        if (!status) status = kinds_search(p, c, at, &least);
        if (!status && at->best.fused == ZLAY_IO_FUSED) out->fused_at |= (uint64_t)1 << e;
        zl_scratch_release(p->ctx, mark);
    }
    c->ask.m = m;
    return status;
}

static zlay_status plan(zlay_ctx *ctx, zlay_io_answer *out, const zlay_target *target, const zlay_io_chain *request)
{
    chain c = {0};
    zl_io_problem p = {.ctx = ctx, .target = target, .tensors = TENSORS, .name = {"A", "B", "C", "G", "E"}, .of = &c};
    uint64_t least;
    zlay_status status = request_read(ctx, &c, request);
    if (!status) status = zl_io_tiles_of(ctx, &c.legal, target);
    if (!status) status = zl_io_machine_of(ctx, &p.machine, target, &c.ask.machine);
    if (!status) status = tensors_count(ctx, &p, &c);
    if (status) return status;
    if (!p.machine.flop_rate) p.machine.flop_rate = flops_of(target, c.ask.type, p.machine.processors);
    p.flop_rate = p.machine.flop_rate;
    p.front = c.ask.front;
    c.pick = zl_scratch_plain(ctx, WAYS_MOST, sizeof *c.pick);
    if (!c.pick) return ZLAY_ENOMEM;
    status = kinds_search(&p, &c, out, &least);
    if (status) return status;
    if (!out->best.tiles)
        return zl_fail(ctx, ZLAY_NONE, "smem: %u bytes; the smallest tiles need %llu", p.machine.smem, (unsigned long long)least);
    out->hbm_by = out->l2_by = ZLAY_IO_COMPULSORY;
    out->hbm_bound = out->l2_bound = (p.bits[A] + p.bits[B] + p.bits[C] + p.bits[E]) / 8;
    return c.ask.crossover ? crossover_find(&p, &c, out) : ZLAY_OK;
}

zlay_status zlay_io_chain_plan(zlay_ctx *ctx, zlay_io_answer *out, const zlay_target *target, const zlay_io_chain *request)
{
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (!out || !target || !request) status = zl_fail(ctx, ZLAY_EINVAL, "an argument is NULL");
    zlay_io_answer found;
    if (!status) status = plan(ctx, &found, target, request);
    status = zl_leave(ctx, status);
    if (!status) *out = found;
    return status;
}
