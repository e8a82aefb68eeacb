/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the graph of event classes and weighs its edges, for every index at once. An edge u -> v
 * of weight d says that u(q) happens before v(q + d) for every q. Inside a role weights are read
 * off the unrolled traces; between roles a phase comes after the arrivals that complete it and
 * before the waits for it. Weights are at least 0, and only classes with an instance at every index
 * lie inside a path, so every event on a path exists when its ends do. */
#include "pipe/order/verify.h"

#include <string.h>

enum { OF_BAR, OF_SMEM0, OF_SMEM1 };
enum { NOW, ENDED, FENCED };

/* The classes that an event belongs to: the kind, the ring that its index is of, and when the
 * instance is complete. */
static const struct row {
    zl_event_kind event;
    zl_node_kind node;
    int ring, when;
} rows[] = {
    {ZL_EV_WAIT, ZL_NODE_WAIT, OF_BAR, NOW},
    {ZL_EV_WAIT, ZL_NODE_PASSED, OF_BAR, NOW},
    {ZL_EV_ARRIVE, ZL_NODE_ARRIVE, OF_BAR, NOW},
    {ZL_EV_EXPECT, ZL_NODE_EXPECT, OF_BAR, NOW},
    {ZL_EV_COPY, ZL_NODE_ISSUE, OF_BAR, NOW},
    {ZL_EV_COPY, ZL_NODE_WRITE, OF_SMEM0, NOW},
    {ZL_EV_CPASYNC, ZL_NODE_WRITE, OF_SMEM0, NOW},
    {ZL_EV_CPASYNC, ZL_NODE_WROTE, OF_SMEM0, ENDED},
    {ZL_EV_CPASYNC, ZL_NODE_FENCED, OF_SMEM0, FENCED},
    {ZL_EV_WRITE, ZL_NODE_WRITE, OF_SMEM0, NOW},
    {ZL_EV_WRITE, ZL_NODE_WROTE, OF_SMEM0, ENDED},
    {ZL_EV_WRITE, ZL_NODE_FENCED, OF_SMEM0, FENCED},
    {ZL_EV_READ, ZL_NODE_READ, OF_SMEM0, NOW},
    {ZL_EV_READ, ZL_NODE_DONE, OF_SMEM0, ENDED},
    {ZL_EV_MMA, ZL_NODE_READ, OF_SMEM0, NOW},
    {ZL_EV_MMA, ZL_NODE_DONE, OF_SMEM0, ENDED},
    {ZL_EV_MMA, ZL_NODE_READ, OF_SMEM1, NOW},
    {ZL_EV_MMA, ZL_NODE_DONE, OF_SMEM1, ENDED},
};

/* ---- classes ---- */

/* Whether a wait tests the parity of the round before its slot's (one turn of the ring back),
 * modulo 2. */
int32_t zl_turned(const zlay_pipe *pipe, const zl_event *wait)
{
    int64_t stages = pipe->bars[wait->bar].stages;
    return (int32_t)((wait->flip + (wait->parity.add - wait->bar_at.add) / stages) & 1);
}

/* A wait must test the parity of its own slot's index, up to whole turns of the ring. */
static void check_turn(zl_verify *v, const zl_event *e)
{
    int64_t turns = e->parity.add - e->bar_at.add;
    if (!zl_pos_moves_alike(&e->bar_at, &e->parity) ||
        turns % (int64_t)v->pipe->bars[e->bar].stages)
        zl_report(v, ZLAY_PIPE_PARITY, e->line, 0, turns, 0);
}

/* Distinguishes classes of one kind: turned waits, and accesses by the async proxy. */
static int32_t variant_of(const zl_verify *v, const zl_event *e, zl_node_kind kind)
{
    if (kind == ZL_NODE_WAIT || kind == ZL_NODE_PASSED) return zl_turned(v->pipe, e);
    if (kind == ZL_NODE_READ || kind == ZL_NODE_DONE) return e->kind == ZL_EV_MMA;
    return kind == ZL_NODE_WRITE && e->kind == ZL_EV_COPY;
}

/* The class with this key, made on first use. */
static int32_t node_of(zl_verify *v, zl_node key, const zl_event *e)
{
    zl_proof_order *o = &v->order;
    for (uint32_t i = 0; i < o->count; i++) {
        const zl_node *n = &o->nodes[i];
        if (n->kind == key.kind && n->role == key.role && n->object == key.object &&
            n->variant == key.variant)
            return (int32_t)i;
    }
    if (o->count == ZL_NODES) {
        o->full = true;
        zl_undecided(v, e->line, "is one class of events too many");
        return -1;
    }
    key.line = e->line;
    key.total = true;
    key.bar = e->bar;
    key.scope = ZL_BY_THREADS;
    o->nodes[o->count] = key;
    return (int32_t)o->count++;
}

/* Enters an event in the class that a row names. */
static void add_use(zl_verify *v, int32_t role, const zl_event *e, const struct row *row,
                    zl_use *use)
{
    int32_t object = row->ring == OF_BAR ? e->bar : e->smem[row->ring - OF_SMEM0];
    if (object < 0) zl_undecided(v, e->line, "reads an operand that is no shared memory");
    if (object < 0 || (row->ring != OF_BAR && v->own[object])) return;
    use->node = (int8_t)node_of(v, (zl_node){.kind = row->node, .role = role, .object = object,
                                             .variant = variant_of(v, e, row->node)}, e);
    if (use->node < 0) return;
    zl_node *n = &v->order.nodes[use->node];
    if (row->node == ZL_NODE_ARRIVE && e->scope < n->scope) n->scope = e->scope;
    if (row->node == ZL_NODE_WRITE && e->kind == ZL_EV_COPY && n->bar != e->bar)
        zl_undecided(v, e->line, "fills a stage that signals two barriers");
}

/* Enters an event in all classes that the rows name for it. */
static void add_event(zl_verify *v, int32_t role, uint32_t event)
{
    const zl_event *e = &v->pipe->events[event];
    zl_use *use = v->uses[event];
    if (e->kind == ZL_EV_WAIT) check_turn(v, e);
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        if (rows[i].event != e->kind) continue;
        use->row = (int8_t)i;
        add_use(v, role, e, &rows[i], use++);
    }
}

void zl_order_begin(zl_verify *v)
{
    const zlay_pipe *pipe = v->pipe;
    const zl_event none = {.line = 1, .bar = -1};
    memset(v->uses, -1, pipe->events_count * sizeof *v->uses);
    for (uint32_t b = 0; b < pipe->bars_count; b++)
        node_of(v, (zl_node){.kind = ZL_NODE_PHASE, .role = -1, .object = (int32_t)b}, &none);
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        for (uint32_t i = pipe->roles[r].begin; i < pipe->roles[r].end; i++)
            add_event(v, (int32_t)r, i);
}

/* ---- instances ---- */

enum { ARRAYS = 2 };

/* Whether others may be ordered after the class. */
static bool is_source(const zl_node *n)
{
    return n->kind == ZL_NODE_WAIT || n->kind == ZL_NODE_PASSED || n->kind == ZL_NODE_WROTE ||
           n->kind == ZL_NODE_FENCED || n->kind == ZL_NODE_DONE;
}

/* Whether the class may be ordered after others. */
static bool is_target(const zl_node *n)
{
    return n->kind == ZL_NODE_WAIT || n->kind == ZL_NODE_READ ||
           (n->kind >= ZL_NODE_ARRIVE && n->kind <= ZL_NODE_WRITE);
}

/* How many numbers the arrays of all classes take. */
static uint64_t numbers_of(const zl_verify *v)
{
    uint64_t want = (uint64_t)ARRAYS * v->order.count * (uint64_t)v->q_end + 1;
    for (uint32_t i = 0; i < v->order.count; i++)
        if (is_target(&v->order.nodes[i])) want += v->traces[v->order.nodes[i].role].count;
    return want;
}

/* Makes the arrays of the classes for the trace at hand, filled with -1. */
static zlay_status arrays_make(zl_verify *v)
{
    uint64_t want = numbers_of(v), each = (uint64_t)v->q_end;
    int32_t *at = zl_scratch(v->ctx, want, sizeof *at);
    if (!at) return ZLAY_ENOMEM;
    memset(at, -1, want * sizeof *at);
    for (uint32_t i = 0; i < v->order.count; i++) {
        zl_node *n = &v->order.nodes[i];
        n->first = at;
        n->last = n->first + each;
        n->reach = n->last + each;
        at = n->reach + (is_target(n) ? v->traces[n->role].count : 0);
    }
    return ZLAY_OK;
}

/* The later of two times, of which b may be -1: never. */
static int32_t later(int32_t a, int32_t b) { return b < 0 ? ZL_FAR : a > b ? a : b; }

/* Notes an instance: its index, its first step, and when it is complete. */
static void see(const zl_verify *v, zl_node *n, int64_t q, int32_t begun, int32_t over)
{
    if (q < 0 || q >= v->q_end) return;
    if (n->first[q] < 0) n->first[q] = begun;
    n->last[q] = later(n->last[q], over);
    if (is_target(n)) n->reach[begun] = (int32_t)q;
}

/* When an instance is complete: at its step, when its group is, or at the fence behind that. */
static int32_t over_at(const zl_trace *t, int32_t at, int when)
{
    int32_t done = t->steps[at].done;
    if (when == NOW) return at;
    return when == ENDED || done < 0 ? done : t->steps[done].fence;
}

/* Enters a step of a trace in the classes of its event. */
static void see_step(zl_verify *v, const zl_trace *t, int32_t at)
{
    const zl_trace_step *s = &t->steps[at];
    const zl_use *uses = v->uses[s->event - v->pipe->events];
    for (size_t i = 0; i < ZL_USES && uses[i].row >= 0; i++) {
        const struct row *row = &rows[uses[i].row];
        int64_t q = row->ring == OF_BAR ? s->bar_q : s->q[row->ring - OF_SMEM0];
        if (uses[i].node >= 0)
            see(v, &v->order.nodes[uses[i].node], q, at, over_at(t, at, row->when));
    }
}

/* Fills reach[step]: the greatest index that the class has begun by that step. */
static void spread(const zl_verify *v, zl_node *n)
{
    uint32_t count = v->traces[n->role].count;
    int32_t most = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (n->reach[i] > most) most = n->reach[i];
        n->reach[i] = most;
    }
}

/* ---- weights ---- */

enum { BY_EACH, BY_WARP, BY_ROLE, BYS };

/* What must happen before an event of `to` may follow `from`, so that its thread knows `from` to be
 * complete in all threads: nothing where each thread speaks for itself, an aligned step of the warp
 * where one lane speaks for its warp, else a barrier of the role. */
static int known_by(const zl_verify *v, const zl_node *from, const zl_node *to)
{
    bool of_all = from->kind == ZL_NODE_PASSED || from->kind == ZL_NODE_WROTE ||
                  from->kind == ZL_NODE_FENCED || from->kind == ZL_NODE_DONE;
    int32_t scope = to->kind == ZL_NODE_ARRIVE ? to->scope : ZL_BY_ONE;
    if (!of_all || zl_is_single(&v->pipe->roles[from->role]) || scope == ZL_BY_THREADS)
        return BY_EACH;
    if (scope == ZL_BY_WARPS && from->kind == ZL_NODE_DONE && from->variant) return BY_EACH;
    return scope == ZL_BY_WARPS && from->kind == ZL_NODE_PASSED ? BY_WARP : BY_ROLE;
}

/* A class that another is weighed against. */
typedef struct pair {
    const int32_t *reach;
    int32_t *within;
    int by;
} pair;

/* The classes that class a is weighed against. */
static uint32_t pairs_of(zl_verify *v, uint32_t a, pair *out)
{
    const zl_node *from = &v->order.nodes[a];
    uint32_t count = 0;
    for (uint32_t b = 0; b < v->order.count; b++) {
        const zl_node *to = &v->order.nodes[b];
        int32_t *within = &v->order.within[a][b];
        if (from->role != to->role || !is_target(to) || *within >= ZL_FAR) continue;
        out[count++] = (pair){to->reach, within, known_by(v, from, to)};
    }
    return count;
}

/* The steps at which each thread, its warp and the role know the last instance to be complete;
 * -1: never. */
static void known_at(int32_t at[BYS], const zl_trace *t, int32_t last)
{
    bool over = last >= 0 && last < ZL_FAR;
    at[BY_EACH] = over ? last : -1;
    at[BY_WARP] = over ? t->steps[last].warp : -1;
    at[BY_ROLE] = over ? t->steps[last].sync : -1;
}

/* from(q) is complete at step `at`, so it precedes whatever index the class has not begun by
 * then. A weight above the window does not hold for every trip count. */
static int32_t weight_at(const zl_verify *v, const int32_t *reach, int64_t q, int32_t at)
{
    int64_t d = at < 0 ? ZL_FAR : reach[at] + 1 - q;
    return d > v->shape.window ? ZL_FAR : (int32_t)d;
}

/* Raises the weights from class a to what this trace needs; the greatest over all traces holds for
 * all. */
static void weigh(zl_verify *v, uint32_t a)
{
    const zl_node *from = &v->order.nodes[a];
    pair pairs[ZL_NODES];
    uint32_t count = pairs_of(v, a, pairs);
    for (int64_t q = 0; q < v->q_end && count; q++) {
        int32_t at[BYS];
        if (from->first[q] < 0) continue;
        known_at(at, &v->traces[from->role], from->last[q]);
        for (uint32_t i = 0; i < count; i++) {
            int32_t d = weight_at(v, pairs[i].reach, q, at[pairs[i].by]);
            if (d > *pairs[i].within) *pairs[i].within = d;
        }
    }
}

zlay_status zl_order_observe(zl_verify *v)
{
    zlay_status status = arrays_make(v);
    if (status) return status;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        for (uint32_t i = 0; i < v->traces[r].count; i++) see_step(v, &v->traces[r], (int32_t)i);
    for (uint32_t i = 0; i < v->order.count; i++)
        if (is_target(&v->order.nodes[i])) spread(v, &v->order.nodes[i]);
    for (uint32_t a = 0; a < v->order.count; a++) {
        zl_node *from = &v->order.nodes[a];
        for (int64_t q = 0; q < v->q_end && from->role >= 0 && from->total; q++)
            from->total = from->first[q] >= 0;
        if (is_source(from)) weigh(v, a);
    }
    return ZLAY_OK;
}

/* ---- edges ---- */

int32_t zl_order_step(const zl_verify *v, uint32_t a, uint32_t b)
{
    const zl_node *from = &v->order.nodes[a], *to = &v->order.nodes[b];
    bool makes =
        (from->kind == ZL_NODE_ARRIVE || from->kind == ZL_NODE_ISSUE) && to->kind == ZL_NODE_PHASE;
    bool frees = from->kind == ZL_NODE_PHASE && to->kind == ZL_NODE_WAIT;
    if (makes || frees) {
        if (from->object != to->object) return ZL_FAR;
        return frees && to->variant ? (int32_t)v->pipe->bars[to->object].stages : 0;
    }
    return is_source(from) && from->role == to->role && is_target(to) ? v->order.within[a][b]
                                                                      : ZL_FAR;
}
