/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether starts are a schedule, from the definition in zlay/schedule.h: each edge, each
 * unit at each start of an operation (where the load of a unit is greatest), each space. */
#include "pipe/schedule/loop.h"

static bool edges_hold(const zl_looped *l, int64_t ii, const int64_t *start,
                       zlay_schedule_fault *fault)
{
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t i = 0; i < l->edges; i++) {
            const zl_loop_edge *e = &l->edge[i];
            const int64_t *at = start + c * l->ops;
            zl_i128 found = (zl_i128)e->distance * ii + at[e->to] - at[e->from];
            if (found >= e->latency) continue;
            fault->fault = ZLAY_SCHEDULE_FAULT_EDGE;
            fault->edge = i;
            fault->copy = c;
            fault->found = found < INT64_MIN ? INT64_MIN : (int64_t)found;
            fault->wanted = e->latency;
            return false;
        }
    return true;
}

/* How many iterations of a node are in flight at a cycle modulo ii. */
static uint64_t in_flight(const zl_looped *l, uint32_t node, int64_t ii, int64_t start, int64_t at)
{
    uint64_t cycles = zl_loop_op(l, node)->cycles, turn = (uint64_t)ii;
    uint64_t since = (uint64_t)zl_floor_mod(at - start % ii, ii);
    return cycles / turn + (since < cycles % turn);
}

static bool units_hold(const zl_looped *l, int64_t ii, const int64_t *start,
                       zlay_schedule_fault *fault)
{
    for (uint32_t i = 0; i < l->nodes; i++) {
        const zlay_schedule_op *op = zl_loop_op(l, i);
        zl_u128 load = 0, count = l->request->unit[op->unit].count;
        int64_t at = start[i] % ii;
        if (!op->cycles) continue;
        for (uint32_t j = 0; j < l->nodes; j++)
            if (zl_loop_op(l, j)->unit == op->unit) load += in_flight(l, j, ii, start[j], at);
        if (load <= count) continue;
        fault->fault = ZLAY_SCHEDULE_FAULT_UNIT;
        fault->unit = op->unit;
        fault->at = (uint64_t)at;
        fault->found = load > INT64_MAX ? INT64_MAX : (int64_t)load;
        fault->wanted = (int64_t)count;
        return false;
    }
    return true;
}

int64_t zl_loop_depth(const zl_looped *l, int64_t ii, const int64_t *start, uint32_t copy,
                      uint32_t first_use, bool within)
{
    const zl_loop_use *first = &l->use[first_use];
    const int64_t *at = start + copy * l->ops;
    int64_t depth = 1;
    for (uint32_t i = first_use; i < l->uses && l->use[i].value == first->value; i++) {
        const zl_loop_use *u = &l->use[i];
        if (within && l->component[u->op] != l->component[first->op]) continue;
        int64_t rest = at[u->op] - at[first->op] + zl_loop_cycles(l, u->op);
        depth = zl_max(depth, u->distance - zl_floor_div(-rest, ii));
    }
    return depth;
}

static bool spaces_hold(const zl_looped *l, int64_t ii, const int64_t *start,
                        zlay_schedule_fault *fault)
{
    const zlay_schedule_request *r = l->request;
    for (uint32_t s = 0; s < r->spaces; s++) {
        zl_u128 taken = 0;
        for (uint32_t c = 0; c < l->copies; c++)
            for (uint32_t i = 0; i < l->uses; i++) {
                const zlay_schedule_value *v = &r->value[l->use[i].value];
                if (v->space != s || (i && l->use[i - 1].value == l->use[i].value)) continue;
                taken += zl_loop_bytes(v->bytes, zl_loop_depth(l, ii, start, c, i, false));
            }
        if (taken <= l->capacity[s]) continue;
        fault->fault = ZLAY_SCHEDULE_FAULT_SPACE;
        fault->space = s;
        fault->found = taken > INT64_MAX ? INT64_MAX : (int64_t)taken;
        fault->wanted = (int64_t)zl_umin(l->capacity[s], INT64_MAX);
        return false;
    }
    return true;
}

bool zl_loop_holds(const zl_looped *l, int64_t ii, const int64_t *start, zlay_schedule_fault *fault)
{
    *fault = (zlay_schedule_fault){0};
    return edges_hold(l, ii, start, fault) && units_hold(l, ii, start, fault) &&
           spaces_hold(l, ii, start, fault);
}

/* Numbers whose sums fit: starts and ii below 2^61, and ii times a use's distance too. */
static zlay_status check_starts(const zl_looped *l, uint64_t ii, const int64_t *start)
{
    const int64_t most = (int64_t)1 << 60;
    if (!ii) return zl_fail(l->ctx, ZLAY_EINVAL, "ii: it is 0");
    for (uint32_t i = 0; i < l->nodes; i++)
        if (start[i] < 0) return zl_fail(l->ctx, ZLAY_EINVAL, "start[%u]: it is negative", i);
    for (uint32_t i = 0; i < l->nodes; i++)
        if (start[i] > most) return zl_fail(l->ctx, ZLAY_EOVERFLOW, "start[%u] passes 2^60", i);
    return ii > (uint64_t)most ? zl_fail(l->ctx, ZLAY_EOVERFLOW, "ii passes 2^60") : ZLAY_OK;
}

static zlay_status check(zlay_ctx *ctx, zlay_answer *answer, zlay_schedule_fault *fault,
                         const zlay_schedule_request *request, uint64_t ii, const int64_t *start)
{
    zl_looped loop = {0};
    zlay_status status = zl_loop_read(&loop, ctx, request);
    if (!status && loop.nodes && !start) status = zl_fail(ctx, ZLAY_EINVAL, "start: it is NULL");
    if (!status) status = check_starts(&loop, ii, start);
    uint64_t steps = (uint64_t)loop.nodes * loop.nodes + (uint64_t)loop.copies * loop.edges;
    if (!status && zl_charge(ctx, steps)) status = ZLAY_ENOMEM;
    if (!status) *answer = zl_loop_holds(&loop, (int64_t)ii, start, fault) ? ZLAY_YES : ZLAY_NO;
    return status;
}

zlay_status zlay_schedule_check(zlay_ctx *ctx, zlay_answer *answer, zlay_schedule_fault *fault,
                                const zlay_schedule_request *request, uint64_t ii,
                                const int64_t *start)
{
    zlay_schedule_fault unused;
    if (!ctx || !answer || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, check(ctx, answer, fault ? fault : &unused, request, ii, start));
}
