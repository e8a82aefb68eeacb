/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether parts are disjoint and cover a domain, and counts what they take.
 *
 * The decision.  Give each rectangle a 1 at its first corner and at the one past its last, and a -1
 * at the two others. The sum of these numbers over all corners above and left of a cell is 1 inside
 * the rectangle and 0 outside (a summed-area table, read backwards). So the numbers of all parts
 * equal those of all groups exactly where every cell of a group lies in one part and no other cell
 * lies in any. Sorted by group, row and column, they are compared by one walk. The first corner at
 * which they differ is a cell that shows it: no earlier difference has a part in its sum, so the
 * difference there is the number of parts on the cell, less what should be there. */
#include "synth/region/region.h"

#include <stdlib.h>

enum { CORNERS = 4 };

typedef struct corner {
    uint64_t group;
    int64_t row, column, sign;
} corner;

static void put_corners(corner *to, uint64_t group, zl_region_span rows, zl_region_span columns,
                        int64_t sign)
{
    int64_t bottom = rows.begin + (int64_t)rows.length;
    int64_t right = columns.begin + (int64_t)columns.length;
    to[0] = (corner){group, rows.begin, columns.begin, sign};
    to[1] = (corner){group, rows.begin, right, -sign};
    to[2] = (corner){group, bottom, columns.begin, -sign};
    to[3] = (corner){group, bottom, right, sign};
}

static int by_place(const void *left, const void *right)
{
    const corner *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

static bool is_inside(zl_region_span span, int64_t at)
{
    return at >= span.begin && at - span.begin < (int64_t)span.length;
}

/* How many parts a cell of a group should have. */
static int64_t wanted_at(const zl_domain *d, uint64_t group, int64_t row, int64_t column)
{
    return is_inside(zl_region_of(&d->side[ZL_REGION_ROWS], group), row) &&
           is_inside(zl_region_of(&d->side[ZL_REGION_COLUMNS], group), column);
}

/* The first corner at which the numbers do not cancel. */
static bool differs(const zl_domain *d, const corner *c, uint64_t count, zlay_region_fault *fault)
{
    for (uint64_t i = 0, next; i < count; i = next) {
        int64_t sum = 0;
        for (next = i; next < count && !by_place(&c[i], &c[next]); next++) sum += c[next].sign;
        if (!sum) continue;
        *fault = (zlay_region_fault){c[i].group, c[i].row, c[i].column,
                                     wanted_at(d, c[i].group, c[i].row, c[i].column) + sum};
        return true;
    }
    return false;
}

zl_region_span zl_region_part_span(const zlay_region_part *part, int axis)
{
    if (axis == ZL_REGION_ROWS) return (zl_region_span){part->row, part->rows};
    return (zl_region_span){part->column, part->columns};
}

zlay_status zl_region_decide(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                             const zl_domain *d, const zlay_region_part *parts, uint64_t count)
{
    uint64_t all = zl_umul_sat(zl_uadd_sat(count, d->request.count), CORNERS), used = 0;
    zlay_status status = zl_charge(ctx, zl_umul_sat(all, zl_bit_length(all)));
    zl_mark mark = zl_scratch_mark(ctx);
    corner *c = status ? NULL : zl_scratch_plain(ctx, all, sizeof *c);
    if (!c) return ZLAY_ENOMEM;
    for (uint64_t i = 0; i < d->request.count; i++) {
        zl_region_span rows = zl_region_of(&d->side[ZL_REGION_ROWS], i);
        zl_region_span columns = zl_region_of(&d->side[ZL_REGION_COLUMNS], i);
        if (!rows.length || !columns.length) continue;
        put_corners(c + used, i, rows, columns, -1);
        used += CORNERS;
    }
    for (uint64_t i = 0; i < count; i++, used += CORNERS)
        put_corners(c + used, parts[i].group, zl_region_part_span(&parts[i], ZL_REGION_ROWS),
                    zl_region_part_span(&parts[i], ZL_REGION_COLUMNS), 1);
    if (used) qsort(c, used, sizeof *c, by_place);
    *answer = differs(d, c, used, fault) ? ZLAY_NO : ZLAY_YES;
    zl_scratch_release(ctx, mark);
    return ZLAY_OK;
}

/* ---- counts ------------------------------------------------------------------------------------ */

/* A part in one dimension. */
typedef struct extents {
    uint64_t valid, steps, computed, loaded;
} extents;

uint64_t zl_region_steps(const zl_domain *d, const zlay_region_part *part, int axis)
{
    uint64_t reach = zl_region_reach(&d->side[axis], zl_region_part_span(part, axis));
    return zl_ceil_div(reach, zl_region_edge(&d->tile[part->tile], axis));
}

/* Loads that read on bring whole tiles, but nothing behind the buffer. */
static extents extents_of(const zl_domain *d, const zlay_region_part *part, int axis)
{
    const zl_region_side *side = &d->side[axis];
    zl_region_span span = zl_region_part_span(part, axis);
    extents e = {.valid = span.length, .steps = zl_region_steps(d, part, axis),
                 .loaded = span.length};
    e.computed = e.steps * zl_region_edge(&d->tile[part->tile], axis);
    if (side->read_on)
        e.loaded = zl_umin(e.computed,
                           side->extent - (uint64_t)zl_region_from(side, span.begin));
    return e;
}

/* Sums that are compared with 64 bits at the end: of 2^40 parts none passes 2^127. */
typedef struct totals {
    zl_u128 valid, cells, pieces, cost, loaded, useful;
} totals;

static zl_u128 bytes_of(const zl_domain *d, const extents *rows, const extents *columns, bool valid)
{
    const zlay_region_request *r = &d->request;
    zl_u128 high = valid ? rows->valid : rows->loaded;
    zl_u128 wide = valid ? columns->valid : columns->loaded;
    return high * columns->steps * r->row_bytes + wide * rows->steps * r->column_bytes +
           high * wide * r->cell_bytes;
}

static void count_part(totals *t, const zl_domain *d, const zlay_region_part *part)
{
    extents rows = extents_of(d, part, ZL_REGION_ROWS);
    extents columns = extents_of(d, part, ZL_REGION_COLUMNS);
    zl_u128 pieces = (zl_u128)rows.steps * columns.steps;
    t->valid += (zl_u128)rows.valid * columns.valid;
    t->cells += (zl_u128)rows.computed * columns.computed;
    t->pieces += pieces;
    t->cost += pieces * d->tile[part->tile].cost;
    t->loaded += bytes_of(d, &rows, &columns, false);
    t->useful += bytes_of(d, &rows, &columns, true);
}

static bool fits(uint64_t *to, zl_u128 value)
{
    *to = (uint64_t)value;
    return value <= UINT64_MAX;
}

/* A bound so that no sum of 128 bits wraps: a part's cost is below 2^64 * 2^62. */
static bool passes(const totals *t)
{
    return (t->valid | t->cells | t->pieces | t->cost | t->loaded | t->useful) > UINT64_MAX;
}

zlay_status zl_region_count(zlay_ctx *ctx, zlay_region_summary *out, const zl_domain *d,
                            const zlay_region_part *parts, uint64_t count)
{
    totals t = {0};
    zlay_status status = zl_charge(ctx, count);
    for (uint64_t i = 0; !status && i < count && !passes(&t); i++) count_part(&t, d, &parts[i]);
    if (status) return status;
    *out = (zlay_region_summary){.groups = d->request.count, .parts = count};
    if (!fits(&out->valid, t.valid) || !fits(&out->cells, t.cells) ||
        !fits(&out->pieces, t.pieces) || !fits(&out->cost, t.cost))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "the cells, pieces or cost of all groups pass 64 bits");
    out->waste = out->cells - out->valid;
    if (!fits(&out->madds, t.cells * d->request.depth))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "depth: the multiply-adds pass 64 bits");
    out->wasted_madds = out->waste * d->request.depth;
    if (!fits(&out->loaded_bytes, t.loaded))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "row_bytes, column_bytes, cell_bytes: the bytes loaded pass 64 bits");
    out->wasted_bytes = out->loaded_bytes - (uint64_t)t.useful;
    return ZLAY_OK;
}
