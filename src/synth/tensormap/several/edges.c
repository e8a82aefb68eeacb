/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the edges of a tile in other ways than by one dimension for each axis with edges.
 *
 * Where the steps of an axis with edges are longer than all that a row reaches, a cell beyond its
 * end lies beyond the end of memory. Then one dimension, the row, can count all elements from the
 * first one on *along memory*, and end where the tensor ends; the axis and all axes with shorter
 * steps move only that dimension. With weak edges the inner axes may have edges too, because a
 * cell beyond them may hold what is in memory there.
 *
 * *Without edges*, cells outside the tensor may hold anything. No maps are made in this way. But
 * where even then no copies bring the tile, no way to count edges can, and the answer is NONE. */
#include "synth/tensormap/several/cover.h"

#include <string.h>

/* ---- along memory --------------------------------------------------------------------------- */

/* Whether an axis is the top one or has shorter steps. */
static bool inside(const zl_tm_axis *a, const zl_tm_axis *top)
{
    return a == top || (a->stride && a->stride < top->stride && a->stride > -top->stride);
}

/* Whether one dimension can count the axes up to the top one: addresses rise along them.  *weak:
 * edges must be weak, because an inner axis has edges, or its cells reach the next index of the
 * top one. */
static bool counts(const zl_tm *t, const zl_tm_axis *top, bool *weak)
{
    int64_t reach = t->element;
    *weak = false;
    if (top->stride <= 0 || t->own || t->spread || t->axes == ZL_TM_AXES) return false;
    for (uint32_t i = 0; i < t->axes; i++) {
        const zl_tm_axis *a = &t->axis[i];
        if (!inside(a, top)) continue;
        if (a->down || a->stride <= 0 || !a->extent) return false;
        *weak |= a != top && a->clipped;
        if (a != top) reach += a->stride * (int64_t)(a->extent - 1);
    }
    *weak |= reach > top->stride;
    return !*weak || t->request.edge == ZLAY_EDGE_WEAK;
}

bool zl_tm_along_memory(zl_tm *out, const zl_tm *t, uint32_t index)
{
    const zl_tm_axis *top = &t->axis[index];
    bool weak;
    if (!counts(t, top, &weak)) return false;
    *out = *t;
    zl_tm_axis *all = &out->axis[out->axes++];
    *all = (zl_tm_axis){.extent = 1, .tile = 1, .tiles = 1, .stride = t->element, .clipped = true,
                        .memory = true};
    for (uint32_t i = 0; i < t->axes; i++) {
        zl_tm_axis *a = &out->axis[i];
        uint64_t step = (uint64_t)a->stride / t->element;
        if (!inside(&t->axis[i], top)) continue;
        a->clipped = false;
        a->on = out->axes;
        all->extent += (a->extent - 1) * step;
        all->low += a->low * (int64_t)step;
        if (a->tiles > 1) all->granule = zl_gcd(all->granule, a->tile * step);
    }
    all->granule = zl_gcd(all->granule, all->extent);
    all->granule = zl_gcd(all->granule, (uint64_t)(all->low < 0 ? -all->low : all->low));
    out->past |= weak;
    return true;
}

/* ---- without edges -------------------------------------------------------------------------- */

enum { TILES_MOST = 8 };

/* Whether a cell of a tile is inside the tensor; `last` has a bit for each axis along which the
 * tile is the last one. */
static bool has_cell(const zl_tm *t, uint64_t cell, uint32_t last)
{
    for (uint32_t i = 0; i < t->axes; i++) {
        const zl_tm_axis *a = &t->axis[i];
        int64_t at = (int64_t)(cell % a->tile), tile = (int64_t)a->tile;
        if (a->down) at = tile - 1 - at;
        if (last >> i & 1) at += (int64_t)(a->tiles - 1) * tile;
        if (at < a->low || at - a->low >= (int64_t)a->extent) return false;
        cell /= a->tile;
    }
    return true;
}

/* The tiles at the ends of axes that are tested: of all axes with edges, of each one, and of
 * none. */
static uint32_t tiles_find(const zl_tm *t, uint32_t last[TILES_MOST])
{
    uint32_t count = 1;
    last[0] = last[1] = 0;
    for (uint32_t i = 0; i < t->axes; i++) {
        if (!t->axis[i].clipped) continue;
        last[0] |= 1u << i;
        if (count + 1 < TILES_MOST) last[count++] = 1u << i;
    }
    last[count++] = 0;
    return count;
}

static zlay_status ends_make(zl_chunks *c, const zl_tm *t)
{
    uint32_t last[TILES_MOST], count = tiles_find(t, last);
    zl_ends *ends = zl_scratch(t->ctx, count * c->count, sizeof *ends);
    if (!ends) return ZLAY_ENOMEM;
    for (uint32_t k = 0; k < count; k++)
        for (uint64_t cell = 0; cell < t->cells; cell++) {
            uint64_t at = (uint64_t)c->shared[cell] * t->element;
            zl_ends *mine = &ends[k * c->count + at / ZL_CHUNK];
            uint16_t bytes = (uint16_t)(((1u << t->element) - 1) << at % ZL_CHUNK);
            if (has_cell(t, cell, last[k])) mine->in |= bytes;
            else mine->out |= bytes;
        }
    c->ends = ends;
    c->tiles = count;
    return ZLAY_OK;
}

/* Looks for a cell that no box brings; ZLAY_NONE names it. */
static zlay_status chunks_sought(const zl_chunks *c)
{
    uint64_t left = ZL_SHAPE_STEPS;
    for (uint64_t cell = 0; cell < c->cells && left; cell++) {
        uint64_t chunk = (uint64_t)c->shared[cell] * c->t->element / ZL_CHUNK;
        if (!c->t->defined[cell] || !zl_chunks_no_shape(c, chunk, &left)) continue;
        return zl_fail(c->t->ctx, ZLAY_NONE,
                       "COPY_SMEM_128: byte %llu of the tile: a copy begins on 128 bytes of shared memory, "
                       "and none that does brings it and fills what is outside of the tensor",
                       (unsigned long long)(cell * c->t->element));
    }
    return ZLAY_OK;
}

zlay_status zl_tm_no_edges(const zl_tm *t)
{
    zl_tm other = *t;
    zl_chunks c;
    uint8_t *there = zl_scratch(t->ctx, t->cells, 1);
    if (!there) return ZLAY_ENOMEM;
    for (uint64_t cell = 0; cell < t->cells; cell++) there[cell] = has_cell(t, cell, 0);
    other.defined = there;
    other.tiled = true;
    for (uint32_t i = 0; i < other.axes; i++) other.axis[i].clipped = false;
    zlay_status status = zl_chunks_make(&c, &other);
    if (!status && t->request.edge == ZLAY_EDGE_STRONG) status = ends_make(&c, t);
    return status ? status : chunks_sought(&c);
}
