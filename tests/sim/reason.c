/* SPDX-License-Identifier: Apache-2.0 */
/* Why a candidate takes more: of two candidates that differ in one term alone the reason names that term; and every candidate of some
 * requests that takes more than the first has a reason. */
#include "ctx.h"

#include "cli/reason.h"
#include <stdbool.h>

enum { ROOM = 512, PROCESSORS = 132 };

/* 4 waves of 132 blocks, the last whole, of 10 K steps of 200 ns. */
static zlay_gemm_candidate gemm(void)
{
    zlay_gemm_candidate c = {.gemm = {.m = 128 * 528, .n = 128, .k = 640, .tile_m = 128, .tile_n = 128}, .blocks = 528};
    c.terms = (zlay_gemm_terms){.waves = 4, .at_once = 132, .last = 132, .steps = 10, .step_ps = 200000, .products_ps = 150000, .arrival_ps = 100000,
                                .l2_ps = 90000, .ends_ns = 500, .start_ns = 2500};
    return c;
}

/* The time that the terms make. */
static void time_put(zlay_gemm_candidate *c)
{
    zlay_gemm_terms *t = &c->terms;
    t->blocks_ns = t->waves * (t->steps * t->step_ps / 1000 + t->ends_ns) + t->stream_ns;
    uint64_t beside = t->dram_ns + t->power_ns; /* far more than the blocks, or nothing */
    c->ns = t->start_ns + (beside ? beside : t->blocks_ns);
}

static void assert_reason(void (*change)(zlay_gemm_candidate *), const char *wanted)
{
    char why[ZL_REASON];
    zlay_gemm_candidate one = gemm(), other = gemm();
    change(&other);
    time_put(&one);
    time_put(&other);
    zl_gemm_reason(why, &other, &one, PROCESSORS);
    assert_string_equal(why, wanted);
}

static void waves(zlay_gemm_candidate *c) { c->terms.waves = 5, c->terms.last = 1, c->blocks = 529; }
static void pairs(zlay_gemm_candidate *c) { c->terms.waves = 5, c->terms.at_once = 66, c->terms.last = 1, c->blocks = 530; }
static void products(zlay_gemm_candidate *c) { c->terms.products_ps = 190000, c->terms.step_ps = 230000; }
static void arrival(zlay_gemm_candidate *c) { c->terms.arrival_ps = 220000, c->terms.step_ps = 240000; }
static void level_2(zlay_gemm_candidate *c) { c->terms.l2_ps = 210000, c->terms.step_ps = 250000; }
static void zeros(zlay_gemm_candidate *c) { c->terms.outside_ps = 120000, c->terms.step_ps = 255000; }
static void power(zlay_gemm_candidate *c) { c->terms.power_ns = 90000; }
static void beside(zlay_gemm_candidate *c) { c->terms.beside_ps = 60000, c->terms.step_ps = 260000; }
static void together(zlay_gemm_candidate *c) { c->terms.step_ps = 220000, c->gemm.multicast = ZLAY_MULTICAST_B; }
static void ends(zlay_gemm_candidate *c) { c->terms.ends_ns = 900; }
static void exchange(zlay_gemm_candidate *c) { c->terms.ends_ns = 900, c->terms.exchange_ns = 400; }
static void stream(zlay_gemm_candidate *c) { c->terms.stream_ns = 3000; }
static void dram(zlay_gemm_candidate *c) { c->terms.dram_ns = 90000, c->terms.dram_bytes = 12345678; }
static void outside(zlay_gemm_candidate *c) { c->terms.waves = 5, c->terms.last = 132, c->blocks = 660; }
static void none(zlay_gemm_candidate *c) { (void)c; }
static void less(zlay_gemm_candidate *c) { c->terms.ends_ns = 400; }

static void one_term_is_named(void **state)
{
    (void)state;
    assert_reason(waves, "5 waves of 132, the last of 1 blocks");
    assert_reason(pairs, "5 waves of 66, the last of 1 clusters of 2");
    assert_reason(products, "K steps wait for products: 190 of 230 ns");
    assert_reason(arrival, "K steps wait for stages that arrive: 220 of 240 ns");
    assert_reason(level_2, "K steps wait for L2: 210 of 250 ns");
    assert_reason(zeros, "K steps wait for zeros of rows outside: 120 of 255 ns");
    assert_reason(power, "the board's power: 90.00 us");
    assert_reason(beside, "K steps wait for rows beside sectors: 60 of 260 ns");
    assert_reason(together, "K steps of 220 ns, for pairs run in step");
    assert_reason(ends, "ends of tiles: 4 times 0.90 us");
    assert_reason(exchange, "the exchange of sums: 1.60 us");
    assert_reason(stream, "sums of divided tiles: 3.00 us");
    assert_reason(dram, "DRAM: 90.00 us for 12.3 MB");
    assert_reason(outside, "tiles have 20 % outside of D");
    assert_reason(none, "as long by the model");
    assert_reason(less, "less by the model");
}

/* All of a request's candidates against the first: a reason stands where it takes more, and only there. */
static void each_has_a_reason(void **state)
{
    static zlay_gemm_candidate list[ROOM];
    static zlay_attention_candidate forms[ROOM];
    char why[ZL_REASON];
    size_t count;
    for (uint64_t m = 50; m < 10000; m = m * 5 / 2 + 1) {
        zlay_gemm g = {.size = sizeof g, .m = m, .n = 3000, .k = 4000, .multicast = ZLAY_MULTICAST_AUTO, .swap = ZLAY_SWAP_AUTO,
                       .stream_k = ZLAY_STREAM_AUTO, .split_k = ZLAY_SPLIT_AUTO};
        assert_int_equal(zlay_gemm_candidates(*state, list, ROOM, &count, target_of("sm_90a"), &g), ZLAY_OK);
        for (size_t i = 0; i < count; i++) {
            zl_gemm_reason(why, &list[i], &list[0], PROCESSORS);
            assert_true(*why && (strstr(why, "by the model") != NULL) == (list[i].ns <= list[0].ns));
        }
        zlay_attention a = {.size = sizeof a, .head = 128, .queries = m, .keys = m, .heads = 5, .causal = m % 2};
        assert_int_equal(zlay_attention_candidates(*state, forms, ROOM, &count, target_of("sm_90a"), &a), ZLAY_OK);
        for (size_t i = 0; i < count; i++) {
            zl_attention_reason(why, &forms[i], &forms[0], PROCESSORS);
            assert_true(*why && (strstr(why, "by the model") != NULL) == (forms[i].ns <= forms[0].ns));
        }
    }
}

static void no_model_no_reason(void **state)
{
    (void)state;
    char why[ZL_REASON] = "x";
    const zlay_gemm_candidate c = {.ns = 0};
    const zlay_attention_candidate a = {.ns = 0};
    zl_gemm_reason(why, &c, &c, PROCESSORS);
    assert_string_equal(why, "");
    zl_attention_reason(why, &a, &a, PROCESSORS);
    assert_string_equal(why, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_term_is_named), cmocka_unit_test(each_has_a_reason), cmocka_unit_test(no_model_no_reason),
    };
    return cmocka_run_group_tests_name("sim/reason", tests, begin, end);
}
