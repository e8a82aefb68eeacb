/* SPDX-License-Identifier: Apache-2.0 */
/* The GEMM kernels of gfx targets as they are printed, assembled, linked and disassembled: the text is
 * executed by tests/gcn and every element of D is what it has to be; what happens without one of its
 * waits, barriers or nops, or with one access beside its place, is seen. */
#define _DEFAULT_SOURCE
#include "gcn/gemm.h"
#include "gcn/object.h"
#include "wave_gemm.h"

static zlay_ctx *ctx;

/* The kernel of a plan, and what it is to compute: of a D by columns the transposed. */
static gcn_code prepare_plan(gcn_target target, const zlay_gemm *r, const zlay_plan *plan, gcn_gemm *g)
{
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
    return code;
}

static gcn_code prepare(gcn_target target, const zlay_gemm *r, gcn_gemm *g)
{
    zlay_plan *plan = wave_plan(ctx, gcn_target_name[target], r);
    gcn_code code = prepare_plan(target, r, plan, g);
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

static zlay_gemm drawn(uint64_t *random)
{
    static const uint32_t tiles[][3] = {{0, 0, 0}, {0, 0, 0}, {128, 128, 32}, {256, 128, 32}, {128, 64, 64}, {64, 64, 64}};
    const uint32_t *tile = tiles[test_range(random, 0, 5)];
    zlay_gemm r = {.size = sizeof r, .tile_m = tile[0], .tile_n = tile[1], .tile_k = tile[2]};
    r.m = (uint64_t)test_range(random, 1, 300), r.n = (uint64_t)test_range(random, 1, 300);
    r.k = (uint64_t)test_range(random, 1, 20) * 8;
    if (test_range(random, 0, 1)) r.lda = r.k + 8, r.ldb = r.k + 24;
    if (test_range(random, 0, 3) == 0) r.d_order = ZLAY_ORDER_COLUMN;
    if (test_range(random, 0, 1)) r.ldd = (r.d_order ? r.m : r.n) + (uint64_t)test_range(random, 0, 9);
    r.stages = 2 * (uint32_t)test_range(random, 0, 2);
    return r;
}

static bool drawn_runs_right(gcn_target target, const zlay_gemm *r)
{
    zlay_plan *plan = NULL;
    if (zlay_plan_synth_gemm(ctx, &plan, wave_target(gcn_target_name[target]), r)) return false;
    gcn_gemm g;
    gcn_code code = prepare_plan(target, r, plan, &g);
    g.schedules = 3;
    if (!gcn_gemm_right(&code, &g))
        fail_msg("%s %u x %u x %u, tile %u x %u x %u, %u stages: %s", gcn_target_name[target], g.m, g.n, g.k, r->tile_m,
                 r->tile_n, r->tile_k, r->stages, g.fault);
    gcn_gemm_free(&g);
    gcn_code_free(&code);
    zlay_plan_free(plan);
    return true;
}

static void drawn_run_right(void **state)
{
    (void)state;
    uint64_t random = test_seed("gcn-gemm"), count = test_iterations(test_exhaustive() ? 60 : 2), ran = 0;
    gcn_need_llvm("kernels of gfx targets were run by nothing");
    for (uint64_t i = 0; i < count; i++)
        for (gcn_target target = 0; target < GCN_TARGETS; target++) {
            zlay_gemm r = drawn(&random);
            ran += drawn_runs_right(target, &r);
        }
    printf("%llu of %llu drawn requests have plans\n", (unsigned long long)ran, (unsigned long long)(3 * count));
    assert_true(ran);
}

/* A row of NaN, one of an infinity, one that passes the greatest bf16 and one that rounds to infinity. */
static void specials_run_right(void **state)
{
    (void)state;
    static const uint16_t special[] = {0x7fc0, 0x7f80, 0x7f7f, 0xff7f, 0x7f81};
    gcn_need_llvm("kernels of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        gcn_gemm g;
        gcn_code code = prepare(target, &shapes[0], &g);
        for (uint32_t i = 0; i < 5; i++) g.a[i * 3 * g.lda + i] = special[i];
        gcn_expect(&g);
        g.schedules = 1;
        if (!gcn_gemm_right(&code, &g)) fail_msg("%s: %s", gcn_target_name[target], g.fault);
        gcn_gemm_free(&g);
        gcn_code_free(&code);
    }
}

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

/* ---- two tables of wait states ------------------------------------------------------------ */

enum {
    TO_PRODUCT = ZLAY_THEN_MEMORY | ZLAY_THEN_VALU_READS | ZLAY_THEN_TRANS_READS | ZLAY_THEN_VALU_WRITES |
                 ZLAY_THEN_LOAD_WRITES | ZLAY_THEN_MATRIX_AB,
    TO_READ = ZLAY_THEN_MATRIX_AB | ZLAY_THEN_MATRIX_SAME | ZLAY_THEN_MATRIX_C
};
static const struct { gcn_hazard mine; uint32_t first, then; } pairs[] = {
    {GCN_H_PRODUCT, ZLAY_FIRST_MATRIX, TO_PRODUCT},
    {GCN_H_PRODUCT_C, ZLAY_FIRST_MATRIX, ZLAY_THEN_MATRIX_C},
    {GCN_H_SUM_WRITTEN, ZLAY_FIRST_MATRIX, ZLAY_THEN_OVERWRITES_C},
    {GCN_H_OPERAND, ZLAY_FIRST_VALU, TO_READ},
    {GCN_H_EXEC_PRODUCT, ZLAY_FIRST_VALU_EXEC, ZLAY_THEN_MATRIX},
    {GCN_H_EXEC_MEMORY, ZLAY_FIRST_VALU_EXEC, ZLAY_THEN_VMEM},
    {GCN_H_SGPR_MEMORY, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_MEMORY_SGPR},
    {GCN_H_SGPR_LANE, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_LANE_SELECT},
    {GCN_H_SGPR_VECTOR, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_VALU_SGPR},
    {GCN_H_READ_LANE, ZLAY_FIRST_VALU, ZLAY_THEN_LANE_READS},
    {GCN_H_EXEC_LANE, ZLAY_FIRST_VALU_EXEC, ZLAY_THEN_LANE_READS},
    {GCN_H_STORED, ZLAY_FIRST_STORE_WIDE, ZLAY_THEN_VALU_WRITES | ZLAY_THEN_MATRIX_WRITES},
    {GCN_H_TRANS, ZLAY_FIRST_TRANS, ZLAY_THEN_VALU_READS},
    {GCN_H_M0, ZLAY_FIRST_SALU_M0, ZLAY_THEN_M0},
};

static void states_agree(gcn_target on, gcn_hazard mine, uint32_t first, uint32_t then, uint32_t passes)
{
    const gcn_hazard_row *row = &gcn_hazard_rows[mine];
    zlay_hazard h = {first, then, passes, 0};
    uint32_t states;
    zlay_status status = zlay_hazard_states(&states, wave_target(gcn_target_name[on]), &h);
    if (passes && status == ZLAY_EINVAL) return;
    assert_int_equal(status, ZLAY_OK);
    if ((int)states != row->states[on] + (row->passes ? (int)passes : 0))
        fail_msg("%s: %s, then %s, %u passes: %u", gcn_target_name[on], row->first, row->then, passes, states);
}

/* The interpreter's rows and the library's have two authors; they say the same, bit by bit of `then`. */
static void hazards_agree(void **state)
{
    (void)state;
    assert_int_equal(sizeof pairs / sizeof pairs[0], GCN_HAZARDS);
    for (gcn_target on = 0; on < GCN_TARGETS; on++)
        for (size_t i = 0; i < GCN_HAZARDS; i++)
            for (uint32_t bit = 1; bit <= ZLAY_THEN_MATRIX; bit *= 2) {
                bool product = pairs[i].first == ZLAY_FIRST_MATRIX;
                for (uint32_t passes = product ? 4 : 0; passes <= (product ? 16 : 0) && pairs[i].then & bit;
                     passes += product ? passes : 1)
                    states_agree(on, pairs[i].mine, pairs[i].first, bit, passes);
            }
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
        cmocka_unit_test(specials_run_right),
        cmocka_unit_test(drawn_run_right),
        cmocka_unit_test(mistakes_are_seen),
        cmocka_unit_test(hazards_agree),
    };
    return cmocka_run_group_tests_name("gcn-gemm", tests, setup, teardown);
}
