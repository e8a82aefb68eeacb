/* SPDX-License-Identifier: Apache-2.0 */
/* Every choice of up to four buffers of six sizes and six lives, in one allocation and in four: as
 * many columns as the least of all packings. */
#include "tiles/tmem-packings.h"

#include <string.h>

enum { SIZES = 6, STEPS = 3, LIVES = STEPS * (STEPS + 1) / 2, KINDS = SIZES * LIVES, UNIT = 32 };

static zlay_tmem_buffer kind(uint32_t i)
{
    static const uint32_t sizes[SIZES] = {32, 64, 96, 160, 256, 288};
    zlay_tmem_buffer b = {.columns = sizes[i % SIZES]};
    uint32_t life = i / SIZES;
    while (life >= STEPS - b.first) life -= STEPS - b.first++;
    b.last = b.first + life;
    return b;
}

static void check(zlay_ctx *ctx, const zlay_target *target, const zlay_tmem_buffer *buffer,
                  uint32_t count, uint32_t most)
{
    zlay_tmem_pack_request r = {.size = sizeof r, .count = count, .buffers = buffer,
                                .allocations = most};
    zlay_tmem_packing p;
    uint32_t least = least_columns(buffer, count, UNIT, most);
    zlay_status status = zlay_tmem_pack(ctx, &p, target, &r);
    assert_int_equal(status, least ? ZLAY_OK : ZLAY_NONE);
    if (!status && (p.columns != least || !p.optimal))
        fail_msg("%u columns, and %u do", p.columns, least);
}

/* One in 97 where the world is sampled. */
static void test_world(void **state)
{
    zlay_ctx *ctx = *state;
    const zlay_target *target = NULL;
    uint32_t all = 0, asked = 0;
    assert_int_equal(zlay_target_find(&target, "sm_100a", 7), ZLAY_OK);
    for (uint32_t a = 0; a < KINDS; a++)
        for (uint32_t b = a; b <= KINDS; b++)
            for (uint32_t c = b; c <= KINDS; c++)
                for (uint32_t d = c; d <= KINDS; d++) {
                    const uint32_t chosen[] = {a, b, c, d};
                    zlay_tmem_buffer buffer[4];
                    uint32_t count = 0;
                    if (!test_exhaustive() && all++ % 97) continue;
                    for (int i = 0; i < 4; i++)
                        if (chosen[i] < KINDS) buffer[count++] = kind(chosen[i]);
                    check(ctx, target, buffer, count, 1);
                    check(ctx, target, buffer, count, 4);
                    asked++;
                }
    printf("%u choices of buffers\n", asked);
    assert_true(asked > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_world)};
    return cmocka_run_group_tests(tests, begin, end);
}
