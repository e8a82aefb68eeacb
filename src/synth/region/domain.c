/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a ragged domain and its tiles: lengths and offsets become the beginning and the length of
 * each group, and whatever is no domain is refused with the field and the entry. */
#include "base/request.h"
#include "synth/region/region.h"

static const int64_t LONGEST = INT32_MAX, FARTHEST = (int64_t)1 << 62;
static const uint64_t DEAREST = (uint64_t)1 << 48;
static const char *const names[ZL_REGION_AXES] = {"rows", "columns"};

#define WRONG(axis, entry, what, ...)                                                              \
    zl_fail(ctx, ZLAY_EINVAL, "%s." entry what, names[axis], __VA_ARGS__)

/* ---- groups ---------------------------------------------------------------------------------- */

static zlay_status length_check(zlay_ctx *ctx, int axis, uint64_t i, int64_t length)
{
    if (length >= 0 && length <= LONGEST) return ZLAY_OK;
    return WRONG(axis, "lengths[%llu]", ": %lld is not 0 to 2^31 - 1", (unsigned long long)i,
                 (long long)length);
}

/* One group behind the other. */
static zlay_status spans_packed(zlay_ctx *ctx, zl_region_side *side, int axis, uint64_t count)
{
    int64_t end = 0;
    for (uint64_t i = 0; i < count; i++) {
        int64_t length = side->axis->lengths[i];
        zlay_status status = length_check(ctx, axis, i, length);
        if (status) return status;
        side->span[i] = (zl_region_span){end, (uint64_t)length};
        if ((end += length) > FARTHEST)
            return WRONG(axis, "lengths[%llu]", ": the sum up to this entry passes 2^62",
                         (unsigned long long)i);
    }
    return ZLAY_OK;
}

static zlay_status offset_check(zlay_ctx *ctx, int axis, uint64_t i, int64_t offset, int64_t before)
{
    if (offset < 0 || offset > FARTHEST)
        return WRONG(axis, "offsets[%llu]", ": %lld is not 0 to 2^62", (unsigned long long)i,
                     (long long)offset);
    if (offset >= before) return ZLAY_OK;
    return WRONG(axis, "offsets[%llu]", ": %lld is below the entry before it, %lld",
                 (unsigned long long)i, (long long)offset, (long long)before);
}

/* Each group from its offset to the next one. */
static zlay_status spans_between(zlay_ctx *ctx, zl_region_side *side, int axis, uint64_t count)
{
    const int64_t *offset = side->axis->offsets;
    zlay_status status = offset_check(ctx, axis, 0, offset[0], 0);
    for (uint64_t i = 0; !status && i < count; i++) {
        status = offset_check(ctx, axis, i + 1, offset[i + 1], offset[i]);
        if (status) return status;
        if (offset[i + 1] - offset[i] > LONGEST)
            return WRONG(axis, "offsets[%llu]", ": group %llu has %lld, more than 2^31 - 1",
                         (unsigned long long)i + 1, (unsigned long long)i,
                         (long long)(offset[i + 1] - offset[i]));
        side->span[i] = (zl_region_span){offset[i], (uint64_t)(offset[i + 1] - offset[i])};
    }
    return status;
}

/* Groups with gaps between them. */
static zlay_status spans_apart(zlay_ctx *ctx, zl_region_side *side, int axis, uint64_t count)
{
    const zlay_region_axis *a = side->axis;
    for (uint64_t i = 0; i < count; i++) {
        zlay_status status = length_check(ctx, axis, i, a->lengths[i]);
        if (!status) status = offset_check(ctx, axis, i, a->offsets[i], i ? a->offsets[i - 1] : 0);
        if (status) return status;
        if (i && a->offsets[i - 1] + a->lengths[i - 1] > a->offsets[i])
            return WRONG(axis, "offsets[%llu]", ": group %llu overlaps this one, it ends at %lld",
                         (unsigned long long)i, (unsigned long long)i - 1,
                         (long long)(a->offsets[i - 1] + a->lengths[i - 1]));
        side->span[i] = (zl_region_span){a->offsets[i], (uint64_t)a->lengths[i]};
    }
    return ZLAY_OK;
}

/* Every group has the whole extent; of a request of one dimension there is one column. */
static zlay_status span_shared(zlay_ctx *ctx, zl_region_side *side, int axis)
{
    if (!side->extent && axis == ZL_REGION_ROWS)
        return WRONG(axis, "lengths", ": there are none, nor offsets, nor an extent%s", "");
    if (!side->extent) side->extent = 1;
    if (side->extent > (uint64_t)LONGEST)
        return WRONG(axis, "extent", ": %llu of each group are more than 2^31 - 1",
                     (unsigned long long)side->extent);
    side->shared = true;
    side->span[0] = (zl_region_span){0, side->extent};
    return ZLAY_OK;
}

/* The buffer ends with the last group, or no group passes its end. */
static zlay_status extent_check(zlay_ctx *ctx, zl_region_side *side, int axis, uint64_t count)
{
    zl_region_span last = side->span[count - 1];
    uint64_t end = (uint64_t)last.begin + last.length;
    if (!side->extent) side->extent = end;
    if (side->extent > (uint64_t)FARTHEST)
        return WRONG(axis, "extent", ": %llu passes 2^62", (unsigned long long)side->extent);
    for (uint64_t i = 0; i < count; i++) {
        end = (uint64_t)side->span[i].begin + side->span[i].length;
        if (end > side->extent)
            return WRONG(axis, "extent", ": group %llu ends at %llu, and the buffer at %llu",
                         (unsigned long long)i, (unsigned long long)end,
                         (unsigned long long)side->extent);
        side->longest = zl_umax(side->longest, zl_region_reach(side, side->span[i]));
    }
    return ZLAY_OK;
}

static zlay_status side_read(zlay_ctx *ctx, zl_domain *d, int axis)
{
    zl_region_side *side = &d->side[axis];
    const zlay_region_axis *a = axis ? &d->request.columns : &d->request.rows;
    bool shared = !a->lengths && !a->offsets;
    uint64_t count = shared ? 1 : d->request.count;
    *side = (zl_region_side){.axis = a, .read_on = a->read_on, .extent = a->extent,
                             .align = a->align ? a->align : 1};
    if (a->read_on > 1) return WRONG(axis, "read_on", ": %u is not 0 or 1", a->read_on);
    if (!zl_is_zero(a->reserved, sizeof a->reserved))
        return WRONG(axis, "reserved", ": a word is not 0%s", "");
    zlay_status status = zl_charge(ctx, count);
    if (status) return status;
    side->span = zl_scratch_plain(ctx, count, sizeof *side->span);
    if (!side->span) return ZLAY_ENOMEM;
    if (shared) status = span_shared(ctx, side, axis);
    else if (!a->offsets) status = spans_packed(ctx, side, axis, count);
    else if (!a->lengths) status = spans_between(ctx, side, axis, count);
    else status = spans_apart(ctx, side, axis, count);
    return status ? status : extent_check(ctx, side, axis, count);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static zlay_status edge_check(zlay_ctx *ctx, const zl_domain *d, uint32_t i, int axis)
{
    uint64_t edge = zl_region_edge(&d->tile[i], axis);
    const uint32_t align = d->side[axis].align;
    if (!edge || edge > (uint64_t)LONGEST)
        return zl_fail(ctx, ZLAY_EINVAL, "tile[%u].%s: %llu is not 1 to 2^31 - 1", i, names[axis],
                       (unsigned long long)edge);
    if (!(edge % align)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "tile[%u].%s: %llu is no multiple of %s.align, %u", i,
                   names[axis], (unsigned long long)edge, names[axis], align);
}

static zlay_status tile_read(zlay_ctx *ctx, zl_domain *d, uint32_t i)
{
    zlay_region_tile *t = &d->tile[i];
    *t = d->request.tile[i];
    if (!t->columns) t->columns = 1;
    zlay_status status = edge_check(ctx, d, i, ZL_REGION_ROWS);
    if (!status) status = edge_check(ctx, d, i, ZL_REGION_COLUMNS);
    if (status) return status;
    if (t->cost >= DEAREST)
        return zl_fail(ctx, ZLAY_EINVAL, "tile[%u].cost: it is not below 2^48", i);
    if (!d->costs) t->cost = (uint64_t)t->rows * t->columns;
    else if (!t->cost)
        return zl_fail(ctx, ZLAY_EINVAL, "tile[%u].cost: it is 0, and other tiles have one", i);
    for (uint32_t j = 0; j < i; j++)
        if (d->tile[j].rows == t->rows && d->tile[j].columns == t->columns)
            return zl_fail(ctx, ZLAY_EINVAL, "tile[%u]: it is tile %u again", i, j);
    return ZLAY_OK;
}

zlay_status zl_domain_read(zlay_ctx *ctx, zl_domain *d, const zlay_region_request *request)
{
    static const zl_request_form form = {"zlay_region_request", sizeof d->request,
                                         offsetof(zlay_region_request, reserved),
                                         {ZL_RESERVED(zlay_region_request, reserved)}};
    *d = (zl_domain){0};
    zlay_status status = zl_request_read(ctx, &d->request, request, &form);
    if (status) return status;
    if (!d->request.count) return zl_fail(ctx, ZLAY_EINVAL, "count: there is no group");
    if (!d->request.tile || !d->request.tiles || d->request.tiles > ZLAY_REGION_TILES)
        return zl_fail(ctx, ZLAY_EINVAL, "tiles: %u, of 1 to %d", d->request.tiles,
                       ZLAY_REGION_TILES);
    for (int axis = 0; !status && axis < ZL_REGION_AXES; axis++) status = side_read(ctx, d, axis);
    for (uint32_t i = 0; i < d->request.tiles; i++) d->costs |= d->request.tile[i].cost != 0;
    for (uint32_t i = 0; !status && i < d->request.tiles; i++) status = tile_read(ctx, d, i);
    return status;
}
