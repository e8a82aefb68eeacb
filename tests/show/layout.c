/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of layouts: each label against the layout's value, or against who has the element by a walk over all
 * threads and values; the forms against the boxes; lines that fit; refusals; failing memory. */
#include "ctx.h"
#include "heap.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const layouts[] = {
    "1:0", "5:3", "(4,8):(8,1)", "((2,2),(2,4)):((1,8),(2,16))", "(2,3,4):(1,2,7)", "(3,5):(-5,1)", "Sw<2,0,3> o 0 o (8,8):(8,1)", "(1,7):(0,3)", "(7,1):(3,0)",
    "((3)):((2))", "(2,(3,2),2,3):(1,(2,6),12,24)",
};

static zlay_picture *shown(zlay_ctx *ctx, const zlay_layout *layout, const zlay_show_layout_request *request)
{
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_layout(ctx, &picture, layout, request);
    if (status) fail_msg("%s, %s", zlay_status_name(status), zlay_ctx_message(ctx));
    return picture;
}

static char *printed(zlay_ctx *ctx, const zlay_picture *picture, int32_t form, uint32_t width, bool colour)
{
    const zlay_picture_form f = {.size = sizeof f, .form = form, .width = width, .colour = colour};
    zlay_buf out = {NULL, 0, 0};
    assert_int_equal(zlay_picture_print(ctx, &out, picture, &f), ZLAY_EROOM);
    size_t need = out.need;
    out = (zlay_buf){malloc(need + 1), need + 1, 0};
    assert_int_equal(zlay_picture_print(ctx, &out, picture, &f), ZLAY_OK);
    assert_int_equal(strlen(out.text), need);
    return out.text;
}

/* ---- labels -------------------------------------------------------------------------------------- */

/* Extents of the first and the second mode of each of `layouts`, by hand; one mode is a row. */
static const uint32_t extents[][2] = {{1, 1}, {1, 5}, {4, 8}, {4, 8}, {2, 3}, {3, 5}, {8, 8}, {1, 7}, {7, 1}, {1, 3}, {2, 6}};

static void test_values(void **state)
{
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        zlay_layout *layout = read_layout(*state, layouts[l]);
        zlay_picture *picture = shown(*state, layout, NULL);
        zlay_panel panel;
        zlay_box box;
        uint64_t seen = 0, rows = extents[l][0], columns = extents[l][1];
        assert_string_equal(zlay_picture_title(picture), layouts[l]);
        assert_null(zlay_picture_column(picture, 0, columns));
        assert_null(zlay_picture_row(picture, 0, rows));
        for (uint64_t p = 0; !zlay_picture_panel_nth(&panel, picture, p); p++) {
            for (uint64_t c = 0; c < columns; c++) assert_int_equal(strtoull(zlay_picture_column(picture, p, c), NULL, 10), c);
            for (uint64_t r = 0; r < rows; r++) assert_int_equal(strtoull(zlay_picture_row(picture, p, r), NULL, 10), r);
            assert_true(panel.rows == rows && panel.columns == columns && panel.boxes == rows * columns && panel.kind == ZLAY_PANEL_CELLS);
            for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, p, i); i++, seen++) {
                int64_t value;
                char label[24];
                assert_int_equal(zlay_layout_eval(&value, 1, layout, p * rows * columns + box.row + rows * box.column), ZLAY_OK);
                snprintf(label, sizeof label, "%" PRId64, value);
                assert_string_equal(box.label, label);
                assert_true(box.width == 1 && !box.marked && box.shade == (int32_t)((uint64_t)value % ZLAY_SHADES) && box.step == -1);
            }
        }
        assert_int_equal(seen, zlay_layout_size(layout));
        zlay_picture_free(picture);
        zlay_layout_free(layout);
    }
}

/* A layout that is not defined everywhere has boxes where it is; several outputs are a tuple. */
static void test_holes_and_tuples(void **state)
{
    zlay_layout *layout = read_layout(*state, "{ [i,j] -> [i + j, 2j] : 0 <= i < 4 and 0 <= j < 3 and i + j <= 3 }");
    zlay_picture *picture = shown(*state, layout, NULL);
    zlay_box box;
    uint64_t i = 0;
    for (; !zlay_picture_box_nth(&box, picture, 0, i); i++) {
        char label[48];
        snprintf(label, sizeof label, "(%u,%u)", box.row + box.column, 2 * box.column);
        assert_true(box.row + box.column <= 3);
        assert_string_equal(box.label, label);
    }
    assert_int_equal(i, 9);
    char *text = printed(*state, picture, ZLAY_PICTURE_TEXT, 0, false);
    assert_non_null(strstr(text, " ."));
    free(text);
    zlay_picture_free(picture);
    zlay_layout_free(layout);
}

/* ---- holders --------------------------------------------------------------------------------------- */

static void test_holders(void **state)
{
    static const struct {
        const char *layout;
        uint64_t threads, rows, columns;
    } rows[] = {{"((4,8),(2,2)):((16,1),(8,64))", 32, 8, 16}, {"(8,2):(1,1)", 8, 2, 5}, {"(8,2):(2,1)", 8, 4, 5}, {"6:2", 6, 3, 4}, {"(4,3):(0,1)", 4, 1, 3}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        zlay_layout *layout = read_layout(*state, rows[r].layout);
        const zlay_show_layout_request request = {
            .size = sizeof request, .labels = ZLAY_SHOW_HOLDERS, .rows = rows[r].rows, .columns = rows[r].columns};
        zlay_picture *picture = shown(*state, layout, &request);
        zlay_box box;
        uint64_t cell[128] = {0}, held = 0, drawn = 0;
        for (uint64_t i = 0; i < zlay_layout_size(layout); i++) {
            int64_t element;
            assert_int_equal(zlay_layout_eval(&element, 1, layout, i), ZLAY_OK);
            held += !cell[element]++;
        }
        for (; !zlay_picture_box_nth(&box, picture, 0, drawn); drawn++) {
            uint64_t thread, value, element = box.row + rows[r].rows * box.column;
            int64_t has;
            assert_int_equal(sscanf(box.label, "T%" SCNu64 "V%" SCNu64, &thread, &value), 2);
            assert_int_equal(zlay_layout_eval(&has, 1, layout, thread + rows[r].threads * value), ZLAY_OK);
            assert_true((uint64_t)has == element && box.key == (int64_t)thread && box.marked == (cell[element] > 1));
        }
        assert_int_equal(drawn, held);
        zlay_picture_free(picture);
        zlay_layout_free(layout);
    }
}

/* ---- forms -------------------------------------------------------------------------------------------- */

static size_t times(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part)) count++;
    return count;
}

/* Each label is in the SVG as often as in the boxes and the axes, and in the text as a word. */
static void test_forms(void **state)
{
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
        zlay_layout *layout = read_layout(*state, layouts[l]);
        zlay_picture *picture = shown(*state, layout, NULL);
        char *text = printed(*state, picture, ZLAY_PICTURE_TEXT, 0, false), *svg = printed(*state, picture, ZLAY_PICTURE_SVG, 0, false);
        char *again = printed(*state, picture, ZLAY_PICTURE_SVG, 0, false), *html = printed(*state, picture, ZLAY_PICTURE_HTML, 0, false);
        zlay_box box;
        assert_string_equal(svg, again);
        assert_non_null(strstr(html, svg));
        assert_int_equal(times(svg, "<rect "), zlay_layout_size(layout));
        for (uint64_t p = 0; !zlay_picture_box_nth(&box, picture, p, 0); p++)
            for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, p, i); i++) {
                char part[32];
                snprintf(part, sizeof part, ">%s</text></g>", box.label);
                assert_true(times(svg, part) >= 1);
                snprintf(part, sizeof part, " %s", box.label);
                assert_non_null(strstr(text, part));
            }
        free(text), free(svg), free(again), free(html);
        zlay_picture_free(picture);
        zlay_layout_free(layout);
    }
}

/* (2,3):(3,1) as zlay/show.h has it. */
static void test_example(void **state)
{
    zlay_layout *layout = read_layout(*state, "(2,3):(3,1)");
    zlay_picture *picture = shown(*state, layout, NULL);
    char *text = printed(*state, picture, ZLAY_PICTURE_TEXT, 0, false);
    assert_string_equal(text, "(2,3):(3,1)\n  0 1 2\n0 0 1 2\n1 3 4 5\n");
    free(text);
    zlay_picture_free(picture);
    zlay_layout_free(layout);
}

/* No line is wider than asked for, whatever the width; the cells of all bands are all cells. */
static void test_widths(void **state)
{
    zlay_layout *layout = read_layout(*state, "(5,40):(40,1)");
    zlay_picture *picture = shown(*state, layout, NULL);
    for (uint32_t width = 20; width < 300; width += 7) {
        char *text = printed(*state, picture, ZLAY_PICTURE_TEXT, width, false);
        size_t cells = 0;
        for (char *line = strchr(text, '\n') + 1; *line;) {
            size_t length = strcspn(line, "\n");
            assert_true(length <= width);
            for (size_t i = 0; i < length; i++) cells += line[i] != ' ' && (i + 1 == length || line[i + 1] == ' ');
            line += length + (line[length] != 0);
        }
        size_t bands = times(text, "\n0 "), labels = 5 * bands;
        assert_int_equal(cells, 200 + 40 + labels); /* values, columns, rows of each band */
        free(text);
    }
    zlay_picture_free(picture);
    zlay_layout_free(layout);
}

/* Colours change no letter. */
static void test_colours(void **state)
{
    zlay_layout *layout = read_layout(*state, "(8,2):(1,1)");
    const zlay_show_layout_request request = {.size = sizeof request, .labels = ZLAY_SHOW_HOLDERS, .rows = 3, .columns = 3};
    zlay_picture *picture = shown(*state, layout, &request);
    char *plain = printed(*state, picture, ZLAY_PICTURE_TEXT, 0, false), *colour = printed(*state, picture, ZLAY_PICTURE_TEXT, 0, true);
    char *to = colour;
    for (const char *at = colour; *at; at++) {
        if (*at == '\033') at = strchr(at, 'm');
        else *to++ = *at;
    }
    *to = 0;
    assert_string_equal(plain, colour);
    assert_non_null(strstr(plain, "T1V0!"));
    free(plain), free(colour);
    zlay_picture_free(picture);
    zlay_layout_free(layout);
}

/* ---- refusals --------------------------------------------------------------------------------------------- */

static void refuse(zlay_ctx *ctx, const char *text, zlay_show_layout_request request, zlay_status wanted, const char *says)
{
    zlay_layout *layout = read_layout(ctx, text);
    zlay_picture *picture = (zlay_picture *)ctx;
    request.size = request.size ? request.size : sizeof request;
    zlay_status status = zlay_show_layout(ctx, &picture, layout, &request);
    assert_ptr_equal(picture, ctx);
    if (status != wanted || !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s: %s, %s", text, zlay_status_name(status), zlay_ctx_message(ctx));
    zlay_layout_free(layout);
}

static void test_refused(void **state)
{
    zlay_picture *picture = NULL;
    const zlay_show_layout_request none = {0}, holders = {.labels = ZLAY_SHOW_HOLDERS, .rows = 2, .columns = 2};
    refuse(*state, "(2,n):(1,2)", none, ZLAY_ENOTSUP, "parameter n");
    refuse(*state, "(65536,65536):(1,65536)", none, ZLAY_ELIMIT, "points");
    refuse(*state, "(4,4):(1,4)", holders, ZLAY_EINVAL, "value 4 at index 4");
    refuse(*state, "(4):(-1)", holders, ZLAY_EINVAL, "value -1 at index 1");
    refuse(*state, "4:1", (zlay_show_layout_request){.labels = 3}, ZLAY_EINVAL, "labels");
    refuse(*state, "4:1", (zlay_show_layout_request){.rows = 2}, ZLAY_EINVAL, "rows and columns");
    refuse(*state, "4:1", (zlay_show_layout_request){.rows = 2, .columns = 2}, ZLAY_EINVAL, "rows");
    refuse(*state, "4:1", (zlay_show_layout_request){.labels = ZLAY_SHOW_HOLDERS, .rows = UINT64_MAX, .columns = 2}, ZLAY_ELIMIT, "points");
    refuse(*state, "4:1", (zlay_show_layout_request){.reserved = {1}}, ZLAY_EINVAL, "reserved");
    refuse(*state, "4:1", (zlay_show_layout_request){.size = 3}, ZLAY_EINVAL, "size");
    assert_int_equal(zlay_show_layout(*state, &picture, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_picture_box_nth(NULL, NULL, 0, 0), ZLAY_EINVAL);
    assert_null(zlay_picture_note_nth(NULL, 0));
    assert_string_equal(zlay_picture_title(NULL), "");
    zlay_picture_free(NULL);
}

static void test_forms_refused(void **state)
{
    zlay_layout *layout = read_layout(*state, "(2,3):(3,1)");
    zlay_picture *picture = shown(*state, layout, NULL);
    char room[8] = "kept";
    zlay_buf out = {room, sizeof room, 0};
    const zlay_picture_form wrong[] = {{.size = sizeof *wrong, .form = 4}, {.size = sizeof *wrong}, {.size = sizeof *wrong, .form = 1, .width = 19}, {.size = 2, .form = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_int_equal(zlay_picture_print(*state, &out, picture, &wrong[i]), ZLAY_EINVAL);
    const zlay_picture_form right = {.size = sizeof right, .form = ZLAY_PICTURE_TEXT};
    assert_int_equal(zlay_picture_print(*state, &out, picture, &right), ZLAY_EROOM);
    assert_string_equal(room, "kept");
    zlay_picture_free(picture);
    zlay_layout_free(layout);
}

static zlay_status show_and_print(zlay_ctx *ctx, void *given)
{
    static char room[1 << 16];
    const zlay_picture_form f = {.size = sizeof f, .form = ZLAY_PICTURE_TEXT};
    zlay_buf out = {room, sizeof room, 0};
    zlay_picture *picture = NULL;
    const zlay_show_layout_request request = {.size = sizeof request, .labels = ZLAY_SHOW_HOLDERS, .rows = 16, .columns = 16};
    zlay_status status = zlay_show_layout(ctx, &picture, given, &request);
    if (!status) status = zlay_picture_print(ctx, &out, picture, &f);
    zlay_picture_free(picture);
    return status;
}

static void test_memory(void **state)
{
    heap h;
    (void)state;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *layout = read_layout(ctx, "(16,16):(16,1)");
    assert_int_equal(heap_fails_each(&h, ctx, show_and_print, layout), ZLAY_OK);
    zlay_layout_free(layout);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),  cmocka_unit_test(test_holes_and_tuples), cmocka_unit_test(test_holders), cmocka_unit_test(test_forms),
        cmocka_unit_test(test_example), cmocka_unit_test(test_widths),           cmocka_unit_test(test_colours), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_forms_refused), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
