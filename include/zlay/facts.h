/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/facts.h - what is known about unknowns: intervals and congruences.
 *
 *  A worked example.  Of "ld = 4 mod 8" and "100 <= ld < 130" together follows
 *  that ld is one of 100, 108, 116, 124: the bounds move to the nearest such
 *  numbers, lo 100, hi 124, mod 8, rem 4.  So 2*ld + 1 lies in [201, 249] and is
 *  9 mod 16, ld / 4 in [25, 31] is 1 mod 2 (odd), and ld mod 4 is the constant 0,
 *  which proves an alignment without any solver.
 *
 *  Facts (names are integers of any size):
 *    ld = 0 mod 8     ld mod 8 = 0     ld % 8 == 0     4*K + 2 = 6 mod 12
 *    1 <= M < 2^31    M >= 1           M = 7           M >= 1 and M mod 2 = 1
 *  and linear ones about up to 8 names: N <= ld, ld = N + 8, M + K = 0 mod 8.  They
 *  tighten the range of each name, and of expressions: under "ld = N + 8" the
 *  expression 2*ld - 2*N is 16.  What follows is sound, but not all that does:
 *  chains of facts are followed a bounded number of steps.
 *  Expressions: + - * names integers 2^31 0x1f parentheses; a / b and a // b are
 *  the floor of the quotient, a mod b and a % b the remainder that has the sign
 *  of b, both bound as tightly as *; floor(e), ceil(a / b), min(a, b, ...),
 *  max(a, b, ...).
 *  Where a divisor may be 0, the answer is about the cases where it is not.
 */
#ifndef ZLAY_FACTS_H
#define ZLAY_FACTS_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The integers of [lo, hi] that are rem modulo mod. */
typedef struct zlay_range {
    int64_t lo;  /* INT64_MIN: no bound */
    int64_t hi;  /* INT64_MAX: no bound */
    int64_t mod; /* at least 1; 0: the one integer rem, which lo and hi are too */
    int64_t rem; /* in [0, mod) */
} zlay_range;

/** Immutable facts about named unknowns; read by any thread. */
typedef struct zlay_facts zlay_facts;

/** Read facts.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a text is no fact (the message names the fact,
 *           from 0, and the byte), a fact is about more than 8 names, or facts
 *           are seen to contradict each other (the message names a least set of
 *           them, or one about several names);
 *           ZLAY_EOVERFLOW a number does not fit 64 bits; ZLAY_ELIMIT
 *           (limits.text, limits.dims names, limits.nesting); ZLAY_ENOMEM.
 *  Out:     out    the facts; free them with zlay_facts_free.
 *  In:      count  entries of `text` and of `length`; 0 is allowed.
 */
ZLAY_API zlay_status zlay_facts_parse(zlay_ctx *ctx, zlay_facts **out, size_t count,
                                      const char *const *text, const size_t *length);

/** Free facts; NULL is allowed. */
ZLAY_API void zlay_facts_free(zlay_facts *facts);

/** How many names are known of; 0 for NULL. */
ZLAY_API size_t zlay_facts_count(const zlay_facts *facts);

/** What is known about the i-th name.
 *
 *  Returns: the name, which lives as long as the facts; NULL past the last.
 *  Out:     out  its range; NULL: not asked.
 */
ZLAY_API const char *zlay_facts_nth(zlay_range *out, const zlay_facts *facts, size_t i);

/** What follows about an expression: an interval and a congruence that hold for
 *  every value of the unknowns.  They are the least for an expression of one
 *  unknown whose divisors are numbers with a product of at most 4096, of degree 6
 *  at most, with 15 changes of min and max, where all numbers on the way have less
 *  than 126 bits; and for a sum of such whose parts share no unknown.
 *  ceil(M/8)*8 - M is in [0, 7].  A bound that does not fit 64 bits is none.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL the text is no expression, or divides by 0;
 *           ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     out    the range.
 *  In:      facts  NULL: nothing is known.
 *           text   `length` bytes; a name without facts is any integer.
 */
ZLAY_API zlay_status zlay_facts_eval(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts,
                                     const char *text, size_t length);

#ifdef __cplusplus
}
#endif
#endif
