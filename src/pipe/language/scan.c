/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a line of a pipe's text into words, numbers and symbols; a comment ends the line.
 * Each function takes what it names and answers true, or takes nothing. */
#include "pipe/language/scan.h"

#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || is_digit(c);
}

static void skip_blanks(zl_scan *s)
{
    while (s->at < s->end && is_blank(*s->at)) s->at++;
}

const char *zl_scan_line(zl_scan *s, const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    const char *stop = newline ? newline : end;
    const char *comment = memchr(text, '#', (size_t)(stop - text));
    s->begin = s->at = text;
    s->end = comment ? comment : stop;
    s->line++;
    return newline ? newline + 1 : end;
}

bool zl_scan_done(zl_scan *s)
{
    skip_blanks(s);
    return s->at == s->end;
}

bool zl_scan_symbol(zl_scan *s, const char *symbol)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != *symbol) return false;
    size_t length = strlen(symbol);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, symbol, length)) return false;
    s->at += length;
    return true;
}

bool zl_scan_word(zl_scan *s, const char *word)
{
    skip_blanks(s);
    if (s->at == s->end || *s->at != *word) return false;
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length)) return false;
    const char *next = s->at + length;
    if (next < s->end &&
        (is_word(*next) || (*next == '.' && next + 1 < s->end && is_word(next[1]))))
        return false;
    s->at = next;
    return true;
}

size_t zl_scan_length(zl_scan *s)
{
    size_t length = 0;
    skip_blanks(s);
    while (s->at + length < s->end && is_word(s->at[length])) length++;
    return length;
}

bool zl_scan_name(zl_scan *s, char *out)
{
    size_t length = zl_scan_length(s);
    if (!zl_is_name(s->at, length)) return false;
    memcpy(out, s->at, length);
    out[length] = 0;
    s->at += length;
    return true;
}

bool zl_scan_number(zl_scan *s, int64_t *out)
{
    int64_t value = 0;
    const char *at;
    skip_blanks(s);
    for (at = s->at; at < s->end && is_digit(*at); at++)
        if (!zl_mul(value, 10, &value) || !zl_add(value, *at - '0', &value)) return false;
    if (at == s->at || (at < s->end && is_word(*at))) return false;
    s->at = at;
    *out = value;
    return true;
}

bool zl_scan_flipped(const zl_scan *s)
{
    int depth = 1;
    for (const char *at = s->at; at < s->end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0) return memchr(s->at, '/', (size_t)(at - s->at)) != NULL;
    }
    return false;
}
