/* SPDX-License-Identifier: Apache-2.0 */
/* What a symbolic layout has to be before it is one: names in order, extents of at least 1, facts
 * that hold; the names of two layouts in both; and strided layouts seen as symbolic ones. */
#include "algebra/symbolic/symbol.h"

#include <string.h>

zlay_status zl_symbols_plain(zlay_ctx *ctx, const zlay_layout *a)
{
    zl_quotient q;
    for (size_t i = 0; a->symbols && i < a->symbols->names; i++) {
        zl_quotient_read(&q, a->symbols->name[i].name.text);
        if (q.by > 1)
            return zl_fail(ctx, ZLAY_ENOTSUP, "the layout has the quotient %s",
                           a->symbols->name[i].name.text);
    }
    return a->symbols && a->symbols->edges ? zl_symbols_ragged(ctx) : ZLAY_OK;
}

zlay_status zl_without_symbols(zlay_ctx *ctx, const zlay_layout *a)
{
    return a->symbols ? zl_symbols_unknown(ctx, "a piece has no stride that is a name") : ZLAY_OK;
}

static void share_slacks(zl_symbols *to, const zl_symbols *from, size_t count)
{
    for (size_t i = 0; i < count && to->slacks < ZL_SLACKS_MOST; i++)
        to->slack[to->slacks++] = from->slack[i];
}

zlay_status zl_symbols_share(zlay_ctx *ctx, zl_symbols *a, zl_symbols *b)
{
    zl_symbols *side[2] = {a, b};
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < side[!i]->names; k++) {
            const zl_unknown *other = &side[!i]->name[k];
            size_t place;
            zlay_status status = zl_symbols_name(ctx, side[i], &place, other->name.text,
                                                 strlen(other->name.text));
            if (status) return status;
            zlay_range *range = &side[i]->name[place].range;
            *range = zl_range_meet(*range, other->range);
        }
    zl_symbols_sort(a, false);
    zl_symbols_sort(b, false);
    size_t own = a->slacks;
    share_slacks(a, b, b->slacks);
    share_slacks(b, a, own);
    if (!zl_symbols_unify(a) || !zl_symbols_unify(b)) return zl_symbols_overflow(ctx);
    zl_symbols_sort(a, false);
    zl_symbols_sort(b, false);
    bool fits = zl_poly_sort(&a->offset) && zl_poly_sort(&b->offset);
    return fits ? ZLAY_OK : zl_symbols_overflow(ctx);
}

static zlay_status positive(zlay_ctx *ctx, zl_symbols *s)
{
    for (size_t i = 0; i < s->leaves; i++) {
        if (s->leaf[i].shape.factor < 1)
            return zl_fail(ctx, ZLAY_EINVAL, "extent %lld of mode %zu is below 1",
                           (long long)s->leaf[i].shape.factor, i);
        for (size_t k = 0; k < s->names; k++) {
            zlay_range *range = &s->name[k].range;
            if (!s->leaf[i].shape.power[k]) continue;
            *range = zl_range_meet(*range, zl_range_between(1, INT64_MAX));
            if (zl_range_is_empty(*range))
                return zl_fail(ctx, ZLAY_EINVAL, "the extent %s is below 1", s->name[k].name.text);
        }
    }
    return ZLAY_OK;
}

zlay_status zl_symbols_settle(zlay_ctx *ctx, zl_symbols *s)
{
    if (!zl_symbols_unify(s)) return zl_symbols_overflow(ctx);
    zlay_status status = positive(ctx, s);
    if (!zl_symbols_unify(s)) return zl_symbols_overflow(ctx);
    zl_slacks_tighten(s);
    for (size_t k = 0; k < s->names && !status; k++) {
        const zl_unknown *name = &s->name[k];
        if (zl_range_is_empty(name->range))
            status = zl_fail(ctx, ZLAY_EINVAL, "the facts leave no value for %s", name->name.text);
        else if (zl_range_is_constant(name->range) && !zl_symbols_put(s, k, name->range.lo))
            status = zl_symbols_overflow(ctx);
    }
    if (!status && !zl_slacks_hold(s))
        status = zl_fail(ctx, ZLAY_EINVAL, "a fact about several names does not hold");
    if (status) return status;
    zl_edges_drop(s);
    zl_symbols_sort(s, true);
    zl_symbols_params(s);
    return zl_poly_sort(&s->offset) ? ZLAY_OK : zl_symbols_overflow(ctx);
}

/* ---- layouts ------------------------------------------------------------------------------- */

zlay_status zl_symbols_of(zlay_ctx *ctx, zl_symbols *out, const zlay_layout *a)
{
    zl_monomial offset = zl_monomial_of(a->offset);
    if (a->symbols && a->symbols->edges) return zl_symbols_ragged(ctx);
    if (a->symbols) *out = *a->symbols;
    if (a->symbols) return ZLAY_OK;
    if (!a->modes || a->swizzle.bits) return ZLAY_NONE;
    if (a->modes > ZL_SYMBOL_LEAVES) return zl_symbols_full(ctx, "64 modes");
    memset(out, 0, sizeof *out);
    zl_poly_add(&out->offset, &offset);
    for (; out->leaves < a->modes; out->leaves++) {
        const zl_mode *m = &a->mode[out->leaves];
        out->leaf[out->leaves] = (zl_symbol_leaf){zl_monomial_of(m->shape),
                                                  zl_monomial_of(m->stride), m->open, m->close};
    }
    return ZLAY_OK;
}

/* ---- facts and numbers -------------------------------------------------------------------- */
