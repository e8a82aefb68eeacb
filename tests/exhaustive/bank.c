/* SPDX-License-Identifier: Apache-2.0 */
/* All patterns in which every bit of the lane adds nothing or a power of two of units: 8^5 of 32 lanes, 8^6 of 64, each with all
 * lanes, every second, and all but one quarter; `make test` takes one in 61. */
#include "tiles/bank.h"

static const served worlds[] = {
    {"sm_90", "ld.shared.b8", "0-31", 1, 32, 'w'},      {"sm_90", "ld.shared.b32", "0-31", 4, 32, 'w'},
    {"sm_90", "ld.shared.b64", "0-15 | 16-31", 8, 32, 'p'}, {"sm_90", "ld.shared.b128", "0-7 | 8-15 | 16-23 | 24-31", 16, 32, 'p'},
    {"sm_90", "st.shared.b64", "0-15 | 16-31", 8, 32, 'w'}, {"sm_90", "atom.shared.add.u32", "0-31", 4, 32, 'l'},
    {"gfx942", "ds_read_b128", "0-3,20-23 | 4-7,16-19 | 8-11,28-31 | 12-15,24-27", 16, 32, 'w'},
    {"gfx950", "ds_read_b96", "0-3,20-23 | 4-7,16-19 | 8-11,28-31 | 12-15,24-27", 12, 32, 'w'},
};

static void draw_world(uint32_t *a, uint64_t index, uint32_t lanes, uint32_t unit)
{
    uint32_t active = (uint32_t)(index % 3);
    for (uint32_t l = 0; l < lanes; l++) {
        uint64_t rest = index / 3;
        a[l] = 0;
        for (uint32_t bit = 0; bit < 6; bit++, rest /= 8)
            if (l >> bit & 1 && rest % 8) a[l] += unit << (rest % 8 - 1);
        if ((active == 1 && l % 2) || (active == 2 && l / 8 % 4 == 1)) a[l] = UINT32_MAX;
    }
}

static void powers_of_two(void **state)
{
    (void)state;
    uint64_t asked = 0;
    for (size_t w = 0; w < sizeof worlds / sizeof *worlds; w++) {
        zlay_bank_access x = explained(worlds[w].target, worlds[w].access);
        uint64_t size = 3ull << (x.lanes == 64 ? 18 : 15), step = test_exhaustive() ? 1 : 61;
        for (uint64_t i = 0; i < size; i += step, asked++) {
            uint32_t a[LANES_MOST], unit = x.bytes == 12 ? 12 : x.align;
            draw_world(a, i, x.lanes, unit);
            zlay_bank b = count(worlds[w].target, worlds[w].access, a);
            uint32_t want = counted(&worlds[w], a, x.lanes);
            if (b.wavefronts != want) fail_msg("%s %s, pattern %llu: %u, not %u", worlds[w].target, worlds[w].access, (unsigned long long)i, b.wavefronts, want);
            assert_true(b.ideal <= b.wavefronts && b.ideal <= b.distinct);
        }
    }
    printf("%llu patterns\n", (unsigned long long)asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(powers_of_two)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
