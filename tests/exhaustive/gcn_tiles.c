/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* Every tile and number of stages that a plan of waves may have, on drawn sizes: the kernel's text is executed by tests/gcn, and every
 * element of D is what it has to be. By default one tile in 16; `make exhaustive` runs all of them. */
#include "gcn/gemm.h"
#include "gcn/object.h"
#include "plans/wave_gemm.h"
#include "group_ctx.h"

static uint32_t up(uint64_t *seed, uint32_t least, uint32_t most, uint32_t to)
{
    return ((uint32_t)test_range(seed, (int64_t)least, (int64_t)most) + to - 1) / to * to;
}

/* Up to two tiles each way, and up to six steps of K, the last perhaps in part. */
static zlay_gemm drawn(uint64_t *seed, const uint32_t tile[3], uint32_t stages)
{
    zlay_gemm g = wave_gemm(up(seed, 1, tile[0] + 9, 1), up(seed, 1, tile[1] + 9, 1), up(seed, 8, 6 * tile[2], 8));
    g.tile_m = tile[0], g.tile_n = tile[1], g.tile_k = tile[2], g.stages = stages;
    g.lda = up(seed, (uint32_t)g.k, (uint32_t)g.k + 24, 8);
    g.ldb = up(seed, (uint32_t)g.k, (uint32_t)g.k + 24, 8);
    g.ldd = up(seed, (uint32_t)g.n, (uint32_t)g.n + 9, 1);
    return g;
}

static void runs_right(gcn_target target, const zlay_plan *plan, const zlay_gemm *r)
{
    zlay_plan_summary info;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    gcn_gemm g = {.m = (uint32_t)r->m, .n = (uint32_t)r->n, .k = (uint32_t)r->k, .lda = (uint32_t)r->lda, .ldb = (uint32_t)r->ldb,
                  .ldd = (uint32_t)r->ldd, .threads = info.threads, .d_bytes = 2, .schedules = 2, .ordered = true,
                  .grid = {(uint32_t)info.tiles_n, (uint32_t)info.tiles_m}};
    uint64_t arguments[3] = {GEMM_A, GEMM_B, GEMM_D};
    memcpy(g.arguments, arguments, sizeof arguments);
    gcn_gemm_make(&g, r->m + r->n + r->k);
    char *text = wave_text(ctx, plan);
    gcn_code code = gcn_assemble(target, text, "gemm");
    if (!gcn_gemm_right(&code, &g))
        fail_msg("%s %u x %u x %u, tile %u x %u x %u, %u stages: %s", gcn_target_name[target], g.m, g.n, g.k, r->tile_m, r->tile_n,
                 r->tile_k, r->stages, g.fault);
    free(text);
    gcn_gemm_free(&g);
    gcn_code_free(&code);
}

/* What the target has no room for is refused, and not counted. */
static bool tried(gcn_target target, uint64_t *seed, const uint32_t tile[3], uint32_t stages)
{
    zlay_plan *plan = NULL;
    zlay_gemm g = drawn(seed, tile, stages);
    zlay_status status = zlay_gemm_synth(ctx, &plan, wave_target(gcn_target_name[target]), &g);
    bool stages_wrong = status == ZLAY_EINVAL && !strncmp(zlay_ctx_message(ctx), "stages", 6);
    bool too_far = status == ZLAY_ENOTSUP && !strncmp(zlay_ctx_message(ctx), "tile: a stage", 13);
    if (status == ZLAY_NONE || stages_wrong || too_far) return false;
    if (status) fail_msg("%s", zlay_ctx_message(ctx));
    runs_right(target, plan, &g);
    zlay_plan_free(plan);
    return true;
}

static void tiles(void **state)
{
    (void)state;
    gcn_need_llvm("tiles of gfx targets were run by nothing");
    uint64_t seed = test_seed("exhaustive/gcn_tiles"), turn = 0, run = 0;
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (uint32_t n = 0; n < 81; n++) {
            uint32_t tile[] = {64u << n % 3, 64u << n / 3 % 3, 32u << n / 9 % 3}, stages = 2 + n / 27;
            if (test_exhaustive() || turn++ % 16 == 0) run += tried(target, &seed, tile, stages);
        }
    printf("%llu tiles were run\n", (unsigned long long)run);
    assert_true(run >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles)};
    return cmocka_run_group_tests_name("gcn-tiles", tests, open_ctx, close_ctx);
}
