/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds doubles to the types of a body, and converts between them as the PTX ISA's cvt does. A
 * number is split by frexp, its significand is rounded as a whole number, so subnormal results need
 * no case of their own. The argument of a conversion is exact in a double. */
#include "sim/body.h"

#include <math.h>

typedef struct float_format {
    int precision;   /* bits of a significand, the first of them included */
    int least;       /* exponent of the least subnormal number */
    double greatest; /* finite */
    bool saturates;  /* numbers beyond `greatest` become that */
    bool one_zero;   /* no -0 */
} float_format;

static const float_format *format_of(int32_t type)
{
    static const float_format f32 = {24, -149, 0x1.fffffep127, false, false};
    static const float_format f16 = {11, -24, 65504, false, false};
    static const float_format bf16 = {8, -133, 0x1.fep127, false, false};
    static const float_format e4m3 = {4, -9, 448, true, false};
    static const float_format e5m2 = {3, -16, 57344, true, false};
    static const float_format e4m3_fnuz = {4, -10, 240, true, true};
    static const float_format e5m2_fnuz = {3, -17, 57344, true, true};
    static const float_format e2m1 = {2, -1, 6, true, false};
    static const float_format ue8m0 = {1, -127, 0x1p127, true, false};
    switch (type) {
    case ZLAY_TYPE_F16: return &f16;
    case ZLAY_TYPE_BF16: return &bf16;
    case ZLAY_TYPE_E4M3: return &e4m3;
    case ZLAY_TYPE_E5M2: return &e5m2;
    case ZLAY_TYPE_E4M3_FNUZ: return &e4m3_fnuz;
    case ZLAY_TYPE_E5M2_FNUZ: return &e5m2_fnuz;
    case ZLAY_TYPE_E2M1: return &e2m1;
    case ZLAY_TYPE_UE8M0: return &ue8m0;
    default: return &f32;
    }
}

/* Whether a rounding moves a number of this sign away from zero when it is not whole. */
static bool goes_away(bool negative, int32_t round)
{
    return round == (negative ? ZL_ROUND_DOWN : ZL_ROUND_UP);
}

double zl_round_whole(double x, int32_t round)
{
    double below = floor(fabs(x)), rest = fabs(x) - below;
    bool nearest = rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0);
    bool more = round == ZL_ROUND_NEAREST ? nearest : rest > 0 && goes_away(signbit(x), round);
    return copysign(more ? below + 1 : below, x);
}

static double beyond(const float_format *f, double x, int32_t round)
{
    bool infinite = round == ZL_ROUND_NEAREST || goes_away(signbit(x), round);
    return copysign(f->saturates || !infinite ? f->greatest : (double)INFINITY, x);
}

double zl_round_to(double x, int32_t type, int32_t round)
{
    const float_format *f = format_of(type);
    int exponent;
    if (isnan(x)) return x;
    if (x == 0) return f->one_zero ? 0 : x;
    if (isinf(x)) return f->saturates ? copysign(f->greatest, x) : x;
    frexp(x, &exponent);
    int unit = exponent - f->precision < f->least ? f->least : exponent - f->precision;
    double rounded = ldexp(zl_round_whole(ldexp(x, -unit), round), unit);
    if (rounded == 0 && f->one_zero) return 0;
    return fabs(rounded) <= f->greatest ? rounded : beyond(f, x, round);
}

bool zl_type_is_integer(int32_t type)
{
    return zl_body_class(type) & (ZL_BODY_INT | ZL_BODY_BYTE | ZL_BODY_NIBBLE);
}

double zl_integer_least(int32_t type)
{
    switch (type) {
    case ZLAY_TYPE_S32: return -2147483648.0;
    case ZLAY_TYPE_S8: return -128;
    case ZLAY_TYPE_S4: return -8;
    default: return 0;
    }
}

double zl_integer_greatest(int32_t type)
{
    switch (type) {
    case ZLAY_TYPE_S32: return 2147483647.0;
    case ZLAY_TYPE_U32: return 4294967295.0;
    case ZLAY_TYPE_S8: return 127;
    case ZLAY_TYPE_U8: return 255;
    case ZLAY_TYPE_S4: return 7;
    case ZLAY_TYPE_U4: return 15;
    default: return 1;
    }
}

bool zl_type_has(int32_t type, double x)
{
    if (zl_type_is_integer(type) || type == ZL_BODY_BOOL)
        return x >= zl_integer_least(type) && x <= zl_integer_greatest(type) && x == floor(x);
    if (isinf(x)) return !format_of(type)->saturates || type == ZLAY_TYPE_E5M2;
    if (isnan(x)) return type != ZLAY_TYPE_E2M1;
    return (type != ZLAY_TYPE_UE8M0 || x > 0) && zl_round_to(x, type, ZL_ROUND_NEAREST) == x;
}

static double clamped(double x, int32_t type)
{
    double least = zl_integer_least(type), greatest = zl_integer_greatest(type);
    return x < least ? least : x > greatest ? greatest : x + 0.0;
}

/* Saturates; a NaN becomes 0. */
static double float_to_integer(double x, int32_t type, int32_t round)
{
    if (isnan(x)) return 0;
    return clamped(isinf(x) ? x : zl_round_whole(x, round), type);
}

/* s32 and u32 have the same bits. */
static double integer_to_integer(double x, int32_t type)
{
    if (type == ZLAY_TYPE_U32) return x < 0 ? x + 0x1p32 : x;
    if (type == ZLAY_TYPE_S32) return x >= 0x1p31 ? x - 0x1p32 : x;
    return clamped(x, type);
}

/* Of ue8m0 the least value is 0, for its bits are those of 0 as an exponent. */
static double scaled(double x, int32_t from, int32_t to)
{
    if (from == ZLAY_TYPE_UE8M0 && x < 0x1p-126) return 0;
    return zl_round_to(ldexp(x, zl_scaled(from, to)), to, ZL_ROUND_NEAREST);
}

double zl_convert_number(double x, int32_t from, int32_t to, int32_t round)
{
    if (round == ZL_ROUND_BIASED) return x + zl_biased(from, to);
    if (round == ZL_ROUND_SCALED) return scaled(x, from, to);
    if (!zl_type_is_integer(to)) return zl_round_to(x, to, round);
    return zl_type_is_integer(from) ? integer_to_integer(x, to) : float_to_integer(x, to, round);
}
