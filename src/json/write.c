/* SPDX-License-Identifier: Apache-2.0 */
/* A JSON value as text, written by a walk over the value into a sink that counts first and writes
 * then. jansson's own printer allocates as it goes and doubles the answer in memory; this one
 * allocates nothing, so an answer that was built is delivered whole. Texts are UTF-8 already,
 * which jansson has checked. */
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The two-letter escape of a byte, or 0. */
static char letter_of(char c)
{
    static const char bytes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *at = c ? strchr(bytes, c) : NULL;
    return at ? letters[at - bytes] : 0;
}

static void put_text(zl_text *out, const char *text, size_t length)
{
    size_t from = 0;
    zl_put(out, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        char letter = letter_of(text[i]);
        if (!letter && (unsigned char)text[i] >= 0x20) continue;
        zl_put(out, text + from, i - from);
        if (letter) zl_putf(out, "\\%c", letter);
        else zl_putf(out, "\\u%04X", (unsigned)text[i]);
        from = i + 1;
    }
    zl_put(out, text + from, length - from);
    zl_put(out, "\"", 1);
}

/* 17 digits give the double back; the point is a point in any locale, and stands there or an
 * exponent does, so that a reader takes the number for no integer. */
static void put_real(zl_text *out, double value)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%.17g", value);
    bool marked = false;
    for (int i = 0; i < length; i++) {
        if (!strchr("+-0123456789eE", text[i])) text[i] = '.';
        marked = marked || text[i] == '.' || text[i] == 'e';
    }
    zl_puts(out, text);
    if (!marked) zl_puts(out, ".0");
}

static void put_list(zl_text *out, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        zl_puts(out, i ? "," : "[");
        zl_json_write(out, json_array_get(list, i));
    }
    zl_puts(out, json_array_size(list) ? "]" : "[]");
}

static void put_object(zl_text *out, json_t *object)
{
    const char *separator = "{", *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        zl_puts(out, separator);
        put_text(out, key, strlen(key));
        zl_put(out, ":", 1);
        zl_json_write(out, value);
        separator = ",";
    }
    zl_puts(out, json_object_size(object) ? "}" : "{}");
}

void zl_json_write(zl_text *out, const void *value)
{
    const json_t *v = value;
    switch (json_typeof(v)) {
    case JSON_OBJECT: put_object(out, (json_t *)(uintptr_t)v); break;
    case JSON_ARRAY: put_list(out, v); break;
    case JSON_STRING: put_text(out, json_string_value(v), json_string_length(v)); break;
    case JSON_INTEGER: zl_putf(out, "%" PRId64, (int64_t)json_integer_value(v)); break;
    case JSON_REAL: put_real(out, json_real_value(v)); break;
    case JSON_TRUE: zl_puts(out, "true"); break;
    case JSON_FALSE: zl_puts(out, "false"); break;
    default: zl_puts(out, "null");
    }
}
