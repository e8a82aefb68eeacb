/* SPDX-License-Identifier: Apache-2.0 */
/* How long a GEMM takes by tiles of a shape: what the choice of tiles, orientations and divisions compares.
 *
 * Products by wgmma without groups and scales. A K step of a tile takes its matrix instructions (target/machine.def), or the time
 * in which stages ahead of it arrive, or its share of what L2 gives all blocks together: lines, faster where blocks that do equal
 * work run in step and so ask for the same lines at once, and, far slower, the zeros of rows outside of A and B. The steps of a block, with what begins and
 * ends each tile, or what DRAM takes for panels that a wave of tiles reads once, or the products at the rate that the board's power
 * sustains. Of two such times neither waits for the other, so the sum is that of fourth powers. The constants are fitted to random
 * products on an H200 (tests/device/fit/fit.py); docs/internals/times.md has the equations.
 *
 * Other products. Waves of tiles, each of its K steps and a few more: by times of one step that were measured on an H200, within 3 %
 * where K has 40 steps or more, or that are counted from published widths. */
#include "base/arith.h"
#include "synth/gemm/choose.h"
#include "synth/gemm/groups.h"

#include <zlay/machine.h>

enum {
    ROWS_MOST = 128,    /* of a tile that was measured */
    ROWS_LEAST = 64,    /* of a consumer of wgmma, and of a tile of mma.sync */
    ENDS = 4,          /* K steps that fill and epilogue of a tile add in the waves of other products */
    ENDS_OVERLAP = 8,  /* the same where the last pass of D overlaps the one before */
    STORE_GRANULE = 16,    /* bytes in which a tensor store writes a row */
    LINE = 128,            /* bytes of K in a step */
    SECTOR = 32,           /* bytes that L2 gives together: a row of a box that begins at their multiples asks for no more than it has */
    INSTRUCTIONS = 4,      /* of wgmma in 128 bytes of K */
    RESIDENT = 30000000,   /* bytes of A and B that stay in L2 whatever the order of tiles */
    TENTHS = 10,
    MILLI = 1000,
#define STORES(rate) STORE_RATE = rate,
#include "synth/gemm/times.def"
#define FITTED(name, value) FITTED_##name = value,
#include "synth/gemm/fitted.def"
    CLUSTERS_OF_4 = 30, CLUSTERS_OF_8 = 15 /* that run at once on an H200: cudaOccupancyMaxActiveClusters */
};

/* Nanoseconds of a K step, as times.def says. Between two rows of one m the times are those of the straight line. */
static const struct measured {
    uint32_t m, n, step, beside; /* of a block alone */
    uint32_t step_shared, beside_shared; /* of two that share B */
} measured[] = {
#define TILE(...) {__VA_ARGS__},
#include "synth/gemm/times.def"
};

/* Clocks of one K step of tcgen05.mma, by what was published of B200: 128 x N x 64 of bf16 take 2 N, at 4096 products of a
 * clock, and both factors' bytes N + 128, at 128 bytes of shared memory. Epilogues run beside the next tile. */
static const struct measured counted[] = {
    {.m = 128, .n = 64, .step = 192}, {.m = 128, .n = 128, .step = 256},
    {.m = 128, .n = 192, .step = 384}, {.m = 128, .n = 256, .step = 512},
};

/* Clocks of one K step of mma.sync on A100: M x N x 64 of bf16 at 1024 products of a clock, and what eight warps read at 128
 * bytes of shared memory. */
static const struct measured by_sync[] = {
    {.m = 64, .n = 64, .step = 384}, {.m = 64, .n = 128, .step = 512},
    {.m = 64, .n = 192, .step = 768}, {.m = 64, .n = 256, .step = 1024},
    {.m = 128, .n = 64, .step = 512}, {.m = 128, .n = 128, .step = 1024},
    {.m = 128, .n = 192, .step = 1536}, {.m = 128, .n = 256, .step = 2048},
};

static const struct measured *table_of(const zlay_plan *plan)
{
    return zl_by_tmem(plan) ? counted : zl_by_sync(plan) ? by_sync : measured;
}

zlay_status zl_tile_machine(zlay_ctx *ctx, zlay_plan *plan)
{
    enum { B200 = 148, A100 = 108 }; /* of targets whose machine is not known: that of the times above */
    int64_t processors;
    zlay_machine *machine = zl_scratch(ctx, 1, sizeof *machine);
    if (!machine) return ZLAY_ENOMEM;
    zlay_machine_find(machine, plan->info.target);
    if (zlay_machine_get(&processors, machine, ZLAY_MACHINE_PROCESSORS)) processors = zl_by_tmem(plan) ? B200 : A100;
    plan->machine = machine;
    plan->processors = (uint32_t)processors;
    return ZLAY_OK;
}

static uint32_t between(uint32_t n, uint32_t n0, uint32_t t0, uint32_t n1, uint32_t t1)
{
    return n1 == n0 ? t0 : (t0 * (n1 - n) + t1 * (n - n0)) / (n1 - n0);
}

/* The times of a tile of m rows, which the table has, and n in 64..256, by blocks alone or by two that share B. */
static struct measured times_of(const struct measured *table, uint32_t m, uint32_t n, bool shared)
{
    size_t row = 0;
    while (table[row].m != m || table[row].n < n) row++;
    struct measured high = table[row], low = high.n == n ? high : table[row - 1];
    if (shared) {
        high.step = high.step_shared, high.beside = high.beside_shared;
        low.step = low.step_shared, low.beside = low.beside_shared;
    }
    return (struct measured){.m = m, .n = n, .step = between(n, low.n, low.step, high.n, high.step),
                             .beside = between(n, low.n, low.beside, high.n, high.beside)};
}

uint64_t zl_tile_blocks(const zlay_plan_summary *info, uint32_t m, uint32_t n, uint32_t empty)
{
    uint64_t high = zl_groups_high(info, m, empty), wide = zl_groups_wide(info, n);
    if (info->multicast == ZLAY_MULTICAST_A) wide += wide % 2;
    if (info->multicast == ZLAY_MULTICAST_B) high += high % 2;
    return zl_umul_sat(zl_umul_sat(high, wide), info->splits);
}

/* Whether rows of D leave by tensor copies. */
static bool is_stored(const zlay_plan *plan)
{
    return !(zl_row_alignment(plan, ZLAY_OPERAND_D) % STORE_GRANULE);
}

/* Whether tensor copies bring rows of an operand that begin beside sectors. */
static bool is_beside(const zlay_plan *plan, int32_t operand)
{
    uint64_t alignment = zl_row_alignment(plan, operand);
    return alignment >= STORE_GRANULE && alignment < SECTOR;
}

/* What a step takes more: the measured time, by the share of its rows that begin beside sectors. */
static uint64_t beside_cost(const zlay_plan *plan, const struct measured *t)
{
    uint32_t rows = (is_beside(plan, ZLAY_OPERAND_A) ? t->m : 0) + (is_beside(plan, ZLAY_OPERAND_B) ? t->n : 0);
    return (uint64_t)t->beside * rows / (t->m + t->n);
}

/* How many waves so many blocks are, and the blocks of the last. */
static void waves_put(zlay_gemm_terms *out, uint64_t blocks)
{
    out->waves = zl_ceil_div(blocks, out->at_once);
    out->last = out->waves ? blocks - (out->waves - 1) * out->at_once : 0;
}

/* The time of products that a few times of tiles say: the waves of tiles over all processors, times the time of one
 * tile, which is its K steps, a few steps for fill and epilogue, and the stores by threads where
 * tensor stores are not possible.  It fits 64 bits: there are fewer than 2^24 waves, and a tile
 * takes less than 2^36. */
static uint64_t waves_time(zlay_gemm_terms *out, const zlay_plan *plan, uint32_t m, uint32_t n)
{
    uint32_t processors = plan->processors, least = zl_by_tmem(plan) ? ROWS_MOST : ROWS_LEAST;
    bool shared = plan->info.multicast == ZLAY_MULTICAST_B;
    uint32_t rows = m < ROWS_MOST ? m : ROWS_MOST; /* tiles of more were not measured */
    struct measured t = times_of(table_of(plan), rows, n, shared);
    uint32_t ends = n % 64 && !zl_d_by_columns(plan) ? ENDS_OVERLAP : ENDS;
    uint64_t own = zl_ceil_div(plan->info.k, (uint64_t)zl_gemm_k_most(plan) * plan->info.splits);
    uint64_t steps = (own + ends) * (t.step + beside_cost(plan, &t)) * m / rows;
    bool slow = zl_by_wgmma(plan) && !is_stored(plan);
    uint64_t tile = steps + (slow ? m * n / STORE_RATE : 0);
    uint64_t blocks = zl_tile_blocks(&plan->info, m, n, zl_gemm_scaled(plan) ? least : m);
    *out = (zlay_gemm_terms){.at_once = processors, .steps = own};
    waves_put(out, blocks);
    out->beside_ps = beside_cost(plan, &t) * m / rows * MILLI;
    out->step_ps = (uint64_t)t.step * m / rows * MILLI + out->beside_ps;
    out->ends_ns = tile - zl_umin(tile, own * (out->step_ps / MILLI));
    out->blocks_ns = zl_stream(&plan->info) ? zl_umul_sat(blocks, tile) / processors : zl_umul_sat(out->waves, tile);
    return out->blocks_ns;
}

/* ---- products by wgmma ------------------------------------------------------------------------- */

/* What the time of a product by tiles of one shape rests on. */
typedef struct work {
    uint32_t m, n;           /* of a tile */
    uint64_t high, wide;     /* tiles of D */
    uint64_t tiles;
    uint64_t ahead;          /* stages of such steps */
    uint64_t active;         /* blocks that run at once */
    uint64_t products;       /* of 16 bits; two of 8 bits are one */
    uint64_t outside;        /* bytes of zeros of a step that all blocks ask for, of the rows outside */
    bool in_step;            /* blocks do equal work, or do so for more than a wave */
} work;

/* Clusters, or pairs, or blocks of their own, that run at once. */
static uint64_t clusters_at_once(const zlay_plan *plan)
{
    uint64_t blocks = zl_umax(plan->info.splits, plan->info.cluster);
    return blocks >= 8 ? CLUSTERS_OF_8 : blocks >= 4 ? CLUSTERS_OF_4 : plan->processors / zl_umax(1, blocks);
}

static bool is_partly_outside(uint64_t tiles, uint32_t side, uint64_t extent)
{
    return tiles > 1 && (tiles * side - extent) * TENTHS > side;
}

/* Of one side of the tiles, which the last of them does not fill. */
static uint64_t outside_bytes(const work *w, uint64_t tiles, uint32_t side, uint64_t extent)
{
    return tiles > 1 ? w->active * LINE * (tiles * side - extent) / tiles : 0;
}

/* Panels of A and B that a wave of tiles reads are read once by it; D is written once. */
static uint64_t dram_bytes(const zlay_plan *plan, const zlay_gemm *gemm, const work *w)
{
    const zlay_plan_summary *info = &plan->info;
    uint64_t row = zl_umul_sat(info->k, plan->operand[ZLAY_OPERAND_A].element);
    uint64_t at_once = zl_umin(w->tiles, clusters_at_once(plan) * (zl_multicast(info) ? 2 : 1));
    uint64_t whole = zl_umul_sat(info->m + info->n, row), stored = zl_umul_sat(zl_umul_sat(info->m, info->n), plan->operand[ZLAY_OPERAND_D].element);
    uint64_t band = zl_umin(gemm->band ? gemm->band : zl_gemm_band(zl_d_by_columns(plan), w->wide), w->high);
    uint64_t columns = zl_umin(w->wide, zl_ceil_div(at_once, band)), rows = zl_umin(w->high, band * zl_ceil_div(at_once, zl_umul_sat(band, w->wide)));
    uint64_t panels = zl_umin(rows * w->m, info->m) + zl_umin(columns * w->n, info->n);
    uint64_t by_waves = zl_umul_sat(zl_umul_sat(panels, row), w->tiles) / at_once;
    uint64_t reads = whole > RESIDENT ? zl_umax(whole, by_waves) : whole;
    return reads > UINT64_MAX - stored ? UINT64_MAX : reads + stored;
}

/* With the waves and steps of the terms. */
static work work_of(zlay_gemm_terms *out, const zlay_plan *plan, uint32_t m, uint32_t n, uint64_t ring)
{
    const zlay_plan_summary *info = &plan->info;
    work w = {.m = m, .n = n, .high = zl_ceil_div(info->m, m), .wide = zl_ceil_div(info->n, n)};
    w.tiles = zl_tile_blocks(info, m, n, m) / info->splits;
    waves_put(out, zl_multicast(info) ? w.tiles / 2 : w.tiles);
    out->steps = zl_ceil_div(info->k, (uint64_t)zl_gemm_k_most(plan) * info->splits);
    w.ahead = zl_umax(1, ring / ((m + n) * LINE));
    w.active = zl_umin(zl_umul_sat(w.tiles, info->splits), plan->processors);
    w.in_step = out->waves > 1 || !(is_partly_outside(w.high, m, info->m) || is_partly_outside(w.wide, n, info->n));
    w.outside = outside_bytes(&w, w.high, m, info->m) + outside_bytes(&w, w.wide, n, info->n);
    uint64_t bytes = zl_umul_sat(info->k, plan->operand[ZLAY_OPERAND_A].element);
    w.products = zl_umul_sat(zl_umul_sat(info->m, info->n), bytes) / 2;
    return w;
}

/* Picoseconds of the matrix instructions of a K step. */
static uint64_t products_ps(const zlay_plan *plan, const work *w)
{
    zlay_machine_form form;
    if (zlay_machine_form_find(&form, plan->machine, ZLAY_OP_WGMMA, plan->operand[ZLAY_OPERAND_A].type, (int32_t)plan->info.mma.m, (int32_t)w->n, (int32_t)plan->info.mma.k))
        return 0;
    return (uint64_t)form.occupancy_milli * INSTRUCTIONS * (w->m / ROWS_LEAST) * MILLI / FITTED_CLOCK;
}

static void step_put(zlay_gemm_terms *out, const zlay_plan *plan, const work *w)
{
    struct measured t = times_of(measured, w->m, w->n, zl_multicast(&plan->info));
    out->products_ps = products_ps(plan, w);
    out->arrival_ps = FITTED_ARRIVAL * MILLI / w->ahead;
    out->outside_ps = w->outside * MILLI / FITTED_OUTSIDE;
    out->l2_ps = (w->active * (w->m + w->n) * LINE - w->outside) * MILLI / (w->in_step ? FITTED_L2_IN_STEP : FITTED_L2);
    out->beside_ps = beside_cost(plan, &t) * MILLI;
    uint64_t step = zl_norm4(out->products_ps, out->arrival_ps);
    if (zl_multicast(&plan->info)) step = step * FITTED_PAIR_PERCENT / 100;
    out->step_ps = zl_norm4(step, out->l2_ps + out->outside_ps) + out->beside_ps;
}

/* Nanoseconds that a tile takes beside its steps. */
static void ends_put(zlay_gemm_terms *out, const zlay_plan *plan, const work *w)
{
    uint64_t elements = (uint64_t)w->m * w->n;
    uint64_t ns = elements * (zl_d_by_columns(plan) ? FITTED_ELEMENT_BY_COLUMNS : FITTED_ELEMENT) / MILLI;
    if (zl_multicast(&plan->info)) ns += FITTED_PAIR_ENDS;
    if (plan->info.splits > 1) out->exchange_ns = FITTED_SPLIT_ENDS + (plan->info.splits - 1) * elements * FITTED_SPLIT_ELEMENT / MILLI;
    out->ends_ns = ns + out->exchange_ns + (is_stored(plan) ? 0 : elements / STORE_RATE);
}

/* The even share of all steps, of all processors, and what tiles that blocks share take. */
static void stream_put(zlay_gemm_terms *out, const zlay_plan *plan, const work *w)
{
    uint64_t processors = plan->processors, sharing = zl_umax(1, processors / zl_umax(1, w->tiles));
    out->stream_ns = FITTED_STREAM + (uint64_t)w->m * w->n * sharing * FITTED_STREAM_ELEMENT / MILLI;
    out->blocks_ns = zl_umul_sat(zl_umul_sat(w->tiles, out->steps), out->step_ps) / MILLI / processors;
    out->blocks_ns += zl_ceil_div(w->tiles, processors) * out->ends_ns + out->stream_ns;
}

static uint64_t wgmma_time(zlay_gemm_terms *out, const zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n, uint64_t ring)
{
    *out = (zlay_gemm_terms){.at_once = clusters_at_once(plan), .start_ns = FITTED_START};
    work w = work_of(out, plan, m, n, ring);
    out->dram_bytes = dram_bytes(plan, gemm, &w);
    out->dram_ns = out->dram_bytes / FITTED_DRAM;
    out->power_ns = w.products / MILLI / FITTED_POWER;
    step_put(out, plan, &w);
    ends_put(out, plan, &w);
    out->blocks_ns = zl_umul_sat(out->waves, zl_umul_sat(out->steps, out->step_ps) / MILLI + out->ends_ns);
    if (zl_stream(&plan->info)) stream_put(out, plan, &w);
    return FITTED_START + zl_norm4(zl_norm4(out->blocks_ns, out->power_ns), out->dram_ns);
}

uint64_t zl_tile_time(zlay_gemm_terms *out, const zlay_plan *plan, const zlay_gemm *gemm, uint32_t m, uint32_t n, uint64_t ring)
{
    bool fitted = zl_by_wgmma(plan) && !plan->info.groups && !zl_gemm_scaled(plan) && m <= ROWS_MOST;
    return fitted ? wgmma_time(out, plan, gemm, m, n, ring) : waves_time(out, plan, m, n);
}
