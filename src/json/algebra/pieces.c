/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

static zlay_status give(zl_call *call, zlay_status status, zlay_layout *made)
{
    if (!status) call->value = zl_json_layout(call, made);
    zlay_layout_free(made);
    return status;
}

/* What an operation asks for beside its layout. */
typedef struct asked {
    uint64_t mode;
    zlay_slice slice;
    zlay_pad pad;
    zl_span guard;
} asked;

typedef zlay_status along(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const asked *with);

static zlay_status of_layout(zl_call *call, along *make, const asked *with)
{
    zlay_layout *a = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, "layout", &a);
    if (!status) status = make(call->ctx, &made, a, with);
    zlay_layout_free(a);
    return give(call, status, made);
}

static zlay_status lift(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *with)
{
    (void)with;
    return zlay_layout_lift(ctx, out, a);
}

zlay_status zl_op_layout_lift(zl_call *call) { return of_layout(call, lift, NULL); }

static zlay_status flip(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *with)
{
    return zlay_layout_flip(ctx, out, a, (size_t)with->mode);
}

zlay_status zl_op_layout_flip(zl_call *call)
{
    asked with = {0};
    zlay_status status = zl_get_u64(call, call->request, "mode", &with.mode);
    return status ? status : of_layout(call, flip, &with);
}

static zlay_status slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *with)
{
    return zlay_layout_slice(ctx, out, a, &with->slice);
}

zlay_status zl_op_layout_slice(zl_call *call)
{
    asked with = {.slice = {.step = 1}};
    zlay_status status = zl_get_u64(call, call->request, "mode", &with.slice.mode);
    if (!status) status = zl_get_i64(call, call->request, "begin", &with.slice.begin);
    if (!status) status = zl_get_i64(call, call->request, "end", &with.slice.end);
    if (!status) status = zl_get_i64(call, call->request, "step", &with.slice.step);
    return status ? status : of_layout(call, slice, &with);
}

static const zl_word fills[] = {{"repeat", ZLAY_PAD_REPEAT}, {"zero", ZLAY_PAD_ZERO}, {NULL, 0}};

static zlay_status pad(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const asked *with)
{
    return zlay_layout_pad(ctx, out, a, &with->pad);
}

static zlay_status get_fill(zl_call *call, int32_t *fill)
{
    const json_t *value = json_object_get(call->request, "fill");
    if (!value || json_is_null(value)) return ZLAY_OK;
    if (!json_is_string(value)) return zl_wrong(call, "fill", "\"repeat\", \"zero\" or null");
    return zl_get_word(call, call->request, "fill", fills, fill);
}

zlay_status zl_op_layout_pad(zl_call *call)
{
    asked with = {0};
    zlay_status status = zl_get_u64(call, call->request, "mode", &with.pad.mode);
    if (!status) status = zl_get_u64(call, call->request, "before", &with.pad.before);
    if (!status) status = zl_get_u64(call, call->request, "after", &with.pad.after);
    if (!status) status = get_fill(call, &with.pad.fill);
    return status ? status : of_layout(call, pad, &with);
}

static zlay_status restricted(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const asked *with)
{
    return zlay_layout_restrict(ctx, out, a, with->guard.text, with->guard.length);
}

zlay_status zl_op_layout_restrict(zl_call *call)
{
    asked with = {0};
    zlay_status status = zl_get_text(call, call->request, "guard", &with.guard);
    return status ? status : of_layout(call, restricted, &with);
}

typedef zlay_status two_to_one(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b, uint64_t mode);

static zlay_status of_two(zl_call *call, two_to_one *make, uint64_t mode)
{
    zlay_layout *a = NULL, *b = NULL, *made = NULL;
    zlay_status status = zl_get_layout(call, "a", &a);
    if (!status) status = zl_get_layout(call, "b", &b);
    if (!status) status = make(call->ctx, &made, a, b, mode);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return give(call, status, made);
}

static zlay_status concat(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b, uint64_t mode)
{
    return zlay_layout_concat(ctx, out, a, b, (size_t)mode);
}

zlay_status zl_op_layout_concat(zl_call *call)
{
    uint64_t mode = 0;
    zlay_status status = zl_get_u64(call, call->request, "mode", &mode);
    return status ? status : of_two(call, concat, mode);
}

static zlay_status unite(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b, uint64_t mode)
{
    (void)mode;
    return zlay_layout_union(ctx, out, a, b);
}

zlay_status zl_op_layout_union(zl_call *call) { return of_two(call, unite, 0); }
