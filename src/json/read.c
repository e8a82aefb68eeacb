/* SPDX-License-Identifier: Apache-2.0 */
/* A line as a JSON value (RFC 8259): recursive descent over the bytes, one level a list or
 * object, at most ZL_DEPTH_MOST. The values are jansson's; its own reader is not used, since it
 * writes past its buffer when memory ends in the midst of a text (strbuffer_append fails,
 * lex_scan_string goes on to the next quote), and calls that a mistake of syntax. Integers of
 * more than 18 digits become texts, which is how batch.md writes them. */
#include "base/scan.h"
#include "json/json.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_PLAIN = 18 }; /* so many always fit 63 bits */
enum { VALUE_BYTES = 160, VALUE_STEPS = 32 }; /* of jansson's values, at most */

typedef struct reader {
    zlay_ctx *ctx;
    const char *line, *at, *end;
    uint32_t depth;
    uint64_t bytes; /* that jansson's values may take */
    zlay_status status;
} reader;

/* ---- failures ----------------------------------------------------------------------- */

static json_t *wrong(reader *r, const char *what)
{
    if (!r->status)
        r->status = zl_fail(r->ctx, ZLAY_EINVAL, "no JSON object: byte %zu: %s",
                            (size_t)(r->at - r->line), what);
    return NULL;
}

/* A value that jansson made, or the end of memory. */
static json_t *made(reader *r, json_t *value)
{
    if (!value && !r->status) r->status = ZLAY_ENOMEM;
    return value;
}

/* What is read is held, and counts as what the library itself holds. */
static bool afford(reader *r, uint64_t bytes)
{
    uint64_t most = zl_limits(r->ctx)->memory;
    r->bytes += bytes;
    if (r->bytes > most)
        r->status = zl_fail(r->ctx, ZLAY_ELIMIT,
                            "limits.memory is %llu bytes and the line's values take %llu",
                            (unsigned long long)most, (unsigned long long)r->bytes);
    else if (zl_charge(r->ctx, VALUE_STEPS)) r->status = ZLAY_ENOMEM;
    return !r->status;
}

/* ---- bytes ---------------------------------------------------------------------------- */

static void skip_space(reader *r)
{
    while (r->at < r->end && zl_is_blank(*r->at)) r->at++;
}

static bool take(reader *r, char c)
{
    if (r->at == r->end || *r->at != c) return false;
    r->at++;
    return true;
}

static bool take_word(reader *r, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length)) return false;
    r->at += length;
    return true;
}

static size_t take_digits(reader *r)
{
    const char *from = r->at;
    while (r->at < r->end && zl_is_digit(*r->at)) r->at++;
    return (size_t)(r->at - from);
}

/* ---- numbers -------------------------------------------------------------------------- */

/* strtod reads the point of the locale. */
static json_t *real_of(reader *r, const char *from, size_t length)
{
    zl_mark mark = zl_scratch_mark(r->ctx);
    char *text = zl_scratch(r->ctx, length + 1, 1), *point;
    if (!text) return made(r, NULL);
    memcpy(text, from, length);
    if ((point = strchr(text, '.'))) *point = *localeconv()->decimal_point;
    errno = 0;
    double value = strtod(text, NULL);
    zl_scratch_release(r->ctx, mark);
    if (isinf(value)) return wrong(r, "a real number overflows");
    return made(r, json_real(value));
}

static int64_t integer_of(const char *from, const char *end)
{
    int64_t value = 0;
    bool minus = *from == '-';
    for (from += minus; from < end; from++) value = 10 * value + (*from - '0');
    return minus ? -value : value;
}

static json_t *read_number(reader *r)
{
    const char *from = r->at;
    take(r, '-');
    bool zero = take(r, '0'), real = false;
    size_t digits = zero ? 1 : take_digits(r);
    if (!digits) return wrong(r, "a value is expected");
    if (zero && take_digits(r)) return wrong(r, "a number begins with 0");
    if (take(r, '.')) {
        real = true;
        if (!take_digits(r)) return wrong(r, "a digit is expected");
    }
    if (take(r, 'e') || take(r, 'E')) {
        real = true;
        if (!take(r, '-')) take(r, '+');
        if (!take_digits(r)) return wrong(r, "a digit is expected");
    }
    size_t length = (size_t)(r->at - from);
    if (real) return real_of(r, from, length);
    if (digits <= DIGITS_PLAIN) return made(r, json_integer(integer_of(from, r->at)));
    return afford(r, length) ? made(r, json_stringn_nocheck(from, length)) : NULL;
}

/* ---- texts ------------------------------------------------------------------------------ */

static bool is_tail(const char *at, int count, const char *end)
{
    for (int i = 1; i <= count; i++)
        if (at + i >= end || ((unsigned char)at[i] & 0xc0) != 0x80) return false;
    return true;
}

/* Bytes of the character of UTF-8 here: 0 where it is none, is longer than it need be, is a
 * surrogate or above 0x10ffff. */
static int utf8_length(const char *at, const char *end)
{
    unsigned char c = (unsigned char)*at, next = at + 1 < end ? (unsigned char)at[1] : 0;
    if (c < 0x80) return 1;
    if (c >= 0xc2 && c < 0xe0) return is_tail(at, 1, end) ? 2 : 0;
    if (c >= 0xe0 && c < 0xf0) {
        bool right = !(c == 0xe0 && next < 0xa0) && !(c == 0xed && next >= 0xa0);
        return right && is_tail(at, 2, end) ? 3 : 0;
    }
    if (c < 0xf0 || c > 0xf4 || (c == 0xf0 && next < 0x90) || (c == 0xf4 && next >= 0x90)) return 0;
    return is_tail(at, 3, end) ? 4 : 0;
}

/* Four hexadecimal digits; -1 where they are none. */
static int32_t take_code(reader *r)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    int32_t code = 0;
    for (int i = 0; i < 4; i++, r->at++) {
        const char *digit = r->at < r->end && *r->at ? strchr(digits, *r->at) : NULL;
        if (!digit) return -1;
        int32_t place = (int32_t)(digit - digits);
        code = code * 16 + (place < 16 ? place : place - 6);
    }
    return code;
}

/* The character of \u: surrogates stand in pairs, the high one first; -1. */
static int32_t take_unicode(reader *r)
{
    int32_t code = take_code(r), low;
    if (code < 0xd800 || code >= 0xe000) return code;
    if (code >= 0xdc00 || !take(r, '\\') || !take(r, 'u')) return -1;
    low = take_code(r);
    return low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : -1;
}

static void put_utf8(zl_text *out, uint32_t code)
{
    char text[4];
    int tail = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char head[] = {0, 0xc0, 0xe0, 0xf0};
    text[0] = (char)(head[tail] | code >> (6 * tail));
    for (int i = 1; i <= tail; i++) text[i] = (char)(0x80 | (code >> (6 * (tail - i)) & 0x3f));
    zl_put(out, text, (size_t)tail + 1);
}

/* What stands behind a backslash. */
static bool read_escape(reader *r, zl_text *out)
{
    static const char letters[] = "\"\\/bfnrt", bytes[] = "\"\\/\b\f\n\r\t";
    const char *letter = r->at < r->end && *r->at ? strchr(letters, *r->at) : NULL;
    if (letter) zl_put(out, &bytes[letter - letters], 1);
    if (letter) return r->at++, true;
    int32_t code = take(r, 'u') ? take_unicode(r) : -1;
    if (code < 0) return wrong(r, "an escape is none") != NULL;
    put_utf8(out, (uint32_t)code);
    return true;
}

/* The text up to its closing quote, into a sink, which counts where it has no room. */
static bool read_bytes(reader *r, zl_text *out)
{
    while (r->at < r->end && *r->at != '"') {
        const char *from = r->at;
        if ((unsigned char)*from < 0x20)
            return wrong(r, "a control character stands in a text") != NULL;
        int length = utf8_length(from, r->end);
        if (!length) return wrong(r, "a text is no UTF-8") != NULL;
        r->at += length;
        if (*from != '\\') zl_put(out, from, (size_t)length);
        else if (!read_escape(r, out)) return false;
    }
    return take(r, '"') || wrong(r, "a text does not end") != NULL;
}

/* A text in working memory, 0-terminated; *length without the 0. */
static char *read_text(reader *r, size_t *length)
{
    const char *from;
    zl_text count = {NULL, 0, 0};
    if (!take(r, '"')) return wrong(r, "a text is expected"), NULL;
    from = r->at;
    if (!read_bytes(r, &count)) return NULL;
    char *text = zl_scratch(r->ctx, count.need + 1, 1);
    if (!text) return made(r, NULL), NULL;
    zl_text out = {text, count.need, 0};
    r->at = from;
    read_bytes(r, &out);
    *length = count.need;
    return text;
}

static json_t *read_string(reader *r)
{
    zl_mark mark = zl_scratch_mark(r->ctx);
    size_t length = 0;
    char *text = read_text(r, &length);
    if (!text) return NULL;
    json_t *value = afford(r, length) ? made(r, json_stringn_nocheck(text, length)) : NULL;
    zl_scratch_release(r->ctx, mark);
    return value;
}

/* ---- lists and objects ---------------------------------------------------------------------- */

static json_t *read_value(reader *r);

/* The new value goes into the list or object, or both go. */
static bool keep(reader *r, json_t **into, int failed)
{
    if (failed && !r->status) r->status = ZLAY_ENOMEM;
    if (!r->status) return true;
    json_decref(*into);
    *into = NULL;
    return false;
}

static json_t *read_list(reader *r)
{
    json_t *list = made(r, json_array());
    skip_space(r);
    if (!list || take(r, ']')) return list;
    do {
        json_t *value = read_value(r);
        if (!keep(r, &list, json_array_append_new(list, value))) return NULL;
        skip_space(r);
    } while (take(r, ','));
    if (!take(r, ']')) wrong(r, "',' or ']' is expected");
    return keep(r, &list, 0) ? list : NULL;
}

static json_t *read_named(reader *r, const json_t *object, const char *key, size_t length)
{
    if (strlen(key) != length) return wrong(r, "a key has a 0");
    if (json_object_get(object, key)) return wrong(r, "a duplicate key");
    skip_space(r);
    if (!take(r, ':')) return wrong(r, "':' is expected");
    return afford(r, length) ? read_value(r) : NULL;
}

static void read_entry(reader *r, json_t *object)
{
    zl_mark mark = zl_scratch_mark(r->ctx);
    size_t length = 0;
    skip_space(r);
    char *key = read_text(r, &length);
    json_t *value = key ? read_named(r, object, key, length) : NULL;
    if (value && json_object_set_new_nocheck(object, key, value)) made(r, NULL);
    zl_scratch_release(r->ctx, mark);
}

static json_t *read_object(reader *r)
{
    json_t *object = made(r, json_object());
    skip_space(r);
    if (!object || take(r, '}')) return object;
    do {
        read_entry(r, object);
        if (!keep(r, &object, 0)) return NULL;
        skip_space(r);
    } while (take(r, ','));
    if (!take(r, '}')) wrong(r, "',' or '}' is expected");
    return keep(r, &object, 0) ? object : NULL;
}

static json_t *read_nested(reader *r, bool object)
{
    json_t *value = NULL;
    if (r->depth++ == ZL_DEPTH_MOST)
        r->status = zl_fail(r->ctx, ZLAY_EINVAL, "byte %zu: nested deeper than %d",
                            (size_t)(r->at - r->line) - 1, ZL_DEPTH_MOST);
    else value = object ? read_object(r) : read_list(r);
    r->depth--;
    return value;
}

static json_t *read_value(reader *r)
{
    skip_space(r);
    if (!afford(r, VALUE_BYTES)) return NULL;
    if (take(r, '{')) return read_nested(r, true);
    if (take(r, '[')) return read_nested(r, false);
    if (r->at < r->end && *r->at == '"') return read_string(r);
    if (take_word(r, "true")) return json_true();
    if (take_word(r, "false")) return json_false();
    if (take_word(r, "null")) return json_null();
    return read_number(r);
}

zlay_status zl_line_read(zlay_ctx *ctx, json_t **out, const char *line, size_t size)
{
    reader r = {.ctx = ctx, .line = line, .at = line, .end = line + size};
    *out = NULL;
    if (size > ZL_LINE_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "a line of more than %d bytes", ZL_LINE_MOST);
    json_t *value = read_value(&r);
    skip_space(&r);
    if (value && r.at < r.end) wrong(&r, "something stands behind the object");
    if (value && !r.status && !json_is_object(value))
        r.status = zl_fail(ctx, ZLAY_EINVAL, "no JSON object");
    if (r.status) json_decref(value);
    else *out = value;
    return r.status;
}
