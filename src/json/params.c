/* SPDX-License-Identifier: Apache-2.0 */
/* What a request says of the parameters of a layout: numbers, "params": {"ld": 4104}, and facts. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

typedef struct params {
    size_t count;
    const char **name;
    int64_t *value;
} params;

static zlay_status read_values(zl_call *call, params *p, const json_t *object)
{
    const char *key;
    json_t *value;
    char quoted[256];
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        p->name[p->count] = key;
        if (!zl_json_i64(value, &p->value[p->count++]))
            return zl_fail(call->ctx, ZLAY_EINVAL, "field 'params': '%s' is no 64-bit integer",
                           zl_quote(quoted, key, strlen(key)));
    }
    return ZLAY_OK;
}

static zlay_status bind_values(zl_call *call, zlay_layout **layout, const json_t *object)
{
    size_t room = json_object_size(object);
    zlay_layout *bound = NULL;
    params p = {0, zl_scratch(call->ctx, room, sizeof *p.name),
                zl_scratch(call->ctx, room, sizeof *p.value)};
    zlay_status status = p.name && p.value ? read_values(call, &p, object) : ZLAY_ENOMEM;
    if (!status) status = zlay_layout_bind(call->ctx, &bound, *layout, p.count, p.name, p.value);
    if (status) return status;
    zlay_layout_free(*layout);
    *layout = bound;
    return ZLAY_OK;
}

zlay_status zl_bind_params(zl_call *call, zlay_layout **layout)
{
    const json_t *object = json_object_get(call->request, "params");
    zlay_status status = ZLAY_OK;
    if (object && !json_is_object(object)) return zl_wrong(call, "params", "an object of integers");
    if (object) status = bind_values(call, layout, object);
    const char *left = status ? NULL : zlay_layout_param_nth(*layout, 0);
    if (!left) return status;
    return zl_fail(call->ctx, ZLAY_EINVAL, "field 'params': the parameter '%s' has no value", left);
}

/* ---- facts ------------------------------------------------------------------------- */

static zlay_status facts_of_list(zl_call *call, const json_t *list, zlay_facts **out)
{
    size_t count = json_array_size(list);
    const char **text = zl_scratch(call->ctx, count, sizeof *text);
    size_t *length = zl_scratch(call->ctx, count, sizeof *length);
    zlay_status status = text && length ? ZLAY_OK : ZLAY_ENOMEM;
    for (size_t i = 0; i < count && !status; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_string(item)) status = zl_wrong(call, "facts", "a list of texts");
        text[i] = json_string_value(item);
        length[i] = json_string_length(item);
    }
    return status ? status : zlay_facts_parse(call->ctx, out, count, text, length);
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

zlay_status zl_assume_facts(zl_call *call, zlay_layout **layout)
{
    zlay_facts *facts = NULL;
    zlay_layout *assumed = NULL;
    zlay_status status = zl_get_facts(call, &facts);
    if (status || !facts) return status;
    status = zlay_layout_assume(call->ctx, &assumed, *layout, facts);
    zlay_facts_free(facts);
    if (status) return status;
    zlay_layout_free(*layout);
    *layout = assumed;
    return ZLAY_OK;
}
