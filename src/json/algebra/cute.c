/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <string.h>

static zlay_status give(zl_call *call, zlay_status status, zlay_layout *made)
{
    if (!status) call->value = zl_json_layout(call, made);
    zlay_layout_free(made);
    return status;
}

/* The text of b where it is a tiler, <...>. */
static bool is_tiler(const zl_call *call, zl_span *out)
{
    const json_t *b = json_object_get(call->request, "b");
    const char *text = json_string_value(b);
    if (!text || text[strspn(text, " ")] != '<') return false;
    *out = (zl_span){text, json_string_length(b)};
    return true;
}

typedef zlay_status by_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b, zlay_arrangement arrangement);
typedef zlay_status by_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const char *tiler, size_t length, zlay_arrangement arrangement);

static zlay_status arranged(zl_call *call, by_layout *layout, by_tiler *tiler,
                            zlay_arrangement arrangement)
{
    zlay_layout *a = NULL, *b = NULL, *made = NULL;
    zl_span text;
    bool tiled = is_tiler(call, &text);
    zlay_status status = zl_get_layout(call, "a", &a);
    if (!status && !tiled) status = zl_get_layout(call, "b", &b);
    if (!status && tiled) status = tiler(call->ctx, &made, a, text.text, text.length, arrangement);
    else if (!status) status = layout(call->ctx, &made, a, b, arrangement);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return give(call, status, made);
}

#define DIVIDE(op, arrangement)                                                              \
    zlay_status op(zl_call *call)                                                            \
    {                                                                                        \
        return arranged(call, zlay_layout_divide, zlay_layout_divide_tiler, arrangement);    \
    }
#define PRODUCT(op, arrangement)                                                             \
    zlay_status op(zl_call *call)                                                            \
    {                                                                                        \
        return arranged(call, zlay_layout_product, zlay_layout_product_tiler, arrangement);  \
    }
DIVIDE(zl_op_layout_divide, ZLAY_LOGICAL)
DIVIDE(zl_op_layout_zipped_divide, ZLAY_ZIPPED)
DIVIDE(zl_op_layout_tiled_divide, ZLAY_TILED)
DIVIDE(zl_op_layout_flat_divide, ZLAY_FLAT)
PRODUCT(zl_op_layout_product, ZLAY_LOGICAL)
PRODUCT(zl_op_layout_zipped_product, ZLAY_ZIPPED)
PRODUCT(zl_op_layout_tiled_product, ZLAY_TILED)
PRODUCT(zl_op_layout_flat_product, ZLAY_FLAT)

typedef zlay_status of_two(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                           const zlay_layout *b);

static zlay_status two(zl_call *call, of_two *make)
{
    zlay_layout *a = NULL, *b = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, "a", &a);
    if (!status) status = zl_get_layout(call, "b", &b);
    if (!status) status = make(call->ctx, &made, a, b);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return give(call, status, made);
}

zlay_status zl_op_layout_blocked(zl_call *call) { return two(call, zlay_layout_blocked_product); }
zlay_status zl_op_layout_raked(zl_call *call) { return two(call, zlay_layout_raked_product); }
zlay_status zl_op_layout_common(zl_call *call) { return two(call, zlay_layout_max_common_layout); }

zlay_status zl_op_layout_common_vector(zl_call *call)
{
    zlay_layout *a = NULL, *b = NULL;
    uint64_t count;
    zlay_status status = zl_get_layout(call, "a", &a);
    if (!status) status = zl_get_layout(call, "b", &b);
    if (!status) status = zlay_layout_max_common_vector(call->ctx, &count, a, b);
    if (!status) call->value = zl_json_uint(count);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return status;
}

typedef zlay_status of_one(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

static zlay_status one(zl_call *call, of_one *make)
{
    zlay_layout *a = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, &made, a);
    zlay_layout_free(a);
    return give(call, status, made);
}

zlay_status zl_op_layout_right_inverse(zl_call *call)
{
    return one(call, zlay_layout_right_inverse);
}

zlay_status zl_op_layout_left_inverse(zl_call *call)
{
    return one(call, zlay_layout_left_inverse);
}

typedef zlay_status in_units(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, uint64_t n);

static zlay_status cast(zl_call *call, in_units *make)
{
    zlay_layout *a = NULL, *made = NULL;
    uint64_t n = 0;
    zlay_status status = zl_get_u64(call, call->request, "n", &n);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, &made, a, n);
    zlay_layout_free(a);
    return give(call, status, made);
}

zlay_status zl_op_layout_upcast(zl_call *call) { return cast(call, zlay_layout_upcast); }
zlay_status zl_op_layout_downcast(zl_call *call) { return cast(call, zlay_layout_downcast); }

/* ---- modes --------------------------------------------------------------------------------- */

zlay_status zl_op_layout_flatten(zl_call *call) { return one(call, zlay_layout_flatten); }

zlay_status zl_op_layout_group(zl_call *call)
{
    zlay_layout *a = NULL, *made = NULL;
    uint64_t begin = 0, end = 0;
    zlay_status status = zl_get_u64(call, call->request, "begin", &begin);
    if (!status) status = zl_get_u64(call, call->request, "end", &end);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status) status = zlay_layout_group(call->ctx, &made, a, (size_t)begin, (size_t)end);
    zlay_layout_free(a);
    return give(call, status, made);
}

typedef zlay_status at_coordinate(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                  const char *coordinate, size_t length);

static zlay_status at(zl_call *call, at_coordinate *make)
{
    zlay_layout *a = NULL, *made = NULL;
    zl_span text;
    zlay_status status = zl_get_text(call, call->request, "at", &text);
    if (!status) status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, &made, a, text.text, text.length);
    zlay_layout_free(a);
    return give(call, status, made);
}

zlay_status zl_op_layout_slice_at(zl_call *call) { return at(call, zlay_layout_slice_at); }
zlay_status zl_op_layout_dice(zl_call *call) { return at(call, zlay_layout_dice); }
