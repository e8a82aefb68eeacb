/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth: reads and checks the request, then tries the methods in order: closed form
 * (closed.c), the least cover by several boxes (several/), layouts with holes (pitches.c), and a
 * residual where the request allows one. Sources with unknowns go to symbolic/, dense 4-bit values
 * to pairs.c. The call counts as one against the limits of its ctx, so an answer found when a
 * limit or memory ended a search is discarded. */
#include "synth/tensormap/tensormap.h"
#include "algebra/layout/layout.h"
#include "algebra/decide/decide.h"
#include "algebra/ops/cute.h"
#include "base/request.h"
#include "synth/tensormap/several/cover.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <string.h>
#include <zlay/decide.h>
#include <zlay/block.h>

/* ---- the request ---------------------------------------------------------------------------- */

static zlay_status request_copy(zlay_ctx *ctx, zlay_tensormap_request *out,
                                const zlay_tensormap_request *in)
{
    static const zl_request_form form = {"zlay_tensormap_request",
                                         sizeof *out,
                                         sizeof in->size,
                                         {ZL_RESERVED(zlay_tensormap_request, reserved0),
                                          ZL_RESERVED(zlay_tensormap_request, reserved)}};
    zlay_status status = zl_request_read(ctx, out, in, &form);
    if (status) return status;
    if (!out->address_align) out->address_align = zl_tm_align(out->type);
    if (!out->edge || out->direction == ZLAY_DIRECTION_STORE) out->edge = ZLAY_EDGE_STRONG;
    if (out->direction == ZLAY_DIRECTION_STORE) out->keep_holes = 1;
    return ZLAY_OK;
}

static zlay_status fields_check(zlay_ctx *ctx, const zlay_tensormap_request *r)
{
    if (!r->source) return zl_fail(ctx, ZLAY_EINVAL, "source: is NULL");
    if (r->edge < ZLAY_EDGE_DEFAULT || r->edge > ZLAY_EDGE_STRONG)
        return zl_fail(ctx, ZLAY_EINVAL, "edge: %d is neither weak nor strong", r->edge);
    if (r->swizzle_given > 1) return zl_fail(ctx, ZLAY_EINVAL, "swizzle_given: is neither 0 nor 1");
    if (r->keep_holes > 1) return zl_fail(ctx, ZLAY_EINVAL, "keep_holes: is neither 0 nor 1");
    if (r->direction < ZLAY_DIRECTION_LOAD || r->direction > ZLAY_DIRECTION_STORE)
        return zl_fail(ctx, ZLAY_EINVAL, "direction: %d is neither load nor store", r->direction);
    if (r->residual && r->direction)
        return zl_fail(ctx, ZLAY_EINVAL, "residual: is what loads leave to threads");
    if (r->residual > 1) return zl_fail(ctx, ZLAY_EINVAL, "residual: is neither 0 nor 1");
    if (r->swizzle_given && (r->swizzle < ZLAY_SWIZZLE_NONE || r->swizzle >= ZL_SWIZZLES))
        return zl_fail(ctx, ZLAY_EINVAL, "swizzle: %d is not in 0..6", r->swizzle);
    if (r->index_given > 1) return zl_fail(ctx, ZLAY_EINVAL, "index_given: is neither 0 nor 1");
    if (r->index_given && (r->tile || zlay_layout_param_nth(r->source, 0)))
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "index: of tiles by shape, of a source without unknowns");
    if (r->tile && r->axes)
        return zl_fail(ctx, ZLAY_EINVAL, "tile: is a shape or a layout, not both");
    if (!r->tile && (!r->axes || r->axes > ZLAY_TILE_AXES))
        return zl_fail(ctx, ZLAY_EINVAL, "tile: has %u entries, not 1 to %d", r->axes,
                       ZLAY_TILE_AXES);
    for (uint32_t i = 0; i < r->axes; i++)
        if (!r->shape[i] || r->shape[i] > INT32_MAX)
            return zl_fail(ctx, ZLAY_EINVAL, "tile: entry %u is %llu, not 1 to 2^31 - 1", i,
                           (unsigned long long)r->shape[i]);
    return ZLAY_OK;
}

/* Composes source and tile: the result is a source that has one tile. */
static zlay_status tile_compose(zl_tm *t)
{
    zlay_layout *all = NULL;
    int64_t size = (int64_t)zlay_layout_size(t->request.source), one = 1;
    uint64_t outside;
    zlay_answer answer;
    zlay_status status = zl_layout_new_strided(t->ctx, &all, 1, &size, &one, 0);
    if (!status) status = zl_layout_contained(t->ctx, &answer, &outside, t->request.tile, all);
    zlay_layout_free(all);
    if (status) return status;
    if (answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    if (answer == ZLAY_NO)
        return zl_fail(t->ctx, ZLAY_EINVAL, "tile: its index %llu is outside the source's box",
                       (unsigned long long)outside);
    status = zl_layout_compose(t->ctx, &t->source, t->request.source, t->request.tile);
    t->request.source = t->source;
    return status;
}

/* Reads the shape of the tile; of a layout with more than ZLAY_TILE_AXES modes all become one. */
static zlay_status tile_read(zl_tm *t)
{
    zlay_tensormap_request *r = &t->request;
    zlay_layout *flat;
    zlay_status status = r->tile ? tile_compose(t) : ZLAY_OK;
    if (status) return status;
    if (r->tile) r->axes = (uint32_t)zlay_layout_box(r->shape, ZLAY_TILE_AXES, t->source);
    if (r->tile && r->axes > ZLAY_TILE_AXES) {
        status = zl_coalesce(t->ctx, &flat, t->source);
        if (status) return status;
        zlay_layout_free(t->source);
        r->source = t->source = flat;
        r->shape[0] = zlay_layout_size(flat);
        r->axes = 1;
    }
    t->modes = r->axes;
    t->cells = 1;
    for (uint32_t i = 0; i < t->modes; i++) t->cells = zl_umul_sat(t->cells, r->shape[i]);
    return ZLAY_OK;
}

static zlay_status address_check(const zl_tm *t)
{
    uint32_t least = zl_tm_align(t->type);
    if (t->request.address_align % least == 0) return ZLAY_OK;
    return zl_fail(t->ctx, ZLAY_NONE,
                   "TMAP_ADDRESS_%u: byte 0 of the tile: an address that is a multiple of %u bytes "
                   "may be none of %u", least, t->request.address_align, least);
}

static zlay_status smem_check(const zl_tm *t)
{
    uint64_t points = t->cells;
    uint64_t capacity = zlay_smem_capacity(t->target), bytes = zl_umul_sat(points, t->element);
    if (bytes > capacity)
        return zl_fail(t->ctx, ZLAY_NONE,
                       "SMEM_BLOCK: byte %llu of the tile: it has %llu bytes, a block of %s %llu",
                       (unsigned long long)capacity, (unsigned long long)bytes,
                       zlay_target_name(t->target), (unsigned long long)capacity);
    if (t->request.smem && zlay_layout_size(t->request.smem) != points)
        return zl_fail(t->ctx, ZLAY_EINVAL, "smem: has %llu points, the tile %llu",
                       (unsigned long long)zlay_layout_size(t->request.smem),
                       (unsigned long long)points);
    return ZLAY_OK;
}

/* A store is refused where two cells have one place: either value might remain there. */
static zlay_status once_check(const zl_tm *t)
{
    zlay_answer answer;
    uint64_t at[2];
    zlay_status status = zl_layout_is_injective(t->ctx, &answer, at, t->request.source);
    if (status || answer == ZLAY_YES) return status;
    if (answer != ZLAY_NO) return ZLAY_ELIMIT;
    return zl_fail(t->ctx, ZLAY_EINVAL, "source: cells %llu and %llu have one place, and a store "
                   "writes both", (unsigned long long)at[0], (unsigned long long)at[1]);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Gives the move its shared layout; a chosen layout with holes has replaced t->smem already. */
static zlay_status smem_keep(zl_tm *t, zlay_move *move)
{
    zlay_layout_free(move->smem);
    move->smem = t->smem;
    t->smem = NULL;
    if (move->smem) return ZLAY_OK;
    return zl_layout_copy(t->ctx, &move->smem, t->request.smem);
}

/* Plans a source that is read value by value.  Cells without a value have places in shared memory
 * too. */
static zlay_status irregular(zl_tm *t, zlay_move **out)
{
    uint64_t places = 0;
    zlay_status status = zl_tm_values(t);
    if (!status && !t->request.smem) status = zl_tm_choose(t);
    if (!status) status = zl_tm_cover(t, out);
    if (!status && t->smem) status = zl_cosize(t->ctx, &places, t->smem);
    if (!status && places * t->element > (*out)->info.reserved_bytes)
        (*out)->info.reserved_bytes = places * t->element;
    if (!status && t->open) (*out)->info.edge = ZLAY_EDGE_WEAK;
    return status;
}

static zlay_status several(zl_tm *t, zlay_move **out)
{
    zlay_move_free(*out);
    *out = NULL;
    zl_tm_swizzles(t);
    if (t->irregular) return irregular(t, out);
    if (!t->request.smem && !t->smem && t->spread)
        return zl_fail(t->ctx, ZLAY_ELIMIT,
                       "smem: rows of whole 128 values along one axis are chosen, others are not");
    if (!t->request.smem && !t->smem)
        return zl_fail(t->ctx, ZLAY_ENOTSUP, "smem: no choice for this swizzle is known");
    return zl_tm_cover(t, out);
}

/* Plans again with a chosen layout in which each row begins a line, because no copies bring the
 * tile to the places that were chosen first. */
static zlay_status apart(zl_tm *t, zlay_move **out, uint32_t keep_holes)
{
    zlay_move_free(*out);
    *out = NULL;
    zlay_layout_free(t->smem);
    t->smem = NULL;
    t->axes = 0;
    t->apart = true;
    t->request.keep_holes = keep_holes;
    zlay_status status = zl_tm_closed(t, out);
    return status == ZLAY_NONE ? several(t, out) : status;
}

static zlay_status found(zl_tm *t, zlay_move **out)
{
    uint32_t keep_holes = t->request.keep_holes;
    zlay_status status = zl_tm_closed(t, out);
    if (status == ZLAY_NONE) status = several(t, out);
    if (status != ZLAY_ELIMIT || t->irregular || !t->smem) return status;
    status = apart(t, out, keep_holes);
    return status == ZLAY_ELIMIT ? zl_tm_pitch_check(t, status) : status;
}

static zlay_status numbers(zl_tm *t, zlay_move **out)
{
    zlay_status status = tile_read(t);
    if (!status && t->request.swizzle_given) status = zl_tm_row_check(t, t->request.swizzle);
    if (!status) status = smem_check(t);
    if (!status) status = address_check(t);
    if (!status && t->store) status = once_check(t);
    if (status) return status;
    status = found(t, out);
    if (!t->request.smem) status = zl_tm_pitches(t, out, status);
    return status ? status : smem_keep(t, *out);
}

/* Plans a request for 4-bit values without gaps. */
static zlay_status dense(zl_tm *t, zlay_move **out)
{
    if (zlay_layout_param_nth(t->request.source, 0))
        return zl_fail(t->ctx, ZLAY_ENOTSUP, "source: of 4-bit values with the unknown '%s'",
                       zlay_layout_param_nth(t->request.source, 0));
    zlay_status status = tile_read(t);
    return status ? status : zl_tm_pairs(t, out);
}

static zlay_status synth(zl_tm *t, zlay_move **out)
{
    zlay_status status = fields_check(t->ctx, &t->request);
    if (!status && zl_tm_dense(t->request.type)) return dense(t, out);
    if (!status) status = zl_tm_type(t);
    if (!status && t->store && zlay_layout_param_nth(t->request.source, 0))
        return zl_fail(t->ctx, ZLAY_ENOTSUP, "direction: a store with the unknown '%s'",
                       zlay_layout_param_nth(t->request.source, 0));
    if (!status && t->spread && zlay_layout_param_nth(t->request.source, 0))
        return zl_fail(t->ctx, ZLAY_ENOTSUP, "source: of %s with the unknown '%s'",
                       zlay_type_name(t->type), zlay_layout_param_nth(t->request.source, 0));
    if (!status && t->request.tile && zlay_layout_param_nth(t->request.source, 0))
        return zl_tm_synth_tile(t->ctx, out, t->target, &t->request);
    if (!status && zlay_layout_param_nth(t->request.source, 0))
        return zl_tm_synth_symbolic(t->ctx, out, t->target, &t->request);
    return status ? status : numbers(t, out);
}

static zlay_status begin(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                         const zlay_tensormap_request *request, uint64_t own,
                         zlay_status (*make)(zl_tm *t, zlay_move **out))
{
    zl_tm t;
    zl_mark mark = zl_scratch_mark(ctx);
    memset(&t, 0, sizeof t);
    t.ctx = ctx;
    t.target = target;
    t.own = own;
    zlay_status status = request_copy(ctx, &t.request, request);
    if (!status) status = make(&t, out);
    zlay_layout_free(t.smem);
    zlay_layout_free(t.source);
    zl_scratch_release(ctx, mark);
    if (status) {
        zlay_move_free(*out);
        *out = NULL;
    }
    return status;
}

static zlay_status typed(zl_tm *t, zlay_move **out)
{
    zlay_status status = zl_tm_type(t);
    return status ? status : numbers(t, out);
}

zlay_status zl_tm_synth(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                        const zlay_tensormap_request *request, uint64_t own)
{
    return begin(ctx, out, target, request, own, typed);
}

/* Brings the tile to places that copies reach, and makes the residual that moves it on. */
static zlay_status landed(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                          const zlay_tensormap_request *request)
{
    zlay_tensormap_request other;
    zlay_status status = request_copy(ctx, &other, request);
    if (status || !other.residual || !other.smem) return status ? status : ZLAY_NONE;
    other.smem = NULL;
    status = begin(ctx, out, target, &other, 0, synth);
    if (!status) status = zl_tm_residual(ctx, *out, request->smem);
    if (!status) return ZLAY_OK;
    zlay_move_free(*out);
    *out = NULL;
    return status == ZLAY_ENOMEM ? status : ZLAY_NONE;
}

static zlay_status whole(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                         const zlay_tensormap_request *request)
{
    zlay_status status = begin(ctx, out, target, request, 0, synth);
    size_t end = offsetof(zlay_tensormap_request, residual) + sizeof request->residual;
    if (status != ZLAY_NONE || request->size < end || !request->residual) return status;
    status = landed(ctx, out, target, request);
    if (status != ZLAY_NONE) return status;
    return begin(ctx, out, target, request, 0, synth);
}

/* Where a limit of the ctx ended a search, what it had found is discarded. */
zlay_status zl_tm_find(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                       const zlay_tensormap_request *request)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    zlay_status status = zl_whole(ctx, whole(ctx, out, target, request));
    if (status) {
        zlay_move_free(*out);
        *out = NULL;
    }
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_tensormap_synth(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                                 const zlay_tensormap_request *request)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_tm_find(ctx, out, target, request));
}
