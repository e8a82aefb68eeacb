/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on F2 layouts. */
#include "json/json.h"

#include <string.h>

/* ---- products -------------------------------------------------------------------- */

static zlay_status times(zl_call *call, zlay_layout **product, const json_t *factor)
{
    zlay_layout *next = NULL, *made = NULL;
    zlay_status status = zl_layout_of(call, "factors", factor, &next);
    if (!status) status = zlay_f2_product(call->ctx, &made, *product, next);
    zlay_layout_free(next);
    zlay_layout_free(*product);
    *product = made;
    return status;
}

typedef struct factors {
    const json_t *list;
} factors;

static const zl_field factor_rows[] = {
    {"factors", ZL_NEEDS, ZL_AT(zl_as_json_list, factors, list)},
};
const zl_fields zl_factors_fields = {ZL_ROWS(factor_rows, factors)};

zlay_status zl_make_f2_product(zl_call *call, zlay_layout **out, const void *asked)
{
    const factors *f = asked;
    zlay_f2_bases empty = {.size = sizeof empty};
    zlay_status status = zlay_f2_new(call->ctx, out, &empty);
    for (size_t i = 0; !status && i < json_array_size(f->list); i++)
        status = times(call, out, json_array_get(f->list, i));
    return status;
}

/* ---- dimensions -------------------------------------------------------------------- */

enum { LIST_MOST = 64 };

typedef struct names {
    const char *at[LIST_MOST];
    size_t count;
} names;

typedef struct dims {
    zlay_dim at[LIST_MOST];
    size_t count;
} dims;

typedef struct sizes {
    uint64_t at[LIST_MOST];
    size_t count;
} sizes;

/* The length of a list of at most 64 entries. */
static zlay_status read_count(zl_call *call, const json_t *list, const char *field,
                              const char *what, size_t *count)
{
    *count = json_array_size(list);
    if (*count <= LIST_MOST) return ZLAY_OK;
    return zl_fail(call->ctx, ZLAY_ELIMIT, "field '%s': %zu %s, 64 at most", field, *count, what);
}

static zlay_status read_names(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    names *out = to;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (!status) status = read_count(call, list, field->name, "names", &out->count);
    for (size_t i = 0; !status && i < out->count; i++) {
        const json_t *name = json_array_get(list, i);
        out->at[i] = json_string_value(name);
        if (!out->at[i] || strlen(out->at[i]) != json_string_length(name))
            return zl_wrong(call, field->name, "a list of names");
    }
    return status;
}

static zlay_status read_dims(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    dims *out = to;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (!status) status = read_count(call, list, field->name, "dimensions", &out->count);
    for (size_t i = 0; !status && i < out->count; i++) {
        if (json_array_size(json_array_get(list, i)) != 2)
            return zl_wrong(call, field->name, "a list of [name, size]");
        status = zl_get_dim(call, field->name, json_array_get(list, i), &out->at[i]);
    }
    return status;
}

static zlay_status read_sizes(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list = json_object_get(object, field->name);
    sizes *out = to;
    if (!json_is_array(list)) return zl_wrong(call, field->name, "a list of sizes");
    zlay_status status = read_count(call, list, field->name, "sizes", &out->count);
    for (size_t i = 0; !status && i < out->count; i++)
        if (!zl_json_u64(json_array_get(list, i), &out->at[i]) || !out->at[i])
            return zl_wrong(call, field->name, "a list of sizes of 1 or more");
    return status;
}

static const zl_field_kind as_names = {.read = read_names, .type = "texts"},
                           as_dims = {.read = read_dims, .type = "sizes"},
                           as_sizes = {.read = read_sizes, .type = "integers"};
typedef names as_names_type;
typedef dims as_dims_type;
typedef sizes as_sizes_type;

typedef struct shaped {
    const zlay_layout *a;
    names ins, outs;
    dims dims;
    sizes sizes;
} shaped;

#define TABLE(name, ...)                                                                           \
    static const zl_field name##_rows[] = {                                                        \
        {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, shaped, a)}, __VA_ARGS__};                        \
    const zl_fields zl_##name##_fields = {ZL_ROWS(name##_rows, shaped)}

TABLE(order, {"order", ZL_NEEDS, ZL_AT(as_names, shaped, ins)});
TABLE(quotient, {"dims", ZL_NEEDS, ZL_AT(as_names, shaped, ins)});
TABLE(sublayout, {"ins", ZL_NEEDS, ZL_AT(as_names, shaped, ins)},
      {"outs", ZL_NEEDS, ZL_AT(as_names, shaped, outs)});
TABLE(dims, {"dims", ZL_NEEDS, ZL_AT(as_dims, shaped, dims)});
TABLE(lowered, {"out", ZL_MAY, ZL_AT(as_sizes, shaped, sizes)});

zlay_status zl_by_names(zl_call *call, zlay_layout **out, const void *asked)
{
    const shaped *s = asked;
    return call->op->make.names(call->ctx, out, s->a, s->ins.at, s->ins.count);
}

zlay_status zl_by_dims(zl_call *call, zlay_layout **out, const void *asked)
{
    const shaped *s = asked;
    return call->op->make.dims(call->ctx, out, s->a, s->dims.at, s->dims.count);
}

zlay_status zl_make_sublayout(zl_call *call, zlay_layout **out, const void *asked)
{
    const shaped *s = asked;
    return zlay_f2_sublayout(call->ctx, out, s->a, s->ins.at, s->ins.count, s->outs.at,
                             s->outs.count);
}

zlay_status zl_make_lowered(zl_call *call, zlay_layout **out, const void *asked)
{
    const shaped *s = asked;
    return zlay_f2_lower(call->ctx, out, s->a, s->sizes.at, s->sizes.count);
}

/* ---- masks --------------------------------------------------------------------------- */

static json_t *masks_value(zl_call *call, const zlay_layout *layout, const uint64_t *masks)
{
    zlay_dim dim;
    json_t *list = json_array();
    for (size_t i = 0; zlay_f2_in_nth(&dim, layout, i) == ZLAY_OK; i++) {
        json_t *pair = json_array();
        zl_put_item(call, pair, json_string(dim.name));
        zl_put_item(call, pair, zl_json_uint(masks[i]));
        zl_put_item(call, list, pair);
    }
    return list;
}

zlay_status zl_op_f2_free_variable_masks(zl_call *call, const void *asked)
{
    const zlay_layout *layout = zl_asked_layout(asked);
    uint64_t masks[LIST_MOST];
    zlay_status status = zlay_f2_free_variable_masks(masks, LIST_MOST, layout);
    if (status)
        return zl_fail(call->ctx, status,
                       "field 'layout' is no F2 layout, or a size of it is no power of two");
    call->value = masks_value(call, layout, masks);
    return ZLAY_OK;
}
