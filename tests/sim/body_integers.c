/* SPDX-License-Identifier: Apache-2.0 */
/* The model's integers: operations that wrap, shifts by any number, conversions between integers, and to and from floats at ties, in each rounding
 * and beyond the ends, against C's own. */
#include "body_matrices.h"

typedef double whole(double);
static const struct {
    const char *word;
    whole *value;
} roundings[] = {{"", nearbyint}, {".rz", trunc}, {".rm", floor}, {".rp", ceil}};

static double within(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

static void converts_floats_to_integers(void **state)
{
    uint64_t seed = test_seed("sim/body integers");
    for (int k = 0; k < 8; k++) {
        char expression[32];
        bool is_signed = k < 4;
        snprintf(expression, sizeof expression, "%s%s(A)", is_signed ? "s32" : "u32", roundings[k % 4].word);
        for (int i = 0; i < MANY; i++) {
            double near = (double)test_range(&seed, -9, 9) / 4 + (i % 3 ? 0 : i % 2 ? 0x1p31 : 0x1p32) * (i % 4 ? 1 : -1);
            a_of[i] = exactly((float)(i % 5 ? near : ldexp(near, (int)test_range(&seed, -20, 40))));
            b_of[i] = c_of[i] = exactly(0);
        }
        evaluate(*state, "f32", is_signed ? "s32" : "u32", expression);
        for (int i = 0; i < MANY; i++) {
            double want = within(roundings[k % 4].value(a_of[i].low), is_signed ? -0x1p31 : 0, is_signed ? 0x1p31 - 1 : 0x1p32 - 1);
            check_exactly(i, want + 0.0, expression);
        }
    }
}

/* The float below or above that the rounding asks for, beside C's nearest. */
static float rounded_float(double x, int way)
{
    float near = (float)x;
    bool down = way == 2 || (way == 1 && x > 0), up = way == 3 || (way == 1 && x < 0);
    if (down && near > x) return nextafterf(near, -INFINITY);
    return up && near < x ? nextafterf(near, INFINITY) : near;
}

static void converts_integers_to_floats(void **state)
{
    uint64_t seed = test_seed("sim/body from integers");
    for (int k = 0; k < 8; k++) {
        char expression[32];
        bool is_signed = k < 4;
        snprintf(expression, sizeof expression, "f32%s(A)", roundings[k % 4].word);
        for (int i = 0; i < MANY; i++) {
            uint32_t x = (uint32_t)test_random(&seed) >> test_range(&seed, 0, 31);
            if (i % 3 == 0) x = ((uint32_t)test_range(&seed, 0, 0xffffff) << 8) + 0x7f + (uint32_t)test_range(&seed, 0, 2);
            a_of[i] = b_of[i] = c_of[i] = exactly(is_signed ? (double)(int32_t)x : (double)x);
        }
        evaluate(*state, is_signed ? "s32" : "u32", "f32", expression);
        for (int i = 0; i < MANY; i++) check_exactly(i, rounded_float(a_of[i].low, k % 4), expression);
    }
}

/* All values of 8 bits are exact in both halves. */
static void converts_bytes_to_halves(void **state)
{
    static const char *const from[] = {"u8", "s8"}, *const to[] = {"bf16", "f16"};
    for (int r = 0; r < 4; r++) {
        char expression[32];
        snprintf(expression, sizeof expression, "%s(A)", to[r / 2]);
        for (int i = 0; i < MANY; i++) a_of[i] = b_of[i] = c_of[i] = exactly(i % 256 - (r % 2 ? 128 : 0));
        evaluate(*state, from[r % 2], to[r / 2], expression);
        for (int i = 0; i < MANY; i++) check_exactly(i, a_of[i].low, expression);
    }
}

/* All values of 4 bits, from a stage of shared memory: as they are, and biased by what makes them the lowest bits of a half. */
static void converts_nibbles(void **state)
{
    static const struct {
        const char *from, *to, *how;
        int least, bias;
    } rows[] = {
        {"u4", "bf16", "", 0, 0},  {"u4", "bf16", ".biased", 0, 128},  {"u4", "f16", "", 0, 0},  {"u4", "f16", ".biased", 0, 1024},
        {"s4", "bf16", "", -8, 0}, {"s4", "bf16", ".biased", -8, 136}, {"s4", "f16", "", -8, 0}, {"s4", "f16", ".biased", -8, 1032},
    };
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[256];
        zlay_interval rows_of[SIDE];
        zlay_sim_operand operands[] = {{d_of, MANY}, {a_of, MANY}, {rows_of, SIDE}};
        snprintf(text, sizeof text, "body b\nmatrix D %s\nshared A %s\nshared z %s\nD = %s%s(load(A, row, col)) - load(z, row)\nend\n",
                 rows[r].to, rows[r].from, rows[r].to, rows[r].to, rows[r].how);
        for (int i = 0; i < MANY; i++) a_of[i] = exactly(rows[r].least + i % 16);
        for (int i = 0; i < SIDE; i++) rows_of[i] = exactly(i % 7);
        body_run(*state, text, &one_thread, operands, 3);
        for (int i = 0; i < MANY; i++) check_exactly(i, a_of[i].low + rows[r].bias - i / SIDE % 7, text);
    }
}

/* All values of e2m1 and of scales, from a stage; a scaled one is as many binary places less. */
static void converts_tiny(void **state)
{
    static const double sizes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
    static const struct {
        const char *from, *to, *how;
        int scaled;
    } rows[] = {{"e2m1", "bf16", "", 0}, {"e2m1", "f16", "", 0}, {"e2m1", "bf16", ".scaled", 126}, {"e2m1", "f16", ".scaled", 14}, {"ue8m0", "bf16", "", 0}, {"ue8m0", "bf16", ".scaled", -62}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        char text[160];
        zlay_sim_operand operands[] = {{d_of, MANY}, {a_of, MANY}};
        snprintf(text, sizeof text, "body b\nmatrix D %s\nshared A %s\nD = %s%s(load(A, row, col))\nend\n", rows[r].to, rows[r].from, rows[r].to,
                 rows[r].how);
        for (int i = 0; i < MANY; i++)
            a_of[i] = exactly(*rows[r].from == 'u' ? ldexp(1, i % 255 - 127) : i & 8 ? -sizes[i % 8] : sizes[i % 8]);
        body_run(*state, text, &one_thread, operands, 2);
        for (int i = 0; i < MANY; i++) {
            double wanted = ldexp(a_of[i].low, -rows[r].scaled);
            check_exactly(i, rows[r].scaled > -1 ? wanted : i % 255 == 0 ? 0 : wanted > 0x1p127 ? (double)INFINITY : wanted, text);
        }
    }
}

/* ---- integers ---------------------------------------------------------------------------------------------------------------- */

static uint32_t int_add(uint32_t a, uint32_t b) { return a + b; }
static uint32_t int_sub(uint32_t a, uint32_t b) { return a - b; }
static uint32_t int_mul(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b); }
static uint32_t int_neg(uint32_t a, uint32_t b) { return (void)b, ~a + 1; }
static uint32_t int_and(uint32_t a, uint32_t b) { return a & b; }
static uint32_t int_or(uint32_t a, uint32_t b) { return a | b; }
static uint32_t int_xor(uint32_t a, uint32_t b) { return a ^ b; }
static uint32_t int_shl(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a << (b < 40 ? b : 40)); }
static uint32_t unsigned_shr(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a >> (b < 40 ? b : 40)); }
static uint32_t signed_shr(uint32_t a, uint32_t b) { return (uint32_t)((int64_t)(int32_t)a >> (b < 40 ? b : 40)); }
static uint32_t unsigned_max(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t signed_min(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b ? a : b; }
static uint32_t unsigned_less(uint32_t a, uint32_t b) { return a < b; }
static uint32_t signed_less(uint32_t a, uint32_t b) { return (int32_t)a < (int32_t)b; }

static const struct {
    const char *type, *expression;
    uint32_t (*value)(uint32_t a, uint32_t b);
} of_integers[] = {
    {"s32", "A + B", int_add}, {"u32", "A + B", int_add}, {"s32", "A - B", int_sub}, {"u32", "A - B", int_sub}, {"s32", "A * B", int_mul}, {"u32", "A * B", int_mul},
    {"s32", "-A", int_neg}, {"u32", "-A", int_neg}, {"s32", "and(A, B)", int_and}, {"u32", "or(A, B)", int_or}, {"s32", "xor(A, B)", int_xor}, {"u32", "shl(A, B)", int_shl},
    {"s32", "shl(A, B)", int_shl}, {"u32", "shr(A, B)", unsigned_shr}, {"s32", "shr(A, B)", signed_shr}, {"u32", "max(A, B)", unsigned_max}, {"s32", "min(A, B)", signed_min},
    {"u32", "select(A < B, 1 + (A - A), 0 * A)", unsigned_less}, {"s32", "select(A < B, 1 + (A - A), 0 * A)", signed_less}, {"s32", "select(xor(A < B, B < A), A - A, A - A + 1)", NULL},
    {"s32", "select(or(A < B, B < A), A - A, A - A + 1)", NULL}, {"s32", "select(and(A <= B, B <= A), A - A + 1, A - A)", NULL},
};

static void computes_integers(void **state)
{
    uint64_t seed = test_seed("sim/body integers");
    for (size_t k = 0; k < sizeof of_integers / sizeof *of_integers; k++) {
        bool is_signed = of_integers[k].type[0] == 's';
        static uint32_t a[MANY], b[MANY];
        for (int i = 0; i < MANY; i++) {
            a[i] = (uint32_t)test_random(&seed) >> test_range(&seed, 0, 31);
            b[i] = i % 3 ? (uint32_t)test_random(&seed) : i % 2 ? a[i] : (uint32_t)test_range(&seed, 0, 40);
            if (i % 7 == 0) a[i] = 0x80000000;
            a_of[i] = exactly(is_signed ? (double)(int32_t)a[i] : (double)a[i]);
            b_of[i] = c_of[i] = exactly(is_signed ? (double)(int32_t)b[i] : (double)b[i]);
        }
        evaluate(*state, of_integers[k].type, of_integers[k].type, of_integers[k].expression);
        for (int i = 0; i < MANY; i++) {
            uint32_t want = of_integers[k].value ? of_integers[k].value(a[i], b[i]) : a[i] == b[i];
            check_exactly(i, is_signed ? (double)(int32_t)want : (double)want, of_integers[k].expression);
        }
    }
}

static void converts_integers(void **state)
{
    uint64_t seed = test_seed("sim/body bytes");
    static const char *const to[] = {"u32", "s8", "u8"};
    for (int k = 0; k < 3; k++) {
        char expression[16];
        snprintf(expression, sizeof expression, "%s(A)", to[k]);
        for (int i = 0; i < MANY; i++) a_of[i] = b_of[i] = c_of[i] = exactly(i % 2 ? (double)test_range(&seed, -300, 300) : (double)(int32_t)test_random(&seed));
        evaluate(*state, "s32", to[k], expression);
        for (int i = 0; i < MANY; i++) check_exactly(i, k == 0 ? (double)(uint32_t)(int32_t)a_of[i].low : within(a_of[i].low, k == 1 ? -128 : 0, k == 1 ? 127 : 255), expression);
    }
    for (int k = 1; k < 3; k++) {
        for (int i = 0; i < MANY; i++) a_of[i] = b_of[i] = c_of[i] = exactly(k == 1 ? i % 256 - 128 : i % 256);
        evaluate(*state, to[k], "s32", "s32(A)");
        for (int i = 0; i < MANY; i++) check_exactly(i, a_of[i].low, to[k]);
    }
    for (int i = 0; i < MANY; i++) a_of[i] = b_of[i] = c_of[i] = exactly((double)(uint32_t)test_random(&seed));
    evaluate(*state, "u32", "s32", "s32(A)");
    for (int i = 0; i < MANY; i++) check_exactly(i, (double)(int32_t)(uint32_t)a_of[i].low, "s32(u32)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converts_floats_to_integers),
        cmocka_unit_test(converts_integers_to_floats), cmocka_unit_test(converts_nibbles), cmocka_unit_test(converts_tiny), cmocka_unit_test(converts_bytes_to_halves),
        cmocka_unit_test(computes_integers),
        cmocka_unit_test(converts_integers),
    };
    return cmocka_run_group_tests_name("sim/body_integers", tests, begin, end);
}
