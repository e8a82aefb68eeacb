/* SPDX-License-Identifier: Apache-2.0 */
/* Division and gcd of natural numbers of a few limbs; see big.h. */
#include "algebra/integer/big.h"

uint64_t zl_big_mod_1(const uint64_t *a, size_t n, uint64_t w)
{
    zl_u128 rest = 0;
    for (size_t i = zl_big_used(a, n); i--;) rest = (rest << 64 | a[i]) % w;
    return (uint64_t)rest;
}

uint64_t zl_big_div_1(uint64_t *a, size_t n, uint64_t w)
{
    zl_u128 rest = 0;
    for (size_t i = zl_big_used(a, n); i--;) {
        zl_u128 t = rest << 64 | a[i];
        a[i] = (uint64_t)(t / w);
        rest = t % w;
    }
    return (uint64_t)rest;
}

/* ---- division ----------------------------------------------------------------------------- */

/* r = a 2^shift, shift < 64; what leaves at the top. */
static uint64_t shift_up(uint64_t *r, const uint64_t *a, size_t n, unsigned shift)
{
    uint64_t out = shift && n ? a[n - 1] >> (64 - shift) : 0;
    for (size_t i = n; i--;)
        r[i] = a[i] << shift | (shift && i ? a[i - 1] >> (64 - shift) : 0);
    return out;
}

static void shift_down(uint64_t *a, size_t n, unsigned shift)
{
    for (size_t i = 0; i < n && shift; i++)
        a[i] = a[i] >> shift | (i + 1 < n ? a[i + 1] << (64 - shift) : 0);
}

void zl_big_divisor_make(zl_big_divisor *out, const uint64_t *d, size_t n)
{
    out->n = n;
    out->shift = (unsigned)__builtin_clzll(d[n - 1]);
    shift_up(out->d, d, n, out->shift);
    zl_u128 whole = (zl_u128)~out->d[n - 1] << 64 | UINT64_MAX;
    out->reciprocal = (uint64_t)(whole / out->d[n - 1]);
}

/* (high, low) / d for high < d, top bit of d set. */
static uint64_t quotient_2(uint64_t high, uint64_t low, uint64_t d, uint64_t reciprocal)
{
    zl_u128 q = (zl_u128)reciprocal * high + ((zl_u128)high << 64 | low);
    uint64_t q1 = (uint64_t)(q >> 64) + 1, rest = low - q1 * d;
    if (rest > (uint64_t)q) q1--, rest += d;
    return q1 + (rest >= d);
}

/* One limb of the quotient: a, of n + 1 limbs, loses its multiple of d.  The estimate by the top
 * limb is never below the quotient. */
static uint64_t reduce_once(uint64_t *a, const zl_big_divisor *by)
{
    size_t n = by->n;
    uint64_t top = by->d[n - 1];
    uint64_t q = a[n] >= top ? UINT64_MAX : quotient_2(a[n], a[n - 1], top, by->reciprocal);
    uint64_t over = zl_big_submul_1(a, by->d, n, q);
    for (a[n] -= over; a[n]; q--) a[n] += zl_big_add(a, a, by->d, n);
    return q;
}

void zl_big_rem(uint64_t *q, uint64_t *a, size_t na, const zl_big_divisor *by)
{
    a[na] = shift_up(a, a, na, by->shift);
    for (size_t i = na - by->n + 1; i--;) {
        uint64_t one = reduce_once(a + i, by);
        if (q) q[i] = one;
    }
    shift_down(a, by->n, by->shift);
}

void zl_big_mulmod(uint64_t *r, const uint64_t *a, const uint64_t *b, const zl_big_divisor *by)
{
    uint64_t both[2 * ZL_BIG + 1];
    size_t n = by->n, na = zl_big_used(a, n), nb = zl_big_used(b, n), count = na + nb;
    zl_big_mul(both, a, na, b, nb);
    while (count < n) both[count++] = 0;
    zl_big_rem(NULL, both, count, by);
    memcpy(r, both, n * sizeof *r);
}

/* ---- gcd ---------------------------------------------------------------------------------- */

/* Euclid's numbers with their cofactors' magnitudes.  The cofactors of r[0] and r[1] have opposite
 * signs, and that of r[0] is negative while `even`. */
typedef struct euclid {
    uint64_t r[2][ZL_BIG + 1], s[2][ZL_BIG + 1];
    size_t n;
    bool even;
} euclid;

/* r[0], r[1] := a r[0] - b r[1], d r[1] - c r[0] after an even number of steps, both negated after
 * an odd one. */
typedef struct steps {
    uint64_t a, b, c, d;
    bool odd;
} steps;

static void step(steps *t, uint64_t q)
{
    *t = (steps){t->c, t->d, t->a + q * t->c, t->b + q * t->d, !t->odd};
}

/* The steps that the leading 64 bits x >= y prove: what is cut off adds less than d to a rest. */
static steps leading_steps(uint64_t x, uint64_t y)
{
    steps t = {1, 0, 0, 1, false};
    while (y) {
        uint64_t q = x / y, rest = x - q * y;
        if (q >> 32) return t;
        uint64_t d = t.b + q * t.d;
        if (d >> 32 || rest < d || y - rest < d + t.d) return t;
        step(&t, q);
        x = y, y = rest;
    }
    return t;
}

/* The 64 bits of a from the top bit of `top` on; n > 1. */
static uint64_t leading(const uint64_t *a, const uint64_t *top, size_t n)
{
    unsigned shift = (unsigned)__builtin_clzll(top[n - 1]);
    return shift ? a[n - 1] << shift | a[n - 2] >> (64 - shift) : a[n - 1];
}

/* r = a x - b y >= 0. */
static void difference(uint64_t *r, uint64_t a, const uint64_t *x, uint64_t b, const uint64_t *y,
                       size_t n)
{
    uint64_t more = 0, less = 0;
    for (size_t i = 0; i < n; i++) {
        zl_u128 p = (zl_u128)a * x[i] + more, q = (zl_u128)b * y[i] + less;
        more = (uint64_t)(p >> 64);
        less = (uint64_t)(q >> 64) + ((uint64_t)p < (uint64_t)q);
        r[i] = (uint64_t)p - (uint64_t)q;
    }
}

static void take_cofactors(euclid *e, const steps *t)
{
    uint64_t s[2][ZL_BIG + 1];
    size_t n = e->n;
    s[0][n] = zl_big_mul_1(s[0], e->s[0], n, t->a, 0);
    s[0][n] += zl_big_addmul_1(s[0], e->s[1], n, t->b);
    s[1][n] = zl_big_mul_1(s[1], e->s[0], n, t->c, 0);
    s[1][n] += zl_big_addmul_1(s[1], e->s[1], n, t->d);
    memcpy(e->s[0], s[0], n * sizeof s[0][0]);
    memcpy(e->s[1], s[1], n * sizeof s[1][0]);
    e->even ^= t->odd;
}

static void take_steps(euclid *e, const steps *t, size_t used, bool cofactors)
{
    uint64_t r[2][ZL_BIG + 1];
    const uint64_t *x = e->r[0], *y = e->r[1];
    if (t->odd) {
        difference(r[0], t->b, y, t->a, x, used);
        difference(r[1], t->c, x, t->d, y, used);
    } else {
        difference(r[0], t->a, x, t->b, y, used);
        difference(r[1], t->d, y, t->c, x, used);
    }
    memcpy(e->r[0], r[0], used * sizeof r[0][0]);
    memcpy(e->r[1], r[1], used * sizeof r[1][0]);
    if (cofactors) take_cofactors(e, t);
}

/* One division, where the leading bits prove no step. */
static void divide_step(euclid *e, size_t used, bool cofactors)
{
    zl_big_divisor by;
    uint64_t q[ZL_BIG + 1], product[2 * ZL_BIG + 1];
    size_t n = e->n, less = zl_big_used(e->r[1], used), quotients = used - less + 1;
    zl_big_divisor_make(&by, e->r[1], less);
    zl_big_rem(q, e->r[0], used, &by);
    memcpy(product, e->r[0], less * sizeof q[0]);
    memset(e->r[0], 0, used * sizeof q[0]);
    memcpy(e->r[0], e->r[1], less * sizeof q[0]);
    memset(e->r[1], 0, used * sizeof q[0]);
    memcpy(e->r[1], product, less * sizeof q[0]);
    if (!cofactors) return;
    zl_big_mul(product, e->s[1], n, q, quotients);
    zl_big_add(product, product, e->s[0], n);
    memcpy(e->s[0], e->s[1], n * sizeof q[0]);
    memcpy(e->s[1], product, n * sizeof q[0]);
    e->even = !e->even;
}

/* Both fit a limb: the rest of the steps at once. */
static void last_steps(euclid *e, bool cofactors)
{
    steps t = {1, 0, 0, 1, false};
    uint64_t x = e->r[0][0], y = e->r[1][0], common;
    for (common = x; y; common = x) {
        uint64_t q = x / y, rest = x - q * y;
        step(&t, q);
        x = y, y = rest;
    }
    e->r[0][0] = common;
    e->r[1][0] = 0;
    if (cofactors) take_cofactors(e, &t);
}

void zl_big_gcd(uint64_t *g, uint64_t *x, const uint64_t *a, const uint64_t *m, size_t n)
{
    euclid e;
    e.n = n, e.even = true;
    memset(e.s[0], 0, n * sizeof e.s[0][0]);
    memset(e.s[1], 0, n * sizeof e.s[1][0]);
    memcpy(e.r[0], m, n * sizeof *m);
    memcpy(e.r[1], a, n * sizeof *a);
    e.s[1][0] = 1;
    while (zl_big_used(e.r[1], n)) {
        size_t used = zl_big_used(e.r[0], n);
        if (used == 1) {
            last_steps(&e, x);
            break;
        }
        steps t = leading_steps(leading(e.r[0], e.r[0], used), leading(e.r[1], e.r[0], used));
        if (t.b) take_steps(&e, &t, used, x);
        else divide_step(&e, used, x);
    }
    memcpy(g, e.r[0], n * sizeof *g);
    if (!x) return;
    memcpy(x, e.s[0], n * sizeof *x);
    if (e.even && zl_big_used(x, n)) zl_big_sub(x, m, x, n);
}

void zl_big_gcd_with(uint64_t *g, const uint64_t *a, size_t n)
{
    int order = zl_big_cmp(a, g, n);
    if (!zl_big_used(g, n)) memcpy(g, a, n * sizeof *g);
    else if (order < 0) zl_big_gcd(g, NULL, a, g, n);
    else if (order > 0 && zl_big_used(g, n) == 1) g[0] = zl_gcd(g[0], zl_big_mod_1(a, n, g[0]));
    else if (order > 0) zl_big_gcd(g, NULL, g, a, n);
}
