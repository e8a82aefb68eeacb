/* SPDX-License-Identifier: Apache-2.0 */
/* The k-th allocation fails, for every operation on F2 layouts; a result is their only allocation. */
#include "layouts/f2.h"
#include "heap_layouts.h"

typedef zlay_status call(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b);

static const char *const in_names[] = {"b", "a"}, *const out_names[] = {"y", "x"};

static zlay_status transpose_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const zlay_layout *b)
{
    (void)b;
    return zlay_f2_transpose_ins(ctx, out, a, in_names, 2);
}

static zlay_status transpose_outs(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                  const zlay_layout *b)
{
    (void)b;
    return zlay_f2_transpose_outs(ctx, out, a, out_names, 2);
}

static zlay_status reshape_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b)
{
    zlay_dim dim = dim_of("z", zlay_f2_bits(a));
    (void)b;
    return zlay_f2_reshape_ins(ctx, out, a, &dim, 1);
}

static zlay_status reshape_outs(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    zlay_dim dim = dim_of("z", 3);
    (void)b;
    return zlay_f2_reshape_outs(ctx, out, a, &dim, 1);
}

static zlay_status sublayout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_layout *b)
{
    (void)b;
    return zlay_f2_sublayout(ctx, out, a, in_names, 1, out_names, 1);
}

static zlay_status quotient(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_layout *b)
{
    (void)b;
    return zlay_f2_quotient(ctx, out, a, in_names, 0);
}

static zlay_status invert(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b)
{
    (void)b;
    return zlay_f2_invert(ctx, out, a);
}

static zlay_status pseudoinvert(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    (void)b;
    return zlay_f2_pseudoinvert(ctx, out, a);
}

static zlay_status strided(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                           const zlay_layout *b)
{
    zlay_dim dim = dim_of("z", 20);
    (void)a, (void)b;
    return zlay_f2_strided(ctx, out, &dim, &dim, 1);
}

static zlay_status rename_in(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_layout *b)
{
    (void)b;
    return zlay_f2_rename_in(ctx, out, a, "a", "z");
}

static zlay_status resize_in(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_layout *b)
{
    zlay_dim dim = dim_of("a", 5);
    (void)b;
    return zlay_f2_resize_in(ctx, out, a, &dim);
}

static zlay_status zeros(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b)
{
    (void)b;
    return zlay_f2_remove_zero_bases(ctx, out, a, "a");
}

static zlay_status lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b)
{
    (void)b;
    return zlay_layout_lower(ctx, out, a);
}

#define A "f2{a: (1,1) (2,0); b: (0,1) -> x: 4, y: 2}"
#define WRAP "f2{a: (1,1) (4,0); b: (0,1) -> x: 6, y: 2}"

static const struct { call *call; const char *a, *b; zlay_status status; } rows[] = {
    {zlay_f2_composition, A, "f2{c: (1,1) -> a: 4, b: 2}", ZLAY_OK},
    {zlay_f2_composition, A, "f2{c: (1,2) -> a: 4, b: 4}", ZLAY_NONE},
    {zlay_f2_inverse_composition, "f2{c: (0,1) (1,1) (2,0) -> x: 4, y: 2}", A, ZLAY_OK},
    {zlay_f2_lstsq, A, "f2{c: (0,1) (1,1) (2,0) -> x: 4, y: 2}", ZLAY_OK},
    {zlay_f2_lstsq, "f2{c: (0,1) -> x: 4, y: 2}", A, ZLAY_NONE},
    {zlay_f2_product, A, WRAP, ZLAY_OK},
    {zlay_f2_product, WRAP, WRAP, ZLAY_OK},
    {zlay_f2_divide_left, A, "f2{a: (1,1) -> x: 2, y: 2}", ZLAY_NONE},
    {zlay_f2_divide_left, A, "f2{->}", ZLAY_OK},
    {zlay_f2_divide_right, A, "f2{->}", ZLAY_OK},
    {zlay_f2_concat_ins, WRAP, "f2{c: (5,1) -> x: 6, y: 2}", ZLAY_OK},
    {zlay_f2_concat_outs, WRAP, "f2{a: (1) (2); b: (3) -> z: 7}", ZLAY_OK},
    {transpose_ins, WRAP, NULL, ZLAY_OK}, {transpose_outs, WRAP, NULL, ZLAY_OK},
    {reshape_ins, A, NULL, ZLAY_OK}, {reshape_outs, A, NULL, ZLAY_OK},
    {sublayout, WRAP, NULL, ZLAY_OK}, {quotient, WRAP, NULL, ZLAY_OK},
    {invert, A, NULL, ZLAY_OK}, {pseudoinvert, A, NULL, ZLAY_OK}, {strided, NULL, NULL, ZLAY_OK},
    {rename_in, WRAP, NULL, ZLAY_OK}, {resize_in, WRAP, NULL, ZLAY_OK}, {zeros, WRAP, NULL, ZLAY_OK},
    {lower, "f2{x: (1) (2) -> y: 6}", NULL, ZLAY_OK},
    {lower, "(4,8):(8,1)", NULL, ZLAY_OK},
};

static zlay_status called(zlay_ctx *ctx, void *given)
{
    const operands *t = given;
    zlay_layout *out = given;
    zlay_status status = rows[t->row].call(ctx, &out, t->a, t->b);
    if (status) assert_null(out);
    zlay_layout_free(out);
    return status;
}

static void check(size_t r)
{
    heap h;
    zlay_status status = layouts_fail_each(&h, NULL, called, r, rows[r].a, rows[r].b);
    if (status != rows[r].status) fail_msg("row %d: %s", (int)r, zlay_status_name(status));
    assert_int_equal(h.calls, status ? 0 : 1);
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) check(r);
}

/* NULL where a layout, a list or the output has to be. */
static void null_arguments(void **state)
{
    zlay_layout *a = read_layout(*state, A), *out = (zlay_layout *)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        if (!rows[r].a) continue;
        assert_int_equal(rows[r].call(*state, &out, NULL, NULL), ZLAY_EINVAL);
        assert_null(out);
        assert_int_equal(rows[r].call(*state, NULL, a, a), ZLAY_EINVAL);
        assert_int_equal(rows[r].call(NULL, &out, a, a), ZLAY_EINVAL);
        if (rows[r].b) assert_int_equal(rows[r].call(*state, &out, a, NULL), ZLAY_EINVAL);
    }
    assert_int_equal(zlay_f2_transpose_ins(*state, &out, a, NULL, 2), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_sublayout(*state, &out, a, in_names, 1, NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_reshape_ins(*state, &out, a, NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_resize_in(*state, &out, a, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_new(*state, &out, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_strided(*state, &out, NULL, NULL, 1), ZLAY_EINVAL);
    assert_null(out);
    assert_int_equal(zlay_f2_in_count(NULL), 0);
    assert_int_equal(zlay_f2_bits(NULL), 0);
    assert_int_equal(zlay_f2_rank(NULL, a), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_free_variable_masks(NULL, 2, a), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_num_consecutive(NULL, a), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_basis(NULL, 2, a, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_f2_basis(NULL, 0, NULL, 0), ZLAY_EINVAL);
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation), cmocka_unit_test(null_arguments),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
