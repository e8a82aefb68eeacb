/* SPDX-License-Identifier: Apache-2.0 */
/* Every map of a small world: its joint repair changes the fewest fields, and moves pitch and
 * address the least. Each limit only eases as a field goes to its mildest value (address 0, one
 * row of 16 bytes, step 1, no swizzle), so a set of fields can be mended exactly when its mildest
 * values mend it: 2^7 sets are asked for each map. */
#include "legality.h"

enum { FIELDS = 7 };

static const struct {
    int32_t field, index;
    uint64_t mildest;
    int count;
    uint64_t values[6];
} world[FIELDS] = {
    {ZLAY_FIELD_ADDRESS, -1, 0, 3, {0, 8, 24}},
    {ZLAY_FIELD_STRIDE, 0, 512, 5, {512, 520, 0, 1ull << 40, 1031}},
    {ZLAY_FIELD_BOX, 0, 8, 6, {4, 8, 64, 72, 256, 320}},
    {ZLAY_FIELD_BOX, 1, 1, 6, {1, 64, 227, 256, 257, 512}},
    {ZLAY_FIELD_STEP, 0, 1, 2, {1, 9}},
    {ZLAY_FIELD_STEP, 1, 1, 3, {0, 1, 8}},
    {ZLAY_FIELD_SWIZZLE, -1, 0, 4, {0, 1, 3, 4}},
};

static uint64_t get(const zlay_tensormap *m, int f)
{
    switch (f) {
    case 0:
        return m->address;
    case 1:
        return m->stride[0];
    case 2:
        return m->box[0];
    case 3:
        return m->box[1];
    case 4:
        return m->step[0];
    case 5:
        return m->step[1];
    default:
        return (uint64_t)m->swizzle;
    }
}

static unsigned fewest(const zlay_target *t, const zlay_tensormap *m)
{
    for (unsigned size = 0; size <= FIELDS; size++)
        for (unsigned set = 0; set < 1u << FIELDS; set++) {
            zlay_tensormap mild = *m;
            if ((unsigned)__builtin_popcount(set) != size) continue;
            for (int f = 0; f < FIELDS; f++)
                if (set >> f & 1) map_set(&mild, world[f].field, world[f].index, world[f].mildest);
            if (answer_of(t, &mild) == ZLAY_YES) return size;
        }
    fail_msg("no set of fields mends it");
    return 0;
}

static unsigned changed(const zlay_tensormap *a, const zlay_tensormap *b)
{
    unsigned count = 0;
    for (int f = 0; f < FIELDS; f++) count += get(a, f) != get(b, f);
    zlay_tensormap rest = *b;
    for (int f = 0; f < FIELDS; f++) map_set(&rest, world[f].field, world[f].index, get(a, f));
    assert_memory_equal(&rest, a, sizeof rest);
    return count;
}

static uint64_t apart(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

/* The least move of a pitch to a multiple of 16 that rows of 512 bytes do not overlap on, by
 * trying all of them. */
static uint64_t least_move(uint64_t stride)
{
    if (stride % 16 == 0 && stride < 1ull << 40) return 0;
    for (uint64_t move = 0;; move++) {
        uint64_t up = stride + move, down = stride - move;
        if (up % 16 == 0 && up >= 512 && up < 1ull << 40) return move;
        if (move <= stride && down % 16 == 0 && down >= 512 && down < 1ull << 40) return move;
    }
}

static void the_nearest_map_of_a_small_world(void **state)
{
    (void)state;
    const zlay_target *t = target_of("sm_90a");
    unsigned maps = 1, broken = 0;
    for (int f = 0; f < FIELDS; f++) maps *= (unsigned)world[f].count;
    for (unsigned at = 0; at < maps; at++) {
        zlay_tensormap m = legal_map(), out;
        unsigned rest = at;
        int32_t keeps;
        uint64_t split;
        for (int f = 0; f < FIELDS; f++) {
            map_set(&m, world[f].field, world[f].index,
                    world[f].values[rest % (unsigned)world[f].count]);
            rest /= (unsigned)world[f].count;
        }
        assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, t, &m), ZLAY_OK);
        assert_int_equal(answer_of(t, &out), ZLAY_YES);
        unsigned count = changed(&m, &out);
        if (count != fewest(t, &m)) fail_msg("map %u: %u fields", at, count);
        assert_int_equal(apart(m.stride[0], out.stride[0]), least_move(m.stride[0]));
        assert_int_equal(apart(m.address, out.address), m.address % 16);
        broken += count > 0;
    }
    assert_true(broken > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_nearest_map_of_a_small_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
