/* SPDX-License-Identifier: Apache-2.0 */
/* bf16 matrices in host memory with small random integers, and the reference product that
 * results are compared with; sums of such integers are exact in double. */
#include "cli/matrix.h"

#include <stdlib.h>
#include <string.h>

enum {
    NAN_BF16 = 0x7fc0,
    BITS = 8, /* of a significand, the hidden one included */
    DEPTH = 32,
    EIGHT = 8
};

bool zl_matrix_describe(zl_matrix *out, uint64_t rows, uint64_t columns, int32_t order,
                        uint64_t pitch)
{
    bool by_rows = order == ZLAY_ORDER_ROW;
    uint64_t inner = by_rows ? columns : rows, outer = by_rows ? rows : columns, bytes;
    *out = (zl_matrix){.inner = inner, .outer = outer, .by_rows = by_rows};
    out->pitch = pitch ? pitch : inner;
    if (!inner || !outer || out->pitch < inner) return false;
    if (__builtin_mul_overflow(outer - 1, out->pitch, &out->count) ||
        __builtin_add_overflow(out->count, inner, &out->count) ||
        __builtin_mul_overflow(out->count, sizeof *out->elements, &bytes))
        return false;
    return bytes <= INT64_MAX;
}

bool zl_matrix_alloc(zl_matrix *matrix)
{
    matrix->elements = malloc(matrix->count * sizeof *matrix->elements);
    for (uint64_t i = 0; matrix->elements && i < matrix->count; i++)
        matrix->elements[i] = ZL_MATRIX_CANARY;
    return matrix->elements;
}

void zl_matrix_free(zl_matrix *matrix)
{
    free(matrix->elements);
    matrix->elements = NULL;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void zl_matrix_fill(zl_matrix *matrix, uint64_t seed)
{
    static const uint16_t integers[] = {0xc080, 0xc040, 0xc000, 0xbf80, 0,
                                        0x3f80, 0x4000, 0x4040, 0x4080};
    uint64_t state = mix(seed + 1);
    for (uint64_t i = 0; i < matrix->count; i++) {
        uint64_t random = mix(state += 0x9e3779b97f4a7c15u);
        uint16_t value = integers[random % (sizeof integers / sizeof integers[0])];
        matrix->elements[i] = i % matrix->pitch < matrix->inner ? value : NAN_BF16;
    }
}

double zl_matrix_value(const zl_matrix *m, uint64_t row, uint64_t column)
{
    uint32_t bits = (uint32_t)m->elements[zl_matrix_at(m, row, column)] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Copies `depth` rows of B from row k on, zeros past the end, so that every block is whole. */
static void rows_of_b(double *out, const zl_matrix *b, uint64_t k, uint64_t depth, uint64_t column,
                      uint64_t columns)
{
    for (uint64_t i = 0; i < DEPTH; i++)
        for (uint64_t c = 0; c < ZL_PRODUCT_COLUMNS; c++)
            out[i * ZL_PRODUCT_COLUMNS + c] =
                i < depth && c < columns ? zl_matrix_value(b, k + i, column + c) : 0;
}

/* Adds one row's products. The inner loop has a fixed length, since GCC vectorises no other at
 * -O2. */
static void row_add(double *restrict sums, const double *restrict a, const double *restrict b,
                    uint64_t columns)
{
    for (uint64_t c = 0; c < columns; c += EIGHT) {
        double sum[EIGHT];
        for (uint64_t j = 0; j < EIGHT; j++) sum[j] = sums[c + j];
        for (uint64_t i = 0; i < DEPTH; i++)
            for (uint64_t j = 0; j < EIGHT; j++) sum[j] += a[i] * b[i * ZL_PRODUCT_COLUMNS + c + j];
        for (uint64_t j = 0; j < EIGHT; j++) sums[c + j] = sum[j];
    }
}

void zl_matrix_product(double *sums, const zl_matrix *a, const zl_matrix *b, uint64_t k,
                       const zl_block *block)
{
    double left[DEPTH], right[DEPTH * ZL_PRODUCT_COLUMNS];
    memset(sums, 0, block->rows * ZL_PRODUCT_COLUMNS * sizeof *sums);
    for (uint64_t at = 0; at < k; at += DEPTH) {
        uint64_t depth = k - at < DEPTH ? k - at : DEPTH;
        rows_of_b(right, b, at, depth, block->column, block->columns);
        for (uint64_t r = 0; r < block->rows; r++) {
            for (uint64_t i = 0; i < DEPTH; i++)
                left[i] = i < depth ? zl_matrix_value(a, block->row + r, at + i) : 0;
            row_add(sums + r * ZL_PRODUCT_COLUMNS, left, right, block->columns);
        }
    }
}

double zl_matrix_round(double value)
{
    int64_t integer = (int64_t)value, size = integer < 0 ? -integer : integer, place = 1;
    while (size / place >= 1 << BITS) place *= 2;
    int64_t kept = size / place, rest = size % place;
    if (2 * rest > place || (2 * rest == place && kept % 2)) kept++;
    return (double)(integer < 0 ? -kept * place : kept * place);
}
