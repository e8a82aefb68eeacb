/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma of the model against plain products: operands are laid out by the canonical layouts of the
 * PTX ISA, written as CuTe shapes and strides, and by the pictures of its swizzles. */
#include "sim.h"

#include <math.h>

enum { AT_A = ORIGIN, AT_B = ORIGIN + SMEM / 3, MOST_N = 256 };

/* Strides that a descriptor's field gives, in the place of a number of elements. */
enum { LBO = -1, SBO = -2 };

/* ((mn...),(k...)):((mn...),(k...)) with T = 8 elements; an extent of 0 takes what is left. */
typedef struct canonical {
    int32_t major, swizzle;
    int mn_shape[3], k_shape[2], mn_stride[3], k_stride[2];
} canonical;

static const canonical forms[] = {
    {ZLAY_MAJOR_K, ZLAY_SWIZZLE_NONE, {8, 0, 1}, {8, 2}, {8, SBO, 0}, {1, LBO}},
    {ZLAY_MAJOR_K, ZLAY_SWIZZLE_32B, {8, 0, 1}, {8, 2}, {16, SBO, 0}, {1, 8}},
    {ZLAY_MAJOR_K, ZLAY_SWIZZLE_64B, {8, 0, 1}, {8, 2}, {32, SBO, 0}, {1, 8}},
    {ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, {8, 0, 1}, {8, 2}, {64, SBO, 0}, {1, 8}},
    {ZLAY_MAJOR_MN, ZLAY_SWIZZLE_NONE, {8, 1, 0}, {8, 2}, {1, 8, SBO}, {8, LBO}},
    {ZLAY_MAJOR_MN, ZLAY_SWIZZLE_32B, {8, 2, 0}, {8, 2}, {1, 8, LBO}, {16, SBO}},
    {ZLAY_MAJOR_MN, ZLAY_SWIZZLE_64B, {8, 4, 0}, {8, 2}, {1, 8, LBO}, {32, SBO}},
    {ZLAY_MAJOR_MN, ZLAY_SWIZZLE_128B, {8, 8, 0}, {8, 2}, {1, 8, LBO}, {64, SBO}},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

typedef struct fields {
    uint32_t start, lbo, sbo, base;
    int32_t swizzle;
} fields;

static uint64_t encode(const fields *f)
{
    static const uint64_t layout[] = {0, 3, 2, 1};
    return (uint64_t)(f->start >> 4) | (uint64_t)(f->lbo >> 4) << 16 |
           (uint64_t)(f->sbo >> 4) << 32 | (uint64_t)f->base << 49 | layout[f->swizzle] << 62;
}

static uint64_t along(uint64_t index, const int *shape, const int *stride, int modes,
                      const fields *f)
{
    uint64_t offset = 0;
    for (int i = 0; i < modes; i++) {
        uint64_t extent = shape[i] ? (uint64_t)shape[i] : UINT64_MAX;
        uint64_t step = stride[i] == LBO   ? f->lbo / 2
                        : stride[i] == SBO ? f->sbo / 2
                                           : (uint64_t)stride[i];
        offset += index % extent * step;
        index /= extent;
    }
    return offset;
}

/* Byte offset of element (mn, k) from the start, before swizzling. */
static uint64_t canonical_offset(const canonical *form, const fields *f, uint64_t mn, uint64_t k)
{
    return 2 * (along(mn, form->mn_shape, form->mn_stride, 3, f) +
                along(k, form->k_shape, form->k_stride, 2, f));
}

/* Fields that keep the blocks of a form apart, with random gaps of whole patterns. */
static fields random_fields(const canonical *form, uint32_t start, uint32_t mn, uint64_t *state)
{
    uint32_t span = 16u << form->swizzle, gap = 128 * pattern_lines[form->swizzle];
    uint32_t row = form->major == ZLAY_MAJOR_K ? 8 : form->swizzle ? span / 2 : 8;
    uint32_t near = 8 * span + gap * (uint32_t)test_range(state, 0, 2);
    uint32_t far = near * ((mn + row - 1) / row) + gap * (uint32_t)test_range(state, 0, 3);
    fields f = {.start = start, .lbo = far, .sbo = near, .swizzle = form->swizzle};
    if (form->major == ZLAY_MAJOR_MN && form->swizzle) f.lbo = near, f.sbo = far;
    if (form->major == ZLAY_MAJOR_K && form->swizzle)
        f.lbo = 16 * (uint32_t)test_range(state, 0, 0x3fff);
    return f;
}

static void put(world *w, uint64_t address, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    memcpy(w->smem + (address - ORIGIN), &half, sizeof half);
}

/* Random integers of -4..4, kept in `values` as mn x 16 and laid out in shared memory. */
static void lay_out(world *w, float *values, const canonical *form, const fields *f, uint32_t mn,
                    uint64_t *state)
{
    for (uint32_t r = 0; r < mn; r++)
        for (uint32_t k = 0; k < 16; k++) {
            float value = (float)test_range(state, -4, 4);
            values[r * 16 + k] = value;
            put(w, by_picture(f->start + canonical_offset(form, f, r, k), f->swizzle), value);
        }
}

static zlay_mma mma_of(uint32_t n, int32_t a_major, int32_t b_major)
{
    zlay_mma mma = {.m = 64,
                    .n = n,
                    .k = 16,
                    .a = ZLAY_TYPE_BF16,
                    .b = ZLAY_TYPE_BF16,
                    .d = ZLAY_TYPE_F32,
                    .a_major = a_major,
                    .b_major = b_major};
    return mma;
}

static uint32_t wrong(const float *acc, const float *before, const float *a, const float *b,
                      uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < 64; r++)
        for (uint32_t c = 0; c < n; c++) {
            double sum = before ? (double)before[r * n + c] : 0;
            for (uint32_t k = 0; k < 16; k++) sum += (double)a[r * 16 + k] * (double)b[c * 16 + k];
            count += (double)acc[r * n + c] != sum;
        }
    return count;
}

/* Every form of A with every form of B, both values of scale-d. */
static void test_canonical_forms(void **unused)
{
    (void)unused;
    static float a[64 * 16], b[MOST_N * 16], acc[64 * MOST_N], before[64 * MOST_N];
    uint64_t state = test_seed("canonical forms");
    for (size_t i = 0; i < FORMS * FORMS * test_iterations(2); i++) {
        world *w = world_new(&state);
        const canonical *fa = &forms[i % FORMS], *fb = &forms[i / FORMS % FORMS];
        uint32_t n = 8 * (uint32_t)test_range(&state, 1, 32);
        int32_t fault = -1, add = (int32_t)test_range(&state, 0, 1);
        fields da = random_fields(fa, AT_A + 1024 * (uint32_t)test_range(&state, 0, 2), 64, &state);
        fields db = random_fields(fb, AT_B + 1024 * (uint32_t)test_range(&state, 0, 2), n, &state);
        lay_out(w, a, fa, &da, 64, &state);
        lay_out(w, b, fb, &db, n, &state);
        for (uint32_t j = 0; j < 64 * n; j++)
            acc[j] = before[j] = (float)test_range(&state, -99, 99);
        zlay_mma mma = mma_of(n, fa->major, fb->major);
        assert_int_equal(
            zlay_sim_wgmma(&fault, acc, &w->shared, &mma, encode(&da), encode(&db), add), ZLAY_OK);
        assert_int_equal(fault, 0);
        assert_int_equal(wrong(acc, add ? before : NULL, a, b, n), 0);
        free(w);
    }
}

/* Bit b of the result: base offset b of A gives no error when A's pattern begins at its start (or
 * at address 0) and A starts `shift` bytes after a multiple of 1024. */
static uint32_t right_offsets(int32_t swizzle, uint32_t shift, bool at_start, uint64_t *state)
{
    static float a[64 * 16], b[8 * 16], acc[64 * 8];
    world *w = world_new(state);
    const canonical *fa = &forms[swizzle], *fb = &forms[0];
    fields da = {
        .start = AT_A + shift, .lbo = 1024, .sbo = 8 * (16u << swizzle), .swizzle = swizzle};
    fields db = random_fields(fb, AT_B, 8, state);
    lay_out(w, a, fa, &da, 64, state);
    if (at_start) memset(w->smem, UNTOUCHED, SMEM);
    lay_out(w, b, fb, &db, 8, state);
    for (uint32_t r = 0; at_start && r < 64; r++)
        for (uint32_t k = 0; k < 16; k++)
            put(w, da.start + by_picture(canonical_offset(fa, &da, r, k), swizzle), a[r * 16 + k]);
    zlay_mma mma = mma_of(8, ZLAY_MAJOR_K, ZLAY_MAJOR_K);
    uint32_t bits = 0;
    for (da.base = 0; da.base < 8; da.base++) {
        int32_t fault = -1;
        assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, &mma, encode(&da), encode(&db), 0),
                         ZLAY_OK);
        assert_int_equal(fault, 0);
        if (!wrong(acc, NULL, a, b, 8)) bits |= 1u << da.base;
    }
    free(w);
    return bits;
}

/* Measured on an H200: which base offsets give no error, at four starts. */
static void test_base_offset(void **unused)
{
    (void)unused;
    static const uint32_t shifts[] = {128, 256, 512, 896};
    static const uint32_t of_128b[] = {1 << 1, 1 << 2, 1 << 4, 1 << 7};
    static const uint32_t of_64b[] = {0x22, 0x44, 0x11, 0x88};
    uint64_t state = test_seed("base offset");
    for (int i = 0; i < 4; i++) {
        assert_int_equal(right_offsets(ZLAY_SWIZZLE_128B, shifts[i], false, &state), 1);
        assert_int_equal(right_offsets(ZLAY_SWIZZLE_64B, shifts[i], false, &state), 0x11);
        assert_int_equal(right_offsets(ZLAY_SWIZZLE_128B, shifts[i], true, &state), of_128b[i]);
        assert_int_equal(right_offsets(ZLAY_SWIZZLE_64B, shifts[i], true, &state), of_64b[i]);
        assert_int_equal(right_offsets(ZLAY_SWIZZLE_NONE, shifts[i], false, &state), 0xff);
    }
}

/* Measured: inside a swizzled row the next 16 of K start 32 bytes on, with the same base offset. */
static void test_k_advance(void **unused)
{
    (void)unused;
    static float tile[64 * 64], a[64 * 16], b[8 * 16], acc[64 * 8];
    uint64_t state = test_seed("k advance");
    for (int32_t swizzle = ZLAY_SWIZZLE_64B; swizzle <= ZLAY_SWIZZLE_128B; swizzle++) {
        world *w = world_new(&state);
        uint32_t span = 16u << swizzle, width = span / 2;
        for (uint32_t i = 0; i < 64 * width; i++) {
            tile[i] = (float)test_range(&state, -4, 4);
            put(w, by_picture(AT_A + 2 * i, swizzle), tile[i]);
        }
        for (uint32_t step = 0; step < width / 16; step++) {
            int32_t fault = -1;
            fields da = {.start = AT_A + 32 * step, .lbo = 16, .sbo = 8 * span, .swizzle = swizzle};
            fields db = random_fields(&forms[0], AT_B, 8, &state);
            lay_out(w, b, &forms[0], &db, 8, &state);
            for (uint32_t i = 0; i < 64 * 16; i++) a[i] = tile[i / 16 * width + step * 16 + i % 16];
            zlay_mma mma = mma_of(8, ZLAY_MAJOR_K, ZLAY_MAJOR_K);
            assert_int_equal(
                zlay_sim_wgmma(&fault, acc, &w->shared, &mma, encode(&da), encode(&db), 0), 0);
            assert_int_equal(wrong(acc, NULL, a, b, 8), 0);
        }
        free(w);
    }
}

/* Offsets of more than 2^16 bytes: LBO of A, SBO of B. */
static void test_wide_fields(void **unused)
{
    (void)unused;
    static float a[64 * 16], b[16 * 16], acc[64 * 16];
    uint64_t state = test_seed("wide fields");
    world *w = world_new(&state);
    int32_t fault = -1;
    fields da = {.start = ORIGIN, .lbo = 5 << 14, .sbo = 128};
    fields db = {.start = ORIGIN + 4096, .lbo = 128, .sbo = 6 << 14};
    lay_out(w, a, &forms[0], &da, 64, &state);
    lay_out(w, b, &forms[4], &db, 16, &state);
    zlay_mma mma = mma_of(16, ZLAY_MAJOR_K, ZLAY_MAJOR_MN);
    assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, &mma, encode(&da), encode(&db), 0),
                     ZLAY_OK);
    assert_int_equal(fault, 0);
    assert_int_equal(wrong(acc, NULL, a, b, 16), 0);
    free(w);
}

/* The last chunk of B is the last of the array, then one chunk past it; nothing is written then. */
static void test_operand_outside(void **unused)
{
    (void)unused;
    static float acc[64 * 16];
    uint64_t state = 5;
    world *w = world_new(&state);
    int32_t fault = -1;
    zlay_mma mma = mma_of(16, ZLAY_MAJOR_K, ZLAY_MAJOR_K);
    fields da = {.start = AT_A, .lbo = 128, .sbo = 256};
    fields db = {.start = ORIGIN + SMEM - 512, .lbo = 128, .sbo = 256};
    memset(w->smem, 0, SMEM);
    assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, &mma, encode(&da), encode(&db), 0),
                     ZLAY_OK);
    assert_int_equal(fault, ZLAY_FAULT_NONE);
    for (int i = 0; i < 64 * 16; i++) acc[i] = 5;
    db.start += 16;
    assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, &mma, encode(&da), encode(&db), 0),
                     ZLAY_OK);
    assert_int_equal(fault, ZLAY_FAULT_ACCESS);
    da.start = ORIGIN - 16, db.start = AT_B;
    assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, &mma, encode(&da), encode(&db), 0),
                     ZLAY_OK);
    assert_int_equal(fault, ZLAY_FAULT_ACCESS);
    for (int i = 0; i < 64 * 16; i++) assert_true(acc[i] == 5);
    free(w);
}

static void test_refused(void **unused)
{
    (void)unused;
    float acc[8] = {0};
    uint64_t state = 6;
    world *w = world_new(&state);
    int32_t fault = 77;
    zlay_mma bad[] = {mma_of(12, 0, 0), mma_of(264, 0, 0), mma_of(0, 0, 0), mma_of(8, 0, 0),
                      mma_of(8, 0, 0)};
    bad[3].m = 128;
    bad[4].k = 8;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, &bad[i], 0, 0, 0), ZLAY_EINVAL);
    zlay_mma mma = mma_of(8, 0, 0);
    assert_int_equal(zlay_sim_wgmma(NULL, acc, &w->shared, &mma, 0, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_sim_wgmma(&fault, NULL, &w->shared, &mma, 0, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_sim_wgmma(&fault, acc, NULL, &mma, 0, 0, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_sim_wgmma(&fault, acc, &w->shared, NULL, 0, 0, 0), ZLAY_EINVAL);
    assert_int_equal(fault, 77);
    free(w);
}

/* Rounding by the definition: the nearest multiple of the last place, the even one of two. */
static float nearest(float value)
{
    int exponent;
    frexpf(value, &exponent);
    if (exponent < -125) exponent = -125;
    return (float)ldexp(nearbyint(ldexp((double)value, 8 - exponent)), exponent - 8);
}

static void test_bf16(void **unused)
{
    (void)unused;
    uint64_t state = test_seed("bf16");
    for (uint32_t i = 0; i < 0x10000; i++) {
        float value = zlay_sim_float((uint16_t)i);
        if (isnan(value)) assert_int_equal(zlay_sim_bf16(value), 0x7fff);
        else assert_int_equal(zlay_sim_bf16(value), i);
    }
    for (uint64_t i = 0; i < test_iterations(300000); i++) {
        uint32_t bits = (uint32_t)test_random(&state);
        if (i % 3 == 0) bits = (bits & 0xffff0000) | 0x8000;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isnan(value)) assert_int_equal(zlay_sim_bf16(value), 0x7fff);
        else if (fabsf(value) < 3.3e38f)
            assert_true(zlay_sim_float(zlay_sim_bf16(value)) == nearest(value));
    }
    assert_int_equal(zlay_sim_bf16(3.4028235e38f), 0x7f80);
    assert_int_equal(zlay_sim_bf16(-0.0f), 0x8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical_forms),
        cmocka_unit_test(test_base_offset),
        cmocka_unit_test(test_k_advance),
        cmocka_unit_test(test_wide_fields),
        cmocka_unit_test(test_operand_outside),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_bf16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
