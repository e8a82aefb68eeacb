/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions of layouts with parameters, of outputs without sizes and of values of 64 bits: a
 * witness is a difference, and no lesser one is. */
#include "layouts/decide.h"

/* ---- parameters ------------------------------------------------------------------------------------ */

static zlay_layout *bound(zlay_ctx *ctx, const zlay_layout *a, const char *name, int64_t value)
{
    zlay_layout *out;
    bool has = zlay_layout_param_nth(a, 0) && !strcmp(zlay_layout_param_nth(a, 0), name);
    zlay_status status = zlay_layout_bind(ctx, &out, a, has, &name, &value);
    return status ? NULL : out;
}

/* The layouts with the parameter that was found differ as the witness says, and no lesser index does. */
static void check_difference(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b,
                             const char *name, const zlay_difference *d)
{
    zlay_layout *x = bound(ctx, a, name, d->values[0]), *y = bound(ctx, b, name, d->values[0]);
    const zlay_witness *w = &d->witness;
    assert_int_equal(w->size_a, x ? zlay_layout_size(x) : 0);
    assert_int_equal(w->size_b, y ? zlay_layout_size(y) : 0);
    for (uint64_t i = 0; w->size_a == w->size_b && i <= w->index; i++) {
        int64_t u = 0, v = 0;
        zlay_status s = zlay_layout_eval(&u, 1, x, i), t = zlay_layout_eval(&v, 1, y, i);
        assert_int_equal(s != t || u != v, i == w->index);
        if (i == w->index) assert_true(u == w->a && v == w->b && w->has_a == !s && w->has_b == !t);
    }
    zlay_layout_free(y);
    zlay_layout_free(x);
}

static void parameters(void **state)
{
    static const struct { const char *a, *b, *facts; zlay_answer answer; } asked[] = {
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i] : 0 <= i < N }", "", ZLAY_YES},
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i mod 8] : 0 <= i < N }", "", ZLAY_NO},
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i mod 8] : 0 <= i < N }", "N <= 8",
         ZLAY_YES},
        {"[N] -> { [i] -> [i] : 0 <= i < N }", "[N] -> { [i] -> [i mod 8] : 0 <= i < N }", "N <= 9",
         ZLAY_NO},
        {"[N] -> { [i] -> [(i + N) mod 8] : 0 <= i < 8 }", "8", "N = 0 mod 8", ZLAY_YES},
        {"[N] -> { [i] -> [(i + N) mod 8] : 0 <= i < 8 }", "8", "N = 4 mod 8", ZLAY_NO},
        {"8", "[N] -> { [i] -> [i + N] : 0 <= i < 8 }", "N = 0", ZLAY_YES},
        {"8", "[N] -> { [i] -> [i + N] : 0 <= i < 8 }", "0 <= N <= 1", ZLAY_NO},
        {"8", "[N] -> { [i] -> [i] : 0 <= i < 8 and i != N }", "", ZLAY_NO},
        {"8", "[N] -> { [i] -> [i] : 0 <= i < 8 and i != N }", "N >= 8", ZLAY_YES},
        {"[N] -> { [i] -> [0] : 0 <= i < N }", "[N] -> { [i] -> [0] : 0 <= i <= N }", "", ZLAY_NO},
    };
    for (size_t r = 0; r < sizeof asked / sizeof asked[0]; r++) {
        int64_t value = 77;
        zlay_difference d = {.values = &value, .room = 1};
        zlay_answer answer;
        zlay_layout *a = read_layout(*state, asked[r].a), *b = read_layout(*state, asked[r].b);
        zlay_facts *facts = *asked[r].facts ? read_facts(*state, asked[r].facts) : NULL;
        assert_int_equal(zlay_layout_equal_for_all(*state, &answer, &d, a, b, facts), ZLAY_OK);
        if (answer != asked[r].answer)
            fail_msg("%s, %s, %s: %d", asked[r].a, asked[r].b, asked[r].facts, (int)answer);
        if (answer == ZLAY_NO) check_difference(*state, a, b, "N", &d);
        else assert_int_equal(value, 77);
        zlay_facts_free(facts);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* Two parameters: those of a first, then the one that b alone has. */
static void two_parameters(void **state)
{
    int64_t value[2] = {77, 77};
    zlay_difference d = {.values = value, .room = 2};
    zlay_answer answer;
    zlay_layout *a = read_layout(*state, "[M] -> { [i] -> [i + M] : 0 <= i < 8 }");
    zlay_layout *b = read_layout(*state, "[N, M] -> { [i] -> [i + N] : 0 <= i < 8 }");
    zlay_facts *facts = read_facts(*state, "M = 5");
    assert_int_equal(zlay_layout_equal_for_all(*state, &answer, &d, a, b, facts), ZLAY_OK);
    assert_int_equal(answer, ZLAY_NO);
    assert_int_equal(value[0], 5);
    assert_int_equal(d.witness.a, 5 + (int64_t)d.witness.index);
    assert_int_equal(d.witness.b, value[1] + (int64_t)d.witness.index);
    assert_true(value[1] != 5);
    zlay_facts_free(facts);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* ---- outputs without sizes: a value is negative -------------------------------------------------------- */

static void outputs_without_sizes(void **state)
{
    static const char text[] = "{ [i, j] -> [i, j - 1] : 0 <= i < 4 and 0 <= j < 3 }";
    zlay_layout *a = read_layout(*state, text), *b = read_layout(*state, "12");
    zlay_layout *c = read_layout(*state, "{ [i, j] -> [i, j] : 0 <= i < 4 and 0 <= j < 2 }");
    const uint64_t onto[2] = {4, 2}, all = 12;
    uint64_t w = 77, sizes[3] = {77, 77, 77};
    zlay_answer answer;
    zlay_fault f;
    assert_int_equal(zlay_layout_out_sizes(sizes, 3, a), 2);
    assert_true(sizes[0] == 4 && sizes[1] == 0 && sizes[2] == 77);
    assert_int_equal(zlay_layout_is_bijective(*state, &answer, &f, a), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.fault == ZLAY_FAULT_OUTSIDE && f.i == 0);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &w, a, onto, 2), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_is_surjective(*state, &answer, &w, a, &all, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_contained(*state, &answer, &w, c, a), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_contained(*state, &answer, &w, a, c), ZLAY_OK);
    assert_true(answer == ZLAY_NO && w == 0);
    assert_int_equal(zlay_layout_equal(*state, &answer, NULL, a, b), ZLAY_EINVAL);
    assert_int_equal(zlay_layout_contained(*state, &answer, &w, b, a), ZLAY_EINVAL);
    zlay_layout_free(c);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* A flat value of 64 bits is a word: 2^63 of an f2 layout and -2^63 of a strided one are the same. */
static void values_of_64_bits(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{x: (0,2147483648) -> a: 4294967296, b: 4294967296}");
    zlay_layout *b = read_layout(*state, "2:-9223372036854775808");
    zlay_layout *other = read_layout(*state, "2:9223372036854775807");
    zlay_layout *c = read_layout(*state, "f2{x: (0,2147483648) (1,0) -> a: 4294967296, b: 4294967296}");
    zlay_answer answer;
    zlay_witness w;
    uint64_t index;
    zlay_fault f;
    assert_int_equal(zlay_layout_equal(*state, &answer, &w, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_contained(*state, &answer, &index, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_contained(*state, &answer, &index, b, c), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_contained(*state, &answer, &index, a, c), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_layout_equal(*state, &answer, &w, a, other), ZLAY_OK);
    assert_true(answer == ZLAY_NO && w.index == 1);
    assert_int_equal(zlay_layout_contained(*state, &answer, &index, other, c), ZLAY_OK);
    assert_true(answer == ZLAY_NO && index == 1);
    assert_int_equal(zlay_layout_is_bijective(*state, &answer, &f, c), ZLAY_OK);
    assert_true(answer == ZLAY_NO && f.fault == ZLAY_FAULT_MISSED && f.missed == 2);
    zlay_layout_free(other);
    zlay_layout_free(c);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters), cmocka_unit_test(two_parameters),
        cmocka_unit_test(outputs_without_sizes), cmocka_unit_test(values_of_64_bits),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
