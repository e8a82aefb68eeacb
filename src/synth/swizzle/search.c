/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the K that has least in common with many subspaces: branch and bound over all candidates
 * for K, each visited once by its reduced basis.
 *
 * Only the span E of the subspaces matters: vectors outside E join K without any conflict.  A space
 * of more than SMALL bits is first cut down by random vectors that lie in few or none of the
 * subspaces; the rest is searched completely, as far as the steps go. */
#include "algebra/f2/f2.h"
#include "base/arith.h"
#include "synth/swizzle/swizzle.h"

#include <string.h>

enum { SMALL = 10, WORDS = 1 << (SMALL - 6), TRIES = 16, DRAWS = 256 };

typedef struct space {
    const zl_avoid *avoid;
    uint32_t count, depth, found, dims; /* found: vectors of K outside E; dims: of E */
    uint32_t room;                      /* bits of an index without its inner bits */
    uint64_t span[ZL_TILE_BITS];        /* the basis of E */
    uint64_t at[ZL_ASKS_MOST][ZL_LANE_BITS]; /* the subspaces, in coordinates of E */
    uint64_t target, best;
    uint64_t k[ZL_TILE_BITS]; /* the best K so far, in coordinates, without the first `found` */
    uint64_t *steps;
} space;

/* The quotient of E by the vectors that were taken into K before the search. */
typedef struct cut {
    uint32_t taken, dims;
    uint64_t k[ZL_TILE_BITS]; /* the vectors that were taken, in coordinates of E */
    zl_echelon by;
    uint32_t excess[ZL_ASKS_MOST];
} cut;

/* Reads E and the subspaces in its coordinates, and puts vectors outside E into K first. */
static void space_read(space *s, uint64_t *k, const zl_inner_frame *f)
{
    zl_echelon all;
    all.pivots = 0;
    for (uint32_t a = 0; a < s->count; a++)
        for (uint32_t i = 0; i < s->avoid[a].count; i++)
            if (zl_echelon_put(&all, s->avoid[a].vector[i], s->dims))
                s->span[s->dims++] = s->avoid[a].vector[i];
    for (uint32_t a = 0; a < s->count; a++)
        for (uint32_t i = 0; i < s->avoid[a].count; i++)
            zl_echelon_reduce(&all, s->avoid[a].vector[i], &s->at[a][i]);
    for (uint32_t b = f->bits; b-- > 0 && s->found < s->depth;) {
        uint64_t index = zl_frame_project(f, UINT64_C(1) << b);
        if (zl_echelon_put(&all, index, 0)) k[s->found++] = index;
    }
}

/* The dimension that a subspace must have in common with K, by their sizes alone. */
static uint32_t forced(const space *s, uint32_t a)
{
    uint32_t free = s->room - s->avoid[a].depth;
    return s->avoid[a].count > free ? s->avoid[a].count - free : 0;
}

static uint64_t cost_of(const space *s, const uint32_t *excess)
{
    uint64_t cost = 0;
    for (uint32_t a = 0; a < s->count; a++) {
        uint32_t least = forced(s, a);
        cost += s->avoid[a].weight << (excess[a] > least ? excess[a] : least);
    }
    return cost;
}

/* ---- the part that is searched completely ---------------------------------------- */

typedef struct state {
    uint64_t has[ZL_ASKS_MOST][WORDS]; /* a bit set: the span of a subspace and of K so far */
    uint32_t excess[ZL_ASKS_MOST];
    uint32_t pivots, next; /* top bits of K's vectors; the next candidate */
} state;

/* Joins a set with its translate by a vector. */
static void has_add(uint64_t *to, const uint64_t *from, uint32_t vector)
{
    uint64_t moved[WORDS];
    for (uint32_t w = 0; w < WORDS; w++)
        moved[w] = from[w] | zl_set_moved(from[w ^ vector >> 6], vector & 63);
    memcpy(to, moved, sizeof moved);
}

static bool has(const uint64_t *set, uint32_t vector)
{
    return set[vector >> 6] >> (vector & 63) & 1;
}

/* The first candidate after a vector of K.  The top bits of a reduced basis grow; but where K gets
 * longer than the depth of some access, they may begin anew. */
static uint32_t first_after(const space *s, uint32_t index, uint32_t vector)
{
    for (uint32_t a = 0; a < s->count; a++)
        if (s->avoid[a].depth == index) return 1;
    return 2u << zl_log2(vector);
}

static void state_next(const space *s, state *to, const state *from, uint32_t index,
                       uint32_t vector)
{
    for (uint32_t a = 0; a < s->count; a++) {
        to->excess[a] = from->excess[a];
        if (index < s->avoid[a].depth) {
            to->excess[a] += has(from->has[a], vector);
            has_add(to->has[a], from->has[a], vector);
        } else memcpy(to->has[a], from->has[a], sizeof to->has[a]);
    }
    to->pivots = from->pivots | 1u << zl_log2(vector);
    to->next = first_after(s, index + 1, vector);
}

/* The cost after one more vector. */
static uint64_t cost_next(const space *s, const state *from, uint32_t index, uint32_t vector)
{
    uint32_t excess[ZL_ASKS_MOST];
    for (uint32_t a = 0; a < s->count; a++)
        excess[a] =
            from->excess[a] + (index < s->avoid[a].depth && has(from->has[a], vector));
    return cost_of(s, excess);
}

/* The next vector of a reduced basis whose cost is below the best; 0: none. */
static uint32_t vector_next(space *s, state *at, uint32_t index, uint32_t end, uint64_t *cost)
{
    while (at->next < end && *s->steps) {
        uint32_t vector = at->next++;
        --*s->steps;
        if (vector & at->pivots) continue;
        *cost = cost_next(s, at, index, vector);
        if (*cost < s->best) return vector;
    }
    return 0;
}

/* From coordinates of the quotient to those of E, and back. */
static uint64_t widened(uint32_t vector, uint64_t pivots, uint32_t dims)
{
    uint64_t value = 0;
    for (uint32_t b = 0, i = 0; b < dims; b++)
        if (!(pivots >> b & 1)) value |= (uint64_t)(vector >> i++ & 1) << b;
    return value;
}

static uint32_t narrowed(uint64_t value, uint64_t pivots, uint32_t dims)
{
    uint32_t vector = 0;
    for (uint32_t b = 0, i = 0; b < dims; b++)
        if (!(pivots >> b & 1)) vector |= (uint32_t)(value >> b & 1) << i++;
    return vector;
}

static void best_keep(space *s, const cut *c, const uint32_t *vector, uint32_t more)
{
    memcpy(s->k, c->k, c->taken * sizeof *c->k);
    for (uint32_t i = 0; i < more; i++)
        s->k[c->taken + i] = widened(vector[i], c->by.pivots, s->dims);
}

static void state_first(const space *s, state *to, const cut *c)
{
    memset(to, 0, sizeof *to);
    memcpy(to->excess, c->excess, sizeof to->excess);
    to->next = 1;
    for (uint32_t a = 0; a < s->count; a++) {
        to->has[a][0] = 1;
        for (uint32_t i = 0; i < s->avoid[a].count; i++) {
            uint64_t from, rest = zl_echelon_reduce(&c->by, s->at[a][i], &from);
            has_add(to->has[a], to->has[a], narrowed(rest, c->by.pivots, s->dims));
        }
    }
}

/* Searches the quotient; true: every candidate was visited, or the target is met. */
static bool search_whole(space *s, const cut *c)
{
    state at[SMALL + 1];
    uint32_t vector[SMALL + 1], first = s->found + c->taken, more = s->depth - first, i = 0;
    uint64_t cost = 0;
    state_first(s, &at[0], c);
    for (;;) {
        vector[i] = vector_next(s, &at[i], first + i, 1u << c->dims, &cost);
        if (!vector[i]) {
            if (i-- == 0) return *s->steps;
            continue;
        }
        if (i + 1 < more) {
            zl_steps_take(s->steps, s->count);
            state_next(s, &at[i + 1], &at[i], first + i, vector[i]);
            i++;
            continue;
        }
        s->best = cost;
        best_keep(s, c, vector, more);
        if (cost == s->target) return true;
    }
}

/* ---- vectors that are taken before the search ------------------------------------ */

static uint64_t draw(uint64_t *seed, uint32_t dims)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 11 & zl_ones(dims);
}

/* The set of subspaces that contain a vector, each enlarged by the vectors taken. */
static uint32_t meets(const space *s, const zl_echelon *with, uint32_t index, uint64_t vector)
{
    uint32_t set = 0;
    uint64_t from;
    for (uint32_t a = 0; a < s->count; a++)
        if (index < s->avoid[a].depth && !zl_echelon_reduce(&with[a], vector, &from))
            set |= 1u << a;
    return set;
}

/* Takes the drawn vector that lies in the fewest subspaces. */
static void take_one(const space *s, cut *c, zl_echelon *with, uint64_t *seed)
{
    uint64_t best = 0, from;
    uint32_t least = UINT32_MAX, index = s->found + c->taken;
    for (uint32_t n = 0; n < DRAWS && least; n++) {
        uint64_t vector = draw(seed, s->dims);
        if (!zl_echelon_reduce(&c->by, vector, &from)) continue;
        uint32_t set = meets(s, with, index, vector);
        if (best && __builtin_popcount(set) >= __builtin_popcount(least)) continue;
        best = vector;
        least = set;
    }
    for (uint32_t b = 0; !best; b++)
        if (zl_echelon_reduce(&c->by, UINT64_C(1) << b, &from)) best = UINT64_C(1) << b;
    least = meets(s, with, index, best);
    for (uint32_t a = 0; a < s->count; a++) {
        if (index >= s->avoid[a].depth) continue;
        c->excess[a] += least >> a & 1;
        zl_echelon_put(&with[a], best, 0);
    }
    zl_echelon_put(&c->by, best, 0);
    c->k[c->taken++] = best;
}

static void cut_down(const space *s, cut *c, uint64_t *seed)
{
    zl_echelon with[ZL_ASKS_MOST];
    memset(c, 0, sizeof *c);
    for (uint32_t a = 0; a < s->count; a++) {
        with[a].pivots = 0;
        for (uint32_t i = 0; i < s->avoid[a].count; i++) zl_echelon_put(&with[a], s->at[a][i], 0);
    }
    while (s->dims - c->taken > SMALL && s->found + c->taken < s->depth)
        take_one(s, c, with, seed);
    c->dims = s->dims - c->taken;
}

/* Keeps a K whose vectors were all taken before the search, if it is the best. */
static void best_taken(space *s, const cut *c)
{
    uint64_t cost = cost_of(s, c->excess);
    if (cost >= s->best) return;
    s->best = cost;
    best_keep(s, c, NULL, 0);
}

bool zl_complement_search(uint64_t *k, uint32_t depth, const zl_inner_frame *f,
                          const zl_avoid *avoid, uint32_t count, uint64_t *steps)
{
    static const uint32_t none[ZL_ASKS_MOST];
    space s = {.avoid = avoid, .count = count, .depth = depth, .room = f->bits - f->inner,
               .best = UINT64_MAX, .steps = steps};
    uint64_t seed = 20240607;
    bool whole = false;
    space_read(&s, k, f);
    if (s.found == depth) return true;
    s.target = cost_of(&s, none);
    for (uint32_t n = 0; n < TRIES && s.best != s.target && !whole; n++) {
        cut c;
        cut_down(&s, &c, &seed);
        if (s.found + c.taken == depth) best_taken(&s, &c);
        else whole = search_whole(&s, &c) && !c.taken;
    }
    if (s.best == UINT64_MAX) {
        zl_complement_pair(k, depth, f, avoid, 2);
        return false;
    }
    for (uint32_t i = s.found; i < depth; i++) {
        k[i] = 0;
        for (uint64_t left = s.k[i - s.found]; left; left &= left - 1)
            k[i] ^= s.span[__builtin_ctzll(left)];
    }
    return whole || s.best == s.target;
}
