/* SPDX-License-Identifier: Apache-2.0 */
/* What a layout is, and its values: layout.parse and layout.eval. */
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OUTS_MOST = 64 };

/* ---- parse ------------------------------------------------------------------ */

static const zl_named kinds[] = {{"strided", ZLAY_LAYOUT_STRIDED},
                                 {"swizzled", ZLAY_LAYOUT_SWIZZLED},
                                 {"f2", ZLAY_LAYOUT_F2},
                                 {"modular", ZLAY_LAYOUT_MODULAR},
                                 {"pieces", ZLAY_LAYOUT_PIECES},
                                 {"symbolic", ZLAY_LAYOUT_SYMBOLIC},
                                 {NULL, 0}};

static void spans_note(int64_t *least, int64_t *greatest, const int64_t *values, size_t outs)
{
    for (size_t i = 0; i < outs; i++) {
        if (values[i] < least[i]) least[i] = values[i];
        if (values[i] > greatest[i]) greatest[i] = values[i];
    }
}

/* An output of bits is a layout by itself, of any size. */
static zlay_status cosize_of_output(zl_call *call, const zlay_layout *layout, size_t i,
                                    uint64_t *cosize)
{
    zlay_dim ins[OUTS_MOST], out;
    const char *names[OUTS_MOST], *name = out.name;
    size_t count = 0;
    zlay_layout *one;
    while (count < OUTS_MOST && !zlay_f2_in_nth(&ins[count], layout, count)) {
        names[count] = ins[count].name;
        count++;
    }
    zlay_f2_out_nth(&out, layout, i);
    zlay_status status = zlay_f2_sublayout(call->ctx, &one, layout, names, count, &name, 1);
    if (!status) status = zlay_layout_cosize(call->ctx, cosize, one);
    zlay_layout_free(one);
    return status;
}

static zlay_status cosize_of_bits(zl_call *call, const zlay_layout *layout, json_t **out)
{
    json_t *list = json_array();
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < zlay_layout_out_count(layout) && !status; i++) {
        uint64_t cosize = 0;
        status = cosize_of_output(call, layout, i, &cosize);
        zl_put_item(call, list, zl_json_uint(cosize));
    }
    if (status) json_decref(list);
    else *out = list;
    return status;
}

/* Of several outputs the list, each by its own values. */
static zlay_status cosize_list(zl_call *call, const zlay_layout *layout, json_t **out)
{
    int64_t values[OUTS_MOST], least[OUTS_MOST] = {0}, greatest[OUTS_MOST] = {0};
    size_t outs = zlay_layout_out_count(layout);
    uint64_t size = zlay_layout_size(layout);
    if (outs > OUTS_MOST || size > zl_limits(call->ctx)->points)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "limit points %" PRIu64 ": asked for %" PRIu64,
                       zl_limits(call->ctx)->points, size);
    for (uint64_t i = 0; i < size; i++) {
        zlay_status status = zlay_layout_eval(values, OUTS_MOST, layout, i);
        if (status == ZLAY_NONE) continue;
        if (status) return status;
        spans_note(least, greatest, values, outs);
    }
    *out = json_array();
    for (size_t i = 0; i < outs; i++)
        zl_put_item(call, *out, zl_json_uint((uint64_t)greatest[i] - (uint64_t)least[i] + 1));
    return ZLAY_OK;
}

static zlay_status cosize_value(zl_call *call, const zlay_layout *layout, json_t **out)
{
    uint64_t cosize;
    *out = json_null();
    if (zlay_layout_param_nth(layout, 0)) return ZLAY_OK;
    int32_t kind = zlay_layout_kind(layout);
    if (zlay_layout_out_count(layout) != 1 &&
        (kind == ZLAY_LAYOUT_F2 || kind == ZLAY_LAYOUT_MODULAR))
        return cosize_of_bits(call, layout, out);
    if (zlay_layout_out_count(layout) != 1) return cosize_list(call, layout, out);
    zlay_status status = zlay_layout_cosize(call->ctx, &cosize, layout);
    if (!status) *out = zl_json_uint(cosize);
    return status;
}

static json_t *box_value(zl_call *call, const zlay_layout *layout)
{
    uint64_t extents[OUTS_MOST];
    size_t count = zlay_layout_box(extents, OUTS_MOST, layout);
    return zl_json_list(call, extents, count < OUTS_MOST ? count : OUTS_MOST);
}

zlay_status zl_op_layout_parse(zl_call *call, const void *asked)
{
    const zlay_layout *layout = zl_asked_layout(asked);
    json_t *cosize = NULL;
    zlay_status status = cosize_value(call, layout, &cosize);
    if (status) return status;
    call->value = json_object();
    zl_put_value(call, call->value, "text", zl_json_layout(call, layout));
    zl_put_value(call, call->value, "kind",
                 json_string(zl_word_of(kinds, zlay_layout_kind(layout))));
    zl_put_value(call, call->value, "size", zl_json_uint(zlay_layout_size(layout)));
    zl_put_value(call, call->value, "box", box_value(call, layout));
    zl_put_value(call, call->value, "cosize", cosize);
    return ZLAY_OK;
}

/* ---- eval ------------------------------------------------------------------- */

static zlay_status index_of(zl_call *call, const zlay_layout *layout, const json_t *at,
                            uint64_t *index)
{
    if (!json_is_array(at)) {
        bool read = zl_json_u64(at, index);
        bool whole = zlay_f2_bits(layout) == 64;
        if (read && (whole || *index < zlay_layout_size(layout))) return ZLAY_OK;
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'at': an index is not in [0, %" PRIu64 ")",
                       zlay_layout_size(layout));
    }
    char *text = json_dumps(at, JSON_COMPACT);
    if (!text) return ZLAY_ENOMEM;
    zlay_status status = zlay_layout_index(call->ctx, index, layout, text, strlen(text));
    free(text);
    return status;
}

zlay_status zl_json_value(zl_call *call, const zlay_layout *layout, uint64_t index, json_t **out)
{
    int64_t values[OUTS_MOST];
    size_t outs = zlay_layout_out_count(layout);
    zlay_status status = zlay_layout_eval(values, OUTS_MOST, layout, index);
    if (status == ZLAY_NONE) {
        *out = json_null();
        return ZLAY_OK;
    }
    if (status) return zl_fail(call->ctx, status, "no value at index %" PRIu64, index);
    if (outs == 1) {
        *out = zl_json_int(values[0]);
        return ZLAY_OK;
    }
    *out = json_array();
    for (size_t i = 0; i < outs; i++) zl_put_item(call, *out, zl_json_int(values[i]));
    return ZLAY_OK;
}

static zlay_status eval_all(zl_call *call, const zlay_layout *layout, const json_t *at)
{
    call->value = json_array();
    for (size_t i = 0; i < json_array_size(at); i++) {
        uint64_t index;
        json_t *value;
        zlay_status status = index_of(call, layout, json_array_get(at, i), &index);
        if (!status) status = zl_json_value(call, layout, index, &value);
        if (status) return status;
        zl_put_item(call, call->value, value);
    }
    return ZLAY_OK;
}

typedef struct evaluated {
    const zlay_layout *layout;
    const json_t *at;
} evaluated;

/* The layout with numbers in the place of its parameters. */
static zlay_status read_bound(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_layout *layout = NULL;
    (void)object;
    zlay_status status = zl_get_layout(call, field->name, &layout);
    if (!status) status = zl_bind_params(call, &layout);
    *(const zlay_layout **)to = layout;
    return status;
}

static const zl_field_kind as_bound = {
    .read = read_bound, .drop = zl_drop_layout, .late = true, .type = "layout"};
typedef const zlay_layout *as_bound_type;

static const zl_field eval_rows[] = {
    {"layout", ZL_NEEDS, ZL_AT(as_bound, evaluated, layout)},
    {"at", ZL_NEEDS, ZL_AT(zl_as_json_list, evaluated, at)},
    ZL_OWN_OF(zl_as_own_object, "params", ZL_MAY),
};
const zl_fields zl_eval_fields = {ZL_ROWS(eval_rows, evaluated)};

zlay_status zl_op_layout_eval(zl_call *call, const void *asked)
{
    const evaluated *e = asked;
    return eval_all(call, e->layout, e->at);
}
