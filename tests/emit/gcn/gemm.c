/* SPDX-License-Identifier: Apache-2.0 */
/* The GEMM kernels of gfx targets as they are printed, assembled, linked and disassembled: the text is
 * executed by tests/gcn, and every element of D is what it has to be. */
#define _DEFAULT_SOURCE
#include "gcn/planned.h"
#include "group_ctx.h"


static void runs_right(gcn_target target, const zlay_gemm *request)
{
    gcn_gemm g;
    gcn_code code = gcn_asked(ctx, target, request, &g);
    g.schedules = test_exhaustive() ? 0 : 2;
    g.ordered = true;
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

/* A row of NaN, one of an infinity, one that passes the greatest bf16 and one that rounds to infinity. */
static void specials_run_right(void **state)
{
    (void)state;
    static const uint16_t special[] = {0x7fc0, 0x7f80, 0x7f7f, 0xff7f, 0x7f81};
    gcn_need_llvm("kernels of gfx targets were run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        gcn_gemm g;
        gcn_code code = gcn_asked(ctx, target, &shapes[0], &g);
        for (uint32_t i = 0; i < 5; i++) g.a[i * 3 * g.lda + i] = special[i];
        gcn_expect(&g);
        g.schedules = 1;
        if (!gcn_gemm_right(&code, &g)) fail_msg("%s: %s", gcn_target_name[target], g.fault);
        gcn_gemm_free(&g);
        gcn_code_free(&code);
    }
}

/* ---- banks ---------------------------------------------------------------------------------- */

/* Lanes of ds_read_b128 that are served together: bit by bit for lanes 0 to 31, and the same 32 further;
 * measured on MI300X and MI350X (nod-ai/amd-shark-ai docs/empirical-lds, HipKittens' phases). */
static const struct { uint32_t banks, groups, lanes[4]; } phases[GCN_TARGETS] = {
    [GCN_942] = {32, 4, {0x00f0000f, 0x000f00f0, 0xf0000f00, 0x0f00f000}},
    [GCN_950] = {64, 2, {0x0ff0f00f, 0xf00f0ff0}},
};

/* The greatest number of different words that lanes of one phase want from one bank. */
static uint32_t busiest(const gcn_access *a, uint64_t lanes, uint32_t banks)
{
    uint32_t wanted[64][64], count[64] = {0}, most = 1;
    for (int lane = 0; lane < GCN_LANES; lane++)
        for (uint32_t i = 0; i < 4 && lanes >> lane & 1; i++) {
            uint32_t word = gcn_lds_at(a, lane, 0) / 4 + i, bank = word % banks, at = 0;
            while (at < count[bank] && wanted[bank][at] != word) at++;
            wanted[bank][at] = word;
            if (at == count[bank]) count[bank]++;
            if (count[bank] > most) most = count[bank];
        }
    return most;
}

typedef struct reads { uint32_t seen, least, most; } reads;

static void count_read(gcn_wave *w, const gcn_access *a)
{
    gcn_target target = w->m->code->target;
    reads *r = w->m->test;
    uint32_t wavefronts = 0;
    if (strcmp(a->line->name, "ds_read_b128") != 0) return;
    for (uint32_t group = 0; group < 2 * phases[target].groups; group++) {
        uint64_t lanes = phases[target].lanes[group / 2];
        wavefronts += busiest(a, group % 2 ? lanes << 32 : lanes, phases[target].banks);
    }
    if (!r->seen++ || wavefronts < r->least) r->least = wavefronts;
    if (wavefronts > r->most) r->most = wavefronts;
}

static void reads_are_planned(gcn_target target, const zlay_gemm *request)
{
    gcn_gemm g;
    zlay_wave_gemm wave;
    zlay_plan *plan = wave_plan(ctx, gcn_target_name[target], request);
    assert_int_equal(zlay_plan_wave(&wave, plan), ZLAY_OK);
    gcn_code code = gcn_planned(ctx, target, request, plan, &g);
    gcn_machine *m = gcn_gemm_machine(&g, &code);
    reads r = {0};
    m->see = count_read, m->test = &r;
    gcn_run_group(m, 0, 0);
    if (m->failed) fail_msg("%s", m->fault);
    assert_true(r.seen > 30);
    assert_int_equal(r.least, wave.read_wavefronts);
    assert_int_equal(r.most, wave.read_wavefronts);
    free(m);
    gcn_gemm_free(&g);
    gcn_code_free(&code);
    zlay_plan_free(plan);
}

/* As many wavefronts as the plan says, counted on the addresses that the text computes. */
static void banks_are_as_planned(void **state)
{
    (void)state;
    static const zlay_gemm steps[] = {{.size = sizeof(zlay_gemm), .m = 128, .n = 128, .k = 64},
                                      {.size = sizeof(zlay_gemm), .m = 256, .n = 128, .k = 64, .tile_m = 256, .tile_n = 128, .tile_k = 32}};
    gcn_need_llvm("kernels of gfx targets were run by nothing");
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        reads_are_planned(GCN_942, &steps[i]);
        reads_are_planned(GCN_950, &steps[i]);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_run_right),
        cmocka_unit_test(specials_run_right),
        cmocka_unit_test(banks_are_as_planned),
        cmocka_unit_test(hazards_agree),
    };
    return cmocka_run_group_tests_name("gcn-gemm", tests, open_ctx, close_ctx);
}
