/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_DIGITS = 8 };

zlay_status zl_wrong(zl_call *call, const char *name, const char *wanted)
{
    char quoted[256];
    return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' is not %s",
                   zl_quote(quoted, name, strlen(name)), wanted);
}

zlay_status zl_unfit(zl_call *call, const zlay_target *target, zlay_status status,
                     const char *what)
{
    if (status == ZLAY_ENOTSUP)
        return zl_fail(call->ctx, status, "%s has no %s", zlay_target_name(target), what);
    return zl_fail(call->ctx, status, "a field of the %s does not fit", what);
}

/* ---- values of fields ------------------------------------------------------ */

static bool digits_u64(const char *text, size_t length, uint64_t *out)
{
    char copy[32];
    bool hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    size_t count = hex ? length - 2 : length;
    const char *allowed = hex ? "0123456789abcdefABCDEF" : "0123456789";
    while (count > 1 && *digits == '0') digits++, count--;
    if (!count || count > (hex ? 16u : 20u)) return false;
    memcpy(copy, digits, count);
    copy[count] = 0;
    if (strspn(copy, allowed) != count) return false;
    unsigned long long value = strtoull(copy, NULL, hex ? 16 : 10);
    if (count == 20 && strcmp(copy, "18446744073709551615") > 0) return false;
    *out = value;
    return true;
}

bool zl_json_u64(const json_t *value, uint64_t *out)
{
    if (json_is_string(value))
        return digits_u64(json_string_value(value), json_string_length(value), out);
    if (!json_is_integer(value) || json_integer_value(value) < 0) return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

bool zl_hex_words(const char *text, size_t length, uint32_t *word, size_t words)
{
    static const char digits[] = "0123456789abcdef";
    bool hex = length > 2 && length <= 2 + words * WORD_DIGITS && !memcmp(text, "0x", 2);
    for (size_t i = 0; hex && i + 2 < length; i++) {
        char c = text[length - 1 - i];
        const char *at = memchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c, sizeof digits - 1);
        hex = at != NULL;
        if (hex) word[i / WORD_DIGITS] |= (uint32_t)(at - digits) << 4 * (i % WORD_DIGITS);
    }
    return hex;
}

zlay_status zl_get_text(zl_call *call, const json_t *object, const char *name, zl_json_text *out)
{
    const json_t *value = json_object_get(object, name);
    if (!value) return ZLAY_OK;
    if (!json_is_string(value)) return zl_wrong(call, name, "a text");
    *out = (zl_json_text){json_string_value(value), json_string_length(value)};
    return ZLAY_OK;
}

zlay_status zl_get_object(zl_call *call, const json_t *object, const char *name, const json_t **out)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_object(value)) return zl_wrong(call, name, "an object");
    *out = value;
    return ZLAY_OK;
}

zlay_status zl_get_list(zl_call *call, const json_t *object, const char *name, const json_t **out)
{
    const json_t *value = json_object_get(object, name);
    if (!json_is_array(value)) return zl_wrong(call, name, "a list");
    *out = value;
    return ZLAY_OK;
}

zlay_status zl_get_u64(zl_call *call, const json_t *object, const char *name, uint64_t *out)
{
    const json_t *value = json_object_get(object, name);
    if (value && !zl_json_u64(value, out)) return zl_wrong(call, name, "an integer in [0, 2^64)");
    return ZLAY_OK;
}

/* An integer, or a text of decimal digits, '-' before them or not. */
bool zl_json_i64(const json_t *value, int64_t *out)
{
    uint64_t magnitude;
    const char *text = json_string_value(value);
    bool minus = text && *text == '-';
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
        return true;
    }
    if (!text || !digits_u64(text + minus, json_string_length(value) - minus, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + minus) return false;
    *out = minus ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

zlay_status zl_get_i64(zl_call *call, const json_t *object, const char *name, int64_t *out)
{
    const json_t *value = json_object_get(object, name);
    if (value && !zl_json_i64(value, out))
        return zl_wrong(call, name, "an integer in [-2^63, 2^63)");
    return ZLAY_OK;
}

zlay_status zl_get_u32(zl_call *call, const json_t *object, const char *name, uint32_t *out)
{
    uint64_t wide = *out;
    zlay_status status = zl_get_u64(call, object, name, &wide);
    if (!status && wide > UINT32_MAX) status = zl_wrong(call, name, "an integer in [0, 2^32)");
    if (!status) *out = (uint32_t)wide;
    return status;
}

zlay_status zl_get_flag(zl_call *call, const json_t *object, const char *name, bool *out)
{
    const json_t *value = json_object_get(object, name);
    if (value && !json_is_boolean(value)) return zl_wrong(call, name, "true or false");
    if (value) *out = json_is_true(value);
    return ZLAY_OK;
}

int32_t zl_saturated(int64_t value)
{
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

/* Lists the first name of each number. */
static zlay_status no_word(zl_call *call, const char *name, const zl_named *words, const char *text)
{
    char list[700] = "";
    zl_text out = {list, sizeof list - 1, 0};
    zl_like like = zl_like_begin(text, text ? strlen(text) : 0);
    for (size_t i = 0; words[i].name; i++) {
        zl_like_offer(&like, words[i].name);
        if (zl_word_of(words, words[i].number) == words[i].name)
            zl_putf(&out, "%s%s", i ? ", " : "one of its names (", words[i].name);
    }
    zl_putf(&out, "), or an integer%s", like.hint);
    return zl_wrong(call, name, list);
}

zlay_status zl_get_word(zl_call *call, const json_t *object, const char *name,
                        const zl_named *words, int32_t *out)
{
    const json_t *value = json_object_get(object, name);
    uint64_t number;
    if (!value) return ZLAY_OK;
    if (json_is_integer(value)) {
        *out = zl_saturated(json_integer_value(value));
        return ZLAY_OK;
    }
    const char *text = json_string_value(value);
    for (size_t i = 0; text && words[i].name; i++)
        if (!strcmp(words[i].name, text)) {
            *out = words[i].number;
            return ZLAY_OK;
        }
    if (!zl_json_u64(value, &number))
        return no_word(call, name, words, text);
    *out = number > INT32_MAX ? INT32_MAX : (int32_t)number;
    return ZLAY_OK;
}

zlay_status zl_get_target(zl_call *call, const zlay_target **out)
{
    zl_json_text name = {0};
    char quoted[256];
    zlay_status status = zl_get_text(call, call->request, "target", &name);
    if (status) return status;
    if (!zlay_target_find(out, name.text, name.length)) return ZLAY_OK;
    zl_like like = zl_like_begin(name.text, name.length);
    for (size_t i = 0; zlay_target_nth(i); i++)
        zl_like_offer(&like, zlay_target_name(zlay_target_nth(i)));
    return zl_fail(call->ctx, ZLAY_EINVAL, "field 'target': no target is called '%s'%s",
                   zl_quote(quoted, name.text, name.length), like.hint);
}

/* ---- layouts --------------------------------------------------------------- */

/* What is no layout, with the field that it stands in. */
static zlay_status no_layout(zl_call *call, const char *name)
{
    char why[512];
    const char *text = zlay_ctx_message(call->ctx);
    if (!strncmp(text, "field ", 6) || !strncmp(text, name, strlen(name))) return ZLAY_EINVAL;
    snprintf(why, sizeof why, "%s", text);
    return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s': %s", name, why);
}

zlay_status zl_layout_of(zl_call *call, const char *name, const json_t *value, zlay_layout **out)
{
    zlay_status status;
    *out = NULL;
    call->in_input = true;
    if (json_is_string(value))
        status =
            zlay_layout_import(call->ctx, out, json_string_value(value),
                               json_string_length(value));
    else if (json_object_get(value, "A")) status = zl_affine_layout(call, name, value, out);
    else if (json_is_object(value)) status = zl_f2_layout(call, name, value, out);
    else return zl_wrong(call, name, "a layout: a text, an F2 object, or {A, b, box, ..}");
    if (!status) call->in_input = false;
    return status == ZLAY_EINVAL ? no_layout(call, name) : status;
}

zlay_status zl_get_layout(zl_call *call, const char *name, zlay_layout **out)
{
    zlay_status status = zl_layout_of(call, name, json_object_get(call->request, name), out);
    return status ? status : zl_assume_facts(call, out);
}
