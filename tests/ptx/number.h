/* SPDX-License-Identifier: Apache-2.0 */
/* Floating-point numbers of PTX as bits: a kind says how many bits exponent and fraction have. Each value of each kind is a
 * double exactly; a double becomes bits by each rounding. From IEEE 754 and PTX ISA 9.1, "Alternate Floating-Point Data Formats"
 * and "Floating Point Instructions"; nothing is shared with the models of src. */
#ifndef TEST_PTX_NUMBER_H
#define TEST_PTX_NUMBER_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct px_kind {
    int exponent, fraction; /* bits */
    bool finite;            /* no infinities: the last exponent is of numbers too, but all ones is NaN */
} px_kind;

static const px_kind px_f32 = {8, 23, false}, px_f16 = {5, 10, false}, px_bf16 = {8, 7, false}, px_e5m2 = {5, 2, false},
                     px_e4m3 = {4, 3, true};

typedef enum px_rounding { PX_NEAREST, PX_ZERO, PX_DOWN, PX_UP } px_rounding;

static inline int px_bias(const px_kind *k) { return (1 << (k->exponent - 1)) - 1; }

/* All ones but the sign: the NaN that instructions return. */
static inline uint32_t px_nan(const px_kind *k) { return (1u << (k->exponent + k->fraction)) - 1; }

/* The bits of the greatest number. */
static inline uint32_t px_greatest(const px_kind *k)
{
    return k->finite ? px_nan(k) - 1 : (((1u << k->exponent) - 1) << k->fraction) - 1;
}

/* 2^exponent, -1022 to 1023: ldexp costs ten times as much, and every factor of a product is read so. */
static inline double px_power(int exponent)
{
    uint64_t bits = (uint64_t)(1023 + exponent) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

static inline double px_value(const px_kind *k, uint32_t bits)
{
    uint32_t size = bits & px_nan(k), fraction = bits & ((1u << k->fraction) - 1);
    int exponent = (int)(size >> k->fraction);
    double sign = bits >> (k->exponent + k->fraction) & 1 ? -1 : 1;
    if (size > px_greatest(k)) return k->finite || fraction ? (double)NAN : sign * (double)INFINITY;
    if (!exponent) return sign * fraction * px_power(1 - px_bias(k) - k->fraction);
    return sign * (fraction + (1u << k->fraction)) * px_power(exponent - px_bias(k) - k->fraction);
}

static inline bool px_rounds_up(double rest, bool odd, bool negative, px_rounding rounding)
{
    if (rounding == PX_NEAREST) return rest > 0.5 || (rest == 0.5 && odd);
    return rest > 0 && ((rounding == PX_UP && !negative) || (rounding == PX_DOWN && negative));
}

/* What is greater than the greatest number: that where it saturates or rounds towards zero, else infinity. */
static inline uint32_t px_excess(const px_kind *k, bool negative, px_rounding rounding, bool saturates)
{
    bool inward = rounding == PX_ZERO || (rounding == PX_DOWN && !negative) || (rounding == PX_UP && negative);
    return saturates || inward ? px_greatest(k) : px_greatest(k) + 1;
}

/* Of a number that is not 0 and not less than 2^-1022; -1023: of a lesser one. */
static inline int px_exponent(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

static inline uint32_t px_bits(const px_kind *k, double value, px_rounding rounding, bool saturates)
{
    bool negative = signbit(value) != 0;
    uint32_t sign = negative ? px_nan(k) + 1 : 0;
    int exponent = px_exponent(value), least = 1 - px_bias(k);
    if (isnan(value)) return px_nan(k);
    if (isinf(value)) return sign | (saturates ? px_greatest(k) : px_greatest(k) + 1);
    if (exponent < least) exponent = least;
    double scaled = fabs(value) * px_power(k->fraction - exponent); /* less than 2^(fraction + 1) */
    uint64_t whole = (uint64_t)scaled;
    whole += px_rounds_up(scaled - (double)whole, whole & 1, negative, rounding);
    uint64_t size = whole + ((uint64_t)(exponent - least) << k->fraction);
    return sign | (size > px_greatest(k) ? px_excess(k, negative, rounding, saturates) : (uint32_t)size);
}

static inline uint32_t px_nearest(const px_kind *k, double value) { return px_bits(k, value, PX_NEAREST, false); }

/* ---- f32 as C has it --------------------------------------------------------------- */

static inline float px_float(uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, 4);
    return value;
}

static inline uint32_t px_word(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    return isnan(value) ? px_nan(&px_f32) : word;
}

/* .ftz: a subnormal number is a zero of its sign. */
static inline float px_flushed(float value) { return fabsf(value) < FLT_MIN ? copysignf(0, value) : value; }

/* ---- functions ------------------------------------------------------------------------ */

typedef double px_function(double a, double b, double c);

static inline double px_sum(double a, double b, double c) { return (void)c, a + b; }
static inline double px_difference(double a, double b, double c) { return (void)c, a - b; }
static inline double px_times(double a, double b, double c) { return (void)c, a * b; }
static inline double px_fma(double a, double b, double c) { return fma(a, b, c); }
static inline double px_exp2(double a, double b, double c) { return (void)b, (void)c, exp2(a); }
static inline double px_log2(double a, double b, double c) { return (void)b, (void)c, log2(a); }
static inline double px_rcp(double a, double b, double c) { return (void)b, (void)c, 1 / a; }
static inline double px_rsqrt(double a, double b, double c) { return (void)b, (void)c, 1 / sqrt(a); }
static inline double px_sqrt(double a, double b, double c) { return (void)b, (void)c, sqrt(a); }
static inline double px_tanh(double a, double b, double c) { return (void)b, (void)c, tanh(a); }

/* One operand that is NaN is passed over; -0 is less than +0. */
static inline double px_less_of(double a, double b, double c)
{
    (void)c;
    if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
    if (a == b) return signbit(a) ? a : b;
    return a < b ? a : b;
}

static inline double px_greater_of(double a, double b, double c) { return -px_less_of(-a, -b, c); }

/* Of f32 with .ftz: operand and result. */
static inline uint32_t px_approx(px_function *f, uint64_t a)
{
    double value = f((double)px_flushed(px_float(a)), 0, 0);
    return px_word(px_flushed(px_float(px_nearest(&px_f32, value))));
}

/* Of each half of packed pairs, rounded once: doubles hold sums and products of halves. */
static inline uint32_t px_pairs(const px_kind *k, px_function *f, uint64_t a, uint64_t b, uint64_t c)
{
    uint32_t out = 0;
    for (int shift = 0; shift < 32; shift += 16)
        out |= px_nearest(k, f(px_value(k, (uint32_t)(a >> shift) & 0xffff), px_value(k, (uint32_t)(b >> shift) & 0xffff),
                               px_value(k, (uint32_t)(c >> shift) & 0xffff))) << shift;
    return out;
}

/* bf16 with .ftz: subnormal numbers are zeros, as operands and as results. */
static inline uint32_t px_pairs_flushed(const px_kind *k, px_function *f, uint64_t a)
{
    uint32_t out = 0;
    for (int shift = 0; shift < 32; shift += 16) {
        float in = px_flushed((float)px_value(k, (uint32_t)(a >> shift) & 0xffff));
        uint32_t half = px_nearest(k, f((double)in, 0, 0));
        bool subnormal = (half & px_nan(k)) < 1u << k->fraction;
        out |= (subnormal ? half & ~px_nan(k) : half) << shift;
    }
    return out;
}

/* ---- conversions ----------------------------------------------------------------------- */

/* A whole number nearest within the limits; NaN is 0. */
static inline uint32_t px_whole(uint64_t bits, px_rounding rounding, double least, double most)
{
    double value = (double)px_float(bits);
    if (isnan(value)) return 0;
    value = rounding == PX_NEAREST ? rint(value) : rounding == PX_ZERO ? trunc(value) : rounding == PX_DOWN ? floor(value) : ceil(value);
    value = value < least ? least : value > most ? most : value;
    return (uint32_t)(int64_t)value;
}

/* d = {upper half from a, lower from b}. */
static inline uint32_t px_pack_floats(const px_kind *k, px_rounding rounding, bool saturates, uint64_t a, uint64_t b)
{
    int bits = 1 + k->exponent + k->fraction;
    return px_bits(k, (double)px_float(a), rounding, saturates) << bits | px_bits(k, (double)px_float(b), rounding, saturates);
}

static inline uint32_t px_widen(const px_kind *k, uint64_t a)
{
    return px_nearest(&px_f16, px_value(k, a >> 8 & 0xff)) << 16 | px_nearest(&px_f16, px_value(k, a & 0xff));
}

/* cvt.pack: bits 0 to 7 from b, 8 to 15 from a, the others from the lower half of c. */
static inline uint32_t px_pack_bytes(uint64_t a, uint64_t b, uint64_t c, int least, int most)
{
    int32_t from[2] = {(int32_t)(uint32_t)b, (int32_t)(uint32_t)a};
    uint32_t out = (uint32_t)c << 16;
    for (int i = 0; i < 2; i++) {
        int32_t value = from[i] < least ? least : from[i] > most ? most : from[i];
        out |= ((uint32_t)value & 0xff) << 8 * i;
    }
    return out;
}

/* bfe: `length` bits from `at` on; s32 goes on with the last of them that a has. */
static inline uint32_t px_field(uint32_t a, uint32_t at, uint32_t length, bool is_signed)
{
    uint32_t out = 0;
    at &= 0xff, length &= 0xff;
    uint32_t last = at + length - 1 < 31 ? at + length - 1 : 31;
    uint32_t sign = is_signed && length ? a >> last & 1 : 0;
    for (uint32_t i = 0; i < 32; i++) out |= (i < length && at + i <= 31 ? a >> (at + i) & 1 : sign) << i;
    return out;
}

#endif
