/* SPDX-License-Identifier: Apache-2.0 */
/* The Hermite form of a small matrix, without transforms, in checked integers of 128 bits: rows
 * are put in one by one, each against the row that has its pivot in the same column (Kannan and
 * Bachem 1979), and entries above a pivot are reduced at once, so that numbers stay short.  Where
 * every column has its pivot, their product d times any unit vector is in the lattice, and what
 * gets too long in the last reductions is taken modulo d (Domich, Kannan and Trotter 1987).  Two
 * rows of two small entries have a form that is written down. */
#include "algebra/integer/alone.h"


enum { SMALL = 8, ROWS = 16 };

typedef struct small {
    zl_i128 row[SMALL][SMALL]; /* by the column of its pivot */
    bool there[SMALL];
    size_t cols;
    bool overflow;
} small;

static unsigned bits_of(zl_i128 a)
{
    zl_u128 size = a < 0 ? 0 - (zl_u128)a : (zl_u128)a;
    uint64_t high = (uint64_t)(size >> 64), low = (uint64_t)size;
    if (high) return 128 - (unsigned)__builtin_clzll(high);
    return low ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

/* Below 2^63, so that a product is below 2^126. */
static bool is_narrow(zl_i128 a) { return a == (int64_t)a && a != INT64_MIN; }

static zl_i128 times(small *f, zl_i128 a, zl_i128 b)
{
    if (is_narrow(a) && is_narrow(b)) return (zl_i128)(int64_t)a * (int64_t)b;
    if (bits_of(a) + bits_of(b) <= 126) return a * b;
    f->overflow = true;
    return 0;
}

/* Every entry and every product stays below 2^126, so that two of them have a sum. */
static zl_i128 kept(small *f, zl_i128 a)
{
    zl_i128 bound = (zl_i128)1 << 126;
    if (a < bound && a > -bound) return a;
    f->overflow = true;
    return 0;
}

/* Division of 64 bits where that is enough. */
static zl_i128 quotient(zl_i128 a, zl_i128 b)
{
    return is_narrow(a) && is_narrow(b) ? (int64_t)a / (int64_t)b : a / b;
}

/* floor(a / b), b > 0. */
static zl_i128 floored(zl_i128 a, zl_i128 b)
{
    zl_i128 q = quotient(a, b);
    return q * b > a ? q - 1 : q;
}

/* x -= q y, from a column on. */
static void take_off(small *f, zl_i128 *x, zl_i128 q, const zl_i128 *y, size_t from)
{
    for (size_t j = from; j < f->cols && q; j++) x[j] = kept(f, x[j] - times(f, q, y[j]));
}

/* Row `col` by the pivots behind its own. */
static void reduce_row(small *f, size_t col)
{
    for (size_t j = col + 1; j < f->cols; j++)
        if (f->there[j])
            take_off(f, f->row[col], floored(f->row[col][j], f->row[j][j]), f->row[j], j);
}

/* gcd(a, b), and s with s a = gcd modulo b, in 64 bits. */
static int64_t narrow_cofactor(int64_t a, int64_t b, zl_i128 *s)
{
    int64_t p = 1, q = 0;
    while ((a | b) >> 32 && b) {
        int64_t by = a / b, rest = a - by * b, next = p - by * q;
        a = b, b = rest;
        p = q, q = next;
    }
    while (b) {
        uint32_t by = (uint32_t)a / (uint32_t)b, rest = (uint32_t)a - by * (uint32_t)b;
        int64_t next = p - (int64_t)by * q;
        a = b, b = rest;
        p = q, q = next;
    }
    *s = p;
    return a;
}

static zl_i128 cofactor(zl_i128 a, zl_i128 b, zl_i128 *s)
{
    zl_i128 p = 1, q = 0;
    if (is_narrow(a) && is_narrow(b)) return narrow_cofactor((int64_t)a, (int64_t)b, s);
    while (b) {
        zl_i128 by = quotient(a, b), rest = a - by * b, next = p - by * q;
        a = b, b = rest;
        p = q, q = next;
    }
    *s = p;
    return a;
}

/* g = s a + t b for a, b > 0. */
static zl_i128 cofactors(small *f, zl_i128 a, zl_i128 b, zl_i128 *s, zl_i128 *t)
{
    zl_i128 g = cofactor(a, b, s);
    *t = quotient(g - times(f, *s, a), b);
    return g;
}

/* The pivot's row and y become two combinations of determinant 1; y has 0 in that column. */
static void combine(small *f, zl_i128 *y, size_t col)
{
    zl_i128 *x = f->row[col], s, t, sign = y[col] < 0 ? -1 : 1;
    zl_i128 g = cofactors(f, x[col], y[col] * sign, &s, &t);
    zl_i128 p = quotient(x[col], g), q = quotient(y[col], g);
    t *= sign;
    for (size_t j = col + 1; j < f->cols; j++) {
        zl_i128 a = x[j], b = y[j];
        x[j] = kept(f, times(f, s, a) + times(f, t, b));
        y[j] = kept(f, times(f, p, b) - times(f, q, a));
    }
    x[col] = g;
    reduce_row(f, col);
}

static void place(small *f, const zl_i128 *y, size_t col)
{
    zl_i128 sign = y[col] < 0 ? -1 : 1;
    for (size_t j = col; j < f->cols; j++) f->row[col][j] = y[j] * sign;
    f->there[col] = true;
    reduce_row(f, col);
}

/* ---- the last reductions -------------------------------------------------------------------- */

typedef struct modulus {
    bool made;
    zl_i128 d; /* 0: there is none */
    zl_big_divisor by;
} modulus;

/* The product of the pivots, where every column has one and it is below 2^126; false: there is
 * none. */
static bool modulus_make(const small *f, modulus *m)
{
    unsigned bits = 0;
    if (m->made) return m->d;
    m->made = true;
    m->d = 1;
    for (size_t i = 0; i < f->cols; i++) {
        bits += f->there[i] ? bits_of(f->row[i][i]) : 127;
        m->d = bits > 126 ? 0 : m->d * f->row[i][i];
    }
    if (!m->d) return false;
    uint64_t d[2] = {(uint64_t)m->d, (uint64_t)(m->d >> 64)};
    zl_big_divisor_make(&m->by, d, d[1] ? 2 : 1);
    return true;
}

static zl_i128 rest(zl_i128 a, zl_i128 d)
{
    if (a >= 0 && a < d) return a;
    a %= d;
    return a < 0 ? a + d : a;
}

/* x - q y modulo d. */
static zl_i128 less_product(const modulus *m, zl_i128 x, zl_i128 q, zl_i128 y)
{
    zl_i128 a = rest(q, m->d), b = rest(y, m->d);
    uint64_t p[2] = {(uint64_t)a, (uint64_t)(a >> 64)}, r[2] = {(uint64_t)b, (uint64_t)(b >> 64)};
    uint64_t out[2] = {0, 0};
    zl_big_mulmod(out, p, r, &m->by);
    return rest(rest(x, m->d) - (zl_i128)((zl_u128)out[1] << 64 | out[0]), m->d);
}

/* Row i by the pivots behind its own, whose rows are reduced. */
static void reduce_last(small *f, size_t i, modulus *m)
{
    for (size_t j = i + 1; j < f->cols; j++) {
        if (!f->there[j]) continue;
        zl_i128 *x = f->row[i], *y = f->row[j], q = floored(x[j], y[j]);
        if (!q) continue;
        x[j] -= q * y[j];
        for (size_t l = j + 1; l < f->cols; l++) {
            bool fits = is_narrow(q) && is_narrow(y[l]);
            if (!fits) fits = bits_of(q) + bits_of(y[l]) <= 125 || !modulus_make(f, m);
            x[l] = fits ? kept(f, x[l] - times(f, q, y[l])) : less_product(m, x[l], q, y[l]);
        }
    }
}

static void reduce_all(small *f)
{
    modulus m;
    m.made = false;
    for (size_t i = f->cols; i-- && !f->overflow;)
        if (f->there[i]) reduce_last(f, i, &m);
}

static void insert(small *f, zl_i128 *y)
{
    for (size_t col = 0; col < f->cols && !f->overflow; col++) {
        if (!y[col]) continue;
        if (!f->there[col]) {
            place(f, y, col);
            return;
        }
        take_off(f, y, floored(y[col], f->row[col][col]), f->row[col], col);
        if (y[col]) combine(f, y, col);
    }
}

/* Rows by their pivots; the others are 0. */
static zlay_status put_wide(zlay_ctx *ctx, zlay_zmat **out, const small *f, size_t rows)
{
    uint64_t made[ROWS * SMALL][2];
    bool negative[ROWS * SMALL];
    size_t k = 0;
    for (size_t i = 0; i < f->cols; i++)
        for (size_t j = 0; j < f->cols && f->there[i]; j++, k++) {
            zl_i128 a = j < i ? 0 : f->row[i][j];
            zl_u128 size = a < 0 ? 0 - (zl_u128)a : (zl_u128)a;
            made[k][0] = (uint64_t)size, made[k][1] = (uint64_t)(size >> 64);
            negative[k] = a < 0;
        }
    for (; k < rows * f->cols; k++) made[k][0] = made[k][1] = negative[k] = 0;
    return zl_zmat_of_numbers(ctx, out, rows, f->cols, made[0], negative, 2);
}

static zlay_status put(zlay_ctx *ctx, zlay_zmat **out, const small *f, size_t rows)
{
    int64_t made[SMALL * SMALL];
    size_t k = 0;
    for (size_t i = 0; i < f->cols; i++)
        for (size_t j = 0; j < f->cols && f->there[i]; j++, k++) {
            zl_i128 a = j < i ? 0 : f->row[i][j];
            if (a != (int64_t)a) return put_wide(ctx, out, f, rows);
            made[k] = (int64_t)a;
        }
    zlay_status status = zl_zmat_block(ctx, out, rows, f->cols, 0);
    if (!status) memcpy((*out)->small, made, k * sizeof *made);
    return status;
}

/* Pivots but the last are minors of least - 1 rows at most: their bits say whether it is worth
 * a try. */
static bool is_small(const zlay_zmat *a)
{
    uint64_t any = 1;
    size_t least = a->rows < a->cols ? a->rows : a->cols;
    if (a->limbs || a->cols > SMALL || a->rows > ROWS) return false;
    for (size_t i = 0; i < a->rows * a->cols; i++) any |= zl_magnitude(a->small[i]);
    size_t bits = 65 - (size_t)__builtin_clzll(any);
    return least < 2 || (least - 1) * bits <= 66;
}

/* ---- two by two ----------------------------------------------------------------------------- */

static int64_t magnitude(int64_t a) { return a < 0 ? -a : a; }

/* gcd(a, c) = s a + t c, not both 0; |s| <= |c| and |t| <= |a|, or one of them is 1. */
static int64_t gcd_of_two(int64_t a, int64_t c, zl_i128 *s, zl_i128 *t)
{
    int64_t g = narrow_cofactor(magnitude(a), magnitude(c), s);
    if (a < 0) *s = -*s;
    *t = c ? quotient(g - *s * a, c) : 0;
    return g;
}

/* Of entries below 2^62, so that sums of two products are below 2^125. */
static void two_by_two(zl_i128 *h, const int64_t *a)
{
    zl_i128 s, t;
    h[0] = h[1] = h[2] = h[3] = 0;
    if (!a[0] && !a[2]) {
        if (a[1] || a[3]) h[1] = gcd_of_two(a[1], a[3], &s, &t);
        return;
    }
    h[0] = gcd_of_two(a[0], a[2], &s, &t);
    h[1] = s * a[1] + t * a[3];
    h[3] = quotient((zl_i128)a[0] * a[3] - (zl_i128)a[1] * a[2], h[0]);
    if (h[3] < 0) h[3] = -h[3];
    if (h[3]) h[1] -= floored(h[1], h[3]) * h[3];
}

static bool is_two_by_two(const zlay_zmat *a)
{
    uint64_t any = 0;
    if (a->limbs || a->rows != 2 || a->cols != 2) return false;
    for (size_t i = 0; i < 4; i++) any |= (uint64_t)(a->small[i] ^ a->small[i] >> 63);
    return any >> 62 == 0;
}

/* ZLAY_EOVERFLOW: an entry has more than 64 bits. */
static zlay_status put_two(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    zl_i128 h[4];
    two_by_two(h, a->small);
    if (!is_narrow(h[1]) || !is_narrow(h[3])) return ZLAY_EOVERFLOW;
    zlay_status status = zl_zmat_block(ctx, out, 2, 2, 0);
    for (size_t i = 0; i < 4 && !status; i++) (*out)->small[i] = (int64_t)h[i];
    return status;
}

zlay_status zl_hermite_small(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    small f;
    zlay_status status = is_two_by_two(a) ? put_two(ctx, out, a) : ZLAY_EOVERFLOW;
    if (status != ZLAY_EOVERFLOW) return status;
    if (!is_small(a)) return ZLAY_EOVERFLOW;
    f.cols = a->cols;
    f.overflow = false;
    for (size_t i = 0; i < a->cols; i++) f.there[i] = false;
    for (size_t i = 0; i < a->rows && !f.overflow; i++) {
        zl_i128 y[SMALL];
        for (size_t j = 0; j < a->cols; j++) y[j] = a->small[i * a->cols + j];
        insert(&f, y);
    }
    if (!f.overflow) reduce_all(&f);
    return f.overflow ? ZLAY_EOVERFLOW : put(ctx, out, &f, a->rows);
}
