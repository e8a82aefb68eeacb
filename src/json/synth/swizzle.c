/* SPDX-License-Identifier: Apache-2.0 */
/* swizzle.synth. */
#include "json/json.h"

#include <zlay/swizzle.h>

enum { MODES_MOST = 8, ACCESSES_MOST = 16 };

typedef struct asked {
    zlay_swizzle_request request;
    uint64_t shape[MODES_MOST];
    zlay_swizzle_access access[ACCESSES_MOST];
    zlay_layout *layout[ACCESSES_MOST];
} asked;

/* ---- the request ---------------------------------------------------------------- */

static zlay_status shape_by_text(zl_call *call, const json_t *value, asked *out)
{
    zlay_layout *layout;
    zlay_status status = zl_layout_of(call, "shape", value, &layout);
    if (status) return status;
    out->request.rank = zlay_layout_box(out->shape, MODES_MOST, layout);
    zlay_layout_free(layout);
    if (out->request.rank <= MODES_MOST) return ZLAY_OK;
    return zl_wrong(call, "shape", "a shape of at most 8 modes");
}

/* A list of extents, one extent, or a shape as layouts have it. */
static zlay_status get_shape(zl_call *call, asked *out)
{
    const json_t *value = json_object_get(call->request, "shape");
    size_t rank = json_is_array(value) ? json_array_size(value) : 1;
    out->request.shape = out->shape;
    if (json_is_string(value)) return shape_by_text(call, value, out);
    if (!rank || rank > MODES_MOST) return zl_wrong(call, "shape", "a list of 1 to 8 extents");
    for (size_t i = 0; i < rank; i++)
        if (!zl_json_u64(json_is_array(value) ? json_array_get(value, i) : value, &out->shape[i]))
            return zl_wrong(call, "shape", "a list of extents");
    out->request.rank = rank;
    return ZLAY_OK;
}

static zlay_status get_access(zl_call *call, const json_t *object, asked *out, size_t i)
{
    zl_json_text name = {0};
    zlay_status status =
        zl_fields_check(call, object, "swizzle.synth: an access", "instruction layout", "");
    if (!status) status = zl_get_text(call, object, "instruction", &name);
    if (!status && zlay_bank_find(&out->access[i].access, name.text, name.length))
        status = zl_wrong(call, "instruction", "an access to shared memory that is known");
    if (!status)
        status = zl_layout_of(call, "layout", json_object_get(object, "layout"), &out->layout[i]);
    out->access[i].layout = out->layout[i];
    return status;
}

static zlay_status get_accesses(zl_call *call, asked *out)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, call->request, "accesses", &list);
    if (status) return status;
    size_t count = json_array_size(list);
    if (!count || count > ACCESSES_MOST)
        return zl_wrong(call, "accesses", "a list of 1 to 16 objects");
    for (size_t i = 0; i < count && !status; i++) {
        if (!json_is_object(json_array_get(list, i)))
            return zl_wrong(call, "accesses", "a list of objects");
        status = get_access(call, json_array_get(list, i), out, i);
    }
    out->request.count = count;
    out->request.accesses = out->access;
    return status;
}

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

zlay_status zl_op_swizzle_synth(zl_call *call)
{
    asked a = {.request = {.size = sizeof a.request}};
    const zlay_target *target;
    zlay_swizzle *swizzle = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = zl_get_u32(call, call->request, "elem_bits", &a.request.elem_bits);
    if (!status) status = get_shape(call, &a);
    if (!status) status = get_accesses(call, &a);
    if (!status) status = zlay_swizzle_synth(call->ctx, &swizzle, target, &a.request);
    if (!status) put_answer(call, swizzle);
    zlay_swizzle_free(swizzle);
    for (size_t i = 0; i < ACCESSES_MOST; i++) zlay_layout_free(a.layout[i]);
    return status;
}
