/* SPDX-License-Identifier: Apache-2.0 */
/* GEMMs whose operands are repacked: the module's kernels are executed one after the other, and D is the exact sum, rounded;
 * its padding stays. Workspaces begin as NaN. Then which operands the planner repacks, and what it refuses. */
#include "ptx/gemm.h"

#include <string.h>

enum { A = 1, B = 2, D = 4, NEVER = ZLAY_REPACK_NEVER, AUTO = ZLAY_REPACK_AUTO, ALWAYS = ZLAY_REPACK_ALWAYS };

/* A bit for each repacked operand of the planned product. */
static int repacked(const zlay_plan *plan)
{
    int set = 0;
    zlay_repack r;
    for (int o = 0; o < 3; o++) set |= !zlay_plan_repack(&r, plan, o) << o;
    return set;
}

#define TYPES(a, b, d) .a_type = ZLAY_TYPE_##a, .b_type = ZLAY_TYPE_##b, .d_type = ZLAY_TYPE_##d
static const struct {
    const char *what;
    int set;
    zlay_gemm gemm;
} rows[] = {
    {"all three", A | B | D, {.m = 67, .n = 133, .k = 75}},
    {"K alone", A | B, {.m = 130, .n = 72, .k = 129}},
    {"N alone", D, {.m = 70, .n = 139, .k = 128}},
    {"rows of 8 bytes", A | B, {.m = 66, .n = 72, .k = 132}},
    {"a pitch beside its rows", A, {.m = 66, .n = 72, .k = 64, .lda = 67}},
    {"whole rows, odd pitch of D", D, {.m = 66, .n = 72, .k = 64, .ldd = 75}},
    {"odd rows, whole pitch of D", D, {.m = 66, .n = 71, .k = 64, .ldd = 72}},
    {"addresses", A | B | D, {.m = 66, .n = 72, .k = 64, .a_address = (1 << 20) + 2, .b_address = (1 << 24) + 8, .d_address = (1 << 28) + 6}},
    {"M and N contiguous", A | B | D, {.m = 67, .n = 69, .k = 70, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW}},
    {"D by columns", A | B | D, {.m = 67, .n = 133, .k = 75, .d_order = ZLAY_ORDER_COLUMN}},
    {"a row", B, {.m = 1, .n = 72, .k = 75}},
    {"short rows", A | B | D, {.m = 65, .n = 5, .k = 3}},
    {"f32", D, {.m = 67, .n = 70, .k = 64, TYPES(BF16, BF16, F32)}},
    {"tf32", A | B | D, {.m = 67, .n = 70, .k = 43, TYPES(TF32, TF32, F32)}},
    {"bytes", A | B | D, {.m = 67, .n = 70, .k = 135, TYPES(E4M3, E5M2, BF16)}},
    {"integers", A | B | D, {.m = 67, .n = 70, .k = 135, TYPES(S8, S8, S32)}},
};

static void values(void **state)
{
    uint64_t random = test_seed("repacked");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        px_gemm g;
        zlay_gemm q = rows[i].gemm;
        q.repack = ALWAYS;
        px_gemm_make(&g, &q, 2, &random);
        assert_int_equal(repacked(g.plan), rows[i].set);
        machine.when = i % 2 ? PX_EARLY : PX_LATE;
        machine.random = test_random(&random);
        if (px_gemm_fails(&machine, &g, g.text)) fail_msg("%s: %s", rows[i].what, machine.fault);
        px_gemm_free(&g);
    }
}

static zlay_plan *planned(zlay_gemm q)
{
    const zlay_target *target;
    zlay_plan *plan;
    q.size = sizeof q;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    if (zlay_gemm_synth(ctx, &plan, target, &q)) fail_msg("%s", zlay_ctx_message(ctx));
    return plan;
}

/* By the model: copies of A and B where K is odd and D large; of none where D is small, or nothing is slow; of D alone never, for
 * threads store it about as fast. */
static void choices(void **state)
{
    static const struct {
        int set;
        zlay_gemm gemm;
    } asked[] = {
        {A | B, {.m = 4096, .n = 4096, .k = 4095}},
        {A | B, {.m = 4096, .n = 4096, .k = 4100}},
        {0, {.m = 4096, .n = 4096, .k = 4096}},
        {0, {.m = 4096, .n = 4095, .k = 4096}},
        {B, {.m = 1, .n = 4096, .k = 4095}},
        {A | B, {.m = 128, .n = 7168, .k = 4095}},
        {0, {.m = 64, .n = 64, .k = 66}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        zlay_gemm q = asked[i].gemm;
        q.repack = AUTO;
        zlay_plan *plan = planned(q);
        if (repacked(plan) != asked[i].set) fail_msg("%zu: %d, not %d", i, repacked(plan), asked[i].set);
        zlay_plan_free(plan);
    }
}

/* Where the matrices lie in the workspace, and what the copies are. */
static void places(void **state)
{
    zlay_plan *plan = planned((zlay_gemm){.m = 67, .n = 133, .k = 75, .repack = ALWAYS});
    uint64_t end = 0;
    (void)state;
    for (int o = 0; o < 3; o++) {
        static const uint64_t extent[3][2] = {{75, 67}, {75, 133}, {133, 67}};
        zlay_repack r;
        zlay_tensormap map;
        zlay_transfer_summary info;
        assert_int_equal(zlay_plan_repack(&r, plan, o), ZLAY_OK);
        assert_int_equal(zlay_plan_map(&map, plan, o), ZLAY_OK);
        assert_int_equal(zlay_transfer_info(&info, r.transfer), ZLAY_OK);
        assert_int_equal(r.offset, (end + 255) / 256 * 256);
        assert_int_equal(r.behind, o == 2);
        assert_int_equal(r.align, 16);
        assert_int_equal(r.pitch * 2, o == 2 ? 384 : 256);
        assert_int_equal(r.bytes, r.pitch * 2 * extent[o][1]);
        assert_int_equal(map.stride[0], r.pitch * 2);
        assert_int_equal(map.extent[0], o == 2 ? 136 : 75);
        assert_int_equal(info.bytes, extent[o][0] * extent[o][1] * 2);
        end = r.offset + r.bytes;
    }
    zlay_plan_summary info;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.workspace, end);
    zlay_plan_free(plan);
    plan = planned((zlay_gemm){.m = 67, .n = 133, .k = 75});
    zlay_repack r;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    assert_int_equal(info.workspace, 0);
    assert_int_equal(zlay_plan_repack(&r, plan, 0), ZLAY_NONE);
    assert_int_equal(zlay_plan_repack(&r, plan, 3), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_repack(&r, plan, -1), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_repack(NULL, plan, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_plan_repack(&r, NULL, 0), ZLAY_EINVAL);
    zlay_plan_free(plan);
}

static void refusals(void **state)
{
    static const struct {
        const char *word, *target;
        zlay_status status;
        zlay_gemm gemm;
    } bad[] = {
        {"repack: 3 is none of", "sm_90a", ZLAY_EINVAL, {.m = 64, .n = 64, .k = 64, .repack = 3}},
        {"repack: -1 is none of", "sm_90a", ZLAY_EINVAL, {.m = 64, .n = 64, .k = 64, .repack = -1}},
        {"repack: plans of waves (gfx942) have none", "gfx942", ZLAY_ENOTSUP, {.m = 64, .n = 64, .k = 64, .repack = AUTO}},
        {"stages: 2; operands moved by threads need at least 3", "sm_90a", ZLAY_EINVAL, {.m = 64, .n = 64, .k = 4095, .stages = 2}},
        {"stages: 2; operands moved by threads need at least 3", "sm_90a", ZLAY_EINVAL, {.m = 64, .n = 64, .k = 4100, .stages = 2}},
        {"stages: 1 is not in", "sm_90a", ZLAY_EINVAL, {.m = 64, .n = 64, .k = 4095, .stages = 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        gemm_refused(bad[i].target, &bad[i].gemm, bad[i].status, bad[i].word);
    zlay_gemm two = {.m = 64, .n = 64, .k = 4095, .stages = 2, .repack = ALWAYS};
    zlay_plan_free(planned(two)); /* tensor copies move the workspace, so two stages are enough */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(choices),
        cmocka_unit_test(places),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests_name("emit/gemm/repack", tests, open_ctx, close_ctx);
}
