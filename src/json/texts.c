/* SPDX-License-Identifier: Apache-2.0 */
/* Linear texts over names in the places of numbers. */
#include "json/json.h"

static bool is_text(const json_t *value)
{
    uint64_t number;
    return json_is_string(value) && !zl_json_u64(value, &number);
}

/* A text of one field, whose place in the copy becomes 1. */
static bool take(zl_texts *texts, int32_t field, size_t index, const json_t *value)
{
    if (!is_text(value) || texts->count == ZL_TEXTS_MOST) return false;
    texts->at[texts->count++] =
        (zlay_given){field, (int32_t)index, json_string_value(value), json_string_length(value)};
    return true;
}

bool zl_texts_take(zl_texts *texts, const json_t *from, json_t *to, const zl_named *fields)
{
    int lost = 0;
    for (; fields->name; fields++) {
        const json_t *value = json_object_get(from, fields->name);
        json_t *list = json_object_get(to, fields->name);
        if (take(texts, fields->number, 0, value))
            lost |= json_object_set_new(to, fields->name, json_integer(1));
        for (size_t i = 0; i < json_array_size(value); i++)
            if (take(texts, fields->number, i, json_array_get(value, i)))
                lost |= json_array_set_new(list, i, json_integer(1));
    }
    return !lost;
}

bool zl_has_unknowns(const zl_call *call, const zl_texts *texts)
{
    return texts->count || json_object_get(call->request, "facts");
}

zlay_status zl_texts_check(zl_call *call, zl_checked *checked, zl_printer *check,
                           const void *asked)
{
    zlay_status status;
    json_t *guard = zl_json_printed(call, check, asked, &status);
    if (status) return status;
    call->value = zl_json_verdict(call, checked);
    if (checked->verdict.answer == ZLAY_DEPENDS) zl_put_value(call, call->value, "guard", guard);
    else json_decref(guard);
    return ZLAY_OK;
}
