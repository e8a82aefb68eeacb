/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a strided layout as one sum, least + sum of step * x over a box, its equation, and
 * the same under swizzles. Every answer is exact, or says that the budget of points is spent. */
#ifndef ZL_ALGEBRA_SUM_H
#define ZL_ALGEBRA_SUM_H

#include "algebra/layout/layout.h"

/* ---- sums ------------------------------------------------------------------------------ */

typedef struct zl_term {
    uint64_t step, most; /* 0 <= x <= most, step > 0 */
    uint64_t weight;     /* of the coordinate in the index */
    bool down;           /* the coordinate is most - x */
} zl_term;

/* A box of 64-bit size has at most 62 coordinates that move. */
enum { ZL_TERMS_MOST = 64 };

typedef struct zl_sum {
    int64_t least;
    size_t count;
    uint64_t still; /* weight of a coordinate that moves nothing; 0: none does */
    zl_term term[ZL_TERMS_MOST];
} zl_sum;

/* Before its swizzle, which is a bijection.  Steps rise; neighbours in one progression are merged.
 */
void zl_sum_of(zl_sum *out, const zlay_layout *a);

void zl_sum_sort(zl_sum *s); /* so that steps rise */

/* Greatest - least. */
uint64_t zl_sum_span(const zl_sum *s);

/* The index of the point with the coordinates x. */
uint64_t zl_sum_index(const zl_sum *s, const uint64_t *x);

/* ---- one equation over a box --------------------------------------------------------- */

typedef enum zl_found { ZL_FOUND, ZL_NOT_FOUND, ZL_TOO_MANY } zl_found;

/* Points of the search that are left; shared by the searches of one question. */
typedef struct zl_budget {
    uint64_t left;
    zlay_ctx *ctx; /* whose limits.work counts them */
} zl_budget;

/* Takes a point.  False where none is left, or limits.work has ended the call. */
static inline bool zl_budget_take(zl_budget *b)
{
    enum { BLOCK = 256, STEPS = 8 };
    if (!b->left) return false;
    if (--b->left % BLOCK || zl_charge(b->ctx, BLOCK * STEPS) == ZLAY_OK) return true;
    b->left = 0;
    return false;
}

/* Some x with sum of step * x == target, 0 <= x <= most; steps rise.  Exact: every coordinate is
 * cut to what the rest can reach and to the rest's lattice, so that two of them take no search. */
zl_found zl_sum_solve(uint64_t *x, const zl_term *term, size_t count, zl_i128 target,
                      zl_budget *budget);

/* The greatest such sum that is not above target (0 always is one). */
zl_found zl_sum_below(uint64_t *sum, const zl_term *term, size_t count, uint64_t target,
                      zl_budget *budget);

/* FOUND: *v is the greatest value of the layout of the sum in [low, high]. */
zl_found zl_sum_any_in(int64_t *v, const zl_sum *s, int64_t low, int64_t high, zl_budget *budget);

/* Is v a value of the layout of the sum? */
zl_found zl_sum_has(const zl_sum *s, int64_t v, zl_budget *budget);

/* ---- sums under swizzles, by blocks ------------------------------------------------------ */

/* Swizzles permute the values of every aligned block of `block`, and move aligned grains of `grain`
 * values whole: the least common to both. */
typedef struct zl_blocks {
    uint64_t block, grain;
} zl_blocks;
zl_blocks zl_blocks_of(zl_swizzle s, zl_swizzle t);

/* The steps leave no gap: every integer from least to the greatest is a value. */
bool zl_sum_fills(const zl_sum *s);

/* A point x of a, under s, whose value b, under t, lacks: FOUND; NOT_FOUND where b has all. b fills
 * an interval before its swizzle. */
typedef struct zl_swizzled_pair {
    zl_swizzle s, t;
    const zl_sum *b;
} zl_swizzled_pair;
zl_found zl_swizzled_lacks(const void *pair, uint64_t *x, const zl_sum *a, zl_budget *budget);

/* The least value in [begin, end] under a swizzle that the sum lacks: FOUND, or NOT_FOUND. */
zl_found zl_swizzled_missed(uint64_t *missed, const zl_sum *s, zl_swizzle swizzle, uint64_t begin,
                            uint64_t end, zl_budget *budget);

/* The extreme values of a sum under a swizzle: FOUND, or TOO_MANY. */
zl_found zl_swizzled_range(int64_t *least, int64_t *greatest, const zl_sum *s, zl_swizzle swizzle,
                           zl_budget *budget);

#endif
