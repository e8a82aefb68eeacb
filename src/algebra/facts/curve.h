/* SPDX-License-Identifier: Apache-2.0 */
/* Polynomials in one integer t with integer coefficients, on an interval of t. */
#ifndef ZL_ALGEBRA_FACTS_CURVE_H
#define ZL_ALGEBRA_FACTS_CURVE_H

#include "algebra/facts/facts.h"

enum { ZL_CURVE_DEGREE = 6 };

/* The sum of c[i] t^i; c[degree] is not 0 unless the degree is. */
typedef struct zl_curve {
    unsigned degree;
    zl_i128 c[ZL_CURVE_DEGREE + 1];
} zl_curve;

/* lo <= t <= hi; without an end where the flag says so. */
typedef struct zl_curve_span {
    zl_i128 lo, hi;
    bool no_lo, no_hi;
} zl_curve_span;

zl_curve zl_curve_of(zl_i128 value);

/* false: a coefficient does not fit 128 bits, or the degree is too great. */
bool zl_curve_add(zl_curve *out, const zl_curve *a, const zl_curve *b, int sign);
bool zl_curve_mul(zl_curve *out, const zl_curve *a, const zl_curve *b);

/* The least range with every value on the span; false: a number does not fit. */
bool zl_curve_range(zlay_range *out, const zl_curve *p, const zl_curve_span *t);

/* Whether p is 0 or more on the whole span (1), below 0 on it (-1), or changes (0) behind *at,
 * which lies on the span and is not its last; false: a number does not fit. */
bool zl_curve_sign(int *sign, zl_i128 *at, const zl_curve *p, const zl_curve_span *t);

#endif
