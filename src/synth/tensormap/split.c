/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a tile that is no single box, because of its edges, into copies that form a product, and
 * proves that fewer copies do not suffice.
 *
 * The proof is about maps that count an axis with edges by one dimension, in whole granules. (Two
 * dimensions can count an axis together, so several copies are not called optimal here; a tile
 * that is split always has such an axis.) The cells that one copy by such a map brings lie in a
 * *window* of the axis: 256 granules, or what a row holds. Two cells at least a window apart
 * belong to two copies. A copy is an interval of shared memory, so two lines with such cells
 * between them belong to two copies as well. So a set of lines, one for each copy of the product,
 * of which every two are apart in this way, proves that fewer copies by such maps do not suffice.
 *
 * In a swizzled row the window is the span, where the granule is no multiple of the span. Proof:
 * suppose that one copy brings the last chunk of two lines at least eight apart, and therefore all
 * nine lines whole. Along the axis of adjacent elements, the places of a copy's chunks are those
 * of a nested loop with steps that are not negative. In the order before another swizzle they are
 * not: either a row of that swizzle's span does not ascend, or the innermost loop has n > 1 steps
 * and two descents are at places that n would have to divide but does not divide
 * (tests/synth/tensormap/split enumerates the cases). So the copy has the tile's swizzle, its rows
 * are whole spans, and the dimension that counts the axis is the row, because no other dimension
 * has an edge inside a span. */
#include "synth/tensormap/tensormap.h"

enum { LINES_APART = 8 };

typedef struct work {
    const zl_tm *t;
    const zl_tm_box *box; /* the whole tile */
    uint32_t at;          /* the digit that is split */
    uint64_t inner;       /* cells of its axis that the digits before it reach */
    uint64_t most;        /* steps of whole cells of it that a box holds */
} work;

/* ---- windows ------------------------------------------------------------------------------ */

/* Whether an edge of the axis falls inside a tile. */
static bool limits(const zl_tm *t, int32_t axis)
{
    return axis != ZL_TM_NO_AXIS && t->axis[axis].clipped &&
           t->axis[axis].granule % t->axis[axis].tile;
}

/* Whether a span of swizzled rows bounds the axis. */
static bool by_span(const work *w, const zl_tm_axis *a)
{
    return w->box->swizzle && a->stride == w->t->element &&
           a->granule * w->t->element % zl_tm_span(w->box->swizzle);
}

/* Cells of a row of the widest elements that the edges allow. */
static uint64_t row_most(const work *w, const zl_tm_axis *a)
{
    uint32_t bytes = ZL_ELEMENT_MOST;
    if (w->t->request.edge != ZLAY_EDGE_WEAK)
        while (a->granule * w->t->element % bytes) bytes /= 2;
    return (uint64_t)ZL_BOX_MOST * bytes / w->t->element;
}

/* The most cells of an axis with edges that a copy reaches; 0: unknown. */
static uint64_t window_of(const work *w, int32_t axis)
{
    const zl_tm_axis *a = &w->t->axis[axis];
    uint64_t indices = zl_umul_sat(a->granule, ZL_BOX_MOST), row;
    if (by_span(w, a)) return zl_tm_span(w->box->swizzle) / w->t->element;
    if (a->stride % ZL_CHUNK == 0) return indices;
    if (a->stride != w->t->element) return 0;
    row = row_most(w, a);
    return row > indices || a->granule * w->t->element % ZL_CHUNK ? row : indices;
}

/* Whether two cells of an axis, with these distances in cells and in shared memory, must belong to
 * two copies. */
static bool apart(const work *w, int32_t axis, int64_t cells, int64_t shared)
{
    uint64_t window = window_of(w, axis), way = (uint64_t)(cells < 0 ? -cells : cells);
    if (!window || way < window) return false;
    return !by_span(w, &w->t->axis[axis]) || shared >= (int64_t)LINES_APART * ZL_LINE;
}

/* ---- the product -------------------------------------------------------------------------- */

/* Whether the box has no gaps in shared memory, no negative step, and swizzled rows of a whole
 * span. */
static bool dense(const zl_tm *t, const zl_tm_box *box)
{
    int64_t next = t->element;
    if (!box->digits || box->shared % ZL_LINE) return false;
    for (uint32_t i = 0; i < box->digits; i++) {
        const zl_tm_digit *d = &box->digit[i];
        if (d->shared != next || d->global < 0 || d->extent % d->per) return false;
        next = d->shared * (int64_t)d->extent;
    }
    return next % ZL_CHUNK == 0 &&
           (!box->swizzle || box->digit[0].extent * t->element == zl_tm_span(box->swizzle));
}

static uint64_t cells_of(const zl_tm_digit *d) { return d->extent / d->per; }

/* The first digit that leaves a window. */
static bool cut_find(work *w)
{
    uint64_t reach[ZL_TM_AXES];
    for (uint32_t i = 0; i < w->t->axes; i++) reach[i] = 1;
    for (w->at = 0; w->at < w->box->digits; w->at++) {
        const zl_tm_digit *d = &w->box->digit[w->at];
        if (!limits(w->t, d->axis)) continue;
        uint64_t window = window_of(w, d->axis);
        w->inner = reach[d->axis];
        reach[d->axis] += (cells_of(d) - 1) * d->unit;
        if (reach[d->axis] <= window) continue;
        w->most = window < w->inner ? 0 : (window - w->inner) / d->unit + 1;
        return w->most > 0;
    }
    return false;
}

/* Adds a digit that counts copies; false: they are too many. */
static bool over_put(zl_tm_split *s, const zl_tm_digit *d)
{
    s->over[s->overs++] = *d;
    return d->per == 1 && zl_umul_sat(s->copies, d->extent) <= UINT32_MAX &&
           (s->copies *= (uint32_t)d->extent, true);
}

/* Cuts the box into the least number of equal parts; false: its cells are no multiple of these. */
static bool cut_make(zl_tm_split *s, const work *w)
{
    zl_tm_digit d = s->box.digit[w->at];
    uint64_t cells = cells_of(&d), parts = (cells + w->most - 1) / w->most, low = cells / parts;
    bool right = cells % parts == 0;
    s->overs = 0;
    s->copies = 1;
    s->box.digit[w->at].extent = low * d.per;
    d.global *= (int64_t)(low * d.per);
    d.shared *= (int64_t)(low * d.per);
    d = (zl_tm_digit){parts, d.global, d.shared, d.axis, d.unit * low, 1};
    right = right && d.shared % ZL_LINE == 0 && (parts == 1 || over_put(s, &d));
    for (uint32_t i = w->at + 1; right && i < s->box.digits; i++)
        right = over_put(s, &s->box.digit[i]);
    s->box.digits = w->at + (low * s->box.digit[w->at].per > 1);
    return right;
}

/* ---- fewer do not suffice ------------------------------------------------------------------- */

/* The distance of two cells or lines: along an axis, and in shared memory. */
typedef struct gap {
    int64_t cells, shared;
} gap;

/* The distance of a step of digit `k`, where the digits between it and the split digit return from
 * their last step to their first (a carry). */
static gap carry(const work *w, uint32_t k, int32_t axis)
{
    const zl_tm_digit *d = w->box->digit;
    gap g = {d[k].axis == axis ? (int64_t)d[k].unit : 0, d[k].shared};
    for (uint32_t i = w->at + 1; i < k; i++) {
        g.shared -= ((int64_t)d[i].extent - 1) * d[i].shared;
        if (d[i].axis == axis) g.cells -= ((int64_t)d[i].extent - 1) * (int64_t)d[i].unit;
    }
    return g;
}

/* The distance by which the split digit then goes back: from the last line that begins a box, from
 * the last line of all, or from the last cell to the first. */
static gap back(const work *w, int how)
{
    const zl_tm_digit *d = &w->box->digit[w->at];
    uint64_t last = cells_of(d) - 1, from = how ? last : last / w->most * w->most;
    gap g = {(int64_t)(from * d->unit), (int64_t)(from * d->per) * d->shared};
    if (how == 2) g = (gap){g.cells + (int64_t)w->inner - 1, INT64_MAX / 2};
    return g;
}

/* Whether lines before and after a step of digit `k` must belong to two copies. */
static bool carry_parts(const work *w, uint32_t k)
{
    for (int32_t axis = 0; axis < (int32_t)w->t->axes; axis++)
        for (int how = 0; limits(w->t, axis) && how < 3; how++) {
            gap on = carry(w, k, axis), off = back(w, how);
            if (w->box->digit[w->at].axis == axis) on.cells -= off.cells;
            if (apart(w, axis, on.cells, on.shared - off.shared)) return true;
        }
    return false;
}

/* Whether there are as many lines, no two of which one copy can bring, as boxes of the split
 * digit.  The lines are those that begin boxes or, where the axis has no gaps, those one window
 * apart from its first cell on. */
static bool parts_least(const work *w)
{
    const zl_tm_digit *d = &w->box->digit[w->at];
    uint64_t cells = cells_of(d), parts = (cells + w->most - 1) / w->most;
    uint64_t window = window_of(w, d->axis), all = w->inner + (cells - 1) * d->unit;
    if (parts == 1 || apart(w, d->axis, (int64_t)(w->most * d->unit),
                            (int64_t)(w->most * d->per) * d->shared))
        return true;
    return w->inner == d->unit && (parts - 1) * window < all &&
           !by_span(w, &w->t->axis[d->axis]);
}

/* Whether each line that begins a box belongs to another copy than the next such line. */
static bool none_fewer(const work *w)
{
    bool proved = parts_least(w);
    for (uint32_t k = w->at + 1; proved && k < w->box->digits; k++) proved = carry_parts(w, k);
    return proved;
}

/* Whether the split digit continues where the cells of the digits before it end.  If there are
 * gaps, a map may count its cells in longer steps, and a copy then reaches beyond the window. */
static bool cells_follow(const work *w)
{
    return w->box->digit[w->at].unit <= w->inner;
}

bool zl_tm_split_of(zl_tm_split *out, const zl_tm *t)
{
    zl_tm_box box;
    work w = {.t = t, .box = &box};
    zl_tm_whole(t, &box);
    zl_tm_merge(t, &box);
    if (!dense(t, &box) || !cut_find(&w) || !cells_follow(&w) || !none_fewer(&w)) return false;
    out->box = box;
    return cut_make(out, &w);
}
