/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinate c of a mode becomes extent - 1 - c. */
#include "algebra/find/find.h"
#include "algebra/ops/reshape.h"
#include "algebra/ops/symbolic/ops.h"

/* The digits of extent - 1 - c are each the last less the digit, so every leaf is flipped. */
static zlay_status flip_leaves(zl_modes *m, const zl_leaves *leaves)
{
    int64_t reach;
    for (size_t i = leaves->first; i < leaves->end; i++) {
        zl_mode *leaf = &m->at[i];
        if (!zl_mul(leaf->shape - 1, leaf->stride, &reach) ||
            !zl_add(m->offset, reach, &m->offset) || !zl_sub(0, leaf->stride, &leaf->stride))
            return zl_fail(m->ctx, ZLAY_EOVERFLOW, "a value of the layout does not fit 64 bits");
    }
    return ZLAY_OK;
}

static zlay_status by_strides(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t mode)
{
    zl_modes m;
    zl_leaves leaves = {0, 0, 0};
    zl_modes_begin(&m, ctx);
    m.offset = a->offset;
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    if (!status) status = zl_mode_leaves(ctx, &leaves, &m, mode);
    if (!status) status = flip_leaves(&m, &leaves);
    if (!status) status = zl_layout_strided(ctx, out, &m, a->swizzle);
    zl_modes_end(&m);
    return status ? status : zl_simplify(ctx, out);
}

typedef struct flipped {
    const zlay_layout *a;
    size_t mode;
} flipped;

static zlay_status fill(zl_draft *d, zl_quasi *at, size_t count, const void *env)
{
    const flipped *f = env;
    zl_quasi mirrored;
    zlay_status status = zl_draft_last(d, &mirrored, f->a, f->mode);
    if (!status) status = zl_quasi_add(&d->w, &mirrored, &at[f->mode], -1);
    at[f->mode] = mirrored;
    return status ? status : zl_draft_apply(d, f->a, at, count);
}

static zlay_status by_pieces(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t mode)
{
    zl_modes box;
    uint64_t extent;
    flipped f = {a, mode};
    zl_filling filling = {a, NULL, &box, true, a->partial, fill, &f};
    zlay_status status = zl_mode_extent_or_0(ctx, &extent, a, mode);
    if (status) return status;
    zl_modes_begin(&box, ctx);
    status = zl_layout_box(&box, a);
    if (!status) status = zl_fill(ctx, out, &filling);
    zl_modes_end(&box);
    return status;
}

static zlay_status flip(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t mode)
{
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (a->symbols) return zl_symbols_flip(ctx, out, a, mode);
    return a->modes ? by_strides(ctx, out, a, mode) : by_pieces(ctx, out, a, mode);
}

zlay_status zlay_layout_flip(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t mode)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, flip(ctx, out, a, mode));
}
