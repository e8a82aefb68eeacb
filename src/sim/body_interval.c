/* SPDX-License-Identifier: Apache-2.0 */
/* Interval arithmetic on floating-point values of a body (Moore, "Interval Analysis", 1966): every
 * operation is computed in double and rounded once to its type, at each end or corner. Rounding is
 * monotone, so the ends bound what any value between them gives. Twice the precision and two bits
 * more are in a double, so rounding twice is harmless for sums and products (Figueroa, "When is
 * double rounding innocuous?", 1995); the sum of an fma is rounded to odd first (Boldo and
 * Melquiond, "Emulation of FMA and correctly rounded sums", 2008). */
#include "sim/body.h"

#include <math.h>
#include <string.h>

/* ---- kinds of intervals --------------------------------------------------------------- */

bool zl_is_nan(zlay_interval a) { return isnan(a.low) && isnan(a.high); }

bool zl_is_unknown(zlay_interval a) { return isnan(a.low) && !isnan(a.high); }

bool zl_is_exact(zlay_interval a)
{
    return zl_is_nan(a) || (a.low == a.high && signbit(a.low) == signbit(a.high));
}

zlay_interval zl_unknown(void) { return (zlay_interval){(double)NAN, (double)INFINITY}; }

static zlay_interval not_a_number(void) { return zl_exactly((double)NAN); }

double zl_lesser(double a, double b) { return a < b || (a == b && signbit(a)) ? a : b; }

double zl_greater(double a, double b) { return a > b || (a == b && signbit(b)) ? a : b; }

zlay_interval zl_hull(zlay_interval a, zlay_interval b)
{
    if (zl_is_nan(a) && zl_is_nan(b)) return a;
    if (isnan(a.low) || isnan(b.low)) return zl_unknown();
    return (zlay_interval){zl_lesser(a.low, b.low), zl_greater(a.high, b.high)};
}

static bool has_zero(zlay_interval a) { return a.low <= 0 && a.high >= 0; }

static bool has_infinity(zlay_interval a) { return isinf(a.low) || isinf(a.high); }

/* Whether a sum may be of infinities of different sign. */
static bool may_cancel(zlay_interval a, zlay_interval b)
{
    double inf = (double)INFINITY;
    return (a.high == inf && b.low == -inf) || (a.low == -inf && b.high == inf);
}

/* Whether a product may be of zero and infinity. */
static bool may_vanish(zlay_interval a, zlay_interval b)
{
    return (has_zero(a) && has_infinity(b)) || (has_infinity(a) && has_zero(b));
}

/* NaN where an argument is NaN, unknown where one may be; false: all are numbers. */
static bool spoilt(zlay_interval *out, const zlay_interval *args, int count)
{
    bool nan = false, unknown = false;
    for (int i = 0; i < count; i++) {
        nan |= zl_is_nan(args[i]);
        unknown |= zl_is_unknown(args[i]);
    }
    *out = nan ? not_a_number() : zl_unknown();
    return nan || unknown;
}

/* ---- arithmetic ----------------------------------------------------------------------- */

static zlay_interval rounded(double low, double high, int32_t type)
{
    return (zlay_interval){zl_round_to(low, type, ZL_ROUND_NEAREST),
                           zl_round_to(high, type, ZL_ROUND_NEAREST)};
}

zlay_interval zl_negative_interval(zlay_interval a)
{
    return zl_is_unknown(a) ? a : (zlay_interval){-a.high, -a.low};
}

zlay_interval zl_add_intervals(zlay_interval a, zlay_interval b, int32_t type)
{
    zlay_interval out, args[2] = {a, b};
    if (spoilt(&out, args, 2)) return out;
    if (may_cancel(a, b) && !(zl_is_exact(a) && zl_is_exact(b))) return zl_unknown();
    return rounded(a.low + b.low, a.high + b.high, type);
}

/* Of numbers without rounding: a product of two values has no more than 48 bits. */
static zlay_interval product(zlay_interval a, zlay_interval b)
{
    if (zl_is_exact(a) && zl_is_exact(b)) return zl_exactly(a.low * b.low);
    double corner[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    zlay_interval out = zl_exactly(corner[0]);
    for (int i = 1; i < 4; i++) out = zl_hull(out, zl_exactly(corner[i]));
    return out;
}

zlay_interval zl_multiply_intervals(zlay_interval a, zlay_interval b, int32_t type)
{
    zlay_interval out, args[2] = {a, b};
    if (spoilt(&out, args, 2)) return out;
    if (may_vanish(a, b) && !(zl_is_exact(a) && zl_is_exact(b))) return zl_unknown();
    out = product(a, b);
    return rounded(out.low, out.high, type);
}

/* Zeros of both signs, or infinities on both sides, have no quotient between those of the ends. */
zlay_interval zl_divide_intervals(zlay_interval a, zlay_interval b, int32_t type)
{
    zlay_interval out, args[2] = {a, b};
    if (spoilt(&out, args, 2)) return out;
    bool exact = zl_is_exact(a) && zl_is_exact(b);
    if (!exact && (has_zero(b) || (has_infinity(a) && has_infinity(b)))) return zl_unknown();
    double corner[4] = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
    out = zl_exactly(corner[0]);
    for (int i = 1; i < 4 && !exact; i++) out = zl_hull(out, zl_exactly(corner[i]));
    return rounded(out.low, out.high, type);
}

/* The sum, truncated to a double whose last bit is 1 where the sum is not exact. */
static double sum_to_odd(double a, double b)
{
    double sum = a + b, part = sum - a;
    uint64_t bits;
    if (!isfinite(sum)) return sum;
    double error = (a - (sum - part)) + (b - part);
    memcpy(&bits, &sum, sizeof bits);
    if (error == 0 || bits & 1) return sum;
    return nextafter(sum, error > 0 ? (double)INFINITY : -(double)INFINITY);
}

zlay_interval zl_fma_intervals(const zlay_interval *args, int32_t type)
{
    zlay_interval out, p, c = args[2];
    bool exact = zl_is_exact(args[0]) && zl_is_exact(args[1]);
    if (spoilt(&out, args, 3)) return out;
    if (may_vanish(args[0], args[1])) return exact ? not_a_number() : zl_unknown();
    p = product(args[0], args[1]);
    if (may_cancel(p, c) && !(exact && zl_is_exact(c))) return zl_unknown();
    return rounded(sum_to_odd(p.low, c.low), sum_to_odd(p.high, c.high), type);
}

/* min and max leave a NaN out; where one may be NaN, the other bounds the result on one side. */
zlay_interval zl_max_intervals(zlay_interval a, zlay_interval b)
{
    if (zl_is_nan(a) || zl_is_nan(b)) return zl_is_nan(a) ? b : a;
    if (zl_is_unknown(a) && zl_is_unknown(b)) return a;
    if (zl_is_unknown(a) || zl_is_unknown(b))
        return (zlay_interval){zl_is_unknown(a) ? b.low : a.low, (double)INFINITY};
    return (zlay_interval){zl_greater(a.low, b.low), zl_greater(a.high, b.high)};
}

zlay_interval zl_min_intervals(zlay_interval a, zlay_interval b)
{
    return zl_negative_interval(zl_max_intervals(zl_negative_interval(a), zl_negative_interval(b)));
}

zlay_interval zl_magnitude_interval(zlay_interval a)
{
    if (isnan(a.low) || !signbit(a.low)) return a;
    if (signbit(a.high)) return (zlay_interval){-a.high, -a.low};
    return (zlay_interval){0, zl_greater(-a.low, a.high)};
}
