/* SPDX-License-Identifier: Apache-2.0 */
/* The line before jansson reads it: jansson has no bound on depth that is ours, and no integers
 * beyond 63 bits. */
#include "json/json.h"

#include <string.h>

enum { DIGITS_PLAIN = 18 }; /* so many always fit 63 bits */

typedef struct scan {
    const char *line;
    size_t size, at;
    bool in_text;
    char before; /* the last byte outside strings that is no white space */
} scan;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static void step_in_text(scan *s)
{
    char c = s->line[s->at++];
    if (c == '\\' && s->at < s->size) s->at++;
    if (c == '"') s->in_text = false;
}

static void step(scan *s)
{
    if (s->in_text) {
        step_in_text(s);
        return;
    }
    char c = s->line[s->at++];
    if (c == '"') s->in_text = true;
    if (!is_space(c)) s->before = c;
}

/* Bytes of an integer that starts here, is a value and needs quotes; 0: none. */
static size_t long_integer(const scan *s)
{
    size_t end = s->at, digits;
    if (s->in_text || !s->before || !strchr(":[,", s->before)) return 0;
    if (s->line[end] == '-') end++;
    for (digits = 0; end < s->size && is_digit(s->line[end]); end++) digits++;
    if (digits <= DIGITS_PLAIN || s->line[end - digits] == '0') return 0;
    size_t next = end;
    while (next < s->size && is_space(s->line[next])) next++;
    return next < s->size && (s->line[next] == ',' || s->line[next] == ']' || s->line[next] == '}')
               ? end - s->at
               : 0;
}

zlay_status zl_line_check(zlay_ctx *ctx, bool *plain, const char *line, size_t size)
{
    scan s = {.line = line, .size = size};
    size_t depth = 0;
    *plain = true;
    if (size > ZL_LINE_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "a line of more than %d bytes", ZL_LINE_MOST);
    while (s.at < s.size) {
        char c = s.line[s.at];
        if (!s.in_text && (c == '[' || c == '{') && ++depth > ZL_DEPTH_MOST)
            return zl_fail(ctx, ZLAY_EINVAL, "byte %zu: nested deeper than %d", s.at,
                           ZL_DEPTH_MOST);
        if (!s.in_text && (c == ']' || c == '}') && depth) depth--;
        if (long_integer(&s)) *plain = false;
        step(&s);
    }
    return ZLAY_OK;
}

static void quote_write(zl_text *out, const void *value)
{
    scan s = *(const scan *)value;
    while (s.at < s.size) {
        size_t from = s.at, length = long_integer(&s);
        if (length) {
            zl_puts(out, "\"");
            zl_put(out, s.line + from, length);
            zl_puts(out, "\"");
            s.at += length;
            s.before = '0';
        } else {
            step(&s);
            zl_put(out, s.line + from, s.at - from);
        }
    }
}

zlay_status zl_line_quote(zlay_ctx *ctx, char **text, size_t *length, const char *line, size_t size)
{
    scan s = {.line = line, .size = size};
    return zl_print_alloc(ctx, text, length, quote_write, &s);
}
