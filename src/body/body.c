/* SPDX-License-Identifier: Apache-2.0 */
/* The public face of bodies: a text is read line by line into a value, whose operands can be
 * asked for. */
#include "body/body.h"

#include <string.h>

static void read_lines(zl_body_reader *r, const char *text, const char *end, bool *ended)
{
    while (!r->status && !*ended && text < end) {
        text = zl_cursor_line(r->at, text, end);
        if (zl_cursor_done(r->at)) continue;
        *ended = zl_cursor_keyword(r->at, "end");
        if (!*ended) zl_body_line_read(r);
        if (!r->status && !zl_cursor_done(r->at))
            zl_body_refuse(r, ZLAY_EINVAL, "something stands behind the line");
    }
    while (!r->status && text < end) {
        text = zl_cursor_line(r->at, text, end);
        if (!zl_cursor_done(r->at)) zl_body_refuse(r, ZLAY_EINVAL, "a line stands behind `end`");
    }
}

/* The first line that is not empty: `body NAME`. */
static zlay_status read_head(zlay_ctx *ctx, zl_body_reader *r, zl_cursor *at, const char **text,
                             const char *end)
{
    char name[65];
    do {
        if (*text >= end) return zl_fail(ctx, ZLAY_EINVAL, "the text is empty");
        *text = zl_cursor_line(at, *text, end);
    } while (zl_cursor_done(at));
    if (!zl_cursor_keyword(at, "body"))
        return zl_cursor_refuse(at, ZLAY_EINVAL, 0, "a body begins with `body NAME`");
    if (!zl_cursor_name(at, name) || !zl_cursor_done(at))
        return zl_cursor_refuse(at, ZLAY_EINVAL, 0, "`body` wants one name");
    return zl_body_begin(ctx, r, at, name);
}

static zlay_status parse(zlay_ctx *ctx, zlay_body **out, const char *text, size_t length)
{
    zl_cursor at;
    zl_body_reader r = {.status = ZLAY_OK};
    const char *end = text + length;
    bool ended = false;
    zlay_status status = zl_cursor_begin(&at, ctx, text, length);
    if (!status) status = read_head(ctx, &r, &at, &text, end);
    if (status) return status;
    read_lines(&r, text, end, &ended);
    if (!r.status && !ended) zl_body_refuse(&r, ZLAY_EINVAL, "`end` is missing");
    if (!r.status) zl_body_end(&r);
    if (r.status) zlay_body_free(r.body);
    else *out = r.body;
    return r.status;
}

zlay_status zl_body_parse(zlay_ctx *ctx, zlay_body **out, const char *text, size_t length)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, parse(ctx, out, text, length));
}

zlay_status zlay_body_parse(zlay_ctx *ctx, zlay_body **out, const char *text, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!text) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_body_parse(ctx, out, text, length));
}

size_t zlay_body_operand_count(const zlay_body *body)
{
    return body ? body->operands_count : 0;
}

zlay_status zlay_body_operand_nth(zlay_body_operand *out, const zlay_body *body, size_t i)
{
    if (!out || !body || i >= body->operands_count) return ZLAY_EINVAL;
    *out = body->operands[i];
    return ZLAY_OK;
}
