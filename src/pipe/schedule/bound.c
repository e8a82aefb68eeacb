/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bounds of ii. Units: what all operations take of a unit in an interval is at most its count
 * times ii. Cycles of edges: round a cycle the latencies are at most ii times the distances, so ii
 * is the least at which no cycle of latency - ii distance is positive, found by bisection, for the
 * sums fall as ii grows. Both are exact for one unit and one cycle alone (Rau 1994). */
#include "pipe/schedule/bound.h"

#include <string.h>

/* ---- cycles ----------------------------------------------------------------------- */

typedef struct paths {
    int64_t *length;
    uint32_t *by; /* the last edge of the longest path to an operation */
} paths;

/* Longest paths by Bellman and Ford, over edges of distance 0 alone where ii is 0; an operation of
 * a positive cycle, or ops. */
static uint32_t positive_cycle(const zl_looped *l, int64_t ii, paths *p)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < l->ops; i++) p->length[i] = 0;
    for (uint32_t turn = 0; turn <= l->ops && found < l->ops; turn++) {
        found = l->ops;
        for (uint32_t i = 0; i < l->edges; i++) {
            const zl_loop_edge *e = &l->edge[i];
            int64_t to = p->length[e->from] + e->latency - e->distance * ii;
            if ((!ii && e->distance) || to <= p->length[e->to]) continue;
            p->length[e->to] = to;
            p->by[e->to] = i;
            found = e->to;
        }
    }
    for (uint32_t i = 0; i < l->ops && found < l->ops; i++) found = l->edge[p->by[found]].from;
    return found;
}

/* The cycle's edges in the order in which they lead on. */
static void put_cycle(const zl_looped *l, const paths *p, uint32_t on, zlay_schedule_reason *why)
{
    uint32_t at = on;
    why->reason = ZLAY_SCHEDULE_CYCLE;
    do {
        why->edge[why->count++] = p->by[at];
        why->latency += l->edge[p->by[at]].latency;
        at = l->edge[p->by[at]].from;
    } while (at != on);
    for (uint32_t i = 0; i < why->count / 2; i++) {
        uint32_t swap = why->edge[i];
        why->edge[i] = why->edge[why->count - 1 - i];
        why->edge[why->count - 1 - i] = swap;
    }
}

typedef struct cycle_text {
    const zl_looped *l;
    const zlay_schedule_reason *why;
} cycle_text;

static void put_names(zl_text *out, const void *value)
{
    const cycle_text *t = value;
    for (uint32_t i = 0; i <= t->why->count; i++) {
        const zl_loop_edge *e = &t->l->edge[t->why->edge[i % t->why->count]];
        char name[256];
        const char *text = t->l->request->op[e->from].name;
        zl_puts(out, i ? " -> " : "");
        zl_puts(out, zl_quote(name, text, strlen(text)));
    }
}

static zlay_status say_cycle(const zl_looped *l, const zlay_schedule_reason *why)
{
    cycle_text t = {l, why};
    size_t length;
    char *names = zl_print_scratch(l->ctx, &length, put_names, &t);
    if (!names) return ZLAY_ENOMEM;
    return zl_fail(l->ctx, ZLAY_NONE,
                   "no schedule: edges of distance 0 make the cycle %s, of latency %lld", names,
                   (long long)why->latency);
}

static zlay_status bound_cycles(zl_looped *l, int64_t *out, zlay_schedule_reason *why)
{
    paths p = {zl_scratch(l->ctx, l->ops + 1, sizeof *p.length),
               zl_scratch(l->ctx, l->ops + 1, sizeof *p.by)};
    if (!p.length || !p.by || zl_charge(l->ctx, (uint64_t)l->ops * l->edges * 8))
        return ZLAY_ENOMEM;
    uint32_t on = positive_cycle(l, 0, &p);
    if (on < l->ops) {
        put_cycle(l, &p, on, why);
        return say_cycle(l, why);
    }
    int64_t low = 1, high = zl_max(1, l->reach);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (positive_cycle(l, middle, &p) < l->ops) low = middle + 1;
        else high = middle;
    }
    *out = low;
    return ZLAY_OK;
}

/* ---- units ------------------------------------------------------------------------ */

static zlay_status bound_units(zl_looped *l, int64_t *out, zlay_schedule_reason *why)
{
    const zlay_schedule_request *r = l->request;
    *out = 1;
    for (uint32_t u = 0; u < r->units; u++) {
        uint64_t sum = 0, count = r->unit[u].count;
        uint32_t user = r->ops;
        for (uint32_t i = 0; i < r->ops; i++) {
            if (r->op[i].unit != u) continue;
            sum += r->op[i].cycles;
            if (r->op[i].cycles && user == r->ops) user = i;
        }
        if (!sum) continue;
        if (!count) {
            char unit[256], op[256];
            why->reason = ZLAY_SCHEDULE_UNIT;
            why->unit = u;
            return zl_fail(l->ctx, ZLAY_NONE,
                           "no schedule: '%s' uses unit '%s', of which there are 0",
                           zl_quote(op, r->op[user].name, strlen(r->op[user].name)),
                           zl_quote(unit, r->unit[u].name, strlen(r->unit[u].name)));
        }
        *out = zl_max(*out, (int64_t)zl_ceil_div(sum * l->copies, count));
    }
    return ZLAY_OK;
}

zlay_status zl_loop_bounds(zl_looped *l, int64_t *by_units, int64_t *by_cycles,
                           zlay_schedule_reason *why)
{
    zlay_status status = bound_units(l, by_units, why);
    return status ? status : bound_cycles(l, by_cycles, why);
}
