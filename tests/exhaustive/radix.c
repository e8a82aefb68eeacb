/* SPDX-License-Identifier: Apache-2.0 */
/* All 16-bit divisors by all 16-bit operands: a share of them, or with ZLAY_EXHAUSTIVE=1 the whole. */
#include "test.h"

#include <zlay/radix.h>

/* Quotients are counted up along with the operand, without a division. */
static void check(uint64_t divisor, uint64_t most)
{
    zlay_divisor d;
    uint64_t quotient = 0, left = divisor;
    assert_int_equal(zlay_divisor_make(&d, divisor, 0, most), ZLAY_OK);
    for (uint64_t x = 0; x <= most; x++) {
        if (zlay_divisor_quotient(&d, x) != quotient)
            fail_msg("%d / %d up to %d", (int)x, (int)divisor, (int)most);
        if (!--left) left = divisor, quotient++;
    }
}

static void check_signed(uint64_t divisor, int64_t least, int64_t most)
{
    zlay_divisor d;
    assert_int_equal(zlay_divisor_make(&d, divisor, least, (uint64_t)most), ZLAY_OK);
    int64_t n = (int64_t)divisor, quotient = -((-least + n - 1) / n);
    int64_t left = n - (least - n * quotient);
    for (int64_t x = least; x <= most; x++) {
        if ((int64_t)zlay_divisor_quotient(&d, (uint64_t)x) != quotient)
            fail_msg("%d / %d in [%d, %d]", (int)x, (int)n, (int)least, (int)most);
        if (!--left) left = n, quotient++;
    }
}

static void all_of_16_bits(void **state)
{
    uint64_t step = test_exhaustive() ? 1 : 61;
    (void)state;
    for (uint64_t divisor = 1; divisor <= 65535; divisor += divisor < 600 ? 1 : step)
        check(divisor, 65535);
}

static void all_signed_of_16_bits(void **state)
{
    uint64_t step = test_exhaustive() ? 1 : 61;
    (void)state;
    for (uint64_t divisor = 1; divisor <= 32767; divisor += divisor < 300 ? 1 : step)
        check_signed(divisor, -32768, 32767);
}

/* Every range [0, most] of 9 bits by every divisor, 11 bits when whole. */
static void all_ranges(void **state)
{
    uint64_t top = test_exhaustive() ? 2048 : 400;
    (void)state;
    for (uint64_t most = 0; most < top; most++)
        for (uint64_t divisor = 1; divisor <= most + 1; divisor++) check(divisor, most);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_16_bits),
        cmocka_unit_test(all_signed_of_16_bits),
        cmocka_unit_test(all_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
