/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a tile that all blocks of a cluster need into slices: each block loads one and multicasts
 * it to the others. In shared memory the last dimension of a box is the slowest, so slices that
 * lie one after the other divide one dimension and have a single coordinate of every later
 * dimension. The most slices are taken for which all rules hold. */
#include "algebra/layout/layout.h"
#include "algebra/decide/certificate.h"
#include "base/request.h"
#include "legality/tensormap/size.h"
#include "target/target.h"
#include "synth/cluster/cluster.h"
#include "synth/move/judge.h"

#include <string.h>

static zlay_status request_copy(zlay_ctx *ctx, zlay_multicast_request *out,
                                const zlay_multicast_request *r)
{
    static const zl_request_form form = {"zlay_multicast_request",
                                         sizeof *out,
                                         offsetof(zlay_multicast_request, coordinate),
                                         {ZL_RESERVED(zlay_multicast_request, reserved)}};
    zlay_status status = zl_request_read(ctx, out, r, &form);
    if (status) return status;
    if (!out->map) return zl_fail(ctx, ZLAY_EINVAL, "map: there is none");
    if (!out->cluster || !out->cta_mask)
        return zl_fail(ctx, ZLAY_EINVAL, "cluster and cta_mask: no block receives");
    if (out->map->mode)
        return zl_fail(ctx, ZLAY_ENOTSUP, "map: the pixels of an im2col map are no boxes, and "
                       "where a slice of them begins depends on where the tile does");
    return ZLAY_OK;
}

/* Whether shared memory has only one coordinate of a dimension: the last but one of an interleaved
 * box. */
static bool is_lone(const zlay_tensormap *map, uint32_t d)
{
    return map->interleave && d + 2 == map->rank;
}

static uint64_t placed(const zlay_tensormap *map, uint32_t d)
{
    return is_lone(map, d) ? 1 : zl_box_elements(map, d);
}

/* The innermost step counts only where the map is interleaved. */
static uint32_t step_of(const zlay_tensormap *map, uint32_t d)
{
    uint32_t step = d || map->interleave ? map->step[d] : 1;
    return step ? step : 1;
}

/* Whether rows take the swizzle's span. */
static bool has_span(const zlay_tensormap *map) { return map->swizzle && !map->interleave; }

/* The map of one slice: a part of dimension `dim`, and one coordinate of every later dimension. */
static zlay_tensormap sliced(const zlay_tensormap *map, uint32_t dim, uint32_t parts)
{
    zlay_tensormap slice = *map;
    if (parts > 1) slice.box[dim] = (uint32_t)zl_box_elements(map, dim) / parts * step_of(map, dim);
    for (uint32_t d = dim + 1; d < map->rank; d++)
        if (!is_lone(map, d)) slice.box[d] = 1;
    return slice;
}

static void fill(zlay_multicast *out, const zlay_multicast_request *r, const zlay_tensormap *slice,
                 uint32_t dim, uint32_t slices)
{
    *out = (zlay_multicast){.map = *slice, .slices = slices, .dim = dim, .cluster = r->cluster,
                            .cta_mask = r->cta_mask, .smem = r->smem, .barrier = r->barrier,
                            .slice_bytes = (uint32_t)zl_box_smem(slice),
                            .slice_count = (uint32_t)zl_box_bytes(slice)};
    memcpy(out->box, r->map->box, sizeof out->box);
    memcpy(out->coordinate, r->coordinate, sizeof out->coordinate);
    out->expect = slices * out->slice_count;
}

/* Checks the rules of the map and of each slice's copy. */
static zlay_status check(zlay_ctx *ctx, const zlay_target *target, const zlay_multicast *m)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_issue issue;
    zlay_status status = zlay_tensormap_check(&verdict, &reason, 1, target, &m->map);
    status = zl_judged(ctx, target, status, &verdict, &reason);
    for (uint32_t i = 0; !status && zlay_multicast_issue(&issue, m, i) == ZLAY_OK; i++) {
        status = zlay_copy_check(&verdict, &reason, 1, target, &issue, &m->map);
        status = zl_judged(ctx, target, status, &verdict, &reason);
    }
    return status;
}

/* The number of slices along a dimension. */
static uint32_t parts_of(const zlay_multicast *m, uint32_t d)
{
    zlay_tensormap tile = m->map;
    tile.box[d] = m->box[d];
    return (uint32_t)(d == m->dim ? placed(&tile, d) / placed(&m->map, d) : placed(&tile, d));
}

/* The extent of a dimension in shared memory: bytes of a row, or coordinates. */
static int64_t tall(const zlay_tensormap *map, uint32_t d)
{
    return (int64_t)(d ? placed(map, d) : zl_row_bytes(map));
}

/* Puts a dimension of the tile as slices place it: the part in one slice, then the slices. */
static uint32_t put_dimension(const zlay_multicast *m, uint32_t d, int64_t whole, int64_t *slice,
                              int64_t extent[2], int64_t stride[2])
{
    int64_t parts = d < m->dim ? 1 : parts_of(m, d);
    extent[0] = tall(&m->map, d);
    stride[0] = whole;
    extent[1] = parts;
    stride[1] = *slice;
    *slice *= parts;
    return 2;
}

static zlay_status certificate(zlay_ctx *ctx, zlay_layout **a, zlay_layout **b,
                               const zlay_multicast *m)
{
    int64_t extent[10], stride[10], box[5], place[5], inner = 1, slice;
    uint32_t count = 0;
    zlay_tensormap tile = m->map;
    memcpy(tile.box, m->box, sizeof tile.box);
    slice = m->slice_bytes;
    for (uint32_t d = 0; d < tile.rank; d++) {
        box[d] = tall(&tile, d);
        place[d] = inner;
        inner = d ? inner * box[d] : has_span(&tile) ? (int64_t)zl_span(tile.swizzle) : box[d];
        count += put_dimension(m, d, place[d], &slice, extent + count, stride + count);
    }
    zlay_status status = zl_layout_new_strided(ctx, a, count, extent, stride, 0);
    if (!status) status = zl_layout_new_strided(ctx, b, tile.rank, box, place, 0);
    if (!status) return ZLAY_OK;
    zlay_layout_free(*a);
    *a = NULL;
    return status;
}

zlay_status zlay_multicast_certificate(zlay_ctx *ctx, zlay_layout **a, zlay_layout **b,
                                       const zlay_multicast *m)
{
    if (!a || !b || !m || !m->map.rank || m->map.rank > 5) return ZLAY_EINVAL;
    *a = *b = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, certificate(ctx, a, b, m));
}

static zlay_status certify(zlay_ctx *ctx, const zlay_multicast *m)
{
    zlay_layout *a = NULL, *b = NULL;
    zlay_status status = certificate(ctx, &a, &b, m);
    if (!status) status = zl_certificate_equal(ctx, a, b, 0);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return status;
}

/* Whether a dimension can be cut into `parts` slices for each of `later` later coordinates, with at
 * most one slice for each block. A swizzled row cannot be cut, because each part would take a whole
 * span. */
static bool divides(const zlay_tensormap *map, uint32_t dim, uint64_t later, uint32_t parts,
                    uint32_t blocks)
{
    if (parts > 1 && ((!dim && has_span(map)) || is_lone(map, dim))) return false;
    return later * parts <= blocks && zl_box_elements(map, dim) % parts == 0;
}

/* Chooses the most slices for which all rules hold; of as many, those that divide the last
 * dimension that is possible. */
static zlay_status choose(zlay_ctx *ctx, zlay_multicast *best, const zlay_target *target,
                          const zlay_multicast_request *r, uint32_t blocks)
{
    const zlay_tensormap *map = r->map;
    uint64_t later = 1;
    for (uint32_t dim = map->rank; dim-- && later <= blocks;) {
        for (uint32_t parts = blocks; parts; parts--) {
            zlay_multicast m;
            if (!divides(map, dim, later, parts, blocks) || later * parts <= best->slices) continue;
            zlay_tensormap slice = sliced(map, dim, parts);
            fill(&m, r, &slice, dim, (uint32_t)(later * parts));
            zlay_status status = check(ctx, target, &m);
            if (status && status != ZLAY_NONE) return status;
            if (!status) *best = m;
        }
        later *= placed(map, dim);
    }
    return ZLAY_OK;
}

static zlay_status synth(zlay_ctx *ctx, zlay_multicast *best, const zlay_target *target,
                         const zlay_multicast_request *request)
{
    zlay_multicast_request r;
    zlay_status status = request_copy(ctx, &r, request);
    if (status) return status;
    fill(best, &r, r.map, r.map->rank - 1, 1);
    status = check(ctx, target, best);
    if (!status) status = choose(ctx, best, target, &r, (uint32_t)__builtin_popcount(r.cta_mask));
    return status ? status : certify(ctx, best);
}

zlay_status zlay_multicast_synth(zlay_ctx *ctx, zlay_multicast *out, const zlay_target *target,
                                 const zlay_multicast_request *request)
{
    zlay_multicast best;
    if (!out || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, zl_whole(ctx, synth(ctx, &best, target, request)));
    if (!status) *out = best;
    return status;
}

/* The rank of the i-th block of a mask. */
static uint32_t rank_of(uint32_t mask, uint32_t i)
{
    while (i--) mask &= mask - 1;
    return (uint32_t)__builtin_ctz(mask);
}

zlay_status zlay_multicast_issue(zlay_issue *out, const zlay_multicast *m, uint32_t i)
{
    if (!out || !m) return ZLAY_EINVAL;
    if (i >= m->slices) return ZLAY_NONE;
    *out = (zlay_issue){.kind = ZLAY_COPY_TENSOR_LOAD, .space = ZLAY_SPACE_CLUSTER,
                        .rank = m->map.rank, .smem = m->smem + (uint64_t)i * m->slice_bytes,
                        .barrier = m->barrier, .expect = m->slice_count, .cta_mask = m->cta_mask,
                        .cluster = m->cluster, .cta = rank_of(m->cta_mask, i),
                        .given = ZLAY_GIVEN_BARRIER | ZLAY_GIVEN_EXPECT | ZLAY_GIVEN_MULTICAST |
                                 ZLAY_GIVEN_CLUSTER | ZLAY_GIVEN_CTA | ZLAY_GIVEN_CTA_MASK};
    memcpy(out->coordinate, m->coordinate, sizeof out->coordinate);
    for (uint32_t d = m->dim, left = i; d < m->map.rank; d++) {
        uint32_t parts = parts_of(m, d), step = step_of(&m->map, d);
        uint64_t each = d == m->dim ? placed(&m->map, d) : 1;
        out->coordinate[d] += (int32_t)(left % parts * each * step);
        left /= parts;
    }
    return ZLAY_OK;
}
