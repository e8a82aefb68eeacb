/* SPDX-License-Identifier: Apache-2.0 */
/* Times of planned kernels by the machine's numbers, beside what docs/performance.md says that an H200 takes: each error is
 * printed, and stands in docs/machine.md. Nothing was fitted, so the bounds are wide; what counts is the order of candidates, which a
 * device measures. */
#include "ctx.h"

#include <stdbool.h>
#include <string.h>

static zlay_machine machine;

typedef struct timed {
    uint64_t m, n, k;
    int32_t type;
    double us;
    int least, most; /* percent of the measured time */
} timed;

/* Whole tiles, "Stream-K" of docs/performance.md; few rows, below it. */
static const timed gemms[] = {
    {8192, 8192, 8192, ZLAY_TYPE_BF16, 1608, 85, 115},   {16384, 4096, 4096, ZLAY_TYPE_BF16, 804, 85, 115},
    {8192, 8192, 4096, ZLAY_TYPE_BF16, 794, 85, 115},    {4096, 28672, 4096, ZLAY_TYPE_BF16, 1404, 85, 115},
    {8192, 6144, 4096, ZLAY_TYPE_BF16, 607, 85, 115},    {4096, 12288, 4096, ZLAY_TYPE_BF16, 600, 85, 115},
    {6144, 6144, 6144, ZLAY_TYPE_BF16, 670, 85, 115},    {4096, 7168, 8192, ZLAY_TYPE_BF16, 696, 85, 115},
    {4096, 4096, 16384, ZLAY_TYPE_BF16, 786, 85, 115},   {2048, 8192, 8192, ZLAY_TYPE_BF16, 396, 85, 115},
    {4096, 4096, 7168, ZLAY_TYPE_BF16, 345, 85, 115},    {4096, 4096, 4096, ZLAY_TYPE_BF16, 201, 85, 115},
    {8192, 8192, 8192, ZLAY_TYPE_F16, 1685, 80, 115},    {8192, 8192, 8192, ZLAY_TYPE_E4M3, 831, 85, 115},
    {4096, 4096, 4096, ZLAY_TYPE_E4M3, 107, 85, 115},    {1, 4096, 4096, ZLAY_TYPE_BF16, 11.72, 55, 115},
    {16, 4096, 4096, ZLAY_TYPE_BF16, 11.68, 55, 115},    {1, 4096, 7168, ZLAY_TYPE_BF16, 17.26, 55, 115},
    {16, 7168, 4096, ZLAY_TYPE_BF16, 17.37, 55, 115},
};

/* docs/machine.md has the row. */
static void is_told(const char *row)
{
    char line[512];
    bool found = false;
    FILE *page = fopen("docs/machine.md", "r");
    assert_non_null(page);
    while (!found && fgets(line, sizeof line, page)) found = !strcmp(line, row);
    fclose(page);
    if (!found) fail_msg("docs/machine.md has not %s", row);
}

static void near(const char *what, int64_t ns, double us, int least, int most)
{
    double percent = (double)ns / 10 / us;
    char row[256];
    print_message("%s: %.3f us modelled, %.3f measured, %+.1f %%\n", what, (double)ns / 1000, us, percent - 100);
    snprintf(row, sizeof row, "| %s | %.3f | %.3f | %+.1f %% |\n", what, (double)ns / 1000, us, percent - 100);
    is_told(row);
    if (percent < least || percent > most) fail_msg("%s: outside of %d..%d %%", what, least, most);
}

static void products(void **state)
{
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    for (size_t i = 0; i < sizeof gemms / sizeof *gemms; i++) {
        const timed *t = &gemms[i];
        zlay_gemm g = {.size = sizeof g, .m = t->m, .n = t->n, .k = t->k, .type = t->type};
        zlay_plan *plan = NULL;
        zlay_kernel_cost cost;
        char what[96];
        if (zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &g)) fail_msg("%s", zlay_ctx_message(*state));
        if (zlay_gemm_cycles(*state, &cost, &machine, plan)) fail_msg("%s", zlay_ctx_message(*state));
        snprintf(what, sizeof what, "%llux%llux%llu %s", (unsigned long long)t->m, (unsigned long long)t->n, (unsigned long long)t->k,
                 zlay_type_name(t->type));
        near(what, cost.ns, t->us, t->least, t->most);
        assert_true(cost.cycles >= cost.dram_cycles);
        zlay_plan_free(plan);
    }
}

/* The K steps that tests/device/fit/calibrate.py measured, of tiles that fill all processors, with what it divides them by. */
static const struct {
    uint32_t m, n;
    double step; /* ns */
} tiles[] = {
#define TILE(rows, columns, step, ...) {rows, columns, step},
#include "synth/gemm/times.def"
};

static void steps(void **state)
{
    enum { ROWS = 3072, K = 4096, ENDS = 4, FEW = 8 };
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        if (tiles[i].n == FEW) continue;
        zlay_gemm g = {.size = sizeof g, .m = ROWS, .n = (uint64_t)tiles[i].n * 132 * 512 / ROWS, .k = K, .tile_m = tiles[i].m,
                       .tile_n = tiles[i].n, .tile_k = 64};
        zlay_plan *plan = NULL;
        zlay_kernel_cost cost;
        char what[96];
        if (zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &g)) fail_msg("%s", zlay_ctx_message(*state));
        if (zlay_gemm_cycles(*state, &cost, &machine, plan)) fail_msg("%s", zlay_ctx_message(*state));
        assert_int_equal(cost.waves, 4 * 128 / tiles[i].m);
        snprintf(what, sizeof what, "a K step of %ux%u", (unsigned)tiles[i].m, (unsigned)tiles[i].n);
        near(what, cost.ns / (cost.waves * (K / 64 + ENDS)), tiles[i].step / 1000, 60, 165);
        zlay_plan_free(plan);
    }
}

static const struct {
    uint32_t head;
    uint64_t batch, tokens;
    double full, causal;
} heads[] = {{128, 1, 16384, 3241, 1574}, {128, 4, 4096, 862, 473}, {64, 1, 16384, 2069, 1126},
             {64, 4, 4096, 554, 376},     {256, 1, 16384, 5988, 2945}, {256, 4, 4096, 1538, 872}};

static void attention(void **state)
{
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    for (size_t i = 0; i < 2 * (sizeof heads / sizeof *heads); i++) {
        zlay_attention a = {.size = sizeof a, .head = heads[i / 2].head, .heads = 16, .batch = heads[i / 2].batch,
                            .queries = heads[i / 2].tokens, .keys = heads[i / 2].tokens, .causal = i % 2};
        zlay_attention_plan *plan = NULL;
        zlay_kernel_cost cost;
        char what[96];
        if (zlay_attention_synth(*state, &plan, target_of("sm_90a"), &a)) fail_msg("%s", zlay_ctx_message(*state));
        if (zlay_attention_cycles(*state, &cost, &machine, plan)) fail_msg("%s", zlay_ctx_message(*state));
        snprintf(what, sizeof what, "attention, head %u, %llux%llu%s", (unsigned)a.head, (unsigned long long)a.batch,
                 (unsigned long long)a.queries, a.causal ? ", causal" : "");
        near(what, cost.ns, i % 2 ? heads[i / 2].causal : heads[i / 2].full, 55, 115);
        zlay_attention_free(plan);
    }
}

/* A kernel is never faster by a slower clock, a smaller L2 rate or more latency. */
static void monotonic(void **state)
{
    static const struct {
        int32_t fact, percent;
    } worse[] = {{ZLAY_MACHINE_CLOCK_KHZ, 80},    {ZLAY_MACHINE_L2_KILOCYCLE, 80},    {ZLAY_MACHINE_DRAM_KILOCYCLE, 50}, {ZLAY_MACHINE_COPY_CYCLES, 150},
                 {ZLAY_MACHINE_DRAM_CYCLES, 150}, {ZLAY_MACHINE_MBARRIER_CYCLES, 150}, {ZLAY_MACHINE_LAUNCH_NS, 150}, {ZLAY_MACHINE_PROCESSORS, 50}};
    zlay_gemm g = {.size = sizeof g, .m = 2048, .n = 2048, .k = 2048};
    zlay_kernel_cost first, cost;
    zlay_plan *plan = NULL;
    assert_int_equal(zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &g), ZLAY_OK);
    zlay_machine_find(&machine, target_of("sm_90a"));
    assert_int_equal(zlay_gemm_cycles(*state, &first, &machine, plan), ZLAY_OK);
    for (size_t i = 0; i < sizeof worse / sizeof *worse; i++) {
        zlay_machine_find(&machine, target_of("sm_90a"));
        zlay_machine_value *v = &machine.facts[worse[i].fact];
        v->value = v->value * worse[i].percent / 100;
        assert_int_equal(zlay_gemm_cycles(*state, &cost, &machine, plan), ZLAY_OK);
        if (cost.ns < first.ns) fail_msg("%s: %lld ns, before %lld", zlay_machine_fact_name(worse[i].fact), (long long)cost.ns, (long long)first.ns);
    }
    zlay_plan_free(plan);
}

static void unanswered(void **state)
{
    zlay_gemm g = {.size = sizeof g, .m = 4096, .n = 4096, .k = 4096, .stream_k = ZLAY_STREAM_ALWAYS};
    zlay_kernel_cost cost;
    zlay_plan *plan = NULL;
    zlay_machine_find(&machine, target_of("sm_90a"));
    assert_int_equal(zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &g), ZLAY_OK);
    assert_int_equal(zlay_gemm_cycles(*state, &cost, &machine, plan), ZLAY_ENOTSUP);
    zlay_plan_free(plan);
    g.stream_k = 0;
    assert_int_equal(zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &g), ZLAY_OK);
    machine.facts[ZLAY_MACHINE_DRAM_CYCLES].value = INT64_MAX;
    assert_int_equal(zlay_gemm_cycles(*state, &cost, &machine, plan), ZLAY_EOVERFLOW);
    zlay_plan_free(plan);
    assert_int_equal(zlay_gemm_synth(*state, &plan, target_of("sm_80"), &g), ZLAY_OK);
    zlay_machine_find(&machine, target_of("sm_80"));
    assert_int_equal(zlay_gemm_cycles(*state, &cost, &machine, plan), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "no document and no measurement"));
    assert_int_equal(zlay_gemm_cycles(*state, NULL, &machine, plan), ZLAY_EINVAL);
    assert_int_equal(zlay_attention_cycles(*state, &cost, &machine, NULL), ZLAY_EINVAL);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(steps), cmocka_unit_test(attention), cmocka_unit_test(monotonic),
                                       cmocka_unit_test(unanswered)};
    return cmocka_run_group_tests(tests, begin, end);
}
