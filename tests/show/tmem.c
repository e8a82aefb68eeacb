/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory over time, on a pipe whose steps are counted by hand; and pictures of the named pipes, whose boxes lie
 * apart and whose labels are in every form. */
#include "heap.h"
#include "pipes/named.h"

#include <zlay/show_pipe.h>

enum { PRINTED = 1 << 22 };

static zlay_ctx *new_ctx(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static zlay_pipe *parse(zlay_ctx *ctx, const char *text)
{
    zlay_pipe *pipe;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) fail_msg("%s", zlay_ctx_message(ctx));
    return pipe;
}

/* Steps of the role: use 0, tst 1, twait 2, tld 3, twait 4, use 5, relinquish 6, dealloc 7. */
static const char one_warp[] = "pipe one\ntmem C[2] 32\nalloc C\nsync cta\nrole w warps 0..0\nuse R\n"
                               "tst R -> C[1] lanes 0..31\ntwait st\ntld C[1] lanes 0..31 -> S\ntwait ld\nuse S\n"
                               "relinquish\ndealloc C\nend\n";

static void test_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *row, *label;
        uint32_t column, width;
    } want[] = {{"C[1] 32..63", "written", 1, 2}, {"C[1] 32..63", "read", 3, 2}, {"C 0..63", "64 columns", 0, 7}};
    zlay_ctx *ctx = new_ctx();
    zlay_pipe *pipe = parse(ctx, one_warp);
    zlay_picture *picture;
    zlay_panel panel;
    zlay_box box;
    bool seen[3] = {false};
    if (zlay_show_tmem(ctx, &picture, pipe, NULL)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_string_equal(zlay_picture_note_nth(picture, 0), "yes: correct for every trip count");
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    assert_int_equal(panel.columns, 8);
    assert_int_equal(panel.rows, 2);
    assert_int_equal(panel.boxes, 3);
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, 0, i); i++)
        for (size_t k = 0; k < 3; k++)
            seen[k] |= !strcmp(zlay_picture_row(picture, 0, box.row), want[k].row) && !strcmp(box.label, want[k].label) &&
                       box.column == want[k].column && box.width == want[k].width;
    assert_true(seen[0] && seen[1] && seen[2]);
    zlay_picture_free(picture);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

static void test_refused(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    zlay_picture *picture = NULL;
    zlay_pipe *pipe = parse(ctx, "pipe none\nrole w warps 0..0\nsync role\nend\n");
    assert_int_equal(zlay_show_tmem(ctx, &picture, pipe, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_show_tmem(ctx, &picture, NULL, NULL), ZLAY_EINVAL);
    assert_null(picture);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

static void print(zlay_ctx *ctx, char *out, const zlay_picture *picture, int32_t form)
{
    const zlay_picture_form f = {.size = sizeof f, .form = form};
    zlay_buf buf = {out, PRINTED, 0};
    assert_int_equal(zlay_picture_print(ctx, &buf, picture, &f), ZLAY_OK);
}

/* Boxes of a row lie one behind the other or apart, inside the panel; how many are there. */
static int check_boxes(zlay_ctx *ctx, const zlay_picture *picture)
{
    static char text[PRINTED], svg[PRINTED];
    static unsigned char cell[512][512];
    zlay_panel panel;
    zlay_box box;
    int boxes = 0;
    print(ctx, text, picture, ZLAY_PICTURE_TEXT);
    print(ctx, svg, picture, ZLAY_PICTURE_SVG);
    memset(cell, 0, sizeof cell);
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    for (; !zlay_picture_box_nth(&box, picture, 0, (uint64_t)boxes); boxes++) {
        char label[128];
        assert_true(box.width > 0 && box.column + box.width <= panel.columns && box.row < panel.rows);
        for (uint32_t c = box.column; c < box.column + box.width; c++) assert_int_equal(cell[box.row][c]++, 0);
        snprintf(label, sizeof label, "|%s", box.label);
        if (!strstr(text, label)) fail_msg("%s is not in the text", box.label);
        snprintf(label, sizeof label, ">%s</text>", box.label);
        if (!strstr(svg, label)) fail_msg("%s is not in the SVG", box.label);
        assert_true(*box.tip);
        assert_int_equal(box.step, box.column);
    }
    return boxes;
}

static void test_named(void **state)
{
    (void)state;
    static char text[NAMED_TEXT];
    zlay_ctx *ctx = new_ctx();
    int boxes = 0, memories = 0;
    for (size_t i = 0; i < NAMED + PLANNED; i++) {
        unsigned fewest = i < NAMED ? named[i].fewest : planned[i - NAMED].fewest;
        named_read(text, i < NAMED ? named[i].name : planned[i - NAMED].name, fewest);
        zlay_pipe *pipe = parse(ctx, text);
        zlay_picture *picture;
        if (zlay_show_pipe(ctx, &picture, pipe, NULL)) fail_msg("%s", zlay_ctx_message(ctx));
        assert_string_equal(zlay_picture_note_nth(picture, 0), "yes: correct for every trip count");
        boxes += check_boxes(ctx, picture);
        zlay_picture_free(picture);
        if (strstr(text, "\ntmem ")) {
            if (zlay_show_tmem(ctx, &picture, pipe, NULL)) fail_msg("%s", zlay_ctx_message(ctx));
            boxes += check_boxes(ctx, picture);
            zlay_picture_free(picture);
            memories++;
        }
        zlay_pipe_free(pipe);
    }
    print_message("%d boxes, %d pipes with tensor memory\n", boxes, memories);
    assert_true(boxes > 2000 && memories >= 2);
    zlay_ctx_free(ctx);
}

/* Registers that the producer gives back are awaited, though no mbarrier says that they are there: the events that
 * zlay_pipe_trace prints do not run without the producer, and the picture has all of the run. */
static void test_whole(void **state)
{
    (void)state;
    static const char *const lost = "wait full[t*N % 3] parity t*N / 3 % 2";
    static char text[NAMED_TEXT], trace[1 << 14];
    zlay_ctx *ctx = new_ctx();
    zlay_picture *picture;
    zlay_panel panel;
    zlay_box box;
    uint64_t lines = 0, marked = 0, events = 0;
    named_read(text, "gemm", 3);
    char *at = strstr(text, lost);
    assert_non_null(at);
    memset(at, ' ', strlen(lost));
    zlay_pipe *pipe = parse(ctx, text);
    zlay_buf buf = {trace, sizeof trace, 0};
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_OK);
    for (const char *line = trace; (line = strstr(line, " line ")); line++) lines += strncmp(line - 3, " at", 3) != 0;
    if (zlay_show_pipe(ctx, &picture, pipe, NULL)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, 0, i); i++) {
        events += !strncmp(box.tip, "line ", 5);
        marked += box.marked && box.column + 1 == panel.columns;
    }
    assert_int_equal(marked, 1);
    assert_true(events > lines + 3);
    zlay_picture_free(picture);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

static zlay_status show_once(zlay_ctx *ctx, void *given)
{
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_tmem(ctx, &picture, given, NULL);
    assert_true(!status == (picture != NULL));
    zlay_picture_free(picture);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_pipe *pipe = parse(ctx, one_warp);
    assert_int_equal(heap_fails_each(&h, ctx, show_once, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_named), cmocka_unit_test(test_whole),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
