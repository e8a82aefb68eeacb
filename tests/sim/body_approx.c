/* SPDX-License-Identifier: Apache-2.0 */
/* The model's intervals: approximations hold what the PTX ISA's bounds allow and not much more, its tables of special arguments are exact, and
 * the interval of any operation on intervals holds what the operation gives for values that lie in them. */
#include "body.h"
#include "ctx.h"
#include "test.h"

#include <zlay/zlay.h>

enum { SIDE = 256, MANY = SIDE * SIDE, FEW = MANY / 4 };

static const body_request all = {SIDE, SIDE, "(1,65536):(0,1)"}, few = {SIDE / 4, SIDE, "(1,16384):(0,1)"};

static zlay_interval in[3][MANY], out[MANY];

static void evaluate(zlay_ctx *ctx, const body_request *r, const char *from, const char *to, const char *expression)
{
    char text[512];
    size_t n = (size_t)r->rows * r->columns;
    zlay_sim_operand operands[] = {{in[0], n}, {in[1], n}, {in[2], n}, {out, n}};
    snprintf(text, sizeof text, "body b\nmatrix A %s\nmatrix B %s\nmatrix C %s\nmatrix D %s\nD = %s\nend\n", from, from, from, to, expression);
    body_run(ctx, text, r, operands, 4);
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ---- bounds ------------------------------------------------------------------------------------------------------------- */

static long double rcp_of(long double x) { return 1 / x; }
static long double rsqrt_of(long double x) { return 1 / sqrtl(x); }

/* From the PTX ISA 9.1 again; `ulps` of f32 beside the correctly rounded result. */
static const struct {
    const char *type, *op;
    long double (*value)(long double x);
    double ulps, relative, absolute; /* exponents of 2; 0: there is none */
    bool flushes;
} approximations[] = {
    {"f32", "exp2", exp2l, 2, 0, 0, true},      {"f32", "log2", log2l, 0, -22, -22, true},   {"f32", "rcp", rcp_of, 1, 0, 0, true},
    {"f32", "rsqrt", rsqrt_of, 0, -22.9, 0, true}, {"f32", "sqrt", sqrtl, 0, -23, 0, true},  {"f32", "tanh", tanhl, 0, -11, 0, false},
    {"f16", "exp2", exp2l, 0, -9.9, 0, false},  {"bf16", "exp2", exp2l, 0, -7, 0, true},     {"f16", "tanh", tanhl, 0, 0, -10.987, false},
    {"bf16", "tanh", tanhl, 0, 0, -8, false},
};
enum { APPROXIMATIONS = sizeof approximations / sizeof *approximations };

static long double allowed(int k, long double v)
{
    long double error = 0, near = (long double)(float)v;
    if (approximations[k].ulps != 0) error = approximations[k].ulps * (long double)(nextafterf(fabsf((float)v), INFINITY) - fabsf((float)v)) + fabsl(near - v);
    if (approximations[k].relative != 0) error = fmaxl(error, fabsl(v) * exp2l(approximations[k].relative));
    if (approximations[k].absolute != 0 && (approximations[k].relative == 0 || fabsl(v) < 1)) error = fmaxl(error, exp2l(approximations[k].absolute));
    return error;
}

/* The distance of the type's values near v. */
static long double spacing(const char *type, long double v)
{
    int precision = !strcmp(type, "f32") ? 24 : !strcmp(type, "f16") ? 11 : 8, least = !strcmp(type, "f32") ? -149 : !strcmp(type, "f16") ? -24 : -133, exponent;
    frexpl(v, &exponent);
    return ldexpl(1, exponent - precision < least ? least : exponent - precision);
}

static double argument(uint64_t *seed, int k, int i)
{
    uint32_t bits = (uint32_t)test_random(seed);
    bool positive = !strcmp(approximations[k].op, "log2") || strstr(approximations[k].op, "sqrt");
    if (!strcmp(approximations[k].type, "bf16")) return float_of((uint32_t)i << 16);
    if (!strcmp(approximations[k].type, "f16")) return ldexp(i % 2048 - 1024, i / 2048 % 30 - 24);
    if (!positive && test_range(seed, 0, 1)) return (float)((double)test_range(seed, -150000, 150000) / 1000);
    if (test_range(seed, 0, 1)) return float_of((bits & (positive ? 0x7fffff : 0x807fffff)) | (uint32_t)test_range(seed, 117, 137) << 23);
    return float_of(positive ? bits & 0x7fffffff : bits);
}

static void check_bound(int k, int i)
{
    const char *type = approximations[k].type;
    double x = in[0][i].low;
    if (isnan(x) || isinf(x) || fabs(x) < 0x1p-126) return;
    long double v = approximations[k].value(x), error = allowed(k, v), low = v - error, high = v + error, step = spacing(type, fmaxl(fabsl(low), fabsl(high)));
    long double most = strcmp(type, "f16") ? 0x1p128L : 65520;
    bool ordinary = fabsl(v) < most / 2 && fabsl(v) > 0x1p-125L;
    bool holds = fabsl(v) < 0x1p-125L || fabsl(v) > most / 2 || (out[i].low <= low + fabsl(low) * 0x1p-50L && out[i].high >= high - fabsl(high) * 0x1p-50L);
    bool tight = !ordinary || (out[i].low >= low - error - 4 * step && out[i].high <= high + error + 4 * step);
    bool flushed = !approximations[k].flushes || fabsl(v) > 0x1p-127L || (out[i].low == 0 && out[i].high == 0);
    bool infinite = v < most * 1.001L || (isinf(out[i].low) && isinf(out[i].high));
    if (!holds || !tight || !flushed || !infinite || !(out[i].low <= out[i].high))
        fail_msg("%s of %s %a: {%a, %a}, exactly %La, error %La", approximations[k].op, type, x, out[i].low, out[i].high, v, error);
}

static void keeps_the_bounds(void **state)
{
    uint64_t seed = test_seed("sim/body_approx bounds");
    for (int k = 0; k < APPROXIMATIONS; k++) {
        char expression[32];
        snprintf(expression, sizeof expression, "%s(A)", approximations[k].op);
        for (int i = 0; i < MANY; i++) in[0][i] = in[1][i] = in[2][i] = exactly(argument(&seed, k, i));
        evaluate(*state, &all, approximations[k].type, approximations[k].type, expression);
        for (int i = 0; i < MANY; i++) check_bound(k, i);
    }
}

/* ---- special arguments --------------------------------------------------------------------------------------------------------- */

#define INF (double)INFINITY
#define NONE (double)NAN
enum { ARGUMENTS = 9 };
static const double special[ARGUMENTS] = {-INFINITY, -1.5, -0x1p-130, -0.0, 0.0, 0x1p-130, INFINITY, NAN, -0x1p-149};

/* What each is for the arguments above; of -1.5 nothing is tabulated where the function is defined. */
static const struct {
    const char *type, *op;
    double value[ARGUMENTS];
} tables[] = {
    {"f32", "exp2", {0, 7, 1, 1, 1, 1, INF, NONE, 1}},
    {"f32", "log2", {NONE, NONE, -INF, -INF, -INF, -INF, INF, NONE, -INF}},
    {"f32", "rcp", {-0.0, 7, -INF, -INF, INF, INF, 0, NONE, -INF}},
    {"f32", "rsqrt", {NONE, NONE, -INF, -INF, INF, INF, 0, NONE, -INF}},
    {"f32", "sqrt", {NONE, NONE, -0.0, -0.0, 0, 0, INF, NONE, -0.0}},
    {"f32", "tanh", {-1, 7, -0x1p-130, -0.0, 0, 0x1p-130, 1, NONE, -0x1p-149}},
    {"bf16", "exp2", {0, 7, 1, 1, 1, 1, INF, NONE, 7}},
    {"bf16", "tanh", {-1, 7, 7, -0.0, 0, 7, 1, NONE, 7}},
};

static void has_the_special_values(void **state)
{
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        char expression[32];
        snprintf(expression, sizeof expression, "%s(A)", tables[k].op);
        for (int i = 0; i < MANY; i++) {
            double x = special[i % ARGUMENTS];
            bool lacks = !strcmp(tables[k].type, "bf16") && x == -0x1p-149;
            in[0][i] = in[1][i] = in[2][i] = exactly(lacks ? 0 : x);
        }
        evaluate(*state, &all, tables[k].type, tables[k].type, expression);
        for (int i = 0; i < ARGUMENTS; i++)
            if (tables[k].value[i] != 7 && (!same(out[i].low, tables[k].value[i]) || !same(out[i].high, tables[k].value[i])))
                fail_msg("%s of %a: {%a, %a}", tables[k].op, special[i], out[i].low, out[i].high);
    }
    for (int i = 0; i < MANY; i++) in[0][i] = in[1][i] = in[2][i] = exactly(i % 2 ? -INF : INF);
    evaluate(*state, &all, "f16", "f16", "exp2(A)");
    assert_true(same(out[0].low, INF) && same(out[1].high, 0) && same(out[1].low, 0));
    for (int i = 0; i < MANY; i++) in[0][i] = exactly(128 + i);
    evaluate(*state, &all, "f32", "f32", "exp2(A)"); /* a little more than 2.5 * 2^-23 less than 2^128 is a float still, and 2^129 is none */
    assert_true(out[0].low == 0x1.fffff4p127 && isinf(out[0].high) && isinf(out[1].low) && isinf(out[1].high));
}

/* ---- intervals holds values ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *from, *to, *expression;
} of_intervals[] = {
    {"f32", "f32", "A + B"}, {"f32", "f32", "A - B"}, {"f32", "f32", "A * B"}, {"f32", "f32", "fma(A, B, C)"}, {"f32", "f32", "max(A, B)"}, {"f32", "f32", "min(A, B)"}, {"f32", "f32", "-A"},
    {"f32", "f32", "abs(A)"}, {"f32", "f32", "exp2(A)"}, {"f32", "f32", "log2(A)"}, {"f32", "f32", "rcp(A)"}, {"f32", "f32", "rsqrt(A)"}, {"f32", "f32", "sqrt(A)"}, {"f32", "f32", "tanh(A)"},
    {"f32", "f32", "select(A < B, C, A)"}, {"f32", "f32", "select(A <= B, C, A)"}, {"f32", "f32", "select(A > B, C, A)"}, {"f32", "f32", "select(A >= B, C, B)"}, {"f32", "f32", "select(A == B, C, B)"},
    {"f32", "f32", "select(A != B, C, B)"}, {"f32", "f32", "select(and(A < B, B < C), C, B)"}, {"f32", "f32", "select(or(A < B, B < C), C, B)"}, {"f32", "f32", "select(xor(A < B, B < C), C, B)"},
    {"f32", "f16", "f16(A)"}, {"f32", "bf16", "bf16.rz(A)"}, {"f32", "e4m3", "e4m3(A)"}, {"f32", "e5m2", "e5m2(A)"}, {"f32", "s32", "s32(A)"}, {"f32", "u32", "u32.rp(A)"},
    {"f32", "u32", "u32(s32(A))"}, {"f32", "s8", "s8(s32.rm(A))"}, {"f32", "s32", "s32(u32(A))"}, {"f32", "f32", "f32.rz(s32(A) + s32(B))"}, {"f32", "s32", "s32(A) * s32(B)"}, {"f32", "u32", "u32(A) * u32(B)"},
    {"f32", "u32", "u32(A) - u32(B)"}, {"f32", "s32", "-s32(A)"}, {"f32", "s32", "max(s32(A), s32(B))"}, {"f32", "s32", "min(s32(A), s32(B))"}, {"f32", "s32", "and(s32(A), s32(B))"}, {"f32", "u32", "shr(u32(A), u32(B))"},
    {"f32", "s32", "shl(s32(A), s32(B))"}, {"f32", "f32", "select(s32(A) < s32(B), C, A)"}, {"f32", "f32", "exp2(A) * rcp(B + C)"},
    {"f16", "f16", "A * B"}, {"f16", "f16", "exp2(A)"}, {"bf16", "bf16", "fma(A, B, C)"}, {"bf16", "bf16", "tanh(A)"},
};

static double random_value(uint64_t *seed, const char *type)
{
    static const double odd[] = {0, -0.0, INFINITY, -INFINITY, 1, -1, 0x1p-126};
    if (!test_range(seed, 0, 5)) return odd[test_range(seed, 0, strcmp(type, "f16") ? 6 : 5)];
    if (!strcmp(type, "f16")) return ldexp((double)test_range(seed, -2047, 2047), (int)test_range(seed, -24, 0));
    uint32_t bits = (uint32_t)test_random(seed) & 0x807fffff, exponent = (uint32_t)test_range(seed, test_range(seed, 0, 3) ? 110 : 0, test_range(seed, 0, 3) ? 140 : 254);
    return float_of((bits | exponent << 23) & (strcmp(type, "bf16") ? 0xffffffff : 0xffff0000));
}

static zlay_interval random_interval(uint64_t *seed, const char *type)
{
    double a = random_value(seed, type), b = test_range(seed, 0, 2) ? random_value(seed, type) : a * (1 + 0x1p-20);
    if (!test_range(seed, 0, 3)) return exactly(test_range(seed, 0, 9) ? a : (double)NAN);
    if (!test_range(seed, 0, 15)) return (zlay_interval){(double)NAN, (double)INFINITY};
    if (strcmp(type, "f32") || isnan(b)) b = random_value(seed, type);
    b = (float)b;
    bool less = a < b || (a == b && signbit(a));
    return less ? (zlay_interval){a, b} : (zlay_interval){b, a};
}

static bool rises(double a, double b) { return a < b || (a == b && (signbit(a) || !signbit(b))); }

static bool holds(zlay_interval whole, zlay_interval one)
{
    bool unknown = isnan(whole.low) && !isnan(whole.high);
    if (unknown) return true;
    if (isnan(whole.low)) return isnan(one.low) && isnan(one.high);
    return rises(whole.low, one.low) && rises(one.high, whole.high);
}

/* A value of the type in an interval. */
static double value_in(uint64_t *seed, zlay_interval a, const char *type)
{
    bool unknown = isnan(a.low) && !isnan(a.high);
    if (unknown) return test_range(seed, 0, 3) ? random_value(seed, type) : (double)NAN;
    double x = random_value(seed, type), middle = (float)(a.low / 2 + a.high / 2);
    if (rises(a.low, x) && rises(x, a.high)) return x;
    if (rises(a.low, -0.0) && rises(-0.0, a.high) && !test_range(seed, 0, 3)) return -0.0;
    if (rises(a.low, 0) && rises(0, a.high) && !test_range(seed, 0, 3)) return 0;
    if (!strcmp(type, "f32") && middle >= a.low && middle <= a.high && test_range(seed, 0, 1)) return middle;
    return test_range(seed, 0, 1) ? a.low : a.high;
}

static void intervals_hold_values(void **state)
{
    static zlay_interval drawn[3][FEW], whole[FEW];
    uint64_t seed = test_seed("sim/body_approx intervals");
    for (size_t k = 0; k < sizeof of_intervals / sizeof *of_intervals; k++) {
        const char *from = of_intervals[k].from, *to = of_intervals[k].to, *expression = of_intervals[k].expression;
        uint64_t narrow = 0;
        for (int i = 0; i < 3 * FEW; i++) drawn[i / FEW][i % FEW] = in[i / FEW][i % FEW] = random_interval(&seed, from);
        evaluate(*state, &few, from, to, expression);
        memcpy(whole, out, sizeof whole);
        for (int turn = 0; turn < 3; turn++) {
            for (int i = 0; i < 3 * FEW; i++) in[i / FEW][i % FEW] = exactly(value_in(&seed, drawn[i / FEW][i % FEW], from));
            evaluate(*state, &few, from, to, expression);
            for (int i = 0; i < FEW; i++) {
                narrow += whole[i].high - whole[i].low < INF;
                if (!holds(whole[i], out[i]))
                    fail_msg("%s: {%a, %a} of [%a, %a], [%a, %a], [%a, %a] does not hold {%a, %a} of %a, %a, %a", expression, whole[i].low, whole[i].high, drawn[0][i].low, drawn[0][i].high, drawn[1][i].low,
                             drawn[1][i].high, drawn[2][i].low, drawn[2][i].high, out[i].low, out[i].high, in[0][i].low, in[1][i].low, in[2][i].low);
            }
        }
        if (narrow < FEW / 20) fail_msg("%s: only %llu results have two finite ends", expression, (unsigned long long)narrow);
    }
}

/* By hand: a product changes sign with its factors, a comparison that overlaps chooses both, infinities may cancel. */
static void computes_intervals_by_hand(void **state)
{
    static const struct {
        const char *expression;
        zlay_interval a, b, want;
    } rows[] = {
        {"A * B", {-2, 3}, {-5, 7}, {-15, 21}},           {"A - B", {1, 2}, {-1, 4}, {-3, 3}},           {"abs(A)", {-3, 2}, {0, 0}, {0, 3}},
        {"select(A < B, A, B)", {1, 3}, {2, 5}, {1, 5}},  {"select(A < B, A, B)", {1, 2}, {3, 5}, {1, 2}}, {"max(A, B)", {1, 3}, {2, 2.5}, {2, 3}},
        {"A - B", {1, INFINITY}, {1, INFINITY}, {NAN, INFINITY}}, {"A * B", {-1, 1}, {2, INFINITY}, {NAN, INFINITY}}, {"max(A, B)", {NAN, INFINITY}, {2, 3}, {2, INFINITY}},
        {"min(A, B)", {NAN, INFINITY}, {2, 3}, {-INFINITY, 3}}, {"sqrt(A)", {-1, 4}, {0, 0}, {NAN, INFINITY}}, {"rcp(A)", {-1, 4}, {0, 0}, {-INFINITY, INFINITY}}, {"rcp(A) * 0.25", {0, 4}, {0, 0}, {0x1.fffff8p-5, INFINITY}},
        {"f32(s32(A) + s32(B))", {0x1p30, 0x1p31}, {1, 1}, {-0x1p31, 0x1p31}}, {"f32(and(s32(A), s32(B)))", {1, 2}, {1, 1}, {-0x1p31, 0x1p31}}, {"A + B", {0x1p-149, 0x1p-148}, {1, 1}, {1, 1}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        for (int i = 0; i < FEW; i++) in[0][i] = rows[k].a, in[1][i] = rows[k].b, in[2][i] = exactly(0);
        evaluate(*state, &few, "f32", "f32", rows[k].expression);
        if (!same(out[0].low, rows[k].want.low) || !same(out[0].high, rows[k].want.high)) fail_msg("%s: {%a, %a}", rows[k].expression, out[0].low, out[0].high);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_bounds),
        cmocka_unit_test(has_the_special_values),
        cmocka_unit_test(intervals_hold_values),
        cmocka_unit_test(computes_intervals_by_hand),
    };
    return cmocka_run_group_tests_name("sim/body_approx", tests, begin, end);
}
