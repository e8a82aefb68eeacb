/* SPDX-License-Identifier: Apache-2.0 */
/* The method of 64 bits: determinants and minors by elimination modulo the prime 2^61 - 1, which is
 * exact as long as Hadamard's bound stays below half of it; products in 128 bits, checked. */
#include "algebra/integer/zmat.h"

#include <string.h>

typedef int64_t num;
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

typedef struct work {
    zlay_ctx *ctx;
    num *at;
    size_t used;
    bool overflow;
    num scratch[2];
} work;

/* ---- memory: one zeroed block an operation ------------------------------------------------ */

static zlay_status begin(work *k, zlay_ctx *ctx, size_t count)
{
    *k = (work){.ctx = ctx, .at = zl_scratch(ctx, count, sizeof(num))};
    return k->at ? ZLAY_OK : ZLAY_ENOMEM;
}

static void end(work *k) { (void)k; }

static num *nums(work *k, size_t count)
{
    num *out = k->at + k->used;
    k->used += count;
    return out;
}

static size_t *indices(work *k, size_t count) { return (size_t *)(void *)nums(k, count); }

static void load(work *k, num *out, const zlay_zmat *a, size_t i)
{
    if (a->limbs || a->small[i] == INT64_MIN) k->overflow = true;
    else *out = a->small[i];
}

static zlay_status stored(work *k, zlay_zmat **out, const num *a, size_t rows, size_t cols)
{
    if (k->overflow) return ZLAY_EOVERFLOW;
    zlay_status status = zl_zmat_block(k->ctx, out, rows, cols, 0);
    if (!status) memcpy((*out)->small, a, rows * cols * sizeof *a);
    return status;
}

/* ---- numbers ------------------------------------------------------------------------------ */

static void num_set(num *r, const num *a) { *r = *a; }
static void num_si(num *r, int64_t a) { *r = a; }
static int num_sgn(const num *a) { return (*a > 0) - (*a < 0); }
static bool num_is_one(const num *a) { return *a == 1; }
static bool num_equal(const num *a, const num *b) { return *a == *b; }

static void num_swap(num *a, num *b)
{
    num t = *a;
    *a = *b;
    *b = t;
}

/* INT64_MIN is left out, so that every number has its negative. */
static void fits(work *k, num *r, bool fit, num value)
{
    if (!fit || value == INT64_MIN) k->overflow = true, value = 0;
    *r = value;
}

static void num_neg(work *k, num *r, const num *a)
{
    (void)k;
    *r = -*a;
}

static void num_add(work *k, num *r, const num *a, const num *b)
{
    num sum;
    bool fit = zl_add(*a, *b, &sum);
    fits(k, r, fit, sum);
}

static void num_mul(work *k, num *r, const num *a, const num *b)
{
    num product;
    bool fit = zl_mul(*a, *b, &product);
    fits(k, r, fit, product);
}

static void num_addmul(work *k, num *r, const num *a, const num *b)
{
    num product, sum = 0;
    bool fit = zl_mul(*a, *b, &product) && zl_add(*r, product, &sum);
    fits(k, r, fit, sum);
}

static void num_submul(work *k, num *r, const num *a, const num *b)
{
    num product, sum = 0;
    bool fit = zl_mul(*a, *b, &product) && zl_sub(*r, product, &sum);
    fits(k, r, fit, sum);
}

/* A division of 32 bits takes a half to a third of the time of one of 64. */
static uint64_t quotient(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b;
}

static uint64_t remainder_of(uint64_t a, uint64_t b)
{
    return (a | b) >> 32 ? a % b : (uint32_t)a % (uint32_t)b;
}

static uint64_t magnitude(num a) { return (uint64_t)(a < 0 ? -a : a); }

static void num_gcd(num *r, const num *a, const num *b)
{
    uint64_t x = magnitude(*a), y = magnitude(*b);
    while (y) {
        uint64_t t = remainder_of(x, y);
        x = y;
        y = t;
    }
    *r = (num)x;
}

static num modulo(num a, num m)
{
    if (a >= 0 && a < m) return a;
    num rest = (num)remainder_of(magnitude(a), (uint64_t)m);
    return a < 0 && rest ? m - rest : rest;
}

static void num_mod(work *k, num *r, const num *a, const num *m)
{
    (void)k;
    *r = modulo(*a, *m);
}

static num mulmod(num a, num b, num m)
{
    num x = modulo(a, m), y = modulo(b, m);
    if (m >> 31 == 0) return (num)remainder_of((uint64_t)(x * y), (uint64_t)m);
    return (num)((uwide)(uint64_t)x * (uint64_t)y % (uint64_t)m);
}

static void num_mulmod(work *k, num *r, const num *a, const num *b, const num *m)
{
    (void)k;
    *r = mulmod(*a, *b, *m);
}

/* From [0, m) to the least absolute value. */
static void num_balance(work *k, num *r, const num *m)
{
    (void)k;
    if (*r > *m / 2) *r -= *m;
}

static void num_fdiv(work *k, num *r, const num *a, const num *b)
{
    (void)k;
    num q = *a / *b;
    *r = q - (*a % *b != 0 && (*a < 0) != (*b < 0));
}

/* A quotient whose remainder is in [-b/2, b/2]; b > 0. */
static void num_nearest(work *k, num *r, const num *a, const num *b)
{
    num rest = modulo(*a, *b), low;
    num_balance(k, &rest, b);
    bool fit = zl_sub(*a, rest, &low);
    fits(k, r, fit, low);
    *r /= *b;
}

static void num_divexact(num *r, const num *a, const num *b)
{
    num q = (num)quotient(magnitude(*a), magnitude(*b));
    *r = (*a < 0) != (*b < 0) ? -q : q;
}
static bool num_divisible(const num *a, const num *b) { return *a % *b == 0; }

/* Once below 2^32, Euclid's numbers stay there, and one instruction gives quotient and rest. */
static num half_gcd_32(uint32_t a, uint32_t b, num s, num t, num *x)
{
    while (b) {
        uint32_t q = a / b, r = a % b;
        num u = s - q * t;
        a = b, b = r;
        s = t, t = u;
    }
    *x = s;
    return a;
}

/* g = gcd(a, b) = x a modulo b, |x| < b where b > 1. */
static num half_gcd(num a, num b, num *x)
{
    bool less = a < b;
    num s = !less, t = less;
    if (less) num_swap(&a, &b);
    while ((a | b) >> 32 && b) {
        num q = a / b, r = a % b, u = s - q * t;
        a = b, b = r;
        s = t, t = u;
    }
    if (b) return half_gcd_32((uint32_t)a, (uint32_t)b, s, t, x);
    *x = s;
    return a;
}

/* False where there is no inverse, most often because both are even. */
static bool num_invmod(num *r, const num *a, const num *m)
{
    if (!((*a | *m) & 1)) return false;
    num x, g = half_gcd(modulo(*a, *m), *m, &x);
    *r = x < 0 ? x + *m : x;
    return g == 1;
}

/* ---- modulo 2^61 - 1 ---------------------------------------------------------------------- */

static const uint64_t prime = ((uint64_t)1 << 61) - 1;

static uint64_t fold(uwide t)
{
    uint64_t sum = ((uint64_t)t & prime) + (uint64_t)(t >> 61);
    sum = (sum & prime) + (sum >> 61);
    return sum >= prime ? sum - prime : sum;
}

static uint64_t times(uint64_t a, uint64_t b) { return fold((uwide)a * b); }
static uint64_t residue(num a) { return (uint64_t)(a % (num)prime + (num)prime) % prime; }

static uint64_t reciprocal(uint64_t a)
{
    num x;
    half_gcd((num)a, (num)prime, &x);
    return (uint64_t)modulo(x, (num)prime);
}

static num balanced(uint64_t a)
{
    return a > prime / 2 ? (num)a - (num)prime : (num)a;
}

/* Hadamard: no minor has more than the product of the `count` longest rows.  2^59 leaves room for
 * what the floating point rounds. */
static bool is_bounded(const num *a, size_t rows, size_t cols, size_t count)
{
    double bound = 1, longest[64];
    size_t kept = 0;
    for (size_t i = 0; i < rows; i++) {
        double sum = 1;
        for (size_t j = 0; j < cols; j++) sum += (double)a[i * cols + j] * (double)a[i * cols + j];
        size_t at = kept < count ? kept++ : count;
        while (at && longest[at - 1] < sum) {
            if (at < count) longest[at] = longest[at - 1];
            at--;
        }
        if (at < count) longest[at] = sum;
    }
    for (size_t i = 0; i < kept; i++) bound *= longest[i];
    return bound < 0x1p118;
}

/* ---- the inverse times the determinant ---------------------------------------------------- */

typedef struct elimination {
    uint64_t *left, *right, *pivot; /* left becomes diagonal without a division */
    size_t n;
    bool odd;
} elimination;

static bool find_pivot(elimination *e, size_t c)
{
    size_t n = e->n, i = c;
    while (i < n && !e->left[i * n + c]) i++;
    if (i == n) return false;
    if (i == c) return true;
    for (size_t j = 0; j < n; j++) {
        uint64_t t = e->left[i * n + j], s = e->right[i * n + j];
        e->left[i * n + j] = e->left[c * n + j], e->left[c * n + j] = t;
        e->right[i * n + j] = e->right[c * n + j], e->right[c * n + j] = s;
    }
    e->odd = !e->odd;
    return true;
}

static void clear_rows(elimination *e, size_t c)
{
    size_t n = e->n;
    uint64_t by = e->pivot[c] = e->left[c * n + c];
    const uint64_t *x = e->left + c * n, *y = e->right + c * n;
    for (size_t i = 0; i < n; i++) {
        uint64_t *p = e->left + i * n, *q = e->right + i * n, less = prime - p[c];
        if (i == c) continue;
        if (i < c) p[i] = times(by, p[i]);
        p[c] = 0;
        for (size_t j = c + 1; j < n; j++) p[j] = fold((uwide)by * p[j] + (uwide)less * x[j]);
        for (size_t j = 0; j < n; j++)
            if (q[j] | y[j]) q[j] = fold((uwide)by * q[j] + (uwide)less * y[j]);
    }
}

/* det = the product of the diagonal over that of each pivot's n - 1 uses; one inversion for all. */
static void divide_rows(work *k, elimination *e, num *b, num *d)
{
    size_t n = e->n;
    uint64_t *before = (uint64_t *)nums(k, n + 1), diagonal = 1, used = 1, after = 1;
    for (size_t i = 0; i < n; i++) {
        before[i] = diagonal;
        diagonal = times(diagonal, e->left[i * n + i]);
        for (size_t j = 1; j < n; j++) used = times(used, e->pivot[i]);
    }
    uint64_t both = reciprocal(times(diagonal, used)), over = times(both, used);
    uint64_t value = times(diagonal, times(both, diagonal));
    *d = balanced(e->odd ? prime - value : value);
    uint64_t signed_d = residue(*d);
    for (size_t i = n; i--;) {
        uint64_t scale = times(signed_d, times(over, times(before[i], after)));
        for (size_t j = 0; j < n; j++) b[i * n + j] = balanced(times(scale, e->right[i * n + j]));
        after = times(after, e->left[i * n + i]);
    }
}

#include "algebra/integer/zmat64_minors.h"

static bool is_small(const num *a, size_t n)
{
    uint64_t any = 0;
    for (size_t i = 0; i < n * n; i++) any |= (uint64_t)(a[i] < 0 ? -a[i] : a[i]);
    return any >> 13 == 0;
}

static void adjugate_by_rows(work *k, num *b, num *d, const num *a, size_t n)
{
    elimination e = {.n = n};
    *d = 0;
    if (n > 64 || !is_bounded(a, n, n, n)) {
        k->overflow = true;
        return;
    }
    e.left = (uint64_t *)nums(k, n * n), e.right = (uint64_t *)nums(k, n * n);
    e.pivot = (uint64_t *)nums(k, n);
    for (size_t i = 0; i < n * n; i++) e.left[i] = residue(a[i]);
    for (size_t i = 0; i < n * n; i++) e.right[i] = i % (n + 1) == 0;
    for (size_t c = 0; c < n; c++) {
        if (!find_pivot(&e, c)) return;
        clear_rows(&e, c);
    }
    divide_rows(k, &e, b, d);
}

/* b = d a^-1; d = 0 where there is none, and then b says nothing. */
static void adjugate(work *k, num *b, num *d, const num *a, size_t n)
{
    if (n == 2 && is_small(a, n)) adjugate_2(b, d, a);
    else if (n == 3 && is_small(a, n)) adjugate_3(b, d, a);
    else if (n == 4 && is_small(a, n)) adjugate_4(b, d, a);
    else if (n > 1 && n <= POWERS && are_powers_small(a, n)) adjugate_by_powers(b, d, a, n);
    else adjugate_by_rows(k, b, d, a, n);
}

#include "algebra/integer/zmat64_rows.h"
#include "algebra/integer/core.h"

#define METHOD zl_zmat_method_64
#include "algebra/integer/solve.h"

#include "algebra/integer/zmat64_small.h"
