/* SPDX-License-Identifier: Apache-2.0 */
/* A free choice of the shared layout: rows of what is adjacent in global memory, then axis after
 * axis by rising strides, so that whatever can merge does.  Rows are filled up to 16 bytes, or to
 * the span of a swizzle that is asked for; what is longer than the span comes last. */
#include "synth/tensormap.h"

/* Broadcast axes last. */
static int64_t size_of(int64_t stride)
{
    return !stride ? INT64_MAX : stride < 0 ? -stride : stride;
}

/* Axes of more than one cell, by rising strides. */
static uint32_t order(const zl_tm *t, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->axes; i++) {
        if (t->axis[i].tile == 1) continue;
        uint32_t k = count++;
        for (; k && size_of(t->axis[list[k - 1]].stride) > size_of(t->axis[i].stride); k--)
            list[k] = list[k - 1];
        list[k] = i;
    }
    return count;
}

/* A digit whose least global address comes first. */
static bool put(zl_tm *t, uint32_t axis, uint64_t extent, uint64_t unit, int64_t shared)
{
    zl_tm_axis *a = &t->axis[axis];
    int64_t back;
    zl_tm_digit d = {.extent = extent, .shared = shared, .axis = (int32_t)axis, .unit = unit,
                     .per = 1};
    if (t->digits == ZL_TM_DIGITS || !zl_mul(a->stride, (int64_t)unit, &d.global)) return false;
    if (d.global < 0) {
        if (a->clipped || !zl_mul(d.global, (int64_t)extent - 1, &back) ||
            !zl_add(t->base, back, &t->base))
            return false;
        d.global = -d.global;
        d.axis = ZL_TM_NO_AXIS;
    }
    t->digit[t->digits++] = d;
    return true;
}

/* Cells of a row of adjacent elements, and of them those that a swizzled row holds. */
static uint64_t row_cells(const zl_tm *t, const uint32_t *list, uint32_t count, uint64_t *cells)
{
    uint64_t span = zl_tm_span(t->swizzle) / t->element;
    *cells = 1;
    if (!count || size_of(t->axis[list[0]].stride) != t->element) return 1;
    *cells = t->axis[list[0]].tile;
    if (!t->swizzle || *cells <= span) return *cells;
    return *cells % span ? 0 : span;
}

/* Axes that step inside 16 bytes lie in shared memory as they do in global memory. */
static bool gaps_keep(zl_tm *t, const uint32_t *list, uint32_t count, uint32_t *i, uint64_t *bytes)
{
    for (; *i < count; ++*i) {
        int64_t step = size_of(t->axis[list[*i]].stride), reach;
        if (step == INT64_MAX || step % ZL_CHUNK == 0 || step < (int64_t)*bytes) return true;
        if (!put(t, list[*i], t->axis[list[*i]].tile, 1, step) ||
            !zl_mul(step, (int64_t)t->axis[list[*i]].tile - 1, &reach))
            return false;
        *bytes += (uint64_t)reach;
    }
    return true;
}

static bool digits_make(zl_tm *t)
{
    uint32_t list[ZL_TM_AXES], count = order(t, list);
    uint64_t cells, row = row_cells(t, list, count, &cells), bytes = row * t->element;
    uint32_t span = t->swizzle ? zl_tm_span(t->swizzle) : ZL_CHUNK, i = cells > 1;
    if (!row || (cells > 1 && !put(t, list[0], row, 1, t->element))) return false;
    if (cells == row && !gaps_keep(t, list, count, &i, &bytes)) return false;
    int64_t pitch = (int64_t)((bytes + span - 1) / span * span), place = pitch;
    for (; i < count; i++) {
        if (!put(t, list[i], t->axis[list[i]].tile, 1, place) ||
            !zl_mul(place, (int64_t)t->axis[list[i]].tile, &place))
            return false;
    }
    return cells == row || put(t, list[0], cells / row, row, place);
}

/* The shared stride of a digit of an axis, in elements, turned where the axis runs down. */
static zlay_status leaf_put(zl_modes *m, const zl_tm *t, uint32_t axis, uint64_t unit,
                            uint64_t *extent)
{
    int64_t global = t->axis[axis].stride * (int64_t)unit;
    for (uint32_t i = 0; i < t->digits; i++) {
        const zl_tm_digit *d = &t->digit[i];
        bool own = d->axis == (int32_t)axis && d->unit == unit;
        bool turned = d->axis == ZL_TM_NO_AXIS && global < 0 && d->global == -global &&
                      d->unit == unit && d->extent == t->axis[axis].tile;
        if (!own && !turned) continue;
        int64_t stride = d->shared / t->element;
        *extent = d->extent;
        if (global < 0) m->offset += stride * (int64_t)(d->extent - 1);
        return zl_modes_leaf(m, (int64_t)d->extent, global < 0 ? -stride : stride);
    }
    return ZLAY_EINTERNAL;
}

static zlay_status mode_put(zl_modes *m, const zl_tm *t, uint32_t mode)
{
    size_t first = m->count;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < t->axes; i++) {
        if (t->axis[i].mode != mode) continue;
        uint64_t extent = 1;
        for (uint64_t unit = 1; unit < t->axis[i].tile && !status; unit *= extent)
            status = leaf_put(m, t, i, unit, &extent);
    }
    if (!status && m->count == first) status = zl_modes_leaf(m, 1, 0);
    if (!status && m->count > first + 1) zl_modes_wrap(m, first);
    return status;
}

static zlay_status layout_make(zl_tm *t)
{
    zl_modes m;
    zl_swizzle s = {t->swizzle, 4, 3};
    for (uint32_t e = t->element; e > 1; e /= 2) s.base--;
    if (!t->swizzle) s = (zl_swizzle){0, 0, 0};
    zl_modes_begin(&m, t->ctx);
    zlay_status status = ZLAY_OK;
    for (uint32_t k = 0; k < t->modes && !status; k++) status = mode_put(&m, t, k);
    if (!status && t->modes > 1) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(t->ctx, &t->smem, &m, s);
    zl_modes_end(&m);
    return status;
}

zlay_status zl_tm_free(zl_tm *t)
{
    t->digits = 0;
    t->shared = 0;
    t->swizzle = t->request.swizzle_given ? t->request.swizzle : ZLAY_SWIZZLE_NONE;
    if (!digits_make(t)) return ZLAY_NONE;
    return layout_make(t);
}
