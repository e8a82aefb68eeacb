/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

/* ---- facts ------------------------------------------------------------------------- */

static zlay_status facts_of_list(zl_call *call, const json_t *list, zlay_facts **out)
{
    zlay_allocator alloc = zl_allocator(call->ctx);
    size_t count = json_array_size(list);
    const char **text = zl_alloc(call->ctx, count + 1, sizeof *text);
    size_t *length = text ? zl_alloc(call->ctx, count + 1, sizeof *length) : NULL;
    zlay_status status = length ? ZLAY_OK : ZLAY_ENOMEM;
    for (size_t i = 0; i < count && !status; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_string(item)) status = zl_wrong(call, "facts", "a list of texts");
        text[i] = json_string_value(item);
        length[i] = json_string_length(item);
    }
    if (!status) status = zlay_facts_parse(call->ctx, out, count, text, length);
    zl_free(&alloc, length, (count + 1) * sizeof *length);
    zl_free(&alloc, text, (count + 1) * sizeof *text);
    return status;
}

zlay_status zl_get_facts(zl_call *call, zlay_facts **out)
{
    const json_t *list = json_object_get(call->request, "facts");
    *out = NULL;
    if (!list) return ZLAY_OK;
    if (!json_is_array(list)) return zl_wrong(call, "facts", "a list of texts");
    call->in_input = true;
    zlay_status status = facts_of_list(call, list, out);
    if (!status) call->in_input = false;
    return status;
}

static json_t *end_value(int64_t end, const zlay_range *range)
{
    bool none = range->mod && (end == INT64_MIN || end == INT64_MAX);
    return none ? json_null() : zl_json_int(end);
}

static json_t *range_value(zl_call *call, const zlay_range *range)
{
    json_t *value = json_object();
    zl_put_value(call, value, "lo", end_value(range->lo, range));
    zl_put_value(call, value, "hi", end_value(range->hi, range));
    zl_put_value(call, value, "mod", zl_json_int(range->mod));
    zl_put_value(call, value, "rem", zl_json_int(range->rem));
    return value;
}

zlay_status zl_op_facts_of(zl_call *call)
{
    zl_span text;
    zlay_facts *facts = NULL;
    zlay_range range;
    zlay_status status = zl_get_text(call, call->request, "expression", &text);
    if (!status) status = zl_get_facts(call, &facts);
    if (!status) status = zlay_facts_of(call->ctx, &range, facts, text.text, text.length);
    if (!status) call->value = range_value(call, &range);
    zlay_facts_free(facts);
    return status;
}
