/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the events that all threads run for given param values, without running them: a proof
 * by runs carries this number, and its checker counts again. */
#include "pipe/language/pipe.h"

typedef struct walk {
    const zlay_pipe *pipe;
    const int64_t *values;
    int64_t counter[ZL_PIPE_LOOPS];
    uint32_t depth;
    uint64_t steps;
} walk;

/* The value of a position under the current counters. */
static int64_t value(const walk *w, const zl_pos *pos)
{
    return zl_pos_value(pos, w->counter, w->values);
}

/* Advances past a loop bound; returns the next event. */
static uint32_t turn(walk *w, uint32_t at)
{
    const zl_event *e = &w->pipe->events[at];
    bool begins = e->kind == ZL_EV_FOR;
    const zl_event *loop = begins ? e : &w->pipe->events[e->match];
    int64_t next = begins ? value(w, &loop->at[0]) : w->counter[w->depth - 1] + loop->step;
    if (next >= value(w, &loop->bar_at)) {
        w->depth -= !begins;
        return begins ? (uint32_t)e->match + 1 : at + 1;
    }
    w->depth += begins;
    w->counter[w->depth - 1] = next;
    return begins ? at + 1 : (uint32_t)e->match + 1;
}

static uint64_t count_role(const zlay_pipe *pipe, const zl_role *role, const int64_t *values,
                           uint64_t most)
{
    walk w = {.pipe = pipe, .values = values};
    uint64_t count = 0;
    for (uint32_t at = role->begin; at < role->end && w.steps < most; w.steps++) {
        const zl_event *e = &pipe->events[at];
        bool bound = e->kind == ZL_EV_FOR || e->kind == ZL_EV_END;
        count += !bound;
        at = bound ? turn(&w, at) : at + 1;
    }
    return w.steps < most ? count : UINT64_MAX;
}

uint64_t zl_pipe_count_events(const zlay_pipe *pipe, const int64_t *values, uint64_t most)
{
    uint64_t count = 0;
    for (uint32_t k = 0; k < pipe->roles_count; k++) {
        const zl_role *role = &pipe->roles[k];
        uint64_t blocks = role->cta == ZL_CTA_ALL ? pipe->blocks : 1,
                 each = count_role(pipe, role, values, most);
        if (each == UINT64_MAX) return each;
        count += each * zl_role_instances(role) * blocks;
    }
    return count;
}
