/* SPDX-License-Identifier: Apache-2.0 */
/* Plans copies between layouts without common strides: F2 maps, guarded pieces, boxes that cross.
 *
 * The points that both sides have are sorted in the order of either side. Threads take them in
 * that order, as many at once as are contiguous and aligned on both sides in every group. The
 * family is the two orders, the widths and the paths. */
#include "synth/copy/copy.h"

#include <inttypes.h>
#include <string.h>

enum { SORT_BITS = 11 };

/* ---- points ------------------------------------------------------------------------- */

static zlay_status points_read(zl_copy *c, const zl_table value[ZL_SIDES], zl_copy_points *out)
{
    const zl_table *from = &value[ZL_SOURCE], *to = &value[ZL_DEST];
    out->count = 0;
    for (uint64_t i = 0; i < to->size; i++)
        if (from->there[i] && to->there[i])
            out->at[out->count++] = (zl_copy_point){{from->value[i], to->value[i]}, i};
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

/* ---- their orders --------------------------------------------------------------------- */

static bool is_sorted(const zl_copy_points *points, int side)
{
    for (uint64_t i = 1; i < points->count; i++)
        if (points->at[i].offset[side] < points->at[i - 1].offset[side]) return false;
    return true;
}

/* One pass of a radix sort, by a digit of the distance from the least offset; equal ones keep
 * their order. */
static void sort_digit(const zl_copy_points *points, zl_copy_point *to, int side, int64_t least,
                       uint32_t shift)
{
    uint64_t begin[1 << SORT_BITS] = {0}, sum = 0;
    const uint64_t mask = ZL_COUNT(begin) - 1;
    for (uint64_t i = 0; i < points->count; i++)
        begin[((uint64_t)points->at[i].offset[side] - (uint64_t)least) >> shift & mask]++;
    for (uint64_t d = 0; d <= mask; d++) {
        uint64_t count = begin[d];
        begin[d] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < points->count; i++) {
        uint64_t d = ((uint64_t)points->at[i].offset[side] - (uint64_t)least) >> shift & mask;
        to[begin[d]++] = points->at[i];
    }
}

static void put_in_order(zl_copy_points *points, zl_copy_point *room, int side)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    if (is_sorted(points, side)) return;
    for (uint64_t i = 0; i < points->count; i++) {
        int64_t at = points->at[i].offset[side];
        least = at < least ? at : least;
        most = at > most ? at : most;
    }
    uint64_t range = (uint64_t)most - (uint64_t)least;
    for (uint32_t shift = 0; shift < 64 && range >> shift; shift += SORT_BITS) {
        sort_digit(points, room, side, least, shift);
        memcpy(points->at, room, points->count * sizeof *room);
    }
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

/* Counts the groups of v points, each from the first point on that no earlier group has. */
static uint64_t groups_of(const zl_copy_points *points, uint64_t v)
{
    uint64_t groups = 0;
    for (uint64_t i = 0; i + v <= points->count;) {
        bool group = is_group(&points->at[i], v);
        groups += group;
        i += group ? v : 1;
    }
    return groups;
}

/* Moves the groups of v points from `left` behind those in `taken`. */
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
    bool threads = path == ZLAY_PATH_THREADS || path == ZLAY_PATH_STORE_ASYNC;
    *w = (zl_copy_way){.path = path, .kind = zl_copy_thread_kind(c), .vector = {v, v}};
    if (v < c->least) return false;
    if (path == ZLAY_PATH_STORE_ASYNC) {
        w->kind = ZLAY_COPY_STORE_ASYNC;
        if (!zl_copy_sends((uint64_t)1 << log)) return false;
    }
    for (int s = 0; s < ZL_SIDES; s++) {
        uint64_t widths = zlay_target_widths(c->target, zl_is_shared(c->side[s].space));
        if (c->side[s].align % (1u << log)) return false;
        if (threads && !(widths >> (1u << log) & 1)) return false;
    }
    zl_copy_block(w);
    zl_copy_bank(c, w);
    if (threads) return path == ZLAY_PATH_THREADS || zl_copy_table_allows(c, w->kind, 1u << log);
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
                      zl_move_part *p)
{
    zl_copy_lane_bits lanes;
    *p = (zl_move_part){
        .part = {.kind = w->kind, .modes = 1, .combine = 2, .elements = points->count}};
    p->part.width = p->part.source_width = zl_copy_bytes(c, w->vector[0]);
    p->mode[0] = (zlay_move_mode){points->count, 0, 0};
    lanes_fill(c, points->count / w->vector[0], &lanes);
    zl_copy_count_points(c, w, p, points);
    zl_copy_digits(c, p, w, &lanes);
}

/* The next narrower way for the points that remain; false: there is none. */
static bool narrower(const zl_copy *c, zl_copy_way *w)
{
    uint32_t log = (uint32_t)__builtin_ctz(zl_copy_bytes(c, w->vector[0]));
    int32_t path = w->path == ZLAY_PATH_BULK ? ZLAY_PATH_THREADS : w->path;
    if (c->signal) path = ZLAY_PATH_STORE_ASYNC;
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

/* Makes parts from the widest way downward, each from the points that the earlier ones left;
 * false where the first way takes none, or where some points remain at the end. */
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

/* Elements of the widest access that the points of one side alone allow, in that side's order. */
static uint64_t side_vector(const zl_copy *c, const zl_copy_points *points, int s)
{
    uint64_t v = zl_copy_widest_vector(c, s), run = 0, most = 1;
    const zl_copy_point *p = points->at;
    for (uint64_t i = 0; i < points->count; i++) {
        uint64_t at = (uint64_t)p[i].offset[s];
        if (i && p[i - 1].offset[s] == p[i].offset[s]) continue;
        run = i && at == (uint64_t)p[i - 1].offset[s] + 1 ? run + 1 : 1;
        while (most < v && run >= 2 * most && (at + 1) % (2 * most) == 0) most *= 2;
    }
    return most;
}

static void try_order(zl_copy *c, const zl_copy_points *points, int order, tried *t)
{
    static const int32_t paths[] = {ZLAY_PATH_BULK, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_THREADS,
                                    ZLAY_PATH_STORE_ASYNC};
    zl_copy_way w;
    for (size_t p = 0; p < ZL_COUNT(paths); p++)
        for (uint32_t log = ZL_WIDTH_MOST + 1; log--;) {
            if (!zl_copy_path_asked(c, paths[p])) continue;
            if (!way_of(c, &w, paths[p], log)) continue;
            bool bulk = w.path == ZLAY_PATH_BULK;
            c->bulk_copies = bulk ? groups_of(points, w.vector[0]) : 0;
            if (bulk && !c->bulk_copies) continue;
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

/* ---- the move ------------------------------------------------------------------------------- */

/* Fills in the numbers that bounds of the cost need: points and distinct sources. */
static void tile_fill(zl_copy *c, const zl_copy_points *by_source)
{
    const zl_copy_point *at = by_source->at;
    memset(&c->tile, 0, sizeof c->tile);
    c->tile.points = by_source->count;
    for (uint64_t i = 0; i < by_source->count; i++)
        c->tile.sources += !i || at[i].offset[0] != at[i - 1].offset[0];
}

static zlay_status move_of_best(zl_copy *c, const zl_copy_points *points, const zl_table *value,
                                tried *t, zlay_move **out)
{
    zlay_move *move;
    zl_copy_plan *best = t->best;
    t->next = best;
    build(c, points, best->way, t);
    zlay_status status = zl_move_new(c->ctx, &move, c->target, 0, 0);
    if (status) return status;
    status = zl_move_parts(c->ctx, move, best->count);
    if (!status) {
        memcpy(move->parts, best->part, best->count * sizeof *move->parts);
        zl_copy_info(c, &move->info, best, t->bound);
        status = zl_copy_points_prove(c, value, &t->taken, move);
    }
    if (status) zlay_move_free(move);
    else *out = move;
    return status;
}

static zlay_status plan_points(zl_copy *c, const zl_table *value, zl_copy_points order[ZL_SIDES],
                               tried *t, zlay_move **out)
{
    zl_copy_points *points = &order[ZL_DEST];
    zlay_status status = points_read(c, value, points);
    if (!status) status = points_check(c, points);
    if (status) return status;
    put_in_order(points, t->left.at, ZL_DEST);
    order[ZL_SOURCE].count = points->count;
    memcpy(order[ZL_SOURCE].at, points->at, points->count * sizeof *points->at);
    put_in_order(&order[ZL_SOURCE], t->left.at, ZL_SOURCE);
    t->best->cost = UINT64_MAX;
    tile_fill(c, &order[ZL_SOURCE]);
    const uint64_t vector[] = {side_vector(c, &order[ZL_SOURCE], ZL_SOURCE),
                               side_vector(c, &order[ZL_DEST], ZL_DEST)};
    t->bound = zl_copy_any_bound(c, vector);
    for (int side = ZL_SIDES; side--;) try_order(c, &order[side], side, t);
    if (t->best->cost < UINT64_MAX) return move_of_best(c, &order[t->order], value, t, out);
    return zl_fail(c->ctx, ZLAY_NONE, "no access%s moves %u-bit elements between these layouts",
                   c->request.path ? " of this path" : "", c->bits);
}

static zlay_status with_room(zl_copy *c, const zl_table *value, zlay_move **out)
{
    uint64_t size = value[ZL_DEST].size;
    zl_copy_point *room = zl_scratch(c->ctx, 4 * size, sizeof *room);
    zl_copy_plan *plan = zl_scratch(c->ctx, 2, sizeof *plan);
    if (!room || !plan) return ZLAY_ENOMEM;
    zl_copy_points order[ZL_SIDES] = {{0, room}, {0, room + size}};
    tried t = {&plan[0], &plan[1], UINT64_MAX, ZL_DEST, {0, room + 2 * size}, {0, room + 3 * size}};
    return plan_points(c, value, order, &t, out);
}

zlay_status zl_copy_by_points(zl_copy *c, zlay_move **out)
{
    uint64_t size = c->request.dest.layout->size, limit = zl_limits(c->ctx)->points;
    zl_table value[ZL_SIDES] = {{0}, {0}};
    zlay_status status = ZLAY_OK;
    if (size > limit)
        return zl_fail(c->ctx, ZLAY_ELIMIT,
                       "limits.points is %" PRIu64 ", a tile without common "
                       "strides has %" PRIu64,
                       limit, size);
    if (c->request.registers)
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "the fragments and memory have no common strides");
    for (int s = 0; !status && s < ZL_SIDES; s++)
        status = zl_table_of(c->ctx, &value[s], c->side[s].layout);
    if (!status) status = with_room(c, value, out);
    for (int s = ZL_SIDES; s-- > 0;) zl_table_free(&value[s]);
    return status;
}
