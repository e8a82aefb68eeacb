/* SPDX-License-Identifier: Apache-2.0 */
/* Division of a symbolic layout by one of numbers: b beside its complement in the size of a, a
 * product of names, and a composed with both.  What b leaves is the size divided by the span of
 * b, which is one extent where that product has the span as a factor, as 64*K has 64. */
#include "algebra/symbol.h"

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

/* The gaps between the modes of b, whose strides have to nest; then what is left of the size. */
static zlay_status complement(zlay_ctx *ctx, zl_symbols *b, const zl_monomial *size)
{
    size_t leaves = b->leaves, taken = 0, moving = 0;
    int64_t span = 1;
    zl_monomial rest, whole;
    for (size_t i = 0; i < leaves; i++) moving += b->leaf[i].shape.factor > 1;
    for (size_t i; (i = next_leaf(b, leaves, span)) < leaves; taken++) {
        int64_t stride = b->leaf[i].stride.factor;
        if (stride % span) break;
        if (stride > span && !put(b, zl_monomial_of(stride / span), span))
            return zl_symbols_full(ctx, "64 modes");
        if (!zl_mul(stride, b->leaf[i].shape.factor, &span)) return zl_symbols_overflow(ctx);
    }
    whole = zl_monomial_of(span);
    if (taken < moving)
        return zl_symbols_unknown(ctx, "the strides of the divisor do not nest");
    if (!zl_monomial_div(&rest, size, &whole))
        return zl_symbols_unknown(ctx, "the size of the layout is no product with the span of the "
                                       "divisor as a factor; write K as 64*K where 64 divides it");
    return put(b, rest, span) ? ZLAY_OK : zl_symbols_full(ctx, "64 modes");
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

static zlay_status both(zlay_ctx *ctx, zlay_layout **out, zl_symbols *s, const zlay_layout *a,
                        const zlay_layout *b)
{
    zl_monomial size = zl_monomial_of(1);
    zlay_status status = zl_symbols_of(ctx, s, a);
    for (size_t i = 0; i < s->leaves && !status; i++)
        if (!zl_monomial_mul(&size, &size, &s->leaf[i].shape)) status = zl_symbols_overflow(ctx);
    zl_symbols names = *s;
    if (!status) status = zl_symbols_of(ctx, s, b);
    if (status) return status;
    s->names = names.names;
    memcpy(s->name, names.name, sizeof s->name);
    size_t first = s->leaves;
    status = complement(ctx, s, &size);
    if (!status) wrap(s, first);
    return status ? status : zl_symbols_layout(ctx, out, s);
}

zlay_status zl_symbols_divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zlay_layout *tiles = NULL;
    if (!b->modes || b->swizzle.bits || b->offset)
        return zl_symbols_unknown(ctx, "the divisor is no shape:stride of numbers");
    zl_symbols *s = zl_alloc(ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    zlay_status status = both(ctx, &tiles, s, a, b);
    if (!status) status = zl_symbols_compose(ctx, out, a, tiles);
    zl_free(&alloc, s, sizeof *s);
    zlay_layout_free(tiles);
    return status;
}
