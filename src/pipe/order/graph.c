/* SPDX-License-Identifier: Apache-2.0 */
/* Decides the ordering rules of a pipe on the graph of event classes. All-pairs shortest paths
 * (Floyd-Warshall) give, for two classes, the least d such that u(q) happens before v(q + d)
 * for every index q; each rule asks that some distance is at most a bound (overrun, parity,
 * lost phase, read before full, overwrite). A distance within its bound is kept as an
 * obligation, whose path the proof prints. */
#include "pipe/order/verify.h"

typedef struct ways {
    zl_verify *v;
    int32_t (*dist)[ZL_NODES];
} ways;

/* Floyd-Warshall over the classes; only classes with an instance at every index may lie inside
 * a path. */
static void shortest(ways *w)
{
    zl_proof_order *o = &w->v->order;
    int32_t(*dist)[ZL_NODES] = w->dist;
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t j = 0; j < o->count; j++) {
            dist[i][j] = zl_order_step(w->v, i, j);
            o->via[i][j] = (int32_t)j;
        }
    for (uint32_t k = 0; k < o->count; k++)
        for (uint32_t i = 0; o->nodes[k].total && i < o->count; i++)
            for (uint32_t j = 0; dist[i][k] < ZL_FAR && j < o->count; j++)
                if (dist[i][k] + dist[k][j] < dist[i][j]) {
                    dist[i][j] = dist[i][k] + dist[k][j];
                    o->via[i][j] = o->via[i][k];
                }
}

/* The length of the ring that a class counts. */
static int32_t stages_of(const zl_verify *v, const zl_node *n)
{
    bool bar = n->kind <= ZL_NODE_ISSUE;
    return (int32_t)(bar ? v->pipe->bars[n->object].stages : v->pipe->smems[n->object].stages);
}

/* The first class of a kind and object; role -1 stands for any. */
static int32_t find(const zl_verify *v, zl_node_kind kind, int32_t role, int32_t object)
{
    for (uint32_t i = 0; i < v->order.count; i++) {
        const zl_node *n = &v->order.nodes[i];
        if (n->kind == kind && n->object == object && (role < 0 || n->role == role))
            return (int32_t)i;
    }
    return -1;
}

/* The class of a barrier's phases. */
static uint32_t phase_of(const zl_verify *v, int32_t bar)
{
    return (uint32_t)find(v, ZL_NODE_PHASE, -1, bar);
}

/* Keeps an obligation that holds, for the proof. */
static void keep(zl_verify *v, zl_obligation o)
{
    if (v->obligations_count < ZL_OBLIGATIONS) v->obligations[v->obligations_count++] = o;
    else zl_undecided(v, v->order.nodes[o.to].line, "is one obligation too many");
}

/* from(q) must happen before to(q + bound). */
static void must(ways *w, int32_t rule, uint32_t from, uint32_t to, int32_t bound)
{
    zl_verify *v = w->v;
    if (w->dist[from][to] <= bound) {
        keep(v, (zl_obligation){rule, from, to, to, bound, false});
        return;
    }
    uint32_t other = v->order.nodes[from].role < 0 ? 0 : v->order.nodes[from].line;
    int32_t found = w->dist[from][to];
    zl_report(v, rule, v->order.nodes[to].line, other, found < ZL_FAR ? found : -1, bound);
}

/* An arrival, expectation or copy at index q + stages must find the phase of q complete. */
static void check_overrun(ways *w, uint32_t i)
{
    const zl_node *n = &w->v->order.nodes[i];
    if (n->kind == ZL_NODE_ARRIVE || n->kind == ZL_NODE_EXPECT || n->kind == ZL_NODE_ISSUE)
        must(w, ZLAY_PIPE_OVERRUN, phase_of(w->v, n->object), i, stages_of(w->v, n));
}

/* A wait tests one parity bit, so the barrier must be in the phase waited for or the one
 * before it: the phase before that must be complete when the wait begins. */
static void check_parity(ways *w, uint32_t i)
{
    zl_verify *v = w->v;
    const zl_node *n = &v->order.nodes[i];
    int32_t stages = stages_of(v, n), bound = n->variant ? 2 * stages : stages, best = ZL_FAR;
    uint32_t phase = phase_of(v, n->object), last = i;
    for (uint32_t k = 0; k < v->order.count; k++) {
        const zl_node *e = &v->order.nodes[k];
        int32_t step = e->role == n->role && e->total ? zl_order_step(v, k, i) : ZL_FAR;
        if (step >= ZL_FAR || w->dist[phase][k] + step >= best) continue;
        best = w->dist[phase][k] + step;
        last = k;
    }
    if (best <= bound) keep(v, (zl_obligation){ZLAY_PIPE_PARITY, phase, last, i, bound, true});
    else zl_report(v, ZLAY_PIPE_PARITY, n->line, 0, best < ZL_FAR ? best : -1, bound);
}

/* The other half of parity: the phase after the one waited for cannot complete before every
 * thread has left its wait. */
static void check_lost(ways *w, uint32_t i)
{
    zl_verify *v = w->v;
    const zl_node *n = &v->order.nodes[i];
    int32_t stages = stages_of(v, n), bound = n->variant ? 0 : stages, best = ZL_FAR;
    uint32_t next = i;
    for (uint32_t k = 0; k < v->order.count; k++) {
        const zl_node *e = &v->order.nodes[k];
        bool makes = (e->kind == ZL_NODE_ARRIVE || e->kind == ZL_NODE_ISSUE) &&
                     e->object == n->object && e->total;
        if (!makes || w->dist[i][k] >= best) continue;
        best = w->dist[i][k];
        next = k;
    }
    if (best <= bound) keep(v, (zl_obligation){ZLAY_PIPE_LOST_PHASE, i, next, next, bound, false});
    else zl_report(v, ZLAY_PIPE_LOST_PHASE, n->line, 0, best < ZL_FAR ? best : -1, bound);
}

/* A stage is completely written before it is read, and visible in the proxy that reads it. */
static void check_full(ways *w, uint32_t write, uint32_t read)
{
    zl_verify *v = w->v;
    const zl_node *wn = &v->order.nodes[write], *rn = &v->order.nodes[read];
    if (wn->variant) {
        must(w, ZLAY_PIPE_READ_BEFORE_FULL, phase_of(v, wn->bar), read, 0);
        return;
    }
    uint32_t plain = (uint32_t)find(v, ZL_NODE_WROTE, wn->role, wn->object);
    uint32_t fenced = (uint32_t)find(v, ZL_NODE_FENCED, wn->role, wn->object);
    bool ready = w->dist[plain][read] <= 0;
    must(w, rn->variant && ready ? ZLAY_PIPE_PROXY : ZLAY_PIPE_READ_BEFORE_FULL,
         rn->variant ? fenced : plain, read, 0);
}

/* A stage is not overwritten before its readers are done. */
static void check_stage(ways *w, uint32_t write, uint32_t done)
{
    const zl_node *wn = &w->v->order.nodes[write], *dn = &w->v->order.nodes[done];
    if (wn->kind != ZL_NODE_WRITE || wn->object != dn->object) return;
    if (dn->kind == ZL_NODE_READ) check_full(w, write, done);
    if (dn->kind == ZL_NODE_DONE) must(w, ZLAY_PIPE_OVERWRITE, done, write, stages_of(w->v, wn));
}

/* Some role waits for every phase that copies fill; otherwise a copy may land after its block
 * has ended. */
static void check_landed(ways *w, uint32_t i)
{
    const zl_verify *v = w->v;
    const zl_node *n = &v->order.nodes[i];
    bool waited = n->kind != ZL_NODE_ISSUE;
    for (uint32_t k = 0; k < v->order.count; k++) {
        const zl_node *e = &v->order.nodes[k];
        waited |= e->kind == ZL_NODE_WAIT && e->object == n->object && !e->variant && e->total;
    }
    if (!waited) zl_report(w->v, ZLAY_PIPE_EXIT, n->line, 0, 0, 0);
}

/* One role fills a stage: two would have to be ordered with each other, which this proof does
 * not do. */
static void check_writers(ways *w, uint32_t i)
{
    const zl_proof_order *o = &w->v->order;
    for (uint32_t k = i + 1; k < o->count; k++)
        if (o->nodes[i].kind == ZL_NODE_WRITE && o->nodes[k].kind == ZL_NODE_WRITE &&
            o->nodes[i].object == o->nodes[k].object)
            zl_undecided(w->v, o->nodes[k].line, "is a second way to fill a stage");
}

/* Checks the rules that class i takes part in. */
static void check_node(ways *w, uint32_t i)
{
    check_overrun(w, i);
    check_landed(w, i);
    check_writers(w, i);
    if (w->v->order.nodes[i].kind == ZL_NODE_WAIT) check_parity(w, i);
    if (w->v->order.nodes[i].kind == ZL_NODE_PASSED) check_lost(w, i);
    for (uint32_t j = 0; j < w->v->order.count; j++) check_stage(w, i, j);
}

zlay_status zl_order_check(zl_verify *v)
{
    int32_t(*dist)[ZL_NODES] = zl_scratch(v->ctx, ZL_NODES, sizeof *dist);
    if (!dist) return ZLAY_ENOMEM;
    ways w = {v, dist};
    shortest(&w);
    for (uint32_t i = 0; i < v->order.count; i++) check_node(&w, i);
    return ZLAY_OK;
}
