/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an order of tiles through the model of L2. Processors take tiles in their order, each the next as soon as it is free, and go on
 * step by step at one pace; a slice that several want in one step comes once. Steps are not listed one by one: which slices a step
 * wants changes only when a processor takes another tile, so that the list of panels is made anew only then. */
#include "synth/io/io.h"

typedef struct place {
    uint64_t row, column;
    uint64_t step, steps; /* done, and of the tile */
} place;

/* A panel that some processor reads in each step from now on. */
typedef struct wanted {
    const zl_io_operand *operand;
    uint64_t row, column, step;
} wanted;

typedef struct run {
    zlay_ctx *ctx;
    zl_io_cache *cache;
    const zl_io_kernel *kernel;
    uint64_t tiles, next;
    place *at;
    uint32_t busy, stamp, wanted_count;
    wanted *wanted;
} run;

static uint64_t least(uint64_t whole, uint64_t i, uint64_t part) { return zl_umin(part, whole - i * part); }

uint64_t zl_io_steps_of(const zl_io_kernel *k, uint64_t row)
{
    if (!k->causal) return zl_io_steps(k);
    uint64_t end = zl_umin((row + 1) * k->tile_m, k->rows) + k->skew;
    return zl_ceil_div(zl_umin(end, k->depth), k->step);
}

static uint64_t panels_across(const zl_io_kernel *k, const zl_io_operand *o)
{
    return o->by & ZL_IO_COLUMN ? zl_ceil_div(zl_io_columns(k), o->share) : 1;
}

uint64_t zl_io_slices(const zl_io_kernel *k, const zl_io_operand *o)
{
    uint64_t rows = o->by & ZL_IO_ROW ? zl_io_rows(k) : 1;
    return zl_umul_sat(zl_umul_sat(rows, panels_across(k, o)), o->sliced ? zl_io_steps(k) : 1);
}

/* ---- sizes ------------------------------------------------------------------------------------- */

static uint64_t bits_of(const zl_io_kernel *k, const zl_io_operand *o, const wanted *w)
{
    uint64_t bits = o->unit;
    if (o->by & ZL_IO_ROW) bits *= least(k->rows, w->row, k->tile_m);
    if (o->by & ZL_IO_COLUMN) bits *= least(k->columns, w->column, k->tile_n);
    return o->sliced ? bits * least(k->depth, w->step, k->step) : bits;
}

static uint32_t slice_of(const zl_io_kernel *k, const zl_io_operand *o, const wanted *w)
{
    uint64_t panel = o->by & ZL_IO_ROW ? w->row : 0;
    if (o->by & ZL_IO_COLUMN) panel = panel * panels_across(k, o) + w->column / o->share;
    return o->base + (uint32_t)(o->sliced ? panel * zl_io_steps(k) + w->step : panel);
}

/* Indices of depth that all steps of a row of tiles have. */
static uint64_t depth_of(const zl_io_kernel *k, uint64_t row) { return zl_umin(zl_io_steps_of(k, row) * k->step, k->depth); }

uint64_t zl_io_l2(const zl_io_kernel *k, const zl_io_operand *o)
{
    uint64_t across = o->by & ZL_IO_COLUMN ? k->columns : zl_io_columns(k), sum = 0;
    uint64_t every = k->causal ? 1 : zl_io_rows(k);
    bool whole = o->once || o == &k->result;
    if (!k->causal) {
        uint64_t times = o->sliced ? k->depth : whole ? 1 : zl_io_steps(k);
        return zl_umul_sat(zl_umul_sat(o->unit, o->by & ZL_IO_ROW ? k->rows : every), zl_umul_sat(across, times));
    }
    for (uint64_t row = 0; row < zl_io_rows(k); row++) {
        uint64_t high = o->by & ZL_IO_ROW ? least(k->rows, row, k->tile_m) : 1;
        uint64_t times = o->sliced ? depth_of(k, row) : whole ? 1 : zl_io_steps_of(k, row);
        sum = zl_uadd_sat(sum, zl_umul_sat(zl_umul_sat(o->unit, high), zl_umul_sat(across, times)));
    }
    return sum;
}

/* ---- the run ------------------------------------------------------------------------------------ */

/* The tile of a number: bands of rows, column by column. */
static place tile_of(const zl_io_kernel *k, uint64_t number)
{
    uint64_t rows = zl_io_rows(k), of_band = k->band * zl_io_columns(k), first = number / of_band * k->band;
    uint64_t height = zl_umin(k->band, rows - first), in = number % of_band, row = first + in % height;
    if (k->causal) row = rows - 1 - row;
    return (place){row, in / height, 0, zl_io_steps_of(k, row)};
}

/* Free processors take tiles; those that are free behind the last stand behind the busy ones. */
static void tiles_take(run *r, uint32_t processors)
{
    uint32_t busy = 0;
    for (uint32_t p = 0; p < processors; p++) {
        place *at = &r->at[p];
        bool free = p >= r->busy || at->step == at->steps;
        if (free && r->next == r->tiles) continue;
        r->at[busy++] = free ? tile_of(r->kernel, r->next++) : *at;
    }
    r->busy = busy;
}

static void panel_want(run *r, const zl_io_operand *o, const place *at)
{
    const zl_io_kernel *k = r->kernel;
    if (o->once && at->step) return;
    wanted w = {o, at->row, at->column, k->down ? at->steps - 1 - at->step : at->step};
    zl_io_slice *s = &r->cache->slice[slice_of(k, o, &w)];
    if (s->stamp == r->stamp) return;
    s->stamp = r->stamp;
    r->wanted[r->wanted_count++] = w;
}

static void panels_list(run *r)
{
    const zl_io_kernel *k = r->kernel;
    r->stamp++;
    r->wanted_count = 0;
    for (uint32_t o = 0; o < k->operands_count; o++)
        for (uint32_t p = 0; p < r->busy; p++) panel_want(r, &k->operand[o], &r->at[p]);
}

/* All steps until the first tile ends. */
static void steps_run(run *r)
{
    const zl_io_kernel *k = r->kernel;
    uint64_t steps = UINT64_MAX;
    for (uint32_t p = 0; p < r->busy; p++) steps = zl_umin(steps, r->at[p].steps - r->at[p].step);
    for (uint64_t t = 0; t < steps; t++)
        for (uint32_t i = 0; i < r->wanted_count; i++) {
            wanted w = r->wanted[i];
            if (t && w.operand->once) continue;
            w.step = k->down ? w.step - t : w.step + t;
            zl_io_use(r->cache, slice_of(k, w.operand, &w), w.operand->tensor, bits_of(k, w.operand, &w), false);
        }
    for (uint32_t p = 0; p < r->busy; p++) {
        place *at = &r->at[p];
        const wanted w = {&k->result, at->row, at->column, 0};
        at->step += steps;
        if (at->step == at->steps) zl_io_use(r->cache, slice_of(k, &k->result, &w), k->result.tensor, bits_of(k, &k->result, &w), true);
    }
}

zlay_status zl_io_run(zlay_ctx *ctx, zl_io_cache *cache, const zl_io_kernel *kernel, uint32_t processors, uint64_t most)
{
    run r = {.ctx = ctx, .cache = cache, .kernel = kernel, .tiles = zl_io_rows(kernel) * zl_io_columns(kernel)};
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = ZLAY_OK;
    processors = (uint32_t)zl_umin(processors, r.tiles);
    r.at = zl_scratch_plain(ctx, processors, sizeof *r.at);
    r.wanted = zl_scratch_plain(ctx, (uint64_t)processors * ZL_IO_OPERANDS, sizeof *r.wanted);
    if (!r.at || !r.wanted) return ZLAY_ENOMEM;
    for (tiles_take(&r, processors); !status && r.busy && cache->moved <= most; tiles_take(&r, processors)) {
        panels_list(&r);
        uint64_t steps = r.at[0].steps - r.at[0].step;
        status = zl_charge(ctx, (uint64_t)r.busy * kernel->operands_count + r.wanted_count * steps);
        if (!status) steps_run(&r);
    }
    zl_scratch_release(ctx, mark);
    return status;
}
