/* SPDX-License-Identifier: Apache-2.0 */
/* The value of one node of a body at one element: comparisons, choices and conversions of intervals
 * here, arithmetic in body_interval.c, integers in body_integer.c, approximations in body_approx.c.
 * A condition is an interval of 0 and 1; where it is both, a choice is the hull of its two values. */
#include "sim/body.h"

/* ---- comparisons and choices ---------------------------------------------------------- */

static zlay_interval condition(bool always, bool ever)
{
    return (zlay_interval){always ? 1 : 0, ever ? 1 : 0};
}

static zlay_interval equal(zlay_interval a, zlay_interval b)
{
    bool points = a.low == a.high && b.low == b.high;
    return condition(points && a.low == b.low, a.low <= b.high && b.low <= a.high);
}

/* With NaN every comparison is false but !=, as in C. */
static zlay_interval compare(zl_body_op op, zlay_interval a, zlay_interval b)
{
    bool nan = zl_is_nan(a) || zl_is_nan(b);
    if (nan) return condition(op == ZL_BO_NE, op == ZL_BO_NE);
    if (zl_is_unknown(a) || zl_is_unknown(b)) return condition(false, true);
    zlay_interval same = equal(a, b);
    switch (op) {
    case ZL_BO_LT: return condition(a.high < b.low, a.low < b.high);
    case ZL_BO_LE: return condition(a.high <= b.low, a.low <= b.high);
    case ZL_BO_GT: return condition(b.high < a.low, b.low < a.high);
    case ZL_BO_GE: return condition(b.high <= a.low, b.low <= a.high);
    case ZL_BO_EQ: return same;
    default: return condition(same.high == 0, same.low == 0);
    }
}

static zlay_interval choice(const zlay_interval *args)
{
    if (args[0].low == args[0].high) return args[0].low != 0 ? args[1] : args[2];
    return zl_hull(args[1], args[2]);
}

/* ---- conversions ---------------------------------------------------------------------- */

/* Monotone, but between s32 and u32, where negative numbers come behind the others. */
static zlay_interval convert(zlay_interval a, int32_t from, int32_t to, int32_t round)
{
    bool wraps = zl_type_is_integer(from) && zl_body_class(to) == ZL_BODY_INT;
    zlay_interval all = {zl_integer_least(to), zl_integer_greatest(to)};
    if (zl_is_unknown(a)) return zl_type_is_integer(to) ? all : a;
    zlay_interval out = {zl_convert_number(a.low, from, to, round),
                         zl_convert_number(a.high, from, to, round)};
    return wraps && out.low > out.high ? all : out;
}

/* ---- one node ------------------------------------------------------------------------- */

static zlay_interval float_value(const zl_body_node *n, const zlay_interval *args)
{
    switch (n->op) {
    case ZL_BO_ADD: return zl_add_intervals(args[0], args[1], n->type);
    case ZL_BO_SUB: return zl_add_intervals(args[0], zl_negative_interval(args[1]), n->type);
    case ZL_BO_MUL: return zl_multiply_intervals(args[0], args[1], n->type);
    case ZL_BO_DIV: return zl_divide_intervals(args[0], args[1], n->type);
    case ZL_BO_NEG: return zl_negative_interval(args[0]);
    case ZL_BO_FMA: return zl_fma_intervals(args, n->type);
    case ZL_BO_MAX: return zl_max_intervals(args[0], args[1]);
    case ZL_BO_MIN: return zl_min_intervals(args[0], args[1]);
    case ZL_BO_ABS: return zl_magnitude_interval(args[0]);
    default: return zl_approximate(n->op, n->type, args[0]);
    }
}

zlay_interval zl_element_value(const zl_body_node *n, int32_t from, const zlay_interval *args)
{
    if (n->op == ZL_BO_CONVERT) return convert(args[0], from, n->type, n->round);
    if (n->op == ZL_BO_SELECT) return choice(args);
    if (zl_body_forms[n->op].kind == ZL_BODY_COMPARE) return compare(n->op, args[0], args[1]);
    if (zl_body_class(n->type) & (ZL_BODY_INT | ZL_BODY_CONDITION))
        return zl_integer_value(n->op, n->type, args);
    return float_value(n, args);
}
