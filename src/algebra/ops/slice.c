/* SPDX-License-Identifier: Apache-2.0 */
/* Every step-th coordinate of a mode, numbered anew from 0. */
#include "algebra/ops/cute.h"
#include "algebra/find/find.h"
#include "algebra/ops/reshape.h"
#include "algebra/ops/symbolic/ops.h"

typedef struct sliced {
    const zlay_layout *a;
    zlay_slice by;
    uint64_t count; /* of coordinates that stay */
} sliced;

static uint64_t distance(int64_t from, int64_t to) { return (uint64_t)to - (uint64_t)from; }

static zlay_status check(zlay_ctx *ctx, sliced *s)
{
    uint64_t extent;
    const zlay_slice *by = &s->by;
    zlay_status status = zl_mode_extent_or_0(ctx, &extent, s->a, by->mode);
    if (status) return status;
    if (!extent) extent = INT64_MAX;
    if (!by->step || by->step == INT64_MIN)
        return zl_fail(ctx, ZLAY_EINVAL, "a slice in steps of %lld", (long long)by->step);
    if (by->begin < 0 || (uint64_t)by->begin >= extent)
        return zl_fail(ctx, ZLAY_EINVAL, "begin %lld is outside [0, %llu)", (long long)by->begin,
                       (unsigned long long)extent);
    if (by->step > 0 ? by->end < 0 || (uint64_t)by->end > extent : by->end < -1)
        return zl_fail(ctx, ZLAY_EINVAL, "end %lld is outside a mode of extent %llu",
                       (long long)by->end, (unsigned long long)extent);
    if (by->step > 0 ? by->end <= by->begin : by->end >= by->begin)
        return zl_fail(ctx, ZLAY_EINVAL, "no coordinate lies from %lld to %lld in steps of %lld",
                       (long long)by->begin, (long long)by->end, (long long)by->step);
    uint64_t span = by->step > 0 ? distance(by->begin, by->end) : distance(by->end, by->begin);
    s->count = (span - 1) / (uint64_t)(by->step > 0 ? by->step : -by->step) + 1;
    return ZLAY_OK;
}

/* ---- one leaf of a strided layout ---------------------------------------------------------- */

static zlay_status slice_leaf(zl_modes *m, zl_mode *leaf, const sliced *s)
{
    int64_t reach, stride = 0;
    bool fits = zl_mul(s->by.begin, leaf->stride, &reach) && zl_add(m->offset, reach, &m->offset);
    if (fits && s->count > 1) fits = zl_mul(leaf->stride, s->by.step, &stride);
    leaf->shape = (int64_t)s->count;
    leaf->stride = stride;
    return fits ? ZLAY_OK : zl_fail(m->ctx, ZLAY_EOVERFLOW, "a stride does not fit 64 bits");
}

static zlay_status by_stride(zlay_ctx *ctx, zlay_layout **out, const sliced *s)
{
    zl_modes m;
    zl_leaves leaves = {0, 0, 0};
    zl_modes_begin(&m, ctx);
    m.offset = s->a->offset;
    zlay_status status = zl_modes_append(&m, s->a->mode, s->a->modes);
    if (!status) status = zl_mode_leaves(ctx, &leaves, &m, s->by.mode);
    if (!status && leaves.end != leaves.first + 1) status = ZLAY_NONE;
    if (!status) status = slice_leaf(&m, &m.at[leaves.first], s);
    if (!status) status = zl_layout_strided(ctx, out, &m, s->a->swizzle);
    zl_modes_end(&m);
    return status ? status : zl_simplify(ctx, out);
}

/* ---- every other --------------------------------------------------------------------------- */

static zlay_status fill(zl_draft *d, zl_quasi *at, size_t count, const void *env)
{
    const sliced *s = env;
    zl_quasi old;
    zl_quasi_set(&old, s->by.begin);
    zlay_status status = zl_quasi_add(&d->w, &old, &at[s->by.mode], s->by.step);
    at[s->by.mode] = old;
    return status ? status : zl_draft_apply(d, s->a, at, count);
}

static zlay_status by_pieces(zlay_ctx *ctx, zlay_layout **out, const sliced *s)
{
    zl_modes box;
    zl_filling filling = {s->a, NULL, &box, false, s->a->partial, fill, s};
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_box_with(&box, s->a, s->by.mode, s->count);
    if (!status) status = zl_fill(ctx, out, &filling);
    zl_modes_end(&box);
    return status;
}

static zlay_status slice(zlay_ctx *ctx, zlay_layout **out, sliced *s)
{
    if (!s->a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (s->a->symbols) return zl_symbols_slice(ctx, out, s->a, &s->by);
    zlay_status status = check(ctx, s);
    if (status) return status;
    status = s->a->modes ? by_stride(ctx, out, s) : ZLAY_NONE;
    return status == ZLAY_NONE ? by_pieces(ctx, out, s) : status;
}

zlay_status zl_layout_slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_slice *by)
{
    sliced s = {a, *by, 0};
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, slice(ctx, out, &s));
}

zlay_status zlay_layout_slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_slice *by)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    if (!by) status = zl_fail(ctx, ZLAY_EINVAL, "the slice is NULL");
    else status = zl_layout_slice(ctx, out, a, by);
    return zl_leave(ctx, status);
}
