/* SPDX-License-Identifier: Apache-2.0 */
/* Facts inside: the domain of intervals times congruences, and expressions over it. */
#ifndef ZL_ALGEBRA_FACTS_H
#define ZL_ALGEBRA_FACTS_H

#include "base/scan.h"
#include <zlay/facts.h>

typedef struct zl_unknown {
    zl_name name;
    zlay_range range;
} zl_unknown;

/* A fact about several names: sum of coefficient x + rest == 0, <= 0, or == 0 modulo mod. */
enum { ZL_FACT_ZERO, ZL_FACT_AT_MOST, ZL_FACT_MOD, ZL_FACT_NAMES = 8 };

typedef struct zl_relation_fact {
    size_t fact, count;
    int how;
    int64_t mod, rest; /* mod: of ZL_FACT_MOD, at least 1 */
    size_t place[ZL_FACT_NAMES];
    int64_t coefficient[ZL_FACT_NAMES]; /* none is 0 */
} zl_relation_fact;

struct zlay_facts {
    zlay_allocator alloc;
    size_t bytes, count, relations;
    const zl_unknown *at; /* ranges that the relations have tightened */
    const zl_relation_fact *relation;
};

/* The place of a name; the count of names where it is none. */
size_t zl_facts_place(const zlay_facts *facts, const char *name);

/* Every integer where nothing is known of the name; facts may be NULL. */
zlay_range zl_facts_range(const zlay_facts *facts, const char *name);

/* Public calls as parts of a call (zl_enter_part). */
zlay_status zl_facts_parse(zlay_ctx *ctx, zlay_facts **out, size_t count, const char *const *text,
                           const size_t *length);
zlay_status zl_facts_eval(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts,
                          const char *text, size_t length);

/* ---- ranges: pure, sound for integers of any size ---------------------------------- */

/* No range of integers: lo 1, hi 0. */
static inline bool zl_range_is_empty(zlay_range a) { return a.lo > a.hi; }
static inline bool zl_range_is_constant(zlay_range a) { return !a.mod && !zl_range_is_empty(a); }

/* Ends of -2^126 and 2^126 are none; mod 0: rem is the value. */
zlay_range zl_range_wide(zl_i128 lo, zl_i128 hi, zl_i128 mod, zl_i128 rem);

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
    return zl_gcd((uint64_t)a.mod, zl_magnitude(a.rem));
}

#endif
