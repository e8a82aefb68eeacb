/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on F2 layouts. */
#include "json/json.h"

#include <string.h>

static zlay_status give(zl_call *call, zlay_status status, zlay_layout *made)
{
    if (!status) call->value = zl_json_f2(call, made);
    zlay_layout_free(made);
    return status;
}

/* ---- layouts to a layout ------------------------------------------------------- */

typedef zlay_status one_to_one(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
typedef zlay_status two_to_one(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b);

static zlay_status of_one(zl_call *call, one_to_one *make)
{
    zlay_layout *a = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, &made, a);
    zlay_layout_free(a);
    return give(call, status, made);
}

static zlay_status of_two(zl_call *call, const char *first, const char *second, two_to_one *make)
{
    zlay_layout *a = NULL, *b = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, first, &a);
    if (!status) status = zl_get_layout(call, second, &b);
    if (!status) status = make(call->ctx, &made, a, b);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return give(call, status, made);
}

/* A request names the inner one first. */
static zlay_status composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *inner,
                               const zlay_layout *outer)
{
    return zlay_f2_composition(ctx, out, outer, inner);
}

static zlay_status inverse_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *self,
                                       const zlay_layout *outer)
{
    return zlay_f2_inverse_composition(ctx, out, outer, self);
}

zlay_status zl_op_f2_compose(zl_call *call)
{
    return of_two(call, "inner", "outer", composition);
}

zlay_status zl_op_f2_invert(zl_call *call) { return of_one(call, zlay_f2_invert); }
zlay_status zl_op_f2_pseudoinvert(zl_call *call) { return of_one(call, zlay_f2_pseudoinvert); }

zlay_status zl_op_f2_invert_and_compose(zl_call *call)
{
    return of_two(call, "this", "outer", inverse_composition);
}

zlay_status zl_op_f2_lstsq(zl_call *call) { return of_two(call, "a", "b", zlay_f2_lstsq); }
zlay_status zl_op_f2_divide_left(zl_call *call)
{
    return of_two(call, "a", "b", zlay_f2_divide_left);
}
zlay_status zl_op_f2_divide_right(zl_call *call)
{
    return of_two(call, "a", "b", zlay_f2_divide_right);
}
zlay_status zl_op_f2_concat_ins(zl_call *call)
{
    return of_two(call, "a", "b", zlay_f2_concat_ins);
}
zlay_status zl_op_f2_concat_outs(zl_call *call)
{
    return of_two(call, "a", "b", zlay_f2_concat_outs);
}

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

zlay_status zl_op_f2_product(zl_call *call)
{
    const json_t *list;
    zlay_layout *product = NULL;
    zlay_f2_bases empty = {.size = sizeof empty};
    zlay_status status = zl_get_list(call, call->request, "factors", &list);
    if (!status) status = zlay_f2_new(call->ctx, &product, &empty);
    for (size_t i = 0; !status && i < json_array_size(list); i++)
        status = times(call, &product, json_array_get(list, i));
    return give(call, status, product);
}

/* ---- shapes ------------------------------------------------------------------------ */

enum { LIST_MOST = 64 };

typedef struct names {
    const char *at[LIST_MOST];
    size_t count;
} names;

static zlay_status read_names(zl_call *call, const char *field, names *out)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, call->request, field, &list);
    out->count = status ? 0 : json_array_size(list);
    if (out->count > LIST_MOST)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "field '%s': %zu names, 64 at most", field,
                       out->count);
    for (size_t i = 0; i < out->count; i++) {
        const json_t *name = json_array_get(list, i);
        out->at[i] = json_string_value(name);
        if (!out->at[i] || strlen(out->at[i]) != json_string_length(name))
            return zl_wrong(call, field, "a list of names");
    }
    return status;
}

typedef zlay_status by_names(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const char *const *names, size_t count);

static zlay_status named(zl_call *call, const char *field, by_names *make)
{
    zlay_layout *a = NULL, *made = NULL;
    names list;
    zlay_status status = read_names(call, field, &list);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, &made, a, list.at, list.count);
    zlay_layout_free(a);
    return give(call, status, made);
}

zlay_status zl_op_f2_transpose_ins(zl_call *call)
{
    return named(call, "order", zlay_f2_transpose_ins);
}
zlay_status zl_op_f2_transpose_outs(zl_call *call)
{
    return named(call, "order", zlay_f2_transpose_outs);
}
zlay_status zl_op_f2_quotient(zl_call *call) { return named(call, "dims", zlay_f2_quotient); }

zlay_status zl_op_f2_sublayout(zl_call *call)
{
    zlay_layout *a = NULL, *made = NULL;
    names ins, outs;
    zlay_status status = read_names(call, "ins", &ins);
    if (!status) status = read_names(call, "outs", &outs);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status)
        status = zlay_f2_sublayout(call->ctx, &made, a, ins.at, ins.count, outs.at, outs.count);
    zlay_layout_free(a);
    return give(call, status, made);
}

typedef zlay_status by_dims(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_dim *dims, size_t count);

static zlay_status read_dims(zl_call *call, zlay_dim dims[LIST_MOST], size_t *count)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, call->request, "dims", &list);
    *count = status ? 0 : json_array_size(list);
    if (*count > LIST_MOST)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "field 'dims': %zu dimensions, 64 at most", *count);
    for (size_t i = 0; i < *count && !status; i++) {
        if (json_array_size(json_array_get(list, i)) != 2)
            return zl_wrong(call, "dims", "a list of [name, size]");
        status = zl_get_dim(call, "dims", json_array_get(list, i), &dims[i]);
    }
    return status;
}

static zlay_status reshaped(zl_call *call, by_dims *make)
{
    zlay_layout *a = NULL, *made = NULL;
    zlay_dim dims[LIST_MOST];
    size_t count;
    zlay_status status = read_dims(call, dims, &count);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, &made, a, dims, count);
    zlay_layout_free(a);
    return give(call, status, made);
}

zlay_status zl_op_f2_reshape_ins(zl_call *call) { return reshaped(call, zlay_f2_reshape_ins); }
zlay_status zl_op_f2_reshape_outs(zl_call *call) { return reshaped(call, zlay_f2_reshape_outs); }

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

zlay_status zl_op_f2_free_variable_masks(zl_call *call)
{
    zlay_layout *layout = NULL;
    uint64_t masks[LIST_MOST];
    zlay_status status = zl_get_layout(call, "layout", &layout);
    if (!status && (status = zlay_f2_free_variable_masks(masks, LIST_MOST, layout)))
        zl_fail(call->ctx, status,
                "field 'layout' is no F2 layout, or a size of it is no power of two");
    if (!status) call->value = masks_value(call, layout, masks);
    zlay_layout_free(layout);
    return status;
}

/* ---- other layouts as F2 objects ------------------------------------------------------- */

static zlay_status read_sizes(zl_call *call, uint64_t sizes[LIST_MOST], size_t *count)
{
    const json_t *list = json_object_get(call->request, "out");
    *count = json_array_size(list);
    if (list && !json_is_array(list)) return zl_wrong(call, "out", "a list of sizes");
    if (*count > LIST_MOST)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "field 'out': %zu sizes, 64 at most", *count);
    for (size_t i = 0; i < *count; i++)
        if (!zl_json_u64(json_array_get(list, i), &sizes[i]) || !sizes[i])
            return zl_wrong(call, "out", "a list of sizes of 1 or more");
    return ZLAY_OK;
}

zlay_status zl_op_layout_lower(zl_call *call)
{
    zlay_layout *a = NULL, *made = NULL;
    uint64_t sizes[LIST_MOST];
    size_t count;
    zlay_status status = read_sizes(call, sizes, &count);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status) status = zlay_f2_lower(call->ctx, &made, a, sizes, count);
    zlay_layout_free(a);
    return give(call, status, made);
}
