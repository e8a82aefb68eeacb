/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs whose tiles have columns of D as rows: the PTX is executed, in three schedules, at sizes that no tile and no step divides, and D
 * is the exact sum, rounded. Then what the plan says of it, and what it refuses. */
#include "ptx/gemm.h"

#include <string.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
static const struct {
    const char *what;
    uint32_t clusters;
    zlay_gemm gemm;
} rows[] = {
    {"one tile", 1, {.m = 16, .n = 64, .k = 128, .tile_n = 16}},
    {"eight rows, no step whole", 1, {.m = 8, .n = 72, .k = 136, .tile_n = 8}},
    {"fewer rows than eight", 2, {.m = 3, .n = 200, .k = 200, .tile_n = 8}},
    {"one row", 1, {.m = 1, .n = 136, .k = 200, .tile_n = 8}},
    {"twenty-four rows", 2, {.m = 24, .n = 200, .k = 264, .tile_n = 24}},
    {"rows that tiles do not divide", 3, {.m = 77, .n = 200, .k = 328, .tile_n = 32}},
    {"two consumers", 2, {.m = 40, .n = 328, .k = 264, .tile_m = 128, .tile_n = 32}},
    {"two consumers, wide tiles", 1, {.m = 300, .n = 136, .k = 136, .tile_m = 128, .tile_n = 256}},
    {"tiles that the plan chooses", 2, {.m = 100, .n = 328, .k = 264}},
    {"sixteen stages, more than steps", 1, {.m = 16, .n = 128, .k = 200, .tile_n = 16, .stages = 16}},
    {"short steps", 1, {.m = 32, .n = 128, .k = 200, .tile_n = 32, .tile_k = 32}},
    {"steps of 256 bytes", 2, {.m = 24, .n = 136, .k = 328, .tile_n = 24, .tile_k = 128}},
    {"steps of 512 bytes", 2, {.m = 9, .n = 136, .k = 520, .tile_n = 16, .tile_k = 256}},
    {"the steps of a long K", 2, {.m = 13, .n = 136, .k = 1096}},
    {"steps of 256 bytes that two blocks share", 2, {.m = 16, .n = 136, .k = 520, .tile_n = 16, .tile_k = 128, .split_k = 2}},
    {"A and B across", 2, {.m = 72, .n = 136, .k = 200, .tile_n = 64, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW}},
    {"B across", 2, {.m = 20, .n = 136, .k = 200, .tile_n = 24, .b_order = ZLAY_ORDER_ROW}},
    {"D by columns: nothing changes places", 2, {.m = 136, .n = 40, .k = 200, .tile_n = 40, .d_order = ZLAY_ORDER_COLUMN}},
    {"pitches", 1, {.m = 24, .n = 136, .k = 200, .lda = 208, .ldb = 264, .ldd = 144, .tile_n = 24}},
    {"D by threads", 2, {.m = 19, .n = 175, .k = 200, .tile_n = 24}},
    {"D by threads, two consumers", 2, {.m = 40, .n = 175, .k = 200, .tile_m = 128, .tile_n = 40}},
    {"D by threads of four bytes", 1, {.m = 8, .n = 102, .k = 72, .tile_n = 8}},
    {"all by threads", 2, {.m = 19, .n = 71, .k = 201, .tile_n = 24}},
    {"by cp.async", 2, {.m = 16, .n = 71, .k = 204, .tile_n = 16}},
    {"repacked", 2, {.m = 19, .n = 133, .k = 201, .tile_n = 24, .repack = ZLAY_REPACK_ALWAYS}},
    {"f16", 1, {.m = 16, .n = 128, .k = 200, .tile_n = 16, TYPES(F16, F16, F16)}},
    {"f32", 1, {.m = 24, .n = 136, .k = 200, .tile_n = 16, TYPES(F16, F16, F32)}},
    {"f32, two consumers", 1, {.m = 24, .n = 136, .k = 200, .tile_m = 128, .tile_n = 32, TYPES(BF16, BF16, F32)}},
    {"f32 by threads", 1, {.m = 8, .n = 71, .k = 200, .tile_n = 8, TYPES(BF16, BF16, F32)}},
    {"tf32", 1, {.m = 16, .n = 64, .k = 100, .tile_n = 16, TYPES(TF32, TF32, F32)}},
    {"bytes", 1, {.m = 16, .n = 136, .k = 400, .tile_n = 16, TYPES(E4M3, E5M2, BF16)}},
    {"integers", 1, {.m = 24, .n = 72, .k = 400, .tile_n = 8, TYPES(S8, S8, S32)}},
    {"pairs that share B, the planned A", 2, {.m = 70, .n = 136, .k = 328, .tile_n = 32, .multicast = ZLAY_MULTICAST_B}},
    {"pairs that share A, the planned B", 2, {.m = 32, .n = 200, .k = 328, .tile_n = 32, .multicast = ZLAY_MULTICAST_A}},
    {"two blocks share the steps", 2, {.m = 16, .n = 136, .k = 520, .tile_n = 16, .split_k = 2}},
    {"four blocks share the steps of eight rows", 1, {.m = 8, .n = 72, .k = 520, .tile_n = 8, .split_k = 4}},
};

static void values(void **state)
{
    uint64_t random = test_seed("swap");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        zlay_gemm q = rows[i].gemm;
        q.swap = ZLAY_SWAP_ALWAYS;
        px_gemm_make(&g, &q, rows[i].clusters, &random);
        assert_int_equal(g.info.d_order, ZLAY_ORDER_COLUMN);
        assert_int_equal(g.info.swapped, q.d_order != ZLAY_ORDER_COLUMN);
        assert_int_equal(g.info.passes, 1);
        px_gemm_any_time(&machine, &g, rows[i].what, &random);
        px_gemm_free(&g);
    }
}

static const char by_row[] = "body f\n matrix S f32\n S = S - rowmax(S)\nend\n";

static zlay_status plan_of(zlay_plan **plan, const char *name, const zlay_gemm *gemm)
{
    const zlay_target *target;
    zlay_gemm q = *gemm;
    q.size = sizeof q;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    return zlay_gemm_synth(ctx, plan, target, &q);
}

/* Extents, operands and the map of D: 64 of its columns in a box's rows. */
static void numbers(void **state)
{
    zlay_plan *plan;
    zlay_plan_summary info;
    zlay_tensormap map;
    zlay_gemm q = {.m = 64, .n = 4096, .k = 512, .tile_n = 32, .swap = ZLAY_SWAP_ALWAYS};
    (void)state;
    assert_int_equal(plan_of(&plan, "sm_90a", &q), ZLAY_OK);
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.m, 4096);
    assert_int_equal(info.n, 64);
    assert_int_equal(info.tiles_m, 64);
    assert_int_equal(info.tiles_n, 2);
    assert_int_equal(info.stages, 16);
    assert_int_equal(info.mma.n, 32);
    assert_int_equal(zlay_plan_map(&map, plan, ZLAY_OPERAND_A), ZLAY_OK);
    assert_int_equal(map.extent[1], 4096);
    assert_int_equal(zlay_plan_map(&map, plan, ZLAY_OPERAND_D), ZLAY_OK);
    assert_int_equal(map.extent[0], 4096);
    assert_int_equal(map.extent[1], 64);
    assert_int_equal(map.box[0], 64);
    assert_int_equal(map.box[1], 32);
    zlay_plan_free(plan);
}

/* What `auto` takes: the transposed product for at most 16 rows, in steps of 512 bytes where K is long; nothing that would be
 * refused. */
static void automatic(void **state)
{
    static const struct {
        int32_t d_order;
        uint32_t tile_n, tile_k;
        zlay_gemm gemm;
    } is[] = {
        {ZLAY_ORDER_COLUMN, 8, 256, {.m = 1, .n = 4096, .k = 4096}},
        {ZLAY_ORDER_COLUMN, 16, 256, {.m = 16, .n = 4096, .k = 7168}},
        {ZLAY_ORDER_COLUMN, 16, 256, {.m = 16, .n = 7168, .k = 1024}},
        {ZLAY_ORDER_COLUMN, 16, 64, {.m = 16, .n = 7168, .k = 1016}},
        {ZLAY_ORDER_COLUMN, 16, 256, {.m = 4096, .n = 16, .k = 4096, .d_order = ZLAY_ORDER_COLUMN}},
        {ZLAY_ORDER_COLUMN, 8, 256, {.m = 16, .n = 512, .k = 4096, .tile_n = 8}},
        {ZLAY_ORDER_COLUMN, 16, 64, {.m = 16, .n = 512, .k = 4096, .split_k = 2}},
        {ZLAY_ORDER_COLUMN, 16, 64, {.m = 16, .n = 512, .k = 4096, .stages = 16}},
        {ZLAY_ORDER_COLUMN, 16, 64, {.m = 16, .n = 512, .k = 4096, .multicast = ZLAY_MULTICAST_B}},
        {ZLAY_ORDER_COLUMN, 8, 256, {.m = 8, .n = 4096, .k = 4104, .multicast = ZLAY_MULTICAST_AUTO}},
        {ZLAY_ORDER_COLUMN, 16, 64, {.m = 16, .n = 512, .k = 4095}},
        {ZLAY_ORDER_COLUMN, 16, 64, {.m = 16, .n = 512, .k = 4096, .b_order = ZLAY_ORDER_ROW}},
        {ZLAY_ORDER_COLUMN, 16, 128, {.m = 16, .n = 512, .k = 4096, .tile_k = 128}},
        {ZLAY_ORDER_COLUMN, 32, 64, {.m = 17, .n = 4096, .k = 4096}},
        {ZLAY_ORDER_ROW, 64, 64, {.m = 16, .n = 4096, .k = 4096, .tile_n = 64}},
        {ZLAY_ORDER_ROW, 64, 128, {.m = 16, .n = 4096, .k = 4096, TYPES(S8, S8, S8)}},
        {ZLAY_ORDER_ROW, 64, 128, {.m = 16, .n = 4096, .k = 4096, TYPES(E4M3, E4M3, BF16), .a_scales = ZLAY_SCALES_LINE}},
        {ZLAY_ORDER_ROW, 64, 64, {.m = 16, .n = 4096, .k = 4096, .d_type = ZLAY_TYPE_F32, .epilogue = by_row, .epilogue_length = sizeof by_row - 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        zlay_plan *plan;
        zlay_plan_summary info;
        zlay_gemm q = is[i].gemm;
        q.swap = ZLAY_SWAP_AUTO;
        if (plan_of(&plan, "sm_90a", &q)) fail_msg("%zu: %s", i, zlay_ctx_message(ctx));
        assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
        if (info.d_order != is[i].d_order || info.tile_n != is[i].tile_n || info.tile_k != is[i].tile_k)
            fail_msg("%zu: order %d, tile of %u columns, %u of K", i, info.d_order, info.tile_n, info.tile_k);
        uint64_t each = (uint64_t)info.tile_k * info.splits;
        assert_int_equal(info.split_steps, (q.k + each - 1) / each);
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
        {"swap: 3 is none of never, auto, always", "sm_90a", ZLAY_EINVAL, {.swap = 3}},
        {"swap: -1 is none", "sm_90a", ZLAY_EINVAL, {.swap = -1}},
        {"not planned are elements of D of 8 bits", "sm_90a", ZLAY_ENOTSUP, {TYPES(E4M3, E4M3, E4M3)}},
        {"not planned are products with scales", "sm_90a", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE}},
        {"not planned are products with scales", "sm_90a", ZLAY_ENOTSUP, {.type = ZLAY_TYPE_E4M3, .b_scales = ZLAY_SCALES_LINE}},
        {"body f adds or compares elements of a row", "sm_90a", ZLAY_ENOTSUP, {.epilogue = by_row, .epilogue_length = sizeof by_row - 1, .d_type = ZLAY_TYPE_F32}},
        {"tile_n: 12 is no multiple of 8 in 8..256", "sm_90a", ZLAY_EINVAL, {.tile_n = 12}},
        {"tile_n: 12 is no multiple of 8 in 8..256", "sm_90a", ZLAY_EINVAL, {.tile_n = 12, .swap = ZLAY_SWAP_AUTO}},
        {"tile_n: 8 does not fit B", "sm_90a", ZLAY_EINVAL, {.tile_n = 8, .tile_k = 32}},
        {"multicast: tile_k: 128 elements are in several boxes", "sm_90a", ZLAY_ENOTSUP, {.tile_k = 128, .multicast = ZLAY_MULTICAST_B}},
        {"tile_n: 24 is no power of two", "sm_90a", ZLAY_EINVAL, {TYPES(BF16, BF16, F32), .tile_n = 24}},
        {"stages: 17 is not in 2..16", "sm_90a", ZLAY_EINVAL, {.stages = 17}},
        {"swap: plans of sm_100a have none", "sm_100a", ZLAY_ENOTSUP, {0}},
        {"swap: plans of sm_80 have none", "sm_80", ZLAY_ENOTSUP, {0}},
        {"swap: plans of waves (gfx942) have none", "gfx942", ZLAY_ENOTSUP, {0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        q.m = 16;
        q.n = 128;
        q.k = 256;
        if (!q.swap) q.swap = ZLAY_SWAP_ALWAYS;
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
    }
}

/* A header's functions store rows of D. */
static void no_header(void **state)
{
    (void)state;
    gemm_without_header(&(zlay_gemm){.m = 16, .n = 128, .k = 256, .swap = ZLAY_SWAP_ALWAYS}, "swap");
    gemm_without_header(&(zlay_gemm){.m = 64, .n = 128, .k = 256, .tile_k = 128}, "tile_k");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(numbers),
        cmocka_unit_test(automatic),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_header),
    };
    return cmocka_run_group_tests_name("emit/gemm/swap", tests, open_ctx, close_ctx);
}
