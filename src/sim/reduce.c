/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates cp.reduce.async.bulk.tensor in tile mode: elements of shared memory are combined
 * into those of the tensor, with the rounding and flushing of each type. */
#include "sim/sim.h"

#include <string.h>

/* ---- half precision --------------------------------------------------------------- */

enum { HALF_INF = 0x7c00, HALF_NAN = 0x7fff };

/* A finite half in units of 2^-24, of which it is a whole number below 2^41. */
static int64_t half_units(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
    int64_t units = exponent ? (int64_t)(1024 + fraction) << (exponent - 1) : fraction;
    return bits >> 15 ? -units : units;
}

/* Rounds to the nearest half, ties to even; from 65520 (2^40 - 2^28 units) on the result is
 * infinite. */
static uint16_t half_of(uint64_t units)
{
    int shift = 0;
    while (units >> shift >= 2048) shift++;
    uint64_t half = shift ? (uint64_t)1 << (shift - 1) : 0,
             rest = units - (units >> shift << shift);
    uint64_t whole = units >> shift;
    if (shift && (rest > half || (rest == half && whole & 1))) whole++;
    if (whole == 2048) whole = 1024, shift++;
    if (whole < 1024) return (uint16_t)whole;
    return shift >= 30 ? HALF_INF : (uint16_t)((uint64_t)(shift + 1) << 10 | (whole & 0x3ff));
}

static uint16_t half_add(uint16_t a, uint16_t b)
{
    bool wide_a = (a & HALF_INF) == HALF_INF, wide_b = (b & HALF_INF) == HALF_INF;
    if ((a & 0x7fff) > HALF_INF || (b & 0x7fff) > HALF_INF) return HALF_NAN;
    if (wide_a && wide_b && a != b) return HALF_NAN;
    if (wide_a || wide_b) return wide_a ? a : b;
    int64_t sum = half_units(a) + half_units(b);
    if (!sum) return a & b & 0x8000;
    return (uint16_t)(half_of((uint64_t)(sum < 0 ? -sum : sum)) | (sum < 0 ? 0x8000 : 0));
}

/* ---- one element -------------------------------------------------------------------- */

static bool is_float(int32_t type)
{
    return type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_BF16 || type == ZLAY_TYPE_F32 ||
           type == ZLAY_TYPE_F64;
}

static bool is_signed(int32_t type) { return type == ZLAY_TYPE_S32 || type == ZLAY_TYPE_S64; }

/* A subnormal float is a zero of its sign. */
static uint32_t flushed(uint32_t bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }

static uint64_t double_add(uint64_t a, uint64_t b)
{
    double x, y, sum;
    uint64_t bits;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    sum = x + y;
    memcpy(&bits, &sum, sizeof bits);
    return bits;
}

static uint64_t float_add(uint64_t a, uint64_t b, int32_t type)
{
    uint32_t x = (uint32_t)a, y = (uint32_t)b, word;
    if (type == ZLAY_TYPE_F64) return double_add(a, b);
    if (type == ZLAY_TYPE_F16) return half_add((uint16_t)a, (uint16_t)b);
    if (type == ZLAY_TYPE_BF16)
        return zlay_sim_bf16(zlay_sim_float((uint16_t)a) + zlay_sim_float((uint16_t)b));
    float sum = zl_float_of(flushed(x)) + zl_float_of(flushed(y));
    memcpy(&word, &sum, sizeof word);
    return flushed(word);
}

/* Numbers of a 16-bit type as integers of the same order; both zeros are one. */
static int32_t float_order(uint64_t bits)
{
    int32_t magnitude = (int32_t)(bits & 0x7fff);
    return bits >> 15 & 1 ? -magnitude : magnitude;
}

static int64_t extended(uint64_t value, uint32_t size)
{
    return size == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static bool less(uint64_t a, uint64_t b, int32_t type, uint32_t size)
{
    if (is_float(type)) return float_order(a) < float_order(b);
    return is_signed(type) ? extended(a, size) < extended(b, size) : a < b;
}

/* PTX ISA, atom: inc wraps at the operand, dec starts from it again. */
static uint64_t counted(uint64_t old, uint64_t operand, int32_t op)
{
    if (op == ZLAY_REDUCE_INC) return old >= operand ? 0 : old + 1;
    return old == 0 || old > operand ? operand : old - 1;
}

static uint64_t reduced(uint64_t old, uint64_t operand, int32_t op, int32_t type, uint32_t size)
{
    switch (op) {
    case ZLAY_REDUCE_ADD: return is_float(type) ? float_add(old, operand, type) : old + operand;
    case ZLAY_REDUCE_MIN: return less(operand, old, type, size) ? operand : old;
    case ZLAY_REDUCE_MAX: return less(old, operand, type, size) ? operand : old;
    case ZLAY_REDUCE_AND: return old & operand;
    case ZLAY_REDUCE_OR: return old | operand;
    case ZLAY_REDUCE_XOR: return old ^ operand;
    default: return counted(old, operand, op);
    }
}

/* PTX ISA 9.1, cp.reduce.async.bulk.tensor, written from its list and not from the rules' rows; f64
 * and the lack of bits of s64 from an H200. */
static bool takes(int32_t op, int32_t type)
{
    bool words = type == ZLAY_TYPE_U32 || type == ZLAY_TYPE_S32 || type == ZLAY_TYPE_U64;
    bool halves = type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_BF16;
    switch (op) {
    case ZLAY_REDUCE_ADD: return words || halves || type == ZLAY_TYPE_F32 || type == ZLAY_TYPE_F64;
    case ZLAY_REDUCE_MIN:
    case ZLAY_REDUCE_MAX: return words || halves || type == ZLAY_TYPE_S64;
    case ZLAY_REDUCE_INC:
    case ZLAY_REDUCE_DEC: return type == ZLAY_TYPE_U32;
    case ZLAY_REDUCE_AND:
    case ZLAY_REDUCE_OR:
    case ZLAY_REDUCE_XOR: return words;
    default: return false;
    }
}

/* ---- boxes ---------------------------------------------------------------------------- */

static void row_reduce(const zl_box *box, const zl_sim_row *row, const zlay_sim_smem *smem,
                       const zlay_sim_global *global, int32_t op)
{
    for (uint64_t at = row->from; at < row->to; at += box->element) {
        uint64_t old = 0, operand = 0;
        uint64_t address = zl_sim_swizzle(row->shared + at, box->map->swizzle);
        uint8_t *cell = global->bytes + row->global + (at - row->from);
        memcpy(&operand, smem->bytes + (address - smem->origin), box->element);
        memcpy(&old, cell, box->element);
        uint64_t value = reduced(old, operand, op, box->map->type, box->element);
        memcpy(cell, &value, box->element);
    }
}

zlay_status zlay_sim_tensor_reduce(int32_t *fault, uint32_t *bytes, const zlay_sim_smem *smem,
                                   zlay_sim_global *global, const zlay_sim_copy *copy, int32_t op)
{
    zl_box box;
    if (!fault || !bytes || !copy || !copy->map || !takes(op, copy->map->type)) return ZLAY_EINVAL;
    zlay_status status = zl_tensor_begin(&box, smem, global, copy);
    if (!status) status = zl_store_check(copy->map);
    if (status) return status;
    box.granule = ZL_STORE_GRANULE;
    *fault = zl_tensor_fault(&box, smem, global, true);
    if (*fault) return ZLAY_OK;
    for (uint64_t i = 0; i < box.rows; i++) {
        zl_sim_row row = zl_box_row(&box, i);
        row_reduce(&box, &row, smem, global, op);
    }
    *bytes = (uint32_t)(box.rows * box.row_bytes);
    return ZLAY_OK;
}
