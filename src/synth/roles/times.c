/* SPDX-License-Identifier: Apache-2.0 */
/* When the operations of a loop start, and the interval between iterations. Dependences follow from accesses: of each two of one
 * value of which one writes, the later waits for the earlier. Registers and what an iteration leaves to the next have one buffer, so
 * there the next iteration waits, too. The least interval is that of the units and of the cycles of dependences (Rau, "Iterative
 * modulo scheduling", 1994, section 2); starts are the longest paths, and copies then move as late as their readers let them. */
#include "synth/roles/roles.h"

#include <string.h>

typedef struct edge {
    uint32_t from, to;
    int64_t distance, latency;
} edge;

typedef struct edges {
    zl_tp *p;
    edge *list;
    uint32_t count;
} edges;

enum { EDGES = 1 << 14 };

/* ---- dependences ------------------------------------------------------------------------------ */

/* Products of one sum are executed in the order in which they are issued. */
static int64_t latency(const zl_tp_op *x, const zl_tp_op *y, int32_t value)
{
    bool sums = x->kind == ZL_TP_MMA && y->kind == ZL_TP_MMA && zl_tp_sum(x) == value && zl_tp_sum(y) == value;
    return sums ? x->cycles : x->latency;
}

static zlay_status edge_add(edges *e, uint32_t x, uint32_t y, int64_t distance, int32_t value)
{
    zl_tp *p = e->p;
    if (e->count == EDGES) return zl_fail(p->ctx, ZLAY_ELIMIT, "more than %d dependences", EDGES);
    e->list[e->count++] = (edge){x, y, distance, latency(&p->op[x], &p->op[y], value)};
    return ZLAY_OK;
}

/* Iterations after which a value's buffer is filled again; 0: there are as many as the times want. */
static int64_t buffers(const zl_tp_value *v)
{
    return v->space == ZL_TP_REGISTERS || v->carried ? 1 : v->most;
}

static zlay_status value_edges(edges *e, int32_t value)
{
    zl_tp *p = e->p;
    const int64_t again = buffers(&p->value[value]);
    zlay_status status = zl_charge(p->ctx, p->ops * p->ops);
    for (uint32_t x = 0; x < p->ops; x++) {
        uint32_t one = p->op[x].section == ZL_TP_LOOP ? zl_tp_access(&p->op[x], value) : 0;
        for (uint32_t y = 0; one && !status && y < p->ops; y++) {
            uint32_t other = p->op[y].section == ZL_TP_LOOP ? zl_tp_access(&p->op[y], value) : 0;
            if (!other || !((one | other) & ZL_TP_WRITES)) continue;
            if (x < y) status = edge_add(e, x, y, 0, value);
            else if (again) status = edge_add(e, x, y, again, value);
        }
    }
    return status;
}

static void carried_find(zl_tp *p)
{
    for (uint32_t v = 0; v < p->values; v++) {
        uint32_t first = 0, all = 0;
        for (uint32_t o = 0; o < p->ops; o++) {
            uint32_t access = p->op[o].section == ZL_TP_LOOP ? zl_tp_access(&p->op[o], (int32_t)v) : 0;
            if (!first) first = access;
            all |= access;
        }
        p->value[v].carried = (first & ZL_TP_READS) && (all & ZL_TP_WRITES);
    }
}

/* ---- starts ----------------------------------------------------------------------------------- */

/* Longest paths; answers an edge that still moves when all paths are as long as they can be: there is a cycle. */
static int32_t starts_find(const edges *e, int64_t ii, int64_t *start)
{
    int32_t moved = 0;
    memset(start, 0, ZL_TP_OPS * sizeof *start);
    for (uint32_t round = 0; moved >= 0 && round <= e->p->ops; round++) {
        moved = -1;
        for (uint32_t i = 0; i < e->count; i++) {
            const edge *x = &e->list[i];
            int64_t least = start[x->from] + x->latency - x->distance * ii;
            if (start[x->to] < least) start[x->to] = least, moved = (int32_t)i;
        }
    }
    return moved;
}

/* Cycles of an iteration that one unit takes: copies, products, stores, and each part that computes. */
static int64_t unit_bound(const zl_tp *p)
{
    int64_t unit[ZL_TP_OPS + 3] = {0}, most = 1;
    for (uint32_t o = 0; o < p->ops; o++) {
        const zl_tp_op *op = &p->op[o];
        if (op->section != ZL_TP_LOOP) continue;
        bool each = op->kind == ZL_TP_MMA && !p->tmem;
        int64_t *u = op->kind == ZL_TP_COPY ? unit : op->kind == ZL_TP_MMA ? unit + 1 : op->kind == ZL_TP_STORE ? unit + 2 : unit + 3 + op->part;
        *u += op->cycles * (each ? p->instances : 1);
    }
    for (size_t i = 0; i < ZL_COUNT(unit); i++)
        if (most < unit[i]) most = unit[i];
    return most;
}

static zlay_status least_find(const edges *e, int64_t *ii)
{
    int64_t low = unit_bound(e->p), high = low, *start = zl_scratch(e->p->ctx, ZL_TP_OPS, sizeof *start);
    if (!start) return ZLAY_ENOMEM;
    for (uint32_t o = 0; o < e->p->ops; o++) high += e->p->op[o].latency;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        zlay_status status = zl_charge(e->p->ctx, (uint64_t)e->count * e->p->ops);
        if (status) return status;
        if (starts_find(e, middle, start) < 0) high = middle;
        else low = middle + 1;
    }
    *ii = low;
    return ZLAY_OK;
}

/* A copy starts as late as what waits for it lets it. */
static void copies_move(const edges *e, int64_t *start)
{
    for (uint32_t o = 0; o < e->p->ops; o++) {
        int64_t latest = INT64_MAX;
        if (e->p->op[o].kind != ZL_TP_COPY) continue;
        for (uint32_t i = 0; i < e->count; i++) {
            const edge *x = &e->list[i];
            if (x->from != o || x->to == o) continue;
            int64_t at = start[x->to] + x->distance * e->p->ii - x->latency;
            if (at < latest) latest = at;
        }
        if (latest != INT64_MAX && latest > start[o]) start[o] = latest;
    }
}

/* ---- a program's own starts ----------------------------------------------------------------------- */

static zlay_status starts_check(const edges *e)
{
    const zl_tp *p = e->p;
    for (uint32_t i = 0; i < e->count; i++) {
        const edge *x = &e->list[i];
        const zl_tp_op *from = &p->op[x->from], *to = &p->op[x->to];
        int64_t least = from->at + x->latency - x->distance * p->ii;
        if (to->at < least)
            return zl_fail(p->ctx, ZLAY_NONE, "line %u starts at %lld and waits for line %u until %lld", to->line, (long long)to->at, from->line, (long long)least);
    }
    return ZLAY_OK;
}

static zlay_status given(const zl_tp *p, uint32_t *timed)
{
    uint32_t loop = 0, line = 0;
    *timed = 0;
    for (uint32_t o = 0; o < p->ops; o++) {
        if (p->op[o].section != ZL_TP_LOOP) continue;
        loop++, *timed += p->op[o].timed;
        if (!p->op[o].timed) line = p->op[o].line;
    }
    if (*timed && *timed < loop) return zl_fail(p->ctx, ZLAY_EINVAL, "line %u: it has no `at`, which other operations of the loop have", line);
    if (*timed && !p->ii) return zl_fail(p->ctx, ZLAY_EINVAL, "interval: it is missing, and operations have `at`");
    return ZLAY_OK;
}

static zlay_status found(edges *e)
{
    zl_tp *p = e->p;
    int64_t *start = zl_scratch(p->ctx, ZL_TP_OPS, sizeof *start);
    if (!start) return ZLAY_ENOMEM;
    if (!p->ii) p->ii = p->bound;
    if (p->ii < p->bound)
        return zl_fail(p->ctx, ZLAY_NONE, "interval: %lld cycles; units and dependences want at least %lld", (long long)p->ii, (long long)p->bound);
    (void)starts_find(e, p->ii, start);
    copies_move(e, start);
    for (uint32_t o = 0; o < p->ops; o++) p->op[o].at = start[o];
    return ZLAY_OK;
}

zlay_status zl_tp_times(zl_tp *p)
{
    edges e = {p, zl_scratch(p->ctx, EDGES, sizeof(edge)), 0};
    uint32_t timed = 0;
    zlay_status status = e.list ? given(p, &timed) : ZLAY_ENOMEM;
    carried_find(p);
    for (uint32_t v = 0; !status && v < p->values; v++) status = value_edges(&e, (int32_t)v);
    if (!status) status = least_find(&e, &p->bound);
    if (status) return status;
    return timed ? starts_check(&e) : found(&e);
}
