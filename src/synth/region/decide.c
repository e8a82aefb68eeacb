/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether parts are disjoint and cover a domain, and counts what they take.
 *
 * The decision. Give each rectangle a 1 at its first corner and at the one past its last, and a -1
 * at the two others. The sum of these numbers over all corners above and left of a cell is 1 inside
 * the rectangle and 0 outside (a summed-area table, read backwards). So the numbers of all parts
 * equal those of all groups exactly where every cell of a group lies in one part and no other cell
 * lies in any. Sorted by row and column, those of a group are compared by one walk. The first
 * corner at which they differ is a cell that shows it: no earlier difference has a part in its sum,
 * so the difference there is the number of parts on the cell, less what should be there. */
#include "synth/region/region.h"

#include <stdlib.h>
#include <string.h>

enum { CORNERS = 4, FEW = 48 };

typedef struct corner {
    int64_t row, column, sign;
} corner;

static void put_corners(corner *to, zl_region_span rows, zl_region_span columns, int64_t sign)
{
    int64_t bottom = rows.begin + (int64_t)rows.length;
    int64_t right = columns.begin + (int64_t)columns.length;
    to[0] = (corner){rows.begin, columns.begin, sign};
    to[1] = (corner){rows.begin, right, -sign};
    to[2] = (corner){bottom, columns.begin, -sign};
    to[3] = (corner){bottom, right, sign};
}

static int by_place(const void *left, const void *right)
{
    const corner *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->column > b->column) - (a->column < b->column);
}

/* Most groups have few parts, and for few corners insertion takes the least time. */
static void sort(corner *c, uint64_t count)
{
    if (count > FEW) {
        qsort(c, count, sizeof *c, by_place);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        corner moved = c[i];
        uint64_t at = i;
        for (; at && by_place(&c[at - 1], &moved) > 0; at--) c[at] = c[at - 1];
        c[at] = moved;
    }
}

static bool is_inside(zl_region_span span, int64_t at)
{
    return at >= span.begin && at - span.begin < (int64_t)span.length;
}

/* The first corner of a group at which the numbers do not cancel. */
static bool differs(const zl_domain *d, uint64_t group, const corner *c, uint64_t count,
                    zlay_region_fault *fault)
{
    for (uint64_t i = 0, next; i < count; i = next) {
        int64_t sum = 0;
        for (next = i; next < count && !by_place(&c[i], &c[next]); next++) sum += c[next].sign;
        if (!sum) continue;
        bool valid = is_inside(zl_region_of(&d->side[ZL_REGION_ROWS], group), c[i].row) &&
                     is_inside(zl_region_of(&d->side[ZL_REGION_COLUMNS], group), c[i].column);
        *fault = (zlay_region_fault){group, c[i].row, c[i].column, valid + sum};
        return true;
    }
    return false;
}

zl_region_span zl_region_part_span(const zlay_region_part *part, int axis)
{
    if (axis == ZL_REGION_ROWS) return (zl_region_span){part->row, part->rows};
    return (zl_region_span){part->column, part->columns};
}

/* Decides a group, of which there are `count` parts. */
static bool group_differs(const zl_domain *d, uint64_t group, const zlay_region_part *parts,
                          uint64_t count, corner *c, zlay_region_fault *fault)
{
    zl_region_span rows = zl_region_of(&d->side[ZL_REGION_ROWS], group);
    zl_region_span columns = zl_region_of(&d->side[ZL_REGION_COLUMNS], group);
    uint64_t used = 0;
    if (rows.length && columns.length) {
        put_corners(c, rows, columns, -1);
        used = CORNERS;
    }
    for (uint64_t i = 0; i < count; i++, used += CORNERS)
        put_corners(c + used, zl_region_part_span(&parts[i], ZL_REGION_ROWS),
                    zl_region_part_span(&parts[i], ZL_REGION_COLUMNS), 1);
    sort(c, used);
    return differs(d, group, c, used, fault);
}

static int by_group(const void *left, const void *right)
{
    const zlay_region_part *a = left, *b = right;
    return (a->group > b->group) - (a->group < b->group);
}

/* The parts in the order of their groups, a copy where they are not; the most that a group has. */
static zlay_status in_order(zlay_ctx *ctx, const zlay_region_part **parts, uint64_t count,
                            uint64_t *most)
{
    const zlay_region_part *p = *parts;
    uint64_t i = 1, run = 0;
    while (i < count && p[i - 1].group <= p[i].group) i++;
    if (i < count) {
        zlay_region_part *copy = zl_scratch_plain(ctx, count, sizeof *copy);
        if (!copy) return ZLAY_ENOMEM;
        memcpy(copy, p, count * sizeof *copy);
        qsort(copy, count, sizeof *copy, by_group);
        *parts = p = copy;
    }
    *most = 0;
    for (i = 0; i < count; i++) {
        run = i && p[i - 1].group == p[i].group ? run + 1 : 1;
        *most = zl_umax(*most, run);
    }
    return ZLAY_OK;
}

zlay_status zl_region_decide(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                             const zl_domain *d, const zlay_region_part *parts, uint64_t count)
{
    uint64_t all = zl_umul_sat(zl_uadd_sat(count, d->request.count), CORNERS), most, at = 0;
    zlay_status status = zl_charge(ctx, zl_umul_sat(all, zl_bit_length(all)));
    zl_mark mark = zl_scratch_mark(ctx);
    if (!status) status = in_order(ctx, &parts, count, &most);
    if (status) return status;
    corner *c = zl_scratch_plain(ctx, (most + 1) * CORNERS, sizeof *c);
    if (!c) return ZLAY_ENOMEM;
    *answer = ZLAY_YES;
    for (uint64_t group = 0; group < d->request.count && *answer == ZLAY_YES; group++) {
        uint64_t first = at;
        while (at < count && parts[at].group == group) at++;
        const zlay_region_part *own = at > first ? &parts[first] : NULL;
        if (group_differs(d, group, own, at - first, c, fault)) *answer = ZLAY_NO;
    }
    zl_scratch_release(ctx, mark);
    return ZLAY_OK;
}

/* ---- counts ---------------------------------------------------------------------------------- */

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
        return zl_fail(ctx, ZLAY_EOVERFLOW,
                       "row_bytes, column_bytes, cell_bytes: the bytes loaded pass 64 bits");
    out->wasted_bytes = out->loaded_bytes - (uint64_t)t.useful;
    return ZLAY_OK;
}
