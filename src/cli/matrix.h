/* SPDX-License-Identifier: Apache-2.0 */
/* A bf16 matrix in host memory as a GEMM request describes it, and the reference product. */
#ifndef ZL_CLI_MATRIX_H
#define ZL_CLI_MATRIX_H

#include <stdbool.h>
#include <zlay/plan.h>

/* The canary that fills memory which must not be written: neither an integer nor a NaN. */
#define ZL_MATRIX_CANARY 0xa5a5

typedef struct zl_matrix {
    uint16_t *elements;
    uint64_t count;        /* up to the last element of the last row: no padding after that */
    uint64_t inner, outer; /* contiguous extent, and the other */
    uint64_t pitch;        /* elements */
    bool by_rows;          /* the second index is contiguous */
} zl_matrix;

/* Describe rows x columns; false when its bytes pass 2^63. */
bool zl_matrix_describe(zl_matrix *out, uint64_t rows, uint64_t columns, int32_t order,
                        uint64_t pitch);

/* Take memory; false when there is none. */
bool zl_matrix_alloc(zl_matrix *matrix);
void zl_matrix_free(zl_matrix *matrix);

/* Integers in -4..4 that `seed` chooses, NaN in the padding. */
void zl_matrix_fill(zl_matrix *matrix, uint64_t seed);

static inline uint64_t zl_matrix_at(const zl_matrix *m, uint64_t row, uint64_t column)
{
    return m->by_rows ? row * m->pitch + column : column * m->pitch + row;
}

double zl_matrix_value(const zl_matrix *m, uint64_t row, uint64_t column);

/* A block of a product: at most ZL_PRODUCT_COLUMNS columns. */
#define ZL_PRODUCT_COLUMNS 256
typedef struct zl_block {
    uint64_t row, rows, column, columns;
} zl_block;

/* A block of A B over all of K, by double sums, which are exact for such integers:
 * sums[r * ZL_PRODUCT_COLUMNS + c]. */
void zl_matrix_product(double *sums, const zl_matrix *a, const zl_matrix *b, uint64_t k,
                       const zl_block *block);

/* An integer rounded to bf16, to nearest even. */
double zl_matrix_round(double value);

#endif
