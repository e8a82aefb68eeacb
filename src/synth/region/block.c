/* SPDX-License-Identifier: Apache-2.0 */
/* Covers the units of a block that are needed by tiles that do not overlap, at the least value:
 * branch and bound, depth first. The first unit that is needed and not covered, in the order of
 * rows, lies in one tile of every cover: each tile at each place that has it is tried, those places
 * first where the tile has needed units alone.
 *
 * What is left is bounded by its units: no tile takes less a cell than the best one, and none
 * covers more units than the largest. Two partial covers that have the same first unit and the same
 * units around it taken can be completed in the same ways: only the lesser one is followed. Every
 * needed unit before the first one is covered, and no tile that has a later unit reaches further up
 * than the highest tile less a row, so these rows, above and below, are all that is compared. */
#include "synth/region/tiling.h"

#include <string.h>

enum { TRIES = 1 << 22, SEEN = 1 << 11 };

typedef struct frame {
    uint32_t cell;
    uint32_t wastes, tile, up, left_by; /* of the next place that is tried */
    uint32_t left;              /* needed units that nothing covers */
    zl_region_value value;
    zl_block_place taken; /* the place that led to the frame above this one */
} frame;

/* A partial cover that was followed. */
typedef struct partial {
    uint64_t serial;
    uint32_t cell;
    zl_region_value value;
} partial;

struct zl_block_search {
    const zl_block_tile *tile;
    uint32_t tiles, highest; /* of its tiles, at most ZL_BLOCK_SIDE */
    zl_region_value *bound;  /* of so many units */
    frame *frame;
    zl_block_place *best;
    partial *partial;
    uint64_t *rows; /* of what was followed, `window` for each */
    uint32_t window;
    uint64_t serial, taken[ZL_BLOCK_SIDE];
    uint32_t tries;
};

zl_region_value zl_block_bound(const zl_block_tile *tile, uint32_t count, uint64_t unit_cells,
                               uint64_t units)
{
    const zl_block_tile *best = tile;
    uint64_t largest = 0, cells = zl_umul_sat(units, unit_cells);
    for (uint32_t i = 0; i < count; i++) {
        largest = zl_umax(largest, tile[i].value.cells);
        if ((zl_u128)tile[i].value.cost * best->value.cells <
            (zl_u128)best->value.cost * tile[i].value.cells)
            best = &tile[i];
    }
    zl_u128 cost = (zl_u128)cells * best->value.cost;
    cost = cost / best->value.cells + (cost % best->value.cells != 0);
    uint64_t least = cost > UINT64_MAX ? UINT64_MAX : (uint64_t)cost;
    return (zl_region_value){least, cells, zl_ceil_div(cells, largest)};
}

zlay_status zl_block_begin(zlay_ctx *ctx, zl_block_search **out, const zl_block_tile *tile,
                           uint32_t count, uint64_t unit_cells, const uint32_t *edge)
{
    zl_block_search *s = *out = zl_scratch(ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    uint32_t units = edge[ZL_REGION_ROWS] * edge[ZL_REGION_COLUMNS];
    s->tile = tile;
    s->tiles = count;
    for (uint32_t i = 0; i < count; i++)
        s->highest = zl_max32(s->highest, zl_min32(tile[i].edge[ZL_REGION_ROWS], ZL_BLOCK_SIDE));
    s->window = zl_min32(edge[ZL_REGION_ROWS], 2 * s->highest - 1);
    s->bound = zl_scratch_plain(ctx, units + 1, sizeof *s->bound);
    s->frame = zl_scratch_plain(ctx, units + 1, sizeof *s->frame);
    s->best = zl_scratch_plain(ctx, units, sizeof *s->best);
    s->partial = zl_scratch(ctx, SEEN, sizeof *s->partial);
    s->rows = zl_scratch_plain(ctx, (size_t)SEEN * s->window, sizeof *s->rows);
    if (!s->bound || !s->frame || !s->best || !s->partial || !s->rows) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i <= units; i++) s->bound[i] = zl_block_bound(tile, count, unit_cells, i);
    return ZLAY_OK;
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The columns of a place that lie in the block, as bits. */
static uint64_t columns_of(const zl_tiling_block *b, uint32_t column, uint32_t columns)
{
    uint32_t end = zl_min32(column + columns, b->edge[ZL_REGION_COLUMNS]);
    uint64_t below = end == ZL_BLOCK_SIDE ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return below & UINT64_MAX << column;
}

static uint32_t end_row(const zl_tiling_block *b, uint32_t row, uint32_t rows)
{
    return zl_min32(row + rows, b->edge[ZL_REGION_ROWS]);
}

static bool is_free(const zl_block_search *s, const zl_tiling_block *b, const zl_block_tile *t,
                    uint32_t row, uint32_t column)
{
    const uint32_t at[] = {row, column};
    for (int axis = 0; axis < ZL_REGION_AXES; axis++)
        if (at[axis] % t->step[axis] ||
            (!b->open[axis] && at[axis] + t->edge[axis] > b->edge[axis]))
            return false;
    uint64_t columns = columns_of(b, column, t->edge[ZL_REGION_COLUMNS]), any = 0;
    for (uint32_t i = row; i < end_row(b, row, t->edge[ZL_REGION_ROWS]); i++) any |= s->taken[i];
    return !(any & columns);
}

static uint32_t needed_units(const zl_tiling_block *b, const zl_block_tile *t, zl_block_place p)
{
    uint64_t columns = columns_of(b, p.column, t->edge[ZL_REGION_COLUMNS]);
    uint32_t units = 0;
    for (uint32_t i = p.row; i < end_row(b, p.row, t->edge[ZL_REGION_ROWS]); i++)
        units += (uint32_t)__builtin_popcountll(b->need[i] & columns);
    return units;
}

static bool wastes(const zl_tiling_block *b, const zl_block_tile *t, zl_block_place p)
{
    return needed_units(b, t, p) <
           (uint64_t)t->edge[ZL_REGION_ROWS] * t->edge[ZL_REGION_COLUMNS];
}

/* Takes a place, or gives it back. */
static void turn(zl_block_search *s, const zl_tiling_block *b, zl_block_place p)
{
    const zl_block_tile *t = &s->tile[p.tile];
    uint64_t columns = columns_of(b, p.column, t->edge[ZL_REGION_COLUMNS]);
    for (uint32_t i = p.row; i < end_row(b, p.row, t->edge[ZL_REGION_ROWS]); i++)
        s->taken[i] ^= columns;
}

/* The next place of some tile that has the frame's unit; false: there is none. */
static bool next_of(zl_block_search *s, const zl_tiling_block *b, frame *f, zl_block_place *out)
{
    uint32_t row = f->cell / ZL_BLOCK_SIDE, column = f->cell % ZL_BLOCK_SIDE;
    for (; f->tile < s->tiles; f->tile++, f->up = f->left_by = 0) {
        const zl_block_tile *t = &s->tile[f->tile];
        for (; f->up < t->edge[ZL_REGION_ROWS] && f->up <= row; f->up++, f->left_by = 0)
            while (f->left_by < t->edge[ZL_REGION_COLUMNS] && f->left_by <= column) {
                uint32_t at = column - f->left_by++;
                if (!s->tries) return false;
                s->tries--;
                if (!is_free(s, b, t, row - f->up, at)) continue;
                *out = (zl_block_place){(uint16_t)(row - f->up), (uint16_t)at, (uint16_t)f->tile};
                if (wastes(b, t, *out) == f->wastes) return true;
            }
    }
    return false;
}

static bool next_place(zl_block_search *s, const zl_tiling_block *b, frame *f, zl_block_place *out)
{
    for (; f->wastes < 2; f->wastes++, f->tile = f->up = f->left_by = 0)
        if (next_of(s, b, f, out)) return true;
    return false;
}

/* ---- the search ------------------------------------------------------------------------------ */

static uint32_t first_unit(const zl_block_search *s, const zl_tiling_block *b, uint32_t row)
{
    while (!(b->need[row] & ~s->taken[row])) row++;
    return row * ZL_BLOCK_SIDE + (uint32_t)__builtin_ctzll(b->need[row] & ~s->taken[row]);
}

/* Whether a partial cover of no greater value left the same; else it is remembered. */
static bool was_seen(zl_block_search *s, const zl_tiling_block *b, uint32_t cell,
                     const zl_region_value *v)
{
    uint32_t row = cell / ZL_BLOCK_SIDE, from = row < s->highest ? 0 : row - s->highest + 1;
    uint32_t to = zl_min32(row + s->highest, b->edge[ZL_REGION_ROWS]);
    uint64_t hash = cell;
    for (uint32_t i = from; i < to; i++)
        hash = (hash ^ s->taken[i]) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29;
    uint64_t at = hash % SEEN;
    partial *e = &s->partial[at];
    uint64_t *rows = s->rows + at * s->window;
    size_t bytes = (to - from) * sizeof *rows;
    bool same = e->serial == s->serial && e->cell == cell && !memcmp(rows, s->taken + from, bytes);
    if (same && !zl_region_is_less(v, &e->value)) return true;
    *e = (partial){s->serial, cell, *v};
    memcpy(rows, s->taken + from, bytes);
    return false;
}

static void record(zl_block_search *s, zl_tiling_block *b, const zl_region_value *value,
                   uint32_t depth)
{
    b->found = true;
    b->value = *value;
    b->count = depth;
    for (uint32_t i = 0; i < depth; i++) s->best[i] = s->frame[i].taken;
}

/* Whether a partial cover may lead to a lesser one. */
static bool is_open(const zl_block_search *s, const zl_tiling_block *b, const frame *f)
{
    zl_region_value least = zl_region_plus(&f->value, &s->bound[f->left]);
    return !b->found || zl_region_is_less(&least, &b->value);
}

/* Takes a place behind the frame of a depth; true: the cover is to be followed. */
static bool follow(zl_block_search *s, zl_tiling_block *b, uint32_t depth, zl_block_place p)
{
    frame *f = &s->frame[depth], *next = f + 1;
    f->taken = p;
    turn(s, b, p);
    *next = (frame){.left = f->left - needed_units(b, &s->tile[p.tile], p)};
    next->value = zl_region_plus(&f->value, &s->tile[p.tile].value);
    if (is_open(s, b, next)) {
        if (!next->left) record(s, b, &next->value, depth + 1);
        else {
            next->cell = first_unit(s, b, f->cell / ZL_BLOCK_SIDE);
            if (!was_seen(s, b, next->cell, &next->value)) return true;
        }
    }
    turn(s, b, p);
    return false;
}

static void search(zl_block_search *s, zl_tiling_block *b, uint32_t units)
{
    uint32_t depth = 0;
    zl_block_place p;
    s->frame[0] = (frame){.left = units, .cell = first_unit(s, b, 0)};
    for (;;) {
        if (is_open(s, b, &s->frame[depth]) && next_place(s, b, &s->frame[depth], &p)) {
            depth += follow(s, b, depth, p);
            continue;
        }
        if (!depth) return;
        turn(s, b, s->frame[--depth].taken);
    }
}

zlay_status zl_block_solve(zlay_ctx *ctx, zl_block_search *s, zl_tiling_block *b)
{
    uint32_t units = 0;
    for (uint32_t i = 0; i < b->edge[ZL_REGION_ROWS]; i++)
        units += (uint32_t)__builtin_popcountll(b->need[i]);
    memset(s->taken, 0, sizeof s->taken);
    s->serial++;
    s->tries = TRIES;
    b->found = b->exact = false;
    b->count = 0;
    search(s, b, units);
    b->exact = s->tries != 0;
    zlay_status status = zl_charge(ctx, TRIES - s->tries + ZL_BLOCK_SIDE);
    b->place = status ? NULL : zl_scratch_plain(ctx, b->count + 1, sizeof *b->place);
    if (!b->place) return ZLAY_ENOMEM;
    memcpy(b->place, s->best, b->count * sizeof *b->place);
    return status;
}
