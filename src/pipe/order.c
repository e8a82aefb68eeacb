/* SPDX-License-Identifier: Apache-2.0 */
/* The order of classes of events, for every index at once.
 *
 * An edge u -> v of weight d says that u(q) comes before v(q + d) for every q. Inside a role the weight is read off the
 * trace; between roles a phase comes after what arrives in it and before who waits for it. Shortest paths then say what
 * is ordered: a read of stage q is over before the write of q + stages when its distance is at most `stages`. Weights of
 * `always` are raised to 0, so that every event on a path has an index between those of its ends and therefore exists. */
#include "pipe/verify.h"

#include <string.h>

static zl_node *node_of(zl_verify *v, zl_node_kind kind, int32_t role, int32_t object, int32_t flip, const zl_event *e)
{
    zl_order *o = &v->order;
    for (uint32_t i = 0; i < o->count; i++) {
        zl_node *n = &o->nodes[i];
        if (n->kind == kind && n->role == role && n->object == object && n->flip == flip) return n;
    }
    if (o->count == ZL_NODES) {
        if (!v->undecided) v->undecided = e->line;
        return NULL;
    }
    zl_node *n = &o->nodes[o->count++];
    *n = (zl_node){.kind = kind, .role = role, .object = object, .flip = flip, .line = e->line, .scope = ZL_BY_THREADS, .bar = -1};
    return n;
}

static void add_read(zl_verify *v, int32_t r, const zl_event *e, int32_t smem, bool async)
{
    zl_node *read = node_of(v, ZL_NODE_READ, r, smem, 0, e);
    if (read) read->async = async;
    zl_node *done = node_of(v, ZL_NODE_DONE, r, smem, 0, e);
    if (!done) return;
    done->async = async;
    done->scope = async ? ZL_BY_WARPS : ZL_BY_THREADS;
}

static void add_write(zl_verify *v, int32_t r, const zl_event *e)
{
    bool copy = e->kind == ZL_EV_COPY;
    zl_node *write = node_of(v, ZL_NODE_WRITE, r, e->smem[0], 0, e);
    if (write && copy) {
        write->async = true;
        write->bar = e->bar;
    }
    if (copy) return;
    node_of(v, ZL_NODE_WROTE, r, e->smem[0], 0, e);
    node_of(v, ZL_NODE_FENCED, r, e->smem[0], 0, e);
}

/* A wait whose parity names another index than its slot tests that index's phase; whole turns of the ring flip it. */
static int32_t flip_of(zl_verify *v, const zl_event *e)
{
    zl_pos slot = e->bar_at, parity = e->parity;
    int64_t stages = v->pipe->bars[e->bar].stages, turns = parity.add - slot.add;
    slot.add = parity.add = 0;
    if (memcmp(&slot, &parity, sizeof slot) || turns % stages) {
        zl_report(v, ZLAY_PIPE_PARITY, e->line, 0, turns, 0);
        return e->flip;
    }
    return (int32_t)((e->flip + turns / stages) & 1);
}

static void add_event(zl_verify *v, int32_t r, const zl_event *e)
{
    zl_node *n = NULL;
    if (e->kind == ZL_EV_WAIT) node_of(v, ZL_NODE_WAIT, r, e->bar, flip_of(v, e), e);
    if (e->kind == ZL_EV_ARRIVE) n = node_of(v, ZL_NODE_ARRIVE, r, e->bar, 0, e);
    if (n && e->scope < n->scope) n->scope = e->scope;
    if (e->kind == ZL_EV_EXPECT) node_of(v, ZL_NODE_EXPECT, r, e->bar, 0, e);
    if (e->kind == ZL_EV_COPY) node_of(v, ZL_NODE_ISSUE, r, e->bar, 0, e);
    if (e->smem[0] < 0 || zl_smem_is_private(v->pipe, e->smem[0])) return;
    if (e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE) add_write(v, r, e);
    if (e->kind == ZL_EV_READ) add_read(v, r, e, e->smem[0], false);
    if (e->kind == ZL_EV_STORE) add_read(v, r, e, e->smem[0], true);
    if (e->kind == ZL_EV_MMA)
        for (int j = 0; j < 2; j++) add_read(v, r, e, e->smem[j], true);
}

static void far_all(zl_order *o)
{
    for (uint32_t i = 0; i < ZL_NODES; i++)
        for (uint32_t j = 0; j < ZL_NODES; j++) o->always[i][j] = -ZL_FAR; /* no pair seen yet */
}

zlay_status zl_order_fill(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    for (uint32_t b = 0; b < pipe->bars_count; b++) {
        zl_event at = {.line = 1};
        node_of(v, ZL_NODE_PHASE, -1, (int32_t)b, 0, &at);
    }
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        for (uint32_t i = pipe->roles[r].begin; i < pipe->roles[r].end; i++) add_event(v, (int32_t)r, &pipe->events[i]);
    far_all(&v->order);
    return ZLAY_OK;
}

/* ---- observing a trace ---- */

static zl_node *find(zl_verify *v, zl_node_kind kind, int32_t role, int32_t object, int32_t flip)
{
    for (uint32_t i = 0; i < v->order.count; i++) {
        zl_node *n = &v->order.nodes[i];
        if (n->kind == kind && n->role == role && n->object == object && n->flip == flip) return n;
    }
    return NULL;
}

static int32_t synced_at(const zl_verify *v, int32_t role, int32_t at)
{
    if (at < 0 || zl_threads(&v->pipe->roles[role]) == 1) return at;
    return zl_next_at(&v->traces[role], at, ZL_EV_SYNC, ZL_SYNC_ROLE);
}

/* `at` -1: what began never ends. */
static void see(const zl_verify *v, zl_node *n, int64_t q, int32_t at)
{
    if (!n || q < 0 || q >= v->q_end) return;
    if (n->first[q] < 0) n->first[q] = at < 0 ? ZL_FAR : at;
    n->last[q] = at < 0 || n->last[q] == ZL_FAR ? ZL_FAR : at;
    n->synced[q] = synced_at(v, n->role, at);
}

static void see_write(zl_verify *v, int32_t r, const zl_step *s, int32_t at)
{
    const zl_trace *t = &v->traces[r];
    int32_t smem = s->event->smem[0];
    see(v, find(v, ZL_NODE_WRITE, r, smem, 0), s->q[0], at);
    if (s->event->kind == ZL_EV_COPY) return;
    int32_t done = zl_done_at(t, (uint32_t)at);
    see(v, find(v, ZL_NODE_WROTE, r, smem, 0), s->q[0], done);
    int32_t fence = done < 0 ? -1 : zl_next_at(t, done, ZL_EV_FENCE, ZL_FENCE_PROXY);
    see(v, find(v, ZL_NODE_FENCED, r, smem, 0), s->q[0], fence);
}

static void see_read(zl_verify *v, int32_t r, int32_t smem, int64_t q, int32_t at)
{
    see(v, find(v, ZL_NODE_READ, r, smem, 0), q, at);
    see(v, find(v, ZL_NODE_DONE, r, smem, 0), q, zl_done_at(&v->traces[r], (uint32_t)at));
}

static void see_step(zl_verify *v, int32_t r, const zl_step *s, int32_t at)
{
    const zl_event *e = s->event;
    int32_t flip = 0;
    if (e->kind == ZL_EV_WAIT) {
        int64_t stages = v->pipe->bars[e->bar].stages;
        flip = (int32_t)((e->flip + (e->parity.add - e->bar_at.add) / stages) & 1);
        see(v, find(v, ZL_NODE_WAIT, r, e->bar, flip), s->bar_q, at);
    }
    if (e->kind == ZL_EV_ARRIVE) see(v, find(v, ZL_NODE_ARRIVE, r, e->bar, 0), s->bar_q, at);
    if (e->kind == ZL_EV_EXPECT) see(v, find(v, ZL_NODE_EXPECT, r, e->bar, 0), s->bar_q, at);
    if (e->kind == ZL_EV_COPY) see(v, find(v, ZL_NODE_ISSUE, r, e->bar, 0), s->bar_q, at);
    if (e->smem[0] < 0 || zl_smem_is_private(v->pipe, e->smem[0])) return;
    if (e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE) see_write(v, r, s, at);
    if (e->kind == ZL_EV_READ || e->kind == ZL_EV_STORE) see_read(v, r, e->smem[0], s->q[0], at);
    if (e->kind == ZL_EV_MMA)
        for (int j = 0; j < 2; j++) see_read(v, r, e->smem[j], s->q[j], at);
}

/* Who may say that something is over: each thread of itself, or one of all after a sync of the role. */
static bool needs_sync(const zl_verify *v, const zl_node *from, const zl_node *to)
{
    if (from->kind != ZL_NODE_WROTE && from->kind != ZL_NODE_FENCED && from->kind != ZL_NODE_DONE) return false;
    if (zl_threads(&v->pipe->roles[from->role]) == 1) return false;
    return to->kind != ZL_NODE_ARRIVE || to->scope < from->scope;
}

static int64_t reach(const zl_verify *v) { return v->shape.window + v->shape.stages + 2; }

/* Least d such that from(q), over at step `at`, is before every to(q'), q' >= q + d. */
static int32_t weight_at(const zl_verify *v, const zl_node *to, int64_t q, int32_t at)
{
    int64_t high = q + reach(v) < v->q_end ? q + reach(v) : v->q_end - 1, low = q - reach(v) > 0 ? q - reach(v) : 0;
    int64_t last = low - 1;
    for (int64_t i = high; i >= low && last < low; i--)
        if (to->first[i] >= 0 && to->first[i] <= at) last = i;
    return (int32_t)(last + 1 - q);
}

static bool exists_from(const zl_verify *v, const zl_node *to, int64_t q)
{
    for (int64_t i = q < 0 ? 0 : q; i < v->q_end; i++)
        if (to->first[i] >= 0) return true;
    return false;
}

static void observe_pair(zl_verify *v, uint32_t a, uint32_t b)
{
    const zl_node *from = &v->order.nodes[a], *to = &v->order.nodes[b];
    int32_t *always = &v->order.always[a][b];
    for (int64_t q = 0; q < v->q_end; q++) {
        if (from->first[q] < 0) continue;
        int32_t at = needs_sync(v, from, to) ? from->synced[q] : from->last[q];
        if (at < 0 || at == ZL_FAR) {
            *always = ZL_FAR;
            continue;
        }
        int32_t d = weight_at(v, to, q, at);
        if (d > *always && exists_from(v, to, q + d)) *always = d;
    }
}

static void arrays(zl_verify *v)
{
    size_t each = (size_t)v->q_end;
    for (uint32_t i = 0; i < v->order.count; i++) {
        v->order.nodes[i].first = v->memory + 3 * i * each;
        v->order.nodes[i].last = v->order.nodes[i].first + each;
        v->order.nodes[i].synced = v->order.nodes[i].last + each;
    }
    for (size_t i = 0; i < 3 * v->order.count * each; i++) v->memory[i] = -1;
}

void zl_order_observe(zl_verify *v)
{
    arrays(v);
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        for (uint32_t i = 0; i < v->traces[r].count; i++)
            see_step(v, (int32_t)r, &v->traces[r].steps[i], (int32_t)i);
    for (uint32_t a = 0; a < v->order.count; a++)
        for (uint32_t b = 0; b < v->order.count; b++) {
            const zl_node *from = &v->order.nodes[a], *to = &v->order.nodes[b];
            bool target = to->kind != ZL_NODE_PHASE && to->kind != ZL_NODE_WROTE && to->kind != ZL_NODE_FENCED &&
                          to->kind != ZL_NODE_DONE;
            if (from->role >= 0 && from->role == to->role && target) observe_pair(v, a, b);
        }
}
