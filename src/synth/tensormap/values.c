/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a source that is no sum of axes value by value. Every later tile must be the first one
 * moved by a whole number of steps of its indices; the steps are read off the first cell that
 * tells them, and all other cells are compared. The result is a table of global offsets for the
 * cells of tile 0, and axes of one cell that only move the tile. */
#include "synth/tensormap/tensormap.h"

#include <string.h>

typedef struct walk {
    zl_tm *t;
    uint64_t box[ZLAY_TILE_AXES];  /* of the source */
    uint64_t first[ZLAY_TILE_AXES]; /* the one tile that the request names, else 0 */
    uint64_t tile[ZLAY_TILE_AXES]; /* the index of the current tile, from `first` on */
    int64_t way[ZLAY_TILE_AXES];   /* elements from a tile to the next */
    bool known[ZLAY_TILE_AXES];
    bool edge; /* a cell of some tile has no value */
} walk;

/* The value of a cell of the current tile; false: it has none. */
static bool value_at(const walk *w, uint64_t cell, int64_t *value)
{
    const zlay_tensormap_request *r = &w->t->request;
    uint64_t index = 0, step = 1;
    for (uint32_t k = 0; k < r->axes; k++) {
        uint64_t at = (w->first[k] + w->tile[k]) * r->shape[k] + cell % r->shape[k];
        cell /= r->shape[k];
        if (at >= w->box[k]) return false;
        index += at * step;
        step *= w->box[k];
    }
    return zlay_layout_eval(value, 1, r->source, index) == ZLAY_OK;
}

/* The elements by which the current tile's index moves it, without the axis *fresh whose step is
 * not known yet; false: more than one such step is missing. */
static bool way_of(walk *w, uint32_t *fresh, int64_t *way)
{
    uint32_t unknown = 0;
    *way = 0;
    for (uint32_t k = 0; k < w->t->request.axes; k++) {
        *way += w->way[k] * (int64_t)w->tile[k];
        if (!w->tile[k] || w->known[k]) continue;
        *fresh = k;
        unknown += w->tile[k] == 1 ? 1 : 2;
    }
    return unknown <= 1;
}

/* Reads a cell of the current tile, and compares it with the first tile's cell. */
static zlay_status cell_visit(walk *w, uint64_t cell)
{
    zl_tm *t = w->t;
    int64_t value, way;
    uint32_t fresh = ZLAY_TILE_AXES;
    if (!value_at(w, cell, &value)) {
        w->edge = true;
        return ZLAY_OK;
    }
    if (value < t->least) t->least = value;
    if (value > t->most) t->most = value;
    bool known = way_of(w, &fresh, &way);
    if (known && fresh < ZLAY_TILE_AXES && t->defined[cell]) {
        w->way[fresh] = value - t->value[cell] - way;
        w->known[fresh] = true;
        way += w->way[fresh];
    } else if (!known || fresh < ZLAY_TILE_AXES) {
        return zl_fail(t->ctx, ZLAY_ENOTSUP,
                       "source: how the tile's index moves it cannot be read off its values");
    }
    if (!t->defined[cell]) t->value[cell] = value - way;
    t->defined[cell] = 1;
    if (t->value[cell] + way == value) return ZLAY_OK;
    return zl_fail(t->ctx, ZLAY_ENOTSUP,
                   "tile: cell %llu of a later tile is no whole steps from the first one's, so no "
                   "coordinates that are affine in the index bring both; each can be asked for by "
                   "its index",
                   (unsigned long long)cell);
}

static bool next_tile(walk *w)
{
    for (uint32_t k = 0; k < w->t->request.axes; k++) {
        if (++w->tile[k] < w->t->count[k]) return true;
        w->tile[k] = 0;
    }
    return false;
}

static zlay_status all_visit(walk *w)
{
    enum { STEPS_CELL = 4 };
    zlay_status status;
    do {
        status = zl_charge(w->t->ctx, w->t->cells * STEPS_CELL);
        if (!status) status = zl_charge_values(w->t->ctx, w->t->request.source, w->t->cells);
        for (uint64_t i = 0; i < w->t->cells && !status; i++) status = cell_visit(w, i);
    } while (!status && next_tile(w));
    return status;
}

/* Whether one tile is the whole source: its cells then are the source's points in their order. */
static bool is_whole(const walk *w)
{
    for (uint32_t k = 0; k < w->t->modes; k++)
        if (w->t->count[k] != 1 || w->first[k] || w->t->request.shape[k] != w->box[k]) return false;
    return true;
}

/* All values of a tile that is the whole source. */
static zlay_status whole_read(walk *w)
{
    enum { STEPS_CELL = 4 };
    zl_tm *t = w->t;
    const zlay_layout *source = t->request.source;
    zlay_status status = zl_charge(t->ctx, t->cells * STEPS_CELL);
    if (!status) status = zl_charge_values(t->ctx, source, t->cells);
    if (!status) status = zlay_layout_eval_many(t->value, t->defined, source, NULL, 0, t->cells);
    for (uint64_t i = 0; i < t->cells && !status; i++) {
        w->edge |= !t->defined[i];
        if (t->defined[i] && t->value[i] < t->least) t->least = t->value[i];
        if (t->defined[i] && t->value[i] > t->most) t->most = t->value[i];
    }
    return status;
}

/* Puts axes of one cell, which only move the tile. */
static zlay_status ways_put(const walk *w)
{
    zl_tm *t = w->t;
    t->axes = 0;
    for (uint32_t k = 0; k < t->modes; k++) {
        zl_tm_axis a = {.extent = t->count[k], .tile = 1, .tiles = t->count[k], .mode = k,
                        .granule = 1};
        if (t->count[k] == 1) continue;
        if (!zl_mul(w->way[k], t->element, &a.stride))
            return zl_fail(t->ctx, ZLAY_EOVERFLOW, "source: a tile's bytes pass 2^63");
        t->axis[t->axes++] = a;
    }
    return ZLAY_OK;
}

static zlay_status points_check(walk *w)
{
    zl_tm *t = w->t;
    uint64_t points = t->cells, limit = zl_limits(t->ctx)->points;
    if (zlay_layout_out_count(t->request.source) != 1)
        return zl_fail(t->ctx, ZLAY_ENOTSUP, "source: has several output dimensions");
    if (zlay_layout_box(w->box, ZLAY_TILE_AXES, t->request.source) != t->modes)
        return zl_fail(t->ctx, ZLAY_EINVAL, "tile: has %u entries, source %zu dimensions", t->modes,
                       zlay_layout_box(w->box, ZLAY_TILE_AXES, t->request.source));
    for (uint32_t k = 0; k < t->modes; k++) {
        uint64_t tile = t->request.shape[k];
        t->count[k] = w->box[k] / tile + (w->box[k] % tile != 0);
        zlay_status status = zl_tm_one(t, k);
        if (status) return status;
        if (t->request.index_given) w->first[k] = t->request.index[k];
        points = zl_umul_sat(points, t->count[k]);
    }
    if (points <= limit) return ZLAY_OK;
    return zl_fail(t->ctx, ZLAY_ELIMIT, "limits.points is %llu, all tiles have %llu",
                   (unsigned long long)limit, (unsigned long long)points);
}

zlay_status zl_tm_values(zl_tm *t)
{
    walk w = {.t = t};
    zlay_status status = points_check(&w);
    if (status) return status;
    t->least = INT64_MAX;
    t->most = INT64_MIN;
    t->value = zl_scratch(t->ctx, t->cells, sizeof *t->value);
    t->defined = zl_scratch(t->ctx, t->cells, 1);
    if (!t->value || !t->defined) return ZLAY_ENOMEM;
    status = is_whole(&w) ? whole_read(&w) : all_visit(&w);
    t->open = w.edge;
    if (!status && w.edge && t->request.edge != ZLAY_EDGE_WEAK)
        return zl_fail(t->ctx, ZLAY_ENOTSUP,
                       "edge: a cell without value is filled only where the source is strided, or "
                       "strided inside a box; a weak edge leaves it open");
    return status ? status : ways_put(&w);
}
