/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and checks a request of swizzle.synth, and decides whether all its accesses are linear
 * over F2. */
#include "base/request.h"
#include "synth/swizzle/ask.h"
#include "base/arith.h"

#include <string.h>
#include <zlay/decide.h>

enum { ELEM_BITS_MOST = 128, BYTE = 8 };

static zlay_status request_copy(zlay_ctx *ctx, zlay_swizzle_request *out,
                                const zlay_swizzle_request *in)
{
    static const zl_request_form form = {"zlay_swizzle_request",
                                         sizeof *out,
                                         sizeof in->size,
                                         {ZL_RESERVED(zlay_swizzle_request, reserved)}};
    zlay_status status = zl_request_read(ctx, out, in, &form);
    if (status) return status;
    if (!zl_is_power_of_two(out->elem_bits) || out->elem_bits > ELEM_BITS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "elem_bits: %u is no power of two in 1..128",
                       out->elem_bits);
    if (!out->shape || !out->rank || out->rank > ZL_FORM_MODES)
        return zl_fail(ctx, ZLAY_EINVAL, "shape: has not 1 to 8 modes");
    if (!out->accesses || !out->count || out->count > ZL_ASKS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "accesses: are not 1 to 16");
    return ZLAY_OK;
}

static zlay_status shape_read(zl_asked *out, const zlay_swizzle_request *r)
{
    out->size = 1;
    out->rank = (uint32_t)r->rank;
    for (uint32_t i = 0; i < out->rank; i++) {
        out->shape[i] = r->shape[i];
        if (!r->shape[i]) return zl_fail(out->ctx, ZLAY_EINVAL, "shape: an extent is 0");
        out->size = zl_umul_sat(out->size, r->shape[i]);
    }
    if (zl_umul_sat(out->size, r->elem_bits) / BYTE <= out->target->smem) return ZLAY_OK;
    return zl_fail(out->ctx, ZLAY_NONE,
                   "BLOCK_SMEM: a tile of %llu elements%s has more bytes than the %llu of a block on "
                   "%s",
                   (unsigned long long)out->size, out->size == UINT64_MAX ? " or more" : "",
                   (unsigned long long)out->target->smem, zlay_target_name(out->target));
}

static zlay_status banked_read(zl_asked *out, zl_asked_access *to, uint32_t i, int32_t number)
{
    zlay_bank_access known;
    zlay_status status = zl_banked_of(&to->banked, out->target, number);
    if (status == ZLAY_EINVAL)
        return zl_fail(out->ctx, ZLAY_EINVAL, "accesses: %u: %d is no access", i, number);
    if (status)
        return zl_fail(out->ctx, ZLAY_NONE, "accesses: %u: %s has no %s", i,
                       zlay_target_name(out->target), to->banked.access->name);
    if (!to->banked.model) {
        zlay_bank_info(&known, out->target, number);
        return zl_fail(out->ctx, ZLAY_ENOTSUP, "accesses: %u: %s on %s: %s is not known", i,
                       known.name, zlay_target_name(out->target), known.gap);
    }
    if (to->banked.access->parts == 1) return ZLAY_OK;
    return zl_fail(out->ctx, ZLAY_ENOTSUP, "accesses: %u: %s has two addresses", i,
                   to->banked.access->name);
}

/* Whether a layout's outputs are one index of the tile.  Several outputs are combined by their
 * sizes. An F2 layout states its sizes; of other layouts the sizes are the least that hold the
 * values, and must equal the shape. */
static bool is_index(const zl_asked *a, const zlay_layout *layout)
{
    uint64_t sizes[ZL_FORM_MODES];
    size_t outs = zlay_layout_out_sizes(sizes, ZL_COUNT(sizes), layout);
    if (outs <= 1 || zl_is_bits(layout)) return true;
    bool same = outs == a->rank && sizes[outs - 1] && sizes[outs - 1] <= a->shape[outs - 1];
    for (size_t i = 0; same && i + 1 < outs; i++) same = sizes[i] == a->shape[i];
    return same;
}

static zlay_status access_read(zl_asked *out, uint32_t i, const zlay_swizzle_access *in)
{
    zl_asked_access *to = &out->access[i];
    if (in->reserved || !in->layout)
        return zl_fail(out->ctx, ZLAY_EINVAL, "accesses: %u: %s", i,
                       in->layout ? "a reserved word is not 0" : "layout is NULL");
    zlay_status status = banked_read(out, to, i, in->access);
    if (status) return status;
    if (zl_parameter(in->layout))
        return zl_fail(out->ctx, ZLAY_ENOTSUP, "accesses: %u: layout: has the parameter %s", i,
                       zl_parameter(in->layout));
    if (!is_index(out, in->layout))
        return zl_fail(out->ctx, ZLAY_EINVAL,
                       "accesses: %u: layout has outputs of other sizes than the shape", i);
    const zl_bank_access *a = to->banked.access;
    to->layout = in->layout;
    to->lanes = a->rows ? a->rows : to->banked.lanes;
    to->elements = a->bytes * BYTE / out->elem_bits;
    if (!to->elements || to->elements * out->elem_bits != a->bytes * BYTE)
        return zl_fail(out->ctx, ZLAY_EINVAL, "accesses: %u: %u bytes are no whole elements", i,
                       a->bytes);
    uint64_t points = (uint64_t)to->lanes * to->elements;
    to->instances = zlay_layout_size(in->layout) / points;
    if (to->instances && to->instances * points == zlay_layout_size(in->layout)) return ZLAY_OK;
    return zl_fail(out->ctx, ZLAY_EINVAL,
                   "accesses: %u: %llu points are no whole instances of %u lanes with %u elements",
                   i, (unsigned long long)zlay_layout_size(in->layout), to->lanes, to->elements);
}

zlay_status zl_asked_read(zl_asked *out, const zlay_target *target,
                          const zlay_swizzle_request *request)
{
    zlay_swizzle_request r;
    out->target = target;
    zlay_status status = request_copy(out->ctx, &r, request);
    out->elem_bits = r.elem_bits;
    out->count = (uint32_t)r.count;
    if (!status) status = shape_read(out, &r);
    for (uint32_t i = 0; !status && i < out->count; i++)
        status = access_read(out, i, &r.accesses[i]);
    return status;
}

/* ---- over F2 --------------------------------------------------------------------- */

static bool map_read(zl_asked_f2 *out, const zl_asked *a, uint32_t i)
{
    const zlay_layout *layout = a->access[i].layout;
    if (layout->kind == ZLAY_LAYOUT_MODULAR || !zl_affine_of(&out->map[i], layout)) return false;
    if (zl_affine_support(&out->map[i]) >> out->problem.bits) return false;
    return !zl_bank_ask_of(&out->ask[i], &a->access[i].banked, a->elem_bits, &out->map[i]);
}

bool zl_asked_linear(zl_asked_f2 *out, const zl_asked *a)
{
    zl_swizzle_problem *p = &out->problem;
    memset(p, 0, sizeof *p);
    if (!zl_is_power_of_two(a->size) || a->size >> ZL_TILE_BITS) return false;
    p->bits = (uint32_t)__builtin_ctzll(a->size);
    p->word = 5 - __builtin_ctz(a->elem_bits);
    p->ask = out->ask;
    p->count = a->count;
    p->swizzles = (a->target->features & ZL_HAS_TMA) != 0;
    p->steps = zl_limits(a->ctx)->points;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (!zl_is_power_of_two(a->shape[i])) return false;
        if (a->shape[i] > 1) p->mode_bits[p->modes++] = (uint32_t)__builtin_ctzll(a->shape[i]);
    }
    for (uint32_t i = 0; i < a->count; i++)
        if (!map_read(out, a, i)) return false;
    return true;
}
