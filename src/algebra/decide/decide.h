/* SPDX-License-Identifier: Apache-2.0 */
/* What the deciders share: a strided layout as one sum, its equation, F2 spans, sets of values. */
#ifndef ZL_ALGEBRA_DECIDE_H
#define ZL_ALGEBRA_DECIDE_H

#include "algebra/layout/layout.h"
#include <zlay/decide.h>

/* ---- rungs ------------------------------------------------------------------- */

/* A question on its way down a ladder; each decider keeps its witness in a struct of its own. */
typedef struct zl_question {
    zlay_ctx *ctx;
    const zlay_layout *a, *b;
    zlay_answer answer;
} zl_question;

/* Answer UNDECIDED: `name` of the limits is `limit` and `asked` were needed. */
zlay_status zl_decide_limit(zl_question *q, const char *name, uint64_t limit, uint64_t asked);

/* Say that a NO is proved and its witness may not be the least. */
zlay_status zl_decide_not_least(zlay_ctx *ctx);

/* Strided layouts of many modes: their search gave up, and isl's takes far longer. */
static inline bool zl_is_long(const zlay_layout *a) { return a->modes > 8; }

/* A layout as pieces, for the engine: itself, or *made, which the caller frees.  NULL where the
 * pieces would pass a limit or 64 bits. */
zlay_status zl_as_pieces(zlay_ctx *ctx, const zl_pieces **out, zlay_layout **made,
                         const zlay_layout *a);

/* The deciders inside a call; witnesses are never NULL, and written with ZLAY_NO. */
zlay_status zl_is_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                            const zlay_layout *a);
zlay_status zl_is_surjective(zlay_ctx *ctx, zlay_answer *answer, uint64_t *missed,
                             const zlay_layout *a, const uint64_t *onto, size_t count);

/* ---- sums: the values of a strided layout as least + sum of step * x -------------- */

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

/* A point x of a (0 before) whose value b lacks: FOUND; NOT_FOUND where b has all. */
zl_found zl_sum_lacks(uint64_t *x, const zl_sum *a, const zl_sum *b, zl_budget *budget);

/* Where b lacks a value of a, and *index is a point that shows it: the least index of all that do;
 * false where the budget ends the search, with the least that was proved to show it. */
bool zl_sum_lacks_first(uint64_t *index, const zl_sum *a, const zl_sum *b, zl_budget *budget);

/* The same by another decider: `lacks` answers of a sum like a what zl_sum_lacks does. */
typedef zl_found zl_lacks(const void *env, uint64_t *x, const zl_sum *a, zl_budget *budget);
bool zl_lacks_first(uint64_t *index, const zl_sum *a, zl_lacks *lacks, const void *env,
                    zl_budget *budget);

/* ---- sums under swizzles, by blocks ------------------------------------------------------ */

/* Swizzles permute the values of every aligned block of `block`, and move aligned grains of `grain`
 * values whole: the least common to both. */
typedef struct zl_blocks {
    uint64_t block, grain;
} zl_blocks;
zl_blocks zl_blocks_of(zl_swizzle s, zl_swizzle t);

/* The steps leave no gap: every integer from least to the greatest is a value. */
bool zl_sum_fills(const zl_sum *s);

/* As zl_sum_lacks, before their swizzles s and t, where b fills an interval. */
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

/* ---- spans over F2 -------------------------------------------------------------------- */

typedef struct zl_span {
    unsigned rank;
    uint64_t pivot[64]; /* pivot[p] has p as its highest bit, or is 0 ... */
    uint64_t from[64];  /* ... and is the XOR of these bases */
} zl_span;

void zl_span_begin(zl_span *s);

/* Add a vector made of the bases `from`; false when it was in the span: then *from is a set of
 * bases whose XOR is 0. */
bool zl_span_add(zl_span *s, uint64_t vector, uint64_t *from);
bool zl_span_has(const zl_span *s, uint64_t vector);
void zl_span_of(zl_span *s, const zl_affine *a);

/* ---- values of two layouts, compared ----------------------------------------------------- */

/* How the outputs of two layouts compare: as integers where one has one output, as tuples where
 * both have as many, else never.  EINVAL where an integer is needed and outputs have no sizes.
 * A value is a word of 64 bits: an f2 layout's 2^63 is a strided layout's -2^63, as eval gives it.
 */
typedef enum zl_manner { ZL_AS_INTEGERS, ZL_AS_TUPLES, ZL_NEVER } zl_manner;
zlay_status zl_comparison(zlay_ctx *ctx, zl_manner *out, const zlay_layout *a,
                          const zlay_layout *b);

/* Both as affine maps over F2 whose values are equal bits exactly when the layouts' values are
 * equal. */
bool zl_affine_pair(zl_affine *a_map, zl_affine *b_map, zl_manner terms, const zlay_layout *a,
                    const zlay_layout *b);

/* ---- sets of values --------------------------------------------------------------------- */

/* The defined values of a layout's first `count` points, each with its first index. */
typedef struct zl_values {
    zlay_ctx *ctx;
    uint64_t slots; /* a power of two */
    struct {
        int64_t value;
        uint64_t index; /* of the point + 1; 0: free */
    } *at;
} zl_values;

zlay_status zl_values_new(zlay_ctx *ctx, zl_values *out, uint64_t count);
void zl_values_free(zl_values *v);

/* False when the value was there, and *index becomes that of its first point. */
bool zl_values_add(zl_values *v, int64_t value, uint64_t *index);
bool zl_values_has(const zl_values *v, int64_t value);

#endif
