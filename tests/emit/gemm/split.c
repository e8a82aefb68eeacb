/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs whose K is split over the blocks of a cluster: the PTX is executed, with more tiles than clusters and at sizes that no
 * tile and no step divides, and D is the exact sum, rounded. Then what the plan says of a split, and what it refuses. */
#include "ptx/gemm.h"

#include <string.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
static const struct {
    const char *what;
    uint32_t clusters;
    zlay_gemm gemm;
} rows[] = {
    {"two blocks", 1, {.m = 64, .n = 64, .k = 256, .split_k = 2}},
    {"tiles in turn", 2, {.m = 130, .n = 136, .k = 328, .tile_m = 64, .tile_n = 64, .split_k = 2}},
    {"three blocks, a part behind K", 2, {.m = 1, .n = 72, .k = 264, .split_k = 3, .stages = 3}},
    {"four blocks", 1, {.m = 16, .n = 200, .k = 520, .split_k = 4, .stages = 2}},
    {"eight blocks, a step each", 1, {.m = 8, .n = 64, .k = 512, .split_k = 8, .stages = 2}},
    {"two consumers", 2, {.m = 200, .n = 136, .k = 264, .tile_m = 128, .tile_n = 64, .split_k = 2}},
    {"the largest that fits", 1, {.m = 300, .n = 400, .k = 200, .split_k = 2}},
    {"wide tiles", 1, {.m = 70, .n = 264, .k = 200, .tile_m = 64, .tile_n = 240, .split_k = 2}},
    {"columns in eights", 1, {.m = 64, .n = 88, .k = 192, .tile_n = 88, .split_k = 2}},
    {"D by threads", 2, {.m = 67, .n = 75, .k = 200, .split_k = 2}},
    {"M and N contiguous", 2, {.m = 72, .n = 136, .k = 200, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW, .split_k = 2}},
    {"D by columns", 2, {.m = 136, .n = 72, .k = 200, .d_order = ZLAY_ORDER_COLUMN, .split_k = 2}},
    {"f32", 1, {.m = 64, .n = 64, .k = 200, TYPES(F16, F16, F32), .split_k = 2}},
    {"tf32", 1, {.m = 64, .n = 64, .k = 100, TYPES(TF32, TF32, F32), .split_k = 2}},
    {"bytes", 1, {.m = 64, .n = 72, .k = 400, TYPES(E4M3, E5M2, BF16), .split_k = 2}},
    {"integers", 1, {.m = 64, .n = 72, .k = 400, TYPES(S8, S8, S32), .split_k = 3}},
    {"repacked", 2, {.m = 67, .n = 133, .k = 201, .split_k = 2, .repack = ZLAY_REPACK_ALWAYS}},
};

static void values(void **state)
{
    uint64_t random = test_seed("split");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        px_gemm_make(&g, &rows[i].gemm, rows[i].clusters, &random);
        assert_int_equal(g.info.splits, rows[i].gemm.split_k);
        px_gemm_any_time(&machine, &g, rows[i].what, &random);
        px_gemm_free(&g);
    }
}

/* An epilogue has the sums of all blocks. */
static void an_epilogue(void **state)
{
    uint64_t random = test_seed("split and epilogue");
    px_gemm g;
    zlay_gemm q = {.m = 64, .n = 64, .k = 192, .split_k = 3, .epilogue = px_relu, .epilogue_length = sizeof px_relu - 1};
    (void)state;
    px_gemm_make(&g, &q, 1, &random);
    px_gemm_bind(&machine, &g);
    px_run(&machine, g.text, (int)g.info.threads, 3, 3);
    if (*machine.fault) fail_msg("%s", machine.fault);
    px_gemm_relu_right(&g);
    px_gemm_free(&g);
}

static const zlay_target *hopper(void)
{
    const zlay_target *target;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    return target;
}

/* The numbers of a split, and a text that does not change where there is none. */
static void numbers(void **state)
{
    (void)state;
    for (uint32_t splits = 0; splits <= 4; splits++) {
        zlay_plan *plan;
        zlay_plan_summary info;
        zlay_gemm q = {.size = sizeof q, .m = 64, .n = 4096, .k = 4160, .tile_m = 64, .tile_n = 64, .split_k = splits};
        uint32_t all = splits ? splits : 1;
        assert_int_equal(zlay_gemm_synth(ctx, &plan, hopper(), &q), ZLAY_OK);
        assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.splits, all);
        assert_int_equal(info.tiles_k, 65);
        assert_int_equal(info.split_steps, (65 + all - 1) / all);
        assert_int_equal(info.smem, info.stages * 16384 + 8192 + (all - 1) * 16384 + 16 * info.stages +
                                        (all > 1 ? 8 * all : 0) + 1024);
        zlay_plan_free(plan);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *word, *target;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"split_k: 9; a cluster has at most 8 blocks", "sm_90a", ZLAY_EINVAL, {.k = 4096, .split_k = 9}},
        {"split_k: 3; a tile has 2 K steps", "sm_90a", ZLAY_EINVAL, {.k = 128, .split_k = 3}},
        {"split_k: products with scales have none", "sm_90a", ZLAY_ENOTSUP,
         {.k = 256, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE, .split_k = 2}},
        {"split_k: 2; threads move an operand; repack", "sm_90a", ZLAY_ENOTSUP, {.k = 255, .split_k = 2}},
        {"split_k: plans of waves (gfx942) have none", "gfx942", ZLAY_ENOTSUP, {.k = 256, .split_k = 2}},
        {"split_k: 8; no tile fits shared memory, or there are more than 2^31 - 1 blocks", "sm_90a", ZLAY_ENOTSUP,
         {.m = 1 << 30, .n = 16384, .k = 512, .split_k = 8}},
        {"split_k: 8; no tile fits", "sm_90a", ZLAY_ENOTSUP, {.k = 512, .tile_m = 128, .split_k = 8}},
        {"tile_n: 256; beside sums of other blocks at most 240 columns", "sm_90a", ZLAY_EINVAL, {.k = 4096, .tile_n = 256, .split_k = 2}},
        {"SMEM_BLOCK", "sm_90a", ZLAY_NONE, {.k = 4096, .tile_m = 128, .tile_n = 240, .split_k = 4}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        if (!q.m) q.m = 64;
        if (!q.n) q.n = 64;
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(an_epilogue),
        cmocka_unit_test(numbers),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("emit/gemm/split", tests, open_ctx, close_ctx);
}
