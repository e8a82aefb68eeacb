/* SPDX-License-Identifier: Apache-2.0 */
/* Facts inside: the domain of intervals times congruences, and expressions over it. */
#ifndef ZL_ALGEBRA_FACTS_H
#define ZL_ALGEBRA_FACTS_H

#include "algebra/cursor.h"
#include "algebra/pieces.h"
#include <zlay/facts.h>

typedef struct zl_unknown {
    zl_name name;
    zlay_range range;
} zl_unknown;

struct zlay_facts {
    zlay_allocator alloc;
    size_t bytes, count;
    const zl_unknown *at;
};

/* Every integer where nothing is known of the name; facts may be NULL. */
zlay_range zl_facts_range(const zlay_facts *facts, const char *name);

/* zlay_facts_of inside a call. */
zlay_status zl_facts_of(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts, const char *text,
                        size_t length);

/* ---- ranges: pure, sound for integers of any size ---------------------------------- */

/* No range of integers: lo 1, hi 0. */
static inline bool zl_range_is_empty(zlay_range a) { return a.lo > a.hi; }
static inline bool zl_range_is_constant(zlay_range a) { return !a.mod && !zl_range_is_empty(a); }

zlay_range zl_range_all(void);
zlay_range zl_range_empty(void);
zlay_range zl_range_constant(int64_t value);
zlay_range zl_range_between(int64_t lo, int64_t hi); /* ends as in zlay_range */
zlay_range zl_range_congruent(int64_t rem, int64_t mod); /* mod >= 1, any rem */
bool zl_range_has(zlay_range a, int64_t value);

zlay_range zl_range_meet(zlay_range a, zlay_range b);
zlay_range zl_range_join(zlay_range a, zlay_range b);

/* Of two nonempty ranges, the least range with every result. */
zlay_range zl_range_add(zlay_range a, zlay_range b);
zlay_range zl_range_scale(zlay_range a, int64_t factor);
zlay_range zl_range_mul(zlay_range a, zlay_range b);
zlay_range zl_range_min(zlay_range a, zlay_range b);
zlay_range zl_range_max(zlay_range a, zlay_range b);

/* Over the b that are not 0; empty where there is none. */
zlay_range zl_range_floor_div(zlay_range a, zlay_range b);
zlay_range zl_range_mod(zlay_range a, zlay_range b);

/* x with factor x + rest == 0, <= 0, or == 0 modulo mod; factor != 0, mod >= 1. */
zlay_range zl_range_solve_zero(int64_t factor, zlay_range rest);
zlay_range zl_range_solve_least(int64_t factor, zlay_range rest);
zlay_range zl_range_solve_mod(int64_t factor, int64_t rest, int64_t mod);

/* The greatest divisor of every value, alignment included: 0 for the constant 0. */
static inline uint64_t zl_range_divisor(zlay_range a)
{
    uint64_t x = (uint64_t)a.mod, y = a.rem < 0 ? 0 - (uint64_t)a.rem : (uint64_t)a.rem;
    while (y) {
        uint64_t t = x % y;
        x = y;
        y = t;
    }
    return x;
}

/* ---- expressions: linear in the unknowns, with a range for the rest ------------------ */

typedef struct zl_form {
    int64_t *coefficient; /* one an unknown */
    zlay_range rest;
    bool linear; /* the rest is one integer, though it may not fit 64 bits */
} zl_form;

typedef struct zl_unknowns {
    zlay_ctx *ctx;
    zl_unknown *at;
    size_t count, room;
} zl_unknowns;

void zl_unknowns_begin(zl_unknowns *u, zlay_ctx *ctx);
void zl_unknowns_end(zl_unknowns *u);

/* The place of a name, added with every integer where it is new; ELIMIT past limits.dims. */
zlay_status zl_unknowns_add(zl_unknowns *u, size_t *place, const char *name, size_t length);

/* All names of a text. */
zlay_status zl_unknowns_scan(zl_unknowns *u, const char *text, size_t length);

/* Memory for expressions over the names that `u` has then. */
typedef struct zl_forms {
    const zl_unknowns *u;
    zl_form *at;
    int64_t *coefficient;
} zl_forms;

zlay_status zl_forms_begin(zl_forms *f, const zl_unknowns *u);
void zl_forms_end(zl_forms *f);

/* How an expression ended, for the one who asks for it to stop before a `mod` or `%` outside of
 * parentheses. */
typedef struct zl_ending {
    bool sum; /* it has a + or - outside of parentheses */
    bool mod; /* it stopped there */
} zl_ending;

/* Read an expression into f->at[0]; `ending` may be NULL. */
zlay_status zl_form_parse(zl_cursor *c, zl_forms *f, zl_ending *ending);
zlay_range zl_form_range(const zl_form *form, const zl_unknowns *u);

/* The word at the cursor, [A-Za-z_][A-Za-z0-9_]*; 0: there is none. */
size_t zl_word_length(zl_cursor *c);
bool zl_word_take(zl_cursor *c, const char *word);

/* ---- facts ------------------------------------------------------------------------------ */

typedef struct zl_constraint {
    size_t fact, place; /* which text, about which unknown */
    zlay_range range;
} zl_constraint;

typedef struct zl_constraints {
    zlay_ctx *ctx;
    zl_constraint *at;
    size_t count, room;
} zl_constraints;

zlay_status zl_constraints_add(zl_constraints *c, zl_constraint what);

/* What one text says, whose names are all in `u`; a fact that never holds is EINVAL. */
zlay_status zl_fact_parse(zl_cursor *c, const zl_unknowns *u, zl_constraints *out, size_t fact);

#endif
