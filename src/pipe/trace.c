/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe/trace.h"

#include <string.h>

enum { INNER_SPARE = 2 };

static void stretch(zl_shape *shape, const zl_pos *pos)
{
    int64_t reach = pos->add < 0 ? -pos->add : pos->add;
    if (reach > shape->window) shape->window = reach;
}

/* The loops that the proof covers: tiles `for t in 0..T` around positions `for i in t*N+c..t*N+N`, or positions alone. */
static bool fits(const zlay_pipe *pipe, const zl_event *loop, uint32_t depth)
{
    const zl_pos *from = &loop->at[0], *to = &loop->bar_at;
    (void)pipe;
    if (depth == 0) return from->loop < 0 && from->plus < 0 && from->add >= 0 && to->loop < 0 && to->plus >= 0 && to->add == 0;
    return depth == 1 && from->loop == 0 && from->times >= 0 && from->plus < 0 && from->add >= 0 && to->loop == 0 &&
           to->times == from->times && to->plus == from->times && to->add == 0;
}

static bool has_inner(const zlay_pipe *pipe, const zl_role *role)
{
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->bar_at.times >= 0 || e->at[0].times >= 0) return true;
    }
    return false;
}

static bool set_param(int32_t *slot, int32_t param)
{
    if (*slot < 0) *slot = param;
    return *slot == param;
}

static void shape_loop(zl_shape *shape, const zlay_pipe *pipe, const zl_role *role, const zl_event *e, uint32_t depth)
{
    bool tiles = has_inner(pipe, role);
    bool good = fits(pipe, e, depth);
    if (good && depth == 1) good = set_param(&shape->inner, e->at[0].times);
    else if (good && tiles) good = e->at[0].add == 0 && set_param(&shape->outer, e->bar_at.plus);
    else if (good) good = set_param(&shape->inner, e->bar_at.plus);
    if (!good && !shape->unfit) shape->unfit = e;
}

/* A position is a constant, or of the innermost loop's counter, or t*N + c, or t*N + N + c. */
static void shape_pos(zl_shape *shape, const zl_event *e, const zl_pos *pos, uint32_t depth)
{
    bool constant = pos->loop < 0 && pos->plus < 0;
    bool counter = pos->loop >= 0 && pos->times < 0 && pos->plus < 0 && (uint32_t)pos->loop + 1 == depth;
    bool edge = pos->loop == 0 && pos->times >= 0 && depth == 1 && (pos->plus < 0 || pos->plus == pos->times) &&
                set_param(&shape->inner, pos->times);
    bool end = pos->loop < 0 && pos->plus >= 0 && depth == 0;
    stretch(shape, pos);
    if (!constant && !counter && !edge && !end && !shape->unfit) shape->unfit = e;
}

static void shape_role(zl_shape *shape, const zlay_pipe *pipe, const zl_role *role)
{
    uint32_t depth = 0;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &pipe->events[i];
        if (e->kind == ZL_EV_END) depth--;
        if (e->kind == ZL_EV_FOR) {
            shape_loop(shape, pipe, role, e, depth++);
            stretch(shape, &e->at[0]);
            continue;
        }
        if (e->bar >= 0) shape_pos(shape, e, &e->bar_at, depth);
        for (int j = 0; j < 2; j++)
            if (e->smem[j] >= 0) shape_pos(shape, e, &e->at[j], depth);
    }
}

void zl_shape_of(zl_shape *shape, const zlay_pipe *pipe)
{
    *shape = (zl_shape){.inner = -1, .outer = -1, .stages = 1};
    for (uint32_t i = 0; i < pipe->bars_count; i++)
        if (pipe->bars[i].stages > shape->stages) shape->stages = pipe->bars[i].stages;
    for (uint32_t i = 0; i < pipe->smems_count; i++)
        if (pipe->smems[i].stages > shape->stages) shape->stages = pipe->smems[i].stages;
    for (uint32_t i = 0; i < pipe->roles_count; i++) shape_role(shape, pipe, &pipe->roles[i]);
    shape->window = 2 * shape->window + INNER_SPARE;
}

/* Inner counts from the least to one past the window; for each the least count of tiles, and enough of
 * them for pairs a whole turn of a ring apart to stand clear of both ends. */
bool zl_shape_trips(const zl_shape *shape, const zlay_pipe *pipe, uint32_t i, int64_t *outer, int64_t *inner)
{
    int64_t least = shape->inner >= 0 ? pipe->params[shape->inner].least : 0;
    int64_t most = least > shape->window + 1 ? least : shape->window + 1;
    int64_t enough = 2 * (shape->window + shape->stages) + 4;
    if (shape->outer < 0) {
        *outer = 1;
        *inner = least + (int64_t)i;
        return *inner <= (least > enough ? least : enough);
    }
    *inner = least + (int64_t)(i / 2);
    *outer = i % 2 ? enough / (*inner ? *inner : 1) + 3 : pipe->params[shape->outer].least;
    return *inner <= most;
}

typedef struct walk {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    const zl_shape *shape;
    zl_trace *trace;
    int64_t outer, inner, counter[ZL_PIPE_LOOPS];
} walk;

static int64_t value(const walk *w, const zl_pos *pos)
{
    int64_t sum = pos->add;
    if (pos->loop >= 0) sum += w->counter[pos->loop] * (pos->times >= 0 ? w->inner : 1);
    if (pos->plus >= 0) sum += pos->plus == w->shape->inner ? w->inner : w->outer;
    return sum;
}

static zlay_status push(walk *w, const zl_event *e)
{
    zl_trace *t = w->trace;
    if (t->count == t->room) {
        uint32_t room = t->room ? 2 * t->room : 64;
        zl_step *steps = zl_alloc(w->ctx, room, sizeof *steps);
        if (!steps) return ZLAY_ENOMEM;
        if (t->steps) memcpy(steps, t->steps, t->count * sizeof *steps);
        zl_trace_free(w->ctx, &(zl_trace){t->steps, 0, t->room});
        t->steps = steps;
        t->room = room;
    }
    zl_step *step = &t->steps[t->count++];
    step->event = e;
    step->bar_q = e->bar >= 0 ? value(w, &e->bar_at) : 0;
    for (int j = 0; j < 2; j++) step->q[j] = e->smem[j] >= 0 ? value(w, &e->at[j]) : 0;
    return ZLAY_OK;
}

/* Loops without recursion: an END goes back to its FOR while the counter has not reached its end. */
zlay_status zl_trace_make(zlay_ctx *ctx, zl_trace *out, const zlay_pipe *pipe, const zl_shape *shape,
                          const zl_role *role, int64_t outer, int64_t inner)
{
    walk w = {ctx, pipe, shape, out, outer, inner, {0}};
    uint32_t depth = 0, i = role->begin;
    out->count = 0;
    while (i < role->end) {
        const zl_event *e = &pipe->events[i];
        zlay_status status = ZLAY_OK;
        if (e->kind == ZL_EV_FOR) {
            w.counter[depth] = value(&w, &e->at[0]);
            if (w.counter[depth] < value(&w, &e->bar_at)) depth++;
            else i = (uint32_t)e->match;
        } else if (e->kind == ZL_EV_END) {
            const zl_event *loop = &pipe->events[e->match];
            if (++w.counter[depth - 1] < value(&w, &loop->bar_at)) i = (uint32_t)e->match;
            else depth--;
        } else {
            status = push(&w, e);
        }
        if (status) return status;
        i++;
    }
    return ZLAY_OK;
}

void zl_trace_free(zlay_ctx *ctx, zl_trace *trace)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_free(&alloc, trace->steps, trace->room * sizeof *trace->steps);
    trace->steps = NULL;
    trace->count = trace->room = 0;
}
