/* SPDX-License-Identifier: Apache-2.0 */
/* Takes tokens from a text, and composes the messages that name a place in it.  No function looks
 * past `length`, and none allocates. */
#include "base/scan.h"

#include <stdio.h>
#include <string.h>

zlay_status zl_cursor_begin(zl_cursor *c, zlay_ctx *ctx, const char *text, size_t length)
{
    uint64_t limit = zl_limits(ctx)->text;
    *c = (zl_cursor){.ctx = ctx, .text = text, .length = length};
    if (!text) return zl_fail(ctx, ZLAY_EINVAL, "the text is NULL");
    if (length > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "the text has %zu bytes, limits.text is %llu", length,
                       (unsigned long long)limit);
    return ZLAY_OK;
}

const char *zl_cursor_line(zl_cursor *c, const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    const char *stop = newline ? newline : end;
    const char *comment = memchr(text, '#', (size_t)(stop - text));
    c->text = text;
    c->length = (size_t)((comment ? comment : stop) - text);
    c->at = 0;
    c->line++;
    return newline ? newline + 1 : end;
}

/* ---- failures ------------------------------------------------------------------------ */

zlay_status zl_cursor_refuse(const zl_cursor *c, zlay_status status, size_t at, const char *format,
                             ...)
{
    char what[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (c->line) return zl_fail(c->ctx, status, "line %u: %s", (unsigned)c->line, what);
    return zl_fail(c->ctx, status, "byte %zu: %s", c->first + at, what);
}

zlay_status zl_cursor_place(const zl_cursor *c, zlay_status status, size_t at)
{
    char what[1024] = {0};
    const char *message = zlay_ctx_message(c->ctx);
    if (!status || status == ZLAY_ENOMEM || !strncmp(message, "byte ", 5)) return status;
    strncpy(what, message, sizeof what - 1);
    return zl_cursor_refuse(c, status, at, "%s", what);
}

zlay_status zl_cursor_fail(zl_cursor *c, const char *expected)
{
    char quoted[256];
    if (zl_cursor_done(c))
        return zl_cursor_refuse(c, ZLAY_EINVAL, c->at, "expected %s, at the end of the text",
                                expected);
    return zl_cursor_refuse(c, ZLAY_EINVAL, c->at, "expected %s, at '%s'", expected,
                            zl_quote(quoted, c->text + c->at, c->length - c->at));
}

/* ---- characters and words -------------------------------------------------------------- */

char zl_cursor_peek(zl_cursor *c)
{
    while (c->at < c->length && zl_is_blank(c->text[c->at])) c->at++;
    if (c->at == c->length) return 0;
    return c->text[c->at] ? c->text[c->at] : '\x01';
}

bool zl_cursor_done(zl_cursor *c)
{
    return !zl_cursor_peek(c);
}

bool zl_cursor_take(zl_cursor *c, char wanted)
{
    if (zl_cursor_peek(c) != wanted) return false;
    c->at++;
    return true;
}

/* Whether a text stands next, behind blanks. */
static bool begins(zl_cursor *c, const char *text, size_t length)
{
    return zl_cursor_peek(c) == *text && c->length - c->at >= length &&
           !memcmp(c->text + c->at, text, length);
}

bool zl_cursor_symbol(zl_cursor *c, const char *symbol)
{
    size_t length = strlen(symbol);
    if (!begins(c, symbol, length)) return false;
    c->at += length;
    return true;
}

/* Whether the character at a byte belongs to a word that stands before it. */
static bool goes_on(const zl_cursor *c, size_t at)
{
    if (at >= c->length) return false;
    return zl_is_name_part(c->text[at]) || (c->mark && c->text[at] == c->mark);
}

bool zl_cursor_keyword(zl_cursor *c, const char *word)
{
    size_t length = strlen(word);
    if (!begins(c, word, length)) return false;
    size_t end = c->at + length;
    bool dot = c->dotted && end < c->length && c->text[end] == '.';
    if (goes_on(c, end + dot)) return false;
    c->at = end;
    return true;
}

size_t zl_cursor_word(zl_cursor *c)
{
    size_t end = c->at;
    if (!zl_is_name_start(zl_cursor_peek(c))) return 0;
    for (end = c->at + 1; goes_on(c, end);) end++;
    return end - c->at;
}

bool zl_cursor_name(zl_cursor *c, char *out)
{
    size_t length = zl_cursor_word(c);
    if (!length || !zl_is_name(c->text + c->at, length)) return false;
    memcpy(out, c->text + c->at, length);
    out[length] = 0;
    c->at += length;
    return true;
}

zlay_status zl_cursor_want(zl_cursor *c, char wanted)
{
    char text[] = {'\'', wanted, '\'', 0};
    return zl_cursor_take(c, wanted) ? ZLAY_OK : zl_cursor_fail(c, text);
}

zlay_status zl_cursor_end(zl_cursor *c)
{
    return zl_cursor_done(c) ? ZLAY_OK : zl_cursor_fail(c, "the end of the text");
}

/* ---- numbers ----------------------------------------------------------------------------- */

bool zl_cursor_at_integer(zl_cursor *c)
{
    zl_cursor_peek(c);
    size_t at = c->at;
    if (at < c->length && c->text[at] == '_') at++;
    if (at < c->length && c->text[at] == '-') at++;
    return at < c->length && zl_is_digit(c->text[at]);
}

static zlay_status overflow(const zl_cursor *c, size_t at)
{
    char quoted[256];
    return zl_cursor_refuse(c, ZLAY_EOVERFLOW, at, "%s does not fit 64 bits",
                            zl_quote(quoted, c->text + at, c->at - at));
}

/* Takes the digits that stand at the cursor; false: their number does not fit 64 bits. */
static bool digits(zl_cursor *c, uint64_t *out)
{
    bool fits = true;
    uint64_t value = 0;
    for (; c->at < c->length && zl_is_digit(c->text[c->at]); c->at++)
        fits = fits && zl_umul(value, 10, &value) &&
               zl_uadd(value, (uint64_t)(c->text[c->at] - '0'), &value);
    *out = value;
    return fits;
}

bool zl_cursor_number(zl_cursor *c, int64_t *out)
{
    uint64_t value;
    zl_cursor_peek(c);
    size_t begin = c->at;
    if (digits(c, &value) && c->at > begin && value <= INT64_MAX && !goes_on(c, c->at)) {
        *out = (int64_t)value;
        return true;
    }
    c->at = begin;
    return false;
}

zlay_status zl_cursor_integer(zl_cursor *c, int64_t *out)
{
    if (!zl_cursor_at_integer(c)) return zl_cursor_fail(c, "an integer");
    size_t begin = c->at;
    uint64_t value;
    zl_cursor_symbol(c, "_");
    bool minus = zl_cursor_symbol(c, "-");
    if (!digits(c, &value) || value > (uint64_t)INT64_MAX + minus) return overflow(c, begin);
    *out = minus ? (int64_t)(0 - value) : (int64_t)value;
    return ZLAY_OK;
}

zlay_status zl_cursor_unsigned(zl_cursor *c, uint64_t *out)
{
    if (!zl_is_digit(zl_cursor_peek(c))) return zl_cursor_fail(c, "an integer that is 0 or more");
    size_t begin = c->at;
    return digits(c, out) ? ZLAY_OK : overflow(c, begin);
}
