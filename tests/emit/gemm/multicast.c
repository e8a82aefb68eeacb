/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs whose blocks share an operand in pairs, each loading a half and multicasting it: the PTX is executed, with more pairs
 * than clusters, tiles without a neighbour, and sizes that no tile and no step divides; D is the exact sum, rounded. Then
 * what the plan says of it, and what it refuses. */
#include "ptx/gemm.h"

#include <string.h>

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
#define A .multicast = ZLAY_MULTICAST_A
#define B .multicast = ZLAY_MULTICAST_B
static const struct {
    const char *what;
    uint32_t clusters;
    zlay_gemm gemm;
} rows[] = {
    {"one pair that shares A", 1, {.m = 64, .n = 128, .k = 256, .tile_n = 64, A}},
    {"one pair that shares B", 1, {.m = 128, .n = 64, .k = 256, .tile_m = 64, .tile_n = 64, B}},
    {"A, pairs in turn, one without a neighbour", 2, {.m = 130, .n = 328, .k = 328, .tile_m = 64, .tile_n = 64, A}},
    {"B, pairs in turn, one without a neighbour", 2, {.m = 330, .n = 136, .k = 328, .tile_m = 64, .tile_n = 64, B}},
    {"fewer rows than the tile", 1, {.m = 16, .n = 200, .k = 520, .tile_n = 64, .stages = 3, A}},
    {"two consumers, A", 1, {.m = 200, .n = 264, .k = 264, .tile_m = 128, .tile_n = 128, A}},
    {"two consumers, B", 1, {.m = 300, .n = 136, .k = 264, .tile_m = 128, .tile_n = 128, B}},
    {"wide tiles", 1, {.m = 300, .n = 264, .k = 200, .tile_m = 128, .tile_n = 256, B}},
    {"D by threads", 2, {.m = 67, .n = 175, .k = 200, .tile_n = 64, A}},
    {"D by columns: the request's A is the planned B", 2, {.m = 136, .n = 172, .k = 200, .tile_m = 64, .tile_n = 64, .d_order = ZLAY_ORDER_COLUMN, A}},
    {"the other is across", 2, {.m = 72, .n = 136, .k = 200, .tile_n = 64, .b_order = ZLAY_ORDER_ROW, A}},
    {"one step", 1, {.m = 64, .n = 192, .k = 40, .tile_n = 64, A}},
    {"f32", 1, {.m = 64, .n = 128, .k = 200, .tile_n = 64, TYPES(F16, F16, F32), A}},
    {"tf32", 1, {.m = 128, .n = 64, .k = 100, .tile_m = 64, TYPES(TF32, TF32, F32), B}},
    {"bytes", 1, {.m = 64, .n = 136, .k = 400, .tile_n = 64, TYPES(E4M3, E5M2, BF16), A}},
    {"integers", 1, {.m = 128, .n = 72, .k = 400, .tile_m = 64, TYPES(S8, S8, S32), B}},
    {"repacked", 2, {.m = 67, .n = 133, .k = 201, .tile_n = 64, A, .repack = ZLAY_REPACK_ALWAYS}},
};

static void values(void **state)
{
    uint64_t random = test_seed("multicast");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        px_gemm_make(&g, &rows[i].gemm, rows[i].clusters, &random);
        assert_int_equal(g.info.cluster, 2);
        px_gemm_any_time(&machine, &g, rows[i].what, &random);
        px_gemm_free(&g);
    }
}

static const zlay_target *hopper(void)
{
    const zlay_target *target;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    return target;
}

static zlay_plan_summary summary_of(const zlay_gemm *gemm, zlay_tensormap *a, zlay_tensormap *b)
{
    zlay_plan *plan;
    zlay_plan_summary info;
    zlay_gemm q = *gemm;
    q.size = sizeof q;
    assert_int_equal(zlay_gemm_synth(ctx, &plan, hopper(), &q), ZLAY_OK);
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(zlay_plan_map(a, plan, ZLAY_OPERAND_A), ZLAY_OK);
    assert_int_equal(zlay_plan_map(b, plan, ZLAY_OPERAND_B), ZLAY_OK);
    zlay_plan_free(plan);
    return info;
}

/* A half in the box of what is shared, the whole expected, arrivals of both blocks, and half as many clusters as tiles. */
static void numbers(void **state)
{
    static const struct {
        int32_t multicast;
        uint32_t box[2], cluster, empty;
        uint64_t clusters;
    } is[] = {{ZLAY_MULTICAST_NONE, {128, 192}, 1, 8, 8 * 5},
              {ZLAY_MULTICAST_A, {64, 192}, 2, 16, 8 * 3},
              {ZLAY_MULTICAST_B, {128, 96}, 2, 16, 4 * 5}};
    (void)state;
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        zlay_tensormap a, b;
        zlay_gemm q = {.m = 1000, .n = 900, .k = 1024, .tile_m = 128, .tile_n = 192, .multicast = is[i].multicast};
        zlay_plan_summary info = summary_of(&q, &a, &b);
        assert_int_equal(info.multicast, is[i].multicast);
        assert_int_equal(a.box[1], is[i].box[0]);
        assert_int_equal(b.box[1], is[i].box[1]);
        assert_int_equal(info.cluster, is[i].cluster);
        assert_int_equal(info.clusters, is[i].clusters);
        assert_int_equal(info.empty_count, is[i].empty);
        assert_int_equal(info.expect_bytes, (128 + 192) * 128);
    }
}

static void refusals(void **state)
{
    static const struct {
        const char *word, *target;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"multicast: 4 is none of none, auto, a, b", "sm_90a", ZLAY_EINVAL, {.multicast = 4}},
        {"multicast: -1 is none", "sm_90a", ZLAY_EINVAL, {.multicast = -1}},
        {"multicast: products with split_k have none", "sm_90a", ZLAY_ENOTSUP, {A, .split_k = 2}},
        {"multicast: products with scales have none", "sm_90a", ZLAY_ENOTSUP, {A, .type = ZLAY_TYPE_E4M3, .a_scales = ZLAY_SCALES_LINE}},
        {"multicast: threads move an operand; repack", "sm_90a", ZLAY_ENOTSUP, {A, .k = 255}},
        {"multicast: an operand whose K is not contiguous", "sm_90a", ZLAY_ENOTSUP, {A, .a_order = ZLAY_ORDER_COLUMN}},
        {"multicast: halves of 4 rows", "sm_90a", ZLAY_ENOTSUP, {A, .m = 5}},
        {"multicast: halves of 12 rows", "sm_90a", ZLAY_ENOTSUP, {A, .m = 20}},
        {"multicast: m and n are at most 1073741824", "sm_90a", ZLAY_ENOTSUP, {B, .m = (UINT64_C(1) << 30) + 256}},
        {"multicast: plans of sm_80 have none", "sm_80", ZLAY_ENOTSUP, {A}},
        {"multicast: plans of waves (gfx942) have none", "gfx942", ZLAY_ENOTSUP, {B}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_gemm q = bad[i].gemm;
        if (!q.m) q.m = 128;
        if (!q.n) q.n = 128;
        if (!q.k) q.k = 256;
        gemm_refused(bad[i].target, &q, bad[i].status, bad[i].word);
    }
}

/* A header's functions load whole boxes. */
static void no_header(void **state)
{
    (void)state;
    gemm_without_header(&(zlay_gemm){.m = 128, .n = 128, .k = 256, A}, "multicast");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(numbers),
        cmocka_unit_test(refusals),
        cmocka_unit_test(no_header),
    };
    return cmocka_run_group_tests_name("emit/gemm/multicast", tests, open_ctx, close_ctx);
}
