/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that change blocks, against what enumeration says has to cross. */
#include "plans/cluster_model.h"
#include "heap.h"

/* The slot's index from the route's outputs, block last and highest. */
static uint64_t served_from(const zlay_layout *route, uint64_t slot, const uint32_t bits[4])
{
    int64_t v[4];
    assert_int_equal(zlay_layout_eval(v, 4, route, slot), ZLAY_OK);
    return (uint64_t)v[0] | (uint64_t)v[1] << bits[0] | (uint64_t)v[2] << (bits[0] + bits[1]) |
           (uint64_t)v[3] << (bits[0] + bits[1] + bits[2]);
}

typedef struct tally {
    uint64_t wanted, crossing, partners;
} tally;

/* By enumeration: which blocks hold and want each element. */
static tally tally_of(const zlay_layout *source, const zlay_layout *dest, uint32_t bits[2][4],
                      uint32_t outs)
{
    uint32_t *held = calloc((size_t)1 << outs, sizeof *held);
    uint32_t *want = calloc((size_t)1 << outs, sizeof *want);
    tally t = {0, 0, 0};
    for (int side = 0; side < 2; side++) {
        const zlay_layout *a = side ? dest : source;
        uint32_t inner = bits[side][0] + bits[side][1] + bits[side][2];
        for (uint64_t i = 0; i < zlay_layout_size(a); i++)
            (side ? want : held)[element(a, i)] |= 1u << (i >> inner);
    }
    for (uint64_t e = 0; e < (uint64_t)1 << outs; e++) {
        t.wanted += (uint64_t)__builtin_popcount(want[e]);
        t.crossing += (uint64_t)__builtin_popcount(want[e] & ~held[e]);
    }
    free(held);
    free(want);
    return t;
}

/* Every slot gets its element, from its own block where that has it, and no element goes to one
 * block from two places. */
static void check_route(const zlay_exchange *x, const zlay_layout *source, const zlay_layout *dest,
                        uint32_t bits[2][4], uint32_t outs, tally want)
{
    const zlay_layout *route = zlay_exchange_route(x);
    uint32_t inner[2];
    for (int s = 0; s < 2; s++) inner[s] = bits[s][0] + bits[s][1] + bits[s][2];
    uint64_t *from = calloc((size_t)1 << (outs + 4), sizeof *from), crossing = 0, partners = 1;
    for (uint64_t i = 0; i < zlay_layout_size(dest); i++) {
        uint64_t slot = served_from(route, i, bits[0]), block = i >> inner[1];
        uint64_t e = element(dest, i), place = e << 4 | block, other = slot >> inner[0];
        assert_int_equal(element(source, slot), e);
        if (from[place]) assert_int_equal(from[place], slot + 1);
        if (!from[place] && other != block) crossing++;
        from[place] = slot + 1;
        partners |= (uint64_t)1 << (other ^ block);
    }
    free(from);
    zlay_exchange_summary info;
    assert_int_equal(zlay_exchange_info(&info, x), ZLAY_OK);
    assert_int_equal(crossing, want.crossing);
    assert_int_equal(info.crossing, want.crossing);
    assert_int_equal(info.wanted, want.wanted);
    assert_int_equal(info.partners, partners);
}

static void test_exchange_random(void **state)
{
    uint64_t seed = test_seed("exchanges"), crossing = 0, staying = 0;
    for (uint64_t i = 0; i < test_iterations(300); i++) {
        uint32_t bits[2][4], outs = (uint32_t)test_range(&seed, 2, 8);
        uint32_t blocks = (uint32_t)test_range(&seed, 0, 3);
        for (int s = 0; s < 2; s++) {
            for (int d = 0; d < 3; d++) bits[s][d] = (uint32_t)test_range(&seed, 1, 3);
            bits[s][3] = blocks;
            while (bits[s][0] + bits[s][1] + bits[s][2] + blocks < outs) bits[s][0]++;
        }
        zlay_layout *source = cluster_layout(&seed, *state, bits[0], outs, 0);
        zlay_layout *dest = cluster_layout(&seed, *state, bits[1], outs, 0);
        zlay_exchange *x = NULL;
        if (zlay_exchange_synth(*state, &x, source, dest)) fail_msg("%s", zlay_ctx_message(*state));
        tally t = tally_of(source, dest, bits, outs);
        check_route(x, source, dest, bits, outs, t);
        crossing += t.crossing > 0;
        staying += t.crossing < t.wanted;
        zlay_exchange_free(x);
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
    assert_true(crossing > 20 && staying > 20);
}

/* The bytes that a conversion reads from other blocks, found by another road: as many where dest has
 * no element twice, and never fewer. */
static void test_exchange_conversion(void **state)
{
    uint64_t seed = test_seed("conversions"), same = 0;
    for (uint64_t i = 0; i < test_iterations(60); i++) {
        uint32_t bits[2][4] = {{2, 5, 1, 1}, {1, 5, 1, 1}}, outs = 8, rank = 0;
        bits[0][3] = bits[1][3] = (uint32_t)test_range(&seed, 1, 3);
        outs = 7 + bits[0][3] - (uint32_t)test_range(&seed, 0, 1);
        zlay_layout *source = cluster_layout(&seed, *state, bits[0], outs, 0);
        zlay_layout *dest = cluster_layout(&seed, *state, bits[1], outs, 0);
        zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = source, .dst = dest};
        zlay_exchange *x = NULL;
        zlay_convert *c = NULL;
        zlay_exchange_summary least;
        zlay_convert_summary plan;
        assert_int_equal(zlay_exchange_synth(*state, &x, source, dest), ZLAY_OK);
        assert_int_equal(zlay_exchange_info(&least, x), ZLAY_OK);
        assert_int_equal(zlay_convert_synth(*state, &c, target_of("sm_90a"), &r), ZLAY_OK);
        assert_int_equal(zlay_convert_info(&plan, c), ZLAY_OK);
        assert_int_equal(zlay_f2_rank(&rank, dest), ZLAY_OK);
        bool once = (uint64_t)1 << rank == zlay_layout_size(dest);
        assert_true(plan.remote >= 4 * least.crossing);
        if (once) assert_int_equal(plan.remote, 4 * least.crossing);
        same += once && least.crossing;
        zlay_exchange_free(x);
        zlay_convert_free(c);
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
    assert_true(same > 0);
}

static void test_exchange_example(void **state)
{
    zlay_exchange_summary info;
    zlay_exchange *x = NULL;
    zlay_layout *source = read_layout(*state, "f2{thread: (1); block: (2) -> tensor: 4}");
    zlay_layout *dest = read_layout(*state, "f2{thread: (2); block: (1) -> tensor: 4}");
    const zlay_layout *a, *b;
    zlay_answer answer;
    assert_int_equal(zlay_exchange_synth(*state, &x, source, dest), ZLAY_OK);
    assert_int_equal(zlay_exchange_info(&info, x), ZLAY_OK);
    assert_int_equal(info.blocks, 2);
    assert_int_equal(info.wanted, 4);
    assert_int_equal(info.crossing, 2);
    assert_int_equal(info.partners, 3);
    assert_int_equal(zlay_exchange_certificate(&a, &b, x), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_exchange_free(x);
    zlay_layout_free(source);
    zlay_layout_free(dest);
}

static void test_exchange_refused(void **state)
{
    static const struct {
        const char *source, *dest;
        zlay_status status;
        const char *word;
    } rows[] = {
        {"f2{thread: (1) -> tensor: 4}", "f2{block: (1) -> tensor: 4}", ZLAY_EINVAL, "block"},
        {"f2{block: (1) -> tensor: 4}", "f2{block: (1) (2) -> tensor: 4}", ZLAY_EINVAL, "blocks"},
        {"f2{block: (1) -> tensor: 4}", "f2{block: (1) -> other: 4}", ZLAY_EINVAL, "outputs"},
        {"f2{block: (1) -> tensor: 4}", "f2{block: (2) -> tensor: 4}", ZLAY_NONE, ""},
        {"8:1", "f2{block: (1) -> tensor: 4}", ZLAY_EINVAL, "source"},
        {"f2{block: (1) (2) (4) (8) (16) -> t: 32}", "f2{block: (1) (2) (4) (8) (16) -> t: 32}",
         ZLAY_EINVAL, "16"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_layout *source = read_layout(*state, rows[i].source);
        zlay_layout *dest = read_layout(*state, rows[i].dest);
        zlay_exchange *x = NULL;
        zlay_status status = zlay_exchange_synth(*state, &x, source, dest);
        if (status != rows[i].status || x || !strstr(zlay_ctx_message(*state), rows[i].word))
            fail_msg("row %zu: %s: %s", i, zlay_status_name(status), zlay_ctx_message(*state));
        zlay_layout_free(source);
        zlay_layout_free(dest);
    }
}

static zlay_status exchange_and_multicast(zlay_ctx *ctx, void *given)
{
    zlay_layout *const *layout = given;
    zlay_tensormap map = example_map();
    zlay_multicast_request r = {.size = sizeof r, .cluster = 4, .cta_mask = 15, .map = &map};
    zlay_multicast m;
    zlay_exchange *x = NULL;
    zlay_status status = zlay_exchange_synth(ctx, &x, layout[0], layout[1]);
    assert_true((status == ZLAY_OK) == (x != NULL));
    zlay_exchange_free(x);
    return status ? status : zlay_multicast_synth(ctx, &m, target_of("sm_90a"), &r);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    const uint32_t bits[4] = {2, 2, 1, 2};
    uint64_t seed = 3;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *layout[2];
    for (int i = 0; i < 2; i++) layout[i] = cluster_layout(&seed, ctx, bits, 6, 0);
    assert_int_equal(heap_fails_each(&h, ctx, exchange_and_multicast, layout), ZLAY_OK);
    for (int i = 0; i < 2; i++) zlay_layout_free(layout[i]);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange_example), cmocka_unit_test(test_exchange_random),
        cmocka_unit_test(test_exchange_conversion), cmocka_unit_test(test_exchange_refused),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
