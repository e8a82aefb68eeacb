/* SPDX-License-Identifier: Apache-2.0 */
/* Two layouts one after the other along a mode. */
#include "algebra/reshape.h"

typedef struct joined {
    const zlay_layout *a, *b;
    size_t mode;
    uint64_t extent, all; /* of a's mode, and of both */
} joined;

static zlay_status part(zl_draft *d, const zlay_layout *a, zl_form *at, size_t count, size_t mode,
                        uint64_t extent)
{
    bool dead = false;
    size_t before = d->guards.count;
    zlay_status status = zl_draft_inside(d, &at[mode], extent, &dead);
    if (!status && !dead) status = zl_draft_apply(d, a, at, count);
    d->guards.count = before;
    return status;
}

static zlay_status fill(zl_draft *d, zl_form *at, size_t count, const void *env)
{
    const joined *j = env;
    zlay_status status = part(d, j->a, at, count, j->mode, j->extent);
    at[j->mode].at[0] -= (int64_t)j->extent;
    return status ? status : part(d, j->b, at, count, j->mode, j->all - j->extent);
}

static zlay_status extents(zlay_ctx *ctx, joined *j)
{
    uint64_t second = 0;
    zlay_status status = zl_mode_extent(ctx, &j->extent, j->a, j->mode);
    if (!status) status = zl_same_boxes(ctx, j->a, j->b, j->mode);
    if (!status) status = zl_mode_extent(ctx, &second, j->b, j->mode);
    if (status) return status;
    if (zl_uadd(j->extent, second, &j->all) && j->all <= INT64_MAX) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EOVERFLOW, "the extent does not fit 64 bits");
}

static zlay_status concat(zlay_ctx *ctx, zlay_layout **out, joined *j)
{
    zl_modes box;
    zl_filling filling = {j->a, j->b, &box, false, false, fill, j};
    if (!j->a || !j->b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    zlay_status status = extents(ctx, j);
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
    joined j = {a, b, mode, 0, 0};
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, concat(ctx, out, &j));
}
