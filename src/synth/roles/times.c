/* SPDX-License-Identifier: Apache-2.0 */
/* When the operations of a loop start, and the interval between iterations. Dependences follow from accesses: of each two of one
 * value of which one writes, the later waits for the earlier. Registers and what an iteration leaves to the next have one buffer, so
 * there the next iteration waits, too. A modulo schedule (pipe/schedule) has the starts, of copies, products, stores and each part
 * that computes as units; then copies move as late as what waits for them lets them. */
#include "synth/roles/roles.h"
#include "base/arith.h"
#include "pipe/schedule/schedule.h"

#include <stdio.h>

typedef struct dependence {
    uint32_t from, to;
    int64_t distance, latency;
} dependence;

typedef struct dependences {
    zl_tp *p;
    dependence *list;
    uint32_t count;
} dependences;

enum { EDGES = ZLAY_SCHEDULE_EDGES };

/* ---- dependences ------------------------------------------------------------------------------ */

/* Products of one sum are executed in the order in which they are issued. */
static int64_t latency(const zl_tp_op *x, const zl_tp_op *y, int32_t value)
{
    bool sums = x->kind == ZL_TP_MMA && y->kind == ZL_TP_MMA && zl_tp_sum(x) == value && zl_tp_sum(y) == value;
    return sums ? x->cycles : x->latency;
}

static zlay_status dependence_add(dependences *e, uint32_t x, uint32_t y, int64_t distance, int32_t value)
{
    zl_tp *p = e->p;
    if (e->count == EDGES) return zl_fail(p->ctx, ZLAY_ELIMIT, "more than %d dependences", EDGES);
    e->list[e->count++] = (dependence){x, y, distance, latency(&p->op[x], &p->op[y], value)};
    return ZLAY_OK;
}

/* Iterations after which a value's buffer is filled again; 0: there are as many as the times want. */
static int64_t buffers(const zl_tp_value *v)
{
    return v->space == ZL_TP_REGISTERS || v->carried ? 1 : v->most;
}

static zlay_status value_edges(dependences *e, int32_t value)
{
    zl_tp *p = e->p;
    const int64_t again = buffers(&p->value[value]);
    zlay_status status = zl_charge(p->ctx, p->ops * p->ops);
    for (uint32_t x = 0; x < p->ops; x++) {
        uint32_t one = p->op[x].section == ZL_TP_LOOP ? zl_tp_access(&p->op[x], value) : 0;
        for (uint32_t y = 0; one && !status && y < p->ops; y++) {
            uint32_t other = p->op[y].section == ZL_TP_LOOP ? zl_tp_access(&p->op[y], value) : 0;
            if (!other || !((one | other) & ZL_TP_WRITES)) continue;
            if (x < y) status = dependence_add(e, x, y, 0, value);
            else if (again) status = dependence_add(e, x, y, again, value);
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

/* ---- issues ----------------------------------------------------------------------------------- */

static bool is_product(const zl_tp_op *op) { return op->section == ZL_TP_LOOP && op->kind == ZL_TP_MMA; }

/* The last start of another product of the same part before one: what is issued behind it begins behind it. */
static int64_t product_before(const zl_tp *p, uint32_t product)
{
    const zl_tp_op *op = &p->op[product];
    int64_t before = INT64_MIN;
    for (uint32_t o = 0; o < p->ops; o++) {
        if (o == product || !is_product(&p->op[o]) || p->op[o].part != op->part) continue;
        int64_t at = op->at - zl_floor_mod(op->at - p->op[o].at, p->ii);
        if (at > before) before = at;
    }
    return before;
}

/* A product of wgmma waits for those before it in the tensor core. So its thread issues it as soon as its operands are there and the
 * product before it is issued, and computes what it then computes beside both. One that begins a sum would take that sum's registers
 * for longer, beside others. */
static bool waits_in_core(const zl_tp *p, const zl_tp_op *op) { return is_product(op) && !p->tmem && (!op->fresh || op->first); }

static void products_issue(const dependences *e)
{
    zl_tp *p = e->p;
    for (uint32_t o = 0; o < p->ops; o++) {
        zl_tp_op *op = &p->op[o];
        int64_t ready = waits_in_core(p, op) ? product_before(p, o) : INT64_MIN;
        if (ready == INT64_MIN) continue;
        for (uint32_t i = 0; i < e->count; i++) {
            const dependence *x = &e->list[i];
            int64_t there = p->op[x->from].at + x->latency - x->distance * p->ii;
            if (x->to == o && x->from != o && there > ready) ready = there;
        }
        if (ready < op->at) op->queue = op->at - ready;
    }
}

/* ---- starts ----------------------------------------------------------------------------------- */

enum { COPIES, PRODUCTS, STORES, INTERVAL, FIRST_PART, UNITS = FIRST_PART + ZL_TP_OPS };

/* The loop as a request of a schedule, one operation more than it has: that one takes a unit of its own for the interval that the
 * program asks for, or for the products of all instances, so no smaller one is found. */
typedef struct asking {
    zlay_schedule_op op[ZL_TP_OPS + 1];
    zlay_schedule_edge edge[EDGES];
    zlay_schedule_unit unit[UNITS];
    char name[ZL_TP_OPS + 1][16];
    uint32_t number[ZL_TP_OPS]; /* of an operation of the loop */
    zlay_schedule_request request;
} asking;

static uint32_t unit_of(const zl_tp_op *op)
{
    return op->kind == ZL_TP_COPY ? COPIES : op->kind == ZL_TP_MMA ? PRODUCTS : op->kind == ZL_TP_STORE ? STORES : FIRST_PART + (uint32_t)op->part;
}

static void op_ask(asking *a, uint32_t unit, int64_t cycles)
{
    uint32_t o = a->request.ops++;
    snprintf(a->name[o], sizeof a->name[o], "op%u", o);
    a->op[o] = (zlay_schedule_op){.name = a->name[o], .unit = unit, .cycles = (uint64_t)cycles};
}

static void ask(asking *a, const dependences *e)
{
    const zl_tp *p = e->p;
    int64_t products = 0; /* each instance issues its own */
    a->request = (zlay_schedule_request){.size = sizeof a->request, .op = a->op, .edge = a->edge, .unit = a->unit, .units = UNITS, .edges = e->count};
    for (uint32_t u = 0; u < UNITS; u++) a->unit[u] = (zlay_schedule_unit){"unit", 1};
    for (uint32_t o = 0; o < p->ops; o++) {
        const zl_tp_op *op = &p->op[o];
        if (op->section != ZL_TP_LOOP) continue;
        a->number[o] = a->request.ops;
        op_ask(a, unit_of(op), op->cycles);
        if (op->kind == ZL_TP_MMA && !p->tmem) products += op->cycles * p->instances;
    }
    if (p->ii || p->instances > 1) op_ask(a, INTERVAL, p->ii > products ? p->ii : products);
    for (uint32_t i = 0; i < e->count; i++) {
        const dependence *x = &e->list[i];
        a->edge[i] = (zlay_schedule_edge){.from = a->number[x->from], .to = a->number[x->to], .distance = (uint64_t)x->distance, .latency = x->latency};
    }
}

/* By how many cycles a copy would have to begin before a time to end where another one begins that takes the engine together with it;
 * 0: none does. */
static int64_t overlap(const zl_tp *p, uint32_t copy, int64_t at)
{
    int64_t back = 0;
    for (uint32_t o = 0; o < p->ops; o++) {
        const zl_tp_op *op = &p->op[o];
        if (o == copy || op->kind != ZL_TP_COPY || op->section != ZL_TP_LOOP) continue;
        const int64_t apart = zl_floor_mod(at - op->at, p->ii), end = apart + p->op[copy].cycles;
        if (apart < op->cycles && end > back) back = end;
        else if (end - p->ii > back) back = end - p->ii;
    }
    return back;
}

/* Whether a copy waits for nothing but the engine: its stages are as many as the times want. */
static bool is_free(const dependences *e, uint32_t copy)
{
    for (uint32_t i = 0; i < e->count; i++)
        if (e->list[i].to == copy) return false;
    return true;
}

/* All copies of an iteration start within one interval, so that their thread issues them in one iteration of its loop. */
static void copies_gather(const dependences *e)
{
    zl_tp *p = e->p;
    int64_t first = INT64_MAX;
    for (uint32_t o = 0; o < p->ops; o++)
        if (p->op[o].kind == ZL_TP_COPY && p->op[o].section == ZL_TP_LOOP && p->op[o].at < first) first = p->op[o].at;
    for (uint32_t o = 0; o < p->ops; o++)
        if (p->op[o].kind == ZL_TP_COPY && p->op[o].section == ZL_TP_LOOP && is_free(e, o)) p->op[o].at -= (p->op[o].at - first) / p->ii * p->ii;
}

/* A copy starts as late as what waits for it and the other copies let it, so that its stage is taken for as short as can be. */
static zlay_status copies_move(const dependences *e)
{
    zl_tp *p = e->p;
    for (uint32_t o = 0; o < p->ops; o++) {
        int64_t latest = INT64_MAX;
        if (p->op[o].kind != ZL_TP_COPY || p->op[o].section != ZL_TP_LOOP) continue;
        for (uint32_t i = 0; i < e->count; i++) {
            const dependence *x = &e->list[i];
            if (x->from != o || x->to == o) continue;
            int64_t at = zl_tp_issue(&p->op[x->to]) + x->distance * p->ii - x->latency;
            if (at < latest) latest = at;
        }
        if (latest == INT64_MAX) continue;
        zlay_status status = zl_charge(p->ctx, (uint64_t)p->ops * p->ops);
        if (status) return status;
        const int64_t least = latest - p->ii;
        for (int64_t back; latest > least && latest > p->op[o].at && (back = overlap(p, o, latest)) > 0;) latest -= back;
        if (latest > least && latest > p->op[o].at) p->op[o].at = latest;
    }
    return ZLAY_OK;
}

/* ---- a program's own starts ----------------------------------------------------------------------- */

static zlay_status starts_check(const dependences *e)
{
    const zl_tp *p = e->p;
    for (uint32_t i = 0; i < e->count; i++) {
        const dependence *x = &e->list[i];
        const zl_tp_op *from = &p->op[x->from], *to = &p->op[x->to];
        int64_t least = from->at + x->latency - x->distance * p->ii;
        if (to->at < least)
            return zl_fail(p->ctx, ZLAY_NONE, "line %u starts at %lld and waits for line %u until %lld", to->line, (long long)to->at, from->line, (long long)least);
    }
    return ZLAY_OK;
}

static zlay_status stated(const zl_tp *p, uint32_t *timed)
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

static zlay_status found(dependences *e)
{
    zl_tp *p = e->p;
    asking *a = zl_scratch(p->ctx, 1, sizeof *a);
    zlay_schedule *schedule;
    zlay_schedule_summary info;
    zlay_schedule_reason why = {0};
    if (!a) return ZLAY_ENOMEM;
    ask(a, e);
    zlay_status status = zl_schedule_synth(p->ctx, &schedule, &why, &a->request);
    if (status) return status;
    (void)zlay_schedule_info(&info, schedule);
    for (uint32_t o = 0; o < p->ops; o++)
        if (p->op[o].section == ZL_TP_LOOP) (void)zlay_schedule_start_nth(&p->op[o].at, schedule, 0, a->number[o]);
    zlay_schedule_free(schedule);
    if (p->ii && (int64_t)info.ii > p->ii)
        return zl_fail(p->ctx, (int64_t)info.bound > p->ii ? ZLAY_NONE : ZLAY_ELIMIT, "interval: %lld cycles; units and dependences want at least %llu, and %llu were found", (long long)p->ii,
                       (unsigned long long)info.bound, (unsigned long long)info.ii);
    p->ii = (int64_t)info.ii;
    p->bound = (int64_t)info.bound;
    products_issue(e);
    status = copies_move(e);
    if (!status) copies_gather(e);
    return status;
}

zlay_status zl_tp_times(zl_tp *p)
{
    dependences e = {p, zl_scratch(p->ctx, EDGES, sizeof(dependence)), 0};
    uint32_t timed = 0;
    zlay_status status = e.list ? stated(p, &timed) : ZLAY_ENOMEM;
    carried_find(p);
    for (uint32_t v = 0; !status && v < p->values; v++) status = value_edges(&e, (int32_t)v);
    if (status) return status;
    return timed ? starts_check(&e) : found(&e);
}
