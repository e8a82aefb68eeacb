/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma of the model in every type: elements by the definition of their formats, products in double and in 64-bit integers. */
#include "sim.h"

#include <math.h>

enum { AT_A = ORIGIN, AT_B = ORIGIN + SMEM / 3, MOST_N = 256, DEPTH = 32, FORMS = 4 };

/* Bits of exponent and fraction; 0: a whole number. `special`: the greatest exponent is not of numbers. */
typedef struct format {
    int32_t type;
    int bytes, exponent, fraction;
    bool special;
} format;

static const format formats[] = {
    {ZLAY_TYPE_BF16, 2, 8, 7, true}, {ZLAY_TYPE_F16, 2, 5, 10, true}, {ZLAY_TYPE_TF32, 4, 8, 10, true},
    {ZLAY_TYPE_E4M3, 1, 4, 3, false}, {ZLAY_TYPE_E5M2, 1, 5, 2, true}, {ZLAY_TYPE_S8, 1, 0, 0, false},
    {ZLAY_TYPE_U8, 1, 0, 0, false},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The number of a bits; NaN and infinite ones as such. Bits of tf32 lie above 13 that nobody reads. */
static double number(const format *f, uint32_t bits)
{
    int width = f->exponent + f->fraction;
    if (f->type == ZLAY_TYPE_S8) return (int8_t)bits;
    if (f->type == ZLAY_TYPE_U8) return (uint8_t)bits;
    if (f->type == ZLAY_TYPE_TF32) bits >>= 13;
    int exponent = (int)(bits >> f->fraction & ((1u << f->exponent) - 1)), bias = (1 << (f->exponent - 1)) - 1;
    double part = ldexp(bits & ((1u << f->fraction) - 1), -f->fraction), sign = bits >> width & 1 ? -1 : 1;
    bool last = exponent == (1 << f->exponent) - 1;
    if (f->special && last) return part > 0 ? (double)NAN : sign * (double)INFINITY;
    if (last && part == 0.875) return (double)NAN;
    return sign * (exponent ? ldexp(1 + part, exponent - bias) : ldexp(part, 1 - bias));
}

/* Patterns of which sums of 32 products are exact: few fraction bits, exponents near that of 1. */
static uint32_t plain_pattern(const format *f, uint64_t *s)
{
    uint32_t random = (uint32_t)test_random(s);
    if (!f->exponent) return random & 0xff;
    uint32_t fraction = f->fraction > 3 ? (random & 7) << (f->fraction - 3) : random & ((1u << f->fraction) - 1);
    uint32_t exponent = (uint32_t)((1 << (f->exponent - 1)) - 1 + test_range(s, -2, 2));
    uint32_t bits = (random >> 8 & 1) << (f->exponent + f->fraction) | exponent << f->fraction | fraction;
    if (random >> 9 % 16 == 0) bits = 0;
    return f->type == ZLAY_TYPE_TF32 ? bits << 13 | random >> 19 : bits;
}

/* K-major, 8 rows of a bits `chunks` of 16 bytes wide; K of an instruction is 32 bytes. */
static uint64_t place(uint64_t start, int32_t swizzle, uint32_t lbo, uint32_t sbo, uint32_t mn, uint32_t byte)
{
    uint32_t row = 16u << swizzle, chunk = byte / 16;
    uint64_t inside = swizzle ? (uint64_t)chunk * 16 : (uint64_t)chunk * lbo;
    return by_picture(start + mn / 8 * sbo + mn % 8 * row + inside + byte % 16, swizzle);
}

typedef struct operand {
    const format *format;
    uint64_t desc;
    double value[MOST_N * DEPTH];
} operand;

/* Patterns into shared memory, their numbers into `value`; depth elements of each of mn rows. */
static void lay_out(world *w, operand *o, uint32_t start, int32_t swizzle, const uint32_t *bits, uint32_t mn)
{
    static const uint64_t layout[] = {0, 3, 2, 1};
    uint32_t bytes = (uint32_t)o->format->bytes, depth = 32 / bytes, sbo = 8 * (16u << swizzle) * 2, lbo = swizzle ? 16 : 128;
    o->desc = (uint64_t)(start >> 4) | (uint64_t)(lbo >> 4) << 16 | (uint64_t)(sbo >> 4) << 32 | layout[swizzle] << 62;
    for (uint32_t r = 0; r < mn; r++)
        for (uint32_t k = 0; k < depth; k++) {
            uint32_t one = bits[r * depth + k];
            o->value[r * depth + k] = number(o->format, one);
            memcpy(w->smem + (place(start, swizzle, lbo, sbo, r, k * bytes) - ORIGIN), &one, bytes);
        }
}

static zlay_mma mma_of(const format *a, const format *b, int32_t d, uint32_t n)
{
    return (zlay_mma){.m = 64, .n = n, .k = 32 / (uint32_t)a->bytes, .a = a->type, .b = b->type, .d = d};
}

static bool pairs(const format *a, const format *b)
{
    bool fp8 = !a->exponent == !b->exponent && a->bytes == 1 && b->bytes == 1;
    return a == b || fp8;
}

/* To the nearest number of 11 bits, the even one of two. */
static double half(double value)
{
    int exponent;
    frexp(value, &exponent);
    if (exponent < -13) exponent = -13;
    double near = ldexp(nearbyint(ldexp(value, 11 - exponent)), exponent - 11);
    return fabs(near) >= 65536 ? copysign((double)INFINITY, value) : near;
}

static int32_t whole(int64_t sum, bool saturate)
{
    if (saturate) return sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : (int32_t)sum;
    return (int32_t)(uint32_t)(uint64_t)sum;
}

typedef union sums {
    float real[64 * MOST_N];
    int32_t whole[64 * MOST_N];
} sums;

static void compare(const sums *got, const sums *before, const zlay_mma *mma, const operand *a, const operand *b, bool add)
{
    bool negate = mma->negate_a != mma->negate_b;
    for (uint32_t i = 0; i < 64 * mma->n; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < mma->k; k++)
            sum += a->value[i / mma->n * mma->k + k] * b->value[i % mma->n * mma->k + k];
        if (mma->d == ZLAY_TYPE_S32) {
            int32_t want = whole((int64_t)sum + (add ? before->whole[i] : 0), mma->saturate);
            if (got->whole[i] != want) fail_msg("type %d: %d, not %d", mma->a, got->whole[i], want);
            continue;
        }
        sum = (negate ? -sum : sum) + (add ? (double)before->real[i] : 0);
        if (mma->d == ZLAY_TYPE_F16) sum = half(sum);
        if ((double)got->real[i] != sum) fail_msg("types %d, %d: %g, not %g", mma->a, mma->b, (double)got->real[i], sum);
    }
}

static void product(const format *fa, const format *fb, int32_t d, uint64_t *s)
{
    static operand a, b;
    static sums acc, before;
    static uint32_t bits[MOST_N * DEPTH];
    world *w = world_new(s);
    uint32_t n = 8 * (uint32_t)test_range(s, 1, 32);
    bool add = test_range(s, 0, 1), integer = d == ZLAY_TYPE_S32;
    int32_t fault = -1;
    if (integer && n > 32) n = n / 16 * 16;
    zlay_mma mma = mma_of(fa, fb, d, n);
    mma.saturate = integer && test_range(s, 0, 1);
    mma.negate_a = fa->bytes > 1 && test_range(s, 0, 1);
    mma.negate_b = fa->bytes > 1 && test_range(s, 0, 1);
    a.format = fa, b.format = fb;
    for (uint32_t i = 0; i < 64 * mma.k; i++) bits[i] = plain_pattern(fa, s);
    lay_out(w, &a, AT_A, (int32_t)test_range(s, 0, FORMS - 1), bits, 64);
    for (uint32_t i = 0; i < n * mma.k; i++) bits[i] = plain_pattern(fb, s);
    lay_out(w, &b, AT_B, (int32_t)test_range(s, 0, FORMS - 1), bits, n);
    for (uint32_t i = 0; i < 64 * n; i++) {
        if (integer) acc.whole[i] = test_range(s, 0, 1) ? INT32_MAX - (int32_t)test_range(s, 0, 999) : INT32_MIN;
        else acc.real[i] = (float)test_range(s, -99, 99);
    }
    before = acc;
    assert_int_equal(zlay_sim_wgmma(&fault, &acc, &w->shared, &mma, a.desc, b.desc, add), ZLAY_OK);
    assert_int_equal(fault, 0);
    compare(&acc, &before, &mma, &a, &b, add);
    free(w);
}

static void every_pair_of_types(void **unused)
{
    (void)unused;
    uint64_t s = test_seed("sim/types"), count = test_iterations(8);
    uint32_t tried = 0;
    for (size_t i = 0; i < FORMATS; i++)
        for (size_t j = 0; j < FORMATS; j++)
            for (uint64_t r = 0; pairs(&formats[i], &formats[j]) && r < count; r++, tried++) {
                bool halves = formats[i].type != ZLAY_TYPE_BF16 && formats[i].type != ZLAY_TYPE_TF32 && r % 2;
                int32_t d = !formats[i].exponent ? ZLAY_TYPE_S32 : halves ? ZLAY_TYPE_F16 : ZLAY_TYPE_F32;
                product(&formats[i], &formats[j], d, &s);
            }
    assert_int_equal(tried, 11 * count);
}

/* Every bits of 8 bits and random ones of more, times 1 in one place of K: D is the number itself. */
static void every_pattern(void **unused)
{
    (void)unused;
    static operand a, b;
    static float acc[64 * 8];
    uint64_t s = test_seed("sim/types patterns");
    for (size_t i = 0; i < FORMATS; i++) {
        const format *f = &formats[i];
        uint32_t depth = 32 / (uint32_t)f->bytes, one = 0;
        if (!f->exponent) continue;
        while (number(f, one) != 1) one += f->type == ZLAY_TYPE_TF32 ? 1u << 13 : 1;
        for (uint32_t base = 0; base < (f->bytes == 1 ? 256 : 64 * test_iterations(40)); base += 64) {
            uint32_t bits[64 * DEPTH] = {0}, ones[8 * DEPTH] = {0}, k = (uint32_t)test_range(&s, 0, depth - 1);
            world *w = world_new(&s);
            int32_t fault = -1;
            for (uint32_t r = 0; r < 64; r++) {
                uint32_t random = (uint32_t)test_random(&s);
                bits[r * depth + k] = f->bytes == 1 ? base + r : f->bytes == 2 ? random & 0xffff : random;
            }
            for (uint32_t c = 0; c < 8; c++) ones[c * depth + k] = one;
            a.format = b.format = f;
            lay_out(w, &a, AT_A, ZLAY_SWIZZLE_64B, bits, 64);
            lay_out(w, &b, AT_B, ZLAY_SWIZZLE_NONE, ones, 8);
            zlay_mma mma = mma_of(f, f, ZLAY_TYPE_F32, 8);
            assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, &mma, a.desc, b.desc, 0), ZLAY_OK);
            for (uint32_t r = 0; r < 64; r++) {
                double want = a.value[r * depth + k], got = (double)acc[8 * r + r % 8];
                if (isnan(want) ? !isnan(got) : got != want)
                    fail_msg("type %d, bits %x: %g, not %g", f->type, (unsigned)bits[r * depth + k], got, want);
            }
            free(w);
        }
    }
}

static void what_is_not_modelled(void **unused)
{
    (void)unused;
    static sums acc;
    uint64_t s = 3;
    world *w = world_new(&s);
    int32_t fault = 9;
    zlay_mma bad[] = {mma_of(&formats[0], &formats[0], ZLAY_TYPE_F32, 8), mma_of(&formats[0], &formats[0], ZLAY_TYPE_F32, 8),
                      mma_of(&formats[0], &formats[1], ZLAY_TYPE_F32, 8), mma_of(&formats[0], &formats[0], ZLAY_TYPE_F16, 8),
                      mma_of(&formats[3], &formats[3], ZLAY_TYPE_F32, 8), mma_of(&formats[5], &formats[5], ZLAY_TYPE_S32, 40),
                      mma_of(&formats[0], &formats[0], ZLAY_TYPE_F32, 8)};
    bad[0].a_source = ZLAY_SOURCE_REG;
    bad[1].sparse = 1, bad[1].k = 32;
    bad[4].a_major = ZLAY_MAJOR_MN;
    bad[6].instruction = ZLAY_MMA_TCGEN05, bad[6].kind = ZLAY_KIND_F16;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (zlay_sim_wgmma(&fault, &acc, &w->shared, &bad[i], 0, 0, 0) != ZLAY_EINVAL) fail_msg("row %zu is modelled", i);
    assert_int_equal(fault, 9);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_of_types),
        cmocka_unit_test(every_pattern),
        cmocka_unit_test(what_is_not_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
