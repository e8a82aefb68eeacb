/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths over the classes, and what must hold of them. */
#include "pipe/verify.h"

#include <string.h>

static int32_t stages_of(const zl_verify *v, const zl_node *n)
{
    bool bar = n->kind <= ZL_NODE_ISSUE;
    return (int32_t)(bar ? v->pipe->bars[n->object].stages : v->pipe->smems[n->object].stages);
}

/* Arrivals and copies of index q make its phase; a wait for it, or one turn later with `flip`, comes after it. */
static int32_t bar_edge(const zl_verify *v, const zl_node *from, const zl_node *to)
{
    bool makes = (from->kind == ZL_NODE_ARRIVE || from->kind == ZL_NODE_ISSUE) && to->kind == ZL_NODE_PHASE;
    bool waits = from->kind == ZL_NODE_PHASE && to->kind == ZL_NODE_WAIT;
    if ((!makes && !waits) || from->object != to->object) return ZL_FAR;
    return waits && to->flip ? stages_of(v, to) : 0;
}

static bool guides(const zl_node *from)
{
    return from->kind != ZL_NODE_ARRIVE && from->kind != ZL_NODE_ISSUE && from->kind != ZL_NODE_EXPECT &&
           from->kind != ZL_NODE_WRITE && from->kind != ZL_NODE_READ;
}

/* The weight of one edge; ZL_FAR where there is none. What merely begins orders nothing behind it but by program order,
 * which arrivals and issues do keep: they are instructions of one thread. */
int32_t zl_step_weight(const zl_verify *v, uint32_t a, uint32_t b)
{
    const zl_node *from = &v->order.nodes[a], *to = &v->order.nodes[b];
    int32_t edge = bar_edge(v, from, to), always = v->order.always[a][b];
    if (edge < ZL_FAR) return edge;
    if (!guides(from) || always == -ZL_FAR || always >= ZL_FAR) return ZL_FAR;
    return always < 0 ? 0 : always;
}

static void shortest(zl_verify *v, int32_t (*dist)[ZL_NODES])
{
    zl_order *o = &v->order;
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t j = 0; j < o->count; j++) {
            dist[i][j] = zl_step_weight(v, i, j);
            o->via[i][j] = (int32_t)j;
        }
    for (uint32_t k = 0; k < o->count; k++)
        for (uint32_t i = 0; i < o->count; i++)
            for (uint32_t j = 0; j < o->count; j++)
                if (dist[i][k] + dist[k][j] < dist[i][j]) {
                    dist[i][j] = dist[i][k] + dist[k][j];
                    o->via[i][j] = o->via[i][k];
                }
}

static void keep(zl_verify *v, int32_t rule, uint32_t from, uint32_t last, uint32_t to, int32_t bound)
{
    if (v->obligations_count == v->obligations_room) {
        if (!v->undecided) v->undecided = v->order.nodes[to].line;
        return;
    }
    v->obligations[v->obligations_count++] =
        (zl_obligation){rule, from, last, to, bound, v->order.nodes[to].line, v->order.nodes[from].line};
}

typedef struct ways {
    zl_verify *v;
    int32_t (*dist)[ZL_NODES];
} ways;

/* from(q) must be before to(q + bound). */
static bool must(ways *w, int32_t rule, uint32_t from, uint32_t to, int32_t bound)
{
    zl_verify *v = w->v;
    if (w->dist[from][to] <= bound) {
        keep(v, rule, from, to, to, bound);
        return true;
    }
    zl_report(v, rule, v->order.nodes[to].line, v->order.nodes[from].line, w->dist[from][to], bound);
    return false;
}

static uint32_t phase_of(const zl_verify *v, int32_t bar)
{
    for (uint32_t i = 0; i < v->order.count; i++)
        if (v->order.nodes[i].kind == ZL_NODE_PHASE && v->order.nodes[i].object == bar) return i;
    return 0;
}

/* An arrival, an expectation or a copy of index q + stages must find the phase of q complete. */
static void check_overrun(ways *w, uint32_t i)
{
    const zl_node *n = &w->v->order.nodes[i];
    if (n->kind != ZL_NODE_ARRIVE && n->kind != ZL_NODE_EXPECT && n->kind != ZL_NODE_ISSUE) return;
    must(w, ZLAY_PIPE_OVERRUN, phase_of(w->v, n->object), i, stages_of(w->v, n));
}

/* A wait tests one bit, so the barrier must be in the phase waited for or the next: the one before it is complete, and
 * something of the one after it comes behind the wait. */
static void check_parity(ways *w, uint32_t i)
{
    zl_verify *v = w->v;
    const zl_node *n = &v->order.nodes[i];
    if (n->kind != ZL_NODE_WAIT) return;
    int32_t stages = stages_of(v, n), late = n->flip ? stages : 0;
    uint32_t phase = phase_of(v, n->object), best = i, next = 0;
    int32_t before = ZL_FAR, after = ZL_FAR;
    for (uint32_t k = 0; k < v->order.count; k++) {
        const zl_node *e = &v->order.nodes[k];
        int32_t step = e->role == n->role ? zl_step_weight(v, k, i) : ZL_FAR;
        if (step < ZL_FAR && w->dist[phase][k] + step < before) {
            before = w->dist[phase][k] + step;
            best = k;
        }
        bool of_next = (e->kind == ZL_NODE_ARRIVE || e->kind == ZL_NODE_ISSUE) && e->object == n->object;
        if (of_next && w->dist[i][k] < after) {
            after = w->dist[i][k];
            next = k;
        }
    }
    if (before <= late + stages) keep(v, ZLAY_PIPE_PARITY, phase, best, i, late + stages);
    else zl_report(v, ZLAY_PIPE_PARITY, n->line, 0, before, late + stages);
    if (after <= stages - late) keep(v, ZLAY_PIPE_LOST_PHASE, i, next, next, stages - late);
    else zl_report(v, ZLAY_PIPE_LOST_PHASE, n->line, 0, after, stages - late);
}

static int32_t sibling(const zl_verify *v, const zl_node *n, zl_node_kind kind)
{
    for (uint32_t i = 0; i < v->order.count; i++) {
        const zl_node *s = &v->order.nodes[i];
        if (s->kind == kind && s->role == n->role && s->object == n->object) return (int32_t)i;
    }
    return -1;
}

/* Which class says that a stage is written as its reader sees it. */
static uint32_t written(const zl_verify *v, const zl_node *write, bool async_reader)
{
    if (write->async) return phase_of(v, write->bar);
    return (uint32_t)sibling(v, write, async_reader ? ZL_NODE_FENCED : ZL_NODE_WROTE);
}

static void check_full(ways *w, const zl_node *write, uint32_t read)
{
    zl_verify *v = w->v;
    bool async = v->order.nodes[read].async;
    uint32_t seen = written(v, write, async), plain = written(v, write, false);
    bool unfenced = seen != plain && w->dist[seen][read] > 0 && w->dist[plain][read] <= 0;
    must(w, unfenced ? ZLAY_PIPE_PROXY : ZLAY_PIPE_READ_BEFORE_FULL, seen, read, 0);
}

static void check_stage(ways *w, uint32_t write, uint32_t read)
{
    const zl_node *wn = &w->v->order.nodes[write], *rn = &w->v->order.nodes[read];
    if (wn->kind != ZL_NODE_WRITE || rn->kind != ZL_NODE_READ || wn->object != rn->object) return;
    int32_t done = sibling(w->v, rn, ZL_NODE_DONE);
    check_full(w, wn, read);
    must(w, ZLAY_PIPE_OVERWRITE, (uint32_t)done, write, stages_of(w->v, wn));
}

/* Somebody must wait for every phase that copies fill: else they may land after the block is gone. */
static void check_landed(ways *w, uint32_t i)
{
    zl_verify *v = w->v;
    const zl_node *n = &v->order.nodes[i];
    if (n->kind != ZL_NODE_ISSUE) return;
    for (uint32_t k = 0; k < v->order.count; k++) {
        const zl_node *e = &v->order.nodes[k];
        if (e->kind == ZL_NODE_WAIT && e->object == n->object && !e->flip) return;
    }
    zl_report(v, ZLAY_PIPE_EXIT, n->line, 0, 0, 0);
}

zlay_status zl_order_check(zl_verify *v)
{
    int32_t (*dist)[ZL_NODES] = zl_alloc(v->ctx, ZL_NODES, sizeof *dist);
    if (!dist) return ZLAY_ENOMEM;
    ways w = {v, dist};
    shortest(v, dist);
    for (uint32_t i = 0; i < v->order.count; i++) {
        check_overrun(&w, i);
        check_parity(&w, i);
        check_landed(&w, i);
        for (uint32_t j = 0; j < v->order.count; j++) check_stage(&w, i, j);
    }
    zlay_allocator alloc = zl_allocator(v->ctx);
    zl_free(&alloc, dist, ZL_NODES * sizeof *dist);
    return ZLAY_OK;
}
