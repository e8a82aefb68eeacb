/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the algebra as tables of strings. */
#include "layouts/layout.h"

/* ---- CuTe's results -------------------------------------------------------------------- */

enum { COMPOSE, COMPLEMENT, DIVIDE, TILER, COALESCE };

static zlay_status run(zlay_ctx *ctx, zlay_layout **out, int op, const char *x, const char *y)
{
    zlay_layout *a = read_layout(ctx, x);
    zlay_layout *b = op == COMPOSE || op == DIVIDE ? read_layout(ctx, y) : NULL;
    zlay_status status = op == COMPOSE ? zlay_layout_compose(ctx, out, a, b)
        : op == DIVIDE   ? zlay_layout_divide(ctx, out, a, b, ZLAY_LOGICAL)
        : op == TILER    ? zlay_layout_divide_tiler(ctx, out, a, y, strlen(y), ZLAY_LOGICAL)
        : op == COALESCE ? zlay_layout_coalesce(ctx, out, a)
                         : zlay_layout_complement(ctx, out, a, strtoull(y, NULL, 10));
    zlay_layout_free(b);
    zlay_layout_free(a);
    return status;
}

typedef struct row { int op; const char *a, *b, *result; } row;

static void check_rows(zlay_ctx *ctx, const row *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        zlay_layout *out;
        zlay_status status = run(ctx, &out, rows[r].op, rows[r].a, rows[r].b);
        if (status)
            fail_msg("%s, %s: %s, %s", rows[r].a, rows[r].b, zlay_status_name(status),
                     zlay_ctx_message(ctx));
        assert_text(out, rows[r].result);
        zlay_layout_free(out);
    }
}

static void cute_results(void **state)
{
    static const row rows[] = {
#define ROW(op, a, b, result) {op, a, b, result},
#include "layouts/cute.def"
#undef ROW
    };
    check_rows(*state, rows, sizeof rows / sizeof rows[0]);
}

static void further_results(void **state)
{
    static const row rows[] = {
        {COMPOSE, "(4,2):(1,8)", "7 o 8:-1", "11 o (4,2):(-1,-8)"},
        {COMPOSE, "3 o (4,2):(1,8)", "4 o 4:1", "11 o 4:1"},
        {COMPOSE, "4:1", "8:2", "8:2"},
        {COMPOSE, "(4,8):(1,100)", "(1,2):(6,4)", "(1,2):(0,100)"},
        {COMPOSE, "8:2", "Sw<3,0,3> o 0 o 64:1", "Sw<3,1,3> o 0 o 64:2"},
        {COMPOSE, "8:4", "Sw<3,0,3> o 0 o (8,5):(8,1)", "Sw<3,2,3> o 0 o (8,5):(32,4)"},
        {COMPOSE, "Sw<3,3,3> o 0 o (8,64):(64,1)", "512:1", "Sw<3,3,3> o 0 o (8,64):(64,1)"},
        {COMPOSE, "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,8):(1,8)", "(8,8):(72,1)"},
        {COMPOSE, "Sw<3,0,3> o 0 o 64", "Sw<3,0,3> o 0 o 64", "64:1"},
        {COMPOSE, "Sw<1,0,3> o 0 o 64", "8:8", "(2,4):(9,16)"},
        {COMPOSE, "Sw<1,0,3> o 0 o 8", "8", "8:1"},
        {COMPOSE, "f2{in0: (2) (4); in1: (1) (8) -> out0: 16}", "(4,4):(1,4)",
         "(4,(2,2)):(2,(1,8))"},
        {COMPOSE, "(4,2):(2,1)", "f2{a: (2); b: (4) (1) -> x: 8}", "(2,4):(4,1)"},
        {COMPOSE, "f2{a: (1) (1) -> x: 2}", "4", "f2{in0: (1) (1) -> x: 2}"},
        {COMPOSE, "f2{a: (1,1) (0,1) -> x: 2, y: 2}", "(2,2):(2,1)",
         "f2{in0: (0,1); in1: (1,1) -> x: 2, y: 2}"},
        {DIVIDE, "Sw<3,3,3> o 0 o (8,64):(64,1)", "(8,8):(1,64)",
         "Sw<3,3,3> o 0 o ((8,8),8):((64,8),1)"},
        {TILER, "Sw<3,3,3> o 0 o (64,64):(64,1)", "<8;64>",
         "Sw<3,3,3> o 0 o ((8,8),(64,1)):((64,512),(1,0))"},
        {TILER, "5 o ((4,4),3):((1,8),100)", "<(2,2):(1,4)>",
         "5 o (((2,2),(2,2)),3):(((1,8),(2,16)),100)"},
        {TILER, "(8,6,5)", "<4:1;2:3>", "((4,2),(2,3),5):((1,4),(24,8),48)"},
        {COALESCE, "Sw<3,4,3> o 7 o (4,(4,1)):(1,(4,9))", "", "7 o 16:1"},
        {COALESCE, "Sw<2,0,2> o 0 o (4,(2,2)):(1,(4,8))", "", "Sw<2,0,2> o 0 o 16:1"},
        {COALESCE, "9 o (2,2):(-1,-2)", "", "9 o 4:-1"},
        {COMPLEMENT, "(4,2):(4,0)", "16", "4:1"},
        {COMPLEMENT, "4611686018427387904:1", "9223372036854775807", "2:4611686018427387904"},
    };
    check_rows(*state, rows, sizeof rows / sizeof rows[0]);
}

static void refused(void **state)
{
    static const struct { row row; zlay_status status; } rows[] = {
        {{COMPOSE, "f2{a: (1) (2) -> x: 4}", "5", "index 4: b has 4"}, ZLAY_NONE},
        {{COMPOSE, "f2{a: (1) (2) -> x: 4}", "4:-1", "index 1: b has -1"}, ZLAY_NONE},
        {{COMPOSE, "2:4611686018427387904", "(2,3):(1,1)", "does not fit 64 bits"}, ZLAY_EOVERFLOW},
        {{COMPLEMENT, "(4,2):(1,3)", "24", "indices 3 and 4 have 3"}, ZLAY_NONE},
        {{COMPLEMENT, "(2,2,2):(1,2,3)", "24", "overlaps itself"}, ZLAY_NONE},
        {{COMPLEMENT, "(2,3,2):(3,5,8)", "24", "overlaps itself"}, ZLAY_NONE},
        {{COMPLEMENT, "4:-1", "24", "negative"}, ZLAY_NONE},
        {{COMPLEMENT, "(3,2,4):(2,3,0)", "24", "1, the least value not reached"}, ZLAY_NONE},
        {{COMPLEMENT, "1 o 4:1", "24", "no index has the value 0"}, ZLAY_NONE},
        {{COMPLEMENT, "Sw<1,1,1> o 0 o (4,2):(1,2)", "24", "indices 2 and 4"}, ZLAY_NONE},
        {{COMPLEMENT, "2:4611686018427387904", "24", "64 bits"}, ZLAY_EOVERFLOW},
        {{COMPLEMENT, "1:1", "18446744073709551615", "63 bits"}, ZLAY_EOVERFLOW},
        {{DIVIDE, "16", "(2,2):(1,1)", "indices 1 and 2"}, ZLAY_NONE},
        {{TILER, "8", "<4;2>", "more tiles than modes"}, ZLAY_EINVAL},
        {{TILER, "8", "4", "byte 0"}, ZLAY_EINVAL},
        {{TILER, "8", "<4", "byte 2"}, ZLAY_EINVAL},
        {{TILER, "8", "<4> ;", "byte 4"}, ZLAY_EINVAL},
        {{TILER, "(8,8)", "<4;?>", "byte 3"}, ZLAY_EINVAL},
        {{TILER, "(8,8)", "<;4>", "byte 1"}, ZLAY_EINVAL},
        {{TILER, "f2{a: (1) -> x: 2}", "<3>", "does not divide"}, ZLAY_NONE},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const row *x = &rows[r].row;
        zlay_layout *out = NULL;
        zlay_status status = run(*state, &out, x->op, x->a, x->b);
        if (status != rows[r].status || !strstr(zlay_ctx_message(*state), x->result))
            fail_msg("%s, %s: %s, %s", x->a, x->b, zlay_status_name(status),
                     zlay_ctx_message(*state));
        assert_null(out);
    }
}

/* ---- F2 ---------------------------------------------------------------------------------- */

static void lowered(void **state)
{
    static const struct { const char *a; zlay_status status; const char *result; } rows[] = {
        {"(4,(2,2)):(2,(1,8))", 0, "f2{in0: (2) (4); in1: (1) (8) -> out0: 16}"},
        {"Sw<1,0,3> o 0 o (4,(2,2)):(2,(1,8))", 0, "f2{in0: (2) (4); in1: (1) (9) -> out0: 16}"},
        {"((2,2),1,(2)):((8,1),5,(4))", 0, "f2{in0: (8) (1); in1:; in2: (4) -> out0: 16}"},
        {"1:0", 0, "f2{in0: -> out0: 1}"},
        {"2:3", 0, "f2{in0: (3) -> out0: 4}"},
        {"4:0", 0, "f2{in0: (0) (0) -> out0: 1}"},
        {"(4,3)", ZLAY_NONE, "extent 3 of mode 1"},
        {"7 o 8:-1", ZLAY_NONE, "value(0 ^ 0) is 7, not value(0) ^ value(0), 0"},
        {"(4,4):(1,2)", ZLAY_NONE, "value(2 ^ 4) is 4, not value(2) ^ value(4), 0"},
        {"2:-1", ZLAY_NONE, "value(1) is -1"},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *out, *a = read_layout(*state, rows[r].a);
        zlay_status status = zlay_layout_lower(*state, &out, a);
        assert_int_equal(status, rows[r].status);
        if (!status) assert_text(out, rows[r].result);
        else if (!strstr(zlay_ctx_message(*state), rows[r].result))
            fail_msg("%s: %s", rows[r].a, zlay_ctx_message(*state));
        zlay_layout_free(out);
        zlay_layout_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cute_results), cmocka_unit_test(further_results),
        cmocka_unit_test(refused), cmocka_unit_test(lowered),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
