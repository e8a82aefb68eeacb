/* SPDX-License-Identifier: Apache-2.0 */
/* The PTX of whole GEMM kernels is executed, and D is the exact product. */
#include "ptx/gemm.h"

#define COLUMN ZLAY_ORDER_COLUMN
#define ROW    ZLAY_ORDER_ROW

static const struct problem {
    const char *what;
    uint32_t blocks;
    zlay_gemm gemm;
} problems[] = {
    {"two blocks, a ring that turns", 2, {.m = 256, .n = 128, .k = 320, .stages = 2}},
    {"one block for all tiles", 1, {.m = 128, .n = 256, .k = 128, .tile_m = 64, .tile_n = 64, .tile_k = 64}},
    {"bands of two rows of tiles, the last of one", 2, {.m = 300, .n = 200, .k = 72, .tile_m = 64, .tile_n = 64, .band = 2}},
    {"row by row", 3, {.m = 200, .n = 136, .k = 72, .tile_m = 64, .tile_n = 64, .band = 1}},
    {"edges in every dimension", 3, {.m = 200, .n = 136, .k = 72, .tile_m = 128, .tile_n = 64, .tile_k = 64}},
    {"other orders", 2, {.m = 128, .n = 192, .k = 128, .a_order = COLUMN, .b_order = ROW, .d_order = COLUMN}},
    {"pitches", 2, {.m = 128, .n = 128, .k = 64, .lda = 72, .ldb = 80, .ldd = 136}},
    {"A and B by cp.async", 2, {.m = 128, .n = 128, .k = 260, .lda = 260, .ldb = 260, .stages = 3}},
    {"a pass of D that overlaps the one before", 2, {.m = 128, .n = 200, .k = 64, .tile_m = 128, .tile_n = 80}},
    {"the same, three passes, f32", 1, {.m = 64, .n = 176, .k = 64, .tile_m = 64, .tile_n = 176, .d_type = ZLAY_TYPE_F32}},
    {"the same by threads", 1, {.m = 64, .n = 101, .k = 64, .tile_m = 64, .tile_n = 104}},
    {"fewer rows than a tile", 2, {.m = 5, .n = 128, .k = 192}},
    {"fewer columns than a tile", 1, {.m = 128, .n = 24, .k = 72}},
    {"D by threads", 2, {.m = 130, .n = 139, .k = 64}},
    {"steps of 256 bytes", 2, {.m = 200, .n = 136, .k = 328, .tile_m = 128, .tile_n = 64, .tile_k = 128}},
    {"steps of 512 bytes, fewer rows than a tile", 2, {.m = 5, .n = 136, .k = 520, .tile_n = 64, .tile_k = 256}},
    {"steps of 256 bytes, other orders", 2, {.m = 72, .n = 136, .k = 264, .tile_n = 64, .tile_k = 128, .a_order = COLUMN, .b_order = ROW}},
    {"steps of 256 bytes by cp.async and by threads", 2, {.m = 66, .n = 70, .k = 260, .lda = 260, .ldb = 261, .tile_n = 64, .tile_k = 128}},
    {"steps of 256 bytes of bytes", 1, {.m = 72, .n = 72, .k = 400, .tile_n = 64, .tile_k = 256, .a_type = ZLAY_TYPE_S8, .b_type = ZLAY_TYPE_S8}},
    {"steps of 256 bytes of tf32", 1, {.m = 72, .n = 72, .k = 100, .tile_n = 64, .tile_k = 64, .type = ZLAY_TYPE_TF32}},
    {"everything by threads", 1, {.m = 65, .n = 67, .k = 129}},
};

static void test_products(void **state)
{
    uint64_t random = test_seed("ptx");
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int early = 0; early < 2; early++) {
            px_gemm g;
            px_gemm_make(&g, &problems[i].gemm, problems[i].blocks, &random);
            machine.when = early ? PX_EARLY : PX_LATE;
            machine.random = test_random(&random);
            if (px_gemm_fails(&machine, &g, g.text)) fail_msg("%s: %s", problems[i].what, machine.fault);
            printf("%s: %ld instructions\n", problems[i].what, machine.steps);
            px_gemm_free(&g);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
