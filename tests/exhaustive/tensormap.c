/* SPDX-License-Identifier: Apache-2.0 */
/* Every enumerator and its neighbours together, in each mode and rank, against the second predicate; in
 * `make test` every 37th, which meets every value of every field. */
#include "tiles/driver_predicate.h"
#include "legality.h"

enum { TYPES = 19, INTERLEAVES = 5, SWIZZLES = 9, PROMOTIONS = 6, FILLS = 4, RANKS = 7, WIDES = 4 };

static zlay_tensormap map_of(int32_t mode, uint32_t rank)
{
    zlay_tensormap m;
    memset(&m, 0, sizeof m);
    m.mode = mode;
    m.rank = rank;
    m.address = 1 << 20;
    for (uint32_t i = 0; i < 5; i++) {
        m.extent[i] = 64;
        m.step[i] = 1;
        if (!mode) m.box[i] = i ? 1 : 16;
        if (i) m.stride[i - 1] = 4096u << i;
    }
    if (mode) m.channels = m.pixels = 16;
    return m;
}

static void every_enumerator_with_every_other(void **state)
{
    (void)state;
    const zlay_target *t = target_of("sm_90a");
    uint64_t by = test_exhaustive() ? 1 : 37, taken = 0;
    uint64_t maps = (uint64_t)TYPES * INTERLEAVES * SWIZZLES * PROMOTIONS * FILLS * RANKS * WIDES * 3;
    for (uint64_t at = 0; at < maps; at += by) {
        uint64_t rest = at / 3;
        zlay_tensormap m = map_of((int32_t)(at % 3), (uint32_t)(rest % RANKS));
        rest /= RANKS;
        m.type = (int32_t)(rest % TYPES) - 1;
        rest /= TYPES;
        m.interleave = (int32_t)(rest % INTERLEAVES) - 1;
        rest /= INTERLEAVES;
        m.swizzle = (int32_t)(rest % SWIZZLES) - 1;
        rest /= SWIZZLES;
        m.l2 = (int32_t)(rest % PROMOTIONS) - 1;
        rest /= PROMOTIONS;
        m.oob = (int32_t)(rest % FILLS) - 1;
        rest /= FILLS;
        if (m.mode == 2) m.wide_mode = (int32_t)rest - 1;
        zlay_verdict v = verdict_of(t, &m, NULL);
        bool takes = driver_takes(&m);
        if (takes != (v.driver == ZLAY_DRIVER_ACCEPTS))
            fail_msg("map %llu: taken %d", (unsigned long long)at, takes);
        taken += takes;
    }
    printf("%llu maps, %llu taken\n", (unsigned long long)(maps / by), (unsigned long long)taken);
    assert_true(taken > maps / by / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_enumerator_with_every_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
