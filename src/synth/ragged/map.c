/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the map of a ragged tensor: the tensor's dimensions, of which the ragged one is a window of
 * fixed length, one dimension for the offset and, with ZLAY_RAGGED_WRAP, one that subtracts the
 * window mod 2^64. Where these are more than five, dimensions of which a box has one element share
 * the offset's: its stride is the greatest common divisor of theirs. Every choice of those
 * dimensions is tried, so "none" is exact. */
#include "base/arith.h"
#include "base/request.h"
#include "legality/tensormap/size.h"
#include "synth/move/judge.h"
#include "synth/ragged/ragged.h"

#include <string.h>

enum { DIMS = 5, UNIT = 16, SMEM_UNIT = 128, LINES = 8, WINDOW_BITS = 26 };
enum { WRAP_BITS = 64 - WINDOW_BITS, STRIDE_BITS = 40, COORDINATE_BITS = 31, REASONS = 32 };

static zlay_status request_copy(zlay_ctx *ctx, zlay_ragged_map_request *out,
                                const zlay_ragged_map_request *r)
{
    static const zl_request_form form = {"zlay_ragged_map_request",
                                         sizeof *out,
                                         offsetof(zlay_ragged_map_request, reserved),
                                         {ZL_RESERVED(zlay_ragged_map_request, reserved0),
                                          ZL_RESERVED(zlay_ragged_map_request, reserved)}};
    zlay_status status = zl_request_read(ctx, out, r, &form);
    if (status) return status;
    if (!out->rank || out->rank > ZLAY_RAGGED_RANK)
        return zl_fail(ctx, ZLAY_EINVAL, "rank: it is 1 to %d", ZLAY_RAGGED_RANK);
    if (out->dim >= out->rank)
        return zl_fail(ctx, ZLAY_EINVAL, "dim: the tensor has dimensions 0 to %u", out->rank - 1);
    if (!out->copies || out->copies > (ZLAY_RAGGED_LOAD | ZLAY_RAGGED_STORE))
        return zl_fail(ctx, ZLAY_EINVAL, "copies: loads, stores or both");
    if (out->base < ZLAY_RAGGED_ANY || out->base > ZLAY_RAGGED_SHIFT)
        return zl_fail(ctx, ZLAY_EINVAL, "base: it is any, wrap or shift");
    if (!zl_map_bits(out->type)) return zl_fail(ctx, ZLAY_EINVAL, "type: there is no such type");
    if (zl_map_bits(out->type) < 8)
        return zl_fail(ctx, ZLAY_ENOTSUP, "type: an element is less than a byte");
    return ZLAY_OK;
}

/* Strides that no map has, also of dimensions that get none of their own. */
static zlay_status strides_check(zlay_ctx *ctx, const zlay_ragged_map_request *r)
{
    for (uint32_t i = 0; i < r->rank; i++) {
        if (!r->extent[i] || r->extent[i] > (uint64_t)1 << 32)
            return zl_fail(ctx, ZLAY_EINVAL, "extent[%u]: it is 1 to 2^32", i);
        if (!r->box[i]) return zl_fail(ctx, ZLAY_EINVAL, "box[%u]: it is empty", i);
        if (i && (r->stride[i - 1] % UNIT || r->stride[i - 1] >> STRIDE_BITS))
            return zl_fail(ctx, ZLAY_NONE, "stride[%u]: it is no multiple of 16 bytes below 2^40",
                           i - 1);
    }
    if (r->dim && !r->stride[r->dim - 1])
        return zl_fail(ctx, ZLAY_EINVAL, "stride[%u]: rows of groups share bytes", r->dim - 1);
    return ZLAY_OK;
}

/* A copy begins at a multiple of 16 bytes along dimension 0, and a store writes whole 16 bytes
 * there. */
static zlay_status units_check(zlay_ctx *ctx, const zlay_ragged_map *out)
{
    uint64_t row = out->extent[0] * out->stride[0];
    if (out->dim == 0 && (out->box % out->unit || out->extent[0] % out->unit))
        return zl_fail(ctx, ZLAY_NONE,
                       "%s[0]: a copy begins and ends at multiples of 16 bytes, %u elements",
                       out->box % out->unit ? "box" : "extent", out->unit);
    if (out->dim && out->copies & ZLAY_RAGGED_STORE && row % UNIT)
        return zl_fail(ctx, ZLAY_NONE,
                       "extent[0]: a store writes whole 16 bytes, and a row has %llu",
                       (unsigned long long)row);
    return ZLAY_OK;
}

/* Elements by which a store may begin later in shared memory: copies begin at 128 bytes, and a
 * swizzle repeats after 8 of its rows. */
static uint32_t skip_unit(const zlay_ragged_map *out, const zlay_ragged_map_request *r)
{
    uint64_t span = r->swizzle ? (uint64_t)UNIT << zl_min32((uint32_t)r->swizzle, 3) : 0;
    uint64_t pitch = out->stride[0], period = span ? LINES * span : SMEM_UNIT;
    for (uint32_t i = 0; i < r->dim; i++)
        pitch = i || !span ? zl_umul_sat(pitch, r->box[i]) : span;
    uint64_t steps = period / zl_gcd(period, pitch);
    return (uint32_t)(steps / zl_gcd(steps, out->unit) * out->unit);
}

static void tensor_fill(zlay_ragged_map *out, const zlay_ragged_map_request *r)
{
    *out = (zlay_ragged_map){.rank = r->rank, .dim = r->dim, .copies = r->copies, .unit = 1,
                             .box = r->box[r->dim], .address = r->address};
    memcpy(out->extent, r->extent, r->rank * sizeof *r->extent);
    out->stride[0] = zl_map_bits(r->type) / 8;
    for (uint32_t i = 1; i < r->rank; i++) out->stride[i] = r->stride[i - 1];
    if (!r->dim) out->unit = (uint32_t)(UNIT / zl_gcd(UNIT, out->stride[0]));
    out->skip_unit = skip_unit(out, r);
}

/* ---- one choice of dimensions ------------------------------------------------------------ */

/* The stride of the offset's dimension, and how often each that shares it fits. */
static uint64_t share(zlay_ragged_map *out, uint32_t shared)
{
    uint64_t unit = out->unit * out->stride[out->dim], step = unit;
    for (uint32_t i = 0; i < out->rank; i++)
        if (shared >> i & 1) step = zl_gcd(step, out->stride[i]);
    for (uint32_t i = 0; i < out->rank; i++)
        out->scale[i] = shared >> i & 1 ? (uint32_t)zl_umin(out->stride[i] / step, UINT32_MAX) : 1;
    out->scale[out->dim] = (uint32_t)zl_umin(unit / step, UINT32_MAX);
    return step;
}

/* The greatest coordinate of the offset's dimension. */
static uint64_t reach(const zlay_ragged_map *out, uint32_t shared)
{
    bool before = out->base == ZLAY_RAGGED_SHIFT && out->copies & ZLAY_RAGGED_LOAD;
    uint64_t ends = zl_ceil_div(out->extent[out->dim] + (before ? out->window : 0), out->unit);
    uint64_t most = zl_umul_sat(ends, out->scale[out->dim]);
    for (uint32_t i = 0; i < out->rank; i++)
        if (shared >> i & 1)
            most = zl_uadd_sat(most, zl_umul_sat(out->extent[i] - 1, out->scale[i]));
    return most;
}

static void dimension_add(zlay_tensormap *map, uint64_t extent, uint64_t stride, uint32_t box)
{
    uint32_t d = map->rank++;
    map->extent[d] = extent;
    map->box[d] = box;
    map->step[d] = 1;
    if (d) map->stride[d - 1] = stride;
}

/* false: the offset needs more than 31 bits. */
static bool lay(zlay_ragged_map *out, const zlay_ragged_map_request *r, uint32_t shared)
{
    zlay_tensormap *map = &out->map;
    uint64_t unit = out->unit * out->stride[out->dim], step = share(out, shared);
    uint64_t most = reach(out, shared), extent;
    *map = (zlay_tensormap){.address = r->address, .type = r->type, .swizzle = r->swizzle,
                            .l2 = r->l2, .oob = r->oob};
    for (uint32_t i = 0; i < r->rank; i++) {
        if (shared >> i & 1) continue;
        extent = i == r->dim ? out->window : r->extent[i];
        out->place[i] = map->rank;
        dimension_add(map, extent, out->stride[i], r->box[i]);
    }
    out->offset = map->rank;
    for (uint32_t i = 0; i < r->rank; i++)
        if (shared >> i & 1) out->place[i] = out->offset;
    dimension_add(map, most + 1, step, 1);
    if (out->base == ZLAY_RAGGED_WRAP)
        dimension_add(map, (uint64_t)out->wrap + 1,
                      (((unit >> WRAP_BITS) + 1) << WRAP_BITS) - unit, 1);
    else map->address -= out->window * out->stride[out->dim];
    return most < (uint64_t)1 << COORDINATE_BITS;
}

/* ---- all choices -------------------------------------------------------------------------- */

static uint32_t shareable(const zlay_ragged_map_request *r)
{
    uint32_t set = 0;
    for (uint32_t i = 1; i < r->rank; i++)
        if (i != r->dim && r->box[i] == 1) set |= 1u << i;
    return set;
}

static zlay_status no_room(zlay_ctx *ctx, const zlay_ragged_map_request *r, int32_t base,
                           uint32_t wanted, uint32_t most)
{
    return zl_fail(ctx, ZLAY_NONE,
                   "rank: %u dimensions, the offset%s are %u more than five, and %u have a box of "
                   "one element", r->rank, base == ZLAY_RAGGED_WRAP ? " and the wrap" : "", wanted,
                   most);
}

/* The fewest dimensions share, for each loses its bounds. */
static zlay_status choose(zlay_ctx *ctx, zlay_ragged_map *out, const zlay_ragged_map_request *r,
                          int32_t base)
{
    bool wraps = base == ZLAY_RAGGED_WRAP;
    uint32_t set = shareable(r), all = r->rank + 1 + wraps, wanted = all > DIMS ? all - DIMS : 0;
    uint32_t most = (uint32_t)__builtin_popcount(set);
    out->base = base;
    out->wrap = wraps ? 1u << WINDOW_BITS : 0;
    out->window = wraps ? out->unit << WINDOW_BITS : out->box;
    if (wanted > most) return no_room(ctx, r, base, wanted, most);
    if (!wraps && zl_umul_sat(out->window, out->stride[r->dim]) > r->address)
        return zl_fail(ctx, ZLAY_NONE, "address: a tile of rows before it is below 0");
    for (uint32_t shared = 0; shared <= set; shared++)
        if ((uint32_t)__builtin_popcount(shared) == wanted && !(shared & ~set) &&
            lay(out, r, shared))
            return ZLAY_OK;
    return zl_fail(ctx, ZLAY_NONE, "extent[%u]: offsets need more than 31 bits", r->dim);
}

/* Rules that are only noted come first: strides of these maps are what no document expects. */
static zlay_status judge(zlay_ctx *ctx, const zlay_ragged_map *out, const zlay_target *target)
{
    zlay_verdict verdict;
    zlay_reason reason[REASONS] = {{0}};
    zlay_status status = zlay_tensormap_check(&verdict, reason, REASONS, target, &out->map);
    uint32_t first = 0;
    while (!status && first + 1 < zl_min32(verdict.reasons, REASONS) && reason[first].noted) first++;
    return zl_judged(ctx, target, status, &verdict, &reason[first]);
}

static zlay_status begin(zlay_ctx *ctx, zlay_ragged_map *out, zlay_ragged_map_request *r,
                         const zlay_ragged_map_request *request)
{
    zlay_status status = request_copy(ctx, r, request);
    if (!status) status = strides_check(ctx, r);
    if (status) return status;
    tensor_fill(out, r);
    return units_check(ctx, out);
}

zlay_status zl_ragged_plain(zlay_ctx *ctx, zlay_ragged_map *out, const zlay_target *target,
                            const zlay_ragged_map_request *request, uint32_t box)
{
    zlay_ragged_map_request r;
    zlay_status status = begin(ctx, out, &r, request);
    if (status) return status;
    if (r.rank > DIMS)
        return zl_fail(ctx, ZLAY_NONE, "rank: a plain map has five dimensions, the tensor %u", r.rank);
    out->map = (zlay_tensormap){.address = r.address, .type = r.type, .swizzle = r.swizzle,
                                .l2 = r.l2, .oob = r.oob};
    for (uint32_t i = 0; i < r.rank; i++)
        dimension_add(&out->map, r.extent[i], out->stride[i], i == r.dim ? box : r.box[i]);
    return judge(ctx, out, target);
}

zlay_status zl_ragged_map_make(zlay_ctx *ctx, zlay_ragged_map *out, const zlay_target *target,
                               const zlay_ragged_map_request *request)
{
    zlay_ragged_map_request r;
    if (!out || !target || !request) return zl_fail(ctx, ZLAY_EINVAL, "an argument is NULL");
    zlay_status status = begin(ctx, out, &r, request);
    if (status) return status;
    status = choose(ctx, out, &r, r.base ? r.base : ZLAY_RAGGED_WRAP);
    if (status == ZLAY_NONE && !r.base && r.copies == ZLAY_RAGGED_STORE)
        status = choose(ctx, out, &r, ZLAY_RAGGED_SHIFT);
    return status ? status : judge(ctx, out, target);
}

zlay_status zlay_ragged_map_synth(zlay_ctx *ctx, zlay_ragged_map *out, const zlay_target *target,
                                  const zlay_ragged_map_request *request)
{
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_ragged_map_make(ctx, out, target, request));
}
