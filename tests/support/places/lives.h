/* SPDX-License-Identifier: Apache-2.0 */
/* Lives of values: rounds of the loop are played one after the other, each use of each instance at its time. */
#ifndef TEST_PLACES_LIVES_H
#define TEST_PLACES_LIVES_H

#include "places/rows.h"

static bool looped(const brute *b, int o) { return o >= (int)b->r->loop_first && o < (int)(b->r->loop_first + b->r->loop_count); }

static bool replaces(const brute *b, uint32_t o, uint32_t i) { return form_rows[b->form[o]].in_place || form_rows[b->form[o]].sum == (int)i; }

/* The time of a step in a round. */
static int time_of(const brute *b, int round, int step)
{
    int first = 2 * (int)b->r->loop_first, length = 2 * (int)b->r->loop_count;
    if (!length || step < first) return step;
    return step < first + length ? step + round * length : step + (ROUNDS - 1) * length;
}

typedef struct played {
    int at[PLACES];
    bool alive[PLACES][STEPS * ROUNDS];
} played;

static void fill(played *g, int place, int from, int to)
{
    for (int t = from; t <= to; t++) g->alive[place][t] = true;
}

/* A use of an instance at a place; the first walk finds when copies get there, the second what lives until then. */
static void use(const brute *b, played *g, uint32_t v, int place, int begin, int end, int walk)
{
    const tree *t = &b->tree[v];
    if (walk == 0) {
        for (int p = place; p != t->home; p = t->source[p])
            if (g->at[p] < 0 || begin < g->at[p]) g->at[p] = begin;
    } else fill(g, place, g->at[place], end);
}

/* The time of a use by operation o of the instance of a round; -1: it is not used. */
static int use_time(const brute *b, int writer, int round, int o, int step)
{
    bool own = writer >= 0 && looped(b, writer);
    if (!own) return time_of(b, 0, step);
    if (looped(b, o)) {
        if (o <= writer) round++;
        return round < ROUNDS ? time_of(b, round, step) : -1;
    }
    return round == ROUNDS - 1 ? time_of(b, 0, step) : -1;
}

static void play(const brute *b, uint32_t v, int round, played *g)
{
    const tree *t = &b->tree[v];
    int writer = writer_of(b, v), end = 2 * (int)b->r->operations;
    memset(g, 0, sizeof *g);
    for (int p = 0; p < PLACES; p++) g->at[p] = -1;
    g->at[t->home] = writer < 0 ? 0 : looped(b, writer) ? time_of(b, round, 2 * writer + 1) : time_of(b, 0, 2 * writer + 1);
    for (int walk = 0; walk < 2; walk++) {
        for (uint32_t o = 0; o < b->r->operations; o++)
            for (uint32_t i = 0; i < b->r->operation[o].reads; i++) {
                if (b->r->operation[o].read[i] != v) continue;
                int begin = use_time(b, writer, round, (int)o, 2 * (int)o);
                if (begin >= 0) use(b, g, v, b->read[o][i], begin, begin + !replaces(b, o, i), walk);
            }
        int last = b->r->value[v].to ? use_time(b, writer, round, (int)b->r->operations, end) : -1;
        if (last >= 0) use(b, g, v, b->end[v], last, last, walk);
    }
    for (int p = 0; p < PLACES; p++) {
        if (t->source[p] < 0 || g->at[p] < 0) continue;
        fill(g, p, g->at[p], g->at[p]);
        if (p != t->home) fill(g, t->source[p], g->at[t->source[p]], g->at[p]);
    }
}

static int held(const brute *b, uint32_t v, int place)
{
    const tree *t = &b->tree[v];
    uint32_t depth = b->r->value[v].depth ? b->r->value[v].depth : 1;
    return t->home == place || t->source[place] == AT_G ? (int)depth : 1;
}

static bool read_before_loop(const brute *b, uint32_t v)
{
    for (uint32_t o = 0; o < b->r->operations && o < b->r->loop_first; o++)
        for (uint32_t i = 0; i < b->r->operation[o].reads; i++)
            if (b->r->operation[o].read[i] == v) return true;
    return false;
}

/* One tile, or fewer than rounds, or none that is made or brought in the loop: a tile is read in several rounds. */
static bool serves_rounds(const brute *b, uint32_t v)
{
    int made = writer_of(b, v);
    bool again = times_of(&b->r->value[v]) == 1 || (made >= 0 && !looped(b, made)) || (made < 0 && (b->r->value[v].from != ZLAY_PLACE_GLOBAL || read_before_loop(b, v)));
    for (int o = 0; o < (int)b->r->operations; o++) again = again || (looped(b, o) && runs_of(b, (uint32_t)o) > times_of(&b->r->value[v]));
    return again;
}

/* The steps in which a value is in each place: by its uses, and with what is kept through the loop. */
static void lives_of(const brute *b, uint32_t v, uint64_t *own, uint64_t *all)
{
    int writer = writer_of(b, v), rounds = writer >= 0 && looped(b, writer) ? ROUNDS : 1, first = 2 * (int)b->r->loop_first, length = 2 * (int)b->r->loop_count;
    bool in = rounds > 1;
    uint64_t whole = length ? ((1ull << length) - 1) << first : 0;
    memset(own, 0, PLACES * sizeof *own);
    for (int round = 0; round < rounds; round++) {
        static played g;
        play(b, v, round, &g);
        for (int p = 0; p < PLACES; p++)
            for (int step = 0; step <= 2 * (int)b->r->operations; step++)
                for (int k = 0; k < ROUNDS; k++)
                    if (g.alive[p][time_of(b, rounds > 1 ? k : 0, step)]) own[p] |= 1ull << step;
    }
    for (uint32_t o = 0; o < b->r->operations; o++)
        for (uint32_t i = 0; i < b->r->operation[o].reads; i++) in = in || (b->r->operation[o].read[i] == v && looped(b, (int)o));
    bool again = serves_rounds(b, v);
    for (int p = 0; p < PLACES; p++) {
        all[p] = own[p];
        bool passes = own[p] && b->r->value[v].from == ZLAY_PLACE_GLOBAL && read_before_loop(b, v);
        if (in && (own[p] & whole || passes) && (again || held(b, v, p) > 1)) all[p] |= whole;
    }
}

#endif
