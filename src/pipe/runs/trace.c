/* SPDX-License-Identifier: Apache-2.0 */
/* Unrolls one role of a pipe for given trip counts into a list of steps (zl_trace), and notes
 * for each step when it completes: at the wait for its group, at the next proxy fence, or at
 * the next barrier. The order proof reads these lists; trace.h says why few trip counts
 * suffice. */
#include "pipe/runs/trace.h"

#include <string.h>

typedef struct walk {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    zl_trace *trace;
    int64_t counter[ZL_PIPE_LOOPS], params[ZL_PIPE_NAMES];
} walk;

/* The value of a position under the current counters. */
static int64_t value(const walk *w, const zl_pos *pos)
{
    return zl_pos_value(pos, w->counter, w->params);
}

/* Appends a step. */
static zlay_status push(walk *w, const zl_event *e)
{
    zl_trace *t = w->trace;
    if (t->count == t->room) {
        uint32_t room = t->room ? t->room + t->room / 2 : 256;
        zl_trace_step *steps = zl_scratch(w->ctx, room, sizeof *steps);
        if (!steps) return ZLAY_ENOMEM;
        if (t->steps) memcpy(steps, t->steps, t->count * sizeof *steps);
        t->steps = steps;
        t->room = room;
    }
    zl_trace_step *step = &t->steps[t->count++];
    step->event = e;
    step->bar_q = e->bar >= 0 ? value(w, &e->bar_at) : 0;
    for (int j = 0; j < 2; j++) step->q[j] = e->smem[j] >= 0 ? value(w, &e->at[j]) : 0;
    return ZLAY_OK;
}

/* Loops without recursion: an END goes back to its FOR while the counter has not reached its end.
 */
static zlay_status unroll(walk *w, const zl_role *role)
{
    uint32_t depth = 0;
    for (uint32_t i = role->begin; i < role->end; i++) {
        const zl_event *e = &w->pipe->events[i];
        if (e->kind == ZL_EV_FOR) {
            w->counter[depth] = value(w, &e->at[0]);
            if (w->counter[depth] < value(w, &e->bar_at)) depth++;
            else i = (uint32_t)e->match;
        } else if (e->kind == ZL_EV_END) {
            if (++w->counter[depth - 1] < value(w, &w->pipe->events[e->match].bar_at))
                i = (uint32_t)e->match;
            else depth--;
        } else if (push(w, e)) {
            return ZLAY_ENOMEM;
        }
    }
    return ZLAY_OK;
}

/* The kind of group that an event's work completes with; -1: it is synchronous. */
static int32_t group_of(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_MMA: return ZL_GROUP_WGMMA;
    case ZL_EV_CPASYNC: return ZL_GROUP_CPASYNC;
    case ZL_EV_STORE: return ZL_GROUP_BULK;
    default: return -1;
    }
}

static bool waits_for(const zl_event *e, int32_t group)
{
    if (e->kind != ZL_EV_WAITGROUP) return false;
    return e->scope == group || (group == ZL_GROUP_BULK && e->scope == ZL_GROUP_BULK_READ);
}

/* Notes for each asynchronous step the wait that completes it: wait_group n leaves the last n
 * groups outstanding. */
static void end_groups(zl_trace *t, int32_t group)
{
    uint32_t open = 0;
    int32_t commits = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        zl_trace_step *s = &t->steps[i];
        if (group_of(s->event) == group) {
            s->group = commits;
            s->done = -1;
        }
        commits += s->event->kind == ZL_EV_COMMIT && s->event->scope == group;
        if (!waits_for(s->event, group)) continue;
        for (; open < i; open++) {
            zl_trace_step *o = &t->steps[open];
            if (group_of(o->event) != group) continue;
            if (o->group + s->event->count >= commits) break;
            o->done = (int32_t)i;
        }
    }
}

/* Whether a role starts work of this group kind. */
static bool has_group(const zlay_pipe *pipe, const zl_role *role, int32_t group)
{
    for (uint32_t i = role->begin; i < role->end; i++)
        if (group_of(&pipe->events[i]) == group) return true;
    return false;
}

/* Whether all lanes of a warp execute the event together (.sync.aligned). */
static bool is_aligned(const zl_event *e)
{
    bool wgmma =
        (e->kind == ZL_EV_COMMIT || e->kind == ZL_EV_WAITGROUP) && e->scope == ZL_GROUP_WGMMA;
    return wgmma || e->kind == ZL_EV_MMA || e->kind == ZL_EV_SYNC;
}

/* Notes for each step the next proxy fence, the next barrier and the next aligned step. */
static void look_ahead(zl_trace *t)
{
    int32_t fence = -1, sync = -1, warp = -1;
    for (uint32_t i = t->count; i-- > 0;) {
        zl_trace_step *s = &t->steps[i];
        s->fence = fence;
        s->sync = sync;
        s->warp = warp;
        s->done = (int32_t)i;
        if (s->event->kind == ZL_EV_FENCE && s->event->scope == ZL_FENCE_PROXY) fence = (int32_t)i;
        if (s->event->kind == ZL_EV_SYNC) sync = (int32_t)i;
        if (is_aligned(s->event)) warp = (int32_t)i;
    }
}

zlay_status zl_trace_make(zlay_ctx *ctx, zl_trace *out, const zlay_pipe *pipe,
                          const zl_loop_shape *shape, const zl_role *role, int64_t outer,
                          int64_t inner)
{
    walk w = {.ctx = ctx, .pipe = pipe, .trace = out};
    for (int32_t p = 0; p < (int32_t)pipe->params_count; p++)
        w.params[p] = p == shape->inner ? inner : outer;
    out->count = 0;
    zlay_status status = unroll(&w, role);
    if (status) return status;
    look_ahead(out);
    static const int32_t groups[] = {ZL_GROUP_WGMMA, ZL_GROUP_CPASYNC, ZL_GROUP_BULK};
    for (size_t i = 0; i < ZL_COUNT(groups); i++)
        if (has_group(pipe, role, groups[i])) end_groups(out, groups[i]);
    return ZLAY_OK;
}
