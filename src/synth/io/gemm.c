/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs: every legal tile with every band, by the search; and the bounds that hold for all others. */
#include "base/request.h"
#include "synth/io/io.h"

#include <zlay/type.h>

enum { A, B, D, TENSORS, K_BYTES = 128, ALIGN = 1024, STAGES = 2, SLICES = 16, EXTENT_BITS = 40, STAGES_MOST = 64 };

typedef struct gemm {
    zlay_io_gemm ask;
    zl_io_product product;
    zl_io_tiles legal;
    uint32_t tile_k;
    zl_io_shape *tile;
    uint32_t tiles;
} gemm;

/* ---- the request ---------------------------------------------------------------------------------- */

static zlay_status extents_check(zlay_ctx *ctx, const zlay_io_gemm *g)
{
    const uint64_t extent[] = {g->m, g->n, g->k};
    for (int i = 0; i < 3; i++)
        if (!extent[i] || extent[i] >> EXTENT_BITS)
            return zl_fail(ctx, ZLAY_EINVAL, "%c: %llu is not in 1..2^%d - 1", "mnk"[i], (unsigned long long)extent[i], EXTENT_BITS);
    if (g->front > 1) return zl_fail(ctx, ZLAY_EINVAL, "front: it is 0 or 1");
    if (g->stages > STAGES_MOST) return zl_fail(ctx, ZLAY_EINVAL, "stages: %u, of %d at most", g->stages, STAGES_MOST);
    return ZLAY_OK;
}

static int32_t type_or(int32_t type, int32_t usual) { return type ? type : usual; }

static zlay_status types_read(zlay_ctx *ctx, gemm *g)
{
    int32_t type = type_or(g->ask.type, ZLAY_TYPE_BF16);
    const int32_t each[] = {type_or(g->ask.a_type, type), type_or(g->ask.b_type, type), type_or(g->ask.d_type, type)};
    uint32_t *bits[] = {&g->product.a_bits, &g->product.b_bits, &g->product.d_bits};
    for (int i = 0; i < 3; i++) {
        *bits[i] = zlay_type_bits(each[i]);
        if (!*bits[i] || *bits[i] > 32) return zl_fail(ctx, ZLAY_EINVAL, "%c_type: no operand has elements of this type", "abd"[i]);
    }
    uint32_t most = K_BYTES * 8 / g->product.a_bits;
    g->tile_k = g->ask.tile_k ? g->ask.tile_k : most;
    if (g->tile_k > 4 * most || g->tile_k < most / 4 || !zl_is_power_of_two(g->tile_k))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u is no power of two in %u..%u", g->tile_k, most / 4, 4 * most);
    return ZLAY_OK;
}

static zlay_status request_read(zlay_ctx *ctx, gemm *g, const zlay_io_gemm *request)
{
    static const zl_request_form form = {"zlay_io_gemm", sizeof(zlay_io_gemm), offsetof(zlay_io_gemm, reserved), {ZL_RESERVED(zlay_io_gemm, reserved)}};
    zlay_status status = zl_request_read(ctx, &g->ask, request, &form);
    if (!status) status = extents_check(ctx, &g->ask);
    if (!status) status = types_read(ctx, g);
    if (!g->ask.stages) g->ask.stages = STAGES;
    g->product.m = g->ask.m;
    g->product.n = g->ask.n;
    g->product.k = g->ask.k;
    return status;
}

/* ---- what is legal -------------------------------------------------------------------------------- */

static uint64_t smem_of(const gemm *g, uint64_t m, uint64_t n)
{
    const zl_io_product *p = &g->product;
    uint64_t stage = (m * p->a_bits + n * p->b_bits) * g->tile_k / 8;
    return g->ask.stages * stage + m * n * p->d_bits / 8 + ALIGN;
}

static bool is_legal(const gemm *g, uint32_t m, uint32_t n)
{
    return (uint64_t)m * n <= g->legal.sums && (!g->legal.pairs || zl_is_power_of_two(n));
}

static uint64_t bands_of(const gemm *g, uint64_t rows)
{
    uint32_t count = 0;
    if (g->ask.band) return 1;
    while (zl_io_band(rows, count)) count++;
    return count;
}

/* Lists the tiles that fit; returns how many ways they have, and the least shared memory of those that do not fit. */
static uint64_t tiles_list(gemm *g, const zlay_io_machine *machine, uint64_t *least)
{
    uint64_t ways = 0;
    const zl_io_tiles *t = &g->legal;
    *least = UINT64_MAX;
    for (uint32_t m = t->m_least; m <= t->m_most; m += t->m_step)
        for (uint32_t n = t->n_least; n <= t->n_most; n += t->n_step) {
            if ((g->ask.tile_m && g->ask.tile_m != m) || (g->ask.tile_n && g->ask.tile_n != n) || !is_legal(g, m, n)) continue;
            uint64_t smem = smem_of(g, m, n);
            *least = zl_umin(*least, smem);
            if (smem > machine->smem) continue;
            g->tile[g->tiles++] = (zl_io_shape){m, n, ways};
            ways += bands_of(g, zl_ceil_div(g->ask.m, m));
        }
    return ways;
}

static uint32_t tiles_most(const zl_io_tiles *t)
{
    return ((t->m_most - t->m_least) / t->m_step + 1) * ((t->n_most - t->n_least) / t->n_step + 1);
}

/* ---- ways ------------------------------------------------------------------------------------------ */

/* A band beyond the rows of tiles is all of them. */
static uint64_t band_of(const gemm *g, uint64_t rows, uint64_t i)
{
    return g->ask.band ? zl_umin(g->ask.band, rows) : zl_io_band(rows, (uint32_t)i);
}

static void way(zl_io_way *out, const void *of, uint64_t i)
{
    const gemm *g = of;
    const zl_io_product *p = &g->product;
    uint32_t t = 0;
    while (t + 1 < g->tiles && g->tile[t + 1].first <= i) t++;
    const zl_io_shape *at = &g->tile[t];
    uint64_t rows = zl_ceil_div(p->m, at->m), columns = zl_ceil_div(p->n, at->n), band = band_of(g, rows, i - at->first);
    uint64_t step = zl_ceil_div(zl_ceil_div(p->k, g->tile_k), SLICES) * g->tile_k;
    *out = (zl_io_way){.kernels = 1,
                       .choice = {.tile_m = at->m, .tile_n = at->n, .tile_k = g->tile_k, .band = (uint32_t)band,
                                  .smem = (uint32_t)smem_of(g, at->m, at->n), .sums = at->m * at->n * 4,
                                  .tiles = rows * columns, .flops = zl_umul_sat(2 * p->m, zl_umul_sat(p->n, p->k))}};
    out->kernel[0] = (zl_io_kernel){
        .rows = p->m, .columns = p->n, .depth = p->k, .tile_m = at->m, .tile_n = at->n, .step = step, .band = band, .persistent = true,
        .operands_count = 2,
        .operand = {{.tensor = A, .by = ZL_IO_ROW, .unit = p->a_bits, .share = 1, .sliced = true},
                    {.tensor = B, .by = ZL_IO_COLUMN, .unit = p->b_bits, .share = 1, .sliced = true}},
        .result = {.tensor = D, .by = ZL_IO_ROW | ZL_IO_COLUMN, .unit = p->d_bits, .share = 1}};
}

/* ---- bounds ---------------------------------------------------------------------------------------- */

static void bounds_tell(const gemm *g, const zl_io_problem *p, zlay_io_answer *out)
{
    const zl_io_product *a = &g->product;
    uint64_t once = p->bits[A] + p->bits[B] + p->bits[D], bits = zl_umin(zl_umin(a->a_bits, a->b_bits), a->d_bits);
    uint64_t chip = zl_uadd_sat(zl_io_l2_whole(p->target, &g->ask.machine), (uint64_t)p->machine.processors * (p->machine.smem + (uint64_t)g->legal.on_chip));
    uint64_t held = zl_umul_sat(zl_io_capacity_bound(a->m, a->n, a->k, zl_umul_sat(chip, 8) / bits), bits);
    uint64_t sums = zl_uadd_sat(zl_io_sums_bound(a, g->legal.sums), p->bits[D]);
    out->hbm_by = held > once ? ZLAY_IO_CAPACITY : ZLAY_IO_COMPULSORY;
    out->hbm_bound = zl_umax(held, once) / 8;
    out->l2_by = sums > once ? ZLAY_IO_SUMS : ZLAY_IO_COMPULSORY;
    out->l2_block = sums > once ? g->legal.sums : 0;
    out->l2_bound = zl_umax(sums, once) / 8;
}

static zlay_status tensors_count(zlay_ctx *ctx, zl_io_problem *p, const zl_io_product *a)
{
    uint64_t sides[TENSORS][3] = {{a->m, a->k, a->a_bits}, {a->k, a->n, a->b_bits}, {a->m, a->n, a->d_bits}}, sum = 0;
    for (int t = 0; t < TENSORS; t++) {
        p->bits[t] = zl_umul_sat(zl_umul_sat(sides[t][0], sides[t][1]), sides[t][2]);
        sum = zl_uadd_sat(sum, p->bits[t]);
    }
    return sum >> 62 ? zl_fail(ctx, ZLAY_EOVERFLOW, "the tensors have more than 2^62 bits") : ZLAY_OK;
}

static zlay_status no_tile(zlay_ctx *ctx, const gemm *g, const zlay_io_machine *machine, uint64_t least)
{
    if (least == UINT64_MAX)
        return zl_fail(ctx, ZLAY_NONE, "tile: no tile of the target's matrix instruction has %u rows and %u columns (0: any)",
                       g->ask.tile_m, g->ask.tile_n);
    return zl_fail(ctx, ZLAY_NONE, "smem: %u bytes; %u stages and the result need %llu", machine->smem, g->ask.stages,
                   (unsigned long long)least);
}

static zlay_status plan(zlay_ctx *ctx, zlay_io_answer *out, const zlay_target *target, const zlay_io_gemm *request)
{
    gemm g = {0};
    zl_io_problem p = {.ctx = ctx, .target = target, .tensors = TENSORS, .name = {"A", "B", "D"}, .way = way, .of = &g};
    uint64_t least;
    zlay_status status = request_read(ctx, &g, request);
    if (!status) status = zl_io_tiles_of(ctx, &g.legal, target);
    if (!status) status = zl_io_machine_of(ctx, &p.machine, target, &g.ask.machine);
    if (!status) status = tensors_count(ctx, &p, &g.product);
    if (status) return status;
    g.tile = zl_scratch(ctx, tiles_most(&g.legal), sizeof *g.tile);
    if (!g.tile) return ZLAY_ENOMEM;
    p.front = g.ask.front;
    p.ways = tiles_list(&g, &p.machine, &least);
    if (!p.ways) return no_tile(ctx, &g, &p.machine, least);
    status = zl_io_search(&p, out);
    if (!status) bounds_tell(&g, &p, out);
    return status;
}

zlay_status zlay_io_gemm_plan(zlay_ctx *ctx, zlay_io_answer *out, const zlay_target *target, const zlay_io_gemm *request)
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
