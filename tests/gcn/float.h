/* SPDX-License-Identifier: Apache-2.0 */
/* Floats as bits: f16 by the nearest of all its values, the small formats of matrix instructions, whole numbers that
 * saturate, and approximations, which take and give no subnormals (CDNA3 ISA, "V_EXP_F32" and its like). */
#ifndef TEST_GCN_FLOAT_H
#define TEST_GCN_FLOAT_H

#include "gcn.h"

#include <math.h>

/* Of IEEE binary16. */
static inline float gcn_half_float(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 0x3ff;
    if (exponent == 31) return gcn_float(sign | 0x7f800000 | fraction << 13);
    if (exponent) return gcn_float(sign | (exponent + 112) << 23 | fraction << 13);
    return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
}

/* The greatest f16 that is not above a positive value, by halves of the interval. */
static inline uint64_t gcn_half_below(double value)
{
    uint32_t low = 0, high = 0x7c00;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if ((double)gcn_half_float(middle) <= value) low = middle;
        else high = middle;
    }
    return low;
}

static inline uint64_t gcn_half_cut(float value)
{
    uint64_t sign = gcn_bits(value) >> 31 << 15;
    if (isnan(value)) return sign | 0x7e00;
    return sign | (isinf(value) ? 0x7c00 : gcn_half_below(fabs((double)value)));
}

/* To nearest, ties to even; from 65520 on infinity. */
static inline uint64_t gcn_half_nearest(double value)
{
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (isnan(value)) return sign | 0x7e00;
    if (size >= 65520) return sign | 0x7c00;
    uint64_t low = gcn_half_below(size);
    double under = size - (double)gcn_half_float((uint32_t)low);
    double above = low == 0x7bff ? 65536 : (double)gcn_half_float((uint32_t)low + 1);
    double over = above - size;
    return sign | (under > over || (!(under < over) && low & 1) ? low + 1 : low);
}

static inline uint64_t gcn_half_bits(float value) { return gcn_half_nearest((double)value); }

enum { GCN_ADD, GCN_MUL, GCN_FMA, GCN_MAX, GCN_MIN };

/* Sums and products of two f16 are exact in double; with a third they are not always, but rounded once where they are. */
static inline uint64_t gcn_half_done(uint64_t a, uint64_t b, uint64_t c, int how)
{
    double x = (double)gcn_half_float((uint32_t)a & 0xffff), y = (double)gcn_half_float((uint32_t)b & 0xffff);
    double z = (double)gcn_half_float((uint32_t)c & 0xffff);
    switch (how) {
    case GCN_ADD: return gcn_half_nearest(x + y);
    case GCN_MUL: return gcn_half_nearest(x * y);
    case GCN_FMA: return gcn_half_nearest(fma(x, y, z));
    case GCN_MAX: return gcn_half_nearest(fmax(x, y));
    default: return gcn_half_nearest(fmin(x, y));
    }
}

static inline uint64_t gcn_halves(uint64_t a, uint64_t b, uint64_t c, int how)
{
    return gcn_half_done(a, b, c, how) | gcn_half_done(a >> 16, b >> 16, c >> 16, how) << 16;
}

/* Towards zero; what is outside becomes the nearest that there is, and NaN 0. */
static inline uint64_t gcn_whole(float value, double least, double most)
{
    if (isnan(value)) return 0;
    double x = trunc((double)value);
    x = x < least ? least : x > most ? most : x;
    return (uint32_t)(int64_t)x;
}

static inline bool gcn_subnormal(uint32_t bits) { return !(bits & 0x7f800000); }

static inline double gcn_unflushed(uint64_t a)
{
    uint32_t bits = (uint32_t)a;
    return (double)gcn_float(gcn_subnormal(bits) ? bits & 0x80000000 : bits);
}

static inline uint64_t gcn_flushed(double value)
{
    uint32_t bits = gcn_bits((float)value);
    return gcn_subnormal(bits) ? bits & 0x80000000 : bits;
}

/* Element types of matrix instructions; FP8 and BF8 are the fnuz formats on gfx942, the OCP ones on gfx950. */
typedef enum gcn_type { GCN_BF16, GCN_F16, GCN_F32, GCN_XF32, GCN_I8, GCN_FP8, GCN_BF8 } gcn_type;

static inline int gcn_type_bits(gcn_type type)
{
    return type <= GCN_F16 ? 16 : type <= GCN_XF32 ? 32 : 8;
}

/* Of 8 bits: `fraction` bits of fraction. */
static inline double gcn_byte_float(uint32_t bits, int fraction, int bias, bool fnuz)
{
    uint32_t exponent = bits >> fraction & ((0x80u >> fraction) - 1), rest = bits & ((1u << fraction) - 1);
    bool top = (bits & 0x7f) == 0x7f || (fraction == 2 && exponent == 31);
    if (fnuz ? bits == 0x80 : top) return fraction == 2 && !rest && !fnuz ? (bits >> 7 ? -INFINITY : INFINITY) : NAN;
    double value = exponent ? ldexp((double)(rest | 1u << fraction), (int)exponent - bias - fraction)
                            : ldexp((double)rest, 1 - bias - fraction);
    return bits >> 7 ? -value : value;
}

static inline double gcn_decode(gcn_type type, gcn_target target, uint32_t bits)
{
    bool fnuz = target == GCN_942;
    switch (type) {
    case GCN_BF16: return (double)gcn_float(bits << 16);
    case GCN_F16: return (double)gcn_half_float(bits);
    case GCN_F32: return (double)gcn_float(bits);
    case GCN_XF32: return (double)gcn_float(bits & ~UINT32_C(0x1fff));
    case GCN_I8: return (double)(int8_t)bits;
    case GCN_FP8: return gcn_byte_float(bits, 3, fnuz ? 8 : 7, fnuz);
    default: return gcn_byte_float(bits, 2, fnuz ? 16 : 15, fnuz);
    }
}

/* The nearest of a format of 8 bits, ties to even; beyond the greatest number infinity, or NaN where there is none. */
static inline uint32_t gcn_byte_bits(gcn_type type, gcn_target target, double value)
{
    uint32_t best = 0, sign = signbit(value) ? 0x80 : 0, most = type == GCN_FP8 ? 0x7e : 0x7b;
    bool fnuz = target == GCN_942;
    if (fnuz) most = 0x7f;
    double size = fabs(value), greatest = gcn_decode(type, target, most), below = gcn_decode(type, target, most - 1);
    if (isnan(value) || !(size < greatest + (greatest - below) / 2))
        return fnuz ? 0x80 : type == GCN_BF8 && !isnan(value) ? sign | 0x7c : sign | 0x7f;
    for (uint32_t bits = 1; bits <= most; bits++) {
        double off = fabs(size - gcn_decode(type, target, bits)), now = fabs(size - gcn_decode(type, target, best));
        if (off < now || (!(off > now) && bits % 2 == 0)) best = bits;
    }
    return fnuz && !best ? 0 : sign | best;
}

/* v_frexp: of 0, infinities and NaN itself, with the exponent 0. */
static inline float gcn_significand(float value)
{
    int exponent;
    return isfinite(value) ? frexpf(value, &exponent) : value;
}

static inline int gcn_exponent(float value)
{
    int exponent = 0;
    if (isfinite(value)) frexpf(value, &exponent);
    return exponent;
}

#endif
