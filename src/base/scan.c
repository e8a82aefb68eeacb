/* SPDX-License-Identifier: Apache-2.0 */
#include "base/scan.h"

#include <string.h>

zlay_status zl_cursor_begin(zl_cursor *c, zlay_ctx *ctx, const char *text, size_t length)
{
    uint64_t limit = zl_limits(ctx)->text;
    *c = (zl_cursor){ctx, text, length, 0, 0};
    if (!text) return zl_fail(ctx, ZLAY_EINVAL, "the text is NULL");
    if (length > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "the text has %zu bytes, limits.text is %llu", length,
                       (unsigned long long)limit);
    return ZLAY_OK;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

char zl_cursor_peek(zl_cursor *c)
{
    while (c->at < c->length && is_blank(c->text[c->at])) c->at++;
    if (c->at == c->length) return 0;
    return c->text[c->at] ? c->text[c->at] : '\x01';
}

bool zl_cursor_take(zl_cursor *c, char wanted)
{
    if (zl_cursor_peek(c) != wanted) return false;
    c->at++;
    return true;
}

bool zl_cursor_word(zl_cursor *c, const char *word)
{
    size_t length = strlen(word);
    zl_cursor_peek(c);
    if (c->length - c->at < length || memcmp(c->text + c->at, word, length)) return false;
    c->at += length;
    return true;
}

zlay_status zl_cursor_fail(zl_cursor *c, const char *expected)
{
    char quoted[256];
    zl_cursor_peek(c);
    if (c->at == c->length)
        return zl_fail(c->ctx, ZLAY_EINVAL, "byte %zu: expected %s, at the end of the text",
                       c->first + c->at, expected);
    return zl_fail(c->ctx, ZLAY_EINVAL, "byte %zu: expected %s, at '%s'", c->first + c->at,
                   expected, zl_quote(quoted, c->text + c->at, c->length - c->at));
}

zlay_status zl_cursor_want(zl_cursor *c, char wanted)
{
    char text[] = {'\'', wanted, '\'', 0};
    return zl_cursor_take(c, wanted) ? ZLAY_OK : zl_cursor_fail(c, text);
}

zlay_status zl_cursor_end(zl_cursor *c)
{
    return zl_cursor_peek(c) ? zl_cursor_fail(c, "the end of the text") : ZLAY_OK;
}

bool zl_cursor_at_integer(zl_cursor *c)
{
    zl_cursor_peek(c);
    size_t at = c->at;
    if (at < c->length && c->text[at] == '_') at++;
    if (at < c->length && c->text[at] == '-') at++;
    return at < c->length && is_digit(c->text[at]);
}

static zlay_status overflow(zl_cursor *c, size_t at)
{
    char quoted[256];
    return zl_fail(c->ctx, ZLAY_EOVERFLOW, "byte %zu: %s does not fit 64 bits", c->first + at,
                   zl_quote(quoted, c->text + at, c->at - at));
}

static bool digits(zl_cursor *c, uint64_t *out)
{
    bool fits = true;
    uint64_t value = 0;
    for (; c->at < c->length && is_digit(c->text[c->at]); c->at++)
        fits = fits && zl_umul(value, 10, &value) &&
               zl_uadd(value, (uint64_t)(c->text[c->at] - '0'), &value);
    *out = value;
    return fits;
}

zlay_status zl_cursor_integer(zl_cursor *c, int64_t *out)
{
    if (!zl_cursor_at_integer(c)) return zl_cursor_fail(c, "an integer");
    size_t begin = c->at;
    uint64_t value;
    zl_cursor_word(c, "_");
    bool minus = zl_cursor_word(c, "-");
    if (!digits(c, &value) || value > (uint64_t)INT64_MAX + minus) return overflow(c, begin);
    *out = minus ? (int64_t)(0 - value) : (int64_t)value;
    return ZLAY_OK;
}

zlay_status zl_cursor_unsigned(zl_cursor *c, uint64_t *out)
{
    zl_cursor_peek(c);
    size_t begin = c->at;
    if (c->at == c->length || !is_digit(c->text[c->at]))
        return zl_cursor_fail(c, "an integer that is 0 or more");
    return digits(c, out) ? ZLAY_OK : overflow(c, begin);
}
