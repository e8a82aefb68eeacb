/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/find/find.h"
#include "algebra/ops/compose.h"
#include "algebra/find/finish.h"
#include "algebra/ops/symbolic/ops.h"
#include "algebra/ops/cute.h"
#include <zlay/pieces.h>

/* ---- b stays in the box of an f2, modular or piecewise a ----------------------------- */

static bool stays_inside(const zlay_layout *a, const zlay_layout *b)
{
    int64_t least, greatest;
    zl_affine map;
    if (b->partial) return false;
    if (zl_affine_of(&map, b)) zl_affine_range(&map, &least, &greatest);
    else if (b->swizzle.bits || !b->modes) return false;
    else zl_modes_range(b->mode, b->modes, b->offset, &least, &greatest);
    return least >= 0 && (uint64_t)greatest < a->size;
}

/* ---- roads, the cheapest first; each answers ZLAY_NONE where it does not lead ------- */

/* A layout whose modes are fewest as they are; the last one goes on for ever, whatever its extent.
 * No branch in the loop, as none could be foreseen: a product modulo 2^64 errs to the safe side. */
static bool is_coalesced(const zlay_layout *a)
{
    const zl_mode *mode = a->mode, *last = mode + a->modes - 1;
    unsigned merges = 0;
    for (; mode < last; mode++) {
        uint64_t next = (uint64_t)mode->shape * (uint64_t)mode->stride;
        merges |= (mode->shape == 1) | (next == (uint64_t)mode[1].stride);
    }
    return !merges;
}

static zlay_status flatten(zl_work *w)
{
    w->mode = w->a->mode;
    w->modes = w->a->modes;
    if (w->modes <= w->flat.free && is_coalesced(w->a)) return ZLAY_OK;
    zlay_status status = zl_coalesce_modes(&w->flat, w->a->mode, w->a->modes, true);
    w->mode = w->flat.at;
    w->modes = w->flat.count;
    return status;
}

/* Two layouts without swizzles, composed as CuTe does, and the swizzle s after them. */
static zlay_status by_plain(zl_work *w, zlay_layout **out, zl_swizzle s)
{
    zl_modes m;
    zl_modes_begin(&w->flat, w->ctx);
    zl_modes_begin(&m, w->ctx);
    zlay_status status = flatten(w);
    if (!status) status = zl_compose_cute(w, &m);
    if (!status) status = zl_layout_proved(w->ctx, out, &m, s, w->b->size);
    zl_modes_end(&m);
    zl_modes_end(&w->flat);
    return status || !s.bits ? status : zl_simplify(w->ctx, out);
}

static zlay_status by_cute(zl_work *w, zlay_layout **out, zl_swizzle s)
{
    if (!w->a->swizzle.bits && !w->b->swizzle.bits) return by_plain(w, out, s);
    zlay_layout a = *w->a, b = *w->b;
    zl_work inner;
    zl_work_begin(&inner, w->ctx, &a, &b);
    a.swizzle = b.swizzle = (zl_swizzle){0, 0, 0};
    return by_plain(&inner, out, s);
}

/* 2^k Sw<B,M,S>(x) = Sw<B,M+k,S>(2^k x). */
static bool scales(const zlay_layout *a, int32_t *log)
{
    int64_t stride = a->mode[0].stride;
    if (a->modes != 1 || a->offset || a->swizzle.bits || stride < 1 || (stride & (stride - 1)))
        return false;
    *log = __builtin_ctzll((uint64_t)stride);
    return true;
}

static zlay_status by_form(zl_work *w, zlay_layout **out)
{
    zl_swizzle s = w->b->swizzle;
    int32_t log;
    if (!w->a->modes || !w->b->modes) return ZLAY_NONE;
    if (!s.bits) return by_cute(w, out, w->a->swizzle);
    if (!scales(w->a, &log)) return ZLAY_NONE;
    s.base += log;
    int32_t distance = s.shift < 0 ? -s.shift : s.shift;
    return s.bits + s.base + distance > 62 ? ZLAY_NONE : by_cute(w, out, s);
}

/* The bits that b's values take; false where one is negative: there a is mirrored, not linear. */
static bool bits_of(const zl_affine *b, unsigned *bits)
{
    uint64_t support = zl_affine_support(b);
    *bits = zl_bit_length(support);
    return *bits < 64;
}

static zlay_status by_affine(zl_work *w, zlay_layout **out)
{
    zl_affine a, b, map;
    zl_outputs own;
    unsigned bits;
    if (!zl_affine_of(&b, w->b) || !bits_of(&b, &bits)) return ZLAY_NONE;
    if (!zl_affine_of_integers(&a, w->a, bits)) return ZLAY_NONE;
    if (!zl_affine_compose(&map, &a, &b)) return ZLAY_NONE;
    const zl_f2 *outs = zl_outputs_of(&own, w->a);
    return zl_find_affine(w->ctx, out, &map, &w->box, w->b, outs);
}

/* Closed forms are total: a's index is b's flat value, and stays in a's box. */
static bool may_be_closed(const zl_work *w)
{
    if (w->a->partial || w->b->partial) return false;
    return w->b->modes || !zl_by_coordinate(w->a, w->b);
}

static zlay_status by_bits(zl_work *w, zlay_layout **out)
{
    bool inside = w->a->modes || stays_inside(w->a, w->b);
    return inside && may_be_closed(w) ? by_affine(w, out) : ZLAY_NONE;
}

/* Rows that grow too large, and several pieces, leave the values to be searched for fewer ones. */
static zlay_status by_pieces(zl_work *w, zlay_layout **out)
{
    zlay_layout *made = NULL, *found = NULL;
    zlay_status status = zl_compose_pieces(w, &made);
    bool large = status == ZLAY_ELIMIT || status == ZLAY_EOVERFLOW;
    w->search = w->compared && (large || (!status && made->pieces.count > 1));
    if (w->search) {
        zlay_status second = zl_compose_values(w, &found);
        bool better = !second && (large || found->pieces.count < made->pieces.count);
        zlay_layout_free(better ? made : found);
        if (better || second < 0) status = second;
        if (better) made = found;
        else if (second < 0) zlay_layout_free(made), made = NULL;
        else if (status == ZLAY_EOVERFLOW) /* the search for values took the message */
            zl_fail(w->ctx, status, "a coefficient or a value of the pieces does not fit 64 bits");
    }
    *out = made;
    return status;
}

static zlay_status by_any(zl_work *w, zlay_layout **out)
{
    zlay_status status = zl_compose_wide(w, out);
    if (status != ZLAY_NONE || w->left) return status;
    status = zl_layout_box(&w->box, w->b);
    if (!status) status = by_bits(w, out);
    if (status != ZLAY_NONE) return status;
    if (zl_compose_ruled_out(w)) w->compared = w->total = true;
    else status = zl_compose_values(w, out);
    return status == ZLAY_NONE && !w->left ? by_pieces(w, out) : status;
}

static zlay_status compose(zl_work *w, zlay_layout **out)
{
    zlay_status status = may_be_closed(w) ? by_form(w, out) : ZLAY_NONE;
    if (status != ZLAY_NONE) return status;
    zl_modes_begin(&w->box, w->ctx);
    status = by_any(w, out);
    zl_modes_end(&w->box);
    return status;
}

static zlay_status compose_checked(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                   const zlay_layout *b, bool partial)
{
    zl_work w;
    if (a->symbols || b->symbols) return zl_symbols_compose(ctx, out, a, b);
    zlay_status narrow = zl_compose_narrow(ctx, out, a, b);
    if (narrow != ZLAY_NONE) return narrow;
    zl_work_begin(&w, ctx, a, b);
    w.partial = partial;
    zlay_status status = compose(&w, out);
    return status == ZLAY_NONE && !w.left
        ? zl_fail(ctx, ZLAY_EINTERNAL, "a composition has no form") : status;
}

zlay_status zl_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b)
{
    return compose_checked(ctx, out, a, b, false);
}

static zlay_status compose_any(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b, bool partial)
{
    if (!a || !b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    return compose_checked(ctx, out, a, b, partial);
}

static zlay_status enter(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b, bool partial)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, compose_any(ctx, out, a, b, partial));
}

zlay_status zl_layout_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, compose_any(ctx, out, a, b, false));
}

zlay_status zlay_layout_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    return enter(ctx, out, a, b, false);
}

zlay_status zlay_layout_compose_partial(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        const zlay_layout *b)
{
    return enter(ctx, out, a, b, true);
}
