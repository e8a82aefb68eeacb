/* SPDX-License-Identifier: Apache-2.0 */
/* swizzle.synth. */
#include "json/json.h"

#include <zlay/swizzle.h>

enum { MODES_MOST = 8, ACCESSES_MOST = 16 };

/* ---- the request ---------------------------------------------------------------- */

typedef struct asked {
    const zlay_target *target;
    uint32_t elem_bits;
    size_t rank;
    uint64_t shape[MODES_MOST];
    zl_objects accesses;
} asked;

static zlay_status shape_by_text(zl_call *call, const json_t *value, asked *out)
{
    zlay_layout *layout;
    zlay_status status = zl_layout_of(call, "shape", value, &layout);
    if (status) return status;
    out->rank = zlay_layout_box(out->shape, MODES_MOST, layout);
    zlay_layout_free(layout);
    if (out->rank <= MODES_MOST) return ZLAY_OK;
    return zl_wrong(call, "shape", "a shape of at most 8 modes");
}

/* A list of extents, one extent, or a shape as layouts have it. */
static zlay_status read_shape(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    asked *out = to;
    const json_t *value = json_object_get(object, field->name);
    size_t rank = json_is_array(value) ? json_array_size(value) : 1;
    if (json_is_string(value)) return shape_by_text(call, value, out);
    if (!rank || rank > MODES_MOST) return zl_wrong(call, "shape", "a list of 1 to 8 extents");
    for (size_t i = 0; i < rank; i++)
        if (!zl_json_u64(json_is_array(value) ? json_array_get(value, i) : value, &out->shape[i]))
            return zl_wrong(call, "shape", "a list of extents");
    out->rank = rank;
    return ZLAY_OK;
}

static zlay_status read_access(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text name = {0};
    zlay_status status = zl_get_text(call, object, field->name, &name);
    if (!status && zlay_bank_find(to, name.text, name.length))
        status = zl_no_access(call, field->name, &name);
    return status;
}

static const zl_field_kind as_tile_shape = {.read = read_shape},
                           as_access = {.read = read_access, .type = "text"};
typedef asked as_tile_shape_type;
typedef int32_t as_access_type;

static const zl_field access_rows[] = {
    {"instruction", ZL_NEEDS, ZL_AT(as_access, zlay_swizzle_access, access)},
    {"layout", ZL_NEEDS, ZL_AT(zl_as_plain_layout, zlay_swizzle_access, layout)},
};
static const zl_fields access_fields = {ZL_ROWS(access_rows, zlay_swizzle_access),
                                        .what = "swizzle.synth: an access"};
static const zl_field swizzle_rows[] = {
    ZL_TARGET(asked),
    {"elem_bits", ZL_NEEDS, ZL_AT(zl_as_u32, asked, elem_bits)},
    {"shape", ZL_NEEDS, ZL_WHOLE(as_tile_shape, asked)},
    {"accesses", ZL_NEEDS, ZL_AT(zl_as_objects, asked, accesses), .of = &access_fields,
     .count = ACCESSES_MOST},
};
const zl_fields zl_swizzle_fields = {ZL_ROWS(swizzle_rows, asked)};

/* ---- the answer ------------------------------------------------------------------ */

static const zl_named methods[] = {{"form", ZLAY_SWIZZLE_FORM},
                                   {"complement", ZLAY_SWIZZLE_COMPLEMENT},
                                   {"search", ZLAY_SWIZZLE_SEARCH},
                                   {"family", ZLAY_SWIZZLE_FAMILY},
                                   {NULL, 0}};
static const zl_named leasts[] = {{"unknown", ZLAY_SWIZZLE_LEAST_UNKNOWN},
                                  {"family", ZLAY_SWIZZLE_LEAST_FAMILY},
                                  {"f2", ZLAY_SWIZZLE_LEAST_F2},
                                  {"any", ZLAY_SWIZZLE_LEAST_ANY},
                                  {NULL, 0}};

static void put_costs(zl_call *call, const zlay_swizzle *swizzle)
{
    json_t *wavefronts = json_array(), *ideal = json_array(), *bound = json_array();
    zlay_swizzle_cost cost;
    for (uint32_t i = 0; zlay_swizzle_cost_nth(&cost, swizzle, i) == ZLAY_OK; i++) {
        zl_put_item(call, wavefronts, zl_json_uint(cost.wavefronts));
        zl_put_item(call, ideal, zl_json_uint(cost.ideal));
        zl_put_item(call, bound, zl_json_uint(cost.lower_bound));
    }
    zl_put_value(call, call->value, "wavefronts", wavefronts);
    zl_put_value(call, call->value, "ideal", ideal);
    zl_put_value(call, call->value, "lower_bound", bound);
}

static void put_answer(zl_call *call, const zlay_swizzle *swizzle)
{
    zlay_swizzle_summary info;
    if (zlay_swizzle_info(&info, swizzle)) return;
    call->value = json_object();
    zl_put_value(call, call->value, "layout", zl_json_layout(call, zlay_swizzle_layout(swizzle)));
    put_costs(call, swizzle);
    zl_put_value(call, call->value, "optimal", json_boolean(info.optimal));
    zl_put_value(call, call->value, "least", zl_json_word(leasts, info.least));
    zl_put_value(call, call->value, "method", zl_json_word(methods, info.method));
    zl_put_value(call, call->value, "size", zl_json_uint(info.size));
    zl_put_value(call, call->value, "tensor", zl_json_word(zl_swizzles, info.tensor));
    zl_put_value(call, call->value, "tensor_mode",
                 info.tensor < 0 ? json_null() : json_integer(info.tensor_mode));
    zl_put_value(call, call->value, "matrix", zl_json_word(zl_swizzles, info.matrix));
    zl_put_value(call, call->value, "xors", json_integer(info.xors));
}

zlay_status zl_op_swizzle_synth(zl_call *call, const void *value)
{
    const asked *a = value;
    const zlay_swizzle_request request = {.size = sizeof request,
                                          .elem_bits = a->elem_bits,
                                          .shape = a->shape,
                                          .rank = a->rank,
                                          .accesses = a->accesses.row,
                                          .count = a->accesses.count};
    zlay_swizzle *swizzle = NULL;
    zlay_status status = zlay_swizzle_synth(call->ctx, &swizzle, a->target, &request);
    if (!status) put_answer(call, swizzle);
    zlay_swizzle_free(swizzle);
    return status;
}
