/* SPDX-License-Identifier: Apache-2.0 */
/* The search that tensormap.synth is held against, on tiles whose least copies are known by hand. */
#include "tiles/least.h"

#include <zlay/sim.h>

typedef struct row {
    const char *why;
    int places;
    int64_t (*from)(int place);
    bool exists;
    int issues, bytes, maps, rank;
} row;

static int64_t in_order(int p) { return p; }
static int64_t rows_of_two(int p) { return p / 2 * 7 + p % 2; }
static int64_t lines_downward(int p) { return 100 - p / 8 * 10 + p % 8; }
static int64_t one_backward(int p) { return p < 4 ? p : 11 - p; }
static int64_t swizzled_lines(int p) { return p / 8 * 20 + (p % 8 ^ p / 8 % 8); }
static int64_t slices_swizzled(int p) { return ((p / 8 * 8) + (p % 8 ^ p / 8 % 8)) * 5; }
static int64_t pixels_from_midst(int p) { return (p + 3) / 5 * 9 + (p + 3) % 5; }
static int64_t every_fourth(int p) { return p % 2 ? NOWHERE : p; }
static int64_t six_modes(int p)
{
    return (p & 1) + (p >> 1 & 1) * 3 + (p >> 2 & 1) * 10 + (p >> 3 & 1) * 40 + (p >> 4 & 1) * 200 +
           (p >> 5 & 1) * 1000;
}
static int64_t gap_in_lines(int p) { return p % 8 < 2 ? p / 8 * 2 + p % 8 : NOWHERE; }
static int64_t narrow_swizzled(int p)
{
    int k = p % 8 ^ p / 8 % 8;
    return k < 2 ? p / 8 * 4 + k : NOWHERE;
}

/* One run; rows; lines that go down, two of which im2col brings, from the midst of a longer line; 16 bytes that go down cannot start; a swizzle of whole
 * lines; one of slices, which lie apart in the tensor; pixels of 5 wide images begun at the third; holes. */
static const row rows[] = {
    {"a run", 20, in_order, true, 1, 320, 1, 1},
    {"rows", 20, rows_of_two, true, 1, 320, 1, 2},
    {"lines downward", 24, lines_downward, true, 2, 384, 2, 3},
    {"backward within 128 bytes", 8, one_backward, false, 0, 0, 0, 0},
    {"swizzled lines", 64, swizzled_lines, true, 1, 1024, 1, 2},
    {"swizzled slices", 64, slices_swizzled, true, 1, 1024, 1, 3},
    {"pixels", 14, pixels_from_midst, true, 1, 224, 1, 3},
    {"holes of 16 bytes", 16, every_fourth, false, 0, 0, 0, 0},
    {"five modes", 32, six_modes, true, 1, 512, 1, 5},
    {"six modes", 64, six_modes, true, 2, 1024, 1, 5},
    {"lines of 32 bytes", 16, gap_in_lines, true, 2, 64, 1, 1},
    {"lines of 32 bytes, swizzled", 32, narrow_swizzled, true, 1, 128, 1, 2},
};

/* The CPU model brings every wanted source to its place, and nothing anywhere else. */
static void by_model(const search *s, const char *why)
{
    enum { GLOBAL = 1 << 18, BASE = 1 << 17, SMEM = 16 * PLACES, UNTOUCHED = 0xee };
    static uint8_t global[GLOBAL], smem[SMEM], expected[SMEM];
    zlay_sim_smem shared = {smem, SMEM, 1024};
    uint64_t seed = 1;
    for (int i = 0; i < GLOBAL; i++) global[i] = (uint8_t)test_random(&seed);
    memset(smem, UNTOUCHED, SMEM);
    memset(expected, UNTOUCHED, SMEM);
    for (int p = 0; p < s->want->places; p++)
        if (s->want->from[p] != NOWHERE)
            memcpy(expected + 16 * p, global + BASE + 16 * s->want->from[p], 16);
    for (int i = 0; i < s->best.issues; i++) {
        int32_t coordinate[5], fault = -1;
        uint32_t bytes;
        zlay_tensormap m;
        reading_map(&m, coordinate, s, &s->used[i]);
        int64_t at = BASE + (int64_t)m.address;
        zlay_sim_global tensor = {global + at, (uint64_t)(GLOBAL - at)};
        m.address = 1 << 20;
        assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &shared, &tensor, &(zlay_sim_copy){.map = &m, .coordinate = coordinate, .address = 1024 + 16 * (uint32_t)s->used[i].start}),
                         ZLAY_OK);
        if (fault) fail_msg("%s: fault %d", why, fault);
    }
    if (memcmp(smem, expected, SMEM)) fail_msg("%s: other bytes", why);
}

static void by_hand(void **state)
{
    static search s = {.align = 16};
    (void)state;
    const zlay_target *hopper = target_of("sm_90a");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wanted w = {.places = rows[i].places};
        for (int p = 0; p < w.places; p++) w.from[p] = rows[i].from(p);
        least l = least_of(&s, hopper, &w);
        if (l.exists != rows[i].exists || l.issues != rows[i].issues || l.bytes != rows[i].bytes ||
            l.maps != rows[i].maps || l.rank != rows[i].rank)
            fail_msg("%s: %d, %d copies, %d bytes, %d maps, rank %d", rows[i].why, l.exists,
                     l.issues, l.bytes, l.maps, l.rank);
        if (l.exists) by_model(&s, rows[i].why);
    }
}

static const struct {
    const char *why;
    int count;
    int64_t from[12];
    bool exists;
    int issues, bytes, maps, rank;
} sets[] = {
    {"a run", 4, {5, 6, 7, 8}, true, 1, 64, 1, 1},
    {"a grid", 6, {0, 2, 10, 12, 20, 22}, true, 1, 96, 1, 3},
    {"a run and one beside", 4, {0, 1, 2, 9}, true, 2, 64, 2, 1},
    {"two by one map", 4, {0, 1, 7, 8}, true, 1, 64, 1, 2},
    {"an L", 5, {0, 1, 2, 10, 20}, true, 2, 80, 2, 2},
};

static void anywhere_by_hand(void **state)
{
    static search s = {.align = 16};
    (void)state;
    const zlay_target *hopper = target_of("sm_90a");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        wanted w = {.places = sets[i].count};
        memcpy(w.from, sets[i].from, sizeof sets[i].from);
        least l = least_anywhere(&s, hopper, &w);
        if (l.exists != sets[i].exists || l.issues != sets[i].issues || l.bytes != sets[i].bytes ||
            l.maps != sets[i].maps || l.rank != sets[i].rank || !l.whole)
            fail_msg("%s: %d, %d copies, %d bytes, %d maps, rank %d", sets[i].why, l.exists,
                     l.issues, l.bytes, l.maps, l.rank);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand),
                                       cmocka_unit_test(anywhere_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
