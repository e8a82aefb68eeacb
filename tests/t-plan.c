/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of GEMMs: what a request gives, by numbers counted by hand and by roads other than the planner's. */
#include "test.h"

#include <string.h>

#include <zlay/zlay.h>

static const zlay_target *sm_90a(void)
{
    const zlay_target *target = NULL;
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    return target;
}

static zlay_ctx *ctx_new(void)
{
    zlay_ctx *ctx = NULL;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static zlay_gemm gemm_of(uint64_t m, uint64_t n, uint64_t k)
{
    zlay_gemm gemm = {.size = sizeof gemm, .m = m, .n = n, .k = k};
    return gemm;
}

static zlay_plan *plan_of(const zlay_gemm *gemm)
{
    zlay_ctx *ctx = ctx_new();
    zlay_plan *plan = NULL;
    if (zlay_plan_synth_gemm(ctx, &plan, sm_90a(), gemm))
        fail_msg("%llu x %llu x %llu: %s", (unsigned long long)gemm->m, (unsigned long long)gemm->n,
                 (unsigned long long)gemm->k, zlay_ctx_message(ctx));
    zlay_ctx_free(ctx);
    return plan;
}

/* Counted by hand: a stage is 128 x 64 of A and 64 x 256 of B in bf16, 16384 + 32768 bytes; four fit
 * beside two stagings of 64 x 128. */
static void test_square(void **unused)
{
    (void)unused;
    zlay_gemm gemm = gemm_of(4096, 4096, 4096);
    zlay_plan *plan = plan_of(&gemm);
    zlay_plan_info i;
    assert_int_equal(zlay_plan_get(&i, plan), ZLAY_OK);
    assert_ptr_equal(i.target, sm_90a());
    assert_int_equal(i.swapped, 0);
    assert_int_equal(i.tile_m, 128);
    assert_int_equal(i.tile_n, 256);
    assert_int_equal(i.tile_k, 64);
    assert_int_equal(i.stages, 4);
    assert_int_equal(i.tiles_m, 32);
    assert_int_equal(i.tiles_n, 16);
    assert_int_equal(i.tiles_k, 64);
    assert_int_equal(i.stage_bytes, 49152);
    assert_int_equal(i.expect_bytes, 49152);
    assert_int_equal(i.full_count, 1);
    assert_int_equal(i.empty_count, 8);
    zlay_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_square),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
