/* SPDX-License-Identifier: Apache-2.0 */
/* Quasi-affine forms and conditions while they are being made: what texts, isl's answers and
 * substitutions become before they are pieces.
 *
 * A world numbers variables: parameters, coordinates, then in the order of their making floor
 * divisions and free variables (those of `exists`, and outputs that a condition defines).
 * Everything of a world is working memory of the call, so nothing is freed on the way out of a
 * failure.
 */
#ifndef ZL_ALGEBRA_QUASI_H
#define ZL_ALGEBRA_QUASI_H

#include "algebra/presburger/pieces.h"
#include <zlay/facts.h>

#include <string.h>

/* (constant + sum of at[v] * variable v, v < used) / den. */
typedef struct zl_quasi {
    size_t used;
    int64_t constant, den;
    struct zl_quasi *next;
    int64_t at[ZL_PIECE_VARIABLES];
} zl_quasi;

/* Of a guard: equal ? form == 0 : form >= 0, its coefficients without a common divisor. */
typedef struct zl_row {
    size_t used;
    uint64_t direction; /* a hash of the coefficients, the same for their negatives */
    bool equal;
    int64_t constant, at[];
} zl_row;

/* The coefficient of variable v. */
static inline int64_t zl_row_factor(const zl_row *row, size_t v)
{
    return v < row->used ? row->at[v] : 0;
}

typedef struct zl_variable {
    int64_t den; /* 0: free, or replaced */
    const zl_row *num;
} zl_variable;

typedef struct zl_world {
    zlay_ctx *ctx;
    zl_quasi *idle;
    size_t params, dims, count; /* count: variables so far */
    const zl_name *param;
    zl_variable variable[ZL_PIECE_VARIABLES];
} zl_world;

/* A conjunction, and a disjunction of them; no row is true, no guard is false. */
typedef struct zl_guard {
    size_t count, room;
    const zl_row **row;
} zl_guard;
typedef struct zl_cases {
    size_t count, room;
    zl_guard *at;
} zl_cases;

void zl_world_begin(zl_world *w, zlay_ctx *ctx, size_t params, size_t dims, const zl_name *param);

/* Other counts of parameters and coordinates, before any other variable. */
void zl_world_known(zl_world *w, size_t params, size_t dims);

/* Where the floor divisions begin. */
static inline size_t zl_world_divisions(const zl_world *w) { return w->params + w->dims; }

/* A new variable; ELIMIT past ZL_PIECE_VARIABLES. */
zlay_status zl_world_free_variable(zl_world *w, size_t *v);

/* The variable that is floor(a), made where there is none, w->count being the new one. */
zlay_status zl_world_division(zl_world *w, const zl_quasi *a, size_t *v);

/* ---- forms: EOVERFLOW where a number does not fit ---------------------------------------- */

/* A form of value 0, and giving one back for another use. */
zl_quasi *zl_quasi_new(zl_world *w);
void zl_quasi_drop(zl_world *w, zl_quasi *a);

static inline void zl_quasi_set(zl_quasi *a, int64_t constant)
{
    a->used = 0;
    a->constant = constant;
    a->den = 1;
}

static inline void zl_quasi_copy(zl_quasi *a, const zl_quasi *b)
{
    a->used = b->used;
    a->constant = b->constant;
    a->den = b->den;
    memcpy(a->at, b->at, b->used * sizeof *b->at);
}

/* The coefficients of at least so many variables are written; none that is 0 is the last. */
static inline void zl_quasi_widen(zl_quasi *a, size_t used)
{
    if (a->used + 1 == used) a->at[a->used++] = 0; /* the loop would be a call of memset */
    while (a->used < used) a->at[a->used++] = 0;
}

static inline void zl_quasi_trim(zl_quasi *a)
{
    while (a->used && !a->at[a->used - 1]) a->used--;
}

/* A coefficient that takes the place of another. */
static inline void zl_quasi_put(zl_quasi *a, size_t v, int64_t coefficient)
{
    zl_quasi_widen(a, v + 1);
    a->at[v] = coefficient;
    zl_quasi_trim(a);
}

void zl_quasi_of_row(zl_quasi *a, const zl_row *row);
bool zl_quasi_is_constant(const zl_quasi *a);
zlay_status zl_quasi_add(zl_world *w, zl_quasi *a, const zl_quasi *b, int64_t factor);
zlay_status zl_quasi_scale(zl_world *w, zl_quasi *a, int64_t factor);
zlay_status zl_quasi_divide(zl_world *w, zl_quasi *a, int64_t by); /* by >= 1 */

/* floor((g A + c) / (g n)) = floor((A + floor(c / g)) / n), for a g and for the greatest one, which
 * false says is 1. */
void zl_quasi_cancel(zl_quasi *a, int64_t g);
bool zl_quasi_reduce(zl_quasi *a);
zlay_status zl_quasi_floor(zl_world *w, zl_quasi *a);
zlay_status zl_quasi_mod(zl_world *w, zl_quasi *a, int64_t by);

/* a with `to` (den 1) in the place of variable v, in divisions too. */
zlay_status zl_quasi_replace(zl_world *w, zl_quasi *a, size_t v, const zl_quasi *to);

/* Marks the variables of a row, and then those of the divisions that are marked. */
static inline void zl_row_mark(const zl_row *row, bool *used)
{
    for (size_t v = 0; v < row->used; v++) used[v] = used[v] || row->at[v];
}
void zl_world_mark(const zl_world *w, bool *used);

/* Whether variable v is in the row, or in a division of it. */
bool zl_row_has(const zl_world *w, const zl_row *row, size_t v);
const zl_row *zl_row_new(zl_world *w, const zl_quasi *a, bool equal);
bool zl_row_same(const zl_row *a, const zl_row *b); /* the same form, whatever their rules */

/* a == 0 or a >= 0 with coefficients without a common divisor. */
typedef enum zl_holds { ZL_HOLDS_SOMETIMES, ZL_HOLDS_ALWAYS, ZL_HOLDS_NEVER } zl_holds;
zl_holds zl_condition_reduce(zl_quasi *a, bool equal);

/* ---- conditions: ELIMIT past limits.pieces guards; what is put into another is given up ---- */

/* a == 0 or a >= 0 more; *possible turns false where that cannot be. */
zlay_status zl_guard_put(zl_world *w, zl_guard *guard, const zl_quasi *a, bool equal,
                         bool *possible);
zlay_status zl_guard_put_row(zl_world *w, zl_guard *guard, const zl_row *row);
zlay_status zl_guard_put_all(zl_world *w, zl_guard *guard, const zl_guard *more);

zlay_status zl_cases_put(zl_world *w, zl_cases *cases, zl_guard guard);
zlay_status zl_cases_true(zl_world *w, zl_cases *cases);
zlay_status zl_cases_row(zl_world *w, zl_cases *cases, const zl_quasi *a, bool equal);
zlay_status zl_cases_or(zl_world *w, zl_cases *a, const zl_cases *b);
zlay_status zl_cases_and(zl_world *w, zl_cases *a, const zl_cases *b);

/* The same as zl_cases_or, by guards of which no two hold, where that takes few. */
zlay_status zl_cases_or_apart(zl_world *w, zl_cases *a, const zl_cases *b);

/* Whether a row of one contradicts a row of the other: false says nothing. */
bool zl_guards_contradict(const zl_guard *a, const zl_guard *b);

/* The guards of *a without b, made so that no two hold at a point where no two of *a did. */
zlay_status zl_cases_without(zl_world *w, zl_cases *a, const zl_guard *b);
zlay_status zl_cases_not(zl_world *w, zl_cases *a);

/* ---- ranges of single variables ------------------------------------------------------------ */

/* Every variable: any integer. */
zlay_range *zl_world_ranges(zl_world *w);

/* What a guard says about every variable by itself, soundly; false: it never holds.  `out` has
 * w->count entries and begins with what is known before. */
bool zl_guard_ranges(const zl_world *w, const zl_guard *guard, zlay_range *out);

/* The values of a row over ranges of its variables. */
zlay_range zl_row_range(const zl_row *row, const zlay_range *range);

/* The same, tighter where x and a division of x stand together. */
zlay_range zl_row_reach(const zl_world *w, const zl_row *row, const zlay_range *range);

/* ---- free variables ------------------------------------------------------------------------ */

/* Replace the free variables from `first` on that the guard and the values have by what the guard
 * says they are, or project out those that no value has.  *possible turns false where the guard
 * cannot hold, *left is the number of variables that remain. */
zlay_status zl_solve(zl_world *w, zl_guard *guard, const zl_row **value, size_t outs, size_t first,
                     bool *possible, size_t *left);

#endif
