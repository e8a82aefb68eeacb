/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on bijections under a hierarchy of levels: which level a layout keeps or a conversion
 * crosses, and normal forms, a permutation a node. */
#include "json/json.h"

#include <string.h>

/* ---- levels -------------------------------------------------------------------- */

typedef struct levels {
    size_t count;
    zlay_level *at;
} levels;

/* Names live as long as the request. */
static zlay_status level_of(zl_call *call, const json_t *pair, zlay_level *out)
{
    const json_t *name = json_array_get(pair, 0);
    if (json_array_size(pair) != 2 || !json_is_string(name) ||
        !zl_json_u64(json_array_get(pair, 1), &out->size))
        return zl_wrong(call, "levels", "a list of [name, size]");
    out->name = json_string_value(name);
    if (strlen(out->name) != json_string_length(name))
        return zl_wrong(call, "levels", "a list of names without a character 0");
    return ZLAY_OK;
}

static zlay_status read_levels(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    levels *out = to;
    const json_t *list;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    out->count = json_array_size(list);
    out->at = zl_scratch(call->ctx, out->count, sizeof *out->at);
    if (!out->at) return ZLAY_ENOMEM;
    for (size_t i = 0; i < out->count && !status; i++)
        status = level_of(call, json_array_get(list, i), &out->at[i]);
    return status;
}

static const zl_field_kind as_levels = {.read = read_levels, .type = "sizes"};
typedef levels as_levels_type;

typedef struct asked {
    const zlay_layout *a, *b;
    levels levels;
} asked;

static const zl_field one_rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, asked, a)},
    {"levels", ZL_NEEDS, ZL_AT(as_levels, asked, levels)},
};
static const zl_field two_rows[] = {
    {"a", ZL_NEEDS, ZL_AT(zl_as_layout, asked, a)},
    {"b", ZL_NEEDS, ZL_AT(zl_as_layout, asked, b)},
    {"levels", ZL_NEEDS, ZL_AT(as_levels, asked, levels)},
};
const zl_fields zl_levels_fields = {ZL_ROWS(one_rows, asked)},
                zl_conversion_fields = {ZL_ROWS(two_rows, asked)};

/* ---- forms ---------------------------------------------------------------------- */

typedef struct row {
    uint64_t *map, *below;
} row;

static json_t *nodes_value(zl_call *call, const zlay_hier *h, size_t level, const zlay_tier *tier,
                           row r)
{
    json_t *list = json_array();
    for (uint64_t v = 0; v < tier->nodes; v++) {
        json_t *node = json_object();
        if (zlay_hier_node(r.map, r.below, tier->size, h, level, v)) call->no_memory = true;
        zl_put_value(call, node, "map", zl_json_list(call, r.map, tier->size));
        if (level)
            zl_put_value(call, node, "below", zl_json_list(call, r.below, tier->size));
        zl_put_item(call, list, node);
    }
    return list;
}

static zlay_status tier_value(zl_call *call, const zlay_hier *h, size_t level,
                              const zlay_tier *tier, json_t *list)
{
    zl_mark mark = zl_scratch_mark(call->ctx);
    row r = {zl_scratch(call->ctx, tier->size, sizeof *r.map),
             zl_scratch(call->ctx, tier->size, sizeof *r.below)};
    if (!r.map || !r.below) return ZLAY_ENOMEM;
    json_t *value = json_object();
    zl_put_value(call, value, "level", json_string(tier->name));
    zl_put_value(call, value, "nodes", nodes_value(call, h, level, tier, r));
    zl_put_item(call, list, value);
    zl_scratch_release(call->ctx, mark);
    return ZLAY_OK;
}

static zlay_status form_value(zl_call *call, const zlay_hier *h)
{
    size_t count = zlay_hier_levels(NULL, 0, h);
    zlay_tier *tier = zl_scratch(call->ctx, count, sizeof *tier);
    zlay_status status = tier ? ZLAY_OK : ZLAY_ENOMEM;
    json_t *list = json_array();
    if (tier) zlay_hier_levels(tier, count, h);
    for (size_t k = 0; k < count && !status; k++)
        status = tier_value(call, h, k, &tier[k], list);
    call->value = json_object();
    zl_put_value(call, call->value, "normal", list);
    return status;
}

static zlay_status give(zl_call *call, zlay_status status, zlay_hier *h)
{
    if (!status) status = form_value(call, h);
    zlay_hier_free(h);
    return status;
}

/* ---- operations ------------------------------------------------------------------- */

static zlay_status crossing_value(zl_call *call, const levels *l, const zlay_crossing *w)
{
    call->value = json_object();
    zl_put_value(call, call->value, "crosses", json_string(l->at[w->level].name));
    zl_put_value(call, call->value, "witness", zl_json_uints(call, w->i, w->j));
    return ZLAY_OK;
}

zlay_status zl_op_hier_normal(zl_call *call, const void *value)
{
    const asked *q = value;
    const levels *l = &q->levels;
    zlay_answer answer = ZLAY_YES;
    zlay_crossing w;
    zlay_hier *h = NULL;
    zlay_status status = zlay_hier_keeps(call->ctx, &answer, &w, q->a, l->at, l->count);
    if (!status && answer == ZLAY_NO) return crossing_value(call, l, &w);
    if (!status) status = zlay_hier_normal(call->ctx, &h, q->a, l->at, l->count);
    return give(call, status, h);
}

zlay_status zl_op_hier_solve(zl_call *call, const void *value)
{
    const asked *q = value;
    zlay_hier *h = NULL;
    zlay_status status =
        zlay_hier_solve(call->ctx, &h, q->a, q->b, q->levels.at, q->levels.count);
    return give(call, status, h);
}

zlay_status zl_op_hier_level(zl_call *call, const void *value)
{
    const asked *q = value;
    const levels *l = &q->levels;
    zlay_reach reach;
    zlay_status status = zlay_hier_level(call->ctx, &reach, q->a, q->b, l->at, l->count);
    if (status) return status;
    bool none = reach.level < 0;
    call->value = json_object();
    zl_put_value(call, call->value, "level",
                 none ? json_null() : json_string(l->at[reach.level].name));
    if (!none)
        zl_put_value(call, call->value, "witness", zl_json_uints(call, reach.to, reach.from));
    return ZLAY_OK;
}
