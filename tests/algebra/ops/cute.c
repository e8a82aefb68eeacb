/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's operations: what its templates print, and what each operation is, by enumeration, where
 * they are not defined. */
#include "base/base.h"
#include "layouts/layout.h"

#include <zlay/cute.h>

typedef zlay_status made_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const char *b);

static zlay_layout *tile_of(zlay_ctx *ctx, const char *b)
{
    return *b == '<' ? NULL : read_layout(ctx, b);
}

#define ARRANGED(name, verb, arrangement)                                                        \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        zlay_layout *b = tile_of(ctx, text);                                                     \
        zlay_status status =                                                                     \
            b ? zlay_layout_##verb(ctx, out, a, b, arrangement)                                  \
              : zlay_layout_##verb##_tiler(ctx, out, a, text, strlen(text), arrangement);        \
        zlay_layout_free(b);                                                                     \
        return status;                                                                           \
    }
ARRANGED(LOGICAL_DIVIDE, divide, ZLAY_LOGICAL)
ARRANGED(ZIPPED_DIVIDE, divide, ZLAY_ZIPPED)
ARRANGED(TILED_DIVIDE, divide, ZLAY_TILED)
ARRANGED(FLAT_DIVIDE, divide, ZLAY_FLAT)
ARRANGED(LOGICAL_PRODUCT, product, ZLAY_LOGICAL)
ARRANGED(ZIPPED_PRODUCT, product, ZLAY_ZIPPED)
ARRANGED(TILED_PRODUCT, product, ZLAY_TILED)
ARRANGED(FLAT_PRODUCT, product, ZLAY_FLAT)

#define TWO(name, verb)                                                                          \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        zlay_layout *b = read_layout(ctx, text);                                                 \
        zlay_status status = zlay_layout_##verb(ctx, out, a, b);                                 \
        zlay_layout_free(b);                                                                     \
        return status;                                                                           \
    }
TWO(BLOCKED_PRODUCT, blocked_product)
TWO(RAKED_PRODUCT, raked_product)
TWO(MAX_COMMON_LAYOUT, max_common_layout)

#define ONE(name, verb)                                                                          \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        (void)text;                                                                              \
        return zlay_layout_##verb(ctx, out, a);                                                  \
    }
ONE(RIGHT_INVERSE, right_inverse)
ONE(LEFT_INVERSE, left_inverse)

#define WITH(name, verb, argument)                                                               \
    static zlay_status name(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,              \
                            const char *text)                                                    \
    {                                                                                            \
        return zlay_layout_##verb(ctx, out, a, argument);                                        \
    }
#define TEXT text, strlen(text)
WITH(UPCAST, upcast, strtoull(text, NULL, 10))
WITH(DOWNCAST, downcast, strtoull(text, NULL, 10))
WITH(COMPOSE_TILER, compose_tiler, TEXT)
WITH(COALESCE_PROFILE, coalesce_profile, TEXT)
WITH(SLICE_AT, slice_at, TEXT)
WITH(DICE, dice, TEXT)
ONE(FLATTEN, flatten)

static zlay_status GROUP(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const char *text)
{
    char *end;
    size_t first = strtoull(text, &end, 10);
    return zlay_layout_group(ctx, out, a, first, strtoull(end + 1, NULL, 10));
}

/* The vector as a layout of that size, so that its rows are like the others. */
static zlay_status MAX_COMMON_VECTOR(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                     const char *text)
{
    char size[32];
    uint64_t count;
    zlay_layout *b = read_layout(ctx, text);
    zlay_status status = zlay_layout_max_common_vector(ctx, &count, a, b);
    zlay_layout_free(b);
    if (status) return status;
    sprintf(size, "%llu", (unsigned long long)count);
    return zlay_layout_parse(ctx, out, size, strlen(size));
}

typedef struct row {
    made_of *make;
    const char *name, *a, *b, *result;
} row;

static const row rows[] = {
#define ROW(op, a, b, result) {op, #op, a, b, result},
#include "layouts/cute_ops.def"
#undef ROW
};

static void check_row(zlay_ctx *ctx, const row *r)
{
    char text[1024] = "";
    zlay_layout *a = read_layout(ctx, r->a), *made = NULL;
    zlay_status status = r->make(ctx, &made, a, r->b);
    if (made) layout_text(text, made);
    if (status || strcmp(text, r->result))
        fail_msg("%s %s, %s: %d %s %s, not %s", r->name, r->a, r->b, (int)status, text,
                 zlay_ctx_message(ctx), r->result);
    zlay_layout_free(made);
    zlay_layout_free(a);
}

/* What the header works out, and what has no template: other kinds, offsets, no tile of its own. */
static void by_hand(void **state)
{
    static const row hand[] = {
#define ROW(op, a, b, result) {op, #op, a, b, result}
        ROW(LOGICAL_DIVIDE, "(4,2):(1,8)", "2:1", "(2,(2,2)):(1,(2,8))"),
        ROW(TILED_DIVIDE, "(4,2):(1,8)", "2:1", "(2,2,2):(1,2,8)"),
        ROW(LOGICAL_PRODUCT, "(4,2):(1,8)", "2:1", "((4,2),2):((1,8),4)"),
        ROW(RIGHT_INVERSE, "(4,2):(1,8)", "", "4:1"),
        ROW(MAX_COMMON_LAYOUT, "(3,4):(31,0)", "Sw<3,1,3> o -6 o 7:1", "6 o 1:0"),
        ROW(LEFT_INVERSE, "(4,2):(1,8)", "", "(8,2):(1,4)"),
        ROW(UPCAST, "(4,2):(1,8)", "2", "(2,2):(1,4)"),
        ROW(COMPOSE_TILER, "f2{a: (1) (2); b: (8) -> x: 16}", "<2:2;2>", "(2,2):(2,8)"),
        ROW(COMPOSE_TILER, "5 o ((4,2),5):((1,20),100)", "<2:4;2:2>", "5 o (2,2):(20,200)"),
        ROW(SLICE_AT, "(4,(2,3)):(1,(20,7))", "(_,(1,_))", "20 o (4,3):(1,7)"),
        ROW(SLICE_AT, "(4,(2,3)):(1,(20,7))", "(_,3)", "27 o (4):(1)"),
        ROW(SLICE_AT, "3 o (4,6):(1,20)", "(3,1)", "26 o 1:0"),
        ROW(SLICE_AT, "(4,6):(1,20)", "_", "(4,6):(1,20)"),
        ROW(SLICE_AT, "f2{a: (1) (2); b: (12) -> x: 16}", "(_,1)", "12 o (4):(1)"),
        ROW(SLICE_AT, "Sw<1,0,2> o 0 o (4,(2,3)):(1,(20,7))", "[_,[1,_]]",
            "Sw<1,0,2> o 20 o (4,3):(1,7)"),
        ROW(DICE, "Sw<1,0,2> o 0 o (4,(2,3)):(1,(20,7))", "(_,(1,_))", "(2):(21)"),
        ROW(FLATTEN, "9 o ((4)):((1))", "", "9 o (4):(1)"),
        ROW(BLOCKED_PRODUCT, "2:2", "4:1", "((2,(2,2))):((2,(1,4)))"),
        ROW(RAKED_PRODUCT, "2:2", "4:1", "(((2,2),2)):(((1,4),2))"),
        ROW(COALESCE_PROFILE, "f2{a: (1); b: (3) -> x: 4}", "(1,1)", "f2{a: (1); b: (3) -> x: 4}"),
        ROW(COALESCE_PROFILE, "f2{a: (1); b: (2) -> x: 4}", "1", "4:1"),
        ROW(GROUP, "f2{a: (1) (2); b: (4); c: (8) -> x: 16}", "0,2", "((4,2),2):((1,4),8)"),
#undef ROW
    };
    for (size_t i = 0; i < ZL_COUNT(hand); i++) check_row(*state, &hand[i]);
}

static void refused(void **state)
{
    static const struct {
        row row;
        zlay_status status;
    } rows_refused[] = {
#define ROW(op, a, b, part, status) {{op, #op, a, b, part}, status}
        ROW(SLICE_AT, "(4,6):(1,20)", "(_,6)", "byte 4: 6 is outside a mode of 6", ZLAY_EINVAL),
        ROW(SLICE_AT, "(4,6):(1,20)", "(_)", "byte 2", ZLAY_EINVAL),
        ROW(SLICE_AT, "(4,6):(1,20)", "(_,_,_)", "byte 4", ZLAY_EINVAL),
        ROW(SLICE_AT, "(4,6):(1,20)", "(_,x)", "byte 3", ZLAY_EINVAL),
        ROW(SLICE_AT, "(4,6):(1,20)", "(_,-1)", "byte 3", ZLAY_EINVAL),
        ROW(DICE, "(4,6):(1,20)", "", "byte 0", ZLAY_EINVAL),
        ROW(GROUP, "(4,6):(1,20)", "1,1", "modes 1 to 1", ZLAY_EINVAL),
        ROW(GROUP, "(4,6):(1,20)", "0,3", "modes 0 to 3", ZLAY_EINVAL),
        ROW(COMPOSE_TILER, "f2{a: (1) (2); b: (8) -> x: 16}", "<2:2;3>", "outside the 2", ZLAY_NONE),
        ROW(COMPOSE_TILER, "(4,6):(1,20)", "<2;2;2>", "more tiles", ZLAY_EINVAL),
        ROW(UPCAST, "(4,3):(1,3)", "2", "is split", ZLAY_NONE),
        ROW(COALESCE_PROFILE, "f2{a: (1); b: (2) -> x: 4}", "(1,1,1)", "more modes", ZLAY_EINVAL),
        ROW(COALESCE_PROFILE, "f2{a: (1); b: (2) -> x: 4}", "(1,(1))", "more modes", ZLAY_EINVAL),
        ROW(UPCAST, "4", "0", "unit of 0", ZLAY_EINVAL),
        ROW(LEFT_INVERSE, "(2,2):(1,1)", "", "indices 1 and 2", ZLAY_NONE),
        ROW(LEFT_INVERSE, "4:-1", "", "-1", ZLAY_NONE),
        ROW(RIGHT_INVERSE, "3 o 4:1", "", "0", ZLAY_NONE),
#undef ROW
    };
    for (size_t i = 0; i < ZL_COUNT(rows_refused); i++) {
        const row *r = &rows_refused[i].row;
        zlay_layout *a = read_layout(*state, r->a), *made = NULL;
        zlay_status status = r->make(*state, &made, a, r->b);
        if (status != rows_refused[i].status || !strstr(zlay_ctx_message(*state), r->result))
            fail_msg("%s %s, %s: %d %s", r->name, r->a, r->b, (int)status,
                     zlay_ctx_message(*state));
        assert_null(made);
        zlay_layout_free(a);
    }
}

static void templates(void **state)
{
    assert_true(ZL_COUNT(rows) > 400);
    for (size_t i = 0; i < ZL_COUNT(rows); i++) {
        char text[1024] = "", want[1024];
        const row *r = &rows[i];
        zlay_layout *a = read_layout(*state, r->a), *made = NULL, *same = read_layout(*state, r->result);
        zlay_status status = r->make(*state, &made, a, r->b);
        if (made) layout_text(text, made);
        if (status || strcmp(text, layout_text(want, same)))
            fail_msg("%s %s, %s: %d %s %s, not %s", r->name, r->a, r->b, (int)status, text,
                     zlay_ctx_message(*state), r->result);
        zlay_layout_free(same);
        zlay_layout_free(made);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates), cmocka_unit_test(by_hand), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
