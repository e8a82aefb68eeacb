/* SPDX-License-Identifier: Apache-2.0 */
/* The GEMM kernels of gfx targets, executed by tests/gcn: drawn requests, and what happens without one of
 * a kernel's waits, barriers or nops, or with one access beside its place. `make exhaustive` tries all. */
#define _DEFAULT_SOURCE
#include "gcn/planned.h"
#include "group_ctx.h"

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
    if (zlay_gemm_synth(ctx, &plan, wave_target(gcn_target_name[target]), r)) return false;
    gcn_gemm g;
    gcn_code code = gcn_planned(ctx, target, r, plan, &g);
    g.schedules = 2;
    g.ordered = true;
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
    uint64_t random = test_seed("exhaustive/gcn_gemm"), count = test_iterations(test_hours() ? 60 : test_exhaustive() ? 30 : 2), ran = 0;
    gcn_need_llvm("kernels of gfx targets were run by nothing");
    for (uint64_t i = 0; i < count; i++)
        for (gcn_target target = 0; target < GCN_TARGETS; target++) {
            zlay_gemm r = drawn(&random);
            ran += drawn_runs_right(target, &r);
        }
    printf("%llu of %llu drawn requests have plans\n", (unsigned long long)ran, (unsigned long long)(3 * count));
    assert_true(ran);
}

/* Two blocks each way, edges in both, several steps of K and a part of one; then larger tiles, and as many
 * stages as fit. */
static const struct { gcn_target target; zlay_gemm gemm; } ragged[] = {
    {GCN_90A, {.size = sizeof(zlay_gemm), .m = 70, .n = 131, .k = 120, .ldd = 133}},
    {GCN_942, {.size = sizeof(zlay_gemm), .m = 70, .n = 131, .k = 120, .ldd = 133}},
    {GCN_950, {.size = sizeof(zlay_gemm), .m = 70, .n = 131, .k = 120, .ldd = 133}},
    {GCN_950, {.size = sizeof(zlay_gemm), .m = 70, .n = 131, .k = 376, .ldd = 136, .stages = 4}},
    {GCN_942, {.size = sizeof(zlay_gemm), .m = 250, .n = 130, .k = 88, .tile_m = 256, .tile_n = 128, .tile_k = 32}},
};

static void mistakes_of(gcn_target target, const zlay_gemm *request)
{
    gcn_gemm g;
    gcn_code code = gcn_asked(ctx, target, request, &g);
    g.ran = calloc((size_t)code.lines, 1);
    assert_non_null(g.ran);
    g.schedules = 2;
    assert_true(gcn_gemm_right(&code, &g));
    g.schedules = 0;
    int step = test_exhaustive() ? 1 : 32, idle = 0, end = 0;
    while (end < code.lines && strcmp(code.line[end].name, "s_endpgm")) end++;
    for (int i = 0; i <= end; i++) idle += !g.ran[i]; /* behind it stands what is fetched and never run */
    gcn_toll toll = gcn_try_mistakes(&code, gcn_gemm_right, &g, step / 2, step, g.ran, NULL);
    printf("%s: %d of %d lines ran, %d of %d mistakes are seen\n", gcn_target_name[target], end + 1 - idle, end + 1,
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
    for (size_t i = 0; i < sizeof ragged / sizeof ragged[0]; i++) mistakes_of(ragged[i].target, &ragged[i].gemm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_run_right),
        cmocka_unit_test(mistakes_are_seen),
    };
    return cmocka_run_group_tests_name("exhaustive/gcn_gemm", tests, open_ctx, close_ctx);
}
