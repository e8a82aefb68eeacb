/* SPDX-License-Identifier: Apache-2.0 */
/* Repetitions: where the state of a run is what it was some iterations before, longer trips only
 * repeat the part between. docs/pipe.md, "Every trip count", has the argument. */
#include "pipe/run_state.h"

#include <string.h>

enum { PERIOD = 64 };

int32_t zl_loop_param(const zl_event *loop)
{
    const zl_pos *from = &loop->at[0], *to = &loop->bar_at;
    if (from->loop != to->loop || from->times != to->times) return -2;
    if (from->plus == to->plus) return -1;
    return from->plus < 0 ? to->plus : -2;
}

/* ---- what turns with which loops ---- */

enum { UNSEEN = -3, FIXED = -1 };

/* Whether an event is run as often as a param says. */
static bool is_repeated(const zlay_pipe *p, const uint32_t *loops, uint32_t depth)
{
    for (uint32_t d = 0; d < depth; d++)
        if (zl_loop_param(&p->events[loops[d]]) != -1) return true;
    return false;
}

/* The param that a position grows with; what is the same in every turn of a loop fixes its ring. */
static int32_t growth(const zlay_pipe *p, const uint32_t *loops, uint32_t depth, const zl_pos *pos)
{
    int32_t constant = is_repeated(p, loops, depth) ? FIXED : UNSEEN;
    if (pos->loop < 0) return pos->plus >= 0 ? pos->plus : constant;
    if (pos->times >= 0) return pos->times;
    const zl_event *loop = &p->events[loops[pos->loop]];
    int32_t param = zl_loop_param(loop);
    if (loop->at[0].times >= 0) return loop->at[0].times;
    if (loop->at[0].loop >= 0) return FIXED;
    return param >= 0 ? param : loop->at[0].plus >= 0 ? loop->at[0].plus : constant;
}

/* Behind the rings stand the params that indices are counted with, whether a ring turns or not. */
static void merge(zl_run *r, int32_t *ring, int32_t param)
{
    int32_t *tag = ring + zl_rings(r->pipe);
    if (param >= 0 && *tag < 0) *tag = param;
    if (param == UNSEEN) return;
    *ring = *ring == UNSEEN || *ring == param ? param : FIXED;
}

static bool same_pos(const zl_pos *a, const zl_pos *b)
{
    return a->loop == b->loop && a->times == b->times && a->plus == b->plus && a->add == b->add;
}

static void see_event(zl_run *r, const zl_event *e, const uint32_t *loops, uint32_t depth)
{
    const zlay_pipe *p = r->pipe;
    int32_t *bars = r->watch->rings, *smems = bars + p->bars_count, *tmems = smems + p->smems_count;
    int32_t *others = tmems + p->tmems_count;
    if (e->bar >= 0 && e->kind != ZL_EV_FOR)
        merge(r, &bars[e->bar], growth(p, loops, depth, &e->bar_at));
    if (e->kind == ZL_EV_WAIT && !same_pos(&e->parity, &e->bar_at)) bars[e->bar] = FIXED;
    if (e->other >= 0) merge(r, &others[e->other], growth(p, loops, depth, &e->other_at));
    for (int k = 0; k < 2; k++) {
        if (e->smem[k] >= 0) merge(r, &smems[e->smem[k]], growth(p, loops, depth, &e->at[k]));
        if (e->tmem[k] >= 0 && e->kind != ZL_EV_ALLOC && e->kind != ZL_EV_DEALLOC)
            merge(r, &tmems[e->tmem[k]], growth(p, loops, depth, &e->tmem_at[k]));
    }
}

static void see_role(zl_run *r, const zl_role *role)
{
    uint32_t loops[ZL_PIPE_LOOPS], depth = 0;
    for (uint32_t k = role->begin; k < role->end; k++) {
        const zl_event *e = &r->pipe->events[k];
        if (e->kind == ZL_EV_END) depth--;
        see_event(r, e, loops, depth);
        if (e->kind == ZL_EV_FOR) loops[depth++] = k;
    }
}

static void find_rings(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    uint32_t count = zl_rings(p);
    for (uint32_t k = 0; k < 2 * count; k++) r->watch->rings[k] = UNSEEN;
    for (uint32_t k = 0; k < p->roles_count; k++) see_role(r, &p->roles[k]);
    for (uint32_t k = 0; k < count; k++)
        if (r->watch->rings[k] < 0) r->watch->rings[k] = FIXED;
}

/* ---- memory ---- */

enum { LEVELS = 8 };

static bool make_arrays(zl_run *r, zl_watch *w)
{
    w->params = zl_alloc(r->ctx, r->pipe->params_count + 1, sizeof *w->params);
    w->rings = zl_alloc(r->ctx, 2 * zl_rings(r->pipe) + 1, sizeof *w->rings);
    w->order = zl_alloc(r->ctx, r->comps + 1, sizeof *w->order);
    w->column = zl_alloc(r->ctx, r->comps + 1, sizeof *w->column);
    w->counts = zl_alloc(r->ctx, r->comps + 1, sizeof *w->counts);
    w->heights = zl_alloc(r->ctx, r->comps / ZL_VECTOR + 1, sizeof *w->heights);
    w->turned = zl_alloc(r->ctx, r->comps + 1, sizeof *w->turned);
    w->levels = zl_alloc(r->ctx, (size_t)w->levels_room * r->comps, sizeof *w->levels);
    w->state = zl_alloc(r->ctx, w->room, sizeof *w->state);
    w->items = zl_alloc(r->ctx, w->items_room, sizeof *w->items);
    return w->params && w->rings && w->order && w->column && w->counts && w->heights &&
           w->turned && w->levels && w->state && w->items;
}

zlay_status zl_watch_new(zl_run *r)
{
    zl_watch *w = zl_alloc(r->ctx, 1, sizeof *w);
    r->watch = w;
    if (!w) return ZLAY_ENOMEM;
    w->levels_room = LEVELS;
    w->room = zl_state_room(r);
    w->items_room = zl_state_items(r) + 1;
    if (!make_arrays(r, w)) return ZLAY_ENOMEM;
    for (uint32_t k = 0; k < r->comps; k++) w->order[k] = w->column[k] = (int32_t)k;
    find_rings(r);
    return ZLAY_OK;
}

void zl_watch_free(zl_run *r)
{
    zl_watch *w = r->watch;
    if (!w) return;
    zlay_allocator alloc = zl_allocator(r->ctx);
    const zlay_pipe *p = r->pipe;
    for (uint32_t k = 0; w->params && k < p->params_count; k++) {
        zl_free(&alloc, w->params[k].seen, ZL_STATES * sizeof *w->params[k].seen);
        zl_free(&alloc, w->params[k].kept, w->params[k].kept_room * sizeof *w->params[k].kept);
    }
    zl_free(&alloc, w->params, (p->params_count + 1) * sizeof *w->params);
    zl_free(&alloc, w->rings, (2 * zl_rings(p) + 1) * sizeof *w->rings);
    zl_free(&alloc, w->order, (r->comps + 1) * sizeof *w->order);
    zl_free(&alloc, w->column, (r->comps + 1) * sizeof *w->column);
    zl_free(&alloc, w->counts, (r->comps + 1) * sizeof *w->counts);
    zl_free(&alloc, w->heights, (r->comps / ZL_VECTOR + 1) * sizeof *w->heights);
    zl_free(&alloc, w->turned, (r->comps + 1) * sizeof *w->turned);
    zl_free(&alloc, w->levels, (size_t)w->levels_room * r->comps * sizeof *w->levels);
    zl_free(&alloc, w->state, w->room * sizeof *w->state);
    zl_free(&alloc, w->items, w->items_room * sizeof *w->items);
    zl_free(&alloc, w, sizeof *w);
    r->watch = NULL;
}

void zl_watch_reset(zl_run *r)
{
    for (uint32_t k = 0; k < r->pipe->params_count; k++) {
        r->watch->params[k].count = 0;
        r->watch->params[k].failed = r->watch->params[k].quiet;
        r->watch->params[k].period = 1;
    }
}

/* ---- events of loops ---- */

static zl_watch_param *watched(zl_run *r, const zl_event *loop)
{
    int32_t param = zl_loop_param(loop);
    return param >= 0 ? &r->watch->params[param] : NULL;
}

void zl_watch_empty(zl_run *r, const zl_event *loop)
{
    zl_watch_param *w = watched(r, loop);
    if (w) w->failed = true;
}

void zl_watch_begin(zl_run *r, zl_instance *i)
{
    zl_watch_param *w = watched(r, &r->pipe->events[i->loop[i->depth - 1]]);
    if (!w || w->quiet) return;
    w->count = 0;
    zl_watch_head(r, i);
}

void zl_watch_end(zl_run *r, zl_instance *i, uint32_t depth)
{
    int32_t param = zl_loop_param(&r->pipe->events[i->loop[depth]]);
    if (param == -2)
        for (uint32_t k = 0; k < r->pipe->params_count; k++) r->watch->params[k].failed = true;
    if (param < 0) return;
    r->watch->params[param].failed |= !i->found[depth];
    r->watch->params[param].count = 0;
}

/* The depth at which an instance is in a loop of the param; -1. */
static int inside(const zl_run *r, const zl_instance *i, int32_t param)
{
    for (uint32_t d = 0; d < i->depth; d++)
        if (zl_loop_param(&r->pipe->events[i->loop[d]]) == param) return (int)d;
    return -1;
}

/* The first instance that is in a loop of the param in which nothing has been repeated yet. */
static bool leads(const zl_run *r, const zl_instance *i, int32_t param)
{
    for (const zl_instance *k = r->instances; k < i; k++) {
        int depth = inside(r, k, param);
        if (depth >= 0) return false;
    }
    return true;
}

static bool all_found(const zl_run *r, int32_t param)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        int depth = inside(r, &r->instances[k], param);
        if (depth >= 0 && !r->instances[k].found[depth]) return false;
    }
    return true;
}

static void note_repetition(zl_run *r, int32_t param, int64_t period)
{
    zl_watch_param *w = &r->watch->params[param];
    w->period = zl_period(w->period, period);
    if (w->period > PERIOD) w->failed = true;
    for (uint32_t k = 0; k < r->instances_count; k++) {
        int depth = inside(r, &r->instances[k], param);
        if (depth >= 0) r->instances[k].found[depth] = true;
    }
}

/* ---- states that were seen ---- */

static bool is_met(const zl_watch_param *w, uint64_t hash)
{
    for (uint32_t k = 0; k < w->count; k++)
        if (w->seen[k].hash == hash) return true;
    return false;
}

/* The last time that the state was the same; NULL. */
static const zl_seen *find_state(const zl_watch_param *w, const zl_watch *all)
{
    for (uint32_t k = w->count; k-- > 0;) {
        const zl_seen *s = &w->seen[k];
        if (s->count == all->size && s->hash == all->hash &&
            !memcmp(w->kept + s->at, all->state, s->count * sizeof *all->state))
            return s;
    }
    return NULL;
}

static bool make_room(zl_run *r, zl_watch_param *w, size_t room)
{
    if (room <= w->kept_room) return true;
    zlay_allocator alloc = zl_allocator(r->ctx);
    int32_t *kept = zl_alloc(r->ctx, 2 * room, sizeof *kept);
    if (!kept) return false;
    if (w->kept_count) memcpy(kept, w->kept, w->kept_count * sizeof *kept);
    zl_free(&alloc, w->kept, w->kept_room * sizeof *kept);
    w->kept = kept;
    w->kept_room = 2 * room;
    return true;
}

/* The state is kept whole only where its structure has been met before. */
static bool keep_state(zl_run *r, zl_watch_param *w, int64_t base, bool whole)
{
    const zl_watch *all = r->watch;
    if (w->count == ZL_STATES) return true;
    if (!w->count) w->kept_count = 0;
    if (whole && !make_room(r, w, w->kept_count + all->size)) return false;
    w->seen[w->count++] = (zl_seen){all->hash, base, w->kept_count, whole ? all->size : 0};
    if (!whole) return true;
    memcpy(w->kept + w->kept_count, all->state, all->size * sizeof *all->state);
    w->kept_count += all->size;
    return true;
}

static bool look(zl_run *r, zl_watch_param *w, int32_t param, const zl_instance *i, const zl_seen **same)
{
    int64_t base = i->counter[i->depth - 1];
    if (!w->seen) w->seen = zl_alloc(r->ctx, ZL_STATES, sizeof *w->seen);
    if (!w->seen) return false;
    zl_state_write(r, param, i);
    bool met = is_met(w, r->watch->hash);
    if (met && !zl_state_rank(r)) return false;
    *same = met ? find_state(w, r->watch) : NULL;
    return *same || keep_state(r, w, base, met);
}

/* Nobody begins a loop of the endless param later. */
static bool is_last(const zl_run *r, int32_t param)
{
    for (uint32_t k = 0; k < r->instances_count; k++) {
        const zl_instance *i = &r->instances[k];
        if (inside(r, i, param) >= 0) continue;
        for (uint32_t e = i->pc; e < r->pipe->roles[i->role].end; e++)
            if (r->pipe->events[e].kind == ZL_EV_FOR && zl_loop_param(&r->pipe->events[e]) == param)
                return false;
    }
    return true;
}

void zl_watch_head(zl_run *r, zl_instance *i)
{
    uint32_t depth = i->depth - 1;
    int32_t param = zl_loop_param(&r->pipe->events[i->loop[depth]]);
    if (param < 0 || r->watch->params[param].quiet || !leads(r, i, param) || all_found(r, param)) return;
    const zl_seen *same = NULL;
    if (!look(r, &r->watch->params[param], param, i, &same)) {
        r->status = ZLAY_ENOMEM;
        return;
    }
    if (!same) return;
    note_repetition(r, param, i->counter[depth] - same->base);
    r->repeats |= param == r->endless && is_last(r, param);
}
