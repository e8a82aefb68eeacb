/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of swizzles: accesses that are drawn as subspaces, counted lane by lane, and
 * the cheapest of all invertible maps. */
#ifndef TEST_SWIZZLE_H
#define TEST_SWIZZLE_H

#include "synth/swizzle/swizzle.h"
#include "test.h"

#include <string.h>
#include <zlay/zlay.h>

enum { WORLD_BITS = 5, WORLD_LANES = 64, NO_COST = 1 << 30 };

static inline uint64_t at_basis(const uint64_t *basis, uint64_t index)
{
    uint64_t offset = 0;
    for (unsigned b = 0; index >> b; b++)
        if (index >> b & 1) offset ^= basis[b];
    return offset;
}

/* A lane's vector lies at consecutive elements from a multiple of its size, at every start. */
static inline bool lies_right(const zl_bank_ask *a, const uint64_t *basis)
{
    for (uint64_t s = 0; s < UINT64_C(1) << a->starts; s++) {
        uint64_t start = at_basis(a->start, s), first = at_basis(basis, start);
        if (first % (1u << a->vector)) return false;
        for (uint64_t e = 0; e < UINT64_C(1) << a->vector; e++)
            if (at_basis(basis, start ^ at_basis(a->unit, e)) != first + e) return false;
    }
    return true;
}

/* Keys that the lanes of a phase ask of one bank, at most: bytes in words, words in banks. */
static inline uint32_t lanes_of_bank(const zl_bank_ask *a, const uint64_t *basis, int32_t word)
{
    uint64_t keys[WORLD_LANES][WORLD_LANES];
    uint32_t held[WORLD_LANES] = {0}, most = 0, units = 1u << a->vector;
    uint64_t words = word < 0 ? UINT64_C(1) << -word : 1, inside = word > 0 ? UINT64_C(1) << word : 1;
    uint64_t wide = units * words > inside ? units * words / inside : 1; /* words of a key */
    for (uint64_t l = 0; l < UINT64_C(1) << a->together; l++) {
        uint64_t first = at_basis(basis, at_basis(a->phase, l));
        uint64_t key = first * words / inside / wide, ways = (UINT64_C(1) << a->banks) / wide;
        uint32_t way = (uint32_t)(key % ways), i = a->apart ? held[way] : 0;
        while (i < held[way] && keys[way][i] != key) i++;
        keys[way][i] = key;
        if (i == held[way]) held[way]++;
        if (held[way] > most) most = held[way];
    }
    return most;
}

/* Counted to the end only while it is below `least`: what is not comes back as at least that. */
static inline uint32_t cost_below(const zl_swizzle_problem *p, const uint64_t *basis, uint32_t least)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < p->count && sum < least; i++) {
        if (!lies_right(&p->ask[i], basis)) return NO_COST;
        sum += (p->ask[i].phases << p->ask[i].repeats) * lanes_of_bank(&p->ask[i], basis, p->word);
    }
    return sum;
}

static inline uint32_t cost_counted(const zl_swizzle_problem *p, const uint64_t *basis) { return cost_below(p, basis, NO_COST); }

static inline unsigned rank_counted(const uint64_t *vector, unsigned count)
{
    uint64_t v[64];
    memcpy(v, vector, count * sizeof *v);
    return zl_rank_of(v, count);
}

/* All invertible maps of n bits; `basis` begins as the identity.  False past the last. */
static inline bool map_next(uint64_t *basis, unsigned n)
{
    do {
        unsigned i = 0;
        while (i < n && ++basis[i] == UINT64_C(1) << n) basis[i++] = 0;
        if (i == n) return false;
    } while (rank_counted(basis, n) < n);
    return true;
}

/* An access of a tile of n bits: a vector, lanes that span a phase beside it, more starts. */
static inline zl_bank_ask ask_drawn(uint64_t *state, unsigned n, int32_t word, unsigned banks,
                                    const uint64_t *unit, unsigned vector)
{
    zl_bank_ask a = {.vector = vector, .banks = banks, .phases = (uint32_t)test_range(state, 1, 4),
                     .apart = test_range(state, 0, 7) == 0};
    unsigned low = word > (int)vector ? (unsigned)word : vector, top = (unsigned)(word + (int)banks);
    memcpy(a.unit, unit, vector * sizeof *unit);
    a.together = (uint32_t)test_range(state, 0, top - low);
    for (unsigned i = 0; i < a.together; i++)
        a.start[a.starts++] = a.phase[i] = test_random(state) % (UINT64_C(1) << n);
    for (unsigned i = (unsigned)test_range(state, 0, 2); i-- > 0;)
        a.start[a.starts++] = test_random(state) % (UINT64_C(1) << n);
    a.repeats = (uint32_t)test_range(state, 0, 1);
    return a;
}

static inline zl_swizzle_problem problem_drawn(uint64_t *state, unsigned n, zl_bank_ask *ask)
{
    int32_t word = (int32_t)test_range(state, -1, 2);
    unsigned banks = (unsigned)test_range(state, 1, 3), top = (unsigned)(word + (int)banks), most = top < 2 ? top : 2;
    unsigned vector = (unsigned)test_range(state, 0, most);
    bool plain = test_range(state, 0, 1), same = test_range(state, 0, 1);
    uint64_t unit[4];
    zl_swizzle_problem p = {.bits = n, .word = word, .ask = ask, .count = (uint32_t)test_range(state, 1, 4), .steps = 1 << 20};
    for (unsigned i = 0; i < 4; i++) unit[i] = (plain ? UINT64_C(1) << i : test_random(state)) % (UINT64_C(1) << n);
    for (uint32_t i = 0; i < p.count; i++)
        ask[i] = ask_drawn(state, n, word, banks, unit, same ? vector : (unsigned)test_range(state, 0, most));
    return p;
}

/* The synthesiser and the decision against the least of all maps. */
static inline void agrees(const zl_swizzle_problem *p, uint32_t least, uint64_t *tally)
{
    zl_swizzle_found f;
    uint64_t bound = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const zl_bank_ask *a = &p->ask[i];
        unsigned shared = a->apart ? a->together - rank_counted(a->phase, a->together) : 0;
        bound += (uint64_t)a->phases << a->repeats << shared;
    }
    assert_int_equal(zl_swizzle_decide(p), least <= bound ? ZLAY_YES : ZLAY_NO);
    zlay_status status = zl_swizzle_find(&f, p);
    assert_int_equal(status, least == NO_COST ? ZLAY_NONE : ZLAY_OK);
    if (status) {
        tally[0]++;
        return;
    }
    assert_int_equal(rank_counted(f.basis, p->bits), p->bits);
    assert_int_equal(f.sum, cost_counted(p, f.basis));
    assert_true(least >= bound && f.sum >= least);
    if (f.proved) assert_int_equal(f.sum, least);
    if (f.proved == ZL_PROVED_LEAST) assert_int_equal(f.sum, bound);
    tally[f.proved == ZL_PROVED_LEAST ? 1 : f.proved == ZL_PROVED_F2 ? 2 : 3]++;
}

#endif
