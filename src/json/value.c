/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>

static const int64_t exact = (int64_t)1 << 53; /* what a double holds without loss */

json_t *zl_json_int(int64_t value)
{
    char text[32];
    if (value >= -exact && value <= exact) return json_integer(value);
    snprintf(text, sizeof text, "%" PRId64, value);
    return json_string(text);
}

json_t *zl_json_uint(uint64_t value)
{
    char text[32];
    if (value <= (uint64_t)exact) return json_integer((json_int_t)value);
    snprintf(text, sizeof text, "%" PRIu64, value);
    return json_string(text);
}

json_t *zl_json_bits(uint64_t value, int digits)
{
    char text[32];
    snprintf(text, sizeof text, "0x%0*" PRIx64, digits, value);
    return json_string(text);
}

json_t *zl_json_word(const zl_named *words, int32_t number)
{
    const char *name = zl_word_of(words, number);
    return name ? json_string(name) : json_null();
}

void zl_put_value(zl_call *call, json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value)) call->no_memory = true;
}

void zl_put_item(zl_call *call, json_t *array, json_t *value)
{
    if (json_array_append_new(array, value)) call->no_memory = true;
}

json_t *zl_json_list(zl_call *call, const uint64_t *number, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) zl_put_item(call, list, zl_json_uint(number[i]));
    return list;
}

json_t *zl_json_list32(zl_call *call, const uint32_t *number, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) zl_put_item(call, list, json_integer(number[i]));
    return list;
}

json_t *zl_json_uints(zl_call *call, uint64_t i, uint64_t j)
{
    return zl_json_list(call, (const uint64_t[]){i, j}, 2);
}

json_t *zl_json_three(zl_call *call, int64_t i, int64_t j, int64_t k)
{
    json_t *list = json_array();
    zl_put_item(call, list, zl_json_int(i));
    zl_put_item(call, list, zl_json_int(j));
    zl_put_item(call, list, zl_json_int(k));
    return list;
}

json_t *zl_json_printed(zl_call *call, zl_printer *print, const void *value, zlay_status *status)
{
    char small[512];
    zlay_buf buf = {small, sizeof small, 0};
    *status = print(call->ctx, &buf, value);
    if (*status == ZLAY_OK) return json_stringn(small, buf.need);
    if (*status != ZLAY_EROOM) return NULL;
    zl_mark mark = zl_scratch_mark(call->ctx);
    buf = (zlay_buf){zl_scratch(call->ctx, buf.need + 1, 1), buf.need + 1, 0};
    *status = buf.text ? print(call->ctx, &buf, value) : ZLAY_ENOMEM;
    json_t *text = *status ? NULL : json_stringn(buf.text, buf.need);
    zl_scratch_release(call->ctx, mark);
    return text;
}

static zlay_status print_layout(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_layout_print(out, value);
}

json_t *zl_json_layout(zl_call *call, const zlay_layout *layout)
{
    zlay_status status;
    if (!layout) return json_null();
    json_t *text = zl_json_printed(call, print_layout, layout, &status);
    if (!text) call->no_memory = true;
    return text;
}

json_t *zl_json_pair(zl_call *call, const zlay_layout *a, const zlay_layout *b)
{
    json_t *pair = json_object();
    zl_put_value(call, pair, "a", zl_json_layout(call, a));
    zl_put_value(call, pair, "b", zl_json_layout(call, b));
    return pair;
}

zlay_status zl_put_certificate(zl_call *call, zlay_status status, zlay_layout *a, zlay_layout *b)
{
    if (!status) zl_put_value(call, call->value, "certificate", zl_json_pair(call, a, b));
    zlay_layout_free(a);
    zlay_layout_free(b);
    return status;
}

zlay_status zl_put_printed(zl_call *call, const char *key, zl_printer *print, const void *value)
{
    zlay_status status;
    json_t *text = zl_json_printed(call, print, value, &status);
    if (!status) zl_put_value(call, call->value, key, text);
    return status;
}
