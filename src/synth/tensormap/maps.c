/* SPDX-License-Identifier: Apache-2.0 */
/* Assigns boxes to maps and fills in maps and copies. Boxes with the same digits share a map as
 * long as its dimensions can reach them all by whole indices; the assignment is first fit.
 * Coordinates are then shifted so that the least index of a dimension without edges is 0. */
#include "legality/tensormap/fetch.h"
#include "base/arith.h"
#include "synth/tensormap/dims.h"

#include <string.h>

typedef struct group {
    zl_tm_map map;
    uint32_t first, count; /* box of the first copy; how many */
} group;

typedef struct work {
    const zl_tm *t;
    const zl_tm_box *box;
    uint32_t boxes, groups;
    group *group;
    uint32_t *of;                       /* the group of each box */
    int64_t (*coordinate)[ZL_TM_RANK]; /* of each box */
} work;

bool zl_tm_same_digits(const zl_tm_box *a, const zl_tm_box *b)
{
    if (a->digits != b->digits || a->swizzle != b->swizzle || a->interleave != b->interleave ||
        a->pixels != b->pixels)
        return false;
    for (uint32_t i = 0; i < a->digits; i++) {
        const zl_tm_digit *p = &a->digit[i], *q = &b->digit[i];
        if (p->extent != q->extent || p->global != q->global || p->shared != q->shared ||
            p->axis != q->axis || p->unit != q->unit || p->per != q->per)
            return false;
    }
    return true;
}

/* Widens the range of coordinates in each dimension without edges. */
static void reach(zl_tm_map *m, const int64_t coordinate[ZL_TM_RANK], int64_t sign[ZL_TM_RANK][2])
{
    for (uint32_t i = 0; i < m->rank; i++) {
        if (m->dim[i].clips || m->dim[i].walks) continue;
        if (coordinate[i] < sign[i][0]) sign[i][0] = coordinate[i];
        if (coordinate[i] > sign[i][1]) sign[i][1] = coordinate[i];
    }
}

/* Puts a box into the first group whose map reaches it, else into a group of its own; false: no map
 * has it. */
static bool join(work *w, uint32_t k)
{
    for (uint32_t g = 0; g < w->groups; g++) {
        group *at = &w->group[g];
        if (!zl_tm_same_digits(&w->box[at->first], &w->box[k]) ||
            !zl_tm_map_start(&at->map, w->coordinate[k], &w->box[at->first], &w->box[k]))
            continue;
        w->of[k] = g;
        at->count++;
        return true;
    }
    group *at = &w->group[w->groups];
    at->first = k;
    at->count = 1;
    w->of[k] = w->groups++;
    return zl_tm_map_of(&at->map, w->t, &w->box[k]) && zl_tm_map_advance(&at->map) &&
           zl_tm_map_start(&at->map, w->coordinate[k], &w->box[k], &w->box[k]);
}

/* Lets one dimension cover the offsets of all boxes of a group, where one dimension can. Then the
 * least index of that dimension is one at which a copy begins. */
static void ways_align(work *w, uint32_t g)
{
    const group *at = &w->group[g];
    const zl_tm_box *first = &w->box[at->first];
    int64_t coordinate[ZL_TM_RANK], way;
    uint64_t unit = 0, most = 0;
    for (uint32_t k = 0; k < w->boxes; k++) {
        if (w->of[k] != g || !zl_tm_map_way(&at->map, coordinate, first, &w->box[k], &way))
            continue;
        unit = zl_gcd(unit, zl_magnitude(way));
        if (zl_magnitude(way) > most) most = zl_magnitude(way);
    }
    int i = unit ? zl_tm_map_carrier(&at->map, (int64_t)unit, most / unit) : -1;
    for (uint32_t k = 0; i >= 0 && k < w->boxes; k++) {
        if (w->of[k] != g || !zl_tm_map_way(&at->map, coordinate, first, &w->box[k], &way))
            continue;
        coordinate[i] = way / (int64_t)at->map.dim[i].stride;
        memcpy(w->coordinate[k], coordinate, sizeof coordinate);
    }
}

/* Shifts coordinates and address such that the least index of each dimension without edges is 0. */
static void settle(work *w, uint32_t g, int64_t *address)
{
    group *at = &w->group[g];
    int64_t ends[ZL_TM_RANK][2] = {{0}};
    if (at->count > 1) ways_align(w, g);
    for (uint32_t k = 0; k < w->boxes; k++)
        if (w->of[k] == g) reach(&at->map, w->coordinate[k], ends);
    *address = w->box[at->first].global;
    for (uint32_t i = 0; i < at->map.rank; i++) {
        zl_tm_dim *d = &at->map.dim[i];
        d->least += ends[i][0];
        d->most += ends[i][1];
        int64_t shift = d->clips || d->walks ? -w->coordinate[at->first][i] : d->least;
        *address += shift * (int64_t)d->stride;
        for (uint32_t k = 0; k < w->boxes; k++)
            if (w->of[k] == g && !d->clips && !d->walks) w->coordinate[k][i] -= d->least;
    }
}

/* The extent of a dimension: up to the tensor's edge, or as far as copies and tiles reach. */
static uint64_t extent_of(const zl_tm_map *m, uint32_t i)
{
    const zl_tm_dim *d = &m->dim[i];
    if (d->walks) return d->real;
    if (!d->clips) return (uint64_t)(d->most - d->least) + (d->real - 1) * d->step + 1;
    uint64_t cells = m->t->axis[d->axis].extent, extent = cells * d->per / d->unit + (i ? 0 : m->pad);
    if (m->t->axis[d->axis].granule % d->unit && d->per == 1 && i)
        return (cells - d->rest + d->unit - 1) / d->unit;
    return i ? extent : (extent * m->t->element + m->bytes - 1) / m->bytes;
}

/* The widest promotion up to 128 bytes that is at most twice a row of the box, as rule
 * TMAP_L2_WASTE advises. It looks at the box alone, so that unknown extents and strides leave it
 * as it is. */
static int32_t promotion(const zl_tm_map *m)
{
    uint64_t row = (uint64_t)m->dim[0].box * m->bytes;
    int32_t l2 = ZL_L2_128B;
    if (m->interleave || m->pixels) return l2;
    while (l2 > 0 && zl_l2_half(zl_l2_fetch(l2)) > row) l2--;
    return l2;
}

void zl_tm_map_fill(zlay_tensormap *out, const zl_tm_map *m, int64_t address)
{
    out->address = (uint64_t)zl_tm_bytes(m->t, address);
    out->rank = m->rank;
    out->type = m->type;
    out->swizzle = m->swizzle;
    out->interleave = m->interleave;
    out->l2 = promotion(m);
    for (uint32_t i = 0; i < m->rank; i++) {
        out->extent[i] = extent_of(m, i);
        out->step[i] = m->dim[i].step;
        out->box[i] = (uint32_t)(m->dim[i].box - 1) * out->step[i] + 1;
        if (!i && m->interleave) out->box[i] += out->box[i] % 2;
        if (i) out->stride[i - 1] = (uint64_t)zl_tm_bytes(m->t, (int64_t)m->dim[i].stride);
    }
    if (!m->pixels) return;
    out->mode = 1;
    out->channels = out->box[0];
    out->pixels = m->pixels;
    memset(out->box, 0, sizeof out->box);
}

void zl_tm_copy_fill(zlay_copy *out, const zl_tm_map *m, int64_t shared,
                     const int64_t coordinate[ZL_TM_RANK])
{
    uint64_t bytes = m->bytes;
    out->kind = zl_tm_kind(m->t);
    out->smem = (uint32_t)shared;
    for (uint32_t i = 0; i < m->rank; i++) {
        bytes *= m->dim[i].box;
        out->coordinate[i] = (int32_t)coordinate[i];
        for (uint32_t j = 0; j < m->t->modes; j++)
            out->advance[i][j] = (int32_t)m->advance[i][j];
    }
    out->bytes = (uint32_t)zl_tm_bytes(m->t, (int64_t)(m->pixels ? bytes * m->pixels : bytes));
    if (m->pixels) out->mode = m->t->store ? ZLAY_COPY_IM2COL_NO_OFFS : ZLAY_COPY_IM2COL;
}

void zl_tm_copy_count(zlay_move *move, const zl_tm_map *m, const zlay_copy *copy)
{
    uint64_t rows = m->pitch;
    move->info.path = ZLAY_PATH_TENSOR;
    if (!move->info.edge) move->info.edge = ZLAY_EDGE_STRONG;
    for (uint32_t i = !m->interleave; i < m->rank; i++) rows *= m->dim[i].box;
    if (m->pixels) rows *= m->pixels;
    uint64_t end = copy->smem + rows, span = zl_tm_span(m->swizzle);
    if (m->swizzle) end = (end + span - 1) / span * span;
    if (end > move->info.reserved_bytes) move->info.reserved_bytes = end;
    move->info.bytes += copy->bytes;
    if (m->weak) move->info.edge = ZLAY_EDGE_WEAK;
}

static zlay_status move_make(work *w, zlay_move **out)
{
    bool joined = true;
    for (uint32_t k = 0; joined && k < w->boxes; k++) joined = join(w, k);
    if (!joined) return ZLAY_NONE;
    zlay_status status = zl_move_new(w->t->ctx, out, w->t->target, w->groups, w->boxes);
    if (status) return status;
    for (uint32_t g = 0; g < w->groups; g++) {
        int64_t address;
        settle(w, g, &address);
        zl_tm_map_fill(&(*out)->maps[g], &w->group[g].map, address);
    }
    for (uint32_t k = 0; k < w->boxes; k++) {
        zlay_copy *copy = &(*out)->copies[k];
        const zl_tm_map *m = &w->group[w->of[k]].map;
        copy->map = w->of[k];
        zl_tm_copy_fill(copy, m, w->box[k].shared, w->coordinate[k]);
        zl_tm_copy_count(*out, m, copy);
    }
    return ZLAY_OK;
}

zlay_status zl_tm_maps(const zl_tm *t, zlay_move **out, const zl_tm_box *box, uint32_t boxes)
{
    group one;
    uint32_t of;
    int64_t coordinate[1][ZL_TM_RANK];
    work w = {t, box, boxes, 0, &one, &of, coordinate};
    if (boxes == 1) return move_make(&w, out);
    w.group = zl_scratch(t->ctx, boxes, sizeof *w.group);
    w.of = zl_scratch(t->ctx, boxes, sizeof *w.of);
    w.coordinate = zl_scratch(t->ctx, boxes, sizeof *w.coordinate);
    return w.group && w.of && w.coordinate ? move_make(&w, out) : ZLAY_ENOMEM;
}
