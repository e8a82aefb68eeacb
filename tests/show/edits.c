/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of the named pipes with one line less: where that is wrong, the picture has the events of zlay_pipe_trace one
 * behind the other, or more where those do not run alone, and one place is marked: the last step. */
#include "pipes/named.h"
#include "pipes/pictures.h"

enum { TRACE = 1 << 18 };

typedef struct counts {
    int wrong, same, whole, right;
} counts;

static uint32_t count_lines(const char *trace)
{
    uint32_t lines = 0;
    for (const char *at = trace; (at = strchr(at, '\n')); at++) lines++;
    for (const char *at = trace; (at = strstr(at, " = ")); at++) lines--;
    return lines - 1;
}

static void check_wrong(sheet *s, char *trace, counts *c)
{
    uint32_t lines = count_lines(trace), events = 0, marked = 0;
    int32_t standing = 0;
    zlay_box box;
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, s->picture, 0, i); i++) {
        bool last = box.column + box.width == s->panel.columns;
        assert_true(last || !box.marked);
        marked += box.marked;
        events += box.row < s->roles && !(last && box.marked);
    }
    assert_true(marked > 0);
    c->wrong++;
    if (events > lines) c->whole++;
    else c->same += compare_lines(s, trace, &standing) == lines;
}

static void check(zlay_ctx *ctx, const char *text, counts *c)
{
    static char trace[TRACE];
    zlay_buf buf = {trace, sizeof trace, 0};
    zlay_pipe *pipe;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) return;
    zlay_status status = zlay_pipe_trace(ctx, &buf, pipe);
    assert_true(status == ZLAY_OK || status == ZLAY_NONE || status == ZLAY_ELIMIT);
    sheet s = draw(ctx, pipe, status == ZLAY_OK ? 0 : 2); /* of a wrong one the run that is printed */
    if (status == ZLAY_OK) check_wrong(&s, trace, c);
    else c->right++;
    drop(&s);
}

static void test_lines(void **state)
{
    (void)state;
    static char text[NAMED_TEXT], edited[NAMED_TEXT];
    counts c = {0};
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    for (size_t i = 0; i < NAMED + PLANNED; i++) {
        named_read(text, i < NAMED ? named[i].name : planned[i - NAMED].name,
                   i < NAMED ? named[i].fewest : planned[i - NAMED].fewest);
        for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
            snprintf(edited, sizeof edited, "%.*s%s", (int)(line - text), text, end + 1);
            check(ctx, edited, &c);
        }
    }
    print_message("%d are wrong: %d as they are printed, %d with more events; %d are right\n", c.wrong, c.same, c.whole,
                  c.right);
    assert_int_equal(c.wrong, c.same + c.whole);
    assert_true(c.same > 500 && c.whole > 1 && c.right > 20);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
