/* SPDX-License-Identifier: Apache-2.0 */
/* Roles of a pipe written out, and what an edit moves past what. */
#ifndef TEST_PIPE_TRIPS_H
#define TEST_PIPE_TRIPS_H

#include "pipe/language/pipe.h"
#include "test.h"

enum { TRIP_OPS = 4096, TRIP_KINDS = ZL_EV_COUNT };

typedef struct trip_op {
    const zl_event *event;
    int64_t bar, parity, at[2], tmem[2]; /* slots, but of memory indices */
} trip_op;

typedef struct trip {
    trip_op op[TRIP_OPS];
    int count;
} trip;

typedef struct trip_walk {
    const zlay_pipe *pipe;
    const int64_t *values;
    int64_t counter[ZL_PIPE_LOOPS];
    uint32_t depth;
} trip_walk;

static inline int64_t trip_value(const trip_walk *w, const zl_pos *pos)
{
    int64_t at = pos->loop >= 0 ? w->counter[pos->loop] : 0;
    if (pos->times >= 0) at *= w->values[pos->times];
    if (pos->scale) at *= pos->scale;
    return at + pos->add + (pos->plus >= 0 ? w->values[pos->plus] : 0);
}

static inline trip_op trip_op_of(const trip_walk *w, const zl_event *e)
{
    trip_op op = {.event = e};
    int64_t stages = e->bar >= 0 ? w->pipe->bars[e->bar].stages : 1;
    op.bar = e->bar >= 0 ? trip_value(w, &e->bar_at) % stages : -1;
    op.parity = e->kind == ZL_EV_WAIT ? (trip_value(w, &e->parity) / stages + e->flip) & 1 : -1;
    for (int k = 0; k < 2; k++) {
        op.at[k] = e->smem[k] >= 0 ? trip_value(w, &e->at[k]) : -1;
        op.tmem[k] = e->tmem[k] >= 0 ? trip_value(w, &e->tmem_at[k]) : -1;
    }
    return op;
}

/* One instance of a role at these values of the params. */
static inline void trip_make(trip *t, const zlay_pipe *pipe, const zl_role *role,
                             const int64_t *values)
{
    trip_walk w = {.pipe = pipe, .values = values};
    t->count = 0;
    for (uint32_t at = role->begin; at < role->end;) {
        const zl_event *e = &pipe->events[at],
                       *loop = e->kind == ZL_EV_END ? &pipe->events[e->match] : e;
        if (e->kind != ZL_EV_FOR && e->kind != ZL_EV_END) {
            assert_true(t->count < TRIP_OPS);
            t->op[t->count++] = trip_op_of(&w, e);
            at++;
            continue;
        }
        bool begins = e->kind == ZL_EV_FOR;
        int64_t next = begins ? trip_value(&w, &e->at[0]) : w.counter[w.depth - 1] + loop->step;
        bool on = next < trip_value(&w, &loop->bar_at);
        w.depth += begins && on;
        if (on) w.counter[w.depth - 1] = next;
        if (!on && !begins) w.depth--;
        at = on ? (begins ? at : (uint32_t)e->match) + 1 : (begins ? (uint32_t)e->match : at) + 1;
    }
}

/* The queue that an event counts in, or waits for; -1. */
static inline int trip_queue(const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_WAITCOUNT: return e->scope;
    case ZL_EV_LOAD:
    case ZL_EV_SEND: return ZL_QUEUE_MEMORY;
    case ZL_EV_FETCH:
    case ZL_EV_PUT: return ZL_QUEUE_SHARED;
    default: return -1;
    }
}

/* ---- the same event, wherever it stands ---- */

static inline bool trip_same_event(const zl_event *a, const zl_event *b)
{
    zl_event x = *a, y = *b;
    x.line = y.line = 0;
    x.match = y.match = 0;
    return !memcmp(&x, &y, sizeof x);
}

/* What two events have in common, beside their thread. */
static inline bool trip_shares(const zl_event *a, const zl_event *b)
{
    bool shares = a->bar >= 0 && a->bar == b->bar && a->kind != ZL_EV_FOR && b->kind != ZL_EV_FOR;
    const int32_t accs[2][3] = {{a->acc, a->acc_a, a->acc_b}, {b->acc, b->acc_a, b->acc_b}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) shares |= accs[0][i] >= 0 && accs[0][i] == accs[1][k];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            shares |= a->smem[i] >= 0 && a->smem[i] == b->smem[k];
            shares |= a->tmem[i] >= 0 && a->tmem[i] == b->tmem[k];
        }
    return shares || (a->other >= 0 && a->other == b->other) || (a->map >= 0 && a->map == b->map);
}

/* What an event that stands elsewhere now comes before, or behind, that it did not. */
typedef struct trip_moved {
    uint64_t earlier, later; /* kinds passed, as bits */
    bool shares;             /* with one of those */
    bool guards;             /* a wait, of one of those later */
    int more;                /* how often it runs now, less how often it did */
} trip_moved;

/* A wait of this barrier guards what its copies bring, and what those who arrive there read. */
static inline bool trip_guards(const zlay_pipe *p, int32_t bar, const zl_event *x)
{
    bool fills = x->kind == ZL_EV_COPY || x->kind == ZL_EV_CPASYNC;
    for (uint32_t r = 0; r < p->roles_count; r++) {
        bool arrives = false, reads = false;
        for (uint32_t k = p->roles[r].begin; k < p->roles[r].end; k++) {
            const zl_event *e = &p->events[k];
            for (int n = 0; n < 2; n++) {
                bool same = x->smem[n] >= 0 && x->smem[n] == e->smem[0];
                if (e->kind == ZL_EV_COPY && e->bar == bar && same) return true;
                reads |= x->smem[0] >= 0 && e->smem[n] == x->smem[0];
                if (x->tmem[n] >= 0 && (e->tmem[0] == x->tmem[n] || e->tmem[1] == x->tmem[n]))
                    reads = true;
            }
            arrives |= (e->kind == ZL_EV_ARRIVE || e->kind == ZL_EV_COMMIT) && e->bar == bar;
        }
        if (arrives && reads && (fills || x->tmem[0] >= 0)) return true;
    }
    return false;
}

static inline void trip_pass(const zlay_pipe *p, trip_moved *m, const trip *t, const trip_op *moved,
                             int from, int to)
{
    int at = 0;
    for (int k = 0; k < t->count; k++) {
        if (trip_same_event(t->op[k].event, moved->event)) continue;
        bool earlier = at >= to && at < from, later = at >= from && at < to;
        if (earlier) m->earlier |= (uint64_t)1 << t->op[k].event->kind;
        if (later) m->later |= (uint64_t)1 << t->op[k].event->kind;
        if (earlier || later) m->shares |= trip_shares(t->op[k].event, moved->event);
        if (later && moved->event->kind == ZL_EV_WAIT)
            m->guards |= trip_guards(p, moved->event->bar, t->op[k].event);
        at++;
    }
}

/* How many other events stand before the n-th op of an event; -1: there is none. */
static inline int trip_place(const trip *t, const zl_event *event, int n)
{
    int others = 0;
    for (int k = 0; k < t->count; k++) {
        if (!trip_same_event(t->op[k].event, event)) others++;
        else if (n-- == 0) return others;
    }
    return -1;
}

static inline trip_moved trip_compare(const zlay_pipe *p, const trip *was, const trip *is,
                                      const zl_event *event)
{
    trip_moved m = {0};
    trip_op op = {.event = event};
    for (int n = 0;; n++) {
        int from = trip_place(was, event, n), to = trip_place(is, event, n);
        if (from < 0 && to < 0) return m;
        m.more += (to >= 0) - (from >= 0);
        if (from >= 0 && to >= 0) trip_pass(p, &m, was, &op, from, to);
    }
}

#endif
