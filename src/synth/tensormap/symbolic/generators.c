/* SPDX-License-Identifier: Apache-2.0 */
/* Proves all cells of a tile together instead of one by one.
 *
 * The element that a cell wants is an affine function of the digits of the shared layout, with
 * coefficients in the unknowns. So is the element that a copy brings to the cell's place, as long
 * as no digit carries into the next coordinate of the box. Two affine functions that agree at one
 * cell, and one step further along each digit, agree at all cells. Where several copies share the
 * tile, the digits with the longest steps are enumerated instead. */
#include "synth/tensormap/symbolic/symbolic.h"

enum { OUTER_MOST = 64 };

typedef struct digits {
    const zl_tm_symbolic *g;
    uint32_t count;
    zl_tm_digit at[ZL_TM_DIGITS]; /* axis: the leaf; unit: cells of it; shared: before the swizzle */
} digits;

/* ---- digits ----------------------------------------------------------------------------- */

static bool digit_put(digits *d, uint64_t extent, uint32_t leaf, uint64_t unit, int64_t shared)
{
    if (extent == 1) return true;
    if (d->count == ZL_TM_DIGITS || shared < 0) return false;
    d->at[d->count++] = (zl_tm_digit){.extent = extent, .axis = (int32_t)leaf, .unit = unit,
                                      .shared = shared};
    return true;
}

/* Cuts the modes of the shared layout into digits where leaves of the tile end; false: they have
 * no common bounds. */
static bool digits_of(digits *d, const zl_tm_symbolic *g)
{
    const zlay_layout *smem = g->move->smem;
    uint32_t leaf = 0;
    uint64_t unit = 1;
    d->g = g;
    d->count = 0;
    if (!smem->modes) return false;
    for (size_t i = 0; i < smem->modes; i++) {
        uint64_t left = (uint64_t)smem->mode[i].shape;
        int64_t step = smem->mode[i].stride * (int64_t)g->element;
        while (left > 1) {
            while (leaf < g->request.axes && unit == g->request.shape[leaf]) leaf++, unit = 1;
            if (leaf == g->request.axes) return false;
            uint64_t room = g->request.shape[leaf] / unit, part = left < room ? left : room;
            if (g->request.shape[leaf] % unit || left % part || room % part ||
                !digit_put(d, part, leaf, unit, step))
                return false;
            unit *= part;
            left /= part;
            step *= (int64_t)part;
        }
    }
    return true;
}

static void sort(digits *d)
{
    for (uint32_t i = 1; i < d->count; i++) {
        zl_tm_digit one = d->at[i];
        uint32_t k = i;
        for (; k && d->at[k - 1].shared > one.shared; k--) d->at[k] = d->at[k - 1];
        d->at[k] = one;
    }
}

/* ---- a box --------------------------------------------------------------------------------- */

/* A copy's box: the bytes of its row, then the steps along each other dimension. */
typedef struct box {
    const zlay_tensormap *map;
    int64_t bytes;            /* of an element */
    int64_t most[ZL_TM_RANK]; /* bytes, steps */
} box;

static bool box_of(box *b, const digits *d, const zlay_copy *copy)
{
    const zl_swizzle s = d->g->move->smem->swizzle;
    b->map = &d->g->move->maps[copy->map];
    const zl_swizzle is = zl_tm_swizzle(b->map->swizzle, d->g->element);
    b->bytes = zlay_tensormap_type_bits(b->map->type) / 8;
    b->most[0] = (int64_t)b->map->box[0] * b->bytes;
    for (uint32_t i = 1; i < b->map->rank; i++)
        b->most[i] = (b->map->box[i] + b->map->step[i] - 1) / b->map->step[i];
    return s.bits == is.bits && (!s.bits || (s.base == is.base && s.shift == is.shift));
}

/* Splits bytes of shared memory into places along the dimensions; false: they leave the box. */
static bool places_of(int64_t out[ZL_TM_RANK], const box *b, int64_t from)
{
    int64_t pitch = b->map->swizzle ? (int64_t)zl_tm_span(b->map->swizzle) : b->most[0];
    out[0] = from % pitch;
    from /= pitch;
    for (uint32_t i = 1; i < b->map->rank; i++) {
        out[i] = from % b->most[i];
        from /= b->most[i];
    }
    return !from;
}

/* The index of a dimension at a place. */
static int64_t index_of(const box *b, const int64_t *place, uint32_t i)
{
    return i ? place[i] * b->map->step[i] : place[i] / b->bytes;
}

/* Whether the first `inner` digits carry somewhere from a cell on, into the next dimension or out
 * of an element's bytes. */
static bool carries(const digits *d, uint32_t inner, const box *b, const int64_t *base)
{
    int64_t most[ZL_TM_RANK], step[ZL_TM_RANK], within = base[0] % b->bytes;
    for (uint32_t i = 0; i < b->map->rank; i++) most[i] = base[i];
    for (uint32_t k = 0; k < inner; k++) {
        if (!places_of(step, b, d->at[k].shared)) return true;
        for (uint32_t i = 0; i < b->map->rank; i++)
            most[i] += step[i] * (int64_t)(d->at[k].extent - 1);
        within += step[0] % b->bytes * (int64_t)(d->at[k].extent - 1);
    }
    for (uint32_t i = 0; i < b->map->rank; i++)
        if (most[i] >= b->most[i]) return true;
    return within >= b->bytes;
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* Whether dividing by `by` commutes with adding what the digits add, because the remainders never
 * carry. */
static bool divides_evenly(const digits *d, uint32_t inner, const box *b, uint32_t dim, int32_t leaf,
                           int64_t from, int64_t by)
{
    int64_t rest = from % by, step[ZL_TM_RANK];
    for (uint32_t k = 0; k < inner && by > 1; k++) {
        if (leaf == ZL_TM_NO_AXIS) places_of(step, b, d->at[k].shared);
        int64_t one = leaf == ZL_TM_NO_AXIS ? index_of(b, step, dim)
                                            : d->at[k].axis == leaf ? (int64_t)d->at[k].unit : 0;
        rest += one % by * (int64_t)(d->at[k].extent - 1);
    }
    return from >= 0 && rest < by;
}

static bool edges_even(const digits *d, uint32_t inner, const box *b, const zl_tm_read *read,
                       const zl_tm_cell *c, const int64_t *at)
{
    for (uint32_t i = 0; i < b->map->rank; i++) {
        int32_t leaf = read->leaf[i];
        if (leaf == ZL_TM_NO_LEAF) continue;
        if (read->times[i] > 1 &&
            !divides_evenly(d, inner, b, i, ZL_TM_NO_AXIS, at[i], read->times[i]))
            return false;
        if (read->part[i] > 1 && !divides_evenly(d, inner, b, i, leaf, c->at[leaf], read->part[i]))
            return false;
    }
    return true;
}

/* Whether some dimension moves exactly as a leaf does, and ends at the leaf's greatest extent. */
static bool ends_with(const digits *d, uint32_t inner, const box *b, const zl_tm_read *read,
                      const zl_tm_cell *c, const int64_t *at, uint32_t leaf)
{
    uint64_t inside = zl_tm_cells_inside(d->g, leaf);
    int64_t step[ZL_TM_RANK];
    for (uint32_t i = 0; i < b->map->rank; i++) {
        bool same = read->leaf[i] == ZL_TM_NO_LEAF && b->map->extent[i] == inside &&
                    at[i] == c->at[leaf];
        for (uint32_t k = 0; k < inner && same; k++) {
            int64_t cells = d->at[k].axis == (int32_t)leaf ? (int64_t)d->at[k].unit : 0;
            same = places_of(step, b, d->at[k].shared) && index_of(b, step, i) == cells;
        }
        if (same) return true;
    }
    return false;
}

static bool outside_filled(const digits *d, uint32_t inner, const box *b, const zl_tm_read *read,
                           const zl_tm_cell *c, const int64_t *at)
{
    for (uint32_t leaf = 0; leaf < d->g->request.axes; leaf++)
        if (zl_tm_cells_inside(d->g, leaf) < d->g->request.shape[leaf] &&
            !ends_with(d, inner, b, read, c, at, leaf))
            return false;
    return true;
}

/* ---- the proof ------------------------------------------------------------------------------- */

static uint64_t index_step(const digits *d, uint32_t k)
{
    uint64_t step = d->at[k].unit;
    for (int32_t leaf = 0; leaf < d->at[k].axis; leaf++) step *= d->g->request.shape[leaf];
    return step;
}

/* Whether a copy brings a cell and all cells that the first `inner` digits reach from it. */
static bool brings_all(const digits *d, uint32_t inner, const zl_tm_cell *c, const zlay_copy *copy)
{
    box b;
    int64_t at[ZL_TM_RANK], within, base[ZL_TM_RANK];
    const zl_tm_read *read = &d->g->read[copy->map];
    if (!box_of(&b, d, copy) || !zl_tm_brought(at, &within, c, copy)) return false;
    base[0] = (at[0] - copy->coordinate[0]) * b.bytes + within;
    for (uint32_t i = 1; i < b.map->rank; i++)
        base[i] = (at[i] - copy->coordinate[i]) / b.map->step[i];
    if (carries(d, inner, &b, base) || !edges_even(d, inner, &b, read, c, at) ||
        !outside_filled(d, inner, &b, read, c, at))
        return false;
    if (zl_tm_outside(c)) return true;
    if (!zl_tm_proved_by(c, copy)) return false;
    for (uint32_t k = 0; k < inner; k++) {
        zl_tm_cell one = {.g = d->g};
        if (!zl_tm_cell_at(&one, c->index + index_step(d, k))) return false;
        if (!zl_tm_outside(&one) && !zl_tm_proved_by(&one, copy)) return false;
    }
    return true;
}

static bool some_copy(const digits *d, uint32_t inner, const zl_tm_cell *c)
{
    for (uint32_t k = 0; k < d->g->move->info.copies; k++)
        if (brings_all(d, inner, c, &d->g->move->copies[k])) return true;
    return false;
}

/* Whether some copy does so for every value of the digits from `inner` on. */
static bool all_outer(const digits *d, uint32_t inner, uint64_t outer)
{
    for (uint64_t i = 0; i < outer; i++) {
        zl_tm_cell c = {.g = d->g};
        uint64_t index = 0, rest = i;
        for (uint32_t k = inner; k < d->count; rest /= d->at[k++].extent)
            index += rest % d->at[k].extent * index_step(d, k);
        if (!zl_tm_cell_at(&c, index) || !some_copy(d, inner, &c)) return false;
    }
    return true;
}

bool zl_tm_prove_digits(const zl_tm_symbolic *g)
{
    digits d;
    uint64_t outer = 1;
    if (!digits_of(&d, g)) return false;
    sort(&d);
    for (uint32_t inner = d.count;; inner--) {
        if (all_outer(&d, inner, outer)) return true;
        if (!inner || (outer *= d.at[inner - 1].extent) > OUTER_MOST) return false;
    }
}
