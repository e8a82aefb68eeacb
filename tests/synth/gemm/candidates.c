/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of GEMMs: the first is what the planner plans, all fix every choice and lie within what the request allows, each is
 * planned as it says, and none is missing of a small world that is tried whole. */
#include "ctx.h"
#include "heap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlay/candidates.h>

enum { ROOM = 512, DRAWN = 200 };

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

static zlay_gemm drawn(uint64_t *state)
{
    static const uint64_t sides[] = {1, 8, 16, 17, 64, 200, 1000, 1024, 4096, 4095}, depths[] = {64, 128, 520, 2048, 4100};
    zlay_gemm g = {.size = sizeof g, .m = sides[draw(state, 10)], .n = sides[draw(state, 10)], .k = depths[draw(state, 5)]};
    if (draw(state, 2)) g.multicast = ZLAY_MULTICAST_AUTO;
    if (draw(state, 2)) g.swap = ZLAY_SWAP_AUTO;
    if (draw(state, 2)) g.stream_k = ZLAY_STREAM_AUTO;
    if (draw(state, 2)) g.split_k = ZLAY_SPLIT_AUTO;
    if (draw(state, 2)) g.repack = ZLAY_REPACK_AUTO;
    if (!draw(state, 4)) g.d_order = ZLAY_ORDER_COLUMN;
    if (!draw(state, 5)) g.a_type = g.b_type = ZLAY_TYPE_E4M3;
    if (!draw(state, 6)) g.tile_m = 64, g.tile_n = 128, g.tile_k = 64;
    return g;
}

static void assert_plans(const zlay_plan_summary *a, const zlay_plan_summary *b)
{
    assert_int_equal(a->tile_m, b->tile_m);
    assert_int_equal(a->tile_n, b->tile_n);
    assert_int_equal(a->tile_k, b->tile_k);
    assert_int_equal(a->stages, b->stages);
    assert_int_equal(a->splits, b->splits);
    assert_int_equal(a->cluster, b->cluster);
    assert_int_equal(a->stream_blocks, b->stream_blocks);
    assert_int_equal(a->d_order, b->d_order);
    assert_int_equal(a->smem, b->smem);
}

static zlay_plan_summary planned(zlay_ctx *ctx, const zlay_gemm *g)
{
    zlay_plan *plan;
    zlay_plan_summary info;
    if (zlay_gemm_synth(ctx, &plan, target_of("sm_90a"), g)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
    zlay_plan_free(plan);
    return info;
}

/* The request of a candidate has nothing open. */
static void assert_fixed(const zlay_gemm *asked, const zlay_gemm_candidate *c)
{
    const zlay_gemm *g = &c->gemm;
    assert_true(g->tile_m && g->tile_n && g->tile_k && c->stages && c->blocks && c->ns);
    assert_int_not_equal(g->multicast, ZLAY_MULTICAST_AUTO);
    assert_int_not_equal(g->stream_k, ZLAY_STREAM_AUTO);
    assert_true(g->split_k != ZLAY_SPLIT_AUTO);
    assert_int_not_equal(g->swap, ZLAY_SWAP_AUTO);
    if (asked->multicast != ZLAY_MULTICAST_AUTO) assert_int_equal(g->multicast, asked->multicast);
    if (asked->stream_k != ZLAY_STREAM_AUTO) assert_int_equal(g->stream_k, asked->stream_k);
    if (asked->split_k != ZLAY_SPLIT_AUTO) assert_true(g->split_k == asked->split_k);
    if (asked->tile_m) assert_true(g->tile_m == asked->tile_m && g->tile_n == asked->tile_n && g->tile_k == asked->tile_k);
}

static void first_is_planned(void **state)
{
    static zlay_gemm_candidate list[ROOM];
    uint64_t seed = 7;
    for (int i = 0; i < DRAWN; i++) {
        zlay_gemm g = drawn(&seed);
        zlay_plan *plan;
        size_t count;
        zlay_status status = zlay_gemm_candidates(*state, list, ROOM, &count, target_of("sm_90a"), &g);
        zlay_status own = zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &g);
        assert_int_equal(status, own);
        if (status) continue;
        zlay_plan_summary info, other = planned(*state, &list[0].gemm);
        assert_int_equal(zlay_plan_info(&info, plan), ZLAY_OK);
        zlay_plan_free(plan);
        assert_plans(&info, &other);
        assert_true(count <= ROOM);
        for (size_t c = 0; c < count; c++) assert_fixed(&g, &list[c]);
        if (g.swap == ZLAY_SWAP_AUTO || g.repack == ZLAY_REPACK_AUTO) continue;
        for (size_t c = 1; c < count; c++) assert_true(list[c].ns >= list[0].ns - list[0].ns / 9);
    }
}

/* Each of some candidates is planned and proved, with the stages and the bytes that it says. */
static void each_is_planned(void **state)
{
    static zlay_gemm_candidate list[ROOM];
    zlay_gemm g = {.size = sizeof g, .m = 512, .n = 2048, .k = 1024, .multicast = ZLAY_MULTICAST_AUTO, .swap = ZLAY_SWAP_AUTO,
                   .stream_k = ZLAY_STREAM_AUTO, .split_k = ZLAY_SPLIT_AUTO};
    size_t count;
    assert_int_equal(zlay_gemm_candidates(*state, list, ROOM, &count, target_of("sm_90a"), &g), ZLAY_OK);
    assert_true(count > 50);
    for (size_t i = 0; i < count; i += 7) {
        zlay_plan_summary info = planned(*state, &list[i].gemm);
        assert_int_equal(info.stages, list[i].stages);
        assert_int_equal(info.smem, list[i].smem);
        assert_int_equal(info.tile_m, list[i].gemm.tile_m);
        assert_int_equal(info.tile_n, list[i].gemm.tile_n);
    }
}

/* By brute force: of all tiles with 64 and 128 rows, and columns of which 16 divides the number, those that the planner takes are
 * the candidates of a request that leaves the tile open alone. */
static void none_is_missing(void **state)
{
    static zlay_gemm_candidate list[ROOM];
    zlay_gemm g = {.size = sizeof g, .m = 300, .n = 400, .k = 512};
    size_t count, plans = 0;
    assert_int_equal(zlay_gemm_candidates(*state, list, ROOM, &count, target_of("sm_90a"), &g), ZLAY_OK);
    for (uint32_t m = 64; m <= 128; m += 64)
        for (uint32_t n = 64; n <= 256; n += 16) {
            zlay_gemm one = g;
            zlay_plan *plan;
            bool listed = false;
            one.tile_m = m, one.tile_n = n, one.tile_k = 64;
            zlay_status status = zlay_gemm_synth(*state, &plan, target_of("sm_90a"), &one);
            if (!status) zlay_plan_free(plan);
            for (size_t i = 0; i < count; i++) listed |= list[i].gemm.tile_m == m && list[i].gemm.tile_n == n;
            assert_int_equal(listed, status == ZLAY_OK);
            plans += status == ZLAY_OK;
        }
    assert_int_equal(plans, count);
}

static double fourth(double a, double b) { return pow(pow(a, 4) + pow(b, 4), 0.25); }

/* A modelled time is what its terms make by the formulas of docs/tuning.md, here in double: within 2 %, for the model's sum of fourth
 * powers is one of whole numbers. */
static void assert_terms(const zlay_gemm *asked, const zlay_gemm_candidate *c)
{
    const zlay_gemm_terms *t = &c->terms;
    bool pairs = c->gemm.multicast != ZLAY_MULTICAST_NONE, stream = c->gemm.stream_k == ZLAY_STREAM_ALWAYS;
    uint32_t m = c->gemm.tile_m, n = c->gemm.tile_n, splits = c->gemm.split_k ? c->gemm.split_k : 1;
    uint64_t rows = c->gemm.swap == ZLAY_SWAP_ALWAYS ? asked->n : asked->m, columns = c->gemm.swap == ZLAY_SWAP_ALWAYS ? asked->m : asked->n;
    uint64_t high = (rows + m - 1) / m, wide = (columns + n - 1) / n, tiles = high * wide;
    double step = fourth((double)t->products_ps, (double)t->arrival_ps), pair = step * 1.2;
    double blocks = (double)(t->waves * (t->steps * t->step_ps / 1000 + t->ends_ns)), shared = (double)(tiles * t->steps * t->step_ps) / 132000;
    if (stream) blocks = shared + (double)((tiles + 131) / 132 * t->ends_ns + t->stream_ns);
    double of_l2 = (double)(t->l2_ps + t->outside_ps), own = (double)(t->step_ps - t->beside_ps);
    if (pairs) assert_true(own >= fourth(step, of_l2) && own <= fourth(pair, of_l2)); /* their blocks run in step */
    else assert_true(fabs(fourth(step, of_l2) - own) <= 0.02 * own + 3);
    assert_true(fabs(blocks - (double)t->blocks_ns) <= 0.001 * blocks + 2);
    assert_true(fabs((double)t->start_ns + fourth(fourth(blocks, (double)t->power_ns), (double)t->dram_ns) - (double)c->ns) <= 0.02 * (double)c->ns);
    assert_int_equal(t->steps, (asked->k + 64 * splits - 1) / (64 * splits));
    assert_true(t->last >= 1 && t->last <= t->at_once && t->exchange_ns <= t->ends_ns);
    assert_int_equal((splits > 1), (t->exchange_ns != 0));
    assert_int_equal(stream, (t->stream_ns != 0));
    if (!pairs) assert_int_equal((t->waves - 1) * t->at_once + t->last, tiles);
    assert_true(t->dram_bytes >= 2 * (asked->m * asked->n + asked->k * (asked->m + asked->n)));
}

static void times_are_sums_of_terms(void **state)
{
    static zlay_gemm_candidate list[ROOM];
    static const uint64_t shapes[][3] = {{4096, 4096, 4096}, {96, 7168, 6144}, {1000, 3000, 8000}, {64, 64, 64}, {2048, 512, 16384}, {8192, 1024, 512}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        zlay_gemm g = {.size = sizeof g, .m = shapes[s][0], .n = shapes[s][1], .k = shapes[s][2], .multicast = ZLAY_MULTICAST_AUTO,
                       .swap = ZLAY_SWAP_AUTO, .stream_k = ZLAY_STREAM_AUTO, .split_k = ZLAY_SPLIT_AUTO};
        size_t count;
        assert_int_equal(zlay_gemm_candidates(*state, list, ROOM, &count, target_of("sm_90a"), &g), ZLAY_OK);
        assert_true(count && count <= ROOM);
        for (size_t i = 0; i < count; i++) assert_terms(&g, &list[i]);
    }
}

/* The bound is work over rates, and no candidate is modelled below it. */
static void bounded(void **state)
{
    zlay_gemm_candidate first;
    zlay_machine machine;
    zlay_roofline bound;
    size_t count;
    zlay_gemm g = {.size = sizeof g, .m = 4096, .n = 4096, .k = 4096};
    assert_int_equal(zlay_machine_find(&machine, target_of("sm_90a")), ZLAY_OK);
    assert_int_equal(zlay_gemm_bound(*state, &bound, &machine, &g), ZLAY_OK);
    assert_int_equal(bound.products, (uint64_t)4096 * 4096 * 4096);
    assert_int_equal(bound.bytes, 3ull * 4096 * 4096 * 2);
    assert_true(bound.ns == bound.products_ns && bound.ns > bound.bytes_ns);
    assert_int_equal(zlay_gemm_candidates(*state, &first, 1, &count, target_of("sm_90a"), &g), ZLAY_OK);
    assert_true(first.ns > bound.ns);
    g.m = 1;
    assert_int_equal(zlay_gemm_bound(*state, &bound, &machine, &g), ZLAY_OK);
    assert_true(bound.ns == bound.bytes_ns);
    machine.facts[ZLAY_MACHINE_DRAM_KILOCYCLE].basis = 0;
    assert_int_equal(zlay_gemm_bound(*state, &bound, &machine, &g), ZLAY_NONE);
}

static void refuses(void **state)
{
    zlay_gemm_candidate one;
    zlay_roofline bound;
    zlay_machine machine;
    size_t count;
    zlay_gemm g = {.size = sizeof g, .m = 64, .n = 64, .k = 0};
    assert_int_equal(zlay_gemm_candidates(*state, &one, 1, &count, target_of("sm_90a"), &g), ZLAY_EINVAL);
    assert_int_equal(count, 0);
    assert_int_equal(zlay_gemm_candidates(*state, NULL, 1, &count, target_of("sm_90a"), &g), ZLAY_EINVAL);
    assert_int_equal(zlay_gemm_candidates(*state, &one, 1, NULL, target_of("sm_90a"), &g), ZLAY_EINVAL);
    g.k = 64, g.tile_n = 72, g.tile_m = 64, g.tile_k = 48;
    assert_int_equal(zlay_gemm_candidates(*state, &one, 1, &count, target_of("sm_90a"), &g), ZLAY_EINVAL);
    g.tile_m = g.tile_n = g.tile_k = 0;
    assert_int_equal(zlay_gemm_candidates(*state, &one, 1, &count, target_of("gfx942"), &g), ZLAY_OK);
    assert_int_equal(count, 1);
    g.groups = 4;
    zlay_machine_find(&machine, target_of("sm_90a"));
    assert_int_equal(zlay_gemm_bound(*state, &bound, &machine, &g), ZLAY_NONE);
    assert_int_equal(zlay_gemm_bound(*state, NULL, &machine, &g), ZLAY_EINVAL);
}

static zlay_status work(zlay_ctx *ctx, void *given)
{
    zlay_gemm_candidate list[2];
    size_t count;
    (void)given;
    zlay_gemm g = {.size = sizeof g, .m = 256, .n = 256, .k = 256, .tile_m = 64, .tile_n = 64, .tile_k = 64, .swap = ZLAY_SWAP_AUTO};
    return zlay_gemm_candidates(ctx, list, 2, &count, target_of("sm_90a"), &g);
}

static void memory_ends(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    (void)state;
    assert_int_equal(heap_fails_each(&h, ctx, work, NULL), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_is_planned), cmocka_unit_test(each_is_planned), cmocka_unit_test(none_is_missing), cmocka_unit_test(bounded),
        cmocka_unit_test(times_are_sums_of_terms),
        cmocka_unit_test(refuses), cmocka_unit_test(memory_ends),
    };
    return cmocka_run_group_tests_name("synth/gemm/candidates", tests, begin, end);
}
