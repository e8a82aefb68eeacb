/* SPDX-License-Identifier: Apache-2.0 */
/* The Hermite form of a small matrix, without transforms, in checked integers of 128 bits: rows
 * are put in one by one, each against the row that has its pivot in the same column (Kannan and
 * Bachem 1979), and entries above a pivot are reduced at once, so that numbers stay short. */
#include "algebra/zmat_alone.h"

#include "algebra/decide.h"

enum { SMALL = 8, ROWS = 16 };

typedef struct small {
    zl_wide row[SMALL][SMALL]; /* by the column of its pivot */
    bool there[SMALL];
    size_t cols;
    bool overflow;
} small;

static unsigned bits_of(zl_wide a)
{
    zl_u128 size = a < 0 ? 0 - (zl_u128)a : (zl_u128)a;
    uint64_t high = (uint64_t)(size >> 64), low = (uint64_t)size;
    if (high) return 128 - (unsigned)__builtin_clzll(high);
    return low ? 64 - (unsigned)__builtin_clzll(low) : 0;
}

/* Below 2^63, so that a product is below 2^126. */
static bool is_narrow(zl_wide a) { return a == (int64_t)a && a != INT64_MIN; }

static zl_wide times(small *f, zl_wide a, zl_wide b)
{
    if (is_narrow(a) && is_narrow(b)) return (zl_wide)(int64_t)a * (int64_t)b;
    if (bits_of(a) + bits_of(b) <= 126) return a * b;
    f->overflow = true;
    return 0;
}

/* Every entry and every product stays below 2^126, so that two of them have a sum. */
static zl_wide kept(small *f, zl_wide a)
{
    zl_wide bound = (zl_wide)1 << 126;
    if (a < bound && a > -bound) return a;
    f->overflow = true;
    return 0;
}

/* Division of 64 bits where that is enough. */
static zl_wide quotient(zl_wide a, zl_wide b)
{
    return is_narrow(a) && is_narrow(b) ? (int64_t)a / (int64_t)b : a / b;
}

/* floor(a / b), b > 0. */
static zl_wide floored(zl_wide a, zl_wide b)
{
    zl_wide q = quotient(a, b);
    return q * b > a ? q - 1 : q;
}

/* x -= q y, from a column on. */
static void take_off(small *f, zl_wide *x, zl_wide q, const zl_wide *y, size_t from)
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
static int64_t narrow_cofactor(int64_t a, int64_t b, zl_wide *s)
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

static zl_wide cofactor(zl_wide a, zl_wide b, zl_wide *s)
{
    zl_wide p = 1, q = 0;
    if (is_narrow(a) && is_narrow(b)) return narrow_cofactor((int64_t)a, (int64_t)b, s);
    while (b) {
        zl_wide by = quotient(a, b), rest = a - by * b, next = p - by * q;
        a = b, b = rest;
        p = q, q = next;
    }
    *s = p;
    return a;
}

/* g = s a + t b for a, b > 0. */
static zl_wide cofactors(small *f, zl_wide a, zl_wide b, zl_wide *s, zl_wide *t)
{
    zl_wide g = cofactor(a, b, s);
    *t = quotient(g - times(f, *s, a), b);
    return g;
}

/* The pivot's row and y become two combinations of determinant 1; y has 0 in that column. */
static void combine(small *f, zl_wide *y, size_t col)
{
    zl_wide *x = f->row[col], s, t, sign = y[col] < 0 ? -1 : 1;
    zl_wide g = cofactors(f, x[col], y[col] * sign, &s, &t);
    zl_wide p = quotient(x[col], g), q = quotient(y[col], g);
    t *= sign;
    for (size_t j = col + 1; j < f->cols; j++) {
        zl_wide a = x[j], b = y[j];
        x[j] = kept(f, times(f, s, a) + times(f, t, b));
        y[j] = kept(f, times(f, p, b) - times(f, q, a));
    }
    x[col] = g;
    reduce_row(f, col);
}

static void place(small *f, const zl_wide *y, size_t col)
{
    zl_wide sign = y[col] < 0 ? -1 : 1;
    for (size_t j = col; j < f->cols; j++) f->row[col][j] = y[j] * sign;
    f->there[col] = true;
    reduce_row(f, col);
}

static void insert(small *f, zl_wide *y)
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
static zlay_status put(zlay_ctx *ctx, zlay_zmat **out, const small *f, size_t rows)
{
    uint64_t made[ROWS * SMALL][2];
    bool negative[ROWS * SMALL];
    size_t k = 0;
    for (size_t i = 0; i < f->cols; i++)
        for (size_t j = 0; j < f->cols && f->there[i]; j++, k++) {
            zl_wide a = j < i ? 0 : f->row[i][j];
            zl_u128 size = a < 0 ? 0 - (zl_u128)a : (zl_u128)a;
            made[k][0] = (uint64_t)size, made[k][1] = (uint64_t)(size >> 64);
            negative[k] = a < 0;
        }
    for (; k < rows * f->cols; k++) made[k][0] = made[k][1] = negative[k] = 0;
    return zl_zmat_of_numbers(ctx, out, rows, f->cols, made[0], negative, 2);
}

/* Pivots but the last are minors of least - 1 rows at most: their bits say whether it is worth
 * a try. */
static bool is_small(const zlay_zmat *a)
{
    uint64_t any = 1;
    size_t least = a->rows < a->cols ? a->rows : a->cols;
    if (a->limbs || a->cols > SMALL || a->rows > ROWS) return false;
    for (size_t i = 0; i < a->rows * a->cols; i++)
        any |= a->small[i] < 0 ? 0 - (uint64_t)a->small[i] : (uint64_t)a->small[i];
    size_t bits = 65 - (size_t)__builtin_clzll(any);
    return least < 2 || (least - 1) * bits <= 66;
}

zlay_status zl_hermite_small(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a)
{
    small f;
    if (!is_small(a)) return ZLAY_EOVERFLOW;
    f.cols = a->cols;
    f.overflow = false;
    for (size_t i = 0; i < a->cols; i++) f.there[i] = false;
    for (size_t i = 0; i < a->rows && !f.overflow; i++) {
        zl_wide y[SMALL];
        for (size_t j = 0; j < a->cols; j++) y[j] = a->small[i * a->cols + j];
        insert(&f, y);
    }
    for (size_t i = a->cols; i-- && !f.overflow;)
        if (f.there[i]) reduce_row(&f, i);
    return f.overflow ? ZLAY_EOVERFLOW : put(ctx, out, &f, a->rows);
}
