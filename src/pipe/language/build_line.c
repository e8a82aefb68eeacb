/* SPDX-License-Identifier: Apache-2.0 */
/* The line of text that a struct of a builder becomes: its words, names, positions and bytes, the
 * first thing that is wrong in the struct, and the parser that reads it. */
#include "base/request.h"
#include "pipe/language/build.h"

#include <stdio.h>
#include <string.h>

void zl_build_wrong(zlay_pipe_builder *b, const char *field, const char *what)
{
    if (!b->wrong[0]) snprintf(b->wrong, sizeof b->wrong, "field '%s' %s", field, what);
}

void zl_build_begin(zlay_pipe_builder *b, const char *word)
{
    b->text = (zl_text){b->line, sizeof b->line, 0};
    b->wrong[0] = 0;
    zl_puts(&b->text, word);
}

void zl_build_name(zlay_pipe_builder *b, const char *name, const char *field)
{
    if (!name || !zl_is_name(name, strlen(name))) zl_build_wrong(b, field, "is no name");
    else zl_putf(&b->text, " %s", name);
}

void zl_build_bytes(zlay_pipe_builder *b, const zlay_pipe_bytes *bytes)
{
    const char *plus = " ";
    for (size_t i = 0; i < ZL_COUNT(bytes->move); i++) {
        if (!bytes->move[i]) continue;
        zl_puts(&b->text, plus);
        if (bytes->times[i] > 1) zl_putf(&b->text, "%u *", bytes->times[i]);
        zl_build_name(b, bytes->move[i], "bytes");
        plus = " + ";
    }
    if (bytes->add < 0) zl_build_wrong(b, "bytes", "is below 0");
    else if (bytes->add || plus[1] != '+') zl_putf(&b->text, "%s%lld", plus, (long long)bytes->add);
}

static bool is_number(const char *text)
{
    size_t digits = 0;
    while (zl_is_digit(text[digits])) digits++;
    return digits && digits < 12 && !text[digits];
}

/* Writes a position as the printer does: i-1, N, 0-1. */
void zl_build_at(zlay_pipe_builder *b, const zlay_pipe_at *at)
{
    const char *plus = "";
    if (at->counter) {
        zl_build_name(b, at->counter, "counter");
        if (at->times) {
            zl_puts(&b->text, " *");
            if (is_number(at->times)) zl_putf(&b->text, " %s", at->times);
            else zl_build_name(b, at->times, "times");
        }
        plus = "+";
    } else if (at->times) zl_build_wrong(b, "times", "multiplies no counter");
    if (at->plus) {
        zl_puts(&b->text, plus);
        zl_build_name(b, at->plus, "plus");
        plus = "+";
    }
    if (at->add > INT32_MAX || at->add < -INT32_MAX) zl_build_wrong(b, "add", "is out of range");
    else if (at->add < 0) zl_putf(&b->text, "%s-%lld", *plus ? "" : " 0", (long long)-at->add);
    else if (at->add || !*plus) zl_putf(&b->text, "%s %lld", plus, (long long)at->add);
}

/* The stages of a named ring; 1 where the name is unknown, which the parser reports. */
static uint32_t stages_of(const zl_build_writer *w, int of, const char *name)
{
    const zlay_pipe *pipe = w->b->parser.pipe;
    int32_t i = name && pipe ? zl_find(pipe, of, name) : -1;
    if (i < 0) return 1;
    switch (of) {
    case ZL_OF_BAR: return pipe->bars[i].stages;
    case ZL_OF_SMEM: return pipe->smems[i].stages;
    case ZL_OF_TMEM: return pipe->tmems[i].stages;
    default: return pipe->others[i].stages;
    }
}

void zl_build_position(zl_build_writer *w, zlay_pipe_at *at)
{
    zl_puts(&w->b->text, " (");
    zl_build_at(w->b, at);
    zl_puts(&w->b->text, ")");
    *at = (zlay_pipe_at){0};
}

void zl_build_slot(zl_build_writer *w, int of, const char **name, zlay_pipe_at *at, const char *field)
{
    bool constant = !at->counter && !at->times && !at->plus;
    w->stages = stages_of(w, of, *name);
    zl_build_name(w->b, *name, field);
    zl_puts(&w->b->text, "[");
    if (constant) {
        zl_build_at(w->b, at);
        *at = (zlay_pipe_at){0};
    } else {
        zl_build_position(w, at);
        zl_putf(&w->b->text, " %% %u", w->stages);
    }
    zl_puts(&w->b->text, "]");
    *name = NULL;
}

void zl_build_rest(zlay_pipe_builder *b, const void *copy, const zl_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!zl_is_zero((const char *)copy + fields[i].offset, fields[i].size))
            zl_build_wrong(b, fields[i].name, "does not belong to this word");
}

zlay_status zl_build_read(zlay_ctx *ctx, zlay_pipe_builder *b)
{
    zl_parser *p = &b->parser;
    zl_mark mark = zl_enter_part(ctx);
    if (!p->pipe || p->status)
        return zl_leave_part(ctx, mark,
                             zl_fail(ctx, p->status ? p->status : ZLAY_EINVAL, "the builder is %s",
                                     p->pipe ? "broken" : "finished"));
    if (b->text.need > sizeof b->line) zl_build_wrong(b, "word", "has too long a line");
    p->at.ctx = ctx;
    if (!b->wrong[0]) zl_parse_lines(p, b->line, b->text.need);
    else p->status = zl_fail(ctx, ZLAY_EINVAL, "line %u: %s", p->at.line + 1, b->wrong);
    p->at.text = b->line;
    p->at.length = p->at.at = 0;
    return zl_leave_part(ctx, mark, p->status);
}

zlay_status zl_build_call(zlay_ctx *ctx, zlay_pipe_builder *b)
{
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_build_read(ctx, b));
}
