/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the digits of a box into the dimensions of a tensor map: the innermost row, the split of a
 * loop that is longer than a box, element strides, and a wider element type where the row would
 * have more than 256 elements. It answers false where a rule of the map's box cannot hold for
 * these digits. */
#include "synth/tensormap/dims.h"
#include "base/arith.h"

#include <string.h>

enum { STEP_MOST = 8 };

/* ---- digits ------------------------------------------------------------------------------ */

/* Makes the first digit a row of adjacent elements; of one element where nothing is adjacent. */
static bool row_begin(zl_tm_box *box, int64_t element)
{
    const zl_tm_digit one = {1, element, element, ZL_TM_NO_AXIS, 1, 1};
    if (box->digits && box->digit[0].global == element && box->digit[0].shared == element)
        return true;
    if (box->digits == ZL_TM_DIGITS) return false;
    memmove(box->digit + 1, box->digit, box->digits * sizeof *box->digit);
    box->digit[0] = one;
    box->digits++;
    return true;
}

/* Splits a digit into `low` steps and the rest; false: an edge would fall inside the low part. */
static bool digit_split(const zl_tm *t, zl_tm_box *box, uint32_t i, uint64_t low)
{
    zl_tm_digit a = box->digit[i], b = a;
    bool clips = zl_tm_clips(t, &a);
    a.extent = low;
    b.extent /= low;
    b.global *= (int64_t)low;
    b.shared *= (int64_t)low;
    if (low % a.per == 0) {
        b.unit = a.unit * (low / a.per);
        b.per = 1;
        if (clips && t->axis[a.axis].granule % b.unit) return false;
    } else if (a.per % low == 0) {
        b.per = a.per / low;
        a.axis = ZL_TM_NO_AXIS;
        a.unit = a.per = 1;
    } else if (clips) {
        return false;
    } else {
        a.axis = b.axis = ZL_TM_NO_AXIS;
        a.unit = a.per = b.unit = b.per = 1;
    }
    if (box->digits == ZL_TM_DIGITS) return false;
    memmove(box->digit + i + 2, box->digit + i + 1,
            (box->digits - i - 1) * sizeof *box->digit);
    box->digit[i] = a;
    box->digit[i + 1] = b;
    box->digits++;
    return true;
}

/* Whether an extent is a product of numbers up to ZL_BOX_MOST: no greater prime divides it. */
static bool is_smooth(uint64_t extent)
{
    for (uint64_t p = 2; p < ZL_BOX_MOST && extent > ZL_BOX_MOST; p += p > 2 ? 2 : 1)
        while (extent % p == 0) extent /= p;
    return extent <= ZL_BOX_MOST;
}

/* Cuts a digit into two: a first part of at most `most` steps, a multiple of `unit`, and the rest,
 * of at most ZL_BOX_MOST steps where that is possible.  The greatest first part is taken. */
static bool digit_cut(const zl_tm *t, zl_tm_box *box, uint32_t i, uint64_t most, uint64_t unit)
{
    const zl_tm_digit *d = &box->digit[i];
    uint64_t extent = d->extent;
    uint64_t whole = zl_tm_clips(t, d) ? t->axis[d->axis].granule * d->per / d->unit : most;
    if (whole < most) most = whole;
    if (zl_charge(t->ctx, 4 * (most / unit))) return false;
    for (int two = 1; two >= 0; two--)
        for (uint64_t low = most - most % unit; low > 1; low -= unit) {
            if (two && low * ZL_BOX_MOST < extent) break;
            if (extent % low == 0 && digit_split(t, box, i, low)) return true;
        }
    return false;
}

/* The steps of a digit up to the next digit in shared memory, holes included; 0: no whole
 * number. */
static uint64_t steps_to_next(const zl_tm_box *box, uint32_t i)
{
    const zl_tm_digit *d = &box->digit[i];
    if (i + 1 == box->digits) return d->extent;
    int64_t next = box->digit[i + 1].shared;
    return next % d->shared ? 0 : (uint64_t)(next / d->shared);
}

/* ---- rows -------------------------------------------------------------------------------- */

static int32_t promoted(const zl_tm *t, uint32_t bytes)
{
    if (bytes == t->element) return t->type;
    return bytes == 2 ? ZLAY_TYPE_U16 : bytes == 4 ? ZLAY_TYPE_U32 : ZLAY_TYPE_U64;
}

/* Whether the tensor's edge falls between elements of so many bytes. */
static bool edge_divides(const zl_tm_map *m, const zl_tm_digit *row, uint32_t bytes)
{
    const zl_tm *t = m->t;
    if (!zl_tm_clips(t, row)) return true;
    const zl_tm_axis *a = &t->axis[row->axis];
    return a->granule * row->per / row->unit * t->element % bytes == 0 &&
           m->pad * t->element % bytes == 0;
}

/* The cells that a row's dimension has before the tensor's first cell, so that rows begin at
 * multiples of 16 bytes; 0 where some tile has cells there. */
static uint64_t pad_of(const zl_tm *t, const zl_tm_digit *row, const int64_t *cell)
{
    if (!zl_tm_clips(t, row) || row->per != 1 || row->unit != 1) return 0;
    const zl_tm_axis *a = &t->axis[row->axis];
    int64_t unit = ZL_CHUNK / (int64_t)t->element, first = zl_floor_mod(cell[row->axis], unit);
    if (a->low || a->stride != t->element || t->store || t->spread) return 0;
    return first ? (uint64_t)(unit - first) : 0;
}

/* Chooses the narrowest element type of which a row of the box has at most 256. */
static bool type_choose(zl_tm_map *m, const zl_tm_digit *row, uint64_t width)
{
    const zl_tm *t = m->t;
    for (uint32_t bytes = t->element; bytes <= ZL_ELEMENT_MOST; bytes *= 2) {
        bool divides = edge_divides(m, row, bytes);
        if (width / bytes > ZL_BOX_MOST || row->extent * t->element % bytes) continue;
        if (!divides && t->request.edge != ZLAY_EDGE_WEAK) continue;
        m->weak = !divides;
        m->bytes = bytes;
        m->type = promoted(t, bytes);
        return true;
    }
    return false;
}

/* Makes rows of a spread type, which have 128 values.  Where the next row begins further on, a
 * dimension of one index fills the gap: its other indices lie outside the tensor. */
static bool row_spread(zl_tm_map *m, zl_tm_box *box)
{
    const zl_tm *t = m->t;
    const zl_tm_digit gap = {1, t->unit, ZL_SPREAD_ROW, ZL_TM_NO_AXIS, 1, 1};
    if (!t->may[box->swizzle] || box->global % t->unit) return false;
    if (box->digit[0].extent > ZL_SPREAD_ROW && !digit_cut(t, box, 0, ZL_SPREAD_ROW, ZL_SPREAD_ROW))
        return false;
    if (box->digit[0].extent != ZL_SPREAD_ROW) return false;
    if (zl_tm_clips(t, &box->digit[0]) && t->axis[box->digit[0].axis].granule % ZL_SPREAD_ROW)
        return false;
    if (box->digits > 1 && box->digit[1].shared != ZL_SPREAD_ROW) {
        if (box->digits == ZL_TM_DIGITS) return false;
        memmove(box->digit + 2, box->digit + 1, (box->digits - 1) * sizeof *box->digit);
        box->digit[1] = gap;
        box->digits++;
    }
    m->dim[0].box = m->pitch = ZL_SPREAD_ROW;
    m->bytes = 1;
    m->type = t->type;
    return true;
}

/* Makes the rows.  A swizzled row is at most a span long, and the next row begins one span
 * later. */
static bool row_fit(zl_tm_map *m, zl_tm_box *box)
{
    const zl_tm *t = m->t;
    if (t->spread) return row_spread(m, box);
    uint64_t most = box->swizzle ? zl_tm_span(box->swizzle) : ZL_BOX_MOST * ZL_ELEMENT_MOST;
    uint64_t bytes = box->digit[0].extent * t->element;
    if (bytes > most && (most % t->element ||
                         !digit_cut(t, box, 0, most / t->element, ZL_CHUNK / t->element)))
        return false;
    bytes = box->digit[0].extent * t->element;
    if (box->swizzle && box->digits > 1 && box->digit[1].shared != (int64_t)most)
        return false;
    uint64_t pitch =
        box->digits > 1 ? (uint64_t)box->digit[1].shared : zl_round_up(bytes, ZL_CHUNK);
    if (pitch % ZL_CHUNK || pitch < bytes || pitch > UINT32_MAX) return false;
    uint64_t width = box->swizzle ? zl_round_up(bytes, ZL_CHUNK) : pitch;
    m->pitch = (uint32_t)(box->swizzle ? zl_tm_span(box->swizzle) : pitch);
    if (!type_choose(m, &box->digit[0], width)) return false;
    m->dim[0].box = width / m->bytes;
    return true;
}

/* ---- dimensions --------------------------------------------------------------------------- */

/* Whether a dimension with edges has the stride of its axis.  It must where there are several
 * tiles, because the tile's index then moves the dimension. */
static bool straight(const zl_tm *t, const zl_tm_digit *d)
{
    const zl_tm_axis *a = &t->axis[d->axis];
    int64_t axis, digit;
    return a->tiles == 1 || (zl_mul(a->stride, (int64_t)d->unit, &axis) &&
                             zl_mul(d->global, (int64_t)d->per, &digit) && axis == digit);
}

/* Makes a dimension of a digit.  Where an edge falls between the cells of a step, each cell needs
 * an index of its own, and the map a traversal step (elementStrides). */
static bool dim_of(zl_tm_dim *out, const zl_tm *t, const zl_tm_digit *d)
{
    *out = (zl_tm_dim){.real = d->extent, .stride = (uint64_t)d->global, .step = 1,
                       .axis = d->axis, .unit = d->unit, .per = d->per,
                       .clips = zl_tm_clips(t, d)};
    if (out->clips && !straight(t, d)) return false;
    if (!out->clips || t->axis[d->axis].granule % d->unit == 0) return true;
    if (d->per != 1) return false;
    if (d->unit > STEP_MOST || out->stride % d->unit || out->stride / d->unit % (uint64_t)t->unit)
        return zl_tm_rests(&t->axis[d->axis], d->unit);
    out->step = (uint32_t)d->unit;
    out->stride /= d->unit;
    out->unit = 1;
    return true;
}

bool zl_tm_rests(const zl_tm_axis *a, uint64_t unit)
{
    return (a->tiles == 1 || a->tile % unit == 0) && !a->memory;
}

uint64_t zl_tm_rest(const zl_tm_axis *a, int64_t cell, uint64_t unit)
{
    return (uint64_t)zl_floor_mod(cell - a->low, (int64_t)unit);
}

/* Sets the rest of dimensions whose index stands for several cells.  All cells of such a dimension
 * must have the same rest, so no other digit of the box may move along its axis. */
static bool rests_find(zl_tm_map *m, const zl_tm_box *box, const int64_t *cell)
{
    for (uint32_t i = 0; i < m->rank; i++) {
        zl_tm_dim *d = &m->dim[i];
        if (!d->clips || d->per != 1 || m->t->axis[d->axis].granule % d->unit == 0) continue;
        const zl_tm_axis *a = &m->t->axis[d->axis];
        d->rest = zl_tm_rest(a, cell[d->axis], d->unit);
        if (!i || d->rest >= a->extent) return false;
        for (uint32_t k = 0; k < box->digits; k++)
            if (k != i && box->digit[k].axis == d->axis) return false;
    }
    return true;
}

/* Whether no two dimensions have the edges of one axis. */
static bool edges_once(const zl_tm_map *m)
{
    for (uint32_t i = 0; i < m->rank; i++)
        for (uint32_t k = 0; k < i; k++)
            if (m->dim[i].clips && m->dim[k].clips && m->dim[i].axis == m->dim[k].axis)
                return false;
    return true;
}

/* Makes the dimensions behind the row; false: a rule of the map's box cannot hold. */
static bool others_fit(zl_tm_map *m, zl_tm_box *box)
{
    for (uint32_t i = 1; i < box->digits; i++) {
        uint64_t extent = box->digit[i].extent;
        if (extent > ZL_BOX_MOST && !(is_smooth(extent) && digit_cut(m->t, box, i, ZL_BOX_MOST, 1)))
            return false;
        uint64_t steps = steps_to_next(box, i);
        if (i >= ZL_TM_RANK || steps < box->digit[i].extent || steps > ZL_BOX_MOST) return false;
        if (box->digit[i].global < 0 || box->digit[i].global % m->t->unit) return false;
        if (!dim_of(&m->dim[i], m->t, &box->digit[i])) return false;
        if ((int64_t)m->dim[i].stride % m->t->unit) return false;
        m->dim[i].box = steps;
        if ((steps - 1) * m->dim[i].step >= ZL_BOX_MOST) return false;
    }
    return true;
}

/* Whether no edge falls between cells that have one index.  The cells of an axis with edges that
 * belong to one index of its dimension, or to the whole box where no dimension counts the axis,
 * must lie in one unit.  Units are counted from the tensor's first cell; a box may begin before
 * it. */
static bool cells_hold(const zl_tm_map *m, const zl_tm_box *box, const int64_t *cell)
{
    for (uint32_t a = 0; a < m->t->axes; a++) {
        const zl_tm_axis *axis = &m->t->axis[a];
        uint64_t unit = axis->granule, reach = 0;
        if (!axis->clipped) continue;
        for (uint32_t i = 0; i < m->rank; i++) {
            const zl_tm_digit *d = &box->digit[i];
            if (d->axis != (int32_t)a) continue;
            if (m->dim[i].clips && d->per == 1 && m->dim[i].step == 1) unit = d->unit;
            else if (!m->dim[i].clips) reach += (d->extent / d->per - (d->per <= d->extent)) * d->unit;
        }
        if (reach && zl_tm_rest(axis, cell[a], unit) + reach >= unit) return false;
    }
    return true;
}

/* Whether only 16-byte pieces that the tile wants are written. */
static bool holes_kept(const zl_tm_map *m)
{
    const zl_tm_dim *row = &m->dim[0];
    uint64_t real = row->real * m->bytes;
    if ((m->t->store ? real : zl_round_up(real, ZL_CHUNK)) != row->box * m->bytes) return false;
    for (uint32_t i = 1; i < m->rank; i++)
        if (m->dim[i].box != m->dim[i].real) return false;
    return true;
}

/* Copies the parts of a box that a map is read from, so that they can be cut. */
static void digits_copy(zl_tm_box *out, const zl_tm_box *box)
{
    out->digits = box->digits;
    out->swizzle = box->swizzle;
    out->shared = box->shared;
    out->global = box->global;
    memcpy(out->digit, box->digit, box->digits * sizeof *box->digit);
}

static bool tiled_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *given)
{
    zl_tm_box box;
    digits_copy(&box, given);
    memset(out, 0, sizeof *out);
    out->t = t;
    out->swizzle = box.swizzle;
    if (box.shared % ZL_LINE || !row_begin(&box, t->element)) return false;
    out->pad = pad_of(t, &box.digit[0], given->cell);
    if (!row_fit(out, &box)) return false;
    uint64_t width = out->dim[0].box;
    if (!dim_of(&out->dim[0], t, &box.digit[0])) return false;
    out->dim[0].box = width;
    if (!others_fit(out, &box)) return false;
    out->rank = box.digits;
    zl_tm_dim *row = &out->dim[0];
    row->stride = out->bytes;
    row->real = zl_round_up(row->real * t->element, out->bytes) / out->bytes;
    return edges_once(out) && cells_hold(out, &box, given->cell) && rests_find(out, &box, given->cell) &&
           (!t->request.keep_holes || holes_kept(out));
}

bool zl_tm_map_of(zl_tm_map *out, const zl_tm *t, const zl_tm_box *given)
{
    bool right = given->interleave ? zl_tm_slices_of(out, t, given)
                 : given->pixels   ? zl_tm_columns_of(out, t, given)
                                   : tiled_of(out, t, given);
    out->cell = given->cell;
    return right;
}
