/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a copy of a map that was read back brings to a cell what the request says. The
 * element that the copy brings to the cell's place and the element that the request names are
 * compared as polynomials in the unknowns, for the first tile and for one step of each tile
 * index. */
#include "synth/tensormap/symbolic/symbolic.h"

#include <string.h>

typedef zl_tm_cell cell;

bool zl_tm_sum_add(zl_tm_sum *sum, const zl_tm_sum *step, int64_t times)
{
    bool fits = true;
    for (uint32_t i = 0; i < ZL_TM_PRODUCTS; i++) {
        int64_t part;
        fits = fits && zl_mul(step->of[i], times, &part) && zl_add(sum->of[i], part, &sum->of[i]);
    }
    return fits;
}

/* The global address of a cell's element, by the request. */
static bool wanted(zl_tm_sum *out, const cell *c)
{
    bool fits = true;
    *out = c->g->offset;
    for (size_t k = 0; k < c->g->s->leaves; k++)
        fits = fits && zl_tm_sum_add(out, &c->g->step[k], c->at[k]);
    return fits;
}

bool zl_tm_brought(int64_t at[ZL_TM_RANK], int64_t *within, const cell *c, const zlay_copy *copy)
{
    const zlay_tensormap *map = &c->g->move->maps[copy->map];
    int64_t bytes = zlay_tensormap_type_bits(map->type) / 8, row = (int64_t)map->box[0] * bytes;
    int64_t pitch = map->swizzle ? (int64_t)zl_tm_span(map->swizzle) : row;
    int64_t line = c->place / ZL_LINE & ((1 << map->swizzle) - 1);
    int64_t from = (c->place ^ line * ZL_CHUNK) - (int64_t)copy->smem;
    if (from < 0 || from % pitch >= row) return false;
    at[0] = copy->coordinate[0] + from % pitch / bytes;
    *within = from % pitch % bytes;
    from /= pitch;
    for (uint32_t i = 1; i < map->rank; i++) {
        int64_t count = (map->box[i] + map->step[i] - 1) / map->step[i];
        at[i] = copy->coordinate[i] + from % count * map->step[i];
        from /= count;
    }
    return from == 0;
}

/* Adds the bytes that coordinates of a map stand for. */
static bool moved(zl_tm_sum *out, const zl_tm_read *read, uint32_t rank, const int64_t *at)
{
    for (uint32_t i = 0; i < rank; i++) {
        int64_t part, *sum = &out->of[read->product[i]];
        if (!zl_mul(read->factor[i], at[i], &part) || !zl_add(*sum, part, sum)) return false;
    }
    return true;
}

/* Whether each dimension with the extent of a leaf is at that leaf's coordinate, counted in
 * `times` indices for a cell or in `part` cells for an index.  `part` divides the extent, so the
 * dimension ends where the tensor does. */
static bool edges_at(const cell *c, const zl_tm_read *read, uint32_t rank,
                     const int64_t at[ZL_TM_RANK])
{
    for (uint32_t i = 0; i < rank; i++)
        if (read->leaf[i] != ZL_TM_NO_LEAF &&
            at[i] / read->times[i] != c->at[read->leaf[i]] / read->part[i])
            return false;
    return true;
}

bool zl_tm_cell_at(cell *c, uint64_t index)
{
    const zl_tm_symbolic *g = c->g;
    c->index = index;
    for (size_t k = 0; k < g->s->leaves; k++) {
        c->at[k] = (int64_t)(index % g->request.shape[k]);
        index /= g->request.shape[k];
    }
    if (!zl_value(g->move->smem, c->index, &c->place)) return false;
    c->place *= g->element;
    return true;
}

uint64_t zl_tm_cells_inside(const zl_tm_symbolic *g, uint32_t leaf)
{
    int64_t most = zl_monomial_range(&g->s->leaf[leaf].shape, g->s).hi;
    return (uint64_t)most < g->request.shape[leaf] ? (uint64_t)most : g->request.shape[leaf];
}

bool zl_tm_outside(const cell *c)
{
    for (uint32_t k = 0; k < c->g->s->leaves; k++)
        if ((uint64_t)c->at[k] >= zl_tm_cells_inside(c->g, k)) return true;
    return false;
}

/* Whether a copy brings the fill: its coordinates are beyond the end of a dimension. */
static bool filled(const cell *c, const zlay_tensormap *map, const zl_tm_read *read,
                   const int64_t at[ZL_TM_RANK])
{
    for (uint32_t i = 0; i < map->rank; i++)
        if (read->leaf[i] == ZL_TM_NO_LEAF && (at[i] < 0 || (uint64_t)at[i] >= map->extent[i]))
            return true;
    return edges_at(c, read, map->rank, at);
}

bool zl_tm_proved_by(const cell *c, const zlay_copy *copy)
{
    zl_tm_sum want, have;
    const zl_tm_read *read = &c->g->read[copy->map];
    const zlay_tensormap *map = &c->g->move->maps[copy->map];
    int64_t at[ZL_TM_RANK], within;
    if (!zl_tm_brought(at, &within, c, copy)) return false;
    if (zl_tm_outside(c) && filled(c, map, read, at)) return true;
    have = read->address;
    if (!wanted(&want, c) || !moved(&have, read, map->rank, at)) return false;
    have.of[ZL_TM_NUMBER] += within;
    return memcmp(&want, &have, sizeof want) == 0 && edges_at(c, read, map->rank, at);
}

bool zl_tm_one_tile(const zl_tm_symbolic *g, uint32_t leaf)
{
    zlay_range r = zl_monomial_range(&g->s->leaf[leaf].shape, g->s);
    return r.hi < INT64_MAX && (uint64_t)r.hi <= g->request.shape[leaf];
}

/* ---- what the copies do, for the certificate ------------------------------------------- */

/* The global address from which the first copy that brings a cell takes it; *by is that copy. */
static bool taken(zl_tm_sum *out, const zlay_copy **by, const zl_tm_symbolic *g, uint64_t index)
{
    cell c = {.g = g};
    if (!zl_tm_cell_at(&c, index)) return false;
    for (uint32_t k = 0; k < g->move->info.copies; k++) {
        const zlay_copy *copy = &g->move->copies[k];
        const zl_tm_read *read = &g->read[copy->map];
        int64_t at[ZL_TM_RANK], within;
        if (!zl_tm_brought(at, &within, &c, copy)) continue;
        *by = copy;
        *out = read->address;
        out->of[ZL_TM_NUMBER] += within;
        return moved(out, read, g->move->maps[copy->map].rank, at);
    }
    return false;
}

zlay_status zl_tm_moved(zl_tm_sum *offset, zl_tm_sum *step, zl_tm_sum *next, const zl_tm_symbolic *g)
{
    const zlay_copy *copy, *other;
    uint64_t index = 1;
    bool fits = taken(offset, &copy, g, 0);
    for (size_t k = 0; k < g->s->leaves && fits; k++) {
        const zl_tm_read *read = &g->read[copy->map];
        int64_t by[ZL_TM_RANK];
        memset(&next[k], 0, sizeof next[k]);
        memset(&step[k], 0, sizeof step[k]);
        for (uint32_t i = 0; i < ZL_TM_RANK; i++) by[i] = copy->advance[i][k];
        fits = moved(&next[k], read, g->move->maps[copy->map].rank, by);
        if (zl_tm_cells_inside(g, (uint32_t)k) > 1)
            fits = fits && taken(&step[k], &other, g, index) && zl_tm_sum_add(&step[k], offset, -1);
        index *= g->request.shape[k];
    }
    return fits ? ZLAY_OK : zl_symbols_overflow(g->ctx);
}
