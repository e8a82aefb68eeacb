/* SPDX-License-Identifier: Apache-2.0 */
/* Every decision in whole small worlds, against plain enumeration. */
#include "layouts/decide.h"

static image one, two;

static void check_all(zlay_ctx *ctx, const zlay_layout *a, int outs, const int64_t *sizes)
{
    static const int64_t onto[] = {1, 2, 3, 5, 8, 12, 16, 33, 64};
    image_of(&one, a, outs, sizes);
    check_injective(ctx, a, &one);
    check_bijective(ctx, a, &one);
    for (size_t i = 0; i < sizeof onto / sizeof onto[0]; i++)
        check_surjective(ctx, a, &one, &onto[i], 1);
}

/* ---- F2 maps ---------------------------------------------------------------------------- */

static zlay_layout *f2_map(zlay_ctx *ctx, int in, int out, unsigned bits)
{
    char text[256], *p = text;
    p += sprintf(p, "f2{a:");
    for (int k = 0; k < in; k++, bits >>= out) p += sprintf(p, " (%u)", bits & ((1u << out) - 1));
    sprintf(p, " -> x: %d}", 1 << out);
    return read_layout(ctx, text);
}

/* All 74,954 maps of 1 to 4 bits to 1 to 4 bits. */
static void f2_maps(void **state)
{
    int count = 0;
    for (int in = 1; in <= 4; in++)
        for (int out = 1; out <= 4; out++)
            for (unsigned bits = 0; bits < 1u << (in * out); bits++, count++) {
                int64_t size = 1 << out;
                zlay_layout *a = f2_map(*state, in, out, bits);
                check_all(*state, a, 1, &size);
                zlay_layout_free(a);
            }
    assert_int_equal(count, 74954);
}

/* The same maps of 4 bits on two outputs, a box of sizes that need not be theirs. */
static void f2_tuples(void **state)
{
    static const int64_t sizes[2] = {2, 4};
    for (unsigned bits = 0; bits < 1u << 12; bits++) {
        char text[128];
        sprintf(text, "f2{a: (%u,%u) (%u,%u); b: (%u,%u) (%u,%u) -> x: 2, y: 4}", bits & 1,
                bits >> 1 & 3, bits >> 3 & 1, bits >> 4 & 3, bits >> 6 & 1, bits >> 7 & 3,
                bits >> 9 & 1, bits >> 10 & 3);
        zlay_layout *a = read_layout(*state, text);
        check_all(*state, a, 2, sizes);
        for (int64_t m = 1; m <= 3; m++)
            for (int64_t n = 1; n <= 5; n++) check_surjective(*state, a, &one, (int64_t[]){m, n}, 2);
        zlay_layout_free(a);
    }
}

/* ---- strided layouts ---------------------------------------------------------------------- */

static zlay_layout *strided(zlay_ctx *ctx, const int64_t *shape, const int64_t *stride, int rank,
                            int64_t offset)
{
    zlay_layout *a;
    assert_int_equal(zlay_layout_new_strided(ctx, &a, (size_t)rank, shape, stride, offset), ZLAY_OK);
    return a;
}

static void check_strided(zlay_ctx *ctx, const int64_t *shape, const int64_t *stride, int rank)
{
    zlay_layout *a = strided(ctx, shape, stride, rank, 0);
    check_all(ctx, a, 1, NULL);
    zlay_layout_free(a);
}

/* All of size <= 32, rank <= 2, strides -8 .. 32. */
static void strided_layouts(void **state)
{
    for (int64_t m = 1; m <= 32; m++)
        for (int64_t n = 1; m * n <= 32; n++)
            for (int64_t s = -8; s <= 32; s++)
                for (int64_t t = -8; t <= 32; t++) {
                    check_strided(*state, (int64_t[]){m, n}, (int64_t[]){s, t}, 2);
                    if (n == 1) break;
                }
}

/* A mode of one element moves nothing: strides 0, 1 and 32 of it stand for the others. */
static bool stands_for_others(const int64_t *shape, const int64_t *stride)
{
    for (int m = 0; m < 3; m++)
        if (shape[m] == 1 && stride[m] > 1 && stride[m] < 32) return false;
    return true;
}

/* All of size <= 32, rank 3, strides 0 .. 32: one in 97; under ZLAY_EXHAUSTIVE=1 all whose modes of one element stand for others,
 * so that every function is there, and one in 16 of the rest; under 2 all 10,781,100. */
static void strided_rank_3(void **state)
{
    uint64_t seed = test_seed("rank 3");
    int64_t every = test_exhaustive() ? 1 : 97, left = test_range(&seed, 0, every - 1), count = 0;
    bool thinned = test_exhaustive() && !test_hours();
    for (int64_t shape = 0; shape < 32 * 32 * 32; shape++) {
        int64_t e[3] = {shape % 32 + 1, shape / 32 % 32 + 1, shape / 1024 + 1};
        if (e[0] * e[1] * e[2] > 32) continue;
        for (int64_t s = 0; s < 33 * 33 * 33; s++) {
            if (left--) continue;
            left = every - 1;
            int64_t d[3] = {s % 33, s / 33 % 33, s / 1089};
            count++;
            if (thinned && !stands_for_others(e, d) && test_range(&seed, 0, 15)) continue;
            check_strided(*state, e, d, 3);
        }
    }
    assert_true(count > 10781100 / every - 2 && count <= 10781100 / every + 1);
}

/* ---- swizzles --------------------------------------------------------------------------------- */

/* On extents that are no power of two too, and with an offset, where sums carry. */
static void check_swizzle(zlay_ctx *ctx, int bits, int base, int shift)
{
    int points = 1 << (bits + base + abs(shift));
    const char *const shapes[] = {"0 o %d:1", "5 o (%d,3):(1,-1)", "0 o (3,%d):(7,2)"};
    for (int i = 0; i < 3; i++) {
        char text[128], *p = text;
        int extent = i ? points < 32 ? points : 32 : points;
        p += sprintf(p, "Sw<%d,%d,%d> o ", bits, base, shift);
        sprintf(p, shapes[i], extent);
        zlay_layout *a = read_layout(ctx, text);
        check_all(ctx, a, 1, NULL);
        zlay_layout_free(a);
    }
}

static void swizzles(void **state)
{
    int count = 0;
    for (int bits = 0; bits <= 5; bits++)
        for (int base = 0; bits + base <= 10; base++)
            for (int shift = base + bits - 10; shift <= 10 - base - bits; shift++)
                if (abs(shift) >= bits) check_swizzle(*state, bits, base, shift), count++;
    assert_true(count > 200);
}

/* ---- pairs --------------------------------------------------------------------------------------- */

typedef struct plain { int64_t shape[2], stride[2]; } plain;

static int world(plain *p)
{
    int count = 0;
    for (int64_t m = 1; m <= 12; m++)
        for (int64_t n = 1; m * n <= 12; n++)
            for (int64_t s = 0; s <= 6; s++)
                for (int64_t t = 0; t <= 6; t++) p[count++] = (plain){{m, n}, {s, t}};
    return count;
}

/* All pairs of size <= 12, rank <= 2, strides 0 .. 6: one in 29, or all 3 million. */
static void pairs(void **state)
{
    static plain p[4000];
    uint64_t seed = test_seed("pairs");
    int count = world(p), every = test_exhaustive() ? 1 : 29;
    zlay_layout **made = malloc(sizeof *made * (size_t)count);
    for (int i = 0; i < count; i++) {
        made[i] = strided(*state, p[i].shape, p[i].stride, 2, i % 3 ? 0 : i % 5);
    }
    for (int i = 0; i < count; i++) {
        image_of(&one, made[i], 1, NULL);
        for (int j = (int)test_range(&seed, 0, every - 1); j < count; j += every) {
            image_of(&two, made[j], 1, NULL);
            check_contained(*state, made[i], &one, made[j], &two);
            check_equal(*state, made[i], &one, made[j], &two);
        }
    }
    for (int i = 0; i < count; i++) zlay_layout_free(made[i]);
    free(made);
}

/* All pairs of F2 maps of 3 bits to 2: equal, contained. */
static void f2_pairs(void **state)
{
    static zlay_layout *made[64];
    int64_t size = 4;
    for (unsigned i = 0; i < 64; i++) made[i] = f2_map(*state, 3, 2, i);
    for (unsigned i = 0; i < 64; i++)
        for (unsigned j = 0; j < 64; j++) {
            image_of(&one, made[i], 1, &size);
            image_of(&two, made[j], 1, &size);
            check_contained(*state, made[i], &one, made[j], &two);
            check_equal(*state, made[i], &one, made[j], &two);
        }
    for (unsigned i = 0; i < 64; i++) zlay_layout_free(made[i]);
}

/* ---- pairs across the worlds ------------------------------------------------------------------------ */

static zlay_layout *draw_f2(zlay_ctx *ctx, uint64_t *seed, int64_t *size)
{
    int in = (int)test_range(seed, 1, 4), out = (int)test_range(seed, 1, 4);
    *size = 1 << out;
    return f2_map(ctx, in, out, (unsigned)test_range(seed, 0, (INT64_C(1) << (in * out)) - 1));
}

static zlay_layout *draw_strided(zlay_ctx *ctx, uint64_t *seed, int64_t *size)
{
    int64_t m = test_range(seed, 1, 32), n = test_range(seed, 1, 32 / m);
    if (test_range(seed, 0, 1)) {
        m = 1 << test_range(seed, 0, 3);
        n = 1 << test_range(seed, 0, 2);
    }
    int64_t s = test_range(seed, -8, 32), t = test_range(seed, 0, 1) ? m * s : test_range(seed, -8, 32);
    *size = 0;
    return strided(ctx, (int64_t[]){m, n}, (int64_t[]){s, t}, 2, 0);
}

static zlay_layout *draw_swizzle(zlay_ctx *ctx, uint64_t *seed, int64_t *size)
{
    char text[96];
    int bits = (int)test_range(seed, 0, 2), shift = (int)test_range(seed, bits, 3);
    sprintf(text, "Sw<%d,%d,%d> o 0 o %d:%d", bits, (int)test_range(seed, 0, 2),
            test_range(seed, 0, 1) ? shift : -shift, 1 << test_range(seed, 0, 5),
            (int)test_range(seed, 1, 3));
    *size = 0;
    return read_layout(ctx, text);
}

typedef zlay_layout *drawer(zlay_ctx *ctx, uint64_t *seed, int64_t *size);
static drawer *const drawers[] = {draw_f2, draw_strided, draw_swizzle};

/* 30,000 random pairs, in `make exhaustive` three times as many. */
static void pairs_across(void **state)
{
    uint64_t seed = test_seed("pairs across"), rounds = test_cases(30000);
    for (uint64_t n = 0; n < rounds; n++) {
        int64_t size, other;
        zlay_layout *a = drawers[n % 3](*state, &seed, &size);
        zlay_layout *b = drawers[n / 3 % 3](*state, &seed, &other);
        image_of(&one, a, 1, &size);
        image_of(&two, b, 1, &other);
        check_contained(*state, a, &one, b, &two);
        check_equal(*state, a, &one, b, &two);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f2_maps), cmocka_unit_test(f2_tuples), cmocka_unit_test(strided_layouts),
        cmocka_unit_test(strided_rank_3), cmocka_unit_test(swizzles), cmocka_unit_test(pairs),
        cmocka_unit_test(f2_pairs), cmocka_unit_test(pairs_across),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
