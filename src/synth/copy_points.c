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

/* Whether v points from one on are contiguous and aligned on both sides. */
static bool is_group(const zl_copy_point *p, uint64_t v)
{
    for (int s = 0; s < ZL_SIDES; s++) {
        if ((uint64_t)p->offset[s] % v) return false;
        for (uint64_t j = 1; j < v; j++)
            if ((uint64_t)p[j].offset[s] != (uint64_t)p->offset[s] + j) return false;
    }
    return true;
}

/* Move the groups of v from what is left behind those that are taken. */
static void take_groups(zl_copy_points *left, zl_copy_points *taken, uint64_t v)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < left->count;) {
        if (i + v > left->count || !is_group(&left->at[i], v)) {
            left->at[kept++] = left->at[i++];
            continue;
        }
        for (uint64_t j = 0; j < v; j++) taken->at[taken->count++] = left->at[i++];
    }
    left->count = kept;
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

/* The next narrower way for what is left; false: there is none. */
static bool narrower(const zl_copy *c, zl_copy_way *w)
{
    uint32_t log = (uint32_t)__builtin_ctz(zl_copy_bytes(c, w->vector[0]));
    int32_t path = w->path == ZLAY_PATH_BULK ? ZLAY_PATH_THREADS : w->path;
    while (log--) {
        if (path == ZLAY_PATH_CP_ASYNC && log < 2) path = ZLAY_PATH_THREADS;
        if (way_of(c, w, path, log)) return true;
    }
    return false;
}

typedef struct tried {
    zl_copy_plan *best, *next;
    uint64_t bound;
    int order;                  /* of the best */
    zl_copy_points left, taken; /* room for all points each */
} tried;

/* Parts from the widest way on down, each of what those before it left: false where it takes none
 * itself, or where some are left at the end. */
static bool build(const zl_copy *c, const zl_copy_points *points, zl_copy_way w, tried *t)
{
    zl_copy_plan *plan = t->next;
    memcpy(t->left.at, points->at, points->count * sizeof *points->at);
    t->left.count = points->count;
    t->taken.count = plan->count = 0;
    plan->cost = 0;
    plan->way = w;
    do {
        uint64_t first = t->taken.count;
        take_groups(&t->left, &t->taken, w.vector[0]);
        zl_copy_points now = {t->taken.count - first, t->taken.at + first};
        if (!now.count && !first) return false;
        if (!now.count) continue;
        part_fill(c, &w, &now, &plan->part[plan->count]);
        plan->cost += zl_copy_cost(&w, &plan->part[plan->count++]);
    } while (t->left.count && narrower(c, &w));
    return !t->left.count;
}

static void try_order(zl_copy *c, const zl_copy_points *points, int order, tried *t)
{
    static const int32_t paths[] = {ZLAY_PATH_BULK, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_THREADS};
    zl_copy_way w;
    for (size_t p = 0; p < ZL_COUNT(paths); p++)
        for (uint32_t log = ZL_WIDTH_MOST + 1; log--;) {
            if (c->request.path && c->request.path != paths[p]) continue;
            if (!way_of(c, &w, paths[p], log)) continue;
            uint64_t bound = zl_copy_bound(c, &w, points->count, c->sectors);
            if (bound < t->bound) t->bound = bound;
            if (bound >= t->best->cost || !build(c, points, w, t)) continue;
            if (t->next->cost >= t->best->cost) continue;
            zl_copy_plan *best = t->best;
            t->best = t->next;
            t->next = best;
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
static zlay_status as_moved(zl_copy *c, const zlay_move *move, int side, zlay_layout **out)
{
    zl_table t;
    int64_t index, offset;
    zlay_status status = zl_table_new(c->ctx, &t, c->request.dest.layout->size);
    for (uint32_t p = 0; !status && p < move->info.parts; p++)
        for (uint64_t i = 0; i < move->parts[p].threads->size; i++)
            if (zl_value(move->parts[p].threads, i, &index) &&
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

static zlay_status move_fill(zl_copy *c, const tried *t, zlay_move *move)
{
    zl_copy_points now = {0, t->taken.at};
    zlay_status status = zl_move_parts(c->ctx, move, t->best->count);
    if (status) return status;
    memcpy(move->parts, t->best->part, t->best->count * sizeof *move->parts);
    zl_copy_info(c, &move->info, t->best, t->bound);
    for (uint32_t i = 0; !status && i < t->best->count; i++) {
        now.count = move->parts[i].part.elements;
        status = threads_layout(c, &now, &move->parts[i], &move->parts[i].threads);
        now.at += now.count;
    }
    if (!status) status = as_moved(c, move, ZL_DEST, &move->certificate[0]);
    if (!status) status = as_asked(c, ZL_DEST, &move->certificate[1]);
    if (!status) status = as_moved(c, move, ZL_SOURCE, &move->source[0]);
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

static zlay_status move_of_best(zl_copy *c, zl_copy_points *points, tried *t, zlay_move **out)
{
    zlay_move *move;
    zl_copy_plan *best = t->best;
    put_in_order(points, t->order);
    t->next = best;
    build(c, points, best->way, t);
    zlay_status status = zl_move_new(c->ctx, &move, c->target, 0, 0);
    if (status) return status;
    status = move_fill(c, t, move);
    if (status) zlay_move_free(move);
    else *out = move;
    return status;
}

static zlay_status plan_points(zl_copy *c, zl_copy_points *points, tried *t, zlay_move **out)
{
    zlay_status status = points_read(c, points);
    if (!status) status = points_check(c, points);
    if (status) return status;
    t->best->cost = UINT64_MAX;
    tile_fill(c, points);
    for (int order = ZL_SIDES; order--;) {
        put_in_order(points, order);
        try_order(c, points, order, t);
    }
    if (t->best->cost < UINT64_MAX) return move_of_best(c, points, t, out);
    return zl_fail(c->ctx, ZLAY_NONE, "no access moves %u-bit elements between these layouts",
                   c->bits);
}

zlay_status zl_copy_by_points(zl_copy *c, zlay_move **out)
{
    uint64_t size = c->request.dest.layout->size, limit = zl_limits(c->ctx)->points;
    zlay_allocator alloc = zl_allocator(c->ctx);
    if (size > limit)
        return zl_fail(c->ctx, ZLAY_ELIMIT,
                       "limits.points is %" PRIu64 ", a tile without common "
                       "strides has %" PRIu64,
                       limit, size);
    if (c->request.registers)
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "the fragments and memory have no common strides");
    zl_copy_point *room = zl_alloc(c->ctx, 3 * size, sizeof *room);
    zl_copy_plan *plan = zl_alloc(c->ctx, 2, sizeof *plan);
    zlay_status status = ZLAY_ENOMEM;
    if (room && plan) {
        zl_copy_points points = {0, room};
        tried t = {&plan[0], &plan[1], UINT64_MAX, ZL_DEST, {0, room + size}, {0, room + 2 * size}};
        status = plan_points(c, &points, &t, out);
    }
    zl_free(&alloc, plan, 2 * sizeof *plan);
    zl_free(&alloc, room, 3 * size * sizeof *room);
    return status;
}
