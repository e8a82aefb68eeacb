/* SPDX-License-Identifier: Apache-2.0 */
/* Division of a symbolic layout by one of numbers: b beside its complement in the size of a, a
 * product of names, and a composed with both.  What b leaves is the size divided by the span of b:
 * one extent where that product has the span as a factor, by itself (64*K has 64) or by the facts
 * (64 divides M, and the extent is M/64).  Otherwise, of one progression, it is ceil(M/64), and the
 * last tile ends at a ragged edge. */
#include "algebra/ops/cute.h"
#include "algebra/ops/symbolic/ops.h"

#include <string.h>

static bool put(zl_symbols *s, zl_monomial shape, int64_t stride)
{
    if (s->leaves == ZL_SYMBOL_LEAVES) return false;
    s->leaf[s->leaves++] = (zl_symbol_leaf){shape, zl_monomial_of(stride), 0, 0};
    return true;
}

/* The leaf of the least stride of at least `from`, of several points; the count where none is. */
static size_t next_leaf(const zl_symbols *b, size_t leaves, int64_t from)
{
    size_t found = leaves;
    for (size_t i = 0; i < leaves; i++) {
        int64_t stride = b->leaf[i].stride.factor;
        if (b->leaf[i].shape.factor < 2 || stride < from) continue;
        if (found == leaves || stride < b->leaf[found].stride.factor) found = i;
    }
    return found;
}

/* The gaps between the modes of b, whose strides have to nest; their span. */
static zlay_status gaps(zlay_ctx *ctx, zl_symbols *b, int64_t *span)
{
    size_t leaves = b->leaves, taken = 0, moving = 0;
    *span = 1;
    for (size_t i = 0; i < leaves; i++) moving += b->leaf[i].shape.factor > 1;
    for (size_t i; (i = next_leaf(b, leaves, *span)) < leaves; taken++) {
        int64_t stride = b->leaf[i].stride.factor;
        if (stride % *span) break;
        if (stride > *span && !put(b, zl_monomial_of(stride / *span), *span))
            return zl_symbols_full(ctx, "64 modes");
        if (!zl_mul(stride, b->leaf[i].shape.factor, span)) return zl_symbols_overflow(ctx);
    }
    return taken < moving ? zl_symbols_unknown(ctx, "the strides of the divisor do not nest")
                          : ZLAY_OK;
}

/* (b, rest): parentheses around both, and around the rest where it has several modes. */
static void wrap(zl_symbols *b, size_t first)
{
    bool open = b->leaf[0].open, several = b->leaves > first + 1;
    if (!open && first > 1) b->leaf[0].open++, b->leaf[first - 1].close++;
    b->leaf[first].open += several;
    b->leaf[b->leaves - 1].close += several;
    b->leaf[0].open++;
    b->leaf[b->leaves - 1].close++;
}

/* ---- a and b ------------------------------------------------------------------------------- */

typedef struct work {
    zlay_ctx *ctx;
    zl_symbols a, tiles, line; /* line: a coalesced */
    zl_monomial size;
    int64_t span;
    bool ragged;
} work;

static zlay_status measure(work *w)
{
    w->size = zl_monomial_of(1);
    for (size_t i = 0; i < w->a.leaves; i++)
        if (!zl_monomial_mul(&w->size, &w->size, &w->a.leaf[i].shape))
            return zl_symbols_overflow(w->ctx);
    return ZLAY_OK;
}

/* The names of a are those of the tiles. */
static void take_names(work *w)
{
    w->tiles.names = w->a.names;
    w->tiles.slacks = w->a.slacks;
    memcpy(w->tiles.name, w->a.name, sizeof w->a.name);
    memcpy(w->tiles.slack, w->a.slack, sizeof w->a.slack);
}

/* The one name of an extent; the count where it has several, or one squared. */
static size_t only_name(const zl_symbols *s, const zl_monomial *m)
{
    size_t found = s->names;
    for (size_t i = 0; i < s->names; i++) {
        if (m->power[i] > 1 || (m->power[i] && found < s->names)) return s->names;
        if (m->power[i]) found = i;
    }
    return found;
}

/* The extent of one progression, divided by the span and rounded up. */
static zlay_status round_up(work *w, zl_monomial *rest)
{
    zl_quotient q;
    w->line = w->a;
    zl_symbols_merge(&w->line, false);
    const zl_monomial *extent = &w->line.leaf[0].shape;
    size_t name = only_name(&w->line, extent);
    if (w->line.leaves > 1 || name == w->line.names)
        return zl_symbols_unknown(w->ctx,
                                  "the divisor does not divide the size for all values, and the "
                                  "layout is not one progression of one name, which a ragged edge "
                                  "may end; divide by mode, with a tiler");
    zl_quotient_read(&q, w->line.name[name].name.text);
    int64_t common = (int64_t)zl_gcd((uint64_t)extent->factor, (uint64_t)w->span);
    if (q.up && extent->factor != common)
        return zl_symbols_unknown(w->ctx, "a multiple of a rounded quotient is rounded again");
    if (!zl_mul(q.times, extent->factor / common, &q.times) ||
        !zl_mul(q.by, w->span / common, &q.by))
        return zl_symbols_overflow(w->ctx);
    q.up = true;
    w->ragged = true;
    return zl_symbols_quotient(w->ctx, &w->tiles, rest, &q);
}

static zlay_status what_is_left(work *w, zl_monomial *rest)
{
    zl_monomial span = zl_monomial_of(w->span);
    if (zl_monomial_div(rest, &w->size, &span)) return ZLAY_OK;
    if (!zl_symbols_divide_names(&w->a, &w->size, w->span)) return zl_symbols_overflow(w->ctx);
    zlay_status status = measure(w);
    take_names(w);
    if (status || zl_monomial_div(rest, &w->size, &span)) return status;
    return round_up(w, rest);
}

static zlay_status tiles_of(work *w)
{
    zl_monomial rest;
    size_t first = w->tiles.leaves;
    zlay_status status = measure(w);
    if (!status) status = gaps(w->ctx, &w->tiles, &w->span);
    take_names(w);
    if (!status) status = what_is_left(w, &rest);
    if (!status && !put(&w->tiles, rest, w->span)) status = zl_symbols_full(w->ctx, "64 modes");
    if (!status) wrap(&w->tiles, first);
    return status;
}

/* The tiles along one progression, up to its end. */
static zlay_status ragged(work *w, zlay_layout **out)
{
    zl_symbols *t = &w->tiles;
    zl_symbol_edge *e = &t->edge[t->edges++];
    memset(e, 0, sizeof *e);
    e->bound = w->line.leaf[0].shape;
    t->offset = w->line.offset;
    for (size_t i = 0; i < t->leaves; i++) {
        bool moves = !zl_monomial_is(&t->leaf[i].shape, 1);
        e->weight[i] = moves ? t->leaf[i].stride.factor : 0;
        if (!zl_monomial_mul(&t->leaf[i].stride, &t->leaf[i].stride, &w->line.leaf[0].stride))
            return zl_symbols_overflow(w->ctx);
    }
    return zl_symbols_layout(w->ctx, out, t);
}

static zlay_status compose(work *w, zlay_layout **out)
{
    zlay_layout *a = NULL, *tiles = NULL;
    zlay_status status = zl_symbols_layout(w->ctx, &a, &w->a);
    if (!status) status = zl_symbols_layout(w->ctx, &tiles, &w->tiles);
    if (!status) status = zl_compose(w->ctx, out, a, tiles);
    zlay_layout_free(tiles);
    zlay_layout_free(a);
    return status;
}

zlay_status zl_symbols_divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b)
{
    zlay_allocator alloc = zl_allocator(ctx);
    if (!b->modes || b->swizzle.bits || b->offset)
        return zl_symbols_unknown(ctx, "the divisor is no shape:stride of numbers");
    work *w = zl_alloc(ctx, 1, sizeof *w);
    if (!w) return ZLAY_ENOMEM;
    w->ctx = ctx;
    zlay_status status = zl_symbols_of(ctx, &w->a, a);
    if (!status) status = zl_symbols_of(ctx, &w->tiles, b);
    if (!status) status = tiles_of(w);
    if (!status) status = w->ragged ? ragged(w, out) : compose(w, out);
    zl_free(&alloc, w, sizeof *w);
    return status;
}
