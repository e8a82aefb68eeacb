/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles and orders: the example of zlay/io.h by hand, a cache that holds a wave and one that holds two, every tile of the grid planned
 * as a GEMM, attention whose blocks are those of the plan, chains from which size on one kernel costs less, the text, refusals that
 * name the field, limits and failing memory. */
#include "ctx.h"
#include "heap.h"

#include <math.h>
#include <string.h>
#include <zlay/io.h>

static zlay_io_answer gemm_of(zlay_ctx *ctx, const char *target, zlay_io_gemm r)
{
    zlay_io_answer a;
    r.size = sizeof r;
    zlay_status status = zlay_io_gemm_plan(ctx, &a, target_of(target), &r);
    if (status) fail_msg("%s, %s", zlay_status_name(status), zlay_ctx_message(ctx));
    return a;
}

/* ---- the example of zlay/io.h -------------------------------------------------------------------------- */

enum { EXAMPLE = 512, SIDE = EXAMPLE * EXAMPLE * 2 };

/* Two processors; bytes of L2. */
static zlay_io_answer example(zlay_ctx *ctx, uint32_t band, uint64_t l2)
{
    return gemm_of(ctx, "sm_90a", (zlay_io_gemm){.m = EXAMPLE, .n = EXAMPLE, .k = EXAMPLE, .tile_m = 128, .tile_n = 256, .band = band,
                                                 .machine = {.processors = 2, .l2 = l2}});
}

static void test_example(void **state)
{
    zlay_io_answer a = example(*state, 1, 1 << 30);
    assert_int_equal(a.tensor[0].l2, 2 * SIDE);
    assert_int_equal(a.tensor[1].l2, 4 * SIDE);
    assert_int_equal(a.best.l2, 7 * SIDE);
    assert_int_equal(a.best.hbm, 3 * SIDE);
    assert_int_equal(a.best.left, SIDE);
    assert_int_equal(a.best.tiles, 8);
    /* A row of A and B whole are SIDE / 4 + SIDE: a wave fits, two do not. */
    a = example(*state, 1, SIDE);
    assert_int_equal(a.tensor[0].read, SIDE);
    assert_int_equal(a.tensor[1].read, 4 * SIDE);
    a = example(*state, 2, SIDE);
    assert_int_equal(a.tensor[0].read, 2 * SIDE);
    assert_int_equal(a.tensor[1].read, 2 * SIDE);
    assert_int_equal(a.tensor[2].written, SIDE);
}

/* sqrt(2) m n k / sqrt(S) - 4 S elements of 2 bytes, where L2, and registers and shared memory of all processors, hold S. */
static void test_capacity_bound(void **state)
{
    const zlay_io_machine machine = {.l2 = 1 << 20, .processors = 3, .smem = 100000, .hbm_rate = 1000, .l2_rate = 1000};
    zlay_io_answer a = gemm_of(*state, "sm_90a", (zlay_io_gemm){.m = 8192, .n = 4096, .k = 50000, .band = 8, .tile_m = 128, .machine = machine});
    double held = ((1 << 20) + 3 * (100000 + 262144)) / 2.0;
    double bound = 1.41421356237 * 8192 * 4096 * 50000 / sqrt(held) - 4 * held;
    assert_int_equal(a.hbm_by, ZLAY_IO_CAPACITY);
    assert_true(fabs((double)a.hbm_bound / 2 - bound) < bound * 1e-6);
    assert_true(a.best.hbm >= a.hbm_bound);
}

/* The model gives operands five eighths of L2; the bound counts all of it. The bound of L2 says of which blocks it is: one of 192 x 256
 * sums reads less. */
static void test_bounds_hold(void **state)
{
    zlay_machine m;
    int64_t l2, processors, sums = 0;
    assert_int_equal(zlay_machine_find(&m, target_of("sm_90a")), ZLAY_OK);
    assert_int_equal(zlay_machine_get(&l2, &m, ZLAY_MACHINE_L2_BYTES), ZLAY_OK);
    assert_int_equal(zlay_machine_get(&processors, &m, ZLAY_MACHINE_PROCESSORS), ZLAY_OK);
    zlay_io_answer a = gemm_of(*state, "sm_90a", (zlay_io_gemm){.m = 65536, .n = 65536, .k = 65536, .band = 16, .tile_m = 128, .tile_n = 256, .machine.hbm_rate = 1000000});
    double held = ((double)l2 + (double)processors * (232448 + 262144)) / 2.0, size = 65536;
    double bound = 1.41421356237 * size * size * size / sqrt(held) - 4 * held;
    assert_int_equal(a.hbm_by, ZLAY_IO_CAPACITY);
    assert_true((double)a.hbm_bound / 2 <= bound && (double)a.hbm_bound / 2 > bound * (1 - 1e-6));
    assert_int_equal(a.l2_by, ZLAY_IO_SUMS);
    sums = (int64_t)a.l2_block;
    assert_int_equal(sums, 128 * 256);
    assert_true(size * size * (size / 256 + size / 192 + 1) * 2 < (double)a.l2_bound && 192 * 256 > sums);
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static void test_tiles_are_planned(void **state)
{
    static const struct {
        const char *target;
        uint32_t m, m_step, n_step;
    } row[] = {{"sm_90a", 64, 64, 8}, {"sm_100a", 128, 128, 16}, {"sm_80", 64, 64, 64}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (uint32_t m = row[i].m; m <= 128; m += row[i].m_step)
            for (uint32_t n = 64; n <= 256; n += row[i].n_step) {
                zlay_io_gemm r = {.size = sizeof r, .m = 1000, .n = 1000, .k = 512, .tile_m = m, .tile_n = n, .band = 3};
                zlay_gemm g = {.size = sizeof g, .m = 1000, .n = 1000, .k = 512, .tile_m = m, .tile_n = n, .band = 3};
                zlay_io_answer a;
                zlay_plan_summary info;
                zlay_plan *plan;
                if (zlay_io_gemm_plan(*state, &a, target_of(row[i].target), &r)) continue;
                if (zlay_gemm_synth(*state, &plan, target_of(row[i].target), &g)) fail_msg("%s %ux%u: %s", row[i].target, m, n, zlay_ctx_message(*state));
                assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
                assert_int_equal(info.band, a.best.band);
                assert_int_equal(info.tiles_m * info.tiles_n, a.best.tiles);
                zlay_plan_free(plan);
            }
}

static void test_bands(void **state)
{
    static const struct {
        const char *target;
        zlay_status status;
        const char *says;
        zlay_gemm gemm;
    } row[] = {
        {"sm_90a", ZLAY_ENOTSUP, "band: products with groups", {.m = 512, .n = 256, .k = 256, .groups = 3, .band = 2}},
        {"gfx942", ZLAY_ENOTSUP, "band: plans of waves", {.m = 512, .n = 256, .k = 256, .band = 2}},
        {"sm_90a", ZLAY_EINVAL, "reserved2", {.m = 512, .n = 256, .k = 256, .reserved2 = 1}},
    };
    zlay_plan *plan;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        zlay_gemm g = row[i].gemm;
        g.size = sizeof g;
        assert_int_equal(zlay_gemm_synth(*state, &plan, target_of(row[i].target), &g), row[i].status);
        if (!strstr(zlay_ctx_message(*state), row[i].says)) fail_msg("%s", zlay_ctx_message(*state));
    }
    zlay_gemm g = {.size = sizeof g, .m = 512, .n = 2560, .k = 256, .tile_m = 128, .tile_n = 256, .band = UINT32_MAX};
    zlay_plan_summary info;
    assert_int_equal(zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &g), ZLAY_OK);
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.band, 4);
    zlay_plan_free(plan);
}

/* Blocks of a head behind those of the one before, in the tiles that the planner has. */
static void test_attention(void **state)
{
    zlay_io_attention r = {.size = sizeof r, .queries = 4096, .keys = 4096, .head = 128, .heads = 16, .kv_heads = 4, .tile_m = 128, .band = 4096};
    zlay_attention q = {.size = sizeof q, .queries = 4096, .keys = 4096, .head = 128, .heads = 16, .kv_heads = 4};
    zlay_io_answer a;
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    assert_int_equal(zlay_io_attention_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(zlay_attention_synth(*state, &plan, target_of("sm_90a"), &q), ZLAY_OK);
    assert_int_equal(zlay_attention_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.grid[0] * info.grid[1] * info.grid[2], a.best.tiles);
    zlay_attention_free(plan);
    uint64_t tensor = 4096 * 16 * 256;
    assert_int_equal(a.tensor[0].l2, tensor);
    assert_int_equal(a.tensor[1].l2, 32 * tensor); /* each of 32 blocks of each head reads all keys */
    assert_int_equal(a.tensor[1].read, tensor / 4);
    assert_int_equal(a.best.hbm, 2 * tensor + 2 * tensor / 4);
    r.causal = 1;
    assert_int_equal(zlay_io_attention_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
    assert_true(a.tensor[1].l2 < 18 * tensor && a.tensor[1].l2 > 16 * tensor);
}

/* ---- chains --------------------------------------------------------------------------------------------- */

/* Narrow layers: one kernel moves G nowhere. Wide ones: each block of 256 columns of E would compute G again. */
static void test_chains(void **state)
{
    zlay_io_chain r = {.size = sizeof r, .m = 65536, .k = 256, .h = 1024, .n = 256, .gated = 1};
    zlay_io_answer a;
    assert_int_equal(zlay_io_chain_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(a.best.fused, ZLAY_IO_FUSED);
    assert_int_equal(a.other.fused, ZLAY_IO_SEPARATE);
    assert_int_equal(a.best.hbm, a.hbm_bound);
    assert_true(a.other.hbm >= a.hbm_bound + 2 * 65536 * 1024 && a.other.cost > a.best.cost);
    assert_int_equal(a.tensor[3].l2, 0);
    r = (zlay_io_chain){.size = sizeof r, .m = 4096, .k = 4096, .h = 14336, .n = 4096, .gated = 1};
    assert_int_equal(zlay_io_chain_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(a.best.fused, ZLAY_IO_SEPARATE);
    assert_true(a.other.flops > 10 * a.best.flops);
    r.fused = ZLAY_IO_SEPARATE;
    assert_int_equal(zlay_io_chain_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(a.other.tiles, 0);
}

/* fused_at says of each m what a request of that m says. */
static void test_crossover(void **state)
{
    zlay_io_chain r = {.size = sizeof r, .m = 64, .k = 256, .h = 768, .n = 128, .crossover = 1};
    zlay_io_answer a, one;
    uint64_t fused = 0;
    assert_int_equal(zlay_io_chain_plan(*state, &a, target_of("sm_90a"), &r), ZLAY_OK);
    r.crossover = 0;
    for (int e = 0; e < 14; e++) {
        r.m = (uint64_t)1 << e;
        assert_int_equal(zlay_io_chain_plan(*state, &one, target_of("sm_90a"), &r), ZLAY_OK);
        fused |= (uint64_t)(one.best.fused == ZLAY_IO_FUSED) << e;
    }
    assert_int_equal(a.fused_at, fused);
    assert_true(fused && fused >> 13 == 1 && fused != (1 << 14) - 1);
}

/* ---- what is refused ------------------------------------------------------------------------------------- */

#define SAYS(status, call, text)                                                                                                        \
    do {                                                                                                                                 \
        zlay_status got = (call);                                                                                                        \
        if (got != (status) || !strstr(zlay_ctx_message(*state), text)) fail_msg("%s, %s", zlay_status_name(got), zlay_ctx_message(*state)); \
    } while (0)

static void test_gemm_refused(void **state)
{
    static const struct {
        const char *target;
        zlay_status status;
        const char *says;
        zlay_io_gemm r;
    } row[] = {
        {"sm_90a", ZLAY_EINVAL, "m: 0", {.n = 8, .k = 8}},
        {"sm_90a", ZLAY_EINVAL, "k: 1099511627776", {.m = 8, .n = 8, .k = (uint64_t)1 << 40}},
        {"sm_90a", ZLAY_EINVAL, "a_type", {.m = 8, .n = 8, .k = 8, .a_type = ZLAY_TYPE_F64}},
        {"sm_90a", ZLAY_EINVAL, "d_type", {.m = 8, .n = 8, .k = 8, .d_type = 99}},
        {"sm_90a", ZLAY_EINVAL, "tile_k: 48", {.m = 8, .n = 8, .k = 8, .tile_k = 48}},
        {"sm_90a", ZLAY_EINVAL, "front", {.m = 8, .n = 8, .k = 8, .front = 2}},
        {"sm_90a", ZLAY_EINVAL, "stages: 65", {.m = 8, .n = 8, .k = 8, .stages = 65}},
        {"sm_90a", ZLAY_EINVAL, "reserved", {.m = 8, .n = 8, .k = 8, .reserved = {0, 1}}},
        {"sm_90a", ZLAY_EINVAL, "processors: 5000", {.m = 8, .n = 8, .k = 8, .machine.processors = 5000}},
        {"sm_90a", ZLAY_NONE, "tile: no tile", {.m = 8, .n = 8, .k = 8, .tile_n = 76}},
        {"sm_90a", ZLAY_NONE, "smem: 30000 bytes; 2 stages and the result need 41984", {.m = 8, .n = 8, .k = 8, .machine.smem = 30000}},
        {"sm_90a", ZLAY_EOVERFLOW, "2^62 bits", {.m = (uint64_t)1 << 39, .n = (uint64_t)1 << 39, .k = 8}},
        {"sm_90a", ZLAY_ELIMIT, "limit", {.m = (uint64_t)1 << 24, .n = (uint64_t)1 << 24, .k = 8}},
        {"gfx942", ZLAY_ENOTSUP, "gfx942", {.m = 8, .n = 8, .k = 8}},
        {"sm_121a", ZLAY_ENOTSUP, "machine.", {.m = 8, .n = 8, .k = 8}},
    };
    zlay_io_answer a;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        zlay_io_gemm r = row[i].r;
        r.size = sizeof r;
        SAYS(row[i].status, zlay_io_gemm_plan(*state, &a, target_of(row[i].target), &r), row[i].says);
    }
    zlay_io_gemm r = {.size = sizeof r, .m = 8, .n = 8, .k = 8};
    SAYS(ZLAY_EINVAL, zlay_io_gemm_plan(*state, NULL, target_of("sm_90a"), &r), "NULL");
    SAYS(ZLAY_EINVAL, zlay_io_gemm_plan(*state, &a, NULL, &r), "NULL");
    SAYS(ZLAY_EINVAL, zlay_io_gemm_plan(*state, &a, target_of("sm_90a"), NULL), "NULL");
    r.size = 3;
    SAYS(ZLAY_EINVAL, zlay_io_gemm_plan(*state, &a, target_of("sm_90a"), &r), "zlay_io_gemm");
}

static void test_attention_refused(void **state)
{
    static const struct {
        const char *target;
        zlay_status status;
        const char *says;
        zlay_io_attention r;
    } row[] = {
        {"sm_90a", ZLAY_EINVAL, "queries: 0", {.head = 64, .keys = 8}},
        {"sm_90a", ZLAY_EINVAL, "head: 12", {.head = 12, .queries = 8, .keys = 8}},
        {"sm_90a", ZLAY_EINVAL, "kv_heads", {.head = 64, .queries = 8, .keys = 8, .heads = 6, .kv_heads = 4}},
        {"sm_90a", ZLAY_EINVAL, "keys: causal", {.head = 64, .queries = 9, .keys = 8, .causal = 1}},
        {"sm_90a", ZLAY_EINVAL, "causal, front", {.head = 64, .queries = 9, .keys = 9, .causal = 2}},
        {"sm_90a", ZLAY_EINVAL, "type", {.head = 64, .queries = 9, .keys = 9, .type = ZLAY_TYPE_F32}},
        {"sm_90a", ZLAY_EINVAL, "stages", {.head = 64, .queries = 9, .keys = 9, .stages = 100}},
        {"sm_90a", ZLAY_NONE, "tile: no tile", {.head = 256, .queries = 9, .keys = 9, .tile_m = 192, .tile_n = 256}},
        {"sm_90a", ZLAY_NONE, "smem", {.head = 256, .queries = 9, .keys = 9, .machine.smem = 1000}},
        {"sm_80", ZLAY_ENOTSUP, "sm_80", {.head = 64, .queries = 9, .keys = 9}},
        {"sm_90a", ZLAY_EOVERFLOW, "2^62", {.head = 256, .queries = INT32_MAX, .keys = 9, .heads = INT32_MAX}},
    };
    zlay_io_answer a;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        zlay_io_attention r = row[i].r;
        r.size = sizeof r;
        SAYS(row[i].status, zlay_io_attention_plan(*state, &a, target_of(row[i].target), &r), row[i].says);
    }
    SAYS(ZLAY_EINVAL, zlay_io_attention_plan(*state, &a, target_of("sm_90a"), NULL), "NULL");
}

static void test_chain_refused(void **state)
{
    static const struct {
        const char *target;
        zlay_status status;
        const char *says;
        zlay_io_chain r;
    } row[] = {
        {"sm_90a", ZLAY_EINVAL, "h: 0", {.m = 8, .k = 8, .n = 8}},
        {"sm_90a", ZLAY_EINVAL, "gated, front", {.m = 8, .k = 8, .h = 8, .n = 8, .gated = 2}},
        {"sm_90a", ZLAY_EINVAL, "fused one of", {.m = 8, .k = 8, .h = 8, .n = 8, .fused = 3}},
        {"sm_90a", ZLAY_EINVAL, "type", {.m = 8, .k = 8, .h = 8, .n = 8, .type = ZLAY_TYPE_E2M1}},
        {"sm_90a", ZLAY_EINVAL, "stages", {.m = 8, .k = 8, .h = 8, .n = 8, .stages = 65}},
        {"sm_90a", ZLAY_NONE, "smem: 5000 bytes; the smallest tiles need", {.m = 8, .k = 8, .h = 8, .n = 8, .machine.smem = 5000}},
        {"gfx942", ZLAY_ENOTSUP, "gfx942", {.m = 8, .k = 8, .h = 8, .n = 8}},
    };
    zlay_io_answer a;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        zlay_io_chain r = row[i].r;
        r.size = sizeof r;
        SAYS(row[i].status, zlay_io_chain_plan(*state, &a, target_of(row[i].target), &r), row[i].says);
    }
    SAYS(ZLAY_EINVAL, zlay_io_chain_plan(*state, &a, NULL, NULL), "NULL");
}

/* ---- text and memory -------------------------------------------------------------------------------------- */

static void test_print(void **state)
{
    char text[4096];
    zlay_buf out = {text, sizeof text, 0};
    zlay_io_answer a = example(*state, 1, SIDE);
    assert_int_equal(zlay_io_print(&out, &a), ZLAY_OK);
    assert_non_null(strstr(text, "tile 128 x 256, bands of 1 rows of tiles: 8 tiles"));
    assert_non_null(strstr(text, "each tensor moves once"));
    out = (zlay_buf){text, 10, 0};
    assert_int_equal(zlay_io_print(&out, &a), ZLAY_EROOM);
    a.hbm_by = 9;
    assert_int_equal(zlay_io_print(&out, &a), ZLAY_EINVAL);
    assert_int_equal(zlay_io_print(NULL, &a), ZLAY_EINVAL);
}

static zlay_status all_three(zlay_ctx *ctx, void *given)
{
    const zlay_io_gemm g = {.size = sizeof g, .m = 700, .n = 500, .k = 300, .front = 1, .machine.l2 = 100000};
    const zlay_io_attention t = {.size = sizeof t, .head = 64, .queries = 300, .keys = 300, .heads = 2, .causal = 1};
    const zlay_io_chain c = {.size = sizeof c, .m = 100, .k = 100, .h = 100, .n = 100};
    zlay_io_answer a;
    (void)given;
    zlay_status status = zlay_io_gemm_plan(ctx, &a, target_of("sm_90a"), &g);
    if (!status) status = zlay_io_attention_plan(ctx, &a, target_of("sm_90a"), &t);
    return status ? status : zlay_io_chain_plan(ctx, &a, target_of("sm_90a"), &c);
}

static void test_memory(void **state)
{
    heap h;
    (void)state;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, all_three, NULL), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),      cmocka_unit_test(test_capacity_bound),    cmocka_unit_test(test_bounds_hold),    cmocka_unit_test(test_bands),
        cmocka_unit_test(test_tiles_are_planned),
        cmocka_unit_test(test_attention),    cmocka_unit_test(test_chains),            cmocka_unit_test(test_crossover),
        cmocka_unit_test(test_gemm_refused), cmocka_unit_test(test_attention_refused), cmocka_unit_test(test_chain_refused),
        cmocka_unit_test(test_print),        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
