/* SPDX-License-Identifier: Apache-2.0 */
/* Small worlds whole: rounds and levels of plans against searches over everything that lanes can
 * do, which know no linear algebra; and many random pairs whose shared memory has no conflicts. */
#include "plans/convert_worlds.h"

enum { SLOTS_MOST = 16, LANES_MOST = 4 };

/* What each lane holds and wants, as sets of elements. */
typedef struct lanes {
    unsigned registers, lanes;
    uint32_t has[LANES_MOST], wants[LANES_MOST];
} lanes;

static uint32_t element_at(const uint64_t *column, unsigned bits, uint32_t slot)
{
    uint64_t value = 0;
    for (unsigned k = 0; k < bits; k++)
        if (slot >> k & 1) value ^= column[k];
    return (uint32_t)value;
}

static void lanes_read(lanes *l, const world *w, const uint64_t *src, const uint64_t *dst)
{
    unsigned bits = bits_of(w);
    l->registers = 1u << w->bits[0];
    l->lanes = 1u << w->bits[1];
    memset(l->has, 0, sizeof l->has);
    memset(l->wants, 0, sizeof l->wants);
    for (uint32_t slot = 0; slot < 1u << bits; slot++) {
        l->has[slot / l->registers] |= 1u << element_at(src, bits, slot);
        l->wants[slot / l->registers] |= 1u << element_at(dst, bits, slot);
    }
}

static bool is_served(const lanes *l)
{
    for (unsigned i = 0; i < l->lanes; i++)
        if (l->wants[i] & ~l->has[i]) return false;
    return true;
}

/* Every choice of what each lane sends; each then takes from whom it likes: what it wants of any
 * one lane, for what it does not want helps nobody within the last round. */
static bool last_round_serves(const lanes *l)
{
    uint32_t sent[LANES_MOST], choice[LANES_MOST] = {0};
    for (;;) {
        bool serves = true;
        for (unsigned i = 0; i < l->lanes; i++) {
            uint32_t left = l->has[i];
            for (uint32_t k = 0; k < choice[i]; k++) left &= left - 1;
            sent[i] = left & (0 - left);
        }
        for (unsigned i = 0; i < l->lanes && serves; i++) {
            uint32_t lacks = l->wants[i] & ~l->has[i];
            bool one = !lacks;
            for (unsigned j = 0; j < l->lanes && !one; j++) one = sent[j] == lacks;
            serves = one;
        }
        if (serves) return true;
        unsigned at = 0;
        while (at < l->lanes && ++choice[at] >= (uint32_t)__builtin_popcount(l->has[at]))
            choice[at++] = 0;
        if (at == l->lanes) return false;
    }
}

/* 0 or 1, or 2 for two and more: of two registers a lane, two rounds always do. */
static uint32_t least_rounds(const lanes *l)
{
    if (is_served(l)) return 0;
    return last_round_serves(l) ? 1 : 2;
}

/* In whose block everything wanted is held. */
static int32_t least_level(const world *w, const uint64_t *src, const uint64_t *dst)
{
    unsigned bits = bits_of(w);
    bool stays = true;
    lanes l;
    lanes_read(&l, w, src, dst);
    for (uint32_t slot = 0; slot < 1u << bits; slot++)
        stays = stays && element_at(src, bits, slot) == element_at(dst, bits, slot);
    if (stays) return ZLAY_CONVERT_NOWHERE;
    return is_served(&l) ? ZLAY_CONVERT_REGISTER : ZLAY_CONVERT_LANE;
}

static void columns_of(uint64_t *column, unsigned bits, uint32_t number)
{
    for (unsigned k = 0; k < bits; k++) column[k] = number >> bits * k & ((1u << bits) - 1);
}

static bool reaches(const lanes *l)
{
    uint32_t held = 0, wanted = 0;
    for (unsigned i = 0; i < l->lanes; i++) {
        held |= l->has[i];
        wanted |= l->wants[i];
    }
    return !(wanted & ~held);
}

static bool is_invertible(const uint64_t *column, unsigned bits)
{
    uint32_t seen = 0;
    for (uint32_t slot = 0; slot < 1u << bits; slot++) seen |= 1u << element_at(column, bits, slot);
    return seen == (1u << (1u << bits)) - 1;
}

typedef struct sums {
    uint64_t pairs, none, optimal, least, more;
} sums;

static void compare_pair(zlay_ctx *ctx, const world *w, const uint64_t *src, const uint64_t *dst,
                         sums *s)
{
    lanes l;
    zlay_layout *a = layout_of(ctx, w, src), *b = layout_of(ctx, w, dst);
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = a, .dst = b};
    zlay_convert *plan;
    zlay_convert_summary info;
    lanes_read(&l, w, src, dst);
    zlay_status status = zlay_convert_synth(ctx, &plan, target_of("sm_90a"), &r);
    assert_int_equal(status, reaches(&l) ? ZLAY_OK : ZLAY_NONE);
    s->pairs++;
    s->none += status == ZLAY_NONE;
    if (!status) {
        uint32_t least = least_rounds(&l);
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        assert_int_equal(info.level, least_level(w, src, dst));
        assert_int_equal(info.smem, 0);
        if (info.rounds_least) assert_true(info.rounds_least <= least);
        if (info.optimal) assert_int_equal(info.rounds, least);
        assert_true(info.rounds >= least);
        s->optimal += info.optimal;
        s->least += info.rounds == least;
        s->more += info.rounds > least;
    }
    zlay_convert_free(plan);
    zlay_layout_free(a);
    zlay_layout_free(b);
}

/* Two registers of four lanes: all pairs of maps into eight elements, copies and gaps included.  A
 * lane that wants one element of several may find its own register beside a round's: that is looked
 * for by no plan; and a round more is taken where it saves more than two selects. Few of these pairs
 * take a round more than the least. */
static void two_by_four(void **state)
{
    const world w = {{1, 2, 0, 0}, 3};
    uint64_t src[3], dst[3], seed = test_seed("two by four"), count = test_iterations(4000);
    sums s = {0};
    for (uint64_t i = 0; i < (test_exhaustive() ? (uint64_t)1 << 18 : count); i++) {
        uint64_t pair = test_exhaustive() ? i : test_random(&seed);
        columns_of(src, 3, pair & 511);
        columns_of(dst, 3, pair >> 9 & 511);
        compare_pair(*state, &w, src, dst, &s);
    }
    printf("two by four: %llu pairs, %llu not held, %llu optimal, %llu of the least rounds, %llu "
           "of more\n",
           (unsigned long long)s.pairs, (unsigned long long)s.none, (unsigned long long)s.optimal,
           (unsigned long long)s.least, (unsigned long long)s.more);
    assert_true(s.more * 20 < s.pairs - s.none);
}

/* ---- four registers of four lanes ----------------------------------------------------------- */

/* A lane sends one value a round and receives one, so a bijection takes at least as many rounds as
 * a lane has values to send or to receive; and by Konig's theorem on bipartite multigraphs no
 * more. */
static uint32_t degree_of(const lanes *l)
{
    uint32_t most = 0;
    for (unsigned i = 0; i < l->lanes; i++) {
        uint32_t in = (uint32_t)__builtin_popcount(l->wants[i] & ~l->has[i]);
        uint32_t out = (uint32_t)__builtin_popcount(l->has[i] & ~l->wants[i]);
        most = in > most ? in : most;
        most = out > most ? out : most;
    }
    return most;
}

static uint32_t rank_of(const uint64_t *column, unsigned count, uint64_t mask)
{
    uint32_t span = 1, reached = 0;
    for (uint32_t x = 0; x < 1u << count; x++)
        reached |= 1u << (element_at(column, count, x) & mask);
    while (span < (uint32_t)__builtin_popcount(reached)) span <<= 1;
    return (uint32_t)__builtin_ctz(span);
}

/* With P: register <- register, Q: register <- lane and T: lane <- lane, no word with one round of
 * shuffles a register has fewer selects a register than max(null P + null T, rank Q): a select adds
 * one to the rank of a lane's choice, and the two choices make up for what each part lacks. */
static uint32_t selects_least(const uint64_t *dst)
{
    uint32_t p = rank_of(dst, 2, 3), q = rank_of(dst + 2, 2, 3), t = 0;
    uint64_t lane[2] = {dst[2] >> 2, dst[3] >> 2};
    t = rank_of(lane, 2, 3);
    return 4 - p - t > q ? 4 - p - t : q;
}

static uint32_t selects_of(const zlay_convert *plan)
{
    zlay_convert_step step;
    uint32_t selects = 0;
    for (uint32_t i = 0; zlay_convert_step_nth(&step, plan, i) == ZLAY_OK; i++)
        if (step.op == ZLAY_CONVERT_PRMT) selects += step.instructions;
    assert_int_equal(selects % 4, 0);
    return selects / 4;
}

static void four_by_four(void **state)
{
    const world w = {{2, 2, 0, 0}, 4};
    const uint64_t src[4] = {1, 2, 4, 8};
    uint64_t dst[4], seed = test_seed("four by four"), bijections = 0, shuffled = 0, least = 0;
    uint64_t count = test_exhaustive() ? 1 << 16 : test_iterations(3000);
    for (uint64_t i = 0; i < count; i++) {
        lanes l;
        zlay_convert_summary info;
        columns_of(dst, 4, (uint32_t)(test_exhaustive() ? i : test_random(&seed) & 0xffff));
        if (!is_invertible(dst, 4)) continue;
        zlay_layout *a = layout_of(*state, &w, src), *b = layout_of(*state, &w, dst);
        zlay_convert *plan = plan_of(*state, "sm_90a", 32, a, b);
        lanes_read(&l, &w, src, dst);
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        bijections++;
        shuffled += info.rounds > 0;
        if (info.level == ZLAY_CONVERT_LANE) assert_int_equal(info.rounds_least, degree_of(&l));
        if (info.rounds) assert_true(info.rounds == degree_of(&l) || info.rounds == 4);
        if (info.rounds == 4) assert_int_equal(selects_of(plan), selects_least(dst));
        least += info.rounds == 4;
        zlay_convert_free(plan);
        zlay_layout_free(a);
        zlay_layout_free(b);
    }
    printf("four by four: %llu bijections, %llu shuffled, %llu of them with the fewest selects\n",
           (unsigned long long)bijections, (unsigned long long)shuffled, (unsigned long long)least);
    if (test_exhaustive()) assert_int_equal(bijections, 20160);
}

/* ---- no conflicts ------------------------------------------------------------------------------
 */

static void without_conflicts(zlay_ctx *ctx, const char *name, int how)
{
    uint64_t seed = test_seed(name), shared = 0, count = test_exhaustive() ? 10000 : 300;
    for (uint64_t i = 0; i < test_iterations(count); i++) {
        world w = {{(unsigned)test_range(&seed, 0, 5), 5, (unsigned)test_range(&seed, 0, 3), 0}, 0};
        uint32_t bits = 8u << test_range(&seed, 0, 3);
        uint64_t column[2][64];
        zlay_convert_summary info;
        w.tensor = bits_of(&w);
        draw(&seed, column[0], w.tensor, w.tensor, how);
        draw(&seed, column[1], w.tensor, w.tensor, how);
        zlay_layout *src = layout_of(ctx, &w, column[0]), *dst = layout_of(ctx, &w, column[1]);
        zlay_convert *plan = plan_of(ctx, "sm_90a", bits, src, dst);
        assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
        if (info.smem) assert_int_equal(info.conflict_free, 1);
        shared += info.smem > 0;
        zlay_convert_free(plan);
        zlay_layout_free(src);
        zlay_layout_free(dst);
    }
    printf("%s: %llu through shared memory, none with a conflict\n", name,
           (unsigned long long)shared);
}

static void permutations(void **state) { without_conflicts(*state, "permutations", PERMUTATION); }
static void invertible(void **state) { without_conflicts(*state, "invertible", INVERTIBLE); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_by_four), cmocka_unit_test(four_by_four),
        cmocka_unit_test(permutations), cmocka_unit_test(invertible),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
