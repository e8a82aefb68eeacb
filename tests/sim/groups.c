/* SPDX-License-Identifier: Apache-2.0 */
/* The products of groups that `zlay run gemm` compares with: each element of a group's matrices is that which the page of groups names
 * (docs/gemm.md) in the whole arrays, offsets are in order, and what no group has is counted where it was changed. */
#include "test.h"

#include "cli/groups.h"
#include <string.h>

enum { GROUPS = 5, M = 48, N = 24, K = 40, LDA = 56, LDB = 64, LDD = 72 };

#define SIZES .size = sizeof(zlay_gemm), .m = M, .n = N, .k = K, .groups = GROUPS, .lda = LDA, .ldb = LDB, .ldd = LDD
static const zlay_gemm rows[] = {
    {SIZES},
    {SIZES, .b_order = ZLAY_ORDER_ROW},
    {SIZES, .ragged = ZLAY_RAGGED_K, .a_order = ZLAY_ORDER_COLUMN, .b_order = ZLAY_ORDER_ROW},
};
static const int32_t types[3] = {ZLAY_TYPE_BF16, ZLAY_TYPE_BF16, ZLAY_TYPE_F32};

/* The place of an element in an array of `bytes` each, from its start. */
static uint64_t place(const zl_matrix *m, const uint8_t *start, uint64_t row, uint64_t column)
{
    return (uint64_t)(m->bytes + zl_matrix_at(m, row, column) * m->element - start) / m->element;
}

static void product_is(const zlay_gemm *g, const uint64_t *offsets, uint32_t group)
{
    zl_matrix a, b, d;
    uint8_t start[1];
    bool in_k = g->ragged == ZLAY_RAGGED_K, by_k = in_k || g->b_order == ZLAY_ORDER_ROW;
    assert_true(zl_groups_describe(&a, &b, &d, types, g));
    a.bytes = b.bytes = d.bytes = start;
    zl_product p = zl_groups_product(&a, &b, &d, g, offsets, group);
    uint64_t begin = offsets[group], count = offsets[group + 1] - begin;
    assert_int_equal(p.m, in_k ? M : count);
    assert_int_equal(p.n, N);
    assert_int_equal(p.k, in_k ? count : K);
    for (uint64_t x = 0; x < p.k; x++) {
        for (uint64_t i = 0; i < p.m; i++) assert_int_equal(place(&p.a, start, i, x), in_k ? (begin + x) * LDA + i : (begin + i) * LDA + x);
        for (uint64_t j = 0; j < p.n; j++)
            assert_int_equal(place(&p.b, start, x, j), in_k ? (begin + x) * LDB + j : by_k ? (group * K + x) * LDB + j : (group * N + j) * LDB + x);
    }
    for (uint64_t i = 0; i < p.m; i++)
        for (uint64_t j = 0; j < p.n; j++) assert_int_equal(place(&p.d, start, i, j), ((in_k ? group * M : begin) + i) * LDD + j);
}

static void parts_are_those_of_the_page(void **unused)
{
    static const uint64_t offsets[GROUPS + 1] = {1, 1, 8, 9, 30, 39};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint32_t group = 0; group < GROUPS; group++) product_is(&rows[i], offsets, group);
}

/* The arrays end with the last element of the last group. */
static void arrays_hold_all_groups(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zl_matrix a, b, d;
        bool in_k = rows[i].ragged == ZLAY_RAGGED_K;
        assert_true(zl_groups_describe(&a, &b, &d, types, &rows[i]));
        assert_int_equal(a.count, in_k ? (K - 1) * LDA + M : (M - 1) * LDA + K);
        assert_int_equal(b.count, in_k ? (K - 1) * LDB + N : i ? (GROUPS * K - 1) * LDB + N : (GROUPS * N - 1) * LDB + K);
        assert_int_equal(d.count, ((in_k ? GROUPS : 1) * M - 1) * LDD + N);
    }
    zlay_gemm far = rows[0];
    zl_matrix a, b, d;
    far.n = UINT64_MAX / 2;
    assert_false(zl_groups_describe(&a, &b, &d, types, &far));
}

static void offsets_are_in_order(void **unused)
{
    (void)unused;
    bool differ = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            uint64_t most = rows[i].ragged == ZLAY_RAGGED_K ? K : M;
            uint64_t *offsets = zl_groups_draw(&rows[i], seed), *again = zl_groups_draw(&rows[i], seed);
            assert_non_null(offsets);
            assert_non_null(again);
            for (int g = 0; g < GROUPS; g++) assert_true(offsets[g] <= offsets[g + 1]);
            assert_true(offsets[GROUPS] <= most);
            assert_memory_equal(offsets, again, (GROUPS + 1) * sizeof *offsets);
            differ |= seed && offsets[0] != offsets[1];
            free(offsets);
            free(again);
        }
    assert_true(differ);
}

/* Rows 0, 39 to 47 are of no group; of K every row of D is of one. */
static void changes_are_counted(void **unused)
{
    static const uint64_t offsets[GROUPS + 1] = {1, 1, 8, 9, 30, 39};
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zl_matrix a, b, d;
        assert_true(zl_groups_describe(&a, &b, &d, types, &rows[i]) && zl_matrix_alloc(&d));
        assert_int_equal(zl_groups_changed(&d, &rows[i], offsets), 0);
        for (uint64_t row = 0; row < M; row++) d.bytes[zl_matrix_at(&d, row, row % N) * d.element] = 0;
        assert_int_equal(zl_groups_changed(&d, &rows[i], offsets), rows[i].ragged == ZLAY_RAGGED_K ? 0 : 10);
        zl_matrix_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_those_of_the_page),
        cmocka_unit_test(arrays_hold_all_groups),
        cmocka_unit_test(offsets_are_in_order),
        cmocka_unit_test(changes_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
