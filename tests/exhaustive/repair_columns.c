/* SPDX-License-Identifier: Apache-2.0 */
/* Every im2col map of a small world: its joint repair changes the fewest fields. Each limit only eases as
 * a field goes to its mildest value (address 0, 8 channels of 2 bytes, one pixel, no swizzle), so a set of
 * fields can be mended exactly when its mildest values mend it: 2^6 sets are asked for each map. */
#include "legality.h"

enum { FIELDS = 6 };

static const struct {
    int32_t field, index;
    uint64_t mildest;
    unsigned count;
    uint64_t values[6];
} world[FIELDS] = {
    {ZLAY_FIELD_ADDRESS, -1, 0, 3, {0, 8, 24}},
    {ZLAY_FIELD_STRIDE, 0, 128, 5, {128, 136, 24, 1ull << 40, 131}},
    {ZLAY_FIELD_CHANNELS, -1, 8, 6, {4, 8, 64, 72, 256, 300}},
    {ZLAY_FIELD_PIXELS, -1, 1, 5, {1, 64, 1024, 1025, 3000}},
    {ZLAY_FIELD_SWIZZLE, -1, 0, 4, {0, 1, 3, 4}},
    {ZLAY_FIELD_L2, -1, 0, 2, {0, 7}},
};

static uint64_t get(const zlay_tensormap *m, int f)
{
    switch (f) {
    case 0: return m->address;
    case 1: return m->stride[0];
    case 2: return m->channels;
    case 3: return m->pixels;
    case 4: return (uint64_t)m->swizzle;
    default: return (uint64_t)m->l2;
    }
}

static unsigned fewest(const zlay_target *t, const zlay_tensormap *m)
{
    unsigned least = FIELDS + 1;
    for (unsigned set = 0; set < 1u << FIELDS; set++) {
        zlay_tensormap mild = *m;
        unsigned size = (unsigned)__builtin_popcount(set);
        if (size >= least) continue;
        for (int f = 0; f < FIELDS; f++)
            if (set >> f & 1) map_set(&mild, world[f].field, world[f].index, world[f].mildest);
        if (answer_of(t, &mild) == ZLAY_YES) least = size;
    }
    return least;
}

static unsigned changed(const zlay_tensormap *a, const zlay_tensormap *b)
{
    unsigned count = 0;
    zlay_tensormap rest = *b;
    for (int f = 0; f < FIELDS; f++) {
        count += get(a, f) != get(b, f);
        map_set(&rest, world[f].field, world[f].index, get(a, f));
    }
    assert_memory_equal(&rest, a, sizeof rest);
    return count;
}

static void the_fewest_fields_of_a_small_world(void **state)
{
    (void)state;
    const zlay_target *t = target_of("sm_90a");
    unsigned maps = 1, broken = 0;
    for (int f = 0; f < FIELDS; f++) maps *= world[f].count;
    for (unsigned at = 0; at < maps; at++) {
        zlay_tensormap m = legal_columns(1, 3), out;
        unsigned rest = at;
        int32_t keeps;
        uint64_t split;
        m.stride[1] = 1 << 20;
        for (int f = 0; f < FIELDS; rest /= world[f++].count)
            map_set(&m, world[f].field, world[f].index, world[f].values[rest % world[f].count]);
        assert_int_equal(zlay_tensormap_repair(&out, &keeps, &split, t, &m), ZLAY_OK);
        assert_int_equal(answer_of(t, &out), ZLAY_YES);
        unsigned count = changed(&m, &out);
        if (count != fewest(t, &m)) fail_msg("map %u: %u fields, not %u", at, count, fewest(t, &m));
        broken += count > 0;
    }
    assert_true(broken > maps * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_fewest_fields_of_a_small_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
