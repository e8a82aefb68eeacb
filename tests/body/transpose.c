/* SPDX-License-Identifier: Apache-2.0 */
/* A body on transposes: its text has `row` and `col` in each other's place, shapes are those that its text gives when it is read
 * anew, twice is the body itself, and one that knows rows from columns stays as it was. */
#include "body/body.h"
#include "ctx.h"
#include "group_ctx.h"

#include <string.h>

enum { TEXT = 2048 };

static zlay_body *parsed(const char *text)
{
    zlay_body *body = NULL;
    if (zlay_body_parse(ctx, &body, text, strlen(text))) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    return body;
}

static void assert_text(const zlay_body *body, const char *text)
{
    char room[TEXT];
    zlay_buf buf = {room, sizeof room, 0};
    assert_int_equal(zlay_body_print(&buf, body), ZLAY_OK);
    assert_string_equal(room, text);
}

static void assert_shapes(const zlay_body *a, const zlay_body *b)
{
    assert_int_equal(a->nodes_count, b->nodes_count);
    for (uint32_t i = 0; i < a->nodes_count; i++) {
        assert_int_equal(a->nodes[i].op, b->nodes[i].op);
        assert_int_equal(a->nodes[i].shape, b->nodes[i].shape);
    }
}

#define HEAD "body f\n  matrix S f32\n  matrix R bf16\n  scalar n s32\n  global g f32\n  index i\n  index j\n"
static void pairs(void **state)
{
    static const char *const rows[][2] = {
        {HEAD "  S = S * load(g, i + row)\nend\n", HEAD "  S = S * load(g, i + col)\nend\n"},
        {HEAD "  x = load(g, (i + row) * n + j + col, n * n)\n  R = bf16(S + x)\nend\n",
         HEAD "  x = load(g, (i + col) * n + j + row, n * n)\n  R = bf16(S + x)\nend\n"},
        {HEAD "  S = select(row + i < col + j, S, load(g, row) * load(g, col))\nend\n",
         HEAD "  S = select(col + i < row + j, S, load(g, col) * load(g, row))\nend\n"},
        {HEAD "  R = bf16(max(S, 0))\nend\n", HEAD "  R = bf16(max(S, 0))\nend\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_body *body = parsed(rows[i][0]), *other = parsed(rows[i][1]);
        assert_true(zl_body_transpose(body));
        assert_text(body, rows[i][1]);
        assert_shapes(body, other);
        assert_true(zl_body_transpose(body));
        assert_text(body, rows[i][0]);
        zlay_body_free(body);
        zlay_body_free(other);
    }
}

static void sided(void **state)
{
    static const char *const rows[] = {
        "body f\n  matrix S f32\n  S = S - rowmax(S)\nend\n",
        "body f\n  matrix S f32\n  row r f32\n  S = S * r\nend\n",
        "body f\n  matrix S f32\n  column c f32\n  S = S * c\nend\n",
        "body f\n  matrix S f32\n  part l f32\n  l = l + partsum(S)\nend\n",
        "body f\n  matrix S f32\n  shared Q f32\n  S = S + load(Q, row, col)\nend\n",
        "body f\n  matrix S f32\n  output o f32\n  scalar m s32\n  index i\n  store(o, i + row, m, f32(row))\nend\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_body *body = parsed(rows[i]);
        assert_false(zl_body_transpose(body));
        assert_text(body, rows[i]);
        zlay_body_free(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),
        cmocka_unit_test(sided),
    };
    return cmocka_run_group_tests_name("body/transpose", tests, open_ctx, close_ctx);
}
