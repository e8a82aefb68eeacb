/* SPDX-License-Identifier: Apache-2.0 */
/* Plans executed in the CPU model: small shapes in every order and pitch are right, and a plan with
 * any one part of it disturbed is found out. */

#include <math.h>
#include <string.h>

#include "cli/model.h"
#include "ctx.h"
#include "synth/gemm/plan.h"
#include <zlay/sim.h>

static const zlay_target *sm_90a(void)
{
    const zlay_target *target = NULL;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    return target;
}

static zlay_plan *plan_of(zlay_ctx *ctx, const zlay_gemm *gemm)
{
    zlay_plan *plan = NULL;
    if (zlay_gemm_synth(ctx, &plan, sm_90a(), gemm))
        fail_msg("%llu x %llu x %llu: %s", (unsigned long long)gemm->m, (unsigned long long)gemm->n,
                 (unsigned long long)gemm->k, zlay_ctx_message(ctx));
    return plan;
}

static zl_model_report run(zlay_ctx *ctx, const zlay_plan *plan, const zlay_gemm *gemm,
                           uint64_t limit)
{
    zl_model_report report = {.answer = -9};
    assert_int_equal(zl_model_run(ctx, &report, plan, gemm, limit), ZLAY_OK);
    return report;
}

static zlay_gemm gemm_of(uint64_t m, uint64_t n, uint64_t k)
{
    zlay_gemm gemm = {.size = sizeof gemm, .m = m, .n = n, .k = k};
    return gemm;
}

/* The orders of A, B and D by the bits of `orders`, rows `pad` elements longer than they need. */
static zlay_gemm gemm_ordered(const uint64_t *shape, int orders, uint64_t pad)
{
    zlay_gemm g = gemm_of(shape[0], shape[1], shape[2]);
    g.a_order = orders & 1 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
    g.b_order = orders & 2 ? ZLAY_ORDER_ROW : ZLAY_ORDER_COLUMN;
    g.d_order = orders & 4 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
    g.lda = (orders & 1 ? g.m : g.k) + pad;
    g.ldb = (orders & 2 ? g.n : g.k) + pad;
    g.ldd = (orders & 4 ? g.m : g.n) + pad;
    return g;
}

static void check_whole(zlay_ctx *ctx, const zlay_gemm *g, uint64_t pad)
{
    zlay_plan_summary info;
    zlay_plan *plan = plan_of(ctx, g);
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    zl_model_report r = run(ctx, plan, g, 0);
    if (r.answer != ZLAY_YES)
        fail_msg("%d%d%d pad %llu: %llu wrong, %llu changed, %llu stages off, fault %d", g->a_order,
                 g->b_order, g->d_order, (unsigned long long)pad, (unsigned long long)r.wrong,
                 (unsigned long long)r.changed, (unsigned long long)r.stages_off, r.fault);
    uint64_t rows = g->d_order == ZLAY_ORDER_COLUMN ? g->n : g->m;
    assert_int_equal(r.elements, g->m * g->n);
    assert_int_equal(r.margins, (rows - 1) * pad);
    assert_int_equal(r.run, info.tiles_m * info.tiles_n);
    assert_int_equal(r.tiles, r.run);
    assert_int_equal(r.stages, r.run * info.tiles_k);
    zlay_plan_free(plan);
}

/* NaN fills the padding of A and B, and that of D is watched. */
static void test_orders_and_pitches(void **state)
{
    static const uint64_t shapes[][3] = {
        {1, 1, 64}, {129, 257, 72}, {200, 136, 100}, {66, 70, 33}, {1, 300, 1}};
    static const uint64_t pads[] = {0, 1, 4, 24};
    zlay_ctx *ctx = *state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int orders = 0; orders < 8; orders++)
            for (size_t p = 0; p < sizeof pads / sizeof pads[0]; p++) {
                zlay_gemm g = gemm_ordered(shapes[s], orders, pads[p]);
                check_whole(ctx, &g, pads[p]);
            }
}

/* Tiles, K steps and stages that are asked for, and addresses off 16 bytes. */
static void test_tiles_and_addresses(void **state)
{
    zlay_ctx *ctx = *state;
    for (uint32_t i = 0; i < 24; i++) {
        zlay_gemm g = gemm_of(136, 200, 104);
        g.tile_m = i % 2 ? 64 : 128;
        g.tile_n = 64 * (i % 4 + 1);
        g.tile_k = 16u << i % 3;
        g.stages = 3 + i % 3;
        if (i % 5 == 1) g.a_address = (1 << 20) + 2;
        if (i % 5 == 2) g.b_address = (1 << 20) + 8;
        if (i % 5 == 3) g.d_address = (1 << 20) + 4;
        check_whole(ctx, &g, 0);
    }
}

/* Each kind of elements, each D, by tensor copies and by threads; D^T where A and B have other types. */
static void test_types(void **state)
{
    static const int32_t types[][3] = {
        {ZLAY_TYPE_F16, ZLAY_TYPE_F16, ZLAY_TYPE_F16}, {ZLAY_TYPE_F16, ZLAY_TYPE_F16, ZLAY_TYPE_F32}, {0, 0, ZLAY_TYPE_F16},
        {ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2, ZLAY_TYPE_BF16}, {ZLAY_TYPE_E5M2, ZLAY_TYPE_E4M3, ZLAY_TYPE_F32},
        {ZLAY_TYPE_TF32, ZLAY_TYPE_TF32, ZLAY_TYPE_F32}, {ZLAY_TYPE_TF32, ZLAY_TYPE_TF32, ZLAY_TYPE_BF16},
        {ZLAY_TYPE_S8, ZLAY_GEMM_U8, 0}, {ZLAY_GEMM_U8, ZLAY_GEMM_U8, 0}, {ZLAY_TYPE_S8, ZLAY_TYPE_S8, 0}};
    static const uint64_t ks[] = {160, 132, 37}, pads[] = {0, 4, 1};
    for (size_t i = 0; i < sizeof types / sizeof types[0] * 3; i++) {
        zlay_gemm g = gemm_of(72, 144, ks[i % 3]);
        g.a_type = types[i / 3][0], g.b_type = types[i / 3][1], g.d_type = types[i / 3][2];
        g.d_order = i % 2 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
        g.lda = g.k + pads[i % 3], g.ldb = g.k, g.ldd = (i % 2 ? g.m : g.n) + pads[i % 3];
        check_whole(*state, &g, pads[i % 3]);
    }
}

/* Of whole tiles a sample, of partial ones all; the rest of D keeps its pattern. */
static void test_sample(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_gemm g = gemm_of(700, 648, 64);
    g.tile_m = g.tile_n = 64;
    g.ldd = 656;
    zlay_plan *plan = plan_of(ctx, &g);
    for (uint64_t limit = 1; limit <= 100; limit = limit * 3 - 1 + (limit == 1)) {
        zl_model_report r = run(ctx, plan, &g, limit);
        assert_int_equal(r.answer, ZLAY_YES);
        assert_int_equal(r.tiles, 11 * 11);
        assert_int_equal(r.edges, 21);
        assert_int_equal(r.run, 21 + limit);
        assert_int_equal(r.elements + r.margins, 700 * 656 - 8);
        assert_int_equal(r.elements, 700 * 648 - (100 - limit) * 64 * 64);
    }
    assert_int_equal(run(ctx, plan, &g, 101).run, 121);
    zlay_plan_free(plan);
}

/* ---- disturbed plans ---------------------------------------------------- */

typedef void disturbance(zlay_plan *plan);

static void coordinate_of_a(zlay_plan *p)
{
    p->operand[ZLAY_OPERAND_A].copies[0].coordinate[1] += 8;
}
static void coordinate_of_b(zlay_plan *p)
{
    p->operand[ZLAY_OPERAND_B].copies[0].coordinate[0] += 8;
}
static void coordinate_of_d(zlay_plan *p)
{
    p->operand[ZLAY_OPERAND_D].copies[0].coordinate[1] += 1;
}
static void advance_of_a(zlay_plan *p) { p->operand[ZLAY_OPERAND_A].copies[0].advance[0][2] -= 8; }
static void advance_of_b(zlay_plan *p) { p->operand[ZLAY_OPERAND_B].copies[0].advance[1][1] += 1; }
static void place_of_d(zlay_plan *p) { p->operand[ZLAY_OPERAND_D].copies[1].smem = 0; }
static void swizzle_of_a(zlay_plan *p)
{
    p->operand[ZLAY_OPERAND_A].map.swizzle = ZLAY_SWIZZLE_NONE;
}
static void swizzle_of_d(zlay_plan *p)
{
    p->operand[ZLAY_OPERAND_D].map.swizzle = ZLAY_SWIZZLE_NONE;
}
static void rows_lengthen(zlay_tensormap *map)
{
    map->extent[0] += 8;
    map->extent[1] -= 1;
}
static void extent_of_a(zlay_plan *p) { rows_lengthen(&p->operand[ZLAY_OPERAND_A].map); }
static void extent_of_b(zlay_plan *p) { rows_lengthen(&p->operand[ZLAY_OPERAND_B].map); }
static void extent_of_d(zlay_plan *p) { rows_lengthen(&p->operand[ZLAY_OPERAND_D].map); }
static void stride_of_b(zlay_plan *p) { p->operand[ZLAY_OPERAND_B].map.stride[0] -= 16; }
static void box_of_a(zlay_plan *p) { p->operand[ZLAY_OPERAND_A].map.box[1] -= 1; }
static void desc_sbo(zlay_plan *p) { p->desc[ZLAY_OPERAND_B].sbo += 16; }
static void desc_swizzle(zlay_plan *p) { p->desc[ZLAY_OPERAND_A].swizzle = ZLAY_SWIZZLE_64B; }
static void desc_base(zlay_plan *p) { p->desc[ZLAY_OPERAND_A].base_offset = 1; }
static void desc_step(zlay_plan *p) { p->step_start[ZLAY_OPERAND_B] += 16; }
static void desc_consumer(zlay_plan *p) { p->consumer_start -= 1024; }
static void major_of_a(zlay_plan *p) { p->info.mma.a_major = ZLAY_MAJOR_MN; }
static void bytes_expected(zlay_plan *p) { p->info.expect_bytes += 16; }
static void pitch_of_stages(zlay_plan *p) { p->info.pitch_a = 1 << 20; }
static void fewer_k_tiles(zlay_plan *p) { p->info.tiles_k -= 1; }

static const struct {
    const char *name;
    disturbance *disturb;
} disturbances[] = {
    {"coordinate_of_a", coordinate_of_a},
    {"coordinate_of_b", coordinate_of_b},
    {"coordinate_of_d", coordinate_of_d},
    {"advance_of_a", advance_of_a},
    {"advance_of_b", advance_of_b},
    {"place_of_d", place_of_d},
    {"swizzle_of_a", swizzle_of_a},
    {"swizzle_of_d", swizzle_of_d},
    {"extent_of_a", extent_of_a},
    {"extent_of_b", extent_of_b},
    {"extent_of_d", extent_of_d},
    {"stride_of_b", stride_of_b},
    {"box_of_a", box_of_a},
    {"desc_sbo", desc_sbo},
    {"desc_swizzle", desc_swizzle},
    {"desc_base", desc_base},
    {"desc_step", desc_step},
    {"desc_consumer", desc_consumer},
    {"major_of_a", major_of_a},
    {"bytes_expected", bytes_expected},
    {"pitch_of_stages", pitch_of_stages},
    {"fewer_k_tiles", fewer_k_tiles},
};

/* Padded rows, so that what leaves a tensor meets NaN or a watched margin, not the array's end. */
static void test_disturbed_plans(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_gemm g = gemm_of(136, 264, 136);
    g.lda = g.ldb = 152;
    g.ldd = 280;
    g.tile_m = 128;
    g.tile_n = 128;
    for (size_t i = 0; i < sizeof disturbances / sizeof disturbances[0]; i++) {
        zl_model_report r = {.answer = ZLAY_YES};
        zlay_plan *plan = plan_of(ctx, &g);
        disturbances[i].disturb(plan);
        zlay_status status = zl_model_run(ctx, &r, plan, &g, 0);
        if (status || r.answer == ZLAY_YES)
            fail_msg("%s: status %d, answer %d", disturbances[i].name, status, r.answer);
        zlay_plan_free(plan);
    }
}

/* What the report says of four of them. */
static void test_reports(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_gemm g = gemm_of(136, 264, 136);
    g.lda = g.ldb = 152;
    g.ldd = 280;
    g.tile_m = g.tile_n = 128;
    zlay_plan *plan = plan_of(ctx, &g);
    bytes_expected(plan);
    zl_model_report r = run(ctx, plan, &g, 0);
    assert_int_equal(r.stages_off, r.stages);
    assert_int_equal(r.bytes, 2 * 128 * 64 * 2);
    assert_int_equal(r.wrong, 0);
    zlay_plan_free(plan);
    plan = plan_of(ctx, &g);
    pitch_of_stages(plan);
    r = run(ctx, plan, &g, 0);
    assert_int_equal(r.fault, ZLAY_FAULT_ACCESS);
    assert_int_equal(r.operand, ZLAY_OPERAND_A);
    assert_int_equal(r.tile_k, 1);
    assert_int_equal(r.elements, 0);
    zlay_plan_free(plan);
    plan = plan_of(ctx, &g);
    extent_of_a(plan);
    r = run(ctx, plan, &g, 0);
    assert_int_equal(r.answer, ZLAY_NO);
    assert_true(isnan(r.got));
    zlay_plan_free(plan);
    plan = plan_of(ctx, &g);
    extent_of_d(plan);
    r = run(ctx, plan, &g, 0);
    assert_int_equal(r.changed, 135 * 8);
    zlay_plan_free(plan);
}

/* The last tile is right, and a copy too many writes into the one before it, which did not run. */
static void test_changed_margin(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_gemm g = gemm_of(256, 128, 64);
    g.tile_m = g.tile_n = 128;
    zlay_plan *plan = plan_of(ctx, &g);
    zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    assert_int_equal(run(ctx, plan, &g, 1).answer, ZLAY_YES);
    d->copies[d->copies_count] = d->copies[0];
    d->copies[d->copies_count++].coordinate[1] -= 128;
    zl_model_report r = run(ctx, plan, &g, 1);
    assert_int_equal(r.answer, ZLAY_NO);
    assert_int_equal(r.run, 1);
    assert_int_equal(r.wrong, 0);
    assert_int_equal(r.changed, 128 * 64);
    zlay_plan_free(plan);
}

/* ---- refusals ------------------------------------------------------------ */

static void test_limit_and_arguments(void **unused)
{
    (void)unused;
    zlay_ctx *ctx = ctx_new();
    zlay_gemm g = gemm_of(136, 200, 104), other = gemm_of(137, 200, 104),
              fewer = gemm_of(136, 200, 96);
    zlay_plan *plan = plan_of(ctx, &g);
    zl_model_report r = {.tiles = 77};
    uint64_t bytes = zl_model_bytes(plan, &g);
    assert_true(bytes > 2 * (136 * 104 + 104 * 200 + 136 * 200));
    zlay_limits limits = {.size = sizeof limits, .sim_bytes = bytes - 1};
    assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
    assert_int_equal(zl_model_run(ctx, &r, plan, &g, 0), ZLAY_ELIMIT);
    limits.sim_bytes = bytes;
    assert_int_equal(zlay_ctx_set_limits(ctx, &limits), ZLAY_OK);
    assert_int_equal(zl_model_run(ctx, &r, plan, &other, 0), ZLAY_EINVAL);
    assert_int_equal(zl_model_run(ctx, &r, plan, &fewer, 0), ZLAY_EINVAL);
    assert_int_equal(zl_model_run(NULL, &r, plan, &g, 0), ZLAY_EINVAL);
    assert_int_equal(zl_model_run(ctx, NULL, plan, &g, 0), ZLAY_EINVAL);
    assert_int_equal(zl_model_run(ctx, &r, NULL, &g, 0), ZLAY_EINVAL);
    assert_int_equal(zl_model_run(ctx, &r, plan, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(r.tiles, 77);
    assert_int_equal(zl_model_run(ctx, &r, plan, &g, 0), ZLAY_OK);
    zlay_plan_free(plan);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders_and_pitches),
        cmocka_unit_test(test_tiles_and_addresses),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_disturbed_plans),
        cmocka_unit_test(test_reports),
        cmocka_unit_test(test_changed_margin),
        cmocka_unit_test(test_limit_and_arguments),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
