/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix in host memory as a GEMM request describes it, and the reference product. */
#ifndef ZL_CLI_MATRIX_H
#define ZL_CLI_MATRIX_H

#include <stdbool.h>
#include <zlay/plan.h>

/* Each byte of memory which must not be written: no element of such bytes is a small integer. */
#define ZL_MATRIX_CANARY 0xa5

typedef struct zl_matrix {
    uint8_t *bytes;
    int32_t type;          /* ZLAY_TYPE_* of a GEMM's operand or result */
    uint32_t element;      /* bytes of one */
    uint64_t count;        /* up to the last element of the last row: no padding after that */
    uint64_t inner, outer; /* contiguous extent, and the other */
    uint64_t pitch;        /* elements */
    bool by_rows;          /* the second index is contiguous */
} zl_matrix;

/* Describe rows x columns; false when its bytes pass 2^63. */
bool zl_matrix_describe(zl_matrix *out, int32_t type, uint64_t rows, uint64_t columns,
                        int32_t order, uint64_t pitch);

/* The types of the matrices of the plan's request, by ZLAY_OPERAND_*. */
void zl_matrix_types(int32_t *type, const zlay_plan *plan);

/* Take memory; false when there is none. */
bool zl_matrix_alloc(zl_matrix *matrix);
void zl_matrix_free(zl_matrix *matrix);

/* A random number that the state repeats (splitmix64). */
uint64_t zl_matrix_random(uint64_t *state);

/* Integers in -4..4, of u8 0..8, that `seed` chooses; in the padding NaN, or the greatest byte. */
void zl_matrix_fill(zl_matrix *matrix, uint64_t seed);

static inline uint64_t zl_matrix_at(const zl_matrix *m, uint64_t row, uint64_t column)
{
    return m->by_rows ? row * m->pitch + column : column * m->pitch + row;
}

double zl_matrix_value(const zl_matrix *m, uint64_t row, uint64_t column);

/* Whether an element, by its number from the first on, still has the canary's bytes. */
bool zl_matrix_untouched(const zl_matrix *m, uint64_t at);

/* The bits of a number that the type has exactly, and of its NaN for NaN. */
uint32_t zl_matrix_bits(int32_t type, double value);

/* A block of a product: at most ZL_PRODUCT_COLUMNS columns. */
#define ZL_PRODUCT_COLUMNS 256
typedef struct zl_block {
    uint64_t row, rows, column, columns;
} zl_block;

/* A block of A B over all of K, by double sums, which are exact for such integers:
 * sums[r * ZL_PRODUCT_COLUMNS + c]. */
void zl_matrix_product(double *sums, const zl_matrix *a, const zl_matrix *b, uint64_t k,
                       const zl_block *block);

/* An integer rounded to a type of D, to nearest even. */
double zl_matrix_round(int32_t type, double value);

#endif
