/* SPDX-License-Identifier: Apache-2.0 */
/* The coordinates of one tile of one group: which end of the group cuts it, and the form of that
 * end with its numbers. */
#include "base/arith.h"
#include "synth/ragged/ragged.h"

enum { UNIT = 16 };

static zlay_status group_check(zlay_ctx *ctx, const zlay_ragged_map *r, const zlay_ragged_tile *t)
{
    uint64_t extent = r->extent[r->dim];
    if (t->reserved || (t->copy != ZLAY_RAGGED_LOAD && t->copy != ZLAY_RAGGED_STORE))
        return zl_fail(ctx, ZLAY_EINVAL, "copy: it is a load or a store");
    if (!(t->copy & r->copies))
        return zl_fail(ctx, ZLAY_EINVAL, "copy: the map was not made for it");
    if (t->offset > extent || t->length > extent - t->offset)
        return zl_fail(ctx, ZLAY_EINVAL, "length: the group ends past the tensor's %llu",
                       (unsigned long long)extent);
    if (t->offset % r->unit || t->length % r->unit || t->at[r->dim] % r->unit)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: it is no multiple of %u",
                       t->offset % r->unit ? "offset" : t->length % r->unit ? "length" : "at",
                       r->unit);
    return ZLAY_OK;
}

/* A dimension that shares the offset's has no bounds of its own; a store takes no negative
 * coordinate; the innermost begins at 16 bytes. */
static zlay_status other_check(zlay_ctx *ctx, const zlay_ragged_map *r, const zlay_ragged_tile *t)
{
    for (uint32_t i = 0; i < r->rank; i++) {
        int64_t at = t->at[i];
        bool whole = zl_ragged_shares(r, i);
        if (i == r->dim) continue;
        if (at < INT32_MIN || at > INT32_MAX || (at < 0 && t->copy == ZLAY_RAGGED_STORE) ||
            (whole && (at < 0 || (uint64_t)at >= r->extent[i])))
            return zl_fail(ctx, ZLAY_EINVAL, "at[%u]: %lld is outside", i, (long long)at);
        if (!i && at * (int64_t)r->stride[0] % UNIT)
            return zl_fail(ctx, ZLAY_EINVAL, "at[0]: it is off 16 bytes");
    }
    return ZLAY_OK;
}

static int64_t form_at(const int64_t *form, const int64_t *term)
{
    int64_t sum = 0;
    for (int i = 0; i < ZL_RAGGED_TERMS; i++) sum += form[i] * term[i];
    return sum;
}

static void put(int32_t *out, const zlay_ragged_map *r, const zlay_ragged_tile *t,
                const zl_ragged_form *form, const int64_t *term)
{
    int64_t offset = form_at(form->offset, term) / r->unit * r->scale[r->dim];
    for (uint32_t i = 0; i < r->rank; i++) {
        if (zl_ragged_shares(r, i)) offset += t->at[i] * r->scale[i];
        else if (i != r->dim) out[r->place[i]] = (int32_t)t->at[i];
    }
    out[r->place[r->dim]] = (int32_t)form_at(form->window, term);
    out[r->offset] = (int32_t)offset;
    if (r->base == ZLAY_RAGGED_WRAP) out[r->offset + 1] = (int32_t)form->wrap;
}

static zlay_status place(zlay_ctx *ctx, int32_t *out, uint32_t *skip, const zlay_ragged_map *r,
                         const zlay_ragged_tile *t)
{
    int64_t row = t->at[r->dim], box = r->box, length = (int64_t)t->length;
    int64_t first = row <= -box ? box : zl_max(0, -row);
    int64_t last = row >= length ? 0 : row <= -box ? 0 : zl_min(box, length - row);
    bool empty = first >= last, load = t->copy == ZLAY_RAGGED_LOAD;
    bool begins = !empty && first && load;
    zl_ragged_form form = begins ? zl_ragged_cut_begin(r) : zl_ragged_cut_end(r);
    if (begins && last < box)
        return zl_fail(ctx, ZLAY_NONE, "at[%u]: both ends of the group cut the tile", r->dim);
    if (!load && !empty && first % r->skip_unit)
        return zl_fail(ctx, ZLAY_NONE,
                       "at[%u]: a store begins a multiple of %u later in shared memory", r->dim,
                       r->skip_unit);
    int64_t term[ZL_RAGGED_TERMS] = {1, (int64_t)t->offset, empty ? 0 : begins ? row : zl_max(row, 0),
                                     empty ? 0 : last - first};
    *skip = load || empty ? 0 : (uint32_t)first;
    put(out, r, t, &form, term);
    return ZLAY_OK;
}

static zlay_status at(zlay_ctx *ctx, int32_t *coordinate, uint32_t *skip, const zlay_ragged_map *r,
                      const zlay_ragged_tile *tile)
{
    if (!coordinate || !skip || !r || !tile)
        return zl_fail(ctx, ZLAY_EINVAL, "an argument is NULL");
    zlay_status status = group_check(ctx, r, tile);
    if (!status) status = other_check(ctx, r, tile);
    return status ? status : place(ctx, coordinate, skip, r, tile);
}

zlay_status zlay_ragged_map_at(zlay_ctx *ctx, int32_t coordinate[5], uint32_t *skip,
                               const zlay_ragged_map *ragged, const zlay_ragged_tile *tile)
{
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, at(ctx, coordinate, skip, ragged, tile));
}
