/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.fill: a map with unknowns, prepared, and filled in at lists of values. */
#include "json/json.h"

#include <stdio.h>
#include <zlay/fill.h>

enum { WORDS = 16, DIGITS = 16, ROWS_MOST = 4096 };

static const zl_field fill_rows[] = {
    ZL_PART_WHOLE(zl_map_symbolic_fields, zl_map_asked),
    ZL_OWN_OF(zl_as_own_objects, "values", ZL_MAY),
};
const zl_fields zl_map_fill_fields = {ZL_ROWS(fill_rows, zl_map_asked), .take = zl_map_texts_take};

/* ---- one filling ------------------------------------------------------------------------ */

static zlay_status read_values(zl_call *call, const zlay_fill *fill, const json_t *object,
                               int64_t *value)
{
    size_t count = zlay_fill_name_count(fill);
    if (!json_is_object(object)) return zl_wrong(call, "values", "a list of {name: integer, ..}");
    for (size_t i = 0; i < count; i++) {
        const char *name = zlay_fill_name_nth(fill, i);
        if (!zl_json_i64(json_object_get(object, name), &value[i]))
            return zl_fail(call->ctx, ZLAY_EINVAL,
                           "field 'values': '%s' is no integer in [-2^63, 2^63)", name);
    }
    if (json_object_size(object) != count)
        return zl_fail(call->ctx, ZLAY_EINVAL,
                       "field 'values': an entry has %zu names, the map %zu",
                       json_object_size(object), count);
    return ZLAY_OK;
}

static json_t *key_value(const uint64_t *words)
{
    uint8_t key[ZLAY_FILL_KEY];
    char text[2 * ZLAY_FILL_KEY + 1];
    zlay_fill_key(key, words);
    for (size_t i = 0; i < ZLAY_FILL_KEY; i++) snprintf(text + 2 * i, 3, "%02x", key[i]);
    return json_string(text);
}

static json_t *filled_value(zl_call *call, const uint64_t *words)
{
    json_t *value = json_object(), *list = json_array();
    for (size_t i = 0; i < WORDS; i++) zl_put_item(call, list, zl_json_bits(words[i], DIGITS));
    zl_put_value(call, value, "words", list);
    zl_put_value(call, value, "key", key_value(words));
    return value;
}

static zlay_status put_filled(zl_call *call, json_t *list, const zlay_fill *fill,
                              const json_t *object)
{
    int64_t value[ZLAY_FILL_NAMES];
    uint64_t words[WORDS];
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    zlay_status status = read_values(call, fill, object, value);
    if (!status)
        status = zlay_fill_write(words, &checked.verdict, reasons, ZL_REASONS_MOST, fill, value);
    if (status == ZLAY_EOVERFLOW)
        return zl_fail(call->ctx, status,
                       "field 'values': an entry of the map is outside [-2^63, 2^64)");
    if (status && status != ZLAY_NONE) return status;
    zl_put_item(call, list, status ? zl_json_verdict(call, &checked) : filled_value(call, words));
    return ZLAY_OK;
}

/* ---- the operation ----------------------------------------------------------------------- */

typedef struct prepared {
    zlay_fill **fill;
    const zl_map_asked *asked;
    zl_checked *checked;
} prepared;

static zlay_status prepare(zlay_ctx *ctx, zlay_buf *guard, const void *value)
{
    const prepared *p = value;
    const zl_map_asked *a = p->asked;
    zlay_fill_free(*p->fill);
    return zlay_fill_prepare(
        ctx, p->fill, &p->checked->verdict, p->checked->reasons, p->checked->room, guard,
        &(zlay_tensormap_question){sizeof(zlay_tensormap_question), a->texts.count, a->target,
                                   &a->map, a->texts.at, a->facts});
}

static void put_names(zl_call *call, const zlay_fill *fill)
{
    json_t *names = json_array();
    for (size_t i = 0; i < zlay_fill_name_count(fill); i++)
        zl_put_item(call, names, json_string(zlay_fill_name_nth(fill, i)));
    zl_put_value(call, call->value, "names", names);
}

static zlay_status answer(zl_call *call, const zlay_fill *fill)
{
    const json_t *values = json_object_get(call->request, "values");
    zlay_status status = ZLAY_OK;
    json_t *list = json_array();
    if (values && (!json_is_array(values) || json_array_size(values) > ROWS_MOST))
        status = zl_wrong(call, "values", "a list of at most 4096 objects {name: integer, ..}");
    put_names(call, fill);
    for (size_t i = 0; i < json_array_size(values) && !status; i++)
        status = put_filled(call, list, fill, json_array_get(values, i));
    zl_put_value(call, call->value, "filled", list);
    return status;
}

zlay_status zl_op_tensormap_fill(zl_call *call, const void *value)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    zlay_fill *fill = NULL;
    zlay_status status =
        zl_texts_check(call, &checked, prepare, &(prepared){&fill, value, &checked});
    if (!status) status = answer(call, fill);
    zlay_fill_free(fill);
    return status;
}
