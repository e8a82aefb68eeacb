/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/ops/reshape.h"
#include "algebra/find/finish.h"

static uint32_t outer_of(const zl_modes *box) { return box->count && box->at[0].open ? 1 : 0; }

zlay_status zl_mode_leaves(zlay_ctx *ctx, zl_leaves *out, const zl_modes *box, uint64_t mode)
{
    size_t end = 0, count = 0;
    uint32_t outer = outer_of(box);
    out->outer = outer;
    for (size_t i = 0; i < box->count; i = end, count++, outer = 0) {
        end = zl_part_end(box->at, i, box->at[i].open - outer);
        if (count != mode) continue;
        out->first = i;
        out->end = end;
        return ZLAY_OK;
    }
    return zl_fail(ctx, ZLAY_EINVAL, "mode %llu of a layout of %zu modes",
                   (unsigned long long)mode, count);
}

zlay_status zl_box_with(zl_modes *out, const zlay_layout *a, uint64_t mode, uint64_t extent)
{
    zl_modes box;
    zl_leaves leaves = {0, 0, 0};
    zl_modes_begin(&box, out->ctx);
    zlay_status status = zl_layout_box(&box, a);
    if (!status) status = zl_mode_leaves(out->ctx, &leaves, &box, mode);
    if (!status) status = zl_modes_append(out, box.at, leaves.first);
    uint32_t open = leaves.first ? 0 : leaves.outer;
    uint32_t close = leaves.end == box.count ? leaves.outer : 0;
    if (!status) status = zl_modes_put(out, (zl_mode){(int64_t)extent, 0, open, close});
    if (!status) status = zl_modes_append(out, box.at + leaves.end, box.count - leaves.end);
    zl_modes_end(&box);
    return status;
}

zlay_status zl_mode_extent_or_0(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a, uint64_t mode)
{
    uint64_t extent[ZL_PIECE_VARIABLES] = {0};
    size_t count = zlay_layout_box(extent, ZL_PIECE_VARIABLES, a);
    if (mode >= count || mode >= ZL_PIECE_VARIABLES)
        return zl_fail(ctx, ZLAY_EINVAL, "mode %llu of a layout of %zu modes",
                       (unsigned long long)mode, count);
    *out = extent[mode];
    return ZLAY_OK;
}

zlay_status zl_mode_extent(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a, uint64_t mode)
{
    zlay_status status = zl_mode_extent_or_0(ctx, out, a, mode);
    if (status || *out) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "the extent of mode %llu depends on parameter %s",
                   (unsigned long long)mode, zl_parameter(a) ? zl_parameter(a) : "?");
}

zlay_status zl_same_boxes(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b, size_t mode)
{
    uint64_t m[ZL_PIECE_VARIABLES] = {0}, n[ZL_PIECE_VARIABLES] = {0};
    size_t count = zlay_layout_box(m, ZL_PIECE_VARIABLES, a);
    if (count != zlay_layout_box(n, ZL_PIECE_VARIABLES, b))
        return zl_fail(ctx, ZLAY_EINVAL, "the layouts have %zu and %zu modes", count,
                       zlay_layout_box(NULL, 0, b));
    for (size_t i = 0; i < count && i < ZL_PIECE_VARIABLES; i++)
        if (i != mode && !m[i] && !n[i])
            return zl_fail(ctx, ZLAY_ENOTSUP, "the extent of mode %zu depends on parameter %s", i,
                           zl_parameter(a));
        else if (i != mode && m[i] != n[i])
            return zl_fail(ctx, ZLAY_EINVAL, "mode %zu has extents %llu and %llu", i,
                           (unsigned long long)m[i], (unsigned long long)n[i]);
    if (zlay_layout_out_count(a) == zlay_layout_out_count(b)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "the layouts have %zu and %zu outputs",
                   zlay_layout_out_count(a), zlay_layout_out_count(b));
}

/* ---- filling a box ------------------------------------------------------------------------ */

/* The greater of two sizes; not known where one is not. */
static void meet_outs(zl_draft *d, const zlay_layout *b)
{
    for (size_t i = 0; i < d->claims.outs; i++) {
        uint64_t m = d->out_size[i], n = zl_out_size(b, i);
        d->out_size[i] = !m || !n ? 0 : m > n ? m : n;
    }
}

static zlay_status fill(zl_draft *d, zlay_layout **out, const zl_filling *f)
{
    zl_result_shape shape = {f->box, f->same_box ? f->a : NULL, f->b ? NULL : f->a, true};
    zl_quasi *at;
    size_t count;
    zlay_status status = zl_draft_params(d, f->a);
    if (!status && f->b) status = zl_draft_params(d, f->b);
    if (!status) status = zl_draft_outs(d, f->a);
    if (!status && f->b) meet_outs(d, f->b);
    if (!status) status = zl_draft_coordinates(d, &at, &count);
    if (!status) status = f->fill(d, at, count, f->env);
    return status ? status : zl_draft_finish(d, out, &shape, f->partial);
}

zlay_status zl_fill(zlay_ctx *ctx, zlay_layout **out, const zl_filling *f)
{
    zl_draft *d;
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = zl_draft_of_box(ctx, &d, f->box);
    if (!status) status = fill(d, out, f);
    zl_scratch_release(ctx, mark);
    return status;
}
