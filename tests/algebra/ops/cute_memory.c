/* SPDX-License-Identifier: Apache-2.0 */
/* The k-th allocation fails in each of CuTe's operations; and what the fast roads take of memory. */
#include "heap.h"
#include "layouts/layout.h"

#include <zlay/cute.h>

/* What an operation is given: two layouts, a text. */
typedef struct given {
    const zlay_layout *a, *b;
    const char *text;
} given;

typedef zlay_status call(zlay_ctx *ctx, zlay_layout **out, const given *g);

#define CALL(name, expression)                                                                   \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const given *g)                    \
    {                                                                                            \
        return expression;                                                                       \
    }
#define TEXT g->text, strlen(g->text)
CALL(compose, zlay_layout_compose(ctx, out, g->a, g->b))
CALL(coalesce, zlay_layout_coalesce(ctx, out, g->a))
CALL(complement, zlay_layout_complement(ctx, out, g->a, 4096))
CALL(divide, zlay_layout_divide(ctx, out, g->a, g->b, ZLAY_LOGICAL))
CALL(flat_divide, zlay_layout_divide(ctx, out, g->a, g->b, ZLAY_FLAT))
CALL(product, zlay_layout_product(ctx, out, g->a, g->b, ZLAY_TILED))
CALL(blocked, zlay_layout_blocked_product(ctx, out, g->a, g->b))
CALL(raked, zlay_layout_raked_product(ctx, out, g->a, g->b))
CALL(right, zlay_layout_right_inverse(ctx, out, g->a))
CALL(left, zlay_layout_left_inverse(ctx, out, g->a))
CALL(up, zlay_layout_upcast(ctx, out, g->a, 2))
CALL(down, zlay_layout_downcast(ctx, out, g->a, 2))
CALL(common, zlay_layout_max_common_layout(ctx, out, g->a, g->b))
CALL(compose_tiler, zlay_layout_compose_tiler(ctx, out, g->a, TEXT))
CALL(divide_tiler, zlay_layout_divide_tiler(ctx, out, g->a, TEXT, ZLAY_ZIPPED))
CALL(product_tiler, zlay_layout_product_tiler(ctx, out, g->a, TEXT, ZLAY_TILED))
CALL(profile, zlay_layout_coalesce_profile(ctx, out, g->a, TEXT))

static const struct {
    call *call;
    const char *a, *b, *text;
    zlay_status status;
} rows[] = {
    {complement, "f2{a: (1) (4); b: (2) -> x: 8}", NULL, NULL, ZLAY_OK},
    {complement, "Sw<1,0,2> o 0 o (4,2):(1,8)", NULL, NULL, ZLAY_OK},
    {complement, "(3,2):(2,3)", NULL, NULL, ZLAY_NONE},
    {divide, "(4,2):(1,8)", "f2{a: (1); b: (2) -> x: 4}", NULL, ZLAY_OK},
    {divide, "f2{a: (1) (4); b: (2) -> x: 8}", "2:4", NULL, ZLAY_OK},
    {divide, "(6,3):(1,20)", "4:4", NULL, ZLAY_OK},
    {flat_divide, "(8,8):(8,1)", "(2,2):(1,8)", NULL, ZLAY_OK},
    {product, "(4,2):(1,8)", "(2,2):(2,1)", NULL, ZLAY_OK},
    {product, "Sw<1,0,2> o 3 o (2,3):(1,5)", "7:1", NULL, ZLAY_OK},
    {blocked, "(2,3):(1,5)", "7:1", NULL, ZLAY_OK},
    {raked, "(2,3):(1,2)", "7:1", NULL, ZLAY_OK},
    {raked, "f2{a: (1) (2); b: (8) -> x: 16}", "3:1", NULL, ZLAY_OK},
    {right, "(2,2):(1,1)", NULL, NULL, ZLAY_OK},
    {right, "(3,4):(4,1)", NULL, NULL, ZLAY_OK},
    {left, "(3,2):(2,3)", NULL, NULL, ZLAY_OK},
    {left, "(2,2):(1,1)", NULL, NULL, ZLAY_NONE},
    {up, "f2{a: (1) (2); b: (8) -> x: 16}", NULL, NULL, ZLAY_OK},
    {up, "(4,3):(1,3)", NULL, NULL, ZLAY_NONE},
    {down, "Sw<1,0,2> o 0 o (4,2):(1,8)", NULL, NULL, ZLAY_OK},
    {down, "(4,3):(2,8)", NULL, NULL, ZLAY_OK},
    {common, "(4,2):(1,8)", "(2,4):(1,2)", NULL, ZLAY_OK},
    {common, "f2{a: (1) (2); b: (8) -> x: 16}", "(4,2):(1,8)", NULL, ZLAY_OK},
    {compose_tiler, "((6,3),5):((1,20),100)", NULL, "<4:4;2:2>", ZLAY_OK},
    {compose_tiler, "f2{a: (1) (2); b: (8) -> x: 16}", NULL, "<2:2;2>", ZLAY_OK},
    {compose_tiler, "f2{a: (1) (2); b: (8) -> x: 16}", NULL, "<2:2;3>", ZLAY_NONE},
    {divide_tiler, "((6,3),5):((1,20),100)", NULL, "<4:4>", ZLAY_OK},
    {divide_tiler, "Sw<1,0,3> o 1 o ((6,3),4):((1,20),100)", NULL, "<4:4;2>", ZLAY_OK},
    {divide_tiler, "f2{a: (1) (2); b: (8) -> x: 16}", NULL, "<2:2>", ZLAY_OK},
    {product_tiler, "((6,3),5):((1,20),100)", NULL, "<4:1>", ZLAY_OK},
    {profile, "((2,2),(3,4)):((1,2),(4,12))", NULL, "(1,1)", ZLAY_OK},
};

typedef struct trial {
    call *call;
    heap h;
    zlay_ctx *ctx;
    zlay_layout *a, *b;
    given g;
} trial;

static void start(trial *t, const char *a, const char *b, const char *text)
{
    t->ctx = heap_open(&t->h, NULL);
    t->a = read_layout(t->ctx, a);
    t->b = read_layout(t->ctx, b);
    t->g = (given){t->a, t->b, text};
}

static void stop(trial *t)
{
    zlay_layout_free(t->b);
    zlay_layout_free(t->a);
    heap_close(&t->h, t->ctx);
}

static zlay_status called(zlay_ctx *ctx, void *started)
{
    trial *t = started;
    zlay_layout *out = (zlay_layout *)t;
    zlay_status status = t->call(ctx, &out, &t->g);
    if (status) assert_null(out);
    zlay_layout_free(out);
    return status;
}

static void check(size_t r)
{
    trial t = {.call = rows[r].call};
    start(&t, rows[r].a, rows[r].b, rows[r].text);
    zlay_status status = heap_fails_each(&t.h, t.ctx, called, &t);
    if (status != rows[r].status) fail_msg("row %d: %s", (int)r, zlay_status_name(status));
    stop(&t);
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) check(r);
}

/* Up to rank 8 the result is the only allocation. */
static void one_block(void **state)
{
    static const char eight[] = "(2,2,2,2,2,2,2,2):(128,1,64,2,32,4,16,8)";
    static call *const calls[] = {compose, coalesce, complement, divide};
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        trial t;
        zlay_layout *out;
        start(&t, eight, "(2,2,2,2):(2,1,4,8)", NULL);
        t.h.calls = 0;
        assert_int_equal(calls[i](t.ctx, &out, &t.g), ZLAY_OK);
        assert_int_equal(t.h.calls, 1);
        zlay_layout_free(out);
        stop(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
        cmocka_unit_test(one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
