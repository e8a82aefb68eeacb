/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of the minor that Cramer's rule divides by, modulo a small prime p, by Gauss-Jordan
 * elimination: vectors x with M x = 0 (right) or x M = 0 (left).  A right one says which condition
 * modulo p all rows of M fulfil; a left one which columns lie outside of what M's columns span. */
#include "algebra/integer/cramer.h"

typedef struct table {
    uint32_t at[ZL_CRAMER_SIDE][ZL_CRAMER_SIDE];
    size_t n, rank, row[ZL_CRAMER_SIDE]; /* row: of the column's pivot, n where it has none */
} table;

static uint32_t residue(int64_t a, uint32_t p)
{
    int64_t rest = a % (int64_t)p;
    return (uint32_t)(rest < 0 ? rest + (int64_t)p : rest);
}

static void load(table *t, const zl_cramer *z, uint32_t p, bool left)
{
    t->n = z->rank;
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->n; j++) {
            uint32_t x = residue(z->a[z->row[i] * z->cols + z->col[j]], p);
            *(left ? &t->at[j][i] : &t->at[i][j]) = x;
        }
}

static uint32_t inverse_of(uint32_t a, uint32_t p)
{
    uint32_t x = 1;
    while (x * a % p != 1) x++;
    return x;
}

static void swap_rows(table *t, size_t i, size_t j)
{
    for (size_t k = 0; k < t->n && i != j; k++) {
        uint32_t x = t->at[i][k];
        t->at[i][k] = t->at[j][k], t->at[j][k] = x;
    }
}

/* The pivot's row gets 1, and all others 0 in that column. */
static void clear(table *t, size_t r, size_t col, uint32_t p)
{
    uint32_t *x = t->at[r], by = inverse_of(x[col], p);
    for (size_t j = col; j < t->n; j++) x[j] = x[j] * by % p;
    for (size_t i = 0; i < t->n; i++) {
        uint32_t *y = t->at[i], less = p - y[col];
        if (i == r || less == p) continue;
        for (size_t j = col; j < t->n; j++) y[j] = (y[j] + less * x[j]) % p;
    }
}

static void reduce(table *t, uint32_t p)
{
    t->rank = 0;
    for (size_t col = 0; col < t->n; col++) {
        size_t i = t->rank;
        while (i < t->n && !t->at[i][col]) i++;
        t->row[col] = i < t->n ? t->rank : t->n;
        if (i == t->n) continue;
        swap_rows(t, i, t->rank);
        clear(t, t->rank++, col, p);
    }
}

/* Of each column without a pivot, up to `most`: how the pivots' columns make it. */
static size_t vectors(uint8_t *out, const table *t, uint32_t p, size_t most)
{
    size_t count = 0;
    for (size_t col = 0; col < t->n && count < most; col++) {
        if (t->row[col] < t->n) continue;
        uint8_t *x = out + count++ * t->n;
        for (size_t j = 0; j < t->n; j++)
            x[j] = t->row[j] < t->n ? (uint8_t)((p - t->at[t->row[j]][col]) % p) : j == col;
    }
    return count;
}

static size_t kernel(uint8_t *out, const zl_cramer *z, uint32_t p, bool left, size_t most)
{
    table t;
    load(&t, z, p, left);
    reduce(&t, p);
    return vectors(out, &t, p, most);
}

/* Compiled for their prime, so that a division by it is a product. */
__attribute__((flatten)) static size_t kernel_2(uint8_t *out, const zl_cramer *z, bool left,
                                                size_t most)
{
    return kernel(out, z, 2, left, most);
}

__attribute__((flatten)) static size_t kernel_3(uint8_t *out, const zl_cramer *z, bool left,
                                                size_t most)
{
    return kernel(out, z, 3, left, most);
}

size_t zl_cramer_kernel(uint8_t *out, const zl_cramer *z, unsigned p, bool left, size_t most)
{
    if (p == 2) return kernel_2(out, z, left, most);
    return p == 3 ? kernel_3(out, z, left, most) : kernel(out, z, p, left, most);
}
