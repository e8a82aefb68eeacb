/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of five bits against all 9,999,360 invertible maps: 100 under ZLAY_EXHAUSTIVE=2, 10 of them under 1; `make test`
 * takes 100 of four bits. */
#include "plans/swizzle.h"

enum { PROBLEMS = 100 };

static void all_maps(void **state)
{
    (void)state;
    static zl_bank_ask ask[PROBLEMS][4];
    zl_swizzle_problem p[PROBLEMS];
    uint32_t least[PROBLEMS];
    uint64_t seed = test_seed("exhaustive/swizzle"), basis[WORLD_BITS] = {0}, maps = 0, tally[4] = {0};
    unsigned bits = test_exhaustive() ? 5 : 4;
    int problems = bits == 5 && !test_hours() ? PROBLEMS / 10 : PROBLEMS;
    for (int i = 0; i < problems; i++) {
        p[i] = problem_drawn(&seed, bits, ask[i]);
        least[i] = NO_COST;
    }
    for (; map_next(basis, bits); maps++)
        for (int i = 0; i < problems; i++) {
            uint32_t cost = cost_below(&p[i], basis, least[i]);
            if (cost < least[i]) least[i] = cost;
        }
    assert_int_equal(maps, bits == 5 ? 9999360 : 20160);
    for (int i = 0; i < problems; i++) agrees(&p[i], least[i], tally);
    printf("%llu maps: %llu without a layout, %llu without conflict, %llu least of F2, %llu open\n", (unsigned long long)maps, (unsigned long long)tally[0],
           (unsigned long long)tally[1], (unsigned long long)tally[2], (unsigned long long)tally[3]);
    assert_int_equal(tally[3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_maps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
