/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between layouts that have no common strides: F2 maps, guarded pieces, boxes that cross.
 *
 * The points that both sides have are put in the order of either side, and threads take them in
 * that order, as many at once as are contiguous and aligned on both sides everywhere.  The family
 * is the two orders, the widths and the paths. */
#include "algebra/table.h"
#include "synth/copy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BULK_GRANULE = 16 }; /* bytes */

/* ---- points ------------------------------------------------------------------------- */

static zlay_status points_read(zl_copy *c, zl_copy_points *out)
{
    const zlay_layout *from = c->side[ZL_SOURCE].layout, *to = c->side[ZL_DEST].layout;
    zl_copy_point p;
    for (p.index = 0; p.index < to->size; p.index++)
        if (zl_value(from, p.index, &p.offset[0]) && zl_value(to, p.index, &p.offset[1]))
            out->at[out->count++] = p;
    if (!out->count)
        return zl_fail(c->ctx, ZLAY_EINVAL, "dest.layout: no point is defined on both sides");
    return ZLAY_OK;
}

static zlay_status points_check(zl_copy *c, const zl_copy_points *points)
{
    for (int s = 0; s < ZL_SIDES; s++) {
        int64_t least = INT64_MAX, most = INT64_MIN, bits;
        for (uint64_t i = 0; i < points->count; i++) {
            int64_t at = points->at[i].offset[s];
            least = at < least ? at : least;
            most = at > most ? at : most;
        }
        if (!zl_mul(most, c->bits, &bits) || !zl_mul(least, c->bits, &bits))
            return zl_fail(c->ctx, ZLAY_EOVERFLOW, "an offset in bits does not fit 64 bits");
        zlay_status status =
            zl_copy_fits(c, s, least, (zl_umul_sat((uint64_t)most + 1, c->bits) + 7) / 8);
        if (status) return status;
    }
    return ZLAY_OK;
}

static int compare(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_source(const void *x, const void *y)
{
    const zl_copy_point *a = x, *b = y;
    int order = compare(a->offset[ZL_SOURCE], b->offset[ZL_SOURCE]);
    return order ? order : compare(a->offset[ZL_DEST], b->offset[ZL_DEST]);
}

static int by_dest(const void *x, const void *y)
{
    const zl_copy_point *a = x, *b = y;
    return compare(a->offset[ZL_DEST], b->offset[ZL_DEST]);
}

static void put_in_order(zl_copy_points *points, int side)
{
    qsort(points->at, points->count, sizeof *points->at, side == ZL_SOURCE ? by_source : by_dest);
}

/* ---- ways ----------------------------------------------------------------------------- */

/* Whether groups of v are contiguous and aligned on both sides. */
static bool grouped(const zl_copy_points *points, uint64_t v)
{
    if (points->count % v) return false;
    for (uint64_t i = 0; i < points->count; i++)
        for (int s = 0; s < ZL_SIDES; s++) {
            uint64_t first = (uint64_t)points->at[i - i % v].offset[s];
            if (first % v || (uint64_t)points->at[i].offset[s] != first + i % v) return false;
        }
    return true;
}

static bool way_of(const zl_copy *c, zl_copy_way *w, int32_t path, uint32_t log)
{
    uint32_t bits = 8u << log, v = bits % c->bits ? 0 : bits / c->bits;
    *w = (zl_copy_way){.path = path, .kind = zl_copy_thread_kind(c), .vector = {v, v}};
    if (v < c->least) return false;
    for (int s = 0; s < ZL_SIDES; s++) {
        uint64_t widths = zlay_target_widths(c->target, zl_is_shared(c->side[s].space));
        if (c->side[s].align % (1u << log)) return false;
        if (path == ZLAY_PATH_THREADS && !(widths >> (1u << log) & 1)) return false;
    }
    zl_copy_block(w);
    zl_copy_bank(c, w);
    if (path == ZLAY_PATH_THREADS) return true;
    w->kind = path == ZLAY_PATH_BULK ? zl_copy_bulk_kind(c) : ZLAY_COPY_CP_ASYNC;
    if (path == ZLAY_PATH_CP_ASYNC && (c->side[ZL_SOURCE].space != ZLAY_MOVE_GLOBAL ||
                                       c->side[ZL_DEST].space != ZLAY_MOVE_SHARED))
        return false;
    return w->kind && (path != ZLAY_PATH_BULK || log == 4) &&
           zl_copy_table_allows(c, w->kind, (uint64_t)1 << log);
}

static void lanes_fill(const zl_copy *c, uint64_t groups, zl_copy_lane_bits *out)
{
    memset(out, 0, sizeof *out);
    while (2u << out->count <= c->lanes && (uint64_t)1 << out->count < groups) {
        out->mode[out->count++] = 0;
        out->bits[0]++;
    }
}

static void part_fill(const zl_copy *c, const zl_copy_way *w, const zl_copy_points *points,
                      zl_part *p)
{
    zl_copy_lane_bits lanes;
    *p = (zl_part){.part = {.kind = w->kind, .modes = 1, .combine = 2, .elements = points->count}};
    p->part.width = p->part.source_width = zl_copy_bytes(c, w->vector[0]);
    p->mode[0] = (zlay_move_mode){points->count, 0, 0};
    lanes_fill(c, points->count / w->vector[0], &lanes);
    zl_copy_count_points(c, w, p, points);
    zl_copy_digits(c, p, w, &lanes);
}

typedef struct tried {
    zl_copy_plan *best;
    uint64_t bound;
    int order; /* of the best */
} tried;

static void try_order(zl_copy *c, const zl_copy_points *points, int order, tried *t)
{
    static const int32_t paths[] = {ZLAY_PATH_BULK, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_THREADS};
    zl_part part;
    zl_copy_way w;
    for (size_t p = 0; p < ZL_COUNT(paths); p++)
        for (uint32_t log = ZL_WIDTH_MOST + 1; log--;) {
            if (c->request.path && c->request.path != paths[p]) continue;
            if (!way_of(c, &w, paths[p], log) || !grouped(points, w.vector[0])) continue;
            part_fill(c, &w, points, &part);
            uint64_t cost = zl_copy_cost(&w, &part),
                     bound = zl_copy_bound(c, &w, points->count, c->sectors);
            if (bound < t->bound) t->bound = bound;
            if (cost >= t->best->cost) continue;
            t->best->cost = cost;
            t->best->way = w;
            t->best->part[0] = part;
            t->best->count = 1;
            t->order = order;
        }
}

/* ---- layouts ------------------------------------------------------------------------------ */

/* The points in their order as a layout of the digits. */
static zlay_status threads_layout(zl_copy *c, const zl_copy_points *points, const zl_part *p,
                                  zlay_layout **out)
{
    zl_table t;
    zl_modes box;
    uint64_t size = 1;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&box, c->ctx);
    for (uint32_t i = 0; i < p->part.digits; i++) size *= p->digit[i].extent;
    for (uint32_t i = 0; !status && i < p->part.digits; i++)
        status = zl_modes_leaf(&box, (int64_t)p->digit[i].extent, 0);
    if (!status && !p->part.digits) status = zl_modes_leaf(&box, 1, 0);
    if (!status) status = zl_table_new(c->ctx, &t, size);
    if (!status) {
        for (uint64_t i = 0; i < points->count; i++)
            zl_table_set(&t, i, (int64_t)points->at[i].index);
        status = zl_cheapest(c->ctx, out, &t, &box, NULL, NULL);
        zl_table_free(&t);
    }
    zl_modes_end(&box);
    return status;
}

/* A table over the tile as a layout of the destination's box. */
static zlay_status as_layout(zl_copy *c, const zl_table *t, zlay_layout **out)
{
    zl_modes box;
    zl_modes_begin(&box, c->ctx);
    zlay_status status = zl_layout_box(&box, c->request.dest.layout);
    if (!status) status = zl_cheapest(c->ctx, out, t, &box, NULL, NULL);
    zl_modes_end(&box);
    return status;
}

/* What the accesses do: the point that each thread's value names, at the offset that it has. */
static zlay_status as_moved(zl_copy *c, const zlay_layout *threads, int side, zlay_layout **out)
{
    zl_table t;
    int64_t index, offset;
    zlay_status status = zl_table_new(c->ctx, &t, c->request.dest.layout->size);
    for (uint64_t i = 0; !status && i < threads->size; i++)
        if (zl_value(threads, i, &index) &&
            zl_value(c->side[side].layout, (uint64_t)index, &offset))
            zl_table_set(&t, (uint64_t)index, offset);
    if (!status) status = as_layout(c, &t, out);
    zl_table_free(&t);
    return status;
}

/* What was asked: a side where both have a value. */
static zlay_status as_asked(zl_copy *c, int side, zlay_layout **out)
{
    const zlay_layout *a = c->side[side].layout, *other = c->side[!side].layout;
    zl_table t;
    int64_t value, there;
    if (!a->partial && !other->partial)
        return zl_layout_copy(c->ctx, out,
                              side ? c->request.dest.layout : c->request.source.layout);
    zlay_status status = zl_table_new(c->ctx, &t, a->size);
    for (uint64_t i = 0; !status && i < a->size; i++)
        if (zl_value(a, i, &value) && zl_value(other, i, &there)) zl_table_set(&t, i, value);
    if (!status) status = as_layout(c, &t, out);
    zl_table_free(&t);
    return status;
}

static zlay_status move_fill(zl_copy *c, const zl_copy_points *points, const tried *t,
                             zlay_move *move)
{
    zlay_status status = zl_move_parts(c->ctx, move, 1);
    if (status) return status;
    move->parts[0] = t->best->part[0];
    zl_copy_info(c, &move->info, t->best, t->bound);
    status = threads_layout(c, points, &move->parts[0], &move->threads);
    if (!status) status = as_moved(c, move->threads, ZL_DEST, &move->certificate[0]);
    if (!status) status = as_asked(c, ZL_DEST, &move->certificate[1]);
    if (!status) status = as_moved(c, move->threads, ZL_SOURCE, &move->source[0]);
    if (!status) status = as_asked(c, ZL_SOURCE, &move->source[1]);
    if (!status) status = zl_layout_copy(c->ctx, &move->smem, c->request.dest.layout);
    return status ? status : zl_move_certify(c->ctx, move);
}

/* What bounds of the cost ask of a tile: its points, different sources, the longest bulk copy. */
static void tile_fill(zl_copy *c, zl_copy_points *points)
{
    memset(&c->tile, 0, sizeof c->tile);
    put_in_order(points, ZL_SOURCE);
    c->tile.points = points->count;
    for (uint64_t i = 0; i < points->count; i++)
        c->tile.sources += !i || points->at[i].offset[0] != points->at[i - 1].offset[0];
    c->tile.mode[0].extent = BULK_GRANULE * 8 / c->bits;
}

/* ---- the move ------------------------------------------------------------------------------- */

static zlay_status plan_points(zl_copy *c, zl_copy_points *points, zl_copy_plan *plan,
                               zlay_move **out)
{
    tried t = {plan, UINT64_MAX, ZL_DEST};
    zlay_move *move;
    zlay_status status = points_read(c, points);
    if (!status) status = points_check(c, points);
    if (status) return status;
    plan->cost = UINT64_MAX;
    tile_fill(c, points);
    for (int order = ZL_SIDES; order--;) {
        put_in_order(points, order);
        try_order(c, points, order, &t);
    }
    if (plan->cost == UINT64_MAX)
        return zl_fail(c->ctx, ZLAY_NONE, "no access moves %u-bit elements between these layouts",
                       c->bits);
    put_in_order(points, t.order);
    status = zl_move_new(c->ctx, &move, c->target, 0, 0);
    if (status) return status;
    status = move_fill(c, points, &t, move);
    if (status) zlay_move_free(move);
    else *out = move;
    return status;
}

zlay_status zl_copy_by_points(zl_copy *c, zlay_move **out)
{
    zl_copy_points points = {0, NULL};
    uint64_t size = c->request.dest.layout->size, limit = zl_limits(c->ctx)->points;
    zlay_allocator alloc = zl_allocator(c->ctx);
    if (size > limit)
        return zl_fail(c->ctx, ZLAY_ELIMIT,
                       "limits.points is %" PRIu64 ", a tile without common "
                       "strides has %" PRIu64,
                       limit, size);
    if (c->request.registers)
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "the fragments and memory have no common strides");
    points.at = zl_alloc(c->ctx, size, sizeof *points.at);
    zl_copy_plan *plan = zl_alloc(c->ctx, 1, sizeof *plan);
    zlay_status status = points.at && plan ? plan_points(c, &points, plan, out) : ZLAY_ENOMEM;
    zl_free(&alloc, plan, sizeof *plan);
    zl_free(&alloc, points.at, size * sizeof *points.at);
    return status;
}
