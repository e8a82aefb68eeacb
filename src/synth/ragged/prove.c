/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a ragged map is right for every offset, length and tile. The address that the
 * hardware computes and that of the element are sums of the same unknowns; two such sums are equal
 * for all values where their coefficients are, mod 2^64. A coordinate is in bounds exactly where the
 * group has the element where its form is the extent less n, or the row; of the others intervals
 * are compared with extents. Unknowns along the ragged dimension are counted in units. */
#include "base/arith.h"
#include "synth/ragged/ragged.h"

enum { DIMS = 5, UNIT = 16 };
static const uint64_t COORDINATES = (uint64_t)1 << 31;

static zlay_answer no(zlay_ctx *ctx, const char *what, uint32_t i)
{
    zl_fail(ctx, ZLAY_OK, "%s[%u]", what, i);
    return ZLAY_NO;
}

static uint64_t stride_of(const zlay_ragged_map *r, uint32_t d)
{
    return d ? r->map.stride[d - 1] : r->stride[0];
}

/* The coefficient of an unknown in the address of the copy, and in that of the element. */
static bool term_equal(const zlay_ragged_map *r, const zl_ragged_form *form, int i)
{
    uint64_t unit = i == ZL_RAGGED_ONE ? 1 : r->unit, row = r->stride[r->dim];
    uint64_t ours = (uint64_t)form->window[i] * unit * stride_of(r, r->place[r->dim]);
    ours += (uint64_t)(form->offset[i] * (int64_t)unit / r->unit) * r->scale[r->dim] *
            stride_of(r, r->offset);
    uint64_t theirs = i == ZL_RAGGED_OFFSET || i == ZL_RAGGED_ROW ? unit * row : 0;
    if (i == ZL_RAGGED_ONE) {
        ours += r->map.address;
        if (r->base == ZLAY_RAGGED_WRAP) ours += form->wrap * stride_of(r, r->offset + 1);
        theirs = r->address;
    }
    return ours == theirs;
}

static zlay_answer address_prove(zlay_ctx *ctx, const zlay_ragged_map *r,
                                 const zl_ragged_form *form)
{
    for (int i = 0; i < ZL_RAGGED_TERMS; i++)
        if (!term_equal(r, form, i)) return no(ctx, "address: unknown", (uint32_t)i);
    for (uint32_t i = 0; i < r->rank; i++) {
        uint64_t scale = i == r->dim ? 1 : r->scale[i];
        if (scale * stride_of(r, r->place[i]) != r->stride[i])
            return no(ctx, "address: dimension", i);
    }
    return ZLAY_YES;
}

/* Element j of the tile, 0 <= j < box, has coordinate form + j. Cut at the end it is
 * extent - n + j, below the extent exactly where j < n, and never below 0; cut at the beginning
 * row + j with row < 0, in bounds exactly where 0 <= row + j. */
static bool window_cuts(const zlay_ragged_map *r, const zl_ragged_form *form, bool begins)
{
    int64_t extent = (int64_t)r->map.extent[r->place[r->dim]];
    const int64_t *f = form->window;
    bool same = begins ? !f[0] && !f[1] && f[2] == 1 && !f[3]
                       : f[0] == extent && !f[1] && !f[2] && f[3] == -1;
    return same && r->box <= extent && r->map.box[r->place[r->dim]] == r->box &&
           extent % r->unit == 0;
}

/* Offsets, ends of what is copied and shared coordinates are in [0, extent). */
static bool offset_fits(const zlay_ragged_map *r, const zl_ragged_form *form)
{
    const int64_t *f = form->offset;
    bool end = f[1] == 1 && f[2] == f[3] && (f[2] == 0 || f[2] == 1);
    uint64_t most = zl_umul_sat((r->extent[r->dim] + (uint64_t)f[0]) / r->unit, r->scale[r->dim]);
    for (uint32_t i = 0; i < r->rank; i++)
        if (zl_ragged_shares(r, i))
            most = zl_uadd_sat(most, zl_umul_sat(r->extent[i] - 1, r->scale[i]));
    return end && f[0] >= 0 && f[0] % r->unit == 0 && most < r->map.extent[r->offset] &&
           r->map.box[r->offset] == 1;
}

/* Dimensions of their own are the tensor's, each at its own place. */
static zlay_answer others_prove(zlay_ctx *ctx, const zlay_ragged_map *r)
{
    uint32_t used = 1u << r->offset;
    if (r->base == ZLAY_RAGGED_WRAP) used |= 2u << r->offset;
    for (uint32_t i = 0; i < r->rank; i++) {
        if (zl_ragged_shares(r, i)) continue;
        if (used >> r->place[i] & 1) return no(ctx, "place", i);
        used |= 1u << r->place[i];
        if (i != r->dim && (r->map.extent[r->place[i]] != r->extent[i] || r->scale[i] != 1))
            return no(ctx, "extent", i);
    }
    if (used != (1u << r->map.rank) - 1) return no(ctx, "map.rank", r->map.rank);
    for (uint32_t d = 0; d < r->map.rank; d++)
        if (r->map.extent[d] > COORDINATES) return no(ctx, "map.extent", d);
    return ZLAY_YES;
}

/* Where copies begin and end along dimension 0, in which both are whole 16 bytes. */
static bool units_whole(const zlay_ragged_map *r)
{
    if (r->dim == 0) return r->unit * r->stride[0] % UNIT == 0 && r->box % r->unit == 0;
    return !(r->copies & ZLAY_RAGGED_STORE) || r->extent[0] * r->stride[0] % UNIT == 0;
}

static zlay_answer form_prove(zlay_ctx *ctx, const zlay_ragged_map *r, const zl_ragged_form *form,
                              bool begins)
{
    bool wraps = r->base == ZLAY_RAGGED_WRAP;
    if (!window_cuts(r, form, begins)) return no(ctx, "bounds: dim", r->dim);
    if (!offset_fits(r, form)) return no(ctx, "bounds: offset", r->offset);
    if (wraps && (form->wrap >= r->map.extent[r->offset + 1] || r->map.box[r->offset + 1] != 1))
        return no(ctx, "bounds: wrap", r->offset + 1);
    return address_prove(ctx, r, form);
}

static bool is_sound(const zlay_ragged_map *r)
{
    bool sound = r->rank && r->rank <= ZLAY_RAGGED_RANK && r->dim < r->rank && r->unit &&
                 r->map.rank && r->map.rank <= DIMS &&
                 r->offset + (r->base == ZLAY_RAGGED_WRAP) < r->map.rank;
    for (uint32_t i = 0; sound && i < r->rank; i++)
        sound = r->place[i] < r->map.rank && r->extent[i];
    return sound;
}

static zlay_status prove(zlay_ctx *ctx, zlay_answer *answer, const zlay_ragged_map *r)
{
    if (!answer || !r) return zl_fail(ctx, ZLAY_EINVAL, "an argument is NULL");
    if (!is_sound(r)) return zl_fail(ctx, ZLAY_EINVAL, "ragged: it has a dimension that is none");
    zl_ragged_form end = zl_ragged_cut_end(r), begin = zl_ragged_cut_begin(r);
    *answer = others_prove(ctx, r);
    if (*answer == ZLAY_YES && !units_whole(r)) *answer = no(ctx, "unit of dim", r->dim);
    if (*answer == ZLAY_YES) *answer = form_prove(ctx, r, &end, false);
    if (*answer == ZLAY_YES && r->copies & ZLAY_RAGGED_LOAD)
        *answer = form_prove(ctx, r, &begin, true);
    return ZLAY_OK;
}

zlay_status zlay_ragged_map_prove(zlay_ctx *ctx, zlay_answer *answer, const zlay_ragged_map *ragged)
{
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, prove(ctx, answer, ragged));
}
