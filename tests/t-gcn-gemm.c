/* SPDX-License-Identifier: Apache-2.0 */
/* The GEMM kernels of gfx targets as they are printed, assembled, linked and disassembled: the text is
 * executed by tests/gcn and every element of D is what it has to be; what happens without one of its
 * waits, barriers or nops, or with one access beside its place, is seen. */
#define _DEFAULT_SOURCE
#include "gcn/gemm.h"
#include "gcn/object.h"
#include "wave_gemm.h"

static zlay_ctx *ctx;

/* The kernel of a request, and what it is to compute: of a D by columns the transposed. */
static gcn_code prepare(gcn_target target, const zlay_gemm *r, gcn_gemm *g)
{
    zlay_plan *plan = wave_plan(ctx, gcn_target_name[target], r);
    zlay_plan_info info;
    assert_int_equal(zlay_plan_get(&info, plan), ZLAY_OK);
    char *text = wave_text(ctx, plan);
    bool columns = r->d_order == ZLAY_ORDER_COLUMN;
    uint32_t m = (uint32_t)r->m, n = (uint32_t)r->n, k = (uint32_t)r->k;
    uint32_t lda = r->lda ? (uint32_t)r->lda : k, ldb = r->ldb ? (uint32_t)r->ldb : k;
    *g = (gcn_gemm){.m = columns ? n : m, .n = columns ? m : n, .k = k, .threads = info.threads, .d_bytes = 2,
                    .lda = columns ? ldb : lda, .ldb = columns ? lda : ldb,
                    .grid = {(uint32_t)info.tiles_n, (uint32_t)info.tiles_m}};
    g->ldd = r->ldd ? (uint32_t)r->ldd : g->n;
    uint64_t arguments[3] = {GEMM_A, GEMM_B, GEMM_D};
    memcpy(g->arguments, arguments, sizeof arguments);
    gcn_gemm_make(g, 17 * r->m + 5 * r->n + r->k);
    gcn_code code = gcn_assemble(target, text, "gemm");
    free(text);
    zlay_plan_free(plan);
    return code;
}

static void runs_right(gcn_target target, const zlay_gemm *request)
{
    gcn_gemm g;
    gcn_code code = prepare(target, request, &g);
    if (!gcn_gemm_right(&code, &g))
        fail_msg("%s %u x %u x %u: %s", gcn_target_name[target], g.m, g.n, g.k, g.fault);
    gcn_gemm_free(&g);
    gcn_code_free(&code);
}

static const zlay_gemm shapes[] = {
    {.size = sizeof(zlay_gemm), .m = 128, .n = 128, .k = 64},
    {.size = sizeof(zlay_gemm), .m = 1, .n = 1, .k = 8},
    {.size = sizeof(zlay_gemm), .m = 70, .n = 131, .k = 104, .ldd = 133},
    {.size = sizeof(zlay_gemm), .m = 100, .n = 90, .k = 200, .lda = 208, .ldb = 216},
    {.size = sizeof(zlay_gemm), .m = 65, .n = 128, .k = 32, .d_order = ZLAY_ORDER_COLUMN},
};

static void kernels_run_right(void **state)
{
    (void)state;
    gcn_need_llvm("kernels of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) runs_right(target, &shapes[i]);
}

/* Two blocks each way, edges in both, K of five steps and a part of one. */
static const zlay_gemm ragged = {.size = sizeof(zlay_gemm), .m = 70, .n = 131, .k = 120, .ldd = 133};

/* What no run can show. gfx90a: the states are counted from the last product, and what the text reads first
 * is the sum of one four products before. gfx950: before the first barrier nothing of LDS but loads to it is
 * on its way. */
static const gcn_excuse excuses[GCN_TARGETS][3] = {
    [GCN_90A] = {{"s_nop 2: missing", 1}, {"s_nop 2: a state less", 1}},
    [GCN_950] = {{"s_waitcnt lgkmcnt(0): missing", 1}, {"s_waitcnt lgkmcnt(0): lgkmcnt + 1", 1}},
};

static void mistakes_of(gcn_target target)
{
    gcn_gemm g;
    gcn_code code = prepare(target, &ragged, &g);
    g.ran = calloc((size_t)code.lines, 1);
    assert_non_null(g.ran);
    assert_true(gcn_gemm_right(&code, &g));
    int step = test_exhaustive() ? 1 : 16, idle = 0;
    for (int i = 0; i < code.lines; i++) idle += !g.ran[i];
    gcn_toll toll = gcn_try_mistakes(&code, gcn_gemm_right, &g, step / 2, step, g.ran, excuses[target]);
    printf("%s: %d of %d lines ran, %d of %d mistakes are seen\n", gcn_target_name[target], code.lines - idle, code.lines,
           toll.found, toll.tried);
    assert_int_equal(idle, 0);
    assert_int_equal(toll.missed, 0);
    free(g.ran);
    gcn_gemm_free(&g);
    gcn_code_free(&code);
}

static void mistakes_are_seen(void **state)
{
    (void)state;
    gcn_need_llvm("kernels of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++) mistakes_of(target);
}

static int setup(void **state)
{
    (void)state;
    return zlay_ctx_new(&ctx, NULL, NULL);
}

static int teardown(void **state)
{
    (void)state;
    zlay_ctx_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_run_right),
        cmocka_unit_test(mistakes_are_seen),
    };
    return cmocka_run_group_tests_name("gcn-gemm", tests, setup, teardown);
}
