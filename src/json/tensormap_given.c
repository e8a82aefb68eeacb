/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.check of a map whose address, extents, strides or boxes are linear texts over names. */
#include "json/json.h"

enum { GIVEN_MOST = 15 };

typedef struct given {
    zlay_tensormap_given at[GIVEN_MOST];
    uint32_t count;
} given;

static const struct {
    const char *name;
    int32_t field;
} fields[] = {{"address", ZLAY_FIELD_ADDRESS},
              {"extent", ZLAY_FIELD_EXTENT},
              {"stride", ZLAY_FIELD_STRIDE},
              {"box", ZLAY_FIELD_BOX}};

static bool is_text(const json_t *value)
{
    uint64_t number;
    return json_is_string(value) && !zl_json_u64(value, &number);
}

bool zl_map_has_texts(const json_t *request)
{
    const json_t *map = json_object_get(request, "map");
    bool found = false;
    for (size_t f = 0; f < ZL_COUNT(fields); f++) {
        const json_t *value = json_object_get(map, fields[f].name);
        found |= is_text(value);
        for (size_t i = 0; i < json_array_size(value); i++)
            found |= is_text(json_array_get(value, i));
    }
    return found;
}

/* A text of one field, whose place in the copy becomes 1. */
static bool take(given *g, int32_t field, size_t index, const json_t *value)
{
    if (!is_text(value) || g->count == GIVEN_MOST) return false;
    g->at[g->count++] = (zlay_tensormap_given){field, (int32_t)index, json_string_value(value),
                                               json_string_length(value)};
    return true;
}

static void texts_take(given *g, const json_t *from, json_t *to)
{
    for (size_t f = 0; f < ZL_COUNT(fields); f++) {
        const json_t *value = json_object_get(from, fields[f].name);
        json_t *list = json_object_get(to, fields[f].name);
        if (take(g, fields[f].field, 0, value))
            json_object_set_new(to, fields[f].name, json_integer(1));
        for (size_t i = 0; i < json_array_size(value); i++)
            if (take(g, fields[f].field, i, json_array_get(value, i)))
                json_array_set_new(list, i, json_integer(1));
    }
}

/* The map with a number in every place: read from a copy of the request. */
static zlay_status numbers_read(zl_call *call, zlay_tensormap *out, given *g)
{
    const json_t *request = call->request;
    json_t *copy = json_deep_copy(request);
    if (!copy) return ZLAY_ENOMEM;
    texts_take(g, json_object_get(request, "map"), json_object_get(copy, "map"));
    call->request = copy;
    zlay_status status = zl_get_tensormap(call, out);
    call->request = request;
    json_decref(copy);
    return status;
}

typedef struct asked {
    zl_checked *checked;
    const zlay_tensormap_question *question;
} asked;

static zlay_status ask(zlay_ctx *ctx, zlay_buf *guard, const void *value)
{
    const asked *a = value;
    return zlay_tensormap_check_given(ctx, &a->checked->verdict, a->checked->reasons,
                                      a->checked->room, guard, a->question);
}

zlay_status zl_tensormap_given(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    given g = {.count = 0};
    zlay_tensormap map = {0};
    zlay_facts *facts = NULL;
    zlay_tensormap_question q = {.size = sizeof q, .map = &map, .given = g.at};
    asked a = {&checked, &q};
    zlay_status status = zl_get_target(call, &q.target);
    if (!status) status = numbers_read(call, &map, &g);
    if (!status) status = zl_get_facts(call, &facts);
    q.count = g.count;
    q.facts = facts;
    json_t *guard = status ? NULL : zl_json_printed(call, ask, &a, &status);
    zlay_facts_free(facts);
    if (status) return status;
    call->value = zl_json_verdict(call, &checked);
    zl_put_driver(call, q.target, checked.verdict.driver);
    zl_put_value(call, call->value, "repaired", json_array());
    if (checked.verdict.answer == ZLAY_DEPENDS) zl_put_value(call, call->value, "guard", guard);
    else json_decref(guard);
    return ZLAY_OK;
}
