/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of tests/gcn on text that the project did not print: clang's, of tests/gcn/compiled.c,
 * whose waits and nops LLVM put in. It runs right, so nothing is asked for that LLVM does not; what
 * happens without one of them is seen. */
#define _POSIX_C_SOURCE 200809L
#include "gcn/gemm.h"
#include "gcn/object.h"

typedef struct arguments { uint64_t a, b, d; int32_t m, n, k; } arguments;

static gcn_gemm problem(uint32_t m, uint32_t n, uint32_t k)
{
    gcn_gemm g = {.m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldd = n, .threads = 256, .d_bytes = 4,
                  .grid = {(m + 63) / 64, (n + 63) / 64}};
    arguments args = {GEMM_A, GEMM_B, GEMM_D, (int32_t)m, (int32_t)n, (int32_t)k};
    memcpy(g.arguments, &args, sizeof args);
    gcn_gemm_make(&g, m * 31 + n * 7 + k);
    return g;
}

static void runs_right(const gcn_code *code, uint32_t m, uint32_t n, uint32_t k)
{
    gcn_gemm g = problem(m, n, k);
    g.ordered = true;
    if (!gcn_gemm_right(code, &g)) fail_msg("%u %u %u on %s: %s", m, n, k, gcn_target_name[code->target], g.fault);
    gcn_gemm_free(&g);
}

/* What no run can show: the states before the epilogue stand there twice, and loads past the end of K,
 * for which LLVM waits, no lane makes. */
#define FOR_NOTHING(waits) {"s_waitcnt vmcnt(0): missing", waits}, {"s_waitcnt vmcnt(0): vmcnt + 1", waits}
static const gcn_excuse excuses[GCN_TARGETS][8] = {
    [GCN_90A] = {FOR_NOTHING(3), {"s_nop 15: a state less", 1}, {"s_nop 2: missing", 1}, {"s_nop 2: a state less", 1},
                 {"s_nop 0: missing", 1}},
    [GCN_942] = {FOR_NOTHING(2), {"s_nop 15: missing", 1}, {"s_nop 15: a state less", 1}, {"s_nop 2: missing", 1},
                 {"s_nop 2: a state less", 1}},
    [GCN_950] = {FOR_NOTHING(2), {"s_nop 15: missing", 1}, {"s_nop 15: a state less", 1}, {"s_nop 2: missing", 1},
                 {"s_nop 2: a state less", 1}},
};

static void mistakes_are_seen(gcn_code *code)
{
    gcn_gemm g = problem(70, 40, 64);
    g.ran = calloc((size_t)code->lines, 1);
    assert_non_null(g.ran);
    assert_true(gcn_gemm_right(code, &g));
    int step = test_exhaustive() ? 1 : 7;
    gcn_toll toll = gcn_try_mistakes(code, gcn_gemm_right, &g, step / 2, step, g.ran, excuses[code->target]);
    printf("%s: %d of %d mistakes are seen\n", gcn_target_name[code->target], toll.found, toll.tried);
    assert_int_equal(toll.missed, 0);
    free(g.ran);
    gcn_gemm_free(&g);
}

static void compiled_text(void **state)
{
    (void)state;
    gcn_need_llvm("text of clang was run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        gcn_code code = gcn_compile(target, "tests/gcn/compiled.c", "gemm");
        runs_right(&code, 64, 64, 64);
        runs_right(&code, 70, 130, 28);
        mistakes_are_seen(&code);
        gcn_code_free(&code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiled_text),
    };
    return cmocka_run_group_tests_name("oracle/gcn_compiled", tests, NULL, NULL);
}
