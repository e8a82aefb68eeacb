/* SPDX-License-Identifier: Apache-2.0 */
/* All 20,160 linear bijections of four slot bits, against the shortest paths in the graph whose
 * edges are all generators, each recognised from the table of where every slot's value comes from.
 * make test does the world of two register and two lane bits; make exhaustive all splits, parts of
 * a register included. Then permutations of more bits against a closed form. */
#include "plans/word.h"

enum { SLOTS = 16, GROUP = 20160, CODES = 65536, ROUND = 64, MOST = 8 * ROUND };

/* What paths add up: rounds, then instructions; or instructions, a shuffle twice, as
 * src/synth/convert/costs.def has it. */
enum { LEAST_ROUNDS, LEAST_COST };

typedef struct world {
    unsigned byte, reg, lane;
    int aim;
    uint8_t table[GROUP][SLOTS];
    uint16_t code[GROUP];
    int index[CODES], cost[GROUP], count;
    struct {
        int element, cost;
    } edge[3 * GROUP];
    int edges;
} world;

static world w;

static unsigned image(unsigned code, unsigned x)
{
    unsigned y = 0;
    for (unsigned k = 0; k < 4; k++)
        if (x >> k & 1) y ^= code >> (4 * k) & 15;
    return y;
}

static void elements(void)
{
    w.count = 0;
    for (unsigned code = 0; code < CODES; code++) {
        unsigned seen = 0;
        for (unsigned x = 0; x < SLOTS; x++) seen |= 1u << image(code, x);
        w.index[code] = -1;
        if (seen != 0xffff) continue;
        for (unsigned x = 0; x < SLOTS; x++) w.table[w.count][x] = (uint8_t)image(code, x);
        w.code[w.count] = (uint16_t)code;
        w.index[code] = w.count++;
    }
    assert_int_equal(w.count, GROUP);
}

/* ---- generators by their tables ------------------------------------------------------------ */

/* Instructions and rounds of a map as one generator; -1: it is none of that kind. */
static int edge_cost(int kind, const uint8_t table[SLOTS])
{
    const zlay_slots slots = {w.byte, w.reg, w.lane, 0, 0, {0}};
    uint64_t back[SLOTS];
    for (unsigned s = 0; s < SLOTS; s++) back[table[s]] = s;
    int cost = word_cost(kind, &slots, back);
    int shuffles = kind == INSIDE ? 0 : kind == EXCHANGE ? cost / 2 : cost;
    if (cost < 0) return cost;
    return cost + (w.aim == LEAST_COST ? shuffles : kind == INSIDE ? 0 : ROUND);
}

static void edges(void)
{
    w.edges = 0;
    for (int e = 0; e < w.count; e++)
        for (int kind = 0; kind <= EXCHANGE; kind++) {
            int cost = edge_cost(kind, w.table[e]);
            if (cost < 0) continue;
            w.edge[w.edges].element = e;
            w.edge[w.edges++].cost = cost;
        }
}

/* ---- shortest paths ---------------------------------------------------------------------------
 */

static int product(int second, int first)
{
    const uint8_t *a = w.table[second], *b = w.table[first];
    return w.index[a[b[1]] | a[b[2]] << 4 | a[b[4]] << 8 | a[b[8]] << 12];
}

/* Renamings cost nothing, and any two generators with one between them are two generators: so an
 * element is final when its cost is reached, but its free neighbours are met in the same pass. */
static bool relax(int cost)
{
    bool changed = false;
    for (int e = 0; e < w.count; e++) {
        if (w.cost[e] != cost) continue;
        for (int k = 0; k < w.edges; k++) {
            int to = product(w.edge[k].element, e), now = cost + w.edge[k].cost;
            if (now >= w.cost[to]) continue;
            w.cost[to] = now;
            changed |= now == cost;
        }
    }
    return changed;
}

static void paths(void)
{
    for (int e = 0; e < w.count; e++) w.cost[e] = MOST;
    w.cost[w.index[0x8421]] = 0;
    for (int cost = 0; cost < MOST; cost++)
        while (relax(cost)) { }
}

/* ---- the worlds
 * --------------------------------------------------------------------------------- */

static zlay_word_summary info_of(zlay_ctx *ctx, const zlay_slots *slots, const map_table *map,
                              bool steps)
{
    zlay_word_summary info;
    zlay_word *word;
    zlay_layout *layout = map_layout(ctx, map);
    assert_int_equal(zlay_word_synth(ctx, &word, slots, layout), ZLAY_OK);
    assert_int_equal(zlay_word_info(&info, word), ZLAY_OK);
    if (steps) word_assert_steps(word);
    zlay_layout_free(layout);
    zlay_word_free(word);
    return info;
}

static zlay_word_summary word_of(zlay_ctx *ctx, int element)
{
    const zlay_slots slots = {w.byte, w.reg, w.lane, 0, 0, {0}};
    map_table map = {4, 0, {0}};
    for (int k = 0; k < 4; k++) map.basis[k] = w.code[element] >> (4 * k) & 15;
    return info_of(ctx, &slots, &map, true);
}

static void world_set(unsigned byte, unsigned reg, unsigned lane, int aim)
{
    w.byte = byte;
    w.reg = reg;
    w.lane = lane;
    w.aim = aim;
}

static void run_world(unsigned byte, unsigned reg, unsigned lane)
{
    zlay_ctx *ctx;
    int least = 0, proved = 0, rounds = 0;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    world_set(byte, reg, lane, LEAST_ROUNDS);
    edges();
    paths();
    for (int e = 0; e < w.count; e++) {
        zlay_word_summary info = word_of(ctx, e);
        int cost = (int)(info.rounds * ROUND + info.instructions);
        int bound = (int)(info.lower_rounds * ROUND + info.lower_instructions);
        if (cost < w.cost[e] || bound > w.cost[e] || (info.optimal && cost != w.cost[e]))
            fail_msg("%u+%u+%u bits, map %04x: %d, bound %d, shortest path %d", byte, reg, lane,
                     w.code[e], cost, bound, w.cost[e]);
        least += cost == w.cost[e];
        proved += (int)info.optimal;
        rounds += (int)info.rounds == w.cost[e] / ROUND;
    }
    printf("%u byte, %u register, %u lane bits: of %d maps %d least, %d proved, %d in fewest "
           "rounds\n", byte, reg, lane, w.count, least, proved, rounds);
    assert_true(least == w.count && proved == w.count);
    zlay_ctx_free(ctx);
}

static void worlds(void **state)
{
    (void)state;
    elements();
    run_world(0, 2, 2);
    if (!test_exhaustive()) return;
    for (unsigned byte = 0; byte < 3; byte++)
        for (unsigned reg = 0; byte + reg < 4; reg++) run_world(byte, reg, 4 - byte - reg);
}

/* ---- conversions --------------------------------------------------------------------------- */

/* The element that a slot holds before, by its number, and behind. */
static zlay_layout *held(zlay_ctx *ctx, const uint8_t *where)
{
    zlay_layout *made = NULL;
    zlay_dim in[2] = {{"register", (uint64_t)1 << (w.byte + w.reg)},
                      {"lane", (uint64_t)1 << w.lane}};
    zlay_dim out = {"x", SLOTS};
    uint64_t basis[4];
    for (int k = 0; k < 4; k++) basis[k] = where[1 << k];
    zlay_f2_bases b = {sizeof b, 0, 2, 1, in, &out, basis};
    assert_int_equal(zlay_f2_new(ctx, &made, &b), ZLAY_OK);
    return made;
}

static zlay_convert_summary converted(zlay_ctx *ctx, int element)
{
    static const uint8_t same[SLOTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const zlay_target *target;
    zlay_convert *plan;
    zlay_convert_summary info;
    zlay_layout *src = held(ctx, same), *dst = held(ctx, w.table[element]);
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 32u >> w.byte, .src = src, .dst = dst};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_convert_synth(ctx, &plan, target, &r), ZLAY_OK);
    assert_int_equal(zlay_convert_info(&info, plan), ZLAY_OK);
    zlay_convert_free(plan);
    zlay_layout_free(src);
    zlay_layout_free(dst);
    return info;
}

/* A slot of dst has an element where the map takes it from, so the map goes backwards here; a path
 * and its reverse cost the same. Plans through shared memory are cheaper still. */
static void run_conversions(unsigned byte, unsigned reg, unsigned lane)
{
    zlay_ctx *ctx;
    int least = 0, shared = 0, more = 0;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    world_set(byte, reg, lane, LEAST_COST);
    edges();
    paths();
    for (int e = 0; e < w.count; e++) {
        zlay_convert_summary info = converted(ctx, e);
        int cost = (int)info.cost;
        if (info.smem) shared++;
        else if (cost < w.cost[e])
            fail_msg("%u+%u+%u bits, map %04x: %d, shortest path %d", byte, reg, lane, w.code[e],
                     cost, w.cost[e]);
        least += !info.smem && cost == w.cost[e];
        more += !info.smem && cost > w.cost[e];
    }
    printf("%u byte, %u register, %u lane bits, conversions: %d of least cost, %d of more, %d "
           "through shared memory\n", byte, reg, lane, least, more, shared);
    zlay_ctx_free(ctx);
}

static void conversions(void **state)
{
    (void)state;
    run_conversions(0, 2, 2);
    if (!test_exhaustive()) return;
    for (unsigned byte = 0; byte < 3; byte++)
        for (unsigned reg = 0; byte + reg < 4; reg++) run_conversions(byte, reg, 4 - byte - reg);
}

/* ---- bit permutations -------------------------------------------------------------------- */

/* What the theorem says of a permutation of 2 register and 5 lane bits: k bits cross each way, so
 * 2 k selects; registers stay where lanes keep their bits, or change them with registers; one bit
 * that changes with one register's is an exchange. */
static uint32_t closed_form(const int *to, int reg, int bits)
{
    uint32_t regs = 1u << reg, crossing = 0;
    bool moved = false, fixed = true, receives[16] = {false};
    for (int i = 0; i < reg; i++)
        if (to[i] >= reg) crossing++, receives[to[i]] = true;
    for (int i = reg; i < bits; i++) {
        if (to[i] != i) moved = true;
        if (to[i] != i && (to[i] >= reg || !receives[i])) fixed = false;
    }
    if (!moved) return 0;
    if (crossing == 1 && fixed) return 2 * regs;
    return 2 * crossing * regs + (fixed ? regs - (regs >> crossing) : regs);
}

static bool next_permutation(int *to, int bits)
{
    int i = bits - 2, j = bits - 1;
    while (i >= 0 && to[i] > to[i + 1]) i--;
    if (i < 0) return false;
    while (to[j] < to[i]) j--;
    for (int held = to[i]; to[i] == held;) to[i] = to[j], to[j] = held;
    for (i++, j = bits - 1; i < j; i++, j--) {
        int held = to[i];
        to[i] = to[j];
        to[j] = held;
    }
    return true;
}

/* All 5,040 of 2 + 5 bits; make exhaustive all 362,880 of 4 + 5. */
static void bit_permutations(void **state)
{
    zlay_ctx *ctx = *state;
    int reg = test_exhaustive() ? 4 : 2, bits = reg + 5, to[16], count = 0;
    for (int i = 0; i < bits; i++) to[i] = i;
    do {
        const zlay_slots slots = {0, (uint32_t)reg, 5, 0, 0, {0}};
        map_table map = {(unsigned)bits, 0, {0}};
        for (int i = 0; i < bits; i++) map.basis[i] = (uint64_t)1 << to[i];
        zlay_word_summary info = info_of(ctx, &slots, &map, false);
        assert_int_equal(info.instructions, closed_form(to, reg, bits));
        assert_true(info.optimal && info.rounds <= 1);
        count++;
    } while (next_permutation(to, bits));
    printf("bit permutations: %d\n", count);
}

/* Lanes change as movmatrix changes them: there its bound is not always met. */
static bool as_matrix(const int *to, uint32_t low, uint32_t lane)
{
    const int l = (int)low, *t = to + low;
    return lane == 5 && t[0] == l + 3 && t[1] == l + 4 && t[3] == l && t[4] == l + 1;
}

/* Permutations of bits with parts of a register. Where one round does, since no more inner bits go
 * to lanes than there are register bits, the word is proved least. */
static void parted(zlay_ctx *ctx, uint32_t byte, uint32_t reg, uint32_t lane, int *proved, int *all)
{
    int bits = (int)(byte + reg + lane), to[16];
    for (int i = 0; i < bits; i++) to[i] = i;
    do {
        const zlay_slots slots = {byte, reg, lane, 0, 0, {0}};
        map_table map = {(unsigned)bits, 0, {0}};
        uint32_t crossing = 0;
        for (int i = 0; i < bits; i++) map.basis[i] = (uint64_t)1 << to[i];
        for (uint32_t i = 0; i < byte + reg; i++) crossing += to[i] >= (int)(byte + reg);
        if (crossing > reg && bits > 6) continue;
        zlay_word_summary info = info_of(ctx, &slots, &map, bits < 7);
        if (crossing <= reg) assert_true(info.rounds <= 1);
        if (crossing <= reg && !as_matrix(to, byte + reg, lane)) assert_true(info.optimal);
        *proved += (int)info.optimal;
        ++*all;
    } while (next_permutation(to, bits));
}

/* Up to 6 bits; make exhaustive up to 9, of more than 6 those that take one round. */
static void parted_permutations(void **state)
{
    zlay_ctx *ctx = *state;
    uint32_t most = test_exhaustive() ? 9 : 5;
    int proved = 0, all = 0;
    for (uint32_t byte = 1; byte < 3; byte++)
        for (uint32_t reg = 1; byte + reg < most; reg++)
            for (uint32_t lane = 1; lane < 7 && byte + reg + lane <= most; lane++)
                parted(ctx, byte, reg, lane, &proved, &all);
    printf("bit permutations with parts of a register: %d, %d proved least\n", all, proved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds), cmocka_unit_test(conversions),
                                       cmocka_unit_test(parted_permutations),
                                       cmocka_unit_test(bit_permutations)};
    return cmocka_run_group_tests(tests, begin, end);
}
