/* SPDX-License-Identifier: Apache-2.0 */
/* A cluster of a pipe's kernel, its PTX executed thread by thread in random turns, with mbarriers, copies
 * that land late or at random, groups, and meetings of warps, blocks and clusters. On ptx-machine.h, which
 * reads the text and computes. Written from PTX ISA 9.1. */
#ifndef TEST_PIPE_MACHINE_H
#define TEST_PIPE_MACHINE_H

#include "ptx-machine.h"
#include "random.h"

enum { PX_BARS = 256, PX_COPIES = 512, PX_NAMED = 16, PX_TURN = 200, PX_TURNS = 2000000 };
typedef enum px_end { PX_RAN, PX_STUCK, PX_OVERRUN } px_end;
typedef enum px_stands { PX_RUNS, PX_TRIES, PX_AT_NAMED, PX_AT_CLUSTER, PX_AT_WARP, PX_GONE } px_stands;
enum { PX_LOAD, PX_HOP, PX_STORE, PX_ADD, PX_CPASYNC };

typedef struct px_bar {
    uint32_t rank;
    uint64_t at, phase;
    int64_t count, pending, bytes;
} px_bar;

typedef struct px_copy {
    int kind;
    uint32_t thread, mask, group;
    uint64_t to, from, bytes, bar;
} px_copy;

typedef struct px_thread {
    px_stands stands;
    uint64_t seen;     /* changes when it last tried in vain */
    uint32_t named, bulk, cpasync; /* the barrier where it stands, groups committed */
    bool arrived;      /* at the cluster's barrier */
    uint64_t meeting;  /* of the cluster that it waits for */
} px_thread;

typedef struct px_machine {
    pm_machine *m;
    px_bar bar[PX_BARS];
    px_copy copy[PX_COPIES];
    px_thread thread[PM_THREADS];
    uint32_t named[PM_BLOCKS][PX_NAMED];
    uint32_t bars, copies;
    uint64_t seed, changes, meetings;
    bool late, overrun; /* late: copies land when nothing else can go on */
} px_machine;

static inline uint32_t px_below(px_machine *x, uint32_t end)
{
    return (uint32_t)test_range(&x->seed, 0, end - 1);
}

/* ---- barriers --------------------------------------------------------------------- */

static inline px_bar *px_bar_at(px_machine *x, uint32_t rank, uint64_t at)
{
    if (at >> PM_RANK) rank = (uint32_t)(at >> PM_RANK) - 1;
    at &= (1u << PM_RANK) - 1;
    for (uint32_t i = 0; i < x->bars; i++)
        if (x->bar[i].rank == rank && x->bar[i].at == at) return &x->bar[i];
    assert_true(x->bars < PX_BARS);
    x->bar[x->bars] = (px_bar){.rank = rank, .at = at};
    return &x->bar[x->bars++];
}

static inline void px_settle(px_machine *x, px_bar *bar)
{
    if (bar->pending < 0) x->overrun = true;
    if (bar->pending || bar->bytes) return;
    bar->pending = bar->count;
    bar->phase++;
    x->changes++;
}

static inline void px_arrive(px_machine *x, px_bar *bar, int64_t times)
{
    bar->pending -= times;
    px_settle(x, bar);
}

static inline void px_bytes(px_machine *x, px_bar *bar, int64_t bytes)
{
    bar->bytes += bytes;
    if (!bytes || bytes < 0) px_settle(x, bar);
}

/* ---- copies ------------------------------------------------------------------------ */

static inline void px_load(px_machine *x, const px_copy *c, pm_thread *t)
{
    const uint8_t *from = c->kind == PX_HOP ? pm_shared(x->m, t, c->from, c->bytes, 16)
                                            : pm_global(x->m, c->from, c->bytes, 16);
    for (uint32_t rank = 0; rank < x->m->blocks; rank++) {
        if (c->mask && !(c->mask >> rank & 1)) continue;
        uint64_t to = c->mask ? (uint64_t)(rank + 1) << PM_RANK | c->to : c->to;
        uint64_t bar = c->mask ? (uint64_t)(rank + 1) << PM_RANK | c->bar : c->bar;
        memcpy(pm_shared(x->m, t, to, c->bytes, 16), from, c->bytes);
        px_bytes(x, px_bar_at(x, t->rank, bar), -(int64_t)c->bytes);
        if (!c->mask) break;
    }
}

static inline void px_store(px_machine *x, const px_copy *c, pm_thread *t)
{
    uint8_t *to = pm_global(x->m, c->to, c->bytes, 16), *from = pm_shared(x->m, t, c->from, c->bytes, 16);
    for (uint64_t i = 0; i < c->bytes; i += 4) {
        uint32_t a, b;
        memcpy(&a, to + i, 4);
        memcpy(&b, from + i, 4);
        if (c->kind == PX_ADD) b += a;
        memcpy(to + i, &b, 4);
    }
}

static inline void px_land(px_machine *x, uint32_t i)
{
    px_copy c = x->copy[i];
    pm_thread *t = &x->m->thread[c.thread];
    x->copy[i] = x->copy[--x->copies];
    x->changes++;
    if (c.kind == PX_LOAD || c.kind == PX_HOP) px_load(x, &c, t);
    else if (c.kind == PX_CPASYNC)
        memcpy(pm_shared(x->m, t, c.to, c.bytes, c.bytes), pm_global(x->m, c.from, c.bytes, c.bytes), c.bytes);
    else px_store(x, &c, t);
}

static inline void px_send(px_machine *x, px_copy c)
{
    if (x->copies == PX_COPIES) px_land(x, 0);
    x->copy[x->copies++] = c;
}

/* What a thread waits for in groups is over: all but the last `open` groups of a kind. */
static inline void px_groups(px_machine *x, uint32_t thread, bool bulk, uint64_t open)
{
    uint32_t committed = bulk ? x->thread[thread].bulk : x->thread[thread].cpasync;
    for (uint32_t i = 0; i < x->copies;) {
        const px_copy *c = &x->copy[i];
        bool own = c->thread == thread && (bulk ? c->kind == PX_STORE || c->kind == PX_ADD : c->kind == PX_CPASYNC);
        if (own && c->group + open < committed) px_land(x, i);
        else i++;
    }
}

static inline bool px_copies(px_machine *x, pm_thread *t, uint32_t thread, const pm_line *l)
{
    uint64_t a = pm_get(t, &l->operand[0]), b = pm_get(t, &l->operand[1]);
    uint64_t c = pm_get(t, &l->operand[2]), d = pm_get(t, &l->operand[3]), e = pm_get(t, &l->operand[4]);
    px_thread *p = &x->thread[thread];
    if (pm_has(l, "bulk.commit_group")) p->bulk++;
    else if (pm_is(l, "cp.async.commit_group")) p->cpasync++;
    else if (pm_has(l, "wait_group")) px_groups(x, thread, pm_has(l, "bulk"), a);
    else if (pm_is(l, "cp.async.bulk.shared::cluster.shared"))
        px_send(x, (px_copy){PX_HOP, thread, 0, 0, a, b, c, d});
    else if (pm_is(l, "cp.async.bulk.shared"))
        px_send(x, (px_copy){PX_LOAD, thread, pm_has(l, "multicast") ? (uint32_t)e : 0, 0, a, b, c, d});
    else if (pm_is(l, "cp.async.bulk.global")) px_send(x, (px_copy){PX_STORE, thread, 0, p->bulk, a, b, c, 0});
    else if (pm_is(l, "cp.reduce.async.bulk")) px_send(x, (px_copy){PX_ADD, thread, 0, p->bulk, a, b, c, 0});
    else if (pm_is(l, "cp.async.c")) px_send(x, (px_copy){PX_CPASYNC, thread, 0, p->cpasync, a, b, c, 0});
    else return false;
    return true;
}

/* ---- meetings ------------------------------------------------------------------------ */

static inline uint32_t px_standing(const px_machine *x, uint32_t first, uint32_t end, px_stands stands)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++) count += x->thread[i].stands == stands;
    return count;
}

static inline void px_named(px_machine *x, uint32_t thread, const pm_line *l, bool waits)
{
    pm_thread *t = &x->m->thread[thread];
    uint32_t each = x->m->threads / x->m->blocks, first = t->rank * each;
    uint32_t number = (uint32_t)pm_get(t, &l->operand[0]);
    uint32_t wanted = l->count > 1 ? (uint32_t)pm_get(t, &l->operand[1]) : each;
    assert_true(number < PX_NAMED);
    uint32_t *count = &x->named[t->rank][number];
    if (waits) x->thread[thread].stands = PX_AT_NAMED;
    x->thread[thread].named = number;
    if (++*count < wanted) return;
    *count = 0;
    x->changes++;
    for (uint32_t i = first; i < first + each; i++)
        if (x->thread[i].stands == PX_AT_NAMED && x->thread[i].named == number) x->thread[i].stands = PX_RUNS;
}

/* Threads that are gone have arrived. */
static inline void px_cluster(px_machine *x)
{
    for (uint32_t i = 0; i < x->m->threads; i++)
        if (!x->thread[i].arrived && x->thread[i].stands != PX_GONE) return;
    x->meetings++;
    x->changes++;
    for (uint32_t i = 0; i < x->m->threads; i++) {
        x->thread[i].arrived = false;
        if (x->thread[i].stands == PX_AT_CLUSTER && x->thread[i].meeting < x->meetings) x->thread[i].stands = PX_RUNS;
    }
}

static inline void px_cluster_line(px_machine *x, uint32_t thread, const pm_line *l)
{
    px_thread *p = &x->thread[thread];
    if (pm_has(l, "arrive")) {
        assert_false(p->arrived);
        p->arrived = true;
        p->meeting = x->meetings;
        px_cluster(x);
    } else if (p->meeting == x->meetings) {
        p->stands = PX_AT_CLUSTER;
    }
}

/* The line where a warp stands, if all of it does: lanes that are gone take no part. */
static inline const pm_line *px_warp_line(px_machine *x, uint32_t first)
{
    int line = -1;
    for (uint32_t i = first; i < first + PM_WARP; i++) {
        if (x->thread[i].stands == PX_GONE) continue;
        if (x->thread[i].stands != PX_AT_WARP) return NULL;
        if (line >= 0) assert_int_equal(x->m->thread[i].line, line);
        line = x->m->thread[i].line;
    }
    return line < 0 ? NULL : &x->m->line[line];
}

static inline void px_warp(px_machine *x, uint32_t thread)
{
    uint32_t first = thread / PM_WARP * PM_WARP, leader = PM_WARP, gone = 0;
    const pm_line *l = px_warp_line(x, first);
    for (uint32_t i = 0; l && i < PM_WARP; i++) {
        pm_thread *t = &x->m->thread[first + i];
        gone += x->thread[first + i].stands == PX_GONE;
        if (x->thread[first + i].stands == PX_GONE) continue;
        if (leader == PM_WARP) leader = i;
        if (pm_is(l, "elect")) t->value[l->operand[1].name] = i == leader;
        t->line++;
        x->thread[first + i].stands = PX_RUNS;
    }
    if (!l || (!pm_is(l, "ldmatrix") && !pm_is(l, "stmatrix"))) return;
    assert_int_equal(gone, 0);
    pm_matrix(x->m, &x->m->thread[first], l);
}

/* ---- threads --------------------------------------------------------------------------- */

static inline bool px_barriers(px_machine *x, pm_thread *t, uint32_t thread, const pm_line *l)
{
    uint64_t a = pm_get(t, &l->operand[0]), b = pm_get(t, &l->operand[1]);
    if (!pm_is(l, "mbarrier.")) return false;
    if (pm_is(l, "mbarrier.try_wait")) {
        bool over = (px_bar_at(x, t->rank, b)->phase & 1) != pm_get(t, &l->operand[2]);
        t->value[l->operand[0].name] = over;
        if (!over) {
            x->thread[thread].stands = PX_TRIES;
            x->thread[thread].seen = x->changes;
        }
        return true;
    }
    if (pm_is(l, "mbarrier.arrive")) {
        px_arrive(x, px_bar_at(x, t->rank, b), l->count > 2 ? (int64_t)pm_get(t, &l->operand[2]) : 1);
        return true;
    }
    px_bar *bar = px_bar_at(x, t->rank, a);
    if (pm_is(l, "mbarrier.init")) *bar = (px_bar){bar->rank, bar->at, 0, (int64_t)b, (int64_t)b, 0};
    else if (pm_is(l, "mbarrier.expect_tx")) px_bytes(x, bar, (int64_t)b);
    else fail_msg("the machine knows no \"%s\"", l->op);
    return true;
}

static inline bool px_other(px_machine *x, pm_thread *t, const pm_line *l)
{
    if (pm_is(l, "fence.") || pm_is(l, "setmaxnreg") || pm_is(l, "griddepcontrol") || pm_is(l, "{") || pm_is(l, "}"))
        return true;
    if (pm_is(l, "mapa.")) {
        t->value[l->operand[0].name] = (pm_get(t, &l->operand[2]) + 1) << PM_RANK |
                                       (pm_get(t, &l->operand[1]) & ((1u << PM_RANK) - 1));
        return true;
    }
    if (!pm_is(l, "red.")) return false;
    uint32_t sum, *at = (uint32_t *)(void *)pm_global(x->m, pm_get(t, &l->operand[0]), 4, 4);
    sum = *at + (uint32_t)pm_get(t, &l->operand[1]);
    *at = sum;
    return true;
}

static inline void px_line(px_machine *x, uint32_t thread, const pm_line *l)
{
    pm_thread *t = &x->m->thread[thread];
    t->line++;
    if (pm_is(l, "bra")) t->line = l->target;
    else if (pm_is(l, "setp.")) pm_setp(t, l);
    else if (pm_is(l, "bar.sync") || pm_is(l, "barrier.sync")) px_named(x, thread, l, true);
    else if (pm_is(l, "bar.arrive") || pm_is(l, "barrier.arrive")) px_named(x, thread, l, false);
    else if (pm_is(l, "barrier.cluster")) px_cluster_line(x, thread, l);
    else if (!px_barriers(x, t, thread, l) && !px_copies(x, t, thread, l) && !px_other(x, t, l) &&
             !pm_compute(t, l) && !pm_access(x->m, t, l))
        fail_msg("the machine knows no \"%s\"", l->op);
}

static inline void px_turn(px_machine *x, uint32_t thread)
{
    pm_thread *t = &x->m->thread[thread];
    px_thread *p = &x->thread[thread];
    uint64_t steps = 1 + px_below(x, PX_TURN);
    for (p->stands = PX_RUNS; p->stands == PX_RUNS && steps--;) {
        const pm_line *l = &x->m->line[t->line];
        assert_true(t->line < x->m->lines_count);
        bool skips = l->label >= 0 || (l->guard >= 0 && !t->value[l->guard] != !!l->negated);
        if (skips) {
            t->line++;
        } else if (pm_is(l, "ret")) {
            p->stands = PX_GONE;
            px_cluster(x);
            px_warp(x, thread);
        } else if (pm_is(l, "elect") || pm_is(l, "bar.warp") || pm_is(l, "ldmatrix") || pm_is(l, "stmatrix")) {
            p->stands = PX_AT_WARP;
            px_warp(x, thread);
        } else {
            px_line(x, thread, l);
        }
    }
}

static inline bool px_able(const px_machine *x, uint32_t thread)
{
    const px_thread *p = &x->thread[thread];
    return p->stands == PX_RUNS || (p->stands == PX_TRIES && p->seen != x->changes);
}

/* Any thread that can go on, from a random one; PM_THREADS: none can. */
static inline uint32_t px_next(px_machine *x)
{
    uint32_t from = px_below(x, x->m->threads);
    for (uint32_t i = 0; i < x->m->threads; i++)
        if (px_able(x, (from + i) % x->m->threads)) return (from + i) % x->m->threads;
    return PM_THREADS;
}

static inline px_end px_run(px_machine *x)
{
    for (uint32_t turns = 0; turns < PX_TURNS; turns++) {
        uint32_t next = px_next(x);
        if (x->overrun) return PX_OVERRUN;
        if (next < PM_THREADS) px_turn(x, next);
        bool lands = x->copies && (next == PM_THREADS || (!x->late && !px_below(x, 8)));
        if (lands) px_land(x, px_below(x, x->copies));
        else if (next == PM_THREADS) break;
    }
    return px_standing(x, 0, x->m->threads, PX_GONE) == x->m->threads ? PX_RAN : PX_STUCK;
}

#endif
