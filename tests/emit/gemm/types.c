/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of GEMMs of each pair of types and each D is executed, at sizes that no tile divides, by tensor copies, by cp.async
 * and by single elements, and D is the exact product, rounded. */
#include "ptx/gemm.h"

typedef struct types {
    int32_t a, b, d;
} types;

#define FLOATS(a, b) \
    {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_BF16}, {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_F16}, {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_F32}
static const types all[] = {
    FLOATS(F16, F16), FLOATS(BF16, BF16), FLOATS(E4M3, E4M3), FLOATS(E4M3, E5M2), FLOATS(E5M2, E4M3), FLOATS(E5M2, E5M2), FLOATS(TF32, TF32),
    {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_S32}, {ZLAY_GEMM_U8, ZLAY_GEMM_U8, ZLAY_TYPE_S32},
    {ZLAY_TYPE_S8, ZLAY_GEMM_U8, ZLAY_TYPE_S32}, {ZLAY_GEMM_U8, ZLAY_TYPE_S8, ZLAY_TYPE_S32},
    {ZLAY_TYPE_BF16, ZLAY_TYPE_BF16, ZLAY_TYPE_E4M3}, {ZLAY_TYPE_E4M3, ZLAY_TYPE_E4M3, ZLAY_TYPE_E4M3},
    {ZLAY_TYPE_E5M2, ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2}, {ZLAY_TYPE_F16, ZLAY_TYPE_F16, ZLAY_TYPE_S8},
    {ZLAY_TYPE_TF32, ZLAY_TYPE_TF32, ZLAY_GEMM_U8}, {ZLAY_TYPE_BF16, ZLAY_TYPE_BF16, ZLAY_TYPE_S32},
    {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_S8}, {ZLAY_GEMM_U8, ZLAY_TYPE_S8, ZLAY_GEMM_U8},
    {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_F32}, {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_BF16},
    {ZLAY_TYPE_S8, ZLAY_GEMM_U8, ZLAY_TYPE_F16}, {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_E5M2},
};

/* Sizes and pitches in elements: rows of whole 16 bytes of each type; of 4 bytes of each, where the least elements come by
 * cp.async; of one byte; D column-major, so that A and B change places; more tiles than blocks. */
static const zlay_gemm sizes[] = {
    {.m = 70, .n = 144, .k = 208, .lda = 224, .ldb = 240, .ldd = 160},
    {.m = 65, .n = 76, .k = 132, .lda = 132, .ldb = 132, .stages = 3},
    {.m = 67, .n = 65, .k = 37, .lda = 39, .ldb = 37},
    {.m = 72, .n = 129, .k = 100, .lda = 101, .ldb = 112, .d_order = ZLAY_ORDER_COLUMN, .tile_m = 64, .tile_n = 64},
};

static void test_types(void **state)
{
    uint64_t random = test_seed("types");
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            px_gemm g;
            zlay_gemm q = sizes[s];
            q.a_type = all[i].a, q.b_type = all[i].b, q.d_type = all[i].d;
            px_gemm_make(&g, &q, 2, &random);
            machine.when = (i + s) % 2 ? PX_EARLY : PX_LATE;
            machine.random = test_random(&random);
            if (px_gemm_fails(&machine, &g, g.text))
                fail_msg("types %zu (%d x %d to %d), sizes %zu: %s", i, all[i].a, all[i].b, all[i].d, s, machine.fault);
            px_gemm_free(&g);
        }
}

/* The one kind of types that may have M or N contiguous. */
static void test_halves_across(void **state)
{
    uint64_t random = test_seed("halves across");
    (void)state;
    for (int i = 0; i < 4; i++) {
        zlay_gemm q = {.m = 72, .n = 136, .k = 100, .type = ZLAY_TYPE_F16, .d_type = i % 2 ? ZLAY_TYPE_F32 : ZLAY_TYPE_BF16,
                       .a_order = ZLAY_ORDER_COLUMN, .b_order = i < 2 ? ZLAY_ORDER_ROW : 0, .d_order = i % 2 ? ZLAY_ORDER_COLUMN : 0};
        px_gemm g;
        px_gemm_make(&g, &q, 2, &random);
        if (px_gemm_fails(&machine, &g, g.text)) fail_msg("%d: %s", i, machine.fault);
        px_gemm_free(&g);
    }
}

/* Sums past 2^24 are exact in s32 and would not be in f32. */
static void test_whole_sums(void **state)
{
    uint64_t random = test_seed("whole sums");
    zlay_gemm q = {.m = 64, .n = 64, .k = 1024, .type = ZLAY_GEMM_U8};
    px_gemm g;
    uint64_t large = 0;
    (void)state;
    px_gemm_make(&g, &q, 1, &random);
    if (px_gemm_fails(&machine, &g, g.text)) fail_msg("%s", machine.fault);
    for (uint64_t i = 0; i < g.d.count; i++) {
        int32_t sum;
        memcpy(&sum, g.d.at + 4 * i, 4);
        large += sum > 1 << 24 && sum % 2;
    }
    assert_true(large > 0);
    px_gemm_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_halves_across),
        cmocka_unit_test(test_whole_sums),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
