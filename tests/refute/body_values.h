/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of the second evaluator of bodies: one value of each type of a body, computed in C's float, double and long double.  Approximations are
 * rounded to the nearest value. */
#ifndef TEST_REFUTE_BODY_VALUES_H
#define TEST_REFUTE_BODY_VALUES_H

#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <zlay/type.h>

/* ---- values ------------------------------------------------------------------------------------------------------------------ */

enum { NUMBER = -1, CONDITION = -2 };

typedef struct value {
    int32_t type; /* ZLAY_TYPE_*, NUMBER, CONDITION */
    double x;
} value;

static long double side_sum(long double a, long double b)
{
    if (a != 0 && b != 0 && isfinite(a) && fabsl(b) < fabsl(a) * 0x1p-45L) return nextafterl(a, b > 0 ? (long double)INFINITY : -(long double)INFINITY);
    if (a != 0 && b != 0 && isfinite(b) && fabsl(a) < fabsl(b) * 0x1p-45L) return side_sum(b, a);
    return a + b;
}

/* To a type of `precision` bits whose values are multiples of 2^least, and beyond `most` infinite or, where it saturates, `most`. */
static double shortened(long double x, int precision, int least, double most, bool truncates, bool saturates)
{
    int exponent;
    if (isnan(x) || x == 0) return (double)x;
    if (isinf(x)) return saturates ? copysign(most, (double)x) : (double)x;
    frexpl(x, &exponent);
    exponent = exponent - precision < least ? least : exponent - precision;
    long double scaled = ldexpl(x, -exponent);
    double y = (double)ldexpl(truncates ? truncl(scaled) : rintl(scaled), exponent);
    if (fabs(y) <= most) return y;
    return copysign(saturates || truncates ? most : (double)INFINITY, y);
}

static double typed(long double x, int32_t type, bool truncates)
{
    switch (type) {
    case ZLAY_TYPE_F16: return shortened(x, 11, -24, 65504, truncates, false);
    case ZLAY_TYPE_BF16: return shortened(x, 8, -133, 0x1.fep127, truncates, false);
    case ZLAY_TYPE_E4M3: return shortened(x, 4, -9, 448, false, true);
    case ZLAY_TYPE_E5M2: return shortened(x, 3, -16, 57344, false, true);
    case ZLAY_TYPE_F32: return (float)x;
    default: return (double)x;
    }
}

static bool is_integer(int32_t type) { return type == ZLAY_TYPE_S32 || type == ZLAY_TYPE_U32 || type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8; }

static value settled(value v, int32_t type)
{
    if (v.type == NUMBER) v.x = typed(v.x, type, false), v.type = type;
    assert_int_equal(v.type, type);
    return v;
}

/* ---- operations ------------------------------------------------------------------------------------------------------------------ */

static double wrapped(uint32_t bits, int32_t type) { return type == ZLAY_TYPE_S32 ? (double)(int32_t)bits : (double)bits; }

static double greatest(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static double of_integers(char op, double a, double b, int32_t type)
{
    uint32_t x = (uint32_t)(int64_t)a, y = (uint32_t)(int64_t)b;
    return wrapped(op == '+' ? x + y : op == '-' ? x - y : x * y, type);
}

static double of_floats(char op, double a, double b)
{
    volatile float x = (float)a, y = (float)b, r = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;
    return r;
}

static value between(char op, value a, value b)
{
    int32_t type = a.type != NUMBER ? a.type : b.type != NUMBER ? b.type : ZLAY_TYPE_F32;
    a = settled(a, type), b = settled(b, type);
    if (is_integer(type)) return (value){type, of_integers(op, a.x, b.x, type)};
    if (type == ZLAY_TYPE_F32) return (value){type, of_floats(op, a.x, b.x)};
    long double exact = op == '*' ? (long double)a.x * b.x : side_sum(a.x, op == '+' ? b.x : -b.x);
    return (value){type, typed(exact, type, false)};
}

static value compared(const char *op, value a, value b)
{
    int32_t type = a.type != NUMBER ? a.type : b.type != NUMBER ? b.type : ZLAY_TYPE_F32;
    a = settled(a, type), b = settled(b, type);
    bool less = a.x < b.x, equal = a.x == b.x, nan = isnan(a.x) || isnan(b.x), first = op[0] == '<';
    if (op[1] == '=' && op[0] == '=') return (value){CONDITION, equal};
    if (op[0] == '!') return (value){CONDITION, !equal};
    if (op[1] == '=') return (value){CONDITION, !nan && (equal || less == first)};
    return (value){CONDITION, !nan && !equal && less == first};
}

static double flushed(double x, bool flushes) { return flushes && fabs(x) < 0x1p-126 ? copysign(0, x) : x; }

/* The nearest value is one that every bound allows. */
static value approximated(const char *op, value a)
{
    bool tanh_of = !strcmp(op, "tanh"), flushes = !tanh_of && a.type != ZLAY_TYPE_F16;
    long double x = flushed(a.x, flushes), y = NAN;
    if (!strcmp(op, "exp2")) y = exp2l(x);
    else if (!strcmp(op, "log2")) y = x < 0 ? NAN : log2l(x);
    else if (!strcmp(op, "rcp")) y = 1 / x;
    else if (!strcmp(op, "rsqrt")) y = x < 0 ? NAN : 1 / sqrtl(x);
    else if (!strcmp(op, "sqrt")) y = x < 0 ? NAN : sqrtl(x);
    else y = tanhl(x);
    return (value){a.type, flushed(typed(y, a.type, false), flushes)};
}

static double clipped(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

static value converted(int32_t type, char round, value a)
{
    double x = a.x, least = type == ZLAY_TYPE_S32 ? -0x1p31 : type == ZLAY_TYPE_S8 ? -128 : 0;
    double most = type == ZLAY_TYPE_S32 ? 0x1p31 - 1 : type == ZLAY_TYPE_U32 ? 0x1p32 - 1 : type == ZLAY_TYPE_S8 ? 127 : 255;
    if (type == a.type) return a;
    if (is_integer(a.type) && (type == ZLAY_TYPE_U32 || (type == ZLAY_TYPE_S32 && a.type == ZLAY_TYPE_U32))) return (value){type, wrapped((uint32_t)(int64_t)x, type)};
    if (is_integer(a.type) && type == ZLAY_TYPE_F32) {
        float near = (float)x;
        bool down = round == 'm' || (round == 'z' && x > 0), up = round == 'p' || (round == 'z' && x < 0);
        if (down && near > x) near = nextafterf(near, -INFINITY);
        if (up && near < x) near = nextafterf(near, INFINITY);
        return (value){type, near};
    }
    if (!is_integer(type)) return (value){type, typed(x, type, round == 'z')};
    if (isnan(x)) return (value){type, 0};
    x = round == 'z' ? trunc(x) : round == 'm' ? floor(x) : round == 'p' ? ceil(x) : nearbyint(x);
    return (value){type, clipped(x, least, most) + 0.0};
}

static value shifted(bool left, value a, value b)
{
    uint64_t x = (uint32_t)(int64_t)a.x, by = (uint32_t)(int64_t)b.x;
    if (by > 32) by = 32;
    if (left) return (value){a.type, wrapped((uint32_t)(x << by), a.type)};
    return (value){a.type, a.type == ZLAY_TYPE_S32 ? (double)((int64_t)a.x >> by) : (double)(x >> by)};
}

static value of_bits(const char *op, value a, value b)
{
    uint32_t x = (uint32_t)(int64_t)a.x, y = (uint32_t)(int64_t)b.x, r = op[0] == 'a' ? x & y : op[0] == 'o' ? x | y : x ^ y;
    return (value){a.type, a.type == CONDITION ? (double)r : wrapped(r, a.type)};
}

static value multiplied_added(value a, value b, value c)
{
    if (a.type == ZLAY_TYPE_F32) return (value){a.type, fmaf((float)a.x, (float)b.x, (float)c.x)};
    return (value){a.type, typed(side_sum((long double)a.x * b.x, c.x), a.type, false)};
}

#endif
