/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that store values of rows: what is read is printed and read again; what a body may not store, or not read, is refused. */
#include "body.h"

#include <zlay/zlay.h>

enum { ROOM = 1 << 12 };

#define HEAD "body b\n  matrix C f32\n  row m f32\n  output o f32\n  output n s32\n  index i\n"

static void reads_what_it_prints(void **state)
{
    static const char *const lines[] = {
        "store(o, row, 64, rowmax(C))",
        "store(o, i * 64 + row, i * 64 + 64, m / 448)",
        "x = row + 1\n  store(n, x, 64, x)\n  store(o, x, 64, 1)",
        "store = m + 1\n  store(o, row, 64, store)",
        "m = m / (m * 2) / m",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[ROOM], printed[ROOM];
        zlay_buf out = {printed, sizeof printed, 0};
        snprintf(text, sizeof text, HEAD "  %s\nend\n", lines[i]);
        zlay_body *body = read_body(*state, text);
        assert_int_equal(zlay_body_print(&out, body), ZLAY_OK);
        assert_string_equal(printed, text);
        zlay_body_free(body);
    }
}

static void says_what_is_written(void **state)
{
    zlay_body_operand o;
    zlay_body *body = read_body(*state, HEAD "  store(o, row, 64, m)\nend\n");
    for (size_t i = 2; i < 4; i++) {
        assert_int_equal(zlay_body_operand_nth(&o, body, i), ZLAY_OK);
        assert_int_equal(o.sort, ZLAY_BODY_OUTPUT);
        assert_int_equal(o.reads, 0);
        assert_int_equal(o.writes, i == 2);
    }
    zlay_body_free(body);
}

static void refuses(void **state)
{
    static const struct {
        const char *line, *message;
    } rows[] = {
        {"store(o, row, 64, C)", "line 7: store takes the value of a row, at an index that depends on the row"},
        {"store(o, i, 64, m)", "line 7: store takes the value of a row, at an index that depends on the row"},
        {"store(o, row + col, 64, m)", "line 7: store takes the value of a row, at an index that depends on the row"},
        {"store(o, row, 64, partsum(C))", "line 7: store takes the value of a row, at an index that depends on the row"},
        {"store(o, row, 64, row)", "line 7: 'o' is f32, and the value s32: convert it, as f32(..)"},
        {"store(n, row, 64, 0.5)", "line 7: a number is no value of s32"},
        {"store(o, m, 64, m)", "line 7: an index and its limit are s32, as s32(x)"},
        {"store(o, row, m)", "line 7: ',' is missing: store(NAME, index, limit, value)"},
        {"store(o, row, 64, m", "line 7: ')' is missing: store(NAME, index, limit, value)"},
        {"store(3, row, 64, m)", "line 7: store wants the name of an output first"},
        {"store(q, row, 64, m)", "line 7: there is no output 'q'"},
        {"store(m, row, 64, m)", "line 7: 'm' is a row: store writes an `output`"},
        {"store(o, row, 64, )", "line 7: a value is missing"},
        {"m = load(o, row)", "line 7: 'o' is an output, which nothing reads: load reads a `global`"},
        {"m = o", "line 7: an output is written by store(NAME, index, limit, value), and never read"},
        {"o = m", "line 7: 'o' is an output: store(o, index, limit, value) writes it"},
        {"m = m / row", "line 7: / of f32 and s32: convert one of them"},
        {"x = row / 2\n  m = f32(x)", "line 7: there is no / of s32"},
        {"output p bf16", "line 7: an output is f32, s32 or u32"},
        {"output p e4m3", "line 7: an output is f32, s32 or u32"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[ROOM];
        zlay_body *body = NULL;
        snprintf(text, sizeof text, HEAD "  %s\nend\n", rows[i].line);
        assert_int_equal(zlay_body_parse(*state, &body, text, strlen(text)), ZLAY_EINVAL);
        if (strcmp(zlay_ctx_message(*state), rows[i].message)) fail_msg("%s: %s", rows[i].line, zlay_ctx_message(*state));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_prints),
        cmocka_unit_test(says_what_is_written),
        cmocka_unit_test(refuses),
    };
    return cmocka_run_group_tests_name("body/stores", tests, begin, end);
}
