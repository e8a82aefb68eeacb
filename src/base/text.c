/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void zl_put(zl_text *out, const char *text, size_t length)
{
    if (out->need < out->room) {
        size_t fits = out->room - out->need;
        memcpy(out->text + out->need, text, length < fits ? length : fits);
    }
    out->need += length;
}

void zl_puts(zl_text *out, const char *text) { zl_put(out, text, strlen(text)); }

void zl_put_times(zl_text *out, const char *text, uint32_t count)
{
    while (count--) zl_puts(out, text);
}

void zl_vputf(zl_text *out, const char *format, va_list args)
{
    char line[2048];
    int length = vsnprintf(line, sizeof line, format, args);
    if (length < 0) return;
    zl_put(out, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

void zl_putf(zl_text *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    zl_vputf(out, format, args);
    va_end(args);
}

zlay_status zl_print(zlay_buf *buf, zl_writer *write, const void *value)
{
    if (!buf || (!buf->text && buf->room)) return ZLAY_EINVAL;
    zl_text count = {NULL, 0, 0};
    write(&count, value);
    buf->need = count.need;
    if (count.need >= buf->room) return ZLAY_EROOM;
    zl_text text = {buf->text, buf->room, 0};
    write(&text, value);
    buf->text[text.need] = 0;
    return ZLAY_OK;
}

static size_t length_of(zl_writer *write, const void *value)
{
    zl_text count = {NULL, 0, 0};
    write(&count, value);
    return count.need;
}

static char *written(char *room, size_t length, zl_writer *write, const void *value)
{
    zl_text sink = {room, length, 0};
    if (room) write(&sink, value);
    return room;
}

zlay_status zl_print_alloc(zlay_ctx *ctx, char **text, size_t *length, zl_writer *write,
                           const void *value)
{
    *length = length_of(write, value);
    *text = written(zl_alloc(ctx, *length + 1, 1), *length, write, value);
    return *text ? ZLAY_OK : ZLAY_ENOMEM;
}

char *zl_print_scratch(zlay_ctx *ctx, size_t *length, zl_writer *write, const void *value)
{
    *length = length_of(write, value);
    return written(zl_scratch(ctx, *length + 1, 1), *length, write, value);
}

const char *zl_quote(char *out, const char *text, size_t length)
{
    char *end = out;
    size_t shown = length < 60 ? length : 60;
    for (size_t i = 0; i < shown; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x20 && c < 0x7f && c != '\\') *end++ = (char)c;
        else end += sprintf(end, "\\x%02x", c);
    }
    strcpy(end, shown < length ? "..." : "");
    return out;
}
