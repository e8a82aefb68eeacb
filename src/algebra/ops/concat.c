/* SPDX-License-Identifier: Apache-2.0 */
/* Two layouts one after the other along a mode. */
#include "algebra/symbolic/symbol.h"
#include "algebra/ops/reshape.h"

typedef struct joined {
    const zlay_layout *a, *b;
    size_t mode;
    uint64_t extent, second, all; /* of a's mode, of b's, and of both; 0: not known */
} joined;

/* An extent that is not known stands in the guards of the pieces. */
static zlay_status part(zl_draft *d, const zlay_layout *a, zl_quasi *at, size_t count, size_t mode,
                        uint64_t extent)
{
    bool dead = false;
    size_t before = d->guards.count;
    zlay_status status = extent ? zl_draft_inside(d, &at[mode], extent, &dead) : ZLAY_OK;
    if (!status && !dead) status = zl_draft_apply(d, a, at, count);
    d->guards.count = before;
    return status;
}

static zlay_status fill(zl_draft *d, zl_quasi *at, size_t count, const void *env)
{
    const joined *j = env;
    zl_quasi last;
    zlay_status status = part(d, j->a, at, count, j->mode, j->extent);
    if (!status) status = zl_draft_last(d, &last, j->a, j->mode);
    if (!status) status = zl_quasi_add(&d->w, &at[j->mode], &last, -1);
    at[j->mode].constant--;
    return status ? status : part(d, j->b, at, count, j->mode, j->second);
}

static zlay_status extents(zlay_ctx *ctx, joined *j)
{
    zlay_status status = zl_mode_extent_or_0(ctx, &j->extent, j->a, j->mode);
    if (!status) status = zl_same_boxes(ctx, j->a, j->b, j->mode);
    if (!status) status = zl_mode_extent_or_0(ctx, &j->second, j->b, j->mode);
    if (status) return status;
    if (!j->extent || !j->second) return ZLAY_OK;
    if (zl_uadd(j->extent, j->second, &j->all) && j->all <= INT64_MAX) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EOVERFLOW, "the extent does not fit 64 bits");
}

static zlay_status concat(zlay_ctx *ctx, zlay_layout **out, joined *j)
{
    zl_modes box;
    zl_filling filling = {j->a, j->b, &box, false, false, fill, j};
    if (!j->a || !j->b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    zlay_status status = zl_without_symbols(ctx, j->a);
    if (!status) status = zl_without_symbols(ctx, j->b);
    if (!status) status = extents(ctx, j);
    if (status) return status;
    filling.partial = j->a->partial || j->b->partial;
    zl_modes_begin(&box, ctx);
    status = zl_box_with(&box, j->a, j->mode, j->all);
    if (!status) status = zl_fill(ctx, out, &filling);
    zl_modes_end(&box);
    return status;
}

zlay_status zlay_layout_concat(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b, size_t mode)
{
    joined j = {a, b, mode, 0, 0, 0};
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, concat(ctx, out, &j));
}
