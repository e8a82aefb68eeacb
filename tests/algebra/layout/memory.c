/* SPDX-License-Identifier: Apache-2.0 */
/* The k-th allocation fails, for every k and every call: nothing leaks, nothing is half-written. */
#include "heap_layouts.h"
#include "layouts/layout.h"

typedef zlay_status call(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b, const char *text);

static zlay_status parse(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b, const char *text)
{
    (void)a, (void)b;
    return zlay_layout_parse(ctx, out, text, strlen(text));
}

static zlay_status new_strided(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b, const char *text)
{
    int64_t ones[40], zeros[40] = {0};
    (void)a, (void)b, (void)text;
    for (int i = 0; i < 40; i++) ones[i] = 1;
    return zlay_layout_new_strided(ctx, out, 40, ones, zeros, 3);
}

static zlay_status new_swizzled(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b, const char *text)
{
    (void)b, (void)text;
    return zlay_layout_new_swizzled(ctx, out, 2, 0, 3, a);
}

static zlay_status compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                           const zlay_layout *b, const char *text)
{
    (void)text;
    return zlay_layout_compose(ctx, out, a, b);
}

static zlay_status divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b, const char *text)
{
    (void)text;
    return zlay_layout_divide(ctx, out, a, b, ZLAY_LOGICAL);
}

static zlay_status tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b, const char *text)
{
    (void)b;
    return zlay_layout_divide_tiler(ctx, out, a, text, strlen(text), ZLAY_LOGICAL);
}

static zlay_status coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_layout *b, const char *text)
{
    (void)b, (void)text;
    return zlay_layout_coalesce(ctx, out, a);
}

static zlay_status complement(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b, const char *text)
{
    (void)b, (void)text;
    return zlay_layout_complement(ctx, out, a, 1000);
}

static zlay_status lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b, const char *text)
{
    (void)b, (void)text;
    return zlay_layout_lower(ctx, out, a);
}

static zlay_status equal(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b, const char *text)
{
    zlay_answer answer = 7;
    zlay_witness witness = {.index = 7};
    zlay_status status = zlay_layout_equal(ctx, &answer, &witness, a, b);
    (void)text;
    *out = NULL;
    if (status) assert_true(answer == 7 && witness.index == 7);
    return status;
}

static zlay_status at(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                      const zlay_layout *b, const char *text)
{
    uint64_t index = 7;
    zlay_status status = zlay_layout_index(ctx, &index, a, text, strlen(text));
    (void)b;
    *out = NULL;
    if (status) assert_int_equal(index, 7);
    return status;
}

#define MANY "(2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2)"
#define WIDE MANY ":(1,3,7,15,31,63,127,255,511,1023,2047,4095,8191,16383,32767,65535," \
                  "131071,262143,524287,1048575)"

static const struct { call *call; const char *a, *b, *text; zlay_status status; } rows[] = {
    {parse, NULL, NULL, "(4,(2,2)):(2,(1,8))", ZLAY_OK},
    {parse, NULL, NULL, WIDE, ZLAY_OK},
    {parse, NULL, NULL, "f2{a: (1) (2); b: (0) -> x: 2, y: 2}", ZLAY_EINVAL},
    {parse, NULL, NULL, "f2{a: (1,0) (0,1); b: (0,0) -> x: 2, y: 2}", ZLAY_OK},
    {new_strided, NULL, NULL, NULL, ZLAY_OK},
    {new_swizzled, WIDE, NULL, NULL, ZLAY_OK},
    {compose, WIDE, "(1024,8):(1024,2)", NULL, ZLAY_OK},
    {compose, "(6,3):(1,20)", "4:4", NULL, ZLAY_OK},
    {compose, "(2,1):(0,1)", "(5,2):(5,0)", NULL, ZLAY_OK},
    {compose, "Sw<2,0,3> o 0 o 64", "(4,16):(16,1)", NULL, ZLAY_OK},
    {compose, "Sw<2,0,3> o 0 o 64", "(3,5):(8,1)", NULL, ZLAY_OK},
    {compose, "8:2", "Sw<2,0,3> o 0 o 64", NULL, ZLAY_OK},
    {compose, "f2{a: (1,0) (0,1); b: (1,1) -> x: 2, y: 2}", "(2,2,2):(4,1,2)", NULL, ZLAY_OK},
    {compose, "f2{a: (1) (2) -> x: 4}", "5", NULL, ZLAY_NONE},
    {compose, "f2{a: (1) (3) (1) -> x: 4}", "f2{a: (3) (6); b: (1) -> x: 8}", NULL, ZLAY_OK},
    {divide, "(4,2,3):(2,1,8)", "4:2", NULL, ZLAY_OK},
    {divide, "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,8):(1,64)", NULL, ZLAY_OK},
    {divide, WIDE, "4:2", NULL, ZLAY_OK},
    {tiler, "(9,(4,8)):(59,(13,1))", NULL, "<3:3;(2,4):(1,8)>", ZLAY_OK},
    {tiler, "Sw<3,3,3> o 0 o (64,64):(64,1)", NULL, "<8>", ZLAY_OK},
    {tiler, "(8,8)", NULL, "<4;4;4>", ZLAY_EINVAL},
    {coalesce, WIDE, NULL, NULL, ZLAY_OK},
    {coalesce, "Sw<1,0,3> o 0 o (8,8):(8,64)", NULL, NULL, ZLAY_OK},
    {coalesce, "Sw<1,0,3> o 0 o (3,8):(8,64)", NULL, NULL, ZLAY_OK},
    {complement, WIDE, NULL, NULL, ZLAY_OK},
    {complement, "(2,3,2):(3,5,8)", NULL, NULL, ZLAY_NONE},
    {complement, "(3,2):(2,3)", NULL, NULL, ZLAY_NONE},
    {complement, "(2,2):(1,6)", NULL, NULL, ZLAY_OK},
    {lower, "Sw<1,0,3> o 0 o (4,(2,2)):(2,(1,8))", NULL, NULL, ZLAY_OK},
    {lower, "f2{a: (1,0) (0,1) -> x: 2, y: 2}", NULL, NULL, ZLAY_OK},
    {equal, WIDE, WIDE, NULL, ZLAY_OK},
    {equal, "Sw<1,0,1> o 0 o 4", "4", NULL, ZLAY_OK},
    {at, WIDE, NULL, "5", ZLAY_OK},
    {at, "f2{a: (1) (2); b: (0) -> x: 4}", NULL, "(1,1)", ZLAY_OK},
};

static zlay_status called(zlay_ctx *ctx, void *given)
{
    const operands *t = given;
    zlay_layout *out = given;
    zlay_status status = rows[t->row].call(ctx, &out, t->a, t->b, rows[t->row].text);
    if (status) assert_null(out);
    if (status == ZLAY_ENOMEM) assert_non_null(strstr(zlay_ctx_message(ctx), "memory"));
    zlay_layout_free(out);
    return status;
}

static void check(size_t r)
{
    zlay_limits wide = {.size = sizeof wide, .points = 1 << 21};
    heap h;
    zlay_status status = layouts_fail_each(&h, &wide, called, r, rows[r].a, rows[r].b);
    if (status != rows[r].status) fail_msg("row %d: %s", (int)r, zlay_status_name(status));
}

static void every_allocation(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) check(r);
}

/* Up to 16 modes the result is the only allocation. */
static void one_block(void **state)
{
    static const char *const pairs[][2] = {
        {"(4,6,8,10):(2,3,5,7)", "6:12"}, {"(8,8,8,8):(1,64,512,8)", "(4,(2,8),16)"},
    };
    (void)state;
    for (size_t r = 0; r < 2; r++) {
        heap h = {0, 0, 0};
        zlay_allocator hooks = {&h, heap_take, heap_give};
        zlay_ctx *ctx;
        zlay_layout *c;
        assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_OK);
        zlay_layout *a = read_layout(ctx, pairs[r][0]), *b = read_layout(ctx, pairs[r][1]);
        h.calls = 0;
        assert_int_equal(zlay_layout_compose(ctx, &c, a, b), ZLAY_OK);
        assert_int_equal(h.calls, 1);
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
        zlay_ctx_free(ctx);
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
