/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.check of a map whose address, extents, strides or boxes are linear texts over names. */
#include "json/json.h"

const zl_word zl_map_texts[] = {{"address", ZLAY_FIELD_ADDRESS},
                                {"extent", ZLAY_FIELD_EXTENT},
                                {"stride", ZLAY_FIELD_STRIDE},
                                {"box", ZLAY_FIELD_BOX},
                                {NULL, 0}};

bool zl_map_has_texts(const json_t *request)
{
    return zl_has_texts(json_object_get(request, "map"), zl_map_texts);
}

/* The map with a number in every place: read from a copy of the request. */
static zlay_status numbers_read(zl_call *call, zlay_tensormap *out, zl_texts *texts)
{
    const json_t *request = call->request;
    json_t *copy = json_deep_copy(request);
    if (!copy) return ZLAY_ENOMEM;
    zl_texts_take(texts, json_object_get(request, "map"), json_object_get(copy, "map"),
                  zl_map_texts);
    call->request = copy;
    zlay_status status = zl_get_tensormap(call, out);
    call->request = request;
    json_decref(copy);
    return status;
}

static zlay_status ask(zlay_ctx *ctx, zlay_buf *guard, const void *value)
{
    const zl_texts_asked *a = value;
    const zlay_tensormap_question q = {sizeof q, a->texts->count, a->target, a->map, a->texts->at,
                                       a->facts};
    return zlay_tensormap_check_given(ctx, &a->checked->verdict, a->checked->reasons,
                                      a->checked->room, guard, &q);
}

zlay_status zl_tensormap_given(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    zl_texts texts = {.count = 0};
    zlay_tensormap map = {0};
    zl_texts_asked asked = {.checked = &checked, .texts = &texts, .map = &map};
    zlay_status status = zl_get_target(call, &asked.target);
    if (!status) status = numbers_read(call, &map, &texts);
    if (!status) status = zl_texts_check(call, ask, &asked);
    if (status) return status;
    zl_put_driver(call, asked.target, checked.verdict.driver);
    zl_put_value(call, call->value, "repaired", json_array());
    return ZLAY_OK;
}
