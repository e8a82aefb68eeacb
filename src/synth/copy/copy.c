/* SPDX-License-Identifier: Apache-2.0 */
/* copy.synth: reads the request, joins both layouts to common modes, counts all candidates of the
 * family, and keeps the one that costs least. Requests whose layouts have no common modes are
 * answered point by point (points.c). */
#include "algebra/ops/cute.h"
#include "base/request.h"
#include "synth/copy/copy.h"

#include "algebra/ops/symbolic/ops.h"
#include "legality/bank/bank.h"

#include <inttypes.h>
#include <string.h>
#include <zlay/decide.h>
#include <zlay/symbol.h>
#include <zlay/copy_synth.h>

enum { THREADS = 128, ALIGN = 16, BITS_MOST = 128 };

#define POINTS_MOST ((uint64_t)1 << 56)

static const char *const side_names[ZL_SIDES] = {"source", "dest"};

/* ---- the request -------------------------------------------------------------------- */

/* At most one side is fragments; the request then states the elements of a thread. */
static zlay_status fragments_read(zl_copy *c)
{
    bool from = c->side[ZL_SOURCE].space == ZLAY_MOVE_REGISTER;
    bool to = c->side[ZL_DEST].space == ZLAY_MOVE_REGISTER;
    c->key = from ? ZL_SOURCE : ZL_DEST;
    if (from && to) return zl_fail(c->ctx, ZLAY_ENOTSUP, "dest.space: both sides are registers");
    if ((from || to) == !c->request.registers)
        return zl_fail(c->ctx, ZLAY_EINVAL, "registers: %u with %s side in registers",
                       c->request.registers, from || to ? "a" : "no");
    return ZLAY_OK;
}

static zlay_status request_read(zl_copy *c, const zlay_copy_request *in)
{
    zlay_copy_request *r = &c->request;
    static const zl_request_form form = {
        "zlay_copy_request",
        sizeof *r,
        sizeof in->size,
        {ZL_RESERVED(zlay_copy_request, reserved), ZL_RESERVED(zlay_copy_request, reserved1)}};
    zlay_status status = zl_request_read(c->ctx, r, in, &form);
    if (status) return status;
    c->bits = r->elem_bits;
    if (!c->bits || c->bits > BITS_MOST || (c->bits & (c->bits - 1)))
        return zl_fail(c->ctx, ZLAY_EINVAL, "elem_bits: %u is no power of two in 1..%d", c->bits,
                       BITS_MOST);
    bool async = r->path == ZLAY_PATH_STORE_ASYNC;
    if (r->path < 0 || r->path == ZLAY_PATH_TENSOR || (r->path > ZLAY_PATH_MATRIX && !async))
        return zl_fail(c->ctx, ZLAY_EINVAL, "path: %d is no path by threads", r->path);
    if (r->signal > 1 || ((r->signal || async) && r->dest.space != ZLAY_MOVE_PEER))
        return zl_fail(c->ctx, ZLAY_EINVAL, "signal: %u, where a peer's barrier alone counts bytes",
                       r->signal);
    c->signal = r->signal || async;
    c->least = c->bits < 8 ? 8 / c->bits : 1;
    c->side[ZL_SOURCE] = r->source;
    c->side[ZL_DEST] = r->dest;
    return fragments_read(c);
}

static zlay_status side_read(zl_copy *c, int s)
{
    zlay_copy_side *side = &c->side[s];
    uint64_t bytes = c->bits < 8 ? 1 : c->bits / 8;
    if (!side->layout) return zl_fail(c->ctx, ZLAY_EINVAL, "%s.layout: is NULL", side_names[s]);
    if (side->reserved) return zl_fail(c->ctx, ZLAY_EINVAL, "%s.reserved: is not 0", side_names[s]);
    if (side->space < ZLAY_MOVE_GLOBAL || side->space > ZLAY_MOVE_REGISTER)
        return zl_fail(c->ctx, ZLAY_EINVAL, "%s.space: %d is no space", side_names[s], side->space);
    if (!side->align) side->align = ALIGN;
    if (side->align % bytes)
        return zl_fail(c->ctx, ZLAY_EINVAL,
                       "%s.align: %" PRIu64 " is no multiple of an element's %" PRIu64 " bytes",
                       side_names[s], side->align, bytes);
    if (zlay_layout_out_count(side->layout) != 1)
        return zl_fail(c->ctx, ZLAY_EINVAL, "%s.layout: has several outputs, a tile has one offset",
                       side_names[s]);
    zlay_status status = zl_symbols_plain(c->ctx, side->layout);
    if (status) return status;
    const char *name = zlay_layout_param_nth(side->layout, 0);
    if (name && (!side->layout->symbols || side->space != ZLAY_MOVE_GLOBAL))
        return zl_fail(c->ctx, ZLAY_ENOTSUP,
                       "%s.layout: depends on %s, which only strides in "
                       "global memory may",
                       side_names[s], name);
    return ZLAY_OK;
}

/* Threads are whole warps, or a power of two below one warp. */
static zlay_status threads_read(zl_copy *c)
{
    zlay_target_summary info;
    zlay_status status = zlay_target_info(&info, c->target);
    if (status) return status;
    uint32_t threads = c->request.threads ? c->request.threads : THREADS;
    if (threads > info.threads)
        return zl_fail(c->ctx, ZLAY_EINVAL, "threads: %u are more than the %u of a block", threads,
                       info.threads);
    c->warp = info.lanes;
    c->limit = c->request.threads ? c->request.threads : info.threads;
    for (c->lanes = 1; 2 * c->lanes <= threads && 2 * c->lanes <= info.lanes;) c->lanes *= 2;
    c->threads = threads / c->lanes * c->lanes;
    c->ptx = info.ptx != 0;
    c->ranked = zl_bank_alike(c->target);
    c->bank_bytes = info.banks * info.bank_bytes;
    c->row_bytes = zl_copy_row_bytes(c);
    c->lanes_most = c->limit < c->warp ? c->limit : c->warp;
    return ZLAY_OK;
}

/* ---- candidates ------------------------------------------------------------------------- */

enum { WAYS_MOST = 64 };

/* A candidate: a way, by its path and its number there, and a lower bound on the cost of its
 * plans. */
typedef struct candidate {
    int32_t path;
    uint32_t number;
    uint64_t bound;
} candidate;

typedef struct least {
    zl_copy_plan *best, *next;
    uint64_t bound; /* of every way */
    uint32_t count, taken; /* candidates; the number of the best */
    candidate at[WAYS_MOST];
} least;

static void part_way(const zl_copy *c, zl_copy_way *out, const zl_copy_plan *plan,
                     const zlay_move_part *p)
{
    *out = plan->way;
    out->kind = p->kind;
    out->vector[ZL_SOURCE] = (uint32_t)((uint64_t)p->source_width * 8 / c->bits);
    out->vector[ZL_DEST] = (uint32_t)((uint64_t)p->width * 8 / c->bits);
    if (p->kind == ZLAY_COPY_THREAD_LOAD || p->kind == ZLAY_COPY_THREAD_STORE)
        out->path = p->realign ? ZLAY_PATH_REALIGN : ZLAY_PATH_THREADS;
    if (p->kind == ZLAY_COPY_STORE_ASYNC) out->path = ZLAY_PATH_STORE_ASYNC;
    zl_copy_block(out);
    zl_copy_bank(c, out);
}

/* The cost of a plan; UINT64_MAX where it is more than `most`. */
static zlay_status plan_cost(const zl_copy *c, zl_copy_plan *plan, uint64_t most)
{
    zlay_status status = zl_copy_cut(c, plan);
    plan->cost = 0;
    for (uint32_t i = 0; !status && i < plan->count && plan->cost < UINT64_MAX; i++) {
        zl_copy_way way;
        part_way(c, &way, plan, &plan->part[i].part);
        uint64_t cost =
            zl_copy_lanes(c, &way, &plan->part[i], &plan->lanes[i], most - plan->cost);
        plan->cost = cost == UINT64_MAX ? cost : plan->cost + cost;
    }
    return status;
}

/* Fills in, for the plan that is kept, the counts of its parts and their threads. */
static void plan_end(const zl_copy *c, zl_copy_plan *plan)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        zl_copy_way way;
        part_way(c, &way, plan, &plan->part[i].part);
        zl_copy_count(c, &way, &plan->part[i], &plan->lanes[i], ZL_COUNT_ALL);
        zl_copy_digits(c, &plan->part[i], &way, &plan->lanes[i]);
    }
}

/* Plans one way and keeps it if it costs less; of equal costs the first way is kept. */
static zlay_status try_way(const zl_copy *c, least *l, uint32_t i)
{
    const candidate *way = &l->at[i];
    uint64_t most = l->best->cost - (i > l->taken && l->best->cost < UINT64_MAX);
    if (way->bound > most) return ZLAY_OK;
    zl_copy_way_at(c, &l->next->way, way->path, way->number);
    zlay_status status = plan_cost(c, l->next, most);
    if (status == ZLAY_NONE) return ZLAY_OK;
    if (status || l->next->cost == UINT64_MAX) return status;
    zl_copy_plan *best = l->best;
    l->best = l->next;
    l->next = best;
    l->taken = i;
    return ZLAY_OK;
}

/* Lists the candidates with their bounds. The overall bound also covers plans outside the family,
 * where no way is as wide as both sides allow or where a source is read once for many points;
 * with names or tensors it covers the family alone. */
static void list_ways(const zl_copy *c, least *l)
{
    const uint64_t widest[] = {zl_copy_side_vector(c, ZL_SOURCE), zl_copy_side_vector(c, ZL_DEST)};
    bool all = c->tensors || zl_copy_has_names(c), once = c->tile.sources == c->tile.points;
    static const int32_t paths[] = {ZLAY_PATH_BULK, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_THREADS,
                                    ZLAY_PATH_REALIGN, ZLAY_PATH_STORE_ASYNC};
    zl_copy_way way;
    for (size_t p = 0; p < ZL_COUNT(paths); p++) {
        if (!zl_copy_path_asked(c, paths[p])) continue;
        for (uint32_t i = 0; zl_copy_way_at(c, &way, paths[p], i); i++) {
            if (!way.kind || l->count == WAYS_MOST) continue;
            uint64_t bound = zl_copy_way_bound(c, &way);
            l->at[l->count++] = (candidate){paths[p], i, bound};
            if (bound < l->bound) l->bound = bound;
            bool threads = paths[p] == ZLAY_PATH_THREADS || paths[p] == ZLAY_PATH_STORE_ASYNC;
            all = all || (threads && once && way.vector[ZL_SOURCE] >= widest[ZL_SOURCE] &&
                          way.vector[ZL_DEST] >= widest[ZL_DEST]);
        }
    }
    uint64_t bound = all ? UINT64_MAX : zl_copy_any_bound(c, widest);
    if (bound < l->bound) l->bound = bound;
}

/* Returns the candidate with the least bound among those not done; `count`: none is left. */
static uint32_t next_way(const least *l, const bool *done)
{
    uint32_t next = l->count;
    for (uint32_t i = 0; i < l->count; i++)
        if (!done[i] && (next == l->count || l->at[i].bound < l->at[next].bound)) next = i;
    return next;
}

static zlay_status try_all(const zl_copy *c, least *l)
{
    bool done[WAYS_MOST] = {false};
    zlay_status status = ZLAY_OK;
    list_ways(c, l);
    for (uint32_t i; !status && (i = next_way(l, done)) < l->count; done[i] = true)
        status = try_way(c, l, i);
    if (status || l->best->cost < UINT64_MAX) return status;
    return zl_fail(c->ctx, ZLAY_NONE, "no access%s moves %u-bit elements between these layouts",
                   c->request.path ? " of this path" : "", c->bits);
}

/* ---- the move --------------------------------------------------------------------------- */

static zlay_status move_make(zl_copy *c, const least *l, zlay_move **out)
{
    zlay_move *move;
    zlay_status status = zl_move_new(c->ctx, &move, c->target, 0, 0);
    if (status) return status;
    status = zl_move_parts(c->ctx, move, l->best->count);
    if (!status) {
        memcpy(move->parts, l->best->part, l->best->count * sizeof *move->parts);
        zl_copy_info(c, &move->info, l->best, l->bound);
        for (int s = 0; s < ZL_SIDES; s++) {
            const zl_swizzle w = c->tile.swizzle[s];
            move->swizzle[s] = (zlay_move_swizzle){w.bits, w.base, w.shift, 0};
        }
        if (!c->request.registers) zl_copy_widest(c, &move->widest);
        status = zl_copy_prove(c, l->best, move);
        if (!status && c->tensors) status = zl_copy_put_tiles(c, move);
        if (!status && (c->tensors || zl_copy_has_names(c))) status = zl_copy_names(c, move);
    }
    if (!status) status = zl_move_certify(c->ctx, move);
    if (status) zlay_move_free(move);
    else *out = move;
    return status;
}

static void sectors_fill(zl_copy *c, zl_copy_plan *room)
{
    zl_copy_whole(c, &room->part[0]);
    for (int s = 0; s < ZL_SIDES; s++) c->sectors[s] = zl_copy_sectors(c, &room->part[0], s);
}

static zlay_status search(zl_copy *c, zlay_move **out)
{
    uint64_t period = zl_copy_period(c, ZL_SOURCE);
    if (zl_copy_period(c, ZL_DEST) > period) period = zl_copy_period(c, ZL_DEST);
    if (period > ZL_RESIDUES)
        return zl_fail(c->ctx, ZLAY_ELIMIT,
                       "a swizzle repeats after %" PRIu64 " elements, the limit "
                       "is %d",
                       period, ZL_RESIDUES);

    zl_copy_plan *plans = zl_scratch(c->ctx, 2, sizeof *plans);
    c->residues = zl_scratch(c->ctx, 2 * period, sizeof *c->residues);
    if (!plans || !c->residues) return ZLAY_ENOMEM;
    least l = {.best = &plans[0], .next = &plans[1], .bound = UINT64_MAX};
    l.best->cost = UINT64_MAX;
    sectors_fill(c, l.next);
    bool fragments = c->request.registers;
    zlay_status status = fragments ? zl_copy_fragments(c, l.best, l.next) : try_all(c, &l);
    if (status) return status;
    if (fragments) l.bound = l.best->bound;
    else plan_end(c, l.best);
    return move_make(c, &l, out);
}

/* Replaces a layout of another kind by an equal strided one, where there is one. */
static zlay_status find_strides(zl_copy *c, int s)
{
    const zlay_layout *layout = c->side[s].layout;
    if (c->made[s] || layout->modes || layout->partial || layout->size > zl_limits(c->ctx)->points)
        return ZLAY_OK;
    zlay_status status = zl_coalesce(c->ctx, &c->made[s], layout);
    if (!status && c->made[s]->modes) c->side[s].layout = c->made[s];
    return zl_unless_limit(c->ctx, status);
}

/* Whether the points may be moved one by one where no way along the modes exists: a swizzle may
 * keep elements together although its base does not, and rows may differ. */
static bool points_may(const zl_copy *c)
{
    bool swizzled = c->tile.swizzle[ZL_SOURCE].bits || c->tile.swizzle[ZL_DEST].bits;
    if (c->request.registers || c->tensors || zl_copy_has_names(c)) return false;
    return swizzled || c->tile.points <= zl_limits(c->ctx)->points;
}

static zlay_status synth(zl_copy *c, zlay_move **out)
{
    zlay_status status = threads_read(c);
    for (int s = 0; !status && s < ZL_SIDES; s++) status = side_read(c, s);
    if (status) return status;
    status = zl_copy_tiles(c);
    if (!status) status = zl_copy_sample(c);
    if (status) return status;
    uint64_t from = zlay_layout_size(c->side[0].layout), to = zlay_layout_size(c->side[1].layout);
    if (from != to)
        return zl_fail(c->ctx, ZLAY_EINVAL,
                       "dest.layout: has %" PRIu64 " points, the source %" PRIu64, to, from);
    if (from > POINTS_MOST)
        return zl_fail(c->ctx, ZLAY_EOVERFLOW,
                       "dest.layout: the counts of %" PRIu64 " points do not fit 64 bits", from);
    status = zl_copy_overlap_check(c);
    for (int s = 0; !status && s < ZL_SIDES; s++) status = find_strides(c, s);
    if (!status) status = zl_copy_join(c);
    if (status == ZLAY_NONE && (c->tensors || zl_copy_has_names(c)))
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "source.layout: %s, and no common strides",
                       c->tensors ? "tiles" : "names");
    if (status == ZLAY_NONE) return zl_copy_by_points(c, out);
    for (int s = 0; !status && s < ZL_SIDES; s++) status = zl_copy_side_check(c, s);
    if (status) return status;
    status = search(c, out);
    return status == ZLAY_NONE && points_may(c) ? zl_copy_by_points(c, out) : status;
}

static zlay_status begin(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                         const zlay_copy_request *request)
{
    zl_copy *c = zl_scratch(ctx, 1, sizeof *c);
    if (!c) return ZLAY_ENOMEM;
    c->ctx = ctx;
    c->target = target;
    zlay_status status = request_read(c, request);
    if (!status) status = synth(c, out);
    for (int s = 0; s < ZL_SIDES; s++) {
        zlay_layout_free(c->made[s]);
        zlay_layout_free(c->assumed[s]);
        zlay_layout_free(c->window[s]);
        zlay_layout_free(c->tensor[s]);
    }
    return status;
}

zlay_status zl_copy_synth(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                          const zlay_copy_request *request)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    zlay_status status = zl_whole(ctx, begin(ctx, out, target, request));
    if (status) {
        zlay_move_free(*out);
        *out = NULL;
    }
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_copy_synth(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                            const zlay_copy_request *request)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_copy_synth(ctx, out, target, request));
}
