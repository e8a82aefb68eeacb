/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts of 64 bits and of many dimensions, against columns multiplied here. */
#include "layouts/f2.h"
#include <zlay/pieces.h>

/* ---- 64 bits and more dimensions than usual -------------------------------------------------- */

static void sixty_four_bits(void **state)
{
    zlay_dim in = dim_of("i", 64), out = dim_of("o", 64);
    zlay_layout *a, *inverse, *twice;
    int64_t value;
    char text[1024];
    assert_int_equal(zlay_f2_strided(*state, &a, &in, &out, 1), ZLAY_OK);
    assert_true(zlay_layout_size(a) == UINT64_MAX);
    assert_int_equal(zlay_layout_eval(&value, 1, a, UINT64_MAX), ZLAY_OK);
    assert_true(value == -1);
    assert_int_equal(zlay_f2_invert(*state, &inverse, a), ZLAY_OK);
    assert_non_null(strstr(layout_text(text, inverse), "-> i: 18446744073709551616}"));
    zlay_layout *again = read_layout(*state, text);
    assert_int_equal(zlay_f2_composition(*state, &twice, again, a), ZLAY_OK);
    for (uint32_t k = 0; k < 64; k++) {
        uint64_t image = 0;
        assert_int_equal(zlay_f2_basis(&image, 1, twice, k), ZLAY_OK);
        assert_true(image == (uint64_t)1 << k);
    }
    zlay_layout_free(twice);
    zlay_layout_free(again);
    zlay_layout_free(inverse);
    zlay_layout_free(a);
    assert_int_equal(zlay_f2_strided(*state, &a, &in, &out, 2), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_strided(*state, &a, &out, &out, 0), ZLAY_OK);
    zlay_layout_free(a);
}

/* ---- domains that no strided layout has: matrices, against columns multiplied here ------------ */

static plain_map random_map(uint64_t *seed, unsigned ins, unsigned outs)
{
    plain_map m = {.ins = ins, .outs = outs};
    for (unsigned k = 0; k < ins; k++) m.column[k] = test_random(seed) & below(outs);
    return m;
}

static const plain_names whole = {{"i"}, {"o"}, 0, 0}, halves = {{"i", "j"}, {"o", "p"}, 30, 32};

static zlay_layout *compose(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b)
{
    zlay_layout *made = NULL;
    if (zlay_layout_compose(ctx, &made, a, b)) fail_msg("%s", zlay_ctx_message(ctx));
    return made;
}

static uint64_t flat_at(const zlay_layout *a, uint64_t x, unsigned cut)
{
    int64_t value[2] = {0, 0};
    assert_int_equal(zlay_layout_eval(value, 2, a, x), ZLAY_OK);
    return (uint64_t)value[0] | (cut ? (uint64_t)value[1] << cut : 0);
}

static void wide_composition(void **state)
{
    uint64_t seed = test_seed("wide composition");
    for (uint64_t n = 0; n < test_iterations(400); n++) {
        unsigned ins = n % 2 ? 64 : 63, middle = (unsigned)test_range(&seed, 34, 64);
        plain_map x = random_map(&seed, 64, 64), y = random_map(&seed, ins, middle);
        const plain_names *names = n % 4 < 2 ? &whole : &halves;
        zlay_layout *a = make_f2(*state, &x, names), *b = make_f2(*state, &y, names);
        zlay_layout *made = compose(*state, a, b), *line = NULL;
        assert_int_equal(zlay_layout_coalesce(*state, &line, made), ZLAY_OK);
        assert_int_equal(zlay_layout_box(NULL, 0, line), 1);
        for (int k = 0; k < 64; k++) {
            uint64_t at = test_random(&seed) & below(ins), right = plain_at(&x, plain_at(&y, at));
            assert_true(flat_at(made, at, names->out_cut) == right);
            assert_true(flat_at(line, at, names->out_cut) == right);
        }
        zlay_layout_free(line);
        zlay_layout_free(made);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
}

/* Strided and swizzled layouts after one: 2^63 - 1 is the last value that they take. */
static void wide_under_strides(void **state)
{
    uint64_t seed = test_seed("wide under strides");
    zlay_layout *strides = read_layout(*state, "(4,8):(1,8)"), *swizzle = NULL;
    plain_map y = random_map(&seed, 64, 59);
    zlay_layout *b = make_f2(*state, &y, &whole), *made = compose(*state, strides, b);
    swizzle = read_layout(*state, "Sw<3,4,3> o 0 o 8");
    zlay_layout *swizzled = compose(*state, swizzle, b);
    for (int k = 0; k < 1000; k++) {
        uint64_t at = test_random(&seed), v = plain_at(&y, at);
        assert_true(flat_at(made, at, 0) == (v % 4 + v / 4 * 8));
        assert_true(flat_at(swizzled, at, 0) == (v ^ (v >> 3 & 0x70)));
    }
    zlay_layout_free(swizzled);
    zlay_layout_free(made);
    zlay_layout_free(b);
    y.column[63] = (uint64_t)1 << 63, y.outs = 64;
    b = make_f2(*state, &y, &whole);
    assert_int_equal(zlay_layout_compose(*state, &made, swizzle, b), ZLAY_EOVERFLOW);
    zlay_layout_free(b);
    zlay_layout_free(swizzle);
    zlay_layout_free(strides);
}

/* The first index that leaves is the first basis that does. */
static void wide_leaves(void **state)
{
    plain_map x = {.ins = 20, .outs = 20}, y = {.ins = 64, .outs = 64};
    for (unsigned k = 0; k < 20; k++) x.column[k] = (uint64_t)1 << k;
    for (unsigned k = 0; k < 64; k++) y.column[k] = k < 40 ? k * 977u % 1048576 : (uint64_t)1 << k;
    zlay_layout *a = make_f2(*state, &x, &whole), *b = make_f2(*state, &y, &whole), *made;
    assert_int_equal(zlay_layout_compose(*state, &made, a, b), ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(*state), "index 1099511627776: b has 1099511627776, "));
    assert_int_equal(zlay_layout_compose_partial(*state, &made, a, b), ZLAY_EOVERFLOW);
    assert_null(made);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

/* A few points put into 64 bits, and 63 bits in two inputs as pieces. */
static void wide_beside_pieces(void **state)
{
    plain_map x = {.ins = 64, .outs = 64};
    for (unsigned k = 0; k < 64; k++) x.column[k] = (uint64_t)1 << (k * 5 % 64);
    zlay_layout *a = make_f2(*state, &x, &halves), *b = read_layout(*state, "9:3");
    zlay_layout *made = compose(*state, a, b);
    for (uint64_t i = 0; i < 9; i++) assert_true(flat_at(made, i, 32) == plain_at(&x, 3 * i));
    zlay_layout_free(made);
    assert_int_equal(zlay_layout_lift(*state, &made, a), ZLAY_EOVERFLOW);
    zlay_layout_free(b);
    zlay_layout_free(a);
    x.ins = x.outs = 63;
    for (unsigned k = 0; k < 63; k++) x.column[k] = (uint64_t)1 << (k < 30 ? k + 33 : k - 30);
    a = make_f2(*state, &x, &(plain_names){{"i", "j"}, {"o"}, 30, 0});
    assert_int_equal(zlay_layout_lift(*state, &made, a), ZLAY_OK);
    for (uint64_t i = 1; i < (uint64_t)1 << 62; i = i * 3 + 1)
        assert_true(flat_at(made, i, 0) == plain_at(&x, i));
    zlay_layout_free(made);
    zlay_layout_free(a);
}

static void one_dimension_changes(void **state)
{
    zlay_layout *a = read_layout(*state, "f2{a: (1,1) (0,0) (2,4); b: (3,6) -> x: 4, y: 8}"), *made;
    zlay_dim dim = dim_of("a", 2);
    assert_int_equal(zlay_f2_resize_in(*state, &made, a, &dim), ZLAY_OK);
    assert_text(made, "f2{a: (1,1) (0,0); b: (3,6) -> x: 4, y: 8}");
    zlay_layout_free(made);
    dim = dim_of("a", 4);
    assert_int_equal(zlay_f2_resize_in(*state, &made, a, &dim), ZLAY_OK);
    assert_text(made, "f2{a: (1,1) (0,0) (2,4) (0,0); b: (3,6) -> x: 4, y: 8}");
    zlay_layout_free(made);
    dim = dim_of("x", 1);
    assert_int_equal(zlay_f2_resize_out(*state, &made, a, &dim), ZLAY_OK);
    assert_text(made, "f2{a: (1,1) (0,0) (0,4); b: (0,6) -> x: 2, y: 8}");
    zlay_layout_free(made);
    dim = dim_of("x", 3);
    assert_int_equal(zlay_f2_resize_out(*state, &made, a, &dim), ZLAY_OK);
    assert_text(made, "f2{a: (1,1) (0,0) (2,4); b: (3,6) -> x: 8, y: 8}");
    zlay_layout_free(made);
    assert_int_equal(zlay_f2_remove_zero_bases(*state, &made, a, "a"), ZLAY_OK);
    assert_text(made, "f2{a: (1,1) (2,4); b: (3,6) -> x: 4, y: 8}");
    zlay_layout_free(made);
    assert_int_equal(zlay_f2_rename_in(*state, &made, a, "a", "c"), ZLAY_OK);
    assert_text(made, "f2{c: (1,1) (0,0) (2,4); b: (3,6) -> x: 4, y: 8}");
    zlay_layout_free(made);
    assert_int_equal(zlay_f2_rename_out(*state, &made, a, "y", "a"), ZLAY_OK);
    assert_text(made, "f2{a: (1,1) (0,0) (2,4); b: (3,6) -> x: 4, a: 8}");
    zlay_layout_free(made);
    assert_int_equal(zlay_f2_rename_in(*state, &made, a, "a", "b"), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_rename_in(*state, &made, a, "z", "b"), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_rename_in(*state, &made, a, NULL, NULL), ZLAY_EINVAL);
    zlay_layout_free(a);
}

static void many_dimensions(void **state)
{
    zlay_limits wide = {.size = sizeof wide, .dims = 1000};
    zlay_dim in[65], out[65];
    zlay_f2_bases b = {sizeof b, 0, 64, 64, in, out, NULL};
    zlay_layout *a;
    zlay_ctx *ctx;
    for (int i = 0; i < 65; i++) {
        in[i] = dim_of("i", 0);
        sprintf(in[i].name, "i%d", i);
        out[i] = in[i];
    }
    assert_int_equal(zlay_f2_new(*state, &a, &b), ZLAY_ELIMIT);
    assert_non_null(strstr(zlay_ctx_message(*state), "limits.dims is 64"));
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &wide), ZLAY_OK);
    assert_int_equal(zlay_f2_new(ctx, &a, &b), ZLAY_OK);
    zlay_layout_free(a);
    b.ins = 65;
    assert_int_equal(zlay_f2_new(ctx, &a, &b), ZLAY_ELIMIT);
    assert_null(a);
    b = (zlay_f2_bases){sizeof b, 0, 1, 1, in, out, NULL};
    in[0].size = 0;
    assert_int_equal(zlay_f2_new(ctx, &a, &b), ZLAY_EINVAL);
    b.reserved = 1;
    assert_int_equal(zlay_f2_new(ctx, &a, &b), ZLAY_EINVAL);
    memset(in[0].name, 'a', sizeof in[0].name);
    b.reserved = 0;
    assert_int_equal(zlay_f2_new(ctx, &a, &b), ZLAY_EINVAL);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixty_four_bits), cmocka_unit_test(wide_composition),
        cmocka_unit_test(wide_under_strides), cmocka_unit_test(wide_leaves),
        cmocka_unit_test(wide_beside_pieces), cmocka_unit_test(one_dimension_changes),
        cmocka_unit_test(many_dimensions),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
