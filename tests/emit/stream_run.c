/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs whose tiles are divided among all blocks (stream-K): the PTX is executed by as many blocks as the plan has, by fewer and by
 * more, twice without clearing the workspace, and D is the exact sum, rounded. Then what the plan says, and what it refuses. */
#include "ptx/gemm.h"

#include <string.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
static const struct {
    const char *what;
    uint32_t blocks;
    zlay_gemm gemm;
} rows[] = {
    {"two tiles, two blocks", 2, {.m = 64, .n = 128, .k = 256, .tile_m = 64, .tile_n = 64}},
    {"three tiles, two blocks", 2, {.m = 64, .n = 192, .k = 320, .tile_m = 64, .tile_n = 64}},
    {"a block alone", 1, {.m = 64, .n = 192, .k = 200, .tile_m = 64, .tile_n = 64}},
    {"seven tiles, three blocks", 3, {.m = 64, .n = 448, .k = 448, .tile_m = 64, .tile_n = 64, .stages = 3}},
    {"nine tiles, five blocks", 5, {.m = 192, .n = 192, .k = 328, .tile_m = 64, .tile_n = 64, .stages = 2}},
    {"two steps", 4, {.m = 130, .n = 136, .k = 128, .tile_m = 64, .tile_n = 64}},
    {"two consumers", 3, {.m = 300, .n = 136, .k = 264, .tile_m = 128, .tile_n = 64, .stages = 2}},
    {"more blocks than tiles", 3, {.m = 64, .n = 72, .k = 192, .tile_m = 64, .tile_n = 64}},
    {"columns in eights", 2, {.m = 64, .n = 264, .k = 192, .tile_m = 64, .tile_n = 88}},
    {"wide tiles", 2, {.m = 130, .n = 264, .k = 200, .tile_m = 128, .tile_n = 256}},
    {"D by threads", 2, {.m = 67, .n = 205, .k = 200, .tile_m = 64, .tile_n = 64}},
    {"M and N contiguous", 2, {.m = 72, .n = 136, .k = 200, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW, .tile_m = 64, .tile_n = 64}},
    {"D by columns", 2, {.m = 136, .n = 72, .k = 200, .d_order = ZLAY_ORDER_COLUMN, .tile_m = 64, .tile_n = 64}},
    {"f32", 2, {.m = 64, .n = 192, .k = 200, TYPES(F16, F16, F32), .tile_m = 64, .tile_n = 64}},
    {"tf32", 2, {.m = 64, .n = 192, .k = 100, TYPES(TF32, TF32, F32), .tile_m = 64, .tile_n = 64}},
    {"bytes", 2, {.m = 64, .n = 200, .k = 400, TYPES(E4M3, E5M2, BF16), .tile_m = 64, .tile_n = 64}},
    {"integers", 2, {.m = 64, .n = 200, .k = 400, TYPES(S8, S8, S32), .tile_m = 64, .tile_n = 64}},
};

/* The kernel leaves the flags as it found them. */
static void assert_flags(const px_gemm *g)
{
    static const uint8_t none[GEMM_FLAG];
    for (uint32_t b = 0; b < g->info.stream_blocks; b++)
        for (uint32_t c = 0; c < g->info.consumers; c++) assert_memory_equal(px_gemm_flags(g, b) + c * GEMM_FLAG, none, sizeof none);
}

static void values(void **state)
{
    uint64_t random = test_seed("stream");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        zlay_gemm q = rows[i].gemm;
        q.stream_k = ZLAY_STREAM_ALWAYS;
        px_gemm_make(&g, &q, rows[i].blocks, &random);
        assert_int_equal(g.info.stream_blocks, g.info.tiles_m * g.info.tiles_n);
        px_gemm_any_time(&machine, &g, rows[i].what, &random);
        assert_flags(&g);
        px_gemm_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values)};
    return cmocka_run_group_tests_name("emit/stream_run", tests, open_ctx, close_ctx);
}
