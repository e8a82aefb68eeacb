/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices and the reference that modelled plans are compared with. */
#include "test.h"

#include <math.h>

#include "cli/matrix.h"
#include <string.h>
#include <zlay/sim.h>

static void test_reference_product(void **unused)
{
    (void)unused;
    static double sums[256 * ZL_PRODUCT_COLUMNS];
    uint64_t state = test_seed("reference product");
    for (uint64_t i = 0; i < test_iterations(40); i++) {
        zl_matrix a, b;
        uint64_t m = (uint64_t)test_range(&state, 1, 40), n = (uint64_t)test_range(&state, 1, 40),
                 k = (uint64_t)test_range(&state, 1, 100);
        int32_t a_order = (int32_t)test_range(&state, 1, 2),
                b_order = (int32_t)test_range(&state, 1, 2);
        assert_true(zl_matrix_describe(&a, ZLAY_TYPE_BF16, m, k, a_order, 128) &&
                    zl_matrix_describe(&b, ZLAY_TYPE_BF16, k, n, b_order, 0));
        assert_true(zl_matrix_alloc(&a) && zl_matrix_alloc(&b));
        zl_matrix_fill(&a, 1);
        zl_matrix_fill(&b, 2);
        zl_block block = {.row = (uint64_t)test_range(&state, 0, (int64_t)m - 1),
                          .column = (uint64_t)test_range(&state, 0, (int64_t)n - 1)};
        block.rows = m - block.row;
        block.columns = n - block.column;
        zl_matrix_product(sums, &a, &b, k, &block);
        for (uint64_t r = 0; r < block.rows; r++)
            for (uint64_t c = 0; c < block.columns; c++) {
                long sum = 0;
                for (uint64_t x = 0; x < k; x++)
                    sum += lrint(zl_matrix_value(&a, block.row + r, x) *
                                 zl_matrix_value(&b, x, block.column + c));
                assert_true(sums[r * ZL_PRODUCT_COLUMNS + c] == (double)sum);
            }
        zl_matrix_free(&a);
        zl_matrix_free(&b);
    }
}

/* Rounding by integers against rounding by bits, on every integer of 18 bits. */
static void test_reference_rounding(void **unused)
{
    (void)unused;
    for (int i = -(1 << 18); i <= 1 << 18; i++)
        assert_true(zl_matrix_round(ZLAY_TYPE_BF16, (double)i) == (double)zlay_sim_float(zlay_sim_bf16((float)i)));
}

/* All nine integers occur, NaN everywhere between the rows, and nothing after the last. */
static void test_fill(void **unused)
{
    (void)unused;
    zl_matrix m;
    uint32_t seen[9] = {0};
    assert_true(zl_matrix_describe(&m, ZLAY_TYPE_BF16, 50, 30, ZLAY_ORDER_ROW, 37));
    assert_int_equal(m.count, 49 * 37 + 30);
    assert_true(zl_matrix_alloc(&m));
    zl_matrix_fill(&m, 3);
    for (uint64_t i = 0; i < m.count; i++) {
        uint16_t bits;
        memcpy(&bits, m.bytes + 2 * i, sizeof bits);
        double value = (double)zlay_sim_float(bits);
        if (i % 37 >= 30) assert_true(isnan(value));
        else if (value >= -4 && value <= 4 && value == rint(value)) seen[(int)value + 4]++;
        else fail_msg("%g is no integer in -4..4", value);
    }
    for (int i = 0; i < 9; i++) assert_true(seen[i] > 1500 / 9 / 2);
    zl_matrix_free(&m);
    assert_false(zl_matrix_describe(&m, ZLAY_TYPE_BF16, 1, 30, ZLAY_ORDER_ROW, 29));
    assert_false(zl_matrix_describe(&m, ZLAY_TYPE_BF16, (uint64_t)1 << 62, 2, ZLAY_ORDER_ROW, 2));
}

/* Worked by hand from the widths of exponent and fraction. */
static void test_numbers(void **unused)
{
    (void)unused;
    static const struct {
        int32_t type;
        double value;
        uint32_t bits;
    } rows[] = {
        {ZLAY_TYPE_BF16, 3, 0x4040}, {ZLAY_TYPE_BF16, -4, 0xc080}, {ZLAY_TYPE_F16, 3, 0x4200}, {ZLAY_TYPE_F16, -1, 0xbc00},
        {ZLAY_TYPE_F16, 0x1p-24, 0x0001}, {ZLAY_TYPE_F16, INFINITY, 0x7c00}, {ZLAY_TYPE_E4M3, 3, 0x44}, {ZLAY_TYPE_E4M3, -4, 0xc8},
        {ZLAY_TYPE_E4M3, 448, 0x7e}, {ZLAY_TYPE_E4M3, 0x1p-9, 0x01}, {ZLAY_TYPE_E5M2, 3, 0x42}, {ZLAY_TYPE_E5M2, -1, 0xbc},
        {ZLAY_TYPE_TF32, 3, 0x40400000}, {ZLAY_TYPE_F32, -0.75, 0xbf400000}, {ZLAY_TYPE_S8, -4, 0xfc}, {ZLAY_TYPE_U8, 8, 0x08},
        {ZLAY_TYPE_S32, -2, 0xfffffffe}, {ZLAY_TYPE_F32, 0, 0},
    };
    static const int32_t floats[] = {ZLAY_TYPE_BF16, ZLAY_TYPE_F16, ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2, ZLAY_TYPE_F32};
    zl_matrix m;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(zl_matrix_bits(rows[i].type, rows[i].value), rows[i].bits);
        assert_true(zl_matrix_describe(&m, rows[i].type, 1, 1, ZLAY_ORDER_ROW, 0));
        assert_true(zl_matrix_alloc(&m));
        memcpy(m.bytes, &rows[i].bits, m.element);
        assert_true(zl_matrix_value(&m, 0, 0) == rows[i].value);
        zl_matrix_free(&m);
    }
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        uint32_t bits = zl_matrix_bits(floats[i], (double)NAN);
        assert_true(zl_matrix_describe(&m, floats[i], 1, 1, ZLAY_ORDER_ROW, 0) && zl_matrix_alloc(&m));
        memcpy(m.bytes, &bits, m.element);
        assert_true(isnan(zl_matrix_value(&m, 0, 0)));
        zl_matrix_free(&m);
    }
    assert_true(zl_matrix_round(ZLAY_TYPE_F16, 2049) == 2048 && zl_matrix_round(ZLAY_TYPE_F16, -2051) == -2052);
    assert_true(zl_matrix_round(ZLAY_TYPE_F32, 0x1000001) == 0x1000000 && zl_matrix_round(ZLAY_TYPE_S32, 0x1000001) == 0x1000001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reference_product),
        cmocka_unit_test(test_reference_rounding),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
