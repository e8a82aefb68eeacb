/* SPDX-License-Identifier: Apache-2.0 */
/* All 16-bit divisors by all 16-bit operands: a share of them; with ZLAY_EXHAUSTIVE=1 every small divisor and one in 8 of the others by
 * all operands, and all divisors by the two operands on either side of each multiple; under 2 the whole. */
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

/* A quotient that never falls is right everywhere when it is right on both sides of each step. */
static void check_steps(uint64_t divisor, uint64_t most)
{
    zlay_divisor d;
    assert_int_equal(zlay_divisor_make(&d, divisor, 0, most), ZLAY_OK);
    for (uint64_t q = 0; q * divisor <= most; q++) {
        uint64_t last = q * divisor + divisor - 1;
        if (zlay_divisor_quotient(&d, q * divisor) != q || zlay_divisor_quotient(&d, last < most ? last : most) != q)
            fail_msg("a multiple %d of %d, up to %d", (int)q, (int)divisor, (int)most);
    }
}

/* Divisors from `small` on of which all operands are tried. */
static uint64_t step_of(void) { return test_hours() ? 1 : test_exhaustive() ? 8 : 61; }

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
    (void)state;
    for (uint64_t divisor = 1; divisor <= 65535; divisor += divisor < 600 ? 1 : step_of())
        check(divisor, 65535);
    for (uint64_t divisor = 1; divisor <= 65535; divisor++) check_steps(divisor, 65535);
}

static void all_signed_of_16_bits(void **state)
{
    (void)state;
    for (uint64_t divisor = 1; divisor <= 32767; divisor += divisor < 300 ? 1 : step_of())
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
