/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses which dimension of a map moves with which axis of the tile. An axis with edges moves the
 * dimension that has these edges. Any other offset is covered by a dimension without edges whose
 * stride divides it in whole indices of 32 bits; of several dimensions, by the one with the longest
 * stride. Where there is none, a dimension of one index is added if the map has fewer than five. */
#include "synth/tensormap/dims.h"

#include <string.h>

enum { FAR_BITS = 39 };
#define FAR ((int64_t)1 << FAR_BITS)

/* The indices of a dimension that are so many cells of its axis, where the row counts elements of
 * the map's type; false: no whole number. */
static bool indices_of(const zl_tm_map *m, uint32_t i, int64_t cells, int64_t *out)
{
    const zl_tm_dim *d = &m->dim[i];
    int64_t steps;
    if (!zl_mul(cells, (int64_t)d->per, &steps) || steps % (int64_t)d->unit) return false;
    steps /= (int64_t)d->unit;
    if (i == 0 && !zl_mul(steps, m->t->element, &steps)) return false;
    if (i == 0 && (steps % m->t->start || steps % m->bytes)) return false;
    *out = i ? steps : steps / m->bytes;
    return true;
}

static bool in_32_bits(int64_t steps, uint64_t times)
{
    int64_t most;
    return times <= INT32_MAX && zl_mul(steps, (int64_t)times, &most) && most >= INT32_MIN &&
           most <= INT32_MAX;
}

/* The dimension that has the edges of an axis; -1: none. */
static int clipping(const zl_tm_map *m, uint32_t axis)
{
    for (uint32_t i = 0; i < m->rank; i++)
        if (m->dim[i].clips && m->dim[i].axis == (int32_t)axis) return (int)i;
    return -1;
}

/* Adds a dimension of one index; -1: there is no room. */
static int dim_add(zl_tm_map *m, uint64_t stride)
{
    const zl_tm_dim one = {.box = 1, .real = 1, .stride = stride, .step = 1, .axis = ZL_TM_NO_AXIS,
                           .unit = 1, .per = 1};
    if (m->pixels || m->rank == ZL_TM_RANK || (int64_t)stride % m->t->unit) return -1;
    m->dim[m->rank] = one;
    return (int)m->rank++;
}

/* Whether a dimension may move with an axis.  The dimensions of an axis that is `own` move with no
 * other axis, and that axis moves no other dimensions. */
static bool may_carry(const zl_tm_map *m, const zl_tm_dim *d, int32_t axis)
{
    if (axis == ZL_TM_NO_AXIS || d->axis == axis) return true;
    return !m->t->axis[axis].own && (d->axis == ZL_TM_NO_AXIS || !m->t->axis[d->axis].own);
}

/* The dimension that covers `way` bytes, `times` times, in whole indices.  Dimensions of the axis
 * itself come first, then the longest stride; -1: none. */
static int carrier(const zl_tm_map *m, int64_t way, uint64_t times, int32_t axis, int64_t *steps)
{
    int best = -1;
    bool best_owns = false;
    for (uint32_t i = 0; i < m->rank; i++) {
        const zl_tm_dim *d = &m->dim[i];
        int64_t stride = (int64_t)d->stride;
        if (d->clips || d->walks || !stride || way % stride || (i == 0 && way % m->t->start)) continue;
        if (!in_32_bits(way / stride, times) || !may_carry(m, d, axis)) continue;
        bool own = axis != ZL_TM_NO_AXIS && d->axis == axis;
        if (best >= 0 && own == best_owns && d->stride <= m->dim[best].stride) continue;
        if (best_owns && !own) continue;
        best = (int)i;
        best_owns = own;
    }
    if (best >= 0) *steps = way / (int64_t)m->dim[best].stride;
    return best;
}

static void reach(zl_tm_dim *d, int64_t steps)
{
    if (steps < 0) d->least += steps;
    else d->most += steps;
}

/* Adds a dimension of one index for the edges of an axis that no box crosses.  Its step is a
 * granule, or less where the box begins inside a granule. */
static int edge_add(zl_tm_map *m, uint32_t axis)
{
    const zl_tm_axis *a = &m->t->axis[axis];
    int64_t stride, unit = zl_gcd_int((int64_t)a->granule, m->cell[axis]);
    uint64_t rest = 0;
    if (!zl_mul(a->stride, unit, &stride) || stride < 0) return -1;
    if (stride % m->t->unit) {
        unit = m->t->unit / zl_gcd_int(m->t->unit, a->stride);
        rest = zl_tm_rest(a, m->cell[axis], (uint64_t)unit);
        if (!zl_mul(a->stride, unit, &stride) || !zl_tm_rests(a, (uint64_t)unit) || rest >= a->extent)
            return -1;
        for (uint32_t i = 0; i < m->rank; i++)
            if (m->dim[i].axis == (int32_t)axis) return -1;
    }
    int i = dim_add(m, (uint64_t)stride);
    if (i < 0) return i;
    m->dim[i].axis = (int32_t)axis;
    m->dim[i].unit = (uint64_t)unit;
    m->dim[i].rest = rest;
    m->dim[i].clips = true;
    return i;
}

/* Lets the tile's index move the dimension with the axis's edges. */
static bool advance_clipped(zl_tm_map *m, uint32_t axis)
{
    const zl_tm_axis *a = &m->t->axis[axis];
    int64_t steps;
    int i = clipping(m, axis);
    if (i < 0) i = edge_add(m, axis);
    if (i < 0) return false;
    if (a->tiles == 1) return true;
    if (!indices_of(m, (uint32_t)i, (int64_t)a->tile, &steps)) return false;
    m->advance[i][a->mode] += a->down ? -steps : steps;
    return in_32_bits(steps, a->tiles);
}

/* The indices in which a new dimension covers `way`, so that its stride is legal. */
static int64_t parts_of(const zl_tm *t, int64_t way)
{
    int64_t parts = way < 0 ? -1 : 1;
    while (way / parts >= FAR && way / parts % (2 * t->unit) == 0) parts *= 2;
    return parts;
}

/* The bytes to the next tile along an axis that may share dimensions and has no edges; 0: there is
 * no next tile, or it is in the same place. */
static int64_t way_of(const zl_tm_map *m, uint32_t axis)
{
    const zl_tm_axis *a = &m->t->axis[axis];
    int64_t way;
    bool free = a->tiles > 1 && !a->own && clipping(m, axis) < 0;
    return free && zl_mul(a->stride, (int64_t)a->tile, &way) ? way : 0;
}

/* The stride of one new dimension for all axes, from this one on, that no dimension covers; 0:
 * their steps are too different. */
static int64_t common(const zl_tm_map *m, uint32_t axis)
{
    int64_t stride = 0, unused;
    for (uint32_t i = axis; i < m->t->axes; i++)
        if (carrier(m, way_of(m, i), m->t->axis[i].tiles, (int32_t)i, &unused) < 0)
            stride = zl_gcd_int(stride, way_of(m, i));
    for (uint32_t i = axis; i < m->t->axes; i++)
        if (stride && !in_32_bits(way_of(m, i) / stride, m->t->axis[i].tiles * m->t->axes)) return 0;
    return stride >= FAR || stride % m->t->unit ? 0 : stride;
}

/* Lets the tile's index move a dimension without edges. */
static bool advance_free(zl_tm_map *m, uint32_t axis)
{
    const zl_tm_axis *a = &m->t->axis[axis];
    int64_t way, steps;
    if (a->tiles == 1) return true;
    if (!zl_mul(a->stride, (int64_t)a->tile, &way)) return false;
    if (!way) return true;
    int i = carrier(m, way, a->tiles, (int32_t)axis, &steps);
    int64_t stride = i < 0 && !a->own ? common(m, axis) : 0;
    if (i < 0) {
        steps = stride ? way / stride : parts_of(m->t, way);
        i = dim_add(m, (uint64_t)(way / steps));
        if (i >= 0 && a->own) m->dim[i].axis = (int32_t)axis;
    }
    if (i < 0) return false;
    m->advance[i][a->mode] += steps;
    reach(&m->dim[i], steps * (int64_t)(a->tiles - 1));
    return true;
}

/* Lets an axis that is counted along memory move the dimension that counts memory. */
static bool advance_on(zl_tm_map *m, uint32_t axis)
{
    const zl_tm_axis *a = &m->t->axis[axis];
    int64_t way, steps;
    int i = clipping(m, a->on - 1);
    if (a->tiles == 1) return true;
    if (i < 0 || !zl_mul(a->stride, (int64_t)a->tile, &way) ||
        !indices_of(m, (uint32_t)i, way / m->t->element, &steps))
        return false;
    m->advance[i][a->mode] += steps;
    return in_32_bits(steps, a->tiles);
}

bool zl_tm_map_advance(zl_tm_map *m)
{
    for (uint32_t i = 0; i < m->t->axes; i++)
        if (m->t->axis[i].clipped && !advance_clipped(m, i)) return false;
    for (uint32_t i = 0; i < m->t->axes; i++)
        if (m->t->axis[i].on ? !advance_on(m, i) : clipping(m, i) < 0 && !advance_free(m, i))
            return false;
    return true;
}

/* Sets the coordinates of dimensions with edges, and *way to the bytes that the others must
 * cover. */
static bool way_left(const zl_tm_map *m, int64_t coordinate[ZL_TM_RANK], const zl_tm_box *box,
                     int64_t *way)
{
    *way = box->global;
    for (uint32_t i = 0; i < m->rank; i++) {
        const zl_tm_dim *d = &m->dim[i];
        int64_t gone;
        coordinate[i] = d->walks && i < box->digits ? (int64_t)box->skip[i] : 0;
        if (d->walks && (!zl_mul(coordinate[i], (int64_t)d->stride, &gone) ||
                         !zl_sub(*way, gone, way)))
            return false;
        if (!d->clips) continue;
        int64_t cells = box->cell[d->axis] - m->t->axis[d->axis].low;
        cells += i ? -(int64_t)d->rest : (int64_t)m->pad;
        if (!indices_of(m, i, cells, &coordinate[i]) || !in_32_bits(coordinate[i], 1) ||
            !zl_mul(coordinate[i], (int64_t)d->stride, &gone) || !zl_sub(*way, gone, way))
            return false;
    }
    return true;
}

bool zl_tm_map_way(const zl_tm_map *m, int64_t coordinate[ZL_TM_RANK], const zl_tm_box *first,
                   const zl_tm_box *box, int64_t *way)
{
    int64_t from, unused[ZL_TM_RANK];
    return way_left(m, unused, first, &from) && way_left(m, coordinate, box, way) &&
           zl_sub(*way, from, way);
}

int zl_tm_map_carrier(const zl_tm_map *m, int64_t way, uint64_t times)
{
    int64_t steps;
    return carrier(m, way, times, ZL_TM_NO_AXIS, &steps);
}

bool zl_tm_map_start(const zl_tm_map *m, int64_t coordinate[ZL_TM_RANK], const zl_tm_box *first,
                     const zl_tm_box *box)
{
    int64_t way;
    if (!zl_tm_map_way(m, coordinate, first, box, &way)) return false;
    if (!way) return true;
    int i = zl_tm_map_carrier(m, way, 1);
    if (i < 0) return false;
    coordinate[i] = way / (int64_t)m->dim[i].stride;
    return true;
}
