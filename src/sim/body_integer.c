/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of a body on 32-bit integers and on conditions. Sums and products wrap; a shift by 32
 * or more leaves no bit of the number but its sign (PTX ISA, shl and shr). Of an interval the ends
 * are kept while they fit the type; otherwise every value of the type is possible. */
#include "sim/body.h"

/* The bits of a value. */
static uint32_t bits_of(double x) { return (uint32_t)(int64_t)x; }

static double value_of(uint32_t bits, int32_t type)
{
    return type == ZLAY_TYPE_U32 ? (double)bits : (double)(int32_t)bits;
}

static zlay_interval all_of(int32_t type)
{
    return (zlay_interval){zl_integer_least(type), zl_integer_greatest(type)};
}

/* ---- exact ---------------------------------------------------------------------------- */

static uint32_t shifted_right(uint32_t a, uint32_t by, int32_t type)
{
    bool sign = type == ZLAY_TYPE_S32 && a >> 31;
    uint32_t fill = sign ? UINT32_MAX : 0;
    if (by >= 32) return fill;
    return by ? a >> by | (fill << (32 - by)) : a;
}

static uint32_t bits_value(zl_body_op op, int32_t type, uint32_t a, uint32_t b)
{
    switch (op) {
    case ZL_BO_ADD: return a + b;
    case ZL_BO_SUB: return a - b;
    case ZL_BO_MUL: return a * b;
    case ZL_BO_NEG: return 0 - a;
    case ZL_BO_AND: return a & b;
    case ZL_BO_OR: return a | b;
    case ZL_BO_XOR: return a ^ b;
    case ZL_BO_SHL: return b < 32 ? a << b : 0;
    default: return shifted_right(a, b, type);
    }
}

/* ---- intervals ------------------------------------------------------------------------ */

static zlay_interval fitting(zl_i128 low, zl_i128 high, int32_t type)
{
    zlay_interval all = all_of(type);
    if (low < (zl_i128)all.low || high > (zl_i128)all.high) return all;
    return (zlay_interval){(double)low, (double)high};
}

static zlay_interval product_range(const zlay_interval *args, int32_t type)
{
    zl_i128 low = 0, high = 0;
    for (int i = 0; i < 4; i++) {
        zl_i128 a = (zl_i128)(i & 1 ? args[0].high : args[0].low);
        zl_i128 b = (zl_i128)(i & 2 ? args[1].high : args[1].low);
        if (!i || a * b < low) low = a * b;
        if (!i || a * b > high) high = a * b;
    }
    return fitting(low, high, type);
}

static zlay_interval range_value(zl_body_op op, int32_t type, const zlay_interval *args)
{
    zl_i128 a = (zl_i128)args[0].low, b = (zl_i128)args[0].high;
    switch (op) {
    case ZL_BO_ADD: return fitting(a + (zl_i128)args[1].low, b + (zl_i128)args[1].high, type);
    case ZL_BO_SUB: return fitting(a - (zl_i128)args[1].high, b - (zl_i128)args[1].low, type);
    case ZL_BO_MUL: return product_range(args, type);
    case ZL_BO_NEG: return fitting(-b, -a, type);
    default: return all_of(type);
    }
}

static zlay_interval condition_value(zl_body_op op, const zlay_interval *args)
{
    zlay_interval a = args[0], b = args[1];
    bool known = a.low == a.high && b.low == b.high;
    switch (op) {
    case ZL_BO_AND: return zl_min_intervals(a, b);
    case ZL_BO_OR: return zl_max_intervals(a, b);
    default: return known ? zl_exactly(a.low != b.low) : (zlay_interval){0, 1};
    }
}

zlay_interval zl_integer_value(zl_body_op op, int32_t type, const zlay_interval *args)
{
    bool one = zl_body_forms[op].args == 1;
    if (type == ZL_BODY_BOOL) return condition_value(op, args);
    if (op == ZL_BO_MAX) return zl_max_intervals(args[0], args[1]);
    if (op == ZL_BO_MIN) return zl_min_intervals(args[0], args[1]);
    if (args[0].low != args[0].high || (!one && args[1].low != args[1].high))
        return range_value(op, type, args);
    uint32_t b = one ? 0 : bits_of(args[1].low);
    return zl_exactly(value_of(bits_value(op, type, bits_of(args[0].low), b), type));
}
