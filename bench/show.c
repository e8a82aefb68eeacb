/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of layouts as SVG, from the layout to the last byte, beside a loop that prints as many rectangles
 * and labels by printf; pictures of schedules beside the search for the schedule alone. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlay/show_schedule.h>

enum { ROOM = 64 << 20 };

typedef struct drawing {
    zlay_ctx *ctx;
    zlay_layout *layout;
    int64_t side;
    char *text;
} drawing;

static bool show_work(void *value)
{
    drawing *s = value;
    const zlay_picture_form form = {.size = sizeof form, .form = ZLAY_PICTURE_SVG};
    zlay_buf out = {s->text, ROOM, 0};
    zlay_picture *picture = NULL;
    bool right = !zlay_show_layout(s->ctx, &picture, s->layout, NULL) && !zlay_picture_print(s->ctx, &out, picture, &form);
    zlay_picture_free(picture);
    return right;
}

static bool printf_work(void *value)
{
    drawing *s = value;
    int at = 0;
    for (int64_t i = 0; i < s->side; i++)
        for (int64_t j = 0; j < s->side; j++) {
            int64_t offset = i * s->side + j;
            at += snprintf(s->text + at, 256, "<g class=\"b s%d\"><title>(%d,%d) -> %d</title><rect x=\"%d\" y=\"%d\" width=\"43\" height=\"20\"/><text x=\"%d\" y=\"%d\">%d</text></g>\n",
                           (int)(offset % 16), (int)i, (int)j, (int)offset, (int)(39 + 43 * j), (int)(50 + 20 * i), (int)(60 + 43 * j), (int)(64 + 20 * i), (int)offset);
        }
    return at > 0;
}

static bool row(zlay_ctx *ctx, int side, bool json)
{
    char text[64], name[64];
    drawing s = {.ctx = ctx, .side = side, .text = malloc(ROOM)};
    snprintf(name, sizeof name, "picture of a layout, %d x %d, SVG", side, side);
    int length = snprintf(text, sizeof text, "(%d,%d):(%d,1)", side, side, side);
    const bench_row r = {name, "printf of its rectangles", show_work, printf_work, &s};
    bool right = s.text && !zlay_layout_parse(ctx, &s.layout, text, (size_t)length) && bench_print(&r, json);
    zlay_layout_free(s.layout);
    free(s.text);
    return right;
}

/* ---- schedules ------------------------------------------------------------------------------------------------- */

enum { OPS = 12 };

typedef struct planning {
    zlay_ctx *ctx;
    char *text;
    zlay_schedule_op op[OPS];
    zlay_schedule_edge edge[OPS - 1];
    zlay_schedule_unit unit[3];
    zlay_schedule_request loop;
} planning;

static bool gantt_work(void *value)
{
    planning *s = value;
    const zlay_picture_form form = {.size = sizeof form, .form = ZLAY_PICTURE_SVG};
    const zlay_show_schedule_request request = {.size = sizeof request, .iterations = 32, .columns = 1024};
    zlay_buf out = {s->text, ROOM, 0};
    zlay_picture *picture = NULL;
    bool right = !zlay_show_schedule(s->ctx, &picture, &s->loop, &request) && !zlay_picture_print(s->ctx, &out, picture, &form);
    zlay_picture_free(picture);
    return right;
}

static bool search_work(void *value)
{
    planning *s = value;
    zlay_schedule *found = NULL;
    bool right = !zlay_schedule_synth(s->ctx, &found, NULL, &s->loop);
    zlay_schedule_free(found);
    return right;
}

/* A chain of operations on three units in turn. */
static bool schedule_row(zlay_ctx *ctx, bool json)
{
    static const char *const names[OPS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    planning s = {.ctx = ctx, .text = malloc(ROOM), .unit = {{"copy", 1}, {"tensor", 1}, {"alu", 2}}};
    for (uint32_t i = 0; i < OPS; i++) s.op[i] = (zlay_schedule_op){names[i], i % 3, 0, 4 + i % 5, 6 + i % 7};
    for (uint32_t i = 1; i < OPS; i++) s.edge[i - 1] = (zlay_schedule_edge){i - 1, i, 0, 0, 1, 0};
    s.loop = (zlay_schedule_request){.size = sizeof s.loop, .op = s.op, .ops = OPS, .edge = s.edge, .edges = OPS - 1, .unit = s.unit, .units = 3};
    const bench_row r = {"picture of a schedule of 384 operations, SVG", "the search alone", gantt_work, search_work, &s};
    bool right = s.text && bench_print(&r, json);
    free(s.text);
    return right;
}

bool bench_show(zlay_ctx *ctx, bool json)
{
    static const int sides[] = {8, 32, 128, 512};
    bool right = true;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) right = row(ctx, sides[i], json) && right;
    return schedule_row(ctx, json) && right;
}
