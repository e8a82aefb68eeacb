/* SPDX-License-Identifier: Apache-2.0 */
/* x -> a(b(x)) where one of the two is symbolic: each mode of b is cut along the modes of a as CuTe
 * cuts it, with monomials for integers.  It is the composition when no sum of what the modes of b
 * put into one mode of a carries, and every such bound is proved for all values of the names. */
#include "algebra/ops/symbolic/ops.h"

typedef struct work {
    zlay_ctx *ctx;
    zl_symbols a, b, out;
    zl_poly reach[ZL_SYMBOL_LEAVES]; /* the greatest coordinate that each mode of a receives */
} work;

/* What is left of a mode of b. */
typedef struct rest {
    zl_monomial shape, stride;
    bool done;
} rest;

static bool at_least(const work *w, const zl_poly *p, int64_t least)
{
    return zl_poly_not_below(p, &w->a, least);
}

/* extent - 1 - (shape - 1) stride >= 0: all of it lies in the mode. */
static bool lies_inside(const work *w, const zl_monomial *extent, const rest *r)
{
    zl_poly p = {0, {{0, {0}}}};
    zl_monomial one = zl_monomial_of(1);
    return zl_poly_add(&p, extent) && zl_poly_sub_product(&p, &r->shape, &r->stride) &&
           zl_poly_add_product(&p, &one, &r->stride) && at_least(w, &p, 1);
}

static zlay_status place(work *w, size_t mode, const zl_monomial *count, const rest *r)
{
    zl_monomial stride, minus = zl_monomial_of(-1);
    zl_symbols *out = &w->out;
    if (out->leaves == ZL_SYMBOL_LEAVES) return zl_symbols_full(w->ctx, "64 modes");
    if (!zl_monomial_mul(&stride, &r->stride, &w->a.leaf[mode].stride) ||
        !zl_poly_add_product(&w->reach[mode], count, &r->stride) ||
        !zl_poly_add_product(&w->reach[mode], &minus, &r->stride))
        return zl_symbols_overflow(w->ctx);
    out->leaf[out->leaves++] = (zl_symbol_leaf){*count, stride, 0, 0};
    return ZLAY_OK;
}

static zlay_status place_all(work *w, size_t mode, rest *r)
{
    r->done = true;
    return place(w, mode, &r->shape, r);
}

/* One mode of a that is not the last; ZLAY_NONE where it cannot be cut. */
static zlay_status fold(work *w, size_t mode, rest *r)
{
    const zl_monomial *extent = &w->a.leaf[mode].shape;
    zl_monomial count, left;
    if (zl_monomial_div(&left, &r->stride, extent)) {
        r->stride = left;
        return ZLAY_OK;
    }
    if (lies_inside(w, extent, r)) return place_all(w, mode, r);
    if (!zl_monomial_div(&count, extent, &r->stride) ||
        !zl_monomial_div(&left, &r->shape, &count))
        return ZLAY_NONE;
    zlay_status status = place(w, mode, &count, r);
    r->shape = left;
    r->stride = zl_monomial_of(1);
    return status;
}

static bool goes_up(const work *w, const zl_monomial *stride)
{
    return zl_monomial_range(stride, &w->a).lo >= 1;
}

static zlay_status compose_leaf(work *w, const zl_symbol_leaf *leaf)
{
    rest r = {leaf->shape, leaf->stride, false};
    size_t last = w->a.leaves - 1;
    zlay_status status = ZLAY_OK;
    if (!leaf->stride.factor) return place(w, last, &leaf->shape, &r);
    if (last && !goes_up(w, &leaf->stride)) return ZLAY_NONE;
    for (size_t i = 0; i < last && !r.done && !status; i++) status = fold(w, i, &r);
    return status || r.done ? status : place_all(w, last, &r);
}

/* The parentheses of b around what its modes have become. */
static zlay_status compose_leaves(work *w)
{
    zl_symbols *out = &w->out;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < w->b.leaves && !status; i++) {
        size_t first = out->leaves;
        if ((status = compose_leaf(w, &w->b.leaf[i]))) break;
        bool several = out->leaves > first + 1;
        out->leaf[first].open += w->b.leaf[i].open + several;
        out->leaf[out->leaves - 1].close += w->b.leaf[i].close + several;
    }
    return status;
}

/* ---- the offset of b ------------------------------------------------------------------ */

/* Digits of a constant; the last mode takes any sum. */
static zlay_status place_offset(work *w)
{
    size_t last = w->a.leaves - 1;
    zl_poly left = w->b.offset;
    for (size_t i = 0; i < last && left.count; i++) {
        const zl_monomial *extent = &w->a.leaf[i].shape;
        zl_monomial digit = left.term[0];
        if (left.count > 1 || !zl_monomial_constant(&digit) || digit.factor < 0) return ZLAY_NONE;
        bool known = zl_monomial_constant(extent);
        if (!known && zl_monomial_range(extent, &w->a).lo <= digit.factor) return ZLAY_NONE;
        left = (zl_poly){0, {{0, {0}}}};
        zl_monomial quotient = zl_monomial_of(known ? digit.factor / extent->factor : 0);
        if (known) digit.factor %= extent->factor;
        zl_poly_add(&left, &quotient);
        if (!zl_poly_add(&w->reach[i], &digit) ||
            !zl_poly_add_product(&w->out.offset, &digit, &w->a.leaf[i].stride))
            return zl_symbols_overflow(w->ctx);
    }
    for (size_t i = 0; i < left.count; i++)
        if (!zl_poly_add_product(&w->out.offset, &left.term[i], &w->a.leaf[last].stride))
            return zl_symbols_overflow(w->ctx);
    return ZLAY_OK;
}

/* Every mode but the last receives less than its extent. */
static bool carries(const work *w)
{
    for (size_t i = 0; i + 1 < w->a.leaves; i++) {
        zl_poly room = {0, {{0, {0}}}};
        bool fits = zl_poly_add(&room, &w->a.leaf[i].shape) && zl_poly_sub_all(&room, &w->reach[i]);
        if (!fits || !at_least(w, &room, 1)) return true;
    }
    return false;
}

static zlay_status compose(work *w)
{
    zl_symbols_merge(&w->a, true);
    w->out = w->b;
    w->out.leaves = 0;
    w->out.offset = w->a.offset;
    zlay_status status = place_offset(w);
    if (!status) status = compose_leaves(w);
    return !status && carries(w) ? ZLAY_NONE : status;
}

zlay_status zl_symbols_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b)
{
    zlay_allocator alloc = zl_allocator(ctx);
    work *w = zl_alloc(ctx, 1, sizeof *w);
    if (!w) return ZLAY_ENOMEM;
    w->ctx = ctx;
    zlay_status status = zl_symbols_of(ctx, &w->a, a);
    if (!status) status = zl_symbols_of(ctx, &w->b, b);
    if (!status) status = zl_symbols_share(ctx, &w->a, &w->b);
    if (!status) status = compose(w);
    if (!status) status = zl_symbols_layout(ctx, out, &w->out);
    zl_free(&alloc, w, sizeof *w);
    return status == ZLAY_NONE
        ? zl_symbols_unknown(ctx, "no shape:stride is proved to be this composition for all values")
        : status;
}
