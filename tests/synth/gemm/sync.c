/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of GEMMs by mma.sync, on targets with neither wgmma nor tcgen05: numbers counted by hand, certificates of every pair of
 * types and order, how warps divide a product, and what is refused with the nearest that works. */
#include "heap.h"
#include "plans.h"
#include "synth/gemm/plan.h"

#define T(name) ZLAY_TYPE_##name

/* A stage has twice 128 x 64 elements of bf16, 32768 bytes, and D as many. Four stages, D and 1024 bytes: 164864 of 166912. */
static void test_square(void **unused)
{
    zlay_gemm g = gemm_of(4096, 4096, 4096);
    zlay_smemdesc desc;
    (void)unused;
    g.tile_m = g.tile_n = 128;
    zlay_plan *plan = plan_on("sm_80", &g);
    zlay_plan_summary i = info_of(plan);
    assert_int_equal(i.tile_k, 64);
    assert_int_equal(i.stages, 4);
    assert_int_equal(i.threads, 256);
    assert_int_equal(i.consumers, 1);
    assert_int_equal(i.stage_bytes, 32768);
    assert_int_equal(i.pitch_d, 32768);
    assert_int_equal(i.passes, 1);
    assert_int_equal(i.smem, 164864);
    assert_int_equal(i.full_count, 0);
    assert_int_equal(i.k_steps, 4);
    assert_int_equal(i.mma.instruction, ZLAY_MMA_SYNC);
    assert_int_equal(i.mma.m, 16);
    assert_int_equal(i.mma.n, 8);
    assert_int_equal(i.mma.k, 16);
    assert_int_equal(copy_of(plan, ZLAY_OPERAND_A, 0).kind, ZLAY_COPY_CP_ASYNC);
    assert_int_equal(copy_of(plan, ZLAY_OPERAND_D, 0).kind, ZLAY_COPY_THREAD_STORE);
    assert_int_equal(zlay_plan_desc(&desc, plan, ZLAY_OPERAND_A, 0, 0), ZLAY_NONE);
    zlay_plan_free(plan);
}

/* Each target has a plan whose tile and two stages fit it; threads move everything also where tensor copies could. */
static void test_targets(void **unused)
{
    static const char *const names[] = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120a", "sm_121"};
    static const int32_t sums[] = {T(BF16), T(F32)};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int d = 0; d < 2; d++) {
            zlay_gemm g = gemm_of(4096, 4096, 4096);
            g.d_type = sums[d];
            zlay_plan *plan = plan_on(names[i], &g);
            zlay_plan_summary info = info_of(plan);
            assert_true(info.smem <= zlay_smem_capacity(info.target));
            assert_int_equal(info.mma.instruction, ZLAY_MMA_SYNC);
            assert_int_equal(copy_of(plan, ZLAY_OPERAND_B, 0).kind, ZLAY_COPY_CP_ASYNC);
            zlay_plan_free(plan);
        }
}

/* A ring has at most one stage more than K has steps. */
static void test_short(void **unused)
{
    (void)unused;
    for (uint64_t k = 1; k <= 320; k += 64) {
        zlay_gemm g = gemm_of(64, 64, k);
        zlay_plan *plan = plan_on("sm_80", &g);
        assert_int_equal(info_of(plan).stages, (k + 63) / 64 + 1);
        zlay_plan_free(plan);
    }
}

static void test_certificates(void **unused)
{
    static const int32_t types[] = {0, T(F16), T(TF32), T(S8), ZLAY_GEMM_U8};
    const zlay_layout *a, *b;
    (void)unused;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint32_t i = 0; i < VARIED; i++) {
            zlay_gemm g = gemm_varied(i);
            zlay_answer answer;
            zlay_ctx *ctx = ctx_new();
            g.type = types[t];
            g.tile_n = 0;
            if (t > 1) g.a_order = g.b_order = 0, g.tile_k = 0;
            zlay_plan *plan = plan_on("sm_80", &g);
            uint32_t count = 0;
            for (; zlay_plan_certificate(&a, &b, plan, count) == ZLAY_OK; count++) {
                assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
                if (answer != ZLAY_YES) fail_msg("%s: certificate %u", gemm_text(&g), count);
            }
            assert_int_equal(count, 6);
            zlay_plan_free(plan);
            zlay_ctx_free(ctx);
        }
}

/* By hand: eight warps of 128 x 128 are two rows of four; a warp has 64 x 32, four by four instructions. 64 x 256 likewise. */
static void test_grid(void **unused)
{
    zl_sync_warps w;
    (void)unused;
    assert_true(zl_sync_grid(&w, 8, 128, 128));
    assert_int_equal(w.grid[0], 2);
    assert_int_equal(w.grid[1], 4);
    assert_int_equal(w.blocks[0], 4);
    assert_int_equal(w.blocks[1], 4);
    assert_true(zl_sync_grid(&w, 8, 64, 256));
    assert_int_equal(w.grid[0], 1);
    assert_int_equal(w.grid[1], 8);
    assert_true(zl_sync_grid(&w, 1, 16, 8));
    assert_int_equal(w.blocks[0] * w.blocks[1], 1);
    assert_false(zl_sync_grid(&w, 8, 16, 8));
    assert_false(zl_sync_grid(&w, 3, 128, 128));
}

static const struct {
    const char *target;
    zlay_gemm gemm;
    zlay_status status;
    const char *word;
} bads[] = {
    {"sm_80", {.tile_m = 96}, ZLAY_EINVAL, "tile_m: 96 is neither 64 nor 128"},
    {"sm_80", {.tile_n = 96}, ZLAY_EINVAL, "tile_n: 96 is no multiple of 64"},
    {"sm_80", {.tile_n = 192}, ZLAY_EINVAL, "tile_n: 192 is none of 64, 128 and, with 64 rows, 256"},
    {"sm_80", {.tile_m = 128, .tile_n = 256}, ZLAY_EINVAL, "tile_n: 256 is none of"},
    {"sm_80", {.stages = 6}, ZLAY_EINVAL, "stages: 6; K has 4 steps"},
    {"sm_86", {.tile_m = 128, .tile_n = 128, .stages = 3}, ZLAY_NONE, "SMEM_BLOCK"},
    {"sm_80", {.type = T(TF32), .a_order = ZLAY_ORDER_COLUMN}, ZLAY_NONE, "a_order: the nearest that works is row"},
    {"sm_80", {.type = T(S8), .b_order = ZLAY_ORDER_ROW}, ZLAY_NONE, "b_order: the nearest that works is column"},
    {"sm_80", {.type = T(E4M3)}, ZLAY_NONE, "no mma.sync of sm_80 multiplies them; the nearest that works is bf16"},
    {"sm_80", {.a_type = T(BF16), .b_type = T(F16)}, ZLAY_NONE, "the nearest that works is b_type bf16"},
    {"sm_80", {.a_type = T(F32), .b_type = T(F32)}, ZLAY_NONE, "the nearest that works is tf32"},
    {"sm_80", {.d_type = T(E4M3)}, ZLAY_NONE, "d_type: e4m3; sm_80 has no conversion to it"},
    {"sm_80", {.d_type = T(E5M2)}, ZLAY_NONE, "d_type: e5m2; sm_80 has no conversion to it"},
    {"sm_80", {.split_k = 2}, ZLAY_ENOTSUP, "split_k: plans of sm_80 have none"},
    {"sm_89", {.a_type = T(E4M3), .b_type = T(S8)}, ZLAY_NONE, "the nearest that works is b_type e4m3"},
    {"sm_89", {.type = T(E4M3), .b_scales = ZLAY_SCALES_BLOCK}, ZLAY_ENOTSUP, "plans of sm_89 have none"},
};

static void test_refusals(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        zlay_ctx *ctx = ctx_new();
        zlay_plan *plan = NULL;
        zlay_gemm g = bads[i].gemm;
        g.size = sizeof g, g.m = g.n = g.k = 256;
        zlay_status status = zlay_gemm_synth(ctx, &plan, target_of(bads[i].target), &g);
        if (status != bads[i].status || plan || !strstr(zlay_ctx_message(ctx), bads[i].word))
            fail_msg("%zu: %d, %s", i, status, zlay_ctx_message(ctx));
        zlay_ctx_free(ctx);
    }
}

static zlay_status planned(zlay_ctx *ctx, void *given)
{
    enum { ROOM = 1 << 18 };
    char *text = malloc(ROOM);
    zlay_buf buf = {text, ROOM, 0};
    zlay_plan *plan = NULL;
    zlay_status status = zlay_gemm_synth(ctx, &plan, target_of("sm_80"), given);
    if (!status) status = zlay_emit_ptx(ctx, &buf, plan, "g", 1);
    zlay_plan_free(plan);
    free(text);
    return status;
}

/* Every allocation that a plan and its text make fails once. */
static void test_heap(void **unused)
{
    zlay_gemm g = gemm_of(200, 136, 72);
    heap h;
    (void)unused;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, planned, &g), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square),       cmocka_unit_test(test_targets), cmocka_unit_test(test_short),
        cmocka_unit_test(test_certificates), cmocka_unit_test(test_grid),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_heap),
    };
    return cmocka_run_group_tests_name("synth/gemm/sync", tests, NULL, NULL);
}
