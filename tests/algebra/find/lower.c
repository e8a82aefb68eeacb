/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of every kind as F2 layouts: the same values, or a witness that is one. */
#include "layouts/f2.h"

#include <zlay/pieces.h>

static void same_values(const zlay_layout *a, const zlay_layout *b)
{
    int64_t x[8], y[8];
    assert_true(zlay_layout_size(a) == zlay_layout_size(b));
    assert_int_equal(zlay_layout_out_count(a), zlay_layout_out_count(b));
    for (uint64_t i = 0; i < zlay_layout_size(a); i++) {
        assert_int_equal(zlay_layout_eval(x, 8, a, i), ZLAY_OK);
        assert_int_equal(zlay_layout_eval(y, 8, b, i), ZLAY_OK);
        assert_memory_equal(x, y, zlay_layout_out_count(a) * sizeof *x);
    }
}

static bool is_linear(const zlay_layout *a)
{
    int64_t x[8], y[8], both[8];
    uint64_t size = zlay_layout_size(a);
    if (size & (size - 1)) return false;
    for (uint64_t i = 0; i < size; i++)
        for (uint64_t j = 0; j <= i; j++) {
            if (zlay_layout_eval(x, 8, a, i) || zlay_layout_eval(y, 8, a, j) ||
                zlay_layout_eval(both, 8, a, i ^ j))
                return false;
            for (size_t o = 0; o < zlay_layout_out_count(a); o++)
                if (x[o] < 0 || both[o] != (x[o] ^ y[o])) return false;
        }
    return true;
}

/* The indices that a message gives break the law; other messages are of other tests. */
static void check_witness(const zlay_layout *a, const char *message)
{
    unsigned long long i, j;
    int64_t x[8], y[8], both[8];
    const char *at = strstr(message, "value(");
    bool differs = false;
    if (!at || sscanf(at, "value(%llu ^ %llu)", &i, &j) != 2) return;
    assert_int_equal(zlay_layout_eval(x, 8, a, i), ZLAY_OK);
    assert_int_equal(zlay_layout_eval(y, 8, a, j), ZLAY_OK);
    assert_int_equal(zlay_layout_eval(both, 8, a, i ^ j), ZLAY_OK);
    for (size_t o = 0; o < zlay_layout_out_count(a); o++) differs = differs || both[o] != (x[o] ^ y[o]);
    assert_true(differs);
}

static bool lowers(zlay_ctx *ctx, const char *text)
{
    zlay_layout *a = read_layout(ctx, text), *b;
    zlay_status status = zlay_layout_lower(ctx, &b, a);
    if (status != (is_linear(a) ? ZLAY_OK : ZLAY_NONE))
        fail_msg("%s: %s, %s", text, zlay_status_name(status), zlay_ctx_message(ctx));
    if (b) assert_int_equal(zlay_layout_kind(b), ZLAY_LAYOUT_F2);
    if (b) same_values(a, b);
    else check_witness(a, zlay_ctx_message(ctx));
    zlay_layout_free(b);
    zlay_layout_free(a);
    return !status;
}

static void every_kind(void **state)
{
    static const char *const row[] = {
        "(4,2):(2,1)", "(4,2):(2,2)", "12", "4 o 4", "4:-1", "(4,4):(0,8)", "(2,2,2):(4,2,1)",
        "Sw<2,0,3> o 0 o (4,8):(8,1)", "Sw<2,0,3> o 8 o 8", "Sw<1,0,3> o 0 o (8,4):(3,1)",
        "f2{a: (1,2) (3,1) -> x: 4, y: 4}", "f2{x: (1) (2) -> y: 6}", "f2{x: (3) (3) -> y: 6}",
        "f2{x: (1) (2) (4) -> y: 6}", "f2{x: (3,1) (3,2) -> y: 6, z: 4}",
        "f2{x: (3,1) (4,2) -> y: 6, z: 4}", "f2{-> y: 6}",
        "{ [i] -> [i mod 6] : 0 <= i < 8 }", "{ [i] -> [2i] : 0 <= i < 8 }",
        "{ [i, j] -> [j, (i + floor(i/2)) mod 2] : 0 <= i < 4 and 0 <= j < 4 }",
        "{ [i, j] -> [j, i + j] : 0 <= i < 4 and 0 <= j < 4 }",
        "{ [i] -> [i] : 0 <= i < 4 and i != 2 or i = 7 }", "{ [i] -> [1 - i] : 0 <= i < 2 }",
        "{ [i] -> [i, -i] : 0 <= i < 2 }", "{ [i] -> [i] : 0 <= i < 3 }",
    };
    size_t linear = 0, count = sizeof row / sizeof row[0];
    for (size_t i = 0; i < count; i++) linear += lowers(*state, row[i]);
    assert_true(linear > count / 3 && linear < count);
}

/* An F2 map written as pieces comes back. */
static void lifted_and_back(void **state)
{
    uint64_t seed = test_seed("lifted_and_back"), count = test_iterations(300);
    static const plain_names names = {{"a", "b"}, {"x", "y"}, 2, 2};
    for (uint64_t i = 0; i < count; i++) {
        plain_map m = {.ins = 5, .outs = 5};
        for (int k = 0; k < 5; k++) m.column[k] = test_random(&seed) & 31;
        zlay_layout *a = make_f2(*state, &m, &names), *lifted, *back;
        assert_int_equal(zlay_layout_lift(*state, &lifted, a), ZLAY_OK);
        assert_int_equal(zlay_layout_kind(lifted), ZLAY_LAYOUT_PIECES);
        assert_int_equal(zlay_layout_lower(*state, &back, lifted), ZLAY_OK);
        same_values(a, back);
        zlay_layout_free(back);
        zlay_layout_free(lifted);
        zlay_layout_free(a);
    }
}

static void sizes(void **state)
{
    static const struct { const char *text; uint64_t size[3]; size_t count; const char *expected; } rows[] = {
        {"(4,2):(2,1)", {2, 8}, 2, "f2{in0: (0,1) (0,2); in1: (1,0) -> out0: 2, out1: 8}"},
        {"(4,2):(2,1)", {8}, 1, "f2{in0: (2) (4); in1: (1) -> out0: 8}"},
        {"(4,2):(2,1)", {2, 2}, 2, NULL},
        {"(4,2):(2,1)", {1, 0}, 2, "f2{in0: (0,2) (0,4); in1: (0,1) -> out0: 1, out1: 18446744073709551616}"},
        {"f2{x: (3,1) (3,2) -> y: 4, z: 4}", {16}, 1, "f2{x: (7) (11) -> out0: 16}"},
        {"f2{x: (3,1) (3,2) -> y: 4, z: 4}", {8, 4}, 2, "f2{x: (3,1) (3,2) -> out0: 8, out1: 4}"},
        {"f2{x: (3,1) (3,2) -> y: 4, z: 4}", {2, 2, 4}, 3, "f2{x: (1,1,1) (1,1,2) -> out0: 2, out1: 2, out2: 4}"},
        {"f2{x: (3,1) (3,2) -> y: 4, z: 4}", {2, 4}, 2, NULL},
        {"f2{x: (3,1) (3,2) -> y: 4, z: 4}", {2, 2, 2}, 3, NULL},
    };
    uint64_t three[] = {3};
    zlay_layout *a, *made;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        a = read_layout(*state, rows[i].text);
        zlay_status status = zlay_f2_lower(*state, &made, a, rows[i].size, rows[i].count);
        assert_int_equal(status, rows[i].expected ? ZLAY_OK : ZLAY_NONE);
        if (made) assert_text(made, rows[i].expected);
        zlay_layout_free(made);
        zlay_layout_free(a);
    }
    a = read_layout(*state, "4");
    assert_int_equal(zlay_f2_lower(*state, &made, a, three, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_lower(*state, &made, a, NULL, 1), ZLAY_EINVAL);
    zlay_layout_free(a);
}

/* Past the points there is no answer but a witness that two bits give. */
static void past_the_points(void **state)
{
    zlay_limits few = {.size = sizeof few, .points = 16};
    zlay_layout *made;
    zlay_ctx *ctx;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &few), ZLAY_OK);
    zlay_layout *a = read_layout(ctx, "f2{x: (1) (2) (0) (0) (0) (0) -> y: 6}");
    assert_int_equal(zlay_layout_lower(ctx, &made, a), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(ctx), "limits.points is 16"));
    zlay_layout_free(a);
    a = read_layout(ctx, "f2{x: (1) (2) (5) (0) (0) (0) -> y: 6}");
    assert_int_equal(zlay_layout_lower(ctx, &made, a), ZLAY_NONE);
    zlay_layout_free(a);
    a = read_layout(ctx, "(1024,1024):(1,1024)");
    assert_int_equal(zlay_layout_lower(ctx, &made, a), ZLAY_OK);
    zlay_layout_free(made);
    zlay_layout_free(a);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind), cmocka_unit_test(lifted_and_back), cmocka_unit_test(sizes),
        cmocka_unit_test(past_the_points),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
