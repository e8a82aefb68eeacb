/* SPDX-License-Identifier: Apache-2.0 */
/* Products of groups in host memory. Rows of groups lie below each other in A and D, or where they
 * are elements of K in A and B; what each group has of its own is one matrix below the other. So
 * the matrices of a group are runs of rows of the whole ones. */
#include "cli/groups.h"

#include <stdlib.h>
#include <string.h>

static bool in_k(const zlay_gemm *g)
{
    return g->ragged == ZLAY_RAGGED_K;
}

/* Extents of what each group has of its own, all together; 0: they pass 2^64. */
static uint64_t together(const zlay_gemm *g, uint64_t extent)
{
    uint64_t all;
    return __builtin_mul_overflow(extent, (uint64_t)(g->groups ? g->groups : 1), &all) ? 0 : all;
}

bool zl_groups_describe(zl_matrix *a, zl_matrix *b, zl_matrix *d, const int32_t *type,
                        const zlay_gemm *g)
{
    int32_t a_order = g->a_order ? g->a_order : ZLAY_ORDER_ROW,
            b_order = g->b_order ? g->b_order : ZLAY_ORDER_COLUMN;
    int32_t d_order = g->d_order ? g->d_order : ZLAY_ORDER_ROW;
    uint64_t d_rows = in_k(g) ? together(g, g->m) : g->m;
    uint64_t b_rows = !in_k(g) && b_order == ZLAY_ORDER_ROW ? together(g, g->k) : g->k;
    uint64_t b_columns = !in_k(g) && b_order == ZLAY_ORDER_COLUMN ? together(g, g->n) : g->n;
    return zl_matrix_describe(a, type[ZLAY_OPERAND_A], g->m, g->k, a_order, g->lda) &&
           zl_matrix_describe(b, type[ZLAY_OPERAND_B], b_rows, b_columns, b_order, g->ldb) &&
           zl_matrix_describe(d, type[ZLAY_OPERAND_D], d_rows, g->n, d_order, g->ldd);
}

static int less(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

uint64_t *zl_groups_draw(const zlay_gemm *g, uint64_t seed)
{
    uint64_t count = (uint64_t)g->groups + 1, rows = in_k(g) ? g->k : g->m;
    uint64_t *offsets = malloc(count * sizeof *offsets);
    for (uint64_t i = 0; offsets && i < count; i++)
        offsets[i] = zl_matrix_random(&seed) % (rows + 1);
    if (offsets) qsort(offsets, count, sizeof *offsets, less);
    return offsets;
}

/* The matrix from its `row`-th row of contiguous elements on. */
static zl_matrix from(const zl_matrix *all, uint64_t row)
{
    zl_matrix part = *all;
    part.bytes += row * all->pitch * all->element;
    return part;
}

zl_product zl_groups_product(const zl_matrix *a, const zl_matrix *b, const zl_matrix *d,
                             const zlay_gemm *g, const uint64_t *offsets, uint32_t i)
{
    uint64_t begin = offsets[i], rows = offsets[i + 1] - begin, own = b->by_rows ? g->k : g->n;
    if (in_k(g))
        return (zl_product){from(a, begin), from(b, begin), from(d, i * g->m), g->m, g->n, rows};
    return (zl_product){from(a, begin), from(b, i * own), from(d, begin), rows, g->n, g->k};
}

uint64_t zl_groups_changed(const zl_matrix *d, const zlay_gemm *g, const uint64_t *offsets)
{
    uint64_t changed = 0;
    for (uint64_t i = 0; i < g->m && !in_k(g); i++)
        for (uint64_t j = 0; j < g->n && (i < offsets[0] || i >= offsets[g->groups]); j++)
            changed += !zl_matrix_untouched(d, zl_matrix_at(d, i, j));
    return changed;
}
