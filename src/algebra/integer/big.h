/* SPDX-License-Identifier: Apache-2.0 */
/* Natural numbers of a fixed count of 64-bit limbs, low first, in memory of the caller.  What
 * is here is schoolbook arithmetic; division goes by a normalized divisor and its reciprocal
 * (Moeller and Granlund, "Improved division by invariant integers", 2011), and gcd with its
 * cofactor by Lehmer's method (Knuth, TAOCP 2, 4.5.2, algorithm L). */
#ifndef ZL_ALGEBRA_BIG_H
#define ZL_ALGEBRA_BIG_H

#include "algebra/radix/radix.h"

#include <string.h>

enum { ZL_BIG = 32 }; /* limbs that no number has more of */

/* The limbs without zeros at the top. */
static inline size_t zl_big_used(const uint64_t *a, size_t n)
{
    while (n && !a[n - 1]) n--;
    return n;
}

static inline int zl_big_cmp(const uint64_t *a, const uint64_t *b, size_t n)
{
    while (n--)
        if (a[n] != b[n]) return a[n] < b[n] ? -1 : 1;
    return 0;
}

/* r = a + b; the carry. */
static inline uint64_t zl_big_add(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n)
{
    zl_u128 sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (zl_u128)a[i] + b[i];
        r[i] = (uint64_t)sum;
        sum >>= 64;
    }
    return (uint64_t)sum;
}

/* r = a - b; the borrow. */
static inline uint64_t zl_big_sub(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t borrow = 0;
    for (size_t i = 0; i < n; i++) {
        zl_u128 less = (zl_u128)a[i] - b[i] - borrow;
        r[i] = (uint64_t)less;
        borrow = (uint64_t)(less >> 64) & 1;
    }
    return borrow;
}

/* r = a w + more; the limb behind. */
static inline uint64_t zl_big_mul_1(uint64_t *r, const uint64_t *a, size_t n, uint64_t w,
                                    uint64_t more)
{
    for (size_t i = 0; i < n; i++) {
        zl_u128 t = (zl_u128)a[i] * w + more;
        r[i] = (uint64_t)t;
        more = (uint64_t)(t >> 64);
    }
    return more;
}

/* r += a w; the limb behind. */
static inline uint64_t zl_big_addmul_1(uint64_t *r, const uint64_t *a, size_t n, uint64_t w)
{
    uint64_t more = 0;
    for (size_t i = 0; i < n; i++) {
        zl_u128 t = (zl_u128)a[i] * w + r[i] + more;
        r[i] = (uint64_t)t;
        more = (uint64_t)(t >> 64);
    }
    return more;
}

/* r -= a w; the limb behind that is still to be taken off. */
static inline uint64_t zl_big_submul_1(uint64_t *r, const uint64_t *a, size_t n, uint64_t w)
{
    uint64_t more = 0;
    for (size_t i = 0; i < n; i++) {
        zl_u128 t = (zl_u128)a[i] * w + more;
        uint64_t low = (uint64_t)t;
        more = (uint64_t)(t >> 64) + (r[i] < low);
        r[i] -= low;
    }
    return more;
}

/* r = a b, of na + nb limbs, apart from a and b. */
static inline void zl_big_mul(uint64_t *r, const uint64_t *a, size_t na, const uint64_t *b,
                              size_t nb)
{
    memset(r, 0, (na + nb) * sizeof *r);
    for (size_t i = 0; i < na; i++)
        if (a[i]) r[i + nb] = zl_big_addmul_1(r + i, b, nb, a[i]);
}

/* a modulo w < 2^62. */
uint64_t zl_big_mod_1(const uint64_t *a, size_t n, uint64_t w);

/* a := a / w, the rest. */
uint64_t zl_big_div_1(uint64_t *a, size_t n, uint64_t w);

/* A divisor d > 0 of n limbs, the top one not 0: shifted until its top bit is set. */
typedef struct zl_big_divisor {
    size_t n;
    unsigned shift;
    uint64_t reciprocal, d[ZL_BIG];
} zl_big_divisor;

void zl_big_divisor_make(zl_big_divisor *out, const uint64_t *d, size_t n);

/* a := a modulo d, in its first n limbs, the others 0; the quotient, of na - n + 1 limbs, into q
 * where that is not NULL.  na >= n, and a has room for na + 1 limbs. */
void zl_big_rem(uint64_t *q, uint64_t *a, size_t na, const zl_big_divisor *by);

/* r = a b modulo d, all of n limbs. */
void zl_big_mulmod(uint64_t *r, const uint64_t *a, const uint64_t *b, const zl_big_divisor *by);

/* g = gcd(a, m) for a < m, of n limbs each; g = x a modulo m, 0 <= x < m, where x is not NULL. */
void zl_big_gcd(uint64_t *g, uint64_t *x, const uint64_t *a, const uint64_t *m, size_t n);

/* g := gcd(g, a), n limbs. */
void zl_big_gcd_with(uint64_t *g, const uint64_t *a, size_t n);

#endif
