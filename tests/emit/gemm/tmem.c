/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of GEMMs of sm_100a is executed, whose sums stand in tensor memory: each kind of types, edges in every dimension,
 * every tile, every path of A, B and D, fewer and more tiles than blocks; D is the exact product, rounded. */
#include "ptx/gemm.h"

#define COLUMN ZLAY_ORDER_COLUMN
#define ROW    ZLAY_ORDER_ROW

static const char target_name[] = "sm_100a";

static const struct problem {
    const char *what;
    uint32_t blocks;
    zlay_gemm gemm;
} problems[] = {
    {"two blocks, a ring that turns", 2, {.m = 256, .n = 128, .k = 320, .stages = 2}},
    {"one block for all tiles", 1, {.m = 256, .n = 256, .k = 128, .tile_n = 64, .tile_k = 64}},
    {"more blocks than tiles", 3, {.m = 128, .n = 64, .k = 64}},
    {"edges in every dimension", 3, {.m = 200, .n = 136, .k = 72, .tile_n = 64}},
    {"all of tensor memory", 1, {.m = 300, .n = 264, .k = 72, .tile_n = 256}},
    {"other orders", 2, {.m = 128, .n = 192, .k = 128, .a_order = COLUMN, .b_order = ROW, .d_order = COLUMN}},
    {"pitches", 2, {.m = 128, .n = 128, .k = 64, .lda = 72, .ldb = 80, .ldd = 136}},
    {"steps of 32 bytes", 2, {.m = 128, .n = 128, .k = 80, .tile_n = 128, .tile_k = 16}},
    {"A and B by cp.async", 2, {.m = 128, .n = 128, .k = 260, .lda = 260, .ldb = 260, .stages = 3}},
    {"A by cp.async", 2, {.m = 128, .n = 128, .k = 200, .lda = 260, .ldb = 208, .stages = 2}},
    {"a pass of D that overlaps the one before", 2, {.m = 128, .n = 200, .k = 64, .tile_n = 80}},
    {"the same, three passes, f32", 1, {.m = 64, .n = 176, .k = 64, .tile_n = 176, .d_type = ZLAY_TYPE_F32}},
    {"the same by threads", 1, {.m = 64, .n = 101, .k = 64, .tile_n = 112}},
    {"fewer rows than a tile", 2, {.m = 5, .n = 128, .k = 192}},
    {"fewer columns than a tile", 1, {.m = 128, .n = 24, .k = 72}},
    {"D by threads", 2, {.m = 130, .n = 139, .k = 64}},
    {"everything by threads", 1, {.m = 65, .n = 67, .k = 129}},
};

static void runs(const char *what, const zlay_gemm *gemm, uint32_t blocks, int when, uint64_t *random)
{
    px_gemm g;
    px_gemm_make_on(&g, target_name, gemm, blocks, random);
    machine.when = (px_when)when;
    machine.random = test_random(random);
    if (px_gemm_fails(&machine, &g, g.text)) fail_msg("%s: %s", what, machine.fault);
    px_gemm_free(&g);
}

static void test_products(void **state)
{
    static const int whens[] = {PX_LATE, PX_ANY_TIME};
    uint64_t random = test_seed("tmem gemm");
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (size_t w = 0; w < sizeof whens / sizeof *whens; w++)
            runs(problems[i].what, &problems[i].gemm, problems[i].blocks, whens[w], &random);
}

#define FLOATS(a, b) \
    {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_BF16}, {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_F16}, {ZLAY_TYPE_##a, ZLAY_TYPE_##b, ZLAY_TYPE_F32}
static const int32_t types[][3] = {
    FLOATS(F16, F16), FLOATS(BF16, BF16), FLOATS(BF16, F16), FLOATS(E4M3, E4M3), FLOATS(E4M3, E5M2), FLOATS(E5M2, E4M3), FLOATS(E5M2, E5M2), FLOATS(TF32, TF32),
    {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_S32}, {ZLAY_GEMM_U8, ZLAY_GEMM_U8, ZLAY_TYPE_S32},
    {ZLAY_TYPE_S8, ZLAY_GEMM_U8, ZLAY_TYPE_S32}, {ZLAY_GEMM_U8, ZLAY_TYPE_S8, ZLAY_TYPE_S32},
    {ZLAY_TYPE_BF16, ZLAY_TYPE_BF16, ZLAY_TYPE_E4M3}, {ZLAY_TYPE_F16, ZLAY_TYPE_F16, ZLAY_TYPE_S8},
    {ZLAY_TYPE_TF32, ZLAY_TYPE_TF32, ZLAY_TYPE_S32}, {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_S8},
    {ZLAY_GEMM_U8, ZLAY_TYPE_S8, ZLAY_GEMM_U8}, {ZLAY_TYPE_S8, ZLAY_TYPE_S8, ZLAY_TYPE_BF16},
};

/* Sizes and pitches in elements: rows of whole 16 bytes of each type; of 4 bytes of each, where the least elements come by
 * cp.async; of one byte; D column-major, so that A and B change places. */
static const zlay_gemm sizes[] = {
    {.m = 70, .n = 144, .k = 208, .lda = 224, .ldb = 240, .ldd = 160},
    {.m = 65, .n = 76, .k = 132, .lda = 132, .ldb = 132, .stages = 3},
    {.m = 67, .n = 65, .k = 37, .lda = 39, .ldb = 37},
    {.m = 72, .n = 129, .k = 100, .lda = 101, .ldb = 112, .d_order = COLUMN, .tile_n = 64},
};

static void test_types(void **state)
{
    uint64_t random = test_seed("tmem types");
    char what[64];
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            zlay_gemm q = sizes[s];
            q.a_type = types[i][0], q.b_type = types[i][1], q.d_type = types[i][2];
            snprintf(what, sizeof what, "types %zu (%d x %d to %d), sizes %zu", i, q.a_type, q.b_type, q.d_type, s);
            runs(what, &q, 2, (i + s) % 2 ? PX_EARLY : PX_LATE, &random);
        }
}

/* M or N contiguous in A, B or both, of 16 and 8 bits. */
static void test_across(void **state)
{
    static const int32_t kinds[] = {ZLAY_TYPE_F16, ZLAY_TYPE_E4M3, ZLAY_TYPE_S8};
    uint64_t random = test_seed("tmem across");
    char what[64];
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int across = 1; across < 4; across++) {
            zlay_gemm q = {.m = 144, .n = 160, .k = 200, .lda = 208, .ldb = 208, .type = kinds[i], .tile_n = across == 2 ? 64 : 128,
                           .a_order = across & 1 ? COLUMN : ROW, .b_order = across & 2 ? ROW : COLUMN};
            snprintf(what, sizeof what, "type %d, across %d", kinds[i], across);
            runs(what, &q, 2, PX_LATE, &random);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_across),
    };
    return cmocka_run_group_tests_name("emit/gemm/tmem", tests, open_ctx, close_ctx);
}
