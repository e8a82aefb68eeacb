/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the tests of plans and of their text: requests, by hand and at random. */
#ifndef TEST_PLANS_H
#define TEST_PLANS_H


#include "ctx.h"

#include <string.h>

#include <zlay/zlay.h>

static inline zlay_gemm gemm_of(uint64_t m, uint64_t n, uint64_t k)
{
    zlay_gemm gemm = {.size = sizeof gemm, .m = m, .n = n, .k = k};
    return gemm;
}

/* What a request says, for the message of a test that fails. */
static inline const char *gemm_text(const zlay_gemm *g)
{
    static char text[400];
    snprintf(text, sizeof text,
             "%llu x %llu x %llu, orders %d %d %d, ld %llu %llu %llu, "
             "at %llx %llx %llx, tile %u x %u x %u, %u stages",
             (unsigned long long)g->m, (unsigned long long)g->n, (unsigned long long)g->k,
             g->a_order, g->b_order, g->d_order, (unsigned long long)g->lda,
             (unsigned long long)g->ldb, (unsigned long long)g->ldd,
             (unsigned long long)g->a_address, (unsigned long long)g->b_address,
             (unsigned long long)g->d_address, g->tile_m, g->tile_n, g->tile_k, g->stages);
    return text;
}

static inline zlay_plan *plan_on(const char *target, const zlay_gemm *gemm)
{
    zlay_ctx *ctx = ctx_new();
    zlay_plan *plan = NULL;
    if (zlay_gemm_synth(ctx, &plan, target_of(target), gemm))
        fail_msg("%s, %s: %s", target, gemm_text(gemm), zlay_ctx_message(ctx));
    assert_non_null(plan);
    zlay_ctx_free(ctx);
    return plan;
}

static inline zlay_plan *plan_of(const zlay_gemm *gemm) { return plan_on("sm_90a", gemm); }

static inline zlay_plan_summary info_of(const zlay_plan *plan)
{
    zlay_plan_summary info;
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    return info;
}

static inline zlay_tensormap map_of(const zlay_plan *plan, int32_t operand)
{
    zlay_tensormap map;
    assert_int_equal(zlay_plan_map(&map, plan, operand), ZLAY_OK);
    return map;
}

static inline zlay_copy copy_of(const zlay_plan *plan, int32_t operand, uint32_t i)
{
    zlay_copy copy;
    assert_int_equal(zlay_plan_copy_nth(&copy, plan, operand, i), ZLAY_OK);
    return copy;
}

static inline uint32_t copies_of(const zlay_plan *plan, int32_t operand)
{
    zlay_copy copy;
    uint32_t count = 0;
    while (zlay_plan_copy_nth(&copy, plan, operand, count) == ZLAY_OK) count++;
    return count;
}

static inline uint64_t test_pick(uint64_t *state, const uint64_t *from, size_t count)
{
    return from[test_random(state) % count];
}

/* Every order, pitches and addresses of every alignment, tiles asked for or left open. */
static inline zlay_gemm gemm_random(uint64_t *state)
{
    static const uint64_t extents[] = {1,   2,   7,   16,  63,  64,   65,
                                       100, 128, 129, 257, 512, 1000, 4096};
    static const uint64_t pads[] = {0, 0, 0, 1, 2, 4, 8, 24};
    static const uint64_t shifts[] = {0, 0, 0, 2, 4, 8, 16, 128};
    static const uint64_t tile_ns[] = {0, 64, 128, 192, 256};
    static const uint64_t tile_ms[] = {0, 64, 128};
    static const uint64_t tile_ks[] = {0, 16, 32, 64};
#define PICK(array) test_pick(state, array, sizeof array / sizeof *array)
    zlay_gemm g = gemm_of(PICK(extents), PICK(extents), PICK(extents));
    g.a_order = (int32_t)test_range(state, 0, 2);
    g.b_order = (int32_t)test_range(state, 0, 2);
    g.d_order = (int32_t)test_range(state, 0, 2);
    g.lda = (g.a_order == ZLAY_ORDER_COLUMN ? g.m : g.k) + PICK(pads);
    g.ldb = (g.b_order == ZLAY_ORDER_ROW ? g.n : g.k) + PICK(pads);
    g.ldd = (g.d_order == ZLAY_ORDER_COLUMN ? g.m : g.n) + PICK(pads);
    g.a_address = ((uint64_t)1 << 20) + PICK(shifts);
    g.b_address = ((uint64_t)2 << 20) + PICK(shifts);
    g.d_address = ((uint64_t)3 << 20) + PICK(shifts);
    g.tile_m = (uint32_t)PICK(tile_ms);
    g.tile_n = (uint32_t)PICK(tile_ns);
    g.tile_k = (uint32_t)PICK(tile_ks);
    g.stages = test_random(state) % 3 ? 0 : 3;
#undef PICK
    return g;
}

/* Plan i of VARIED: together every order of A, B and D, every tile, every path of each operand, K
 * in one step and in many. */
enum { VARIED = 32 };
static inline zlay_gemm gemm_varied(uint32_t i)
{
    static const uint64_t pads[] = {0, 1, 0, 2, 4, 0, 8}, ks[] = {512, 40, 64, 1000, 200};
    zlay_gemm g = gemm_of(300 + 8 * i, 520 + i % 3 * 4, ks[i % 5]);
    g.a_order = i & 1 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
    g.b_order = i & 2 ? ZLAY_ORDER_ROW : ZLAY_ORDER_COLUMN;
    g.d_order = i & 4 ? ZLAY_ORDER_COLUMN : ZLAY_ORDER_ROW;
    g.lda = (g.m > g.k ? g.m : g.k) + pads[i % 7];
    g.ldb = (g.n > g.k ? g.n : g.k) + pads[i * 3 % 7];
    g.ldd = (g.m > g.n ? g.m : g.n) + pads[i * 5 % 7];
    g.tile_m = i * 5 / 3 % 2 ? 128 : 64;
    g.tile_n = 64 * (1 + i / 8);
    g.tile_k = 64u >> i % 3;
    return g;
}

#endif
