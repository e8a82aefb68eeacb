/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices in host memory with small random integers, and the reference product that results are
 * compared with; sums of such integers are exact in double. Numbers become bits and bits numbers by
 * the widths of a type's exponent and fraction alone (IEEE 754; OCP 8-bit floating point), so that
 * no code of the model that is checked is asked. */
#include "cli/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32, EIGHT = 8, LEAST = -4, INTEGERS = 9, BYTE = 8 };

/* Of floats; an exponent of 0 bits means integers. */
typedef struct widths {
    int exponent, fraction;
} widths;

static widths widths_of(int32_t type)
{
    switch (type) {
    case ZLAY_TYPE_F16: return (widths){5, 10};
    case ZLAY_TYPE_BF16: return (widths){8, 7};
    case ZLAY_TYPE_E4M3: return (widths){4, 3};
    case ZLAY_TYPE_E5M2: return (widths){5, 2};
    case ZLAY_TYPE_TF32:
    case ZLAY_TYPE_F32: return (widths){8, 23};
    default: return (widths){0, 0};
    }
}

static uint32_t ones(int count) { return (uint32_t)(((uint64_t)1 << count) - 1); }

/* `infinite`: the last exponent is of infinity and NaN; else NaN has all ones there. */
static double float_value(widths w, bool infinite, uint32_t bits)
{
    int bias = (1 << (w.exponent - 1)) - 1;
    uint32_t fraction = bits & ones(w.fraction), exponent = bits >> w.fraction & ones(w.exponent);
    double sign = bits >> (w.fraction + w.exponent) & 1 ? -1 : 1;
    bool last = exponent == ones(w.exponent);
    if (last && fraction && (infinite || fraction == ones(w.fraction))) return (double)NAN;
    if (last && infinite) return sign * (double)INFINITY;
    uint32_t hidden = exponent ? 1u << w.fraction : 0;
    int scale = (exponent ? (int)exponent : 1) - bias - w.fraction;
    return sign * ldexp((double)(hidden | fraction), scale);
}

static double value_of(int32_t type, uint32_t bits)
{
    widths w = widths_of(type);
    if (w.exponent) return float_value(w, type != ZLAY_TYPE_E4M3, bits);
    if (type == ZLAY_TYPE_S8) return (double)(int8_t)bits;
    return type == ZLAY_TYPE_S32 ? (double)(int32_t)bits : (double)bits;
}

uint32_t zl_matrix_bits(int32_t type, double value)
{
    widths w = widths_of(type);
    int exponent;
    if (!w.exponent) return (uint32_t)(int64_t)value & ones((int)zlay_type_bits(type));
    int bias = (1 << (w.exponent - 1)) - 1;
    uint32_t sign = signbit(value) ? 1u << (w.exponent + w.fraction) : 0;
    uint32_t last = ones(w.exponent) << w.fraction;
    uint32_t quiet = type == ZLAY_TYPE_E4M3 ? ones(w.fraction) : 1u << (w.fraction - 1);
    if (isnan(value)) return last | quiet;
    if (isinf(value)) return sign | last;
    double size = fabs(value), half = frexp(size, &exponent);
    if (half == 0) return sign;
    int field = exponent - 1 + bias;
    if (field < 1) return sign | (uint32_t)ldexp(size, bias - 1 + w.fraction);
    uint32_t significand = (uint32_t)ldexp(half, w.fraction + 1);
    return sign | (uint32_t)field << w.fraction | (significand & ones(w.fraction));
}

bool zl_matrix_describe(zl_matrix *out, int32_t type, uint64_t rows, uint64_t columns,
                        int32_t order, uint64_t pitch)
{
    bool by_rows = order == ZLAY_ORDER_ROW;
    uint64_t inner = by_rows ? columns : rows, outer = by_rows ? rows : columns, bytes;
    *out = (zl_matrix){.type = type, .element = zlay_type_bits(type) / BYTE, .inner = inner,
                       .outer = outer, .by_rows = by_rows};
    out->pitch = pitch ? pitch : inner;
    if (!inner || !outer || out->pitch < inner) return false;
    if (__builtin_mul_overflow(outer - 1, out->pitch, &out->count) ||
        __builtin_add_overflow(out->count, inner, &out->count) ||
        __builtin_mul_overflow(out->count, (uint64_t)out->element, &bytes))
        return false;
    return bytes <= INT64_MAX;
}

void zl_matrix_types(int32_t *type, const zlay_plan *plan)
{
    zlay_plan_summary info;
    for (int32_t o = 0; o < 3; o++) type[o] = ZLAY_TYPE_BF16;
    if (zlay_plan_info(&info, plan)) return;
    type[ZLAY_OPERAND_A] = info.swapped ? info.mma.b : info.mma.a;
    type[ZLAY_OPERAND_B] = info.swapped ? info.mma.a : info.mma.b;
    type[ZLAY_OPERAND_D] = info.d_type;
}

bool zl_matrix_alloc(zl_matrix *matrix)
{
    matrix->bytes = malloc(matrix->count * matrix->element);
    if (matrix->bytes) memset(matrix->bytes, ZL_MATRIX_CANARY, matrix->count * matrix->element);
    return matrix->bytes;
}

void zl_matrix_free(zl_matrix *matrix)
{
    free(matrix->bytes);
    matrix->bytes = NULL;
}

static void put(zl_matrix *m, uint64_t at, uint32_t bits)
{
    uint8_t *to = m->bytes + at * m->element;
    for (uint32_t i = 0; i < m->element; i++) to[i] = (uint8_t)(bits >> BYTE * i);
}

static uint32_t get(const zl_matrix *m, uint64_t at)
{
    const uint8_t *from = m->bytes + at * m->element;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < m->element; i++) bits |= (uint32_t)from[i] << BYTE * i;
    return bits;
}

bool zl_matrix_untouched(const zl_matrix *m, uint64_t at)
{
    for (uint32_t i = 0; i < m->element; i++)
        if (m->bytes[at * m->element + i] != ZL_MATRIX_CANARY) return false;
    return true;
}

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t zl_matrix_random(uint64_t *state) { return mix(*state += 0x9e3779b97f4a7c15u); }

void zl_matrix_fill(zl_matrix *matrix, uint64_t seed)
{
    int32_t type = matrix->type, least = type == ZLAY_TYPE_U8 ? 0 : LEAST;
    uint32_t integers[INTEGERS];
    uint32_t outside = widths_of(type).exponent ? zl_matrix_bits(type, (double)NAN) : INT8_MAX;
    uint64_t state = mix(seed + 1);
    for (int i = 0; i < INTEGERS; i++) integers[i] = zl_matrix_bits(type, least + i);
    for (uint64_t i = 0; i < matrix->count; i++) {
        uint64_t random = zl_matrix_random(&state);
        put(matrix, i, i % matrix->pitch < matrix->inner ? integers[random % INTEGERS] : outside);
    }
}

double zl_matrix_value(const zl_matrix *m, uint64_t row, uint64_t column)
{
    return value_of(m->type, get(m, zl_matrix_at(m, row, column)));
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

/* What a type of 8 bits has no number for becomes its least or greatest. */
static double saturated(int32_t type, double value)
{
    double of_float = type == ZLAY_TYPE_E4M3 ? 448 : 57344;
    double of_whole = type == ZLAY_TYPE_U8 ? 255 : 127;
    double most = widths_of(type).exponent ? of_float : of_whole;
    double least = type == ZLAY_TYPE_U8 ? 0 : type == ZLAY_TYPE_S8 ? -128 : -most;
    if (zlay_type_bits(type) != BYTE) return value;
    return value < least ? least : value > most ? most : value;
}

double zl_matrix_round(int32_t type, double value)
{
    widths w = widths_of(type);
    int64_t integer = (int64_t)value, size = integer < 0 ? -integer : integer, place = 1;
    if (!w.exponent) return saturated(type, value);
    while (size / place >= (int64_t)2 << w.fraction) place *= 2;
    int64_t kept = size / place, rest = size % place;
    if (2 * rest > place || (2 * rest == place && kept % 2)) kept++;
    return saturated(type, (double)(integer < 0 ? -kept * place : kept * place));
}
