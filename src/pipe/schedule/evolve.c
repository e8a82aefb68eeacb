/* SPDX-License-Identifier: Apache-2.0 */
/* An evolutionary search. An individual is an order of all operations; they are put down one after
 * the other, each at the first start that edges to those before it and its unit allow, so every
 * candidate is legal as far as it goes. Its fitness is how far that is. A child is its parent with
 * the operation that found no place moved forward, or with two operations exchanged. The seed is
 * fixed, so an input has one answer. */
#include "pipe/schedule/evolve.h"

#include <string.h>

enum { POPULATION = 8 };
#define NEVER ((int64_t)1 << 61)

typedef struct world {
    zl_looped *l;
    int64_t ii;
    int64_t stages; /* at most; 0: any number */
    zl_closure r;   /* edges, and where all begin and end: the last node */
    int64_t *low, *high, *start;
    bool *put;
    uint32_t *order; /* of the population, and of one child */
    uint32_t fitness[POPULATION], stuck[POPULATION];
    uint64_t seed;
} world;

static uint64_t drawn(world *w, uint64_t below)
{
    uint64_t z = w->seed += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (z ^ z >> 31) % below;
}

static uint32_t *order_of(world *w, uint32_t i)
{
    return w->order + (size_t)i * w->l->nodes;
}

/* ---- one order, put down ------------------------------------------------------------ */

/* What node y has in flight at a cycle. */
static uint64_t load(const world *w, uint32_t y, int64_t at)
{
    int64_t cycles = zl_loop_cycles(w->l, y);
    return (uint64_t)(cycles / w->ii) + (zl_floor_mod(at - w->start[y], w->ii) < cycles % w->ii);
}

static uint64_t loads(const world *w, uint32_t unit, int64_t at)
{
    uint64_t sum = 0;
    for (uint32_t y = 0; y < w->l->nodes; y++)
        if (w->put[y] && zl_loop_op(w->l, y)->unit == unit) sum += load(w, y, at);
    return sum;
}

/* 0 where x has a place at `at`; else how far the next start lies that may have one. */
static int64_t blocked(const world *w, uint32_t x, int64_t at)
{
    const zl_looped *l = w->l;
    const zlay_schedule_op *op = zl_loop_op(l, x);
    uint64_t count = l->request->unit[op->unit].count;
    int64_t cycles = zl_loop_cycles(l, x), arc = cycles % w->ii, next = w->ii;
    if (!cycles) return 0;
    uint64_t own = (uint64_t)(cycles / w->ii);
    if (loads(w, op->unit, at) + own + (arc > 0) > count) {
        for (uint32_t y = 0; y < l->nodes; y++) {
            int64_t left = zl_loop_cycles(l, y) % w->ii - zl_floor_mod(at - w->start[y], w->ii);
            if (w->put[y] && zl_loop_op(l, y)->unit == op->unit && left > 0)
                next = zl_min(next, left);
        }
        return next;
    }
    for (uint32_t y = 0; y < l->nodes; y++) {
        if (!w->put[y] || zl_loop_op(l, y)->unit != op->unit) continue;
        int64_t until = zl_floor_mod(w->start[y] - at, w->ii);
        uint64_t mine = own + (until < arc);
        if (loads(w, op->unit, w->start[y]) + mine > count) return until + 1;
    }
    return 0;
}

static bool place(world *w, uint32_t x)
{
    int64_t at = w->low[x] > -NEVER ? w->low[x] : w->high[x] < NEVER ? w->high[x] - w->ii + 1 : 0;
    int64_t last = zl_min(w->high[x], at + w->ii - 1);
    while (at <= last) {
        int64_t next = blocked(w, x, at);
        w->l->pairs += 4 * (uint64_t)w->l->nodes;
        if (!next) break;
        at += next;
    }
    if (at > last) return false;
    w->start[x] = at;
    w->put[x] = true;
    for (uint32_t y = 0; y < w->l->nodes; y++) {
        int64_t after = zl_related(&w->r, x, y), before = zl_related(&w->r, y, x);
        if (after != ZL_UNRELATED) w->low[y] = zl_max(w->low[y], at + after);
        if (before != ZL_UNRELATED) w->high[y] = zl_min(w->high[y], at - before);
    }
    return true;
}

/* How many are put down before one finds no place; one more than all where it is a schedule. */
static uint32_t put_down(world *w, const uint32_t *order, uint32_t *stuck)
{
    uint32_t n = w->l->nodes;
    int64_t least = NEVER;
    zlay_schedule_fault fault;
    for (uint32_t i = 0; i < n; i++) {
        w->low[i] = w->stages ? zl_related(&w->r, n, i) : -NEVER;
        w->high[i] = w->stages ? -zl_related(&w->r, i, n) : NEVER;
        w->put[i] = false;
    }
    for (*stuck = 0; *stuck < n; ++*stuck)
        if (!place(w, order[*stuck])) return *stuck;
    for (uint32_t i = 0; i < n && !w->stages; i++) least = zl_min(least, w->start[i]);
    for (uint32_t i = 0; i < n && !w->stages; i++) w->start[i] -= least;
    w->l->pairs += (uint64_t)n * n;
    *stuck = (uint32_t)drawn(w, n);
    return n + zl_loop_holds(w->l, w->ii, w->start, &fault);
}

/* ---- generations --------------------------------------------------------------------- */

static void swap(uint32_t *order, uint64_t a, uint64_t b)
{
    uint32_t keep = order[a];
    order[a] = order[b];
    order[b] = keep;
}

/* The parent's order, changed, in the last row. */
static uint32_t *child_of(world *w, uint32_t parent)
{
    uint32_t n = w->l->nodes, stuck = w->stuck[parent];
    uint32_t *child = order_of(w, POPULATION);
    memcpy(child, order_of(w, parent), n * sizeof *child);
    if (stuck && drawn(w, 4)) {
        uint32_t to = (uint32_t)drawn(w, stuck), moved = child[stuck];
        memmove(child + to + 1, child + to, (stuck - to) * sizeof *child);
        child[to] = moved;
    } else {
        swap(child, drawn(w, n), drawn(w, n));
    }
    return child;
}

/* The first individuals: operations by how late they may be, then ever more exchanged. */
static void begin(world *w)
{
    uint32_t n = w->l->nodes;
    for (uint32_t i = 0; i < n; i++) {
        w->low[i] = w->stages ? -zl_related(&w->r, i, n) : 0;
        for (uint32_t j = 0; j < n && !w->stages; j++)
            if (zl_related(&w->r, i, j) != ZL_UNRELATED)
                w->low[i] = zl_min(w->low[i], -zl_related(&w->r, i, j));
    }
    for (uint32_t p = 0; p < POPULATION; p++) {
        uint32_t *order = order_of(w, p);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = i;
            for (; at > 0 && w->low[order[at - 1]] > w->low[i]; at--) order[at] = order[at - 1];
            order[at] = i;
        }
        for (uint32_t i = 0; i < p * n / 4; i++) swap(order, drawn(w, n), drawn(w, n));
    }
}

static zl_outcome generations(world *w, uint64_t end)
{
    uint32_t n = w->l->nodes;
    uint64_t counted = w->l->pairs;
    begin(w);
    for (uint64_t turn = 0; w->l->pairs < end; turn++) {
        uint32_t worst = 0, a = (uint32_t)drawn(w, POPULATION), b = (uint32_t)drawn(w, POPULATION);
        uint32_t parent = w->fitness[a] >= w->fitness[b] ? a : b, stuck;
        for (uint32_t i = 1; i < POPULATION; i++)
            if (w->fitness[i] < w->fitness[worst]) worst = i;
        if (turn < POPULATION) worst = (uint32_t)turn;
        uint32_t *order = turn < POPULATION ? order_of(w, worst) : child_of(w, parent);
        uint32_t fitness = put_down(w, order, &stuck);
        if (zl_charge(w->l->ctx, w->l->pairs - counted)) return ZL_NO_MEMORY;
        counted = w->l->pairs;
        if (fitness > n) return ZL_FOUND;
        if (turn >= POPULATION && fitness < w->fitness[worst]) continue;
        memmove(order_of(w, worst), order, n * sizeof *order);
        w->fitness[worst] = fitness;
        w->stuck[worst] = stuck;
    }
    return ZL_QUOTA;
}

static bool related(world *w)
{
    const zl_looped *l = w->l;
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t i = 0; i < l->edges; i++)
            zl_closure_give(&w->r, c * l->ops + l->edge[i].from, c * l->ops + l->edge[i].to,
                            l->edge[i].latency - l->edge[i].distance * w->ii);
    for (uint32_t i = 0; i < l->nodes && w->stages; i++) {
        zl_closure_give(&w->r, l->nodes, i, 0);
        zl_closure_give(&w->r, i, l->nodes, 1 - w->stages * w->ii);
    }
    return zl_closure_close(&w->r);
}

zl_outcome zl_evolve(zl_looped *l, int64_t ii, int64_t stages, uint64_t quota, int64_t *start)
{
    uint64_t n = l->nodes;
    zl_mark mark = zl_scratch_mark(l->ctx);
    world w = {.l = l, .ii = ii, .stages = stages, .seed = 1};
    w.start = zl_scratch(l->ctx, n, sizeof *w.start);
    w.low = zl_scratch(l->ctx, n, sizeof *w.low);
    w.high = zl_scratch(l->ctx, n, sizeof *w.high);
    w.put = zl_scratch(l->ctx, n, sizeof *w.put);
    w.order = zl_scratch(l->ctx, n * (POPULATION + 1), sizeof *w.order);
    zl_outcome found = ZL_NO_MEMORY;
    if (w.start && w.low && w.high && w.put && w.order &&
        !zl_closure_new(&w.r, l->ctx, l->nodes + 1, 0) && !zl_charge(l->ctx, n * n * n / 16))
        found = related(&w) ? generations(&w, l->pairs + quota) : ZL_QUOTA;
    if (found == ZL_FOUND) memcpy(start, w.start, n * sizeof *start);
    zl_scratch_release(l->ctx, mark);
    return found;
}
