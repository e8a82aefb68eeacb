/* SPDX-License-Identifier: Apache-2.0 */
/* The model of bodies: each operation against C's own floats and long doubles, conversions against tables of all values of a type,
 * at and beside every tie. */
#include "body_matrices.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* A type of few bits, by the definition of its codes. */
typedef struct small_type {
    const char *name;
    int exponent_bits, fraction_bits;
    bool has_infinity; /* else the last code alone is NaN */
} small_type;

static const small_type small[] = {{"f16", 5, 10, true}, {"bf16", 8, 7, true}, {"e5m2", 5, 2, true}, {"e4m3", 4, 3, false}};
enum { SMALL = sizeof small / sizeof *small };

static uint32_t codes(const small_type *t) { return 1u << (t->exponent_bits + t->fraction_bits); }

static double small_value(const small_type *t, uint32_t code)
{
    uint32_t magnitude = code % codes(t), most = (1u << t->exponent_bits) - 1;
    int exponent = (int)(magnitude >> t->fraction_bits), bias = (1 << (t->exponent_bits - 1)) - 1;
    double fraction = (double)(magnitude % (1u << t->fraction_bits)) / (1 << t->fraction_bits);
    double value = exponent ? ldexp(1 + fraction, exponent - bias) : ldexp(fraction, 1 - bias);
    if (t->has_infinity && (uint32_t)exponent == most) value = fraction == 0 ? (double)INFINITY : (double)NAN;
    if (!t->has_infinity && magnitude == codes(t) - 1) value = (double)NAN;
    return code < codes(t) ? value : -value;
}

/* The code of the greatest finite value. */
static uint32_t last_code(const small_type *t)
{
    return t->has_infinity ? codes(t) - (1u << t->fraction_bits) - 1 : codes(t) - 2;
}

/* Among ordinary floats the ones that are not. */
static float random_float(uint64_t *seed)
{
    static const uint32_t odd[] = {0, 0x80000000, 0x7f800000, 0xff800000, 0x7fffffff, 1, 0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f800000, 0xbf800000, 0x3f800001};
    uint32_t bits = (uint32_t)test_random(seed);
    switch (test_range(seed, 0, 7)) {
    case 0: return float_of(odd[test_range(seed, 0, (int)(sizeof odd / sizeof *odd) - 1)]);
    case 1: return float_of(bits);
    case 2: return float_of(bits & 0x807fffff); /* subnormal */
    default: return float_of((bits & 0x807fffff) | (uint32_t)test_range(seed, 117, 137) << 23);
    }
}

static void draw_floats(uint64_t *seed)
{
    for (int i = 0; i < MANY; i++) {
        a_of[i] = exactly(random_float(seed));
        b_of[i] = exactly(random_float(seed));
        c_of[i] = exactly(random_float(seed));
        if (i % 5 == 0) c_of[i] = exactly((float)(-a_of[i].low * b_of[i].low)); /* sums that cancel */
    }
}

/* ---- arithmetic --------------------------------------------------------------------------------------------------------- */

static float float_add(float a, float b, float c) { volatile float r = a + b; return (void)c, r; }
static float float_sub(float a, float b, float c) { volatile float r = a - b; return (void)c, r; }
static float float_mul(float a, float b, float c) { volatile float r = a * b; return (void)c, r; }
static float float_fma(float a, float b, float c) { return fmaf(a, b, c); }
static float float_neg(float a, float b, float c) { return (void)b, (void)c, -a; }
static float float_abs(float a, float b, float c) { return (void)b, (void)c, fabsf(a); }

static float float_max(float a, float b, float c)
{
    (void)c;
    if (isnan(a) || isnan(b)) return isnan(a) ? b : a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static float float_min(float a, float b, float c) { return -float_max(-a, -b, c); }

static float float_choice(float a, float b, float c) { return a < b ? c : a; }
static float float_le(float a, float b, float c) { return a <= b ? c : b; }
static float float_gt(float a, float b, float c) { return a > b ? c : b; }
static float float_ge(float a, float b, float c) { return a >= b ? c : b; }
static float float_eq(float a, float b, float c) { return a == b ? c : b; }
static float float_ne(float a, float b, float c) { return a != b ? c : b; }

static const struct {
    const char *expression;
    float (*value)(float a, float b, float c);
    bool halves;
} of_floats[] = {
    {"A + B", float_add, true}, {"A - B", float_sub, true}, {"A * B", float_mul, true}, {"fma(A, B, C)", float_fma, true},
    {"-A", float_neg, true}, {"abs(A)", float_abs, true}, {"max(A, B)", float_max, true}, {"min(A, B)", float_min, true},
    {"select(A < B, C, A)", float_choice, false}, {"select(A <= B, C, B)", float_le, false}, {"select(A > B, C, B)", float_gt, false},
    {"select(A >= B, C, B)", float_ge, false}, {"select(A == B, C, B)", float_eq, false}, {"select(A != B, C, B)", float_ne, false},
};
enum { OF_FLOATS = sizeof of_floats / sizeof *of_floats };

static void computes_floats(void **state)
{
    uint64_t seed = test_seed("sim/body floats");
    for (int k = 0; k < OF_FLOATS; k++) {
        draw_floats(&seed);
        evaluate(*state, "f32", "f32", of_floats[k].expression);
        for (int i = 0; i < MANY; i++)
            check_exactly(i, of_floats[k].value((float)a_of[i].low, (float)b_of[i].low, (float)c_of[i].low), of_floats[k].expression);
    }
}

/* The value of a 16-bit type nearest to x, by search among all; x is exact. */
static double nearest_small(const small_type *t, long double x, bool truncates)
{
    uint32_t low = 0, high = last_code(t);
    long double m = fabsl(x), top = (long double)small_value(t, high), step = top - (long double)small_value(t, high - 1);
    if (isnan(x)) return (double)NAN;
    if (m > top) return copysign(isinf(m) || (!truncates && m >= top + step / 2) ? (double)INFINITY : (double)top, (double)x);
    while (low < high) { /* the greatest value that is not above m */
        uint32_t middle = (low + high + 1) / 2;
        if ((long double)small_value(t, middle) <= m) low = middle;
        else high = middle - 1;
    }
    long double below = (long double)small_value(t, low), above = (long double)small_value(t, low + 1);
    bool up = low < last_code(t) && !truncates && (m - below > above - m || (m - below == above - m && low % 2));
    return copysign((double)(up ? above : below), (double)x);
}

/* A sum that decides as the exact one does: a part that is far below the other one only says on which side of it the sum is. */
static long double side_sum(long double a, long double b)
{
    if (a != 0 && b != 0 && fabsl(b) < fabsl(a) * 0x1p-50L) return nextafterl(a, b > 0 ? (long double)INFINITY : -(long double)INFINITY);
    if (a != 0 && b != 0 && fabsl(a) < fabsl(b) * 0x1p-50L) return side_sum(b, a);
    return a + b;
}

/* Sums and products of 16-bit types, exact in long double where the exponents are not far apart. */
static long double exact_half(int k, double a, double b, double c)
{
    long double product = (long double)a * b;
    switch (k) {
    case 0: return side_sum(a, b);
    case 1: return side_sum(a, -b);
    case 2: return product;
    case 3: return side_sum(product, c);
    default: return of_floats[k].value((float)a, (float)b, (float)c);
    }
}

static double random_half(uint64_t *seed, const small_type *t)
{
    uint32_t code = (uint32_t)test_range(seed, 0, 2 * codes(t) - 1), bias = codes(t) / 2;
    if (strcmp(t->name, "bf16")) return small_value(t, code);
    if (test_range(seed, 0, 9) == 0) return small_value(t, code & 0x80ff);
    return small_value(t, (code & 0x8000) | (bias - 0x400 + (code & 0x7ff)));
}

static void computes_halves(void **state)
{
    uint64_t seed = test_seed("sim/body halves");
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < OF_FLOATS && of_floats[k].halves; k++) {
            for (int i = 0; i < MANY; i++) {
                a_of[i] = exactly(random_half(&seed, &small[s]));
                b_of[i] = exactly(random_half(&seed, &small[s]));
                c_of[i] = exactly(random_half(&seed, &small[s]));
            }
            evaluate(*state, small[s].name, small[s].name, of_floats[k].expression);
            for (int i = 0; i < MANY; i++) {
                long double x = exact_half(k, a_of[i].low, b_of[i].low, c_of[i].low);
                double want = x == 0 ? (double)x : nearest_small(&small[s], x, false);
                check_exactly(i, want, of_floats[k].expression);
            }
        }
}

/* ---- conversions ---------------------------------------------------------------------------------------------------------- */

/* Every code to f32, and of e4m3 and e5m2 to f16 too, in which they are exact. */
static void widens_every_code(void **state)
{
    for (int s = 0; s < SMALL; s++) {
        const small_type *t = &small[s];
        for (int i = 0; i < MANY; i++) a_of[i] = b_of[i] = c_of[i] = exactly(small_value(t, (uint32_t)i % (2 * codes(t))));
        for (int wide = 0; wide < 1 + (s >= 2); wide++) {
            evaluate(*state, t->name, wide ? "f16" : "f32", wide ? "f16(A)" : "f32(A)");
            for (int i = 0; i < MANY; i++) check_exactly(i, a_of[i].low, t->name);
        }
    }
}

/* Floats at and beside each value of the type and each middle of two, and beyond the last; the value of each of them. */
static int narrow_cases(const small_type *t, uint32_t from, bool truncates, double *want)
{
    int count = 0;
    for (uint32_t code = from; code <= last_code(t) && count + 12 <= MANY; code++) {
        double below = small_value(t, code), above = small_value(t, code + 1);
        bool last = code == last_code(t);
        if (last) above = 2 * below - small_value(t, code - 1);
        double beyond = !last ? above : !truncates && t->fraction_bits > 3 ? (double)INFINITY : below;
        float middle = (float)((below + above) / 2);
        double tie = truncates || code % 2 == 0 ? below : beyond;
        const float x[] = {(float)below, nextafterf(middle, 0), middle, nextafterf(middle, INFINITY), nextafterf((float)above, 0), (float)(last ? above * 2 : above)};
        const double y[] = {below, below, tie, truncates ? below : beyond, truncates ? below : beyond, last ? beyond : above};
        for (int k = 0; k < 6; k++, count++) {
            a_of[count] = exactly(x[k]), want[count] = y[k];
            if (isinf(x[k]) && t->fraction_bits > 3) want[count] = x[k]; /* no type saturates but e4m3 and e5m2 */
        }
        if (!(code % 7))
            for (int k = 0; k < 6; k++, count++) a_of[count] = exactly(-a_of[count - 6].low), want[count] = -want[count - 6];
    }
    for (int i = count; i < MANY; i++) a_of[i] = exactly(0), want[i] = 0;
    return count;
}

static void narrows_at_every_tie(void **state)
{
    static double want[MANY];
    for (int s = 0; s < SMALL; s++)
        for (int truncates = 0; truncates < 1 + (s < 2); truncates++) {
            char expression[32];
            snprintf(expression, sizeof expression, "%s%s(A)", small[s].name, truncates ? ".rz" : "");
            for (uint32_t from = 0; from <= last_code(&small[s]); from += MANY / 8) {
                narrow_cases(&small[s], from, truncates, want);
                for (int i = 0; i < MANY; i++) b_of[i] = c_of[i] = exactly(0);
                evaluate(*state, "f32", small[s].name, expression);
                for (int i = 0; i < MANY; i++) check_exactly(i, want[i], expression);
            }
        }
}

static void converts_what_is_no_number(void **state)
{
    static const struct {
        const char *to, *expression;
        double of_nan, of_infinity, of_least;
    } rows[] = {
        {"f16", "f16(A)", NAN, INFINITY, -0.0}, {"bf16", "bf16.rz(A)", NAN, INFINITY, -0.0}, {"e4m3", "e4m3(A)", NAN, 448, -0.0}, {"e5m2", "e5m2(A)", NAN, 57344, -0.0},
        {"s32", "s32(A)", 0, 2147483647.0, 0}, {"u32", "u32(A)", 0, 4294967295.0, 0}, {"s32", "s32.rm(A)", 0, 2147483647.0, -1}, {"u32", "u32.rm(A)", 0, 4294967295.0, 0},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (int i = 0; i < MANY; i++) a_of[i] = b_of[i] = c_of[i] = exactly(0);
        a_of[0] = exactly((double)NAN);
        a_of[1] = exactly((double)INFINITY);
        a_of[2] = exactly(-0x1p-149);
        evaluate(*state, "f32", rows[k].to, rows[k].expression);
        check_exactly(0, rows[k].of_nan, rows[k].expression);
        check_exactly(1, rows[k].of_infinity, rows[k].expression);
        if (rows[k].of_least == 0 && rows[k].to[0] != 'f' && rows[k].to[0] != 'b' && rows[k].to[0] != 'e') assert_true(d_of[2].low == 0 && d_of[2].high == 0);
        else check_exactly(2, rows[k].of_least, rows[k].expression);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computes_floats),
        cmocka_unit_test(computes_halves),
        cmocka_unit_test(widens_every_code),
        cmocka_unit_test(narrows_at_every_tie),
        cmocka_unit_test(converts_what_is_no_number),
    };
    return cmocka_run_group_tests_name("sim/body", tests, begin, end);
}
