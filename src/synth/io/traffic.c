/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an order of tiles through the model of L2. Time goes in steps. In each step every processor that is at work reads what its tile's
 * step wants; a slice that several want in one step comes once. Processors differ in pace: each stands still in some steps, so that the
 * slowest does `spread` thousandths fewer. A persistent processor takes every P-th tile, another the next one when it is free. */
#include "synth/io/io.h"

enum { WHOLE = 1000, HASH = 40503 /* 2^16 over the golden ratio */, HASH_BITS = 16 };

typedef struct place {
    uint64_t number, row, column;
    uint64_t step, steps; /* done, and of the tile */
    uint32_t credit, pace; /* of WHOLE */
    bool busy, moves;      /* has a tile; goes on in this step */
} place;

/* A slice as an operand has it. */
typedef struct wanted {
    uint64_t row, column, step;
} wanted;

typedef struct run {
    zl_io_cache *cache;
    const zl_io_kernel *kernel;
    uint64_t tiles, next;
    place *at;
    uint32_t processors, busy, stamp;
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

/* Gives a processor the tile of a number: bands of rows, column by column. */
static void tile_take(run *r, place *at, uint64_t number)
{
    const zl_io_kernel *k = r->kernel;
    uint64_t rows = zl_io_rows(k), of_band = k->band * zl_io_columns(k), first = number / of_band * k->band;
    uint64_t height = zl_umin(k->band, rows - first), in = number % of_band, row = first + in % height;
    if (k->causal) row = rows - 1 - row;
    at->number = number;
    at->row = row;
    at->column = in / height;
    at->step = 0;
    at->steps = zl_io_steps_of(k, row);
    at->busy = true;
    r->busy++;
}

/* Processors without a tile take one; then each gains its pace, and goes on where that makes a whole step. */
static void step_begin(run *r)
{
    r->stamp++;
    for (uint32_t p = 0; p < r->processors; p++) {
        place *at = &r->at[p];
        uint64_t number = r->kernel->persistent ? at->number + r->processors : r->next;
        if (!at->busy && number < r->tiles) {
            r->next++;
            tile_take(r, at, number);
        }
        at->credit += at->pace;
        at->moves = at->busy && at->credit >= WHOLE;
        if (at->credit >= WHOLE) at->credit -= WHOLE;
    }
}

static void slice_read(run *r, const zl_io_operand *o, const place *at)
{
    const zl_io_kernel *k = r->kernel;
    if (!at->moves || (o->once && at->step)) return;
    const wanted w = {at->row, at->column, k->down ? at->steps - 1 - at->step : at->step};
    uint32_t slice = slice_of(k, o, &w);
    if (r->cache->slice[slice].stamp == r->stamp) return;
    r->cache->slice[slice].stamp = r->stamp;
    zl_io_use(r->cache, slice, o->tensor, bits_of(k, o, &w), false);
}

static void step_end(run *r)
{
    const zl_io_kernel *k = r->kernel;
    for (uint32_t p = 0; p < r->processors; p++) {
        place *at = &r->at[p];
        const wanted w = {at->row, at->column, 0};
        if (!at->moves || ++at->step < at->steps) continue;
        zl_io_use(r->cache, slice_of(k, &k->result, &w), k->result.tensor, bits_of(k, &k->result, &w), true);
        at->busy = false;
        r->busy--;
    }
}

/* Places before their first tiles: a persistent one's is its own number. */
static void processors_begin(run *r, uint32_t spread)
{
    for (uint32_t p = 0; p < r->processors; p++) {
        uint64_t slow = (uint64_t)spread * (p * HASH % (1u << HASH_BITS)) >> HASH_BITS;
        r->at[p] = (place){.number = (uint64_t)p - r->processors, .pace = WHOLE - (uint32_t)slow, .credit = WHOLE - 1};
    }
}

zlay_status zl_io_run(zlay_ctx *ctx, zl_io_cache *cache, const zl_io_kernel *kernel, const zlay_io_machine *machine, uint64_t most)
{
    run r = {.cache = cache, .kernel = kernel, .tiles = zl_io_rows(kernel) * zl_io_columns(kernel)};
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = ZLAY_OK;
    r.processors = (uint32_t)zl_umin(machine->processors, r.tiles);
    r.at = zl_scratch_plain(ctx, r.processors, sizeof *r.at);
    if (!r.at) return ZLAY_ENOMEM;
    processors_begin(&r, machine->spread);
    for (step_begin(&r); !status && r.busy && cache->moved <= most; step_begin(&r)) {
        status = zl_charge(ctx, (uint64_t)r.processors * kernel->operands_count);
        for (uint32_t o = 0; !status && o < kernel->operands_count; o++)
            for (uint32_t p = 0; p < r.processors; p++) slice_read(&r, &kernel->operand[o], &r.at[p]);
        if (!status) step_end(&r);
    }
    zl_scratch_release(ctx, mark);
    return status;
}
