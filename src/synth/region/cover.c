/* SPDX-License-Identifier: Apache-2.0 */
/* Covers each group of a ragged domain by strips of rows that are cut into columns, at the least
 * cost: for each number of rows that tiles have, the least sum of such tiles over the columns; then
 * the least sum of strips over the rows (knapsack.h). This is two-stage guillotine cutting (Gilmore
 * and Gomory, "Multistage cutting stock problems", 1965), for a covering.
 *
 * The bound. Let all tiles have c columns. A line down the group at each c-th column meets every
 * tile at most once, and the tiles that it meets cover the rows, so they cost no less than the
 * least sum over the rows. So no cover costs less than that times the lines, which is what strips
 * cost. The same holds for the cells, for the pieces, and where all tiles have the same rows. With
 * tiles of several rows and columns, let g and h divide all of them. A tile has at most its cells /
 * (g h) of the cells at multiples of g and h, and all of these in the group must be covered: the
 * cost is no less than g h times their number times the least cost of a cell. */
#include "synth/region/region.h"
#include "synth/region/knapsack.h"

#include <string.h>

struct zlay_region {
    zlay_allocator alloc;
    zlay_region_summary summary;
    zl_region_side side[ZL_REGION_AXES]; /* without the arrays */
    zlay_region_tile tile[ZLAY_REGION_TILES];
    zlay_region_part *part;
    uint64_t room;
};

/* ---- strips ---------------------------------------------------------------------------------- */

typedef struct strip {
    zl_knapsack sums;                        /* of the columns of tiles that have its rows */
    uint32_t number[ZLAY_REGION_TILES];  /* of these tiles */
    uint64_t times[ZLAY_REGION_TILES];   /* of the group's columns */
} strip;

typedef struct cutter {
    const zl_domain *d;
    zlay_region *out;
    strip *strip; /* as many as tiles differ in rows, the greatest first */
    uint32_t strips;
    zl_knapsack sums; /* of the strips */
    uint64_t columns; /* for which the sums are made; 0: none */
    zl_mark mark;
    bool same_rows, same_columns; /* of all tiles */
    zl_u128 bound;
    bool optimal;
} cutter;

/* The tiles with the greatest columns first. */
static void order_tiles(const zl_domain *d, uint32_t *order, int axis)
{
    for (uint32_t i = 0; i < d->request.tiles; i++) {
        uint32_t at = i;
        uint64_t edge = zl_region_edge(&d->tile[i], axis);
        for (; at && zl_region_edge(&d->tile[order[at - 1]], axis) < edge; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static strip *strip_of(cutter *c, uint64_t rows)
{
    uint32_t i = 0;
    while (i < c->strips && c->sums.size[i] != rows) i++;
    if (i == c->strips) c->sums.size[c->strips++] = rows;
    return &c->strip[i];
}

/* Strips in the order of their rows, and in each its tiles in the order of their columns. */
static void gather(cutter *c)
{
    const zl_domain *d = c->d;
    uint32_t order[ZLAY_REGION_TILES];
    order_tiles(d, order, ZL_REGION_ROWS);
    for (uint32_t i = 0; i < d->request.tiles; i++) strip_of(c, d->tile[order[i]].rows);
    order_tiles(d, order, ZL_REGION_COLUMNS);
    for (uint32_t i = 0; i < d->request.tiles; i++) {
        const zlay_region_tile *t = &d->tile[order[i]];
        strip *s = strip_of(c, t->rows);
        uint32_t k = s->sums.count++;
        s->number[k] = order[i];
        s->sums.size[k] = t->columns;
        s->sums.value[k] = (zl_region_value){t->cost, (uint64_t)t->rows * t->columns, 1};
        c->same_rows &= t->rows == d->tile[0].rows;
        c->same_columns &= t->columns == d->tile[0].columns;
    }
    c->sums.count = c->strips;
}

static zlay_status cutter_begin(zlay_ctx *ctx, cutter *c, const zl_domain *d, zlay_region *out)
{
    *c = (cutter){.d = d, .out = out, .same_rows = true, .same_columns = true, .optimal = true};
    c->strip = zl_scratch(ctx, d->request.tiles, sizeof *c->strip);
    if (!c->strip) return ZLAY_ENOMEM;
    gather(c);
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && i < c->strips; i++)
        status = zl_knapsack_begin(ctx, &c->strip[i].sums, d->side[ZL_REGION_COLUMNS].longest);
    c->mark = zl_scratch_mark(ctx);
    return status;
}

/* Sums of strips for groups of so many columns. */
static zlay_status strips_for(zlay_ctx *ctx, cutter *c, uint64_t columns)
{
    zlay_status status = ZLAY_OK;
    if (c->columns == columns) return ZLAY_OK;
    zl_scratch_release(ctx, c->mark);
    for (uint32_t i = 0; !status && i < c->strips; i++)
        status = zl_knapsack_least(ctx, &c->strip[i].sums, columns, &c->sums.value[i],
                               c->strip[i].times);
    c->columns = status ? 0 : columns;
    return status ? status : zl_knapsack_begin(ctx, &c->sums, c->d->side[ZL_REGION_ROWS].longest);
}

/* ---- parts ----------------------------------------------------------------------------------- */

static zlay_status part_put(zlay_ctx *ctx, zlay_region *out, const zlay_region_part *part)
{
    uint64_t count = out->summary.parts;
    if (count == out->room) {
        uint64_t room = out->room ? 2 * out->room : 16;
        zlay_region_part *more = zl_alloc_plain(ctx, room, sizeof *more);
        if (!more) return ZLAY_ENOMEM;
        if (count) memcpy(more, out->part, count * sizeof *more);
        zl_free(&out->alloc, out->part, out->room * sizeof *more);
        out->part = more;
        out->room = room;
    }
    out->part[out->summary.parts++] = *part;
    return ZLAY_OK;
}

/* What `times` tiles of an edge take of a span, from where the last ones ended: *at, which counts
 * from the beginning of the loads. */
static zl_region_span take(const zl_region_side *side, zl_region_span span, uint64_t *at,
                           uint64_t edge, uint64_t times)
{
    uint64_t reach = zl_region_reach(side, span), lead = reach - span.length;
    uint64_t from = zl_umax(*at, lead), to = zl_umin(*at + edge * times, reach);
    *at = to;
    return (zl_region_span){span.begin + (int64_t)(from - lead), to - from};
}

static zlay_status strip_put(zlay_ctx *ctx, cutter *c, uint64_t group, const strip *s,
                             zl_region_span rows)
{
    const zl_region_side *side = &c->d->side[ZL_REGION_COLUMNS];
    zlay_status status = ZLAY_OK;
    uint64_t at = 0;
    for (uint32_t k = 0; !status && k < s->sums.count; k++) {
        if (!s->times[k]) continue;
        zl_region_span columns =
            take(side, zl_region_of(side, group), &at, s->sums.size[k], s->times[k]);
        zlay_region_part part = {.group = group, .row = rows.begin, .rows = rows.length,
                                 .column = columns.begin, .columns = columns.length,
                                 .tile = s->number[k]};
        part.pieces = zl_region_steps(c->d, &part, ZL_REGION_ROWS) *
                      zl_region_steps(c->d, &part, ZL_REGION_COLUMNS);
        part.first = c->out->summary.pieces;
        if (!zl_uadd(part.first, part.pieces, &c->out->summary.pieces))
            return zl_fail(ctx, ZLAY_EOVERFLOW, "the pieces of all groups pass 64 bits");
        status = part_put(ctx, c->out, &part);
    }
    return status;
}

/* ---- the bound ------------------------------------------------------------------------------- */

/* The bound for tiles of several rows and columns, at a group of so many steps. */
static zl_u128 bound_of(const cutter *c, uint64_t rows, uint64_t columns)
{
    const zlay_region_tile *t = c->d->tile, *least = t;
    uint64_t g = 0, h = 0;
    for (uint32_t i = 0; i < c->d->request.tiles; i++) {
        g = zl_gcd(g, t[i].rows);
        h = zl_gcd(h, t[i].columns);
        if ((zl_u128)t[i].cost * least->rows * least->columns <
            (zl_u128)least->cost * t[i].rows * t[i].columns)
            least = &t[i];
    }
    zl_u128 cells = (zl_u128)zl_round_up(rows, g) * zl_round_up(columns, h);
    if (!c->d->costs) return cells;
    zl_u128 area = (zl_u128)least->rows * least->columns, cost = cells * least->cost;
    return cost / area + (cost % area != 0);
}

static uint64_t largest(const zl_domain *d)
{
    uint64_t area = 0;
    for (uint32_t i = 0; i < d->request.tiles; i++)
        area = zl_umax(area, (uint64_t)d->tile[i].rows * d->tile[i].columns);
    return area;
}

/* Adds a group's bound; the cover stays optimal where it meets it. */
static void bound_add(cutter *c, const zl_region_value *value, uint64_t rows, uint64_t columns)
{
    if (c->same_rows || c->same_columns) {
        c->bound += value->cost;
        return;
    }
    zl_u128 bound = bound_of(c, rows, columns);
    c->bound += bound;
    c->optimal = c->optimal && !c->d->costs && value->cost == bound &&
                 value->pieces == zl_ceil_div(value->cells, largest(c->d));
}

/* ---- a group --------------------------------------------------------------------------------- */

static zlay_status cover_group(zlay_ctx *ctx, cutter *c, uint64_t group)
{
    const zl_region_side *side = &c->d->side[ZL_REGION_ROWS];
    zl_region_span rows = zl_region_of(side, group);
    zl_region_span columns = zl_region_of(&c->d->side[ZL_REGION_COLUMNS], group);
    uint64_t high = zl_region_reach(side, rows), at = 0, times[ZLAY_REGION_TILES];
    uint64_t wide = zl_region_reach(&c->d->side[ZL_REGION_COLUMNS], columns);
    zl_region_value value;
    if (!high || !wide) return ZLAY_OK;
    zlay_status status = strips_for(ctx, c, wide);
    if (!status) status = zl_knapsack_least(ctx, &c->sums, high, &value, times);
    if (status) return status;
    bound_add(c, &value, high, wide);
    for (uint32_t i = 0; !status && i < c->strips; i++)
        if (times[i])
            status = strip_put(ctx, c, group, &c->strip[i],
                               take(side, rows, &at, c->sums.size[i], times[i]));
    return status;
}

/* Where loads may not begin before a group, it begins at a multiple of align. */
static zlay_status align_check(zlay_ctx *ctx, const zl_domain *d, int axis)
{
    const zl_region_side *side = &d->side[axis];
    for (uint64_t i = 0; i < (side->shared ? 1 : d->request.count) && !side->read_on; i++)
        if (side->span[i].length && side->span[i].begin % side->align)
            return zl_fail(ctx, ZLAY_NONE,
                           "%s: group %llu begins at %lld, which is no multiple of align, %u; only "
                           "with read_on may loads begin before it",
                           axis ? "columns" : "rows", (unsigned long long)i,
                           (long long)side->span[i].begin, side->align);
    return ZLAY_OK;
}

/* Decides and counts what was planned, as zlay_region_check does. */
static zlay_status confirm(zlay_ctx *ctx, zlay_region *out, const zl_domain *d, const cutter *c)
{
    zlay_answer answer;
    zlay_region_fault fault;
    uint64_t parts = out->summary.parts;
    zlay_status status = zl_region_decide(ctx, &answer, &fault, d, out->part, parts);
    if (!status && answer != ZLAY_YES)
        return zl_fail(ctx, ZLAY_EINTERNAL, "group %llu: row %lld, column %lld has %lld parts",
                       (unsigned long long)fault.group, (long long)fault.row,
                       (long long)fault.column, (long long)fault.parts);
    if (!status) status = zl_region_count(ctx, &out->summary, d, out->part, parts);
    out->summary.lower_bound = (uint64_t)c->bound; /* no more than the cost, which fits */
    out->summary.optimal = c->optimal;
    return status;
}

static zlay_status cover(zlay_ctx *ctx, zlay_region *out, const zlay_region_request *request)
{
    zl_domain d;
    cutter c;
    zlay_status status = zl_domain_read(ctx, &d, request);
    for (int axis = 0; !status && axis < ZL_REGION_AXES; axis++)
        status = align_check(ctx, &d, axis);
    if (!status) status = cutter_begin(ctx, &c, &d, out);
    for (uint64_t i = 0; !status && i < d.request.count; i++) status = cover_group(ctx, &c, i);
    if (!status) status = confirm(ctx, out, &d, &c);
    if (status) return status;
    memcpy(out->tile, d.tile, sizeof out->tile);
    for (int axis = 0; axis < ZL_REGION_AXES; axis++)
        out->side[axis] = (zl_region_side){.read_on = d.side[axis].read_on,
                                           .align = d.side[axis].align};
    return ZLAY_OK;
}

zlay_status zlay_region_cover(zlay_ctx *ctx, zlay_region **out, const zlay_region_request *request)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_region *region = zl_alloc(ctx, 1, sizeof *region);
    if (!region) return zl_leave(ctx, ZLAY_ENOMEM);
    region->alloc = zl_allocator(ctx);
    status = zl_leave(ctx, zl_whole(ctx, cover(ctx, region, request)));
    if (status) zlay_region_free(region);
    else *out = region;
    return status;
}

/* ---- what a cover says ----------------------------------------------------------------------- */

const zlay_region_tile *zl_region_tile(const zlay_region *region, uint32_t tile)
{
    return tile < ZLAY_REGION_TILES ? &region->tile[tile] : NULL;
}

zlay_status zlay_region_info(zlay_region_summary *out, const zlay_region *region)
{
    if (!out || !region) return ZLAY_EINVAL;
    *out = region->summary;
    return ZLAY_OK;
}

zlay_status zlay_region_part_nth(zlay_region_part *out, const zlay_region *region, uint64_t i)
{
    if (!out || !region) return ZLAY_EINVAL;
    if (i >= region->summary.parts) return ZLAY_NONE;
    *out = region->part[i];
    return ZLAY_OK;
}

/* The i-th step of a part in one dimension: where its tile begins, and what is valid there. */
static zl_region_span step_of(const zl_region_side *side, zl_region_span span, uint64_t edge,
                              uint64_t i, int64_t *tile)
{
    *tile = zl_region_from(side, span.begin) + (int64_t)(edge * i);
    int64_t from = zl_max(*tile, span.begin);
    int64_t to = zl_min(*tile + (int64_t)edge, span.begin + (int64_t)span.length);
    return (zl_region_span){from, (uint64_t)(to - from)};
}

zlay_status zlay_region_piece_nth(zlay_region_piece *out, const zlay_region *region, uint64_t i)
{
    if (!out || !region) return ZLAY_EINVAL;
    if (i >= region->summary.pieces) return ZLAY_NONE;
    uint64_t low = 0, high = region->summary.parts;
    while (high - low > 1) {
        uint64_t half = low + (high - low) / 2;
        if (region->part[half].first <= i) low = half;
        else high = half;
    }
    const zlay_region_part *part = &region->part[low];
    const zlay_region_tile *t = &region->tile[part->tile];
    const zl_region_side *side = region->side;
    zl_region_span columns = zl_region_part_span(part, ZL_REGION_COLUMNS);
    uint64_t wide = zl_ceil_div(zl_region_reach(&side[ZL_REGION_COLUMNS], columns), t->columns);
    *out = (zlay_region_piece){.group = part->group, .tile = part->tile};
    zl_region_span rows = step_of(&side[ZL_REGION_ROWS], zl_region_part_span(part, ZL_REGION_ROWS),
                                  t->rows, (i - part->first) / wide, &out->tile_row);
    columns = step_of(&side[ZL_REGION_COLUMNS], columns, t->columns, (i - part->first) % wide,
                      &out->tile_column);
    out->row = rows.begin;
    out->rows = rows.length;
    out->column = columns.begin;
    out->columns = columns.length;
    return ZLAY_OK;
}

void zlay_region_free(zlay_region *region)
{
    if (!region) return;
    zlay_allocator alloc = region->alloc;
    zl_free(&alloc, region->part, region->room * sizeof *region->part);
    zl_free(&alloc, region, sizeof *region);
}
