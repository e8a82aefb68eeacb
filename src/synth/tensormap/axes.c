/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the modes of the source as axes of the tile. A mode is first coalesced; then the tile
 * takes the inner leaves whole and a part of one outer leaf, so that the next tile is a whole
 * number of steps of that leaf. A source of pieces that is affine inside a box, such as a padded
 * one, gives one axis a mode, with its edges. A source for which this fails is read value by value
 * (values.c). */
#include "algebra/layout/parts.h"
#include "algebra/image/sums.h"
#include "synth/tensormap/tensormap.h"

static zlay_status axis_put(zl_tm *t, const zl_tm_axis *axis)
{
    if (axis->extent == 1 && axis->tile == 1 && axis->tiles == 1 && !axis->low) return ZLAY_OK;
    if (t->axes == ZL_TM_AXES)
        return zl_fail(t->ctx, ZLAY_ELIMIT, "source: more than %d modes", ZL_TM_AXES);
    zl_tm_axis *a = &t->axis[t->axes++];
    *a = *axis;
    uint64_t low = axis->low < 0 ? (uint64_t)-axis->low : (uint64_t)axis->low;
    a->granule = zl_gcd(zl_gcd(a->tile, a->extent), low);
    a->clipped = a->low || a->tile * a->tiles != a->extent;
    a->own = t->own >> a->mode & 1;
    return ZLAY_OK;
}

/* Merges neighbours whose strides continue each other: (4,2):(1,4) becomes 8:1. */
static size_t coalesce(zl_mode *out, const zl_mode *modes, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t next;
        if (modes[i].shape == 1) continue;
        if (n && zl_mul(out[n - 1].shape, out[n - 1].stride, &next) && next == modes[i].stride)
            out[n - 1].shape *= modes[i].shape;
        else out[n++] = modes[i];
    }
    return n;
}

/* Whether the first two cells of a mode are adjacent in the request's shared layout.  It is used
 * where the tensor has one cell along the mode: the other cells lie outside of it whatever the
 * stride is. */
static bool adjacent(const zl_tm *t, uint32_t mode)
{
    const zlay_layout *smem = t->request.smem;
    uint64_t below = 1;
    int64_t first, next;
    for (uint32_t i = 0; i < mode; i++) below *= t->request.shape[i];
    return smem && zl_value(smem, 0, &first) && zl_value(smem, below, &next) && next - first == 1;
}

/* Puts the leaves of a mode as axes.  The next tile must be a whole number of steps of one leaf:
 * so the leaves below it are taken whole, and no tile ends inside a leaf above it. */
static zlay_status leaves_put(zl_tm *t, uint32_t mode, const zl_mode *leaf, size_t count,
                              uint64_t tile)
{
    uint64_t left = tile;
    bool ended = false;
    zlay_status status = ZLAY_OK;
    t->count[mode] = 1;
    for (size_t i = 0; i < count && !status; i++) {
        zl_tm_axis a = {.extent = (uint64_t)leaf[i].shape, .stride = leaf[i].stride, .mode = mode};
        bool last = i + 1 == count;
        if (ended || (!last && left % a.extent && a.extent % left)) return ZLAY_NONE;
        a.tile = last || left < a.extent ? left : a.extent;
        if (!last && left >= a.extent && left % a.extent) return ZLAY_NONE;
        a.tiles = a.extent / a.tile + (a.extent % a.tile != 0);
        left = left / a.tile;
        ended = a.tiles > 1;
        t->count[mode] *= a.tiles;
        status = axis_put(t, &a);
    }
    if (!status && !count) {
        zl_tm_axis a = {.extent = 1, .tile = tile, .tiles = 1, .mode = mode};
        a.stride = tile > 1 && adjacent(t, mode);
        status = axis_put(t, &a);
    }
    return status;
}

static zlay_status mode_put(zl_tm *t, uint32_t k)
{
    const zlay_layout *source = t->request.source;
    zl_modes part;
    zl_mode flat[ZL_TM_AXES];
    zl_modes_begin(&part, t->ctx);
    zlay_status status = zl_parts_take(&part, source->mode, source->modes, k);
    if (!status && part.count > ZL_TM_AXES)
        status = zl_fail(t->ctx, ZLAY_ELIMIT, "source: more than %d modes", ZL_TM_AXES);
    if (!status) {
        size_t count = coalesce(flat, part.at, part.count);
        status = leaves_put(t, k, flat, count, t->request.shape[k]);
    }
    zl_modes_end(&part);
    return status;
}

/* Turns strides into bytes.  Checks that the offset of every cell of every tile, also beyond the
 * edges, fits 63 bits. */
static zlay_status scale(zl_tm *t)
{
    int64_t reach, sum = t->element;
    for (uint32_t i = 0; i < t->axes; i++) {
        zl_tm_axis *a = &t->axis[i];
        uint64_t low = a->low < 0 ? (uint64_t)-a->low : (uint64_t)a->low;
        if (!zl_mul(a->stride, t->element, &a->stride) ||
            !zl_mul(a->stride < 0 ? -a->stride : a->stride,
                    (int64_t)(a->tile * a->tiles + a->extent + low), &reach) ||
            !zl_add(sum, reach, &sum))
            return zl_fail(t->ctx, ZLAY_EOVERFLOW, "source: an offset in bytes passes 2^63");
    }
    return zl_add(sum, sum, &sum) ? ZLAY_OK
                                  : zl_fail(t->ctx, ZLAY_EOVERFLOW, "source: offsets in bytes pass 2^63");
}

/* Puts the axes of a source that has values on a box inside its own, such as a padded one. */
static zlay_status lines_put(zl_tm *t, const zl_sums *sums)
{
    zlay_status status = ZLAY_OK;
    uint64_t box[ZLAY_TILE_AXES];
    if (sums->count != 1 || sums->dims != t->modes ||
        zlay_layout_box(box, ZLAY_TILE_AXES, t->request.source) != t->modes)
        return ZLAY_NONE;
    t->base = sums->part[0].corner;
    for (uint32_t k = 0; k < t->modes && !status; k++) {
        const zl_progression *line = &sums->line[k];
        uint64_t tile = t->request.shape[k], tiles = box[k] / tile + (box[k] % tile != 0);
        zl_tm_axis a = {.extent = line->last + 1, .tile = tile, .tiles = tiles,
                        .stride = line->step, .low = line->at, .mode = k};
        int64_t back;
        if (line->modulus != 1 && line->last) return ZLAY_NONE;
        if (!zl_mul(line->step, line->at, &back) || !zl_sub(t->base, back, &t->base))
            return ZLAY_NONE;
        t->count[k] = tiles;
        status = axis_put(t, &a);
    }
    return status;
}

static zlay_status padded(zl_tm *t)
{
    zl_sums sums;
    zlay_status status = zl_sums_of(t->ctx, &sums, t->request.source);
    if (!status) status = lines_put(t, &sums);
    if (!status) status = scale(t);
    if (!status && !zl_mul(t->base, t->element, &t->base)) status = ZLAY_NONE;
    return status;
}

zlay_status zl_tm_axes(zl_tm *t)
{
    const zlay_layout *source = t->request.source;
    if (zl_is_pieces(source)) return padded(t);
    if (!source->modes || source->swizzle.bits) return ZLAY_NONE;
    size_t parts = zl_parts_count(source->mode, source->modes);
    if (parts != t->modes)
        return zl_fail(t->ctx, ZLAY_EINVAL, "tile: has %u entries, source %zu modes", t->modes,
                       parts);
    zlay_status status = ZLAY_OK;
    for (uint32_t k = 0; k < t->modes && !status; k++) status = mode_put(t, k);
    if (!status && !zl_mul(source->offset, t->element, &t->base))
        status = zl_fail(t->ctx, ZLAY_EOVERFLOW, "source: its offset in bytes passes 2^63");
    return status ? status : scale(t);
}

zlay_status zl_tm_one(zl_tm *t, uint32_t mode)
{
    uint64_t index = t->request.index[mode], count = t->count[mode];
    if (!t->request.index_given) return ZLAY_OK;
    t->count[mode] = 1;
    if (index < count) return ZLAY_OK;
    return zl_fail(t->ctx, ZLAY_EINVAL, "index: entry %u is %llu of %llu tiles", mode,
                   (unsigned long long)index, (unsigned long long)count);
}

/* Restricts an axis to one tile: its cells, and of these the cells of the tensor. */
static void axis_pick(zl_tm *t, zl_tm_axis *a, uint64_t index)
{
    int64_t start = (int64_t)(index * a->tile), low = a->low - start, end = low + (int64_t)a->extent;
    t->base += start * a->stride;
    if (end > (int64_t)a->tile) end = (int64_t)a->tile;
    if (end < 0) end = 0;
    if (low < 0) low = 0;
    if (low > end) low = end;
    a->tiles = 1;
    a->low = low;
    a->extent = (uint64_t)(end - low);
    a->clipped = a->extent != a->tile;
    a->granule = zl_gcd(zl_gcd(a->tile, a->extent), (uint64_t)low);
}

zlay_status zl_tm_pick(zl_tm *t)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t k = 0; k < t->modes && !status; k++) {
        uint64_t rest = t->request.index[k];
        status = zl_tm_one(t, k);
        for (uint32_t i = 0; i < t->axes && !status; i++) {
            uint64_t tiles = t->axis[i].tiles;
            if (t->axis[i].mode != k) continue;
            axis_pick(t, &t->axis[i], rest % tiles);
            rest /= tiles;
        }
    }
    return status;
}

/* Nothing here overflows: scale() has checked all offsets. */
void zl_tm_mirror(zl_tm *t)
{
    for (uint32_t i = 0; i < t->axes; i++) {
        zl_tm_axis *a = &t->axis[i];
        int64_t tile = (int64_t)a->tile;
        if (!a->clipped || a->stride >= 0) continue;
        t->base += a->stride * (tile - 1);
        a->stride = -a->stride;
        a->low = tile - (int64_t)a->extent - a->low;
        a->down = true;
    }
}

int64_t zl_tm_first(const zl_tm *t)
{
    int64_t at = t->origin;
    for (uint32_t i = 0; i < t->axes; i++)
        if (t->axis[i].down) at += t->axis[i].stride * ((int64_t)t->axis[i].tile - 1);
    return at;
}
