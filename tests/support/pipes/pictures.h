/* SPDX-License-Identifier: Apache-2.0 */
/* What tests read off a picture of a pipe: its boxes, and its events as the lines of zlay_pipe_trace. */
#ifndef TEST_PIPE_PICTURES_H
#define TEST_PIPE_PICTURES_H

#include "pipe/language/pipe.h"
#include "test.h"

#include <string.h>
#include <zlay/show_pipe.h>

enum { PICTURE_STEPS = 100000 };

typedef struct sheet {
    zlay_ctx *ctx;
    zlay_pipe *pipe;
    zlay_picture *picture;
    zlay_panel panel;
    uint32_t roles; /* rows of instances; the others follow */
} sheet;

static inline sheet draw(zlay_ctx *ctx, zlay_pipe *pipe, uint64_t trips)
{
    sheet s = {.ctx = ctx, .pipe = pipe};
    const zlay_show_pipe_request request = {.size = sizeof request, .steps = PICTURE_STEPS, .trips = trips};
    if (zlay_show_pipe(ctx, &s.picture, pipe, &request)) fail_msg("%s", zlay_ctx_message(ctx));
    assert_int_equal(zlay_picture_panel_nth(&s.panel, s.picture, 0), ZLAY_OK);
    assert_int_equal(s.panel.kind, ZLAY_PANEL_STEPS);
    assert_int_equal(zlay_picture_panel_nth(&s.panel, s.picture, 1), ZLAY_NONE);
    assert_int_equal(zlay_picture_panel_nth(&s.panel, s.picture, 0), ZLAY_OK);
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        s.roles += zl_role_instances(&pipe->roles[r]) * (pipe->roles[r].cta == ZL_CTA_ALL ? pipe->blocks : 1);
    return s;
}

static inline void drop(sheet *s)
{
    zlay_picture_free(s->picture);
    zlay_pipe_free(s->pipe);
}

/* The box of a row that has a column; false: none has. */
static inline bool find(const sheet *s, zlay_box *box, uint32_t row, uint32_t column)
{
    for (uint64_t i = 0; !zlay_picture_box_nth(box, s->picture, 0, i); i++)
        if (box->row == row && box->column <= column && column < box->column + box->width) return true;
    return false;
}

/* A box of a role as a line of zlay_pipe_trace. */
static inline void line_of(char *out, size_t room, const sheet *s, const zlay_box *box)
{
    unsigned line;
    assert_int_equal(sscanf(box->tip, "line %u:", &line), 1);
    int at = snprintf(out, room, "%s line %u", zlay_picture_row(s->picture, 0, box->row), line);
    for (const char *part = strstr(box->tip, "; "); part; part = strstr(part, "; ")) {
        char name[65];
        long long value;
        part += 2;
        if (sscanf(part, "%64[^ =] = %lld", name, &value) == 2)
            at += snprintf(out + at, room - (size_t)at, " %s %lld", name, value);
    }
}

/* Compares events with lines; how many there are. */
static inline uint32_t compare_lines(const sheet *s, char *text, int32_t *standing)
{
    uint32_t column = 0;
    char drawn[256];
    zlay_box box;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strstr(line, " = ")) continue;
        if (strstr(line, " at line ")) {
            assert_string_equal(zlay_picture_note_nth(s->picture, 0) + 4, line);
            continue;
        }
        uint32_t row = 0;
        while (row < s->roles && !(find(s, &box, row, column) && box.column + box.width - 1 == column)) row++;
        assert_true(row < s->roles);
        line_of(drawn, sizeof drawn, s, &box);
        assert_string_equal(drawn, line);
        assert_int_equal(box.step, column);
        column++;
    }
    *standing = 0;
    for (uint32_t row = 0; row < s->roles; row++)
        *standing += column < s->panel.columns && find(s, &box, row, column) && box.marked;
    return column;
}

#endif
