/* SPDX-License-Identifier: Apache-2.0 */
/* Cramer's rule by cofactors in 128 bits, where the first rows and columns of a matrix with up to
 * four of one of them are independent and no minor has more than 126 bits; see cramer.h. */
#include "algebra/integer/cramer.h"

/* Numbers are taken modulo 2^128: sums on the way may be longer than the minor that they make. */
typedef struct cofactors {
    int64_t a[4][4];
    zl_u128 c[4][4]; /* c[j][i]: (-1)^(i + j) times the minor without row i and column j */
    size_t n;
} cofactors;

static zl_u128 wide(int64_t a) { return (zl_u128)(zl_i128)a; }

static zl_u128 det_2(const int64_t *p, const int64_t *q, size_t i, size_t j)
{
    return wide(p[i]) * wide(q[j]) - wide(p[j]) * wide(q[i]);
}

/* Three rows, without column `less` of four; with 3, the first three columns. */
static zl_u128 det_3(const int64_t *p, const int64_t *q, const int64_t *r, size_t less)
{
    size_t x = less == 0, y = less < 2 ? 2 : 1, z = less == 3 ? 2 : 3;
    return wide(p[x]) * det_2(q, r, y, z) - wide(p[y]) * det_2(q, r, x, z)
           + wide(p[z]) * det_2(q, r, x, y);
}

static zl_u128 minor_without(const cofactors *f, size_t i, size_t j)
{
    const int64_t *row[3] = {0};
    for (size_t k = 0, l = 0; k < f->n; k++)
        if (k != i) row[l++] = f->a[k];
    if (f->n == 4) return det_3(row[0], row[1], row[2], j);
    if (f->n == 3) return det_2(row[0], row[1], j == 0, j == 2 ? 1 : 2);
    return f->n == 2 ? wide(row[0][!j]) : 1;
}

/* The determinant. */
static zl_u128 fill(cofactors *f)
{
    zl_u128 det = 0;
    for (size_t i = 0; i < f->n; i++)
        for (size_t j = 0; j < f->n; j++) {
            zl_u128 minor = minor_without(f, i, j);
            f->c[j][i] = (i + j) % 2 ? 0 - minor : minor;
        }
    for (size_t j = 0; j < f->n; j++) det += wide(f->a[0][j]) * f->c[j][0];
    return det;
}

/* x modulo 2^61 - 1, but for its sign and a few multiples of that prime. */
static zl_i128 fold(zl_i128 x)
{
    static const zl_i128 low = ((zl_i128)1 << 61) - 1;
    x = (x & low) + (x >> 61);
    return (x & low) + (x >> 61);
}

/* A determinant that is 0 modulo 2^128 is 0 where it is below 2^188 and 0 modulo 2^61 - 1 too. */
static bool is_zero(const cofactors *f)
{
    static const int64_t prime = ((int64_t)1 << 61) - 1;
    zl_i128 sum = 0;
    for (size_t j = 0; j < f->n; j++) sum += fold(f->a[0][j]) * fold((zl_i128)f->c[j][0]);
    return (int64_t)fold(sum) % prime == 0;
}

static void store(zl_cramer *z, size_t k, zl_u128 x)
{
    bool negative = x >> 127;
    zl_u128 size = negative ? 0 - x : x;
    z->negative[k] = negative;
    z->value[k * z->limbs] = (uint64_t)size;
    z->value[k * z->limbs + 1] = (uint64_t)(size >> 64);
}

/* Column j of [b, a's columns behind the first n], times the cofactors. */
static void store_column(zl_cramer *z, const cofactors *f, size_t j)
{
    const int64_t *from = j < z->more ? z->b + j : z->a + f->n + j - z->more;
    size_t step = j < z->more ? z->more : z->cols;
    for (size_t i = 0; i < f->n; i++) {
        zl_u128 sum = 0;
        for (size_t l = 0; l < f->n; l++) sum += wide(from[l * step]) * f->c[i][l];
        store(z, 1 + j * f->n + i, sum);
    }
}

/* A square matrix of determinant 0 has rank n - 1 where its first minor of that order is not 0. */
static bool lower_rank(zl_cramer *z, cofactors *f)
{
    if (z->rows != z->cols || !f->c[f->n - 1][f->n - 1] || !is_zero(f)) return false;
    f->n--;
    return true;
}

bool zl_cramer_small(zl_cramer *z, double bits, double less)
{
    cofactors f = {.n = z->rows < z->cols ? z->rows : z->cols};
    if (!f.n || f.n > 4 || less > 128 || bits > 187) return false;
    for (size_t i = 0; i < f.n; i++)
        for (size_t j = 0; j < f.n; j++) f.a[i][j] = z->a[i * z->cols + j];
    zl_u128 det = fill(&f);
    if (!det && lower_rank(z, &f)) det = fill(&f);
    else if (bits > 128) return false;
    if (!det) return false;
    z->limbs = 2;
    z->rank = f.n;
    for (size_t i = 0; i < z->cols; i++) z->col[i] = i;
    size_t there = z->more + z->cols - f.n;
    z->solved = there < z->wanted ? there : z->wanted;
    store(z, 0, det);
    for (size_t j = 0; j < z->solved; j++) store_column(z, &f, j);
    return true;
}
