/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies as text: what is read is printed and read again as the same value; what is no body is refused with its line and
 * a sentence that says what is wrong. */
#include "ctx.h"
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <zlay/zlay.h>

enum { ROOM = 1 << 16 };

static zlay_body *read_body(zlay_ctx *ctx, const char *text)
{
    zlay_body *body;
    if (zlay_body_parse(ctx, &body, text, strlen(text))) fail_msg("%s\n%s", text, zlay_ctx_message(ctx));
    return body;
}

/* A text in the printed form prints as itself; any text prints in a form that does. */
static void check_print(zlay_ctx *ctx, const char *text, const char *wanted)
{
    static char first[ROOM], second[ROOM];
    zlay_buf a = {first, sizeof first, 0}, b = {second, sizeof second, 0};
    zlay_body *body = read_body(ctx, text), *again;
    assert_int_equal(zlay_body_print(&a, body), ZLAY_OK);
    assert_string_equal(first, wanted);
    again = read_body(ctx, first);
    assert_int_equal(zlay_body_print(&b, again), ZLAY_OK);
    assert_string_equal(second, first);
    zlay_body_free(body);
    zlay_body_free(again);
}

#define HEAD "body b\n  matrix C f32\n  matrix D bf16\n  row m f32\n  part l f32\n  column s f32\n  scalar a f32\n  index k\n  global g bf16\n  shared q u4\n  shared z bf16\n"

static const struct {
    const char *line, *printed; /* NULL: as it was read */
} lines[] = {
    {"C = C + 1", NULL},
    {"C = (C + 1) * 2", NULL},
    {"C = C + (1 * 2)", "C = C + 1 * 2"},
    {"C = C - (1 - m)", NULL},
    {"C = (C - 1) - m", "C = C - 1 - m"},
    {"C = C * -1", NULL},
    {"C = -C", NULL},
    {"C = --C", "C = -(-C)"},
    {"C = -(C + m)", NULL},
    {"C = C - -1", NULL},
    {"C = C + 1.50", "C = C + 15e-1"},
    {"C = C + 1e3", "C = C + 1000"},
    {"C = C + 0.001", "C = C + 1e-3"},
    {"C = C + 1e20", "C = C + 100000000000000e6"},
    {"C = C + 000.0", "C = C + 0"},
    {"C = fma(C, a, s)", NULL},
    {"m = max(m, rowmax(C))", NULL},
    {"l = l * m + partsum(exp2(C - m))", NULL},
    {"m = lanesum(l)", NULL},
    {"D = bf16(C)", NULL},
    {"D = bf16.rz(C)", NULL},
    {"D = bf16 . rz ( C )", "D = bf16.rz(C)"},
    {"C = f32(D) + f32(load(g, k + col))", NULL},
    {"C = C + f32(load(g, row * 8 + col, k))", NULL},
    {"C = select(col + k <= row, C, -inf)", NULL},
    {"C = select(and(col < 4, row >= k), C, inf)", NULL},
    {"C = f32(shr(u32(row), 2) )", "C = f32(shr(u32(row), 2))"},
    {"C = f32(and(u32(col), 0xff))", "C = f32(and(u32(col), 255))"},
    {"D = bf16(load(q, row, col))", NULL},
    {"D = bf16.biased(load( q,row , col )) - load(z, row)", "D = bf16.biased(load(q, row, col)) - load(z, row)"},
    {"D = D * load(z, col)", NULL},
    {"D = D * load(z, col + 8)", NULL},
    {"D = bf16(load(q, row, col+064)) - load(z, row, col + 0)", "D = bf16(load(q, row, col + 64)) - load(z, row, col + 0)"},
    {"m = a", NULL},
    {"D = D * D + 2", NULL},
    {"x = C + 1\n  m = rowsum(x)\n  C = x * m", NULL},
    {"x = m\n  m = m + 1\n  C = C + x", "x = m\n  m = x + 1\n  C = C + x"}, /* x is what m was */
    {"x = m + 1\n  m = x\n  C = C * x", "x = m + 1\n  m = x\n  C = C * m"},
    {"x = 3\n  x = x + a\n  C = C + x", NULL},
};

static void reads_what_it_prints(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char text[1024], wanted[1024];
        snprintf(text, sizeof text, HEAD "  %s\nend\n", lines[i].line);
        snprintf(wanted, sizeof wanted, HEAD "  %s\nend\n", lines[i].printed ? lines[i].printed : lines[i].line);
        check_print(ctx, text, wanted);
    }
}

static const struct {
    const char *line, *message;
} wrong[] = {
    {"C = D", "line 12: 'C' is f32, and its new value bf16: convert it, as f32(..)"},
    {"C = C + D", "line 12: + of f32 and bf16: convert one of them"},
    {"C = C + row", "line 12: + of f32 and s32: convert one of them"},
    {"C = Q + 1", "line 12: there is no 'Q'; did you mean 'q'?"},
    {"C = rowmix(C)", "line 12: there is no 'rowmix'; did you mean 'rowmax'?"},
    {"m = rowsum(m)", "line 12: rowsum takes a matrix"},
    {"m = C", "line 12: 'm' is a row, and its new value depends on more"},
    {"m = l", "line 12: 'm' is a row, and its new value depends on more"},
    {"C = C * l", "line 12: * of a lane's part and of columns: lanesum or lanemax first makes a row of the parts"},
    {"m = lanesum(m)", "line 12: lanesum takes parts of rows, as partsum makes them"},
    {"a = 1", "line 12: 'a' is a scalar, which is only read"},
    {"g = D", "line 12: 'g' is a global, which is only read"},
    {"C = g", "line 12: an array in global memory is read by load(NAME, index)"},
    {"C = load(C, k)", "line 12: 'C' lies in registers: load reads a `global`"},
    {"C = q", "line 12: a stage of shared memory is read by load(NAME, row, col), load(NAME, row) or load(NAME, col)"},
    {"D = load(z, 1)", "line 12: a stage of shared memory is loaded at row, col, at row or at col"},
    {"D = load(z, row + 1)", "line 12: a stage of shared memory is loaded at row, col, at row or at col"},
    {"D = load(z, row) + load(z, col)", "line 12: 'z' is loaded at other coordinates before"},
    {"D = load(z, row, col + 8) + load(z, row, col)", "line 12: 'z' is loaded at other coordinates before"},
    {"D = load(z, row, col + 8) + load(z, row, col + 0)", "line 12: 'z' is loaded at other coordinates before"},
    {"D = load(z, row, col + x)", "line 12: col + C: C is a number from 0 to 65535"},
    {"D = load(z, row, col + 65536)", "line 12: col + C: C is a number from 0 to 65535"},
    {"D = bf16(load(q, row))", "line 12: u4 is loaded as a matrix: load(q, row, col)"},
    {"D = load(q, row, col)", "line 12: 'D' is bf16, and its new value u4: convert it, as bf16(..)"},
    {"D = bf16.rz(load(q, row, col))", "line 12: no conversion from u4 to bf16 by rz"},
    {"D = bf16.biased(C)", "line 12: no conversion from f32 to bf16 by biased"},
    {"D = bf16(load(q, row, col) + load(q, row, col))", "line 12: there is no + of u4, which is only converted"},
    {"z = 1", "line 12: 'z' is a shared, which is only read"},
    {"D = load(g, C)", "line 12: an index and its limit are s32, as s32(x)"},
    {"C = select(C, C, C)", "line 12: select wants a condition first, as row < 4"},
    {"C = exp2(row)", "line 12: there is no exp2 of s32"},
    {"C = rcp(D)", "line 12: there is no rcp of bf16"},
    {"C = f32.rz(D)", "line 12: no conversion from bf16 to f32 by rz"},
    {"C = f32(row < 4)", "line 12: no conversion from a condition to f32"},
    {"C = f32(row + 0.5)", "line 12: a number is no value of s32"},
    {"C = fma(C, C)", "line 12: fma takes 3 operands"},
    {"C = C +", "line 12: a value is missing"},
    {"C = (C", "line 12: ')' is missing"},
    {"C = C C", "line 12: something stands behind the line"},
    {"C = 1234567890123456", "line 12: a number has at most 15 digits"},
    {"C = 1e40", "line 12: a number is too great or too small: 15 digits and 22 places are read"},
    {"C = 0x", "line 12: a hexadecimal number has no digit"},
    {"C = 3f", "line 12: a letter stands behind a number"},
    {"row = 3", "line 12: 'row' is a word of bodies"},
    {"int = C", "line 12: a line begins with a name, which no language reserves"},
    {"x = C", "line 13: body b gives no operand a value"},
    {"C = C\n  row x f32", "line 13: operands stand before the first line"},
};

static void says_what_is_wrong(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[1024];
        zlay_body *body = (zlay_body *)&text;
        snprintf(text, sizeof text, HEAD "  %s\nend\n", wrong[i].line);
        assert_int_equal(zlay_body_parse(ctx, &body, text, strlen(text)), ZLAY_EINVAL);
        assert_null(body);
        assert_string_equal(zlay_ctx_message(ctx), wrong[i].message);
    }
}

static void says_what_is_wrong_with_the_frame(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"", "the text is empty"},
        {"# nothing\n", "the text is empty"},
        {"bodies x\nend\n", "line 1: a body begins with `body NAME`"},
        {"body 3\nend\n", "line 1: `body` wants one name"},
        {"body b\n  matrix C f32\n  C = C\n", "line 3: `end` is missing"},
        {"body b\n  matrix C f32\n  C = C\nend\nend\n", "line 5: a line stands behind `end`"},
        {"body b\n  matrix C f64\nend\n",
         "line 2: 'f64' is no type of a body: f32, f16, bf16, e4m3, e5m2, s32, u32, s8, u8, s4, u4, e2m1 and ue8m0 are"},
        {"body b\n  row C e4m3\nend\n", "line 2: a row of e4m3: convert it where it is made"},
        {"body b\n  row C f32\n  row C f32\nend\n", "line 3: 'C' is used twice"},
        {"body b\nend\n", "line 2: body b gives no operand a value"},
    };
    zlay_ctx *ctx = *state;
    zlay_body *body;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (zlay_body_parse(ctx, &body, rows[i].text, strlen(rows[i].text)) != ZLAY_EINVAL) fail_msg("%s", rows[i].text);
        if (strcmp(zlay_ctx_message(ctx), rows[i].message))
            fail_msg("%s\n%s\n%s", rows[i].text, zlay_ctx_message(ctx), rows[i].message);
    }
    assert_int_equal(zlay_body_parse(ctx, &body, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_body_parse(ctx, NULL, "", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_body_parse(NULL, &body, "", 0), ZLAY_EINVAL);
    assert_int_equal(zlay_body_print(NULL, NULL), ZLAY_EINVAL);
    zlay_body_free(NULL);
}

static void tells_its_operands(void **state)
{
    static const struct {
        const char *name;
        int32_t sort, type;
        uint32_t reads, writes;
    } wanted[] = {
        {"C", ZLAY_BODY_MATRIX, ZLAY_TYPE_F32, 1, 0}, {"D", ZLAY_BODY_MATRIX, ZLAY_TYPE_BF16, 0, 1},
        {"m", ZLAY_BODY_ROW, ZLAY_TYPE_F32, 1, 1},    {"l", ZLAY_BODY_PART, ZLAY_TYPE_F32, 0, 0},
        {"s", ZLAY_BODY_COLUMN, ZLAY_TYPE_F32, 0, 0}, {"a", ZLAY_BODY_SCALAR, ZLAY_TYPE_F32, 0, 0},
        {"k", ZLAY_BODY_INDEX, ZLAY_TYPE_S32, 1, 0},  {"g", ZLAY_BODY_GLOBAL, ZLAY_TYPE_BF16, 1, 0},
        {"q", ZLAY_BODY_SHARED, ZLAY_TYPE_U4, 0, 0},  {"z", ZLAY_BODY_SHARED, ZLAY_TYPE_BF16, 1, 0},
    };
    zlay_ctx *ctx = *state;
    zlay_body *body = read_body(ctx, HEAD "  m = max(m, rowmax(C))\n  D = bf16(C - m) * load(g, k) + load(z, row)\nend\n");
    zlay_body_operand o;
    assert_int_equal(zlay_body_operand_count(body), sizeof wanted / sizeof *wanted);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(zlay_body_operand_nth(&o, body, i), ZLAY_OK);
        assert_string_equal(o.name, wanted[i].name);
        assert_int_equal(o.sort, wanted[i].sort);
        assert_int_equal(o.type, wanted[i].type);
        assert_int_equal(o.reads, wanted[i].reads);
        assert_int_equal(o.writes, wanted[i].writes);
    }
    assert_int_equal(zlay_body_operand_nth(&o, body, 10), ZLAY_EINVAL);
    assert_int_equal(zlay_body_operand_count(NULL), 0);
    zlay_body_free(body);
}

static void has_limits(void **state)
{
    static char text[ROOM];
    zlay_ctx *ctx = *state;
    zlay_body *body;
    size_t at = (size_t)sprintf(text, "body b\nmatrix C f32\nC = ");
    for (int i = 0; i < 100; i++) text[at++] = '(';
    strcpy(text + at, "C\nend\n");
    assert_int_equal(zlay_body_parse(ctx, &body, text, strlen(text)), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "line 3: limit nesting: 65 parentheses");
    at = (size_t)sprintf(text, "body b\nmatrix C f32\n");
    for (int i = 0; i < 513; i++) at += (size_t)sprintf(text + at, "C = C\n");
    strcpy(text + at, "end\n");
    assert_int_equal(zlay_body_parse(ctx, &body, text, strlen(text)), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "line 515: more than 512 lines");
    at = (size_t)sprintf(text, "body b\nmatrix C f32\n");
    for (int i = 0; i < 512; i++) at += (size_t)sprintf(text + at, "C = C + C + C\n");
    strcpy(text + at, "end\n");
    assert_int_equal(zlay_body_parse(ctx, &body, text, strlen(text)), ZLAY_ELIMIT);
    assert_string_equal(zlay_ctx_message(ctx), "line 514: more than 1024 operations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_prints),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(says_what_is_wrong_with_the_frame),
        cmocka_unit_test(tells_its_operands),
        cmocka_unit_test(has_limits),
    };
    return cmocka_run_group_tests_name("body/text", tests, begin, end);
}
