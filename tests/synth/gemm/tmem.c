/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of GEMMs whose sums stand in tensor memory (tcgen05): numbers counted by hand, certificates of every pair of types
 * and order, shared memory as the kernel's text uses it, and what is refused with which rule. */
#include "plans.h"
#include "heap.h"
#include "synth/gemm/plan.h"

#include <stdbool.h>

#define T(name) ZLAY_TYPE_##name
enum { A = ZLAY_OPERAND_A, B = ZLAY_OPERAND_B, D = ZLAY_OPERAND_D };

static const char name_of[] = "sm_100a";

/* A stage has 128 x 64 and 64 x 256 elements of bf16: 16384 + 32768 bytes; 128 rows of a pass of D have 256 bytes each. Four
 * stages, 32768 bytes of D, 2 * 4 + 5 barriers, an address and 1024 bytes to align them: 230508 of 232448. */
static void test_square(void **unused)
{
    zlay_gemm g = gemm_of(4096, 4096, 4096);
    (void)unused;
    g.tile_n = 256;
    zlay_plan *plan = plan_on(name_of, &g);
    zlay_plan_summary i = info_of(plan);
    assert_int_equal(i.tile_m, 128);
    assert_int_equal(i.tile_n, 256);
    assert_int_equal(i.tile_k, 64);
    assert_int_equal(i.stages, 4);
    assert_int_equal(i.threads, 320);
    assert_int_equal(i.consumers, 1);
    assert_int_equal(i.stage_bytes, 49152);
    assert_int_equal(i.expect_bytes, 49152);
    assert_int_equal(i.full_count, 1);
    assert_int_equal(i.empty_count, 1);
    assert_int_equal(i.pitch_d, 32768);
    assert_int_equal(i.passes, 2);
    assert_int_equal(i.pass_n, 128);
    assert_int_equal(i.k_steps, 4);
    assert_int_equal(i.smem, 230508);
    assert_int_equal(i.mma.instruction, ZLAY_MMA_TCGEN05);
    assert_int_equal(i.mma.kind, ZLAY_KIND_F16);
    assert_int_equal(i.mma.m, 128);
    assert_int_equal(i.mma.n, 256);
    assert_int_equal(i.mma.k, 16);
    assert_int_equal(i.mma.cta_group, 1);
    zlay_plan_free(plan);
}

/* The last barrier and the address of tensor memory end where the plan says that shared memory does. */
static void test_text(void **unused)
{
    enum { ROOM = 1 << 18 };
    (void)unused;
    for (uint32_t i = 0; i < VARIED; i++) {
        char *text = malloc(ROOM), word[64];
        zlay_gemm g = gemm_varied(i);
        zlay_buf buf = {text, ROOM, 0};
        zlay_ctx *ctx = ctx_new();
        g.tile_m = 0;
        zlay_plan *plan = plan_on(name_of, &g);
        zlay_plan_summary info = info_of(plan);
        assert_int_equal(zlay_emit_ptx(ctx, &buf, plan, "g", 1), ZLAY_OK);
        snprintf(word, sizeof word, "add.u32 at, at, %u;", info.smem_bar);
        if (!strstr(text, word)) fail_msg("%s: no '%s'", gemm_text(&g), word);
        snprintf(word, sizeof word, "add.u32 at, smem, %u;", info.smem - 1024 - 4);
        if (!strstr(text, word)) fail_msg("%s: no '%s'", gemm_text(&g), word);
        zlay_plan_free(plan);
        zlay_ctx_free(ctx);
        free(text);
    }
}

static void check_certificates(const zlay_gemm *g)
{
    const zlay_layout *a, *b;
    zlay_ctx *ctx = ctx_new();
    zlay_plan *plan = plan_on(name_of, g);
    uint32_t count = 0;
    for (; zlay_plan_certificate(&a, &b, plan, count) == ZLAY_OK; count++) {
        zlay_answer answer;
        assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
        if (answer != ZLAY_YES) fail_msg("%s: certificate %u", gemm_text(g), count);
    }
    assert_int_equal(count, 6);
    zlay_plan_free(plan);
    zlay_ctx_free(ctx);
}

static void test_certificates(void **unused)
{
    static const int32_t types[] = {0, T(F16), T(TF32), T(E4M3), T(E5M2), T(S8), ZLAY_GEMM_U8};
    (void)unused;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (uint32_t i = 0; i < VARIED; i++) {
            zlay_gemm g = gemm_varied(i);
            g.type = types[t];
            g.tile_m = g.tile_k = 0;
            if (types[t] == T(TF32)) g.a_order = g.b_order = 0;
            if (types[t] && types[t] != T(F16) && g.tile_n == 192) g.tile_n = 0;
            check_certificates(&g);
        }
}

static const struct {
    zlay_gemm gemm;
    zlay_status status;
    const char *word;
} bads[] = {
    {{.tile_m = 64}, ZLAY_EINVAL, "tile_m: 64 is not 128"},
    {{.tile_n = 72}, ZLAY_EINVAL, "tile_n: 72 is no multiple of 16"},
    {{.tile_n = 272}, ZLAY_EINVAL, "tile_n: 272 is no multiple of 16 in 64..256"},
    {{.tile_n = 96, .b_order = ZLAY_ORDER_ROW}, ZLAY_EINVAL, "a multiple of 64 does"},
    {{.tile_n = 192, .b_order = ZLAY_ORDER_ROW, .type = T(E4M3)}, ZLAY_EINVAL, "a multiple of 128 does"},
    {{.stages = 8, .tile_n = 256}, ZLAY_NONE, "SMEM_BLOCK"},
    {{.type = T(TF32), .a_order = ZLAY_ORDER_COLUMN}, ZLAY_ENOTSUP, "a_order: the nearest that works is row"},
    {{.type = T(TF32), .b_order = ZLAY_ORDER_ROW}, ZLAY_ENOTSUP, "b_order: the nearest that works is column"},
    {{.type = T(TF32), .a_order = ZLAY_ORDER_COLUMN, .d_order = ZLAY_ORDER_COLUMN}, ZLAY_ENOTSUP, "a_order: the nearest"},
    {{.a_type = T(F32), .b_type = T(F32)}, ZLAY_NONE, "T5_A: a_type f32, b_type f32"},
    {{.a_type = T(E4M3), .b_type = T(S8)}, ZLAY_NONE, "T5_B"},
    {{.a_type = T(E2M1), .b_type = T(E4M3)}, ZLAY_ENOTSUP, "a_type: e2m1; the GEMM of this version has elements of whole bytes"},
    {{.a_type = T(E4M3), .b_type = T(E3M2)}, ZLAY_ENOTSUP, "b_type: e3m2; the GEMM"},
    {{.type = T(S8), .d_type = T(S4)}, ZLAY_ENOTSUP, "d_type: s4; sums of s8 are s32"},
    {{.split_k = 2}, ZLAY_ENOTSUP, "split_k: plans of sm_100a have none"},
    {{.repack = ZLAY_REPACK_ALWAYS}, ZLAY_ENOTSUP, "repack: plans of sm_100a have none"},
    {{.type = T(E4M3), .a_scales = ZLAY_SCALES_LINE, .tile_n = 256}, ZLAY_EINVAL, "at most 128 columns fit"},
};

static void test_refusals(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof bads / sizeof *bads; i++) {
        zlay_ctx *ctx = ctx_new();
        zlay_plan *plan = NULL;
        zlay_gemm g = bads[i].gemm;
        g.size = sizeof g, g.m = g.n = g.k = 256;
        zlay_status status = zlay_gemm_synth(ctx, &plan, target_of(name_of), &g);
        if (status != bads[i].status || plan || !strstr(zlay_ctx_message(ctx), bads[i].word))
            fail_msg("%zu: %d, %s", i, status, zlay_ctx_message(ctx));
        zlay_ctx_free(ctx);
    }
}

/* sm_103a lacks products of whole numbers. */
static void test_targets(void **unused)
{
    zlay_gemm g = gemm_of(256, 256, 256);
    zlay_ctx *ctx = ctx_new();
    zlay_plan *plan = NULL;
    (void)unused;
    zlay_plan_free(plan_on("sm_103a", &g));
    zlay_plan_free(plan_on("sm_100f", &g));
    g.type = T(S8);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target_of("sm_103a"), &g), ZLAY_NONE);
    assert_null(plan);
    zlay_ctx_free(ctx);
}

static zlay_status planned(zlay_ctx *ctx, void *given)
{
    enum { ROOM = 1 << 18 };
    char *text = malloc(ROOM);
    zlay_buf buf = {text, ROOM, 0};
    zlay_plan *plan = NULL;
    zlay_status status = zlay_gemm_synth(ctx, &plan, target_of(name_of), given);
    if (!status) status = zlay_emit_ptx(ctx, &buf, plan, "g", 1);
    zlay_plan_free(plan);
    free(text);
    return status;
}

/* Every allocation that a plan and its text make fails once. */
static void test_heap(void **unused)
{
    zlay_gemm plain = gemm_of(200, 136, 72), scaled = gemm_of(200, 136, 96);
    (void)unused;
    scaled.type = T(E2M1), scaled.d_type = T(F32), scaled.a_scales = scaled.b_scales = ZLAY_SCALES_LINE_16;
    for (int i = 0; i < 2; i++) {
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        assert_int_equal(heap_fails_each(&h, ctx, planned, i ? &scaled : &plain), ZLAY_OK);
        heap_close(&h, ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_certificates),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_heap),
    };
    return cmocka_run_group_tests_name("synth/gemm/tmem", tests, NULL, NULL);
}
