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
    if (e->bar >= 0 && e->kind != ZL_EV_FOR)
        merge(r, &bars[e->bar], growth(p, loops, depth, &e->bar_at));
    if (e->kind == ZL_EV_WAIT && !same_pos(&e->parity, &e->bar_at)) bars[e->bar] = FIXED;
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

zlay_status zl_watch_new(zl_run *r)
{
    const zlay_pipe *p = r->pipe;
    zl_watch *w = zl_alloc(r->ctx, 1, sizeof *w);
    r->watch = w;
    if (!w) return ZLAY_ENOMEM;
    w->params = zl_alloc(r->ctx, p->params_count + 1, sizeof *w->params);
    w->rings = zl_alloc(r->ctx, 2 * zl_rings(p) + 1, sizeof *w->rings);
    w->order = zl_alloc(r->ctx, r->comps + 1, sizeof *w->order);
    w->column = zl_alloc(r->ctx, 2 * (size_t)r->comps + 2, sizeof *w->column);
    w->rows = zl_alloc(r->ctx, zl_state_rows(r), sizeof *w->rows);
    if (!w->params || !w->rings || !w->order || !w->column || !w->rows) return ZLAY_ENOMEM;
    find_rings(r);
    return ZLAY_OK;
}

static void free_states(zl_run *r, zl_watch_param *p)
{
    zlay_allocator alloc = zl_allocator(r->ctx);
    for (uint32_t k = 0; p->states && k < p->room; k++)
        zl_free(&alloc, p->states[k], r->watch->room * sizeof **p->states);
    zl_free(&alloc, p->states, p->room * sizeof *p->states);
    zl_free(&alloc, p->hashes, p->room * sizeof *p->hashes);
    zl_free(&alloc, p->bases, p->room * sizeof *p->bases);
    p->states = NULL;
    p->hashes = NULL;
    p->bases = NULL;
    p->room = p->count = 0;
}

void zl_watch_free(zl_run *r)
{
    zl_watch *w = r->watch;
    if (!w) return;
    zlay_allocator alloc = zl_allocator(r->ctx);
    const zlay_pipe *p = r->pipe;
    for (uint32_t k = 0; w->params && k < p->params_count; k++) free_states(r, &w->params[k]);
    zl_free(&alloc, w->params, (p->params_count + 1) * sizeof *w->params);
    zl_free(&alloc, w->rings, (2 * zl_rings(p) + 1) * sizeof *w->rings);
    zl_free(&alloc, w->order, (r->comps + 1) * sizeof *w->order);
    zl_free(&alloc, w->column, (2 * (size_t)r->comps + 2) * sizeof *w->column);
    zl_free(&alloc, w->rows, zl_state_rows(r) * sizeof *w->rows);
    zl_free(&alloc, w->items, w->items_room * sizeof *w->items);
    zl_free(&alloc, w->state, w->room * sizeof *w->state);
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

static bool make_room(zl_run *r, zl_watch_param *w)
{
    if (w->room) return true;
    w->states = zl_alloc(r->ctx, ZL_STATES, sizeof *w->states);
    w->hashes = zl_alloc(r->ctx, ZL_STATES, sizeof *w->hashes);
    w->bases = zl_alloc(r->ctx, ZL_STATES, sizeof *w->bases);
    w->room = ZL_STATES;
    for (uint32_t k = 0; w->states && k < ZL_STATES; k++) w->states[k] = NULL;
    return w->states && w->hashes && w->bases;
}

/* The state is kept whole only where its structure has been met before. */
static bool keep_state(zl_run *r, zl_watch_param *w, int64_t base, bool whole)
{
    zl_watch *all = r->watch;
    if (w->count == ZL_STATES) return true;
    w->whole[w->count] = whole;
    w->hashes[w->count] = all->hash;
    w->bases[w->count] = base;
    int32_t **state = &w->states[w->count++];
    if (!whole) return true;
    if (!*state) *state = zl_alloc(r->ctx, all->room, sizeof **state);
    if (!*state) return false;
    memcpy(*state, all->state, all->size * sizeof **state);
    return true;
}

/* Room for the greatest state: where one does not fit, all begin anew with more. */
static bool write_state(zl_run *r, int32_t param, const zl_instance *i, bool whole)
{
    zl_watch *w = r->watch;
    zlay_allocator alloc = zl_allocator(r->ctx);
    for (;;) {
        size_t need = zl_state_write(r, param, i, whole);
        if (need <= w->room) return true;
        for (uint32_t k = 0; k < r->pipe->params_count; k++) free_states(r, &w->params[k]);
        zl_free(&alloc, w->state, w->room * sizeof *w->state);
        zl_free(&alloc, w->items, w->items_room * sizeof *w->items);
        w->room = w->items_room = 0;
        w->state = zl_alloc(r->ctx, 2 * need, sizeof *w->state);
        w->room = w->state ? 2 * need : 0;
        w->items = zl_alloc(r->ctx, w->room, sizeof *w->items);
        w->items_room = w->items ? w->room : 0;
        if (!w->state || !w->items) return false;
    }
}

static bool is_met(const zl_watch_param *w, uint64_t hash)
{
    for (uint32_t k = 0; k < w->count; k++)
        if (w->hashes[k] == hash) return true;
    return false;
}

/* The last time that the state was the same; -1. */
static int64_t find_state(const zl_watch_param *w, const zl_watch *all)
{
    for (uint32_t k = w->count; k-- > 0;)
        if (w->whole[k] && w->hashes[k] == all->hash && w->states[k][0] == (int32_t)all->size &&
            !memcmp(w->states[k], all->state, all->size * sizeof *all->state))
            return k;
    return -1;
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
    zl_watch_param *w = &r->watch->params[param];
    int64_t base = i->counter[depth];
    bool good = make_room(r, w) && write_state(r, param, i, false) && make_room(r, w);
    bool met = good && is_met(w, r->watch->hash);
    if (met) good = write_state(r, param, i, true) && make_room(r, w);
    int64_t same = met && good ? find_state(w, r->watch) : -1;
    if (same >= 0) {
        note_repetition(r, param, base - w->bases[same]);
        r->repeats |= param == r->endless && is_last(r, param);
    } else if (!good || !keep_state(r, w, base, met)) {
        r->status = ZLAY_ENOMEM;
    }
}
