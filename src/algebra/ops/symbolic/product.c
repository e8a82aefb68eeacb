/* SPDX-License-Identifier: Apache-2.0 */
/* Products of which one factor is symbolic: a beside b's repetition of it, b composed with what a
 * leaves free.  The strides of a have to nest as monomials, each a multiple of the span before it,
 * which is proved to be positive; what lies past the span goes on for ever, as 1:span. */
#include "algebra/ops/cute.h"
#include "algebra/ops/symbolic/form.h"

typedef struct work {
    zlay_ctx *ctx;
    zl_symbols a, free, second;
    zl_mode tag[ZL_SYMBOL_LEAVES];
} work;

/* ---- what a leaves free ----------------------------------------------------------------- */

/* The leaf, of those that are left, whose stride divides all their strides; the count: none. */
static size_t next_leaf(const zl_symbols *a, const bool *taken)
{
    zl_monomial quotient;
    for (size_t i = 0; i < a->leaves; i++) {
        bool least = !taken[i] && a->leaf[i].stride.factor;
        const zl_monomial *stride = &a->leaf[i].stride;
        for (size_t k = 0; k < a->leaves && least; k++)
            if (!taken[k]) least = zl_monomial_div(&quotient, &a->leaf[k].stride, stride);
        if (least) return i;
    }
    return a->leaves;
}

static zlay_status put_free(work *w, const zl_monomial *shape, const zl_monomial *stride)
{
    if (w->free.leaves == ZL_SYMBOL_LEAVES) return zl_symbols_full(w->ctx, "64 modes");
    w->free.leaf[w->free.leaves++] = (zl_symbol_leaf){*shape, *stride, 0, 0};
    return ZLAY_OK;
}

/* The gap before a leaf, and the span behind it. */
static zlay_status pass(work *w, const zl_symbol_leaf *leaf, zl_monomial *span)
{
    zl_monomial gap;
    zlay_status status = ZLAY_OK;
    if (!zl_monomial_div(&gap, &leaf->stride, span) || zl_monomial_range(&gap, &w->a).lo < 1)
        return zl_symbols_unknown(w->ctx, "the strides of the first factor are not proved to nest");
    if (!zl_monomial_is(&gap, 1)) status = put_free(w, &gap, span);
    if (!status && !zl_monomial_mul(span, &leaf->stride, &leaf->shape))
        status = zl_symbols_overflow(w->ctx);
    return status;
}

static zlay_status find_free(work *w)
{
    bool taken[ZL_SYMBOL_LEAVES] = {false};
    zl_monomial span = zl_monomial_of(1), one = span;
    size_t left = 0;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < w->a.leaves; i++) {
        taken[i] = zl_monomial_is(&w->a.leaf[i].shape, 1);
        left += !taken[i];
    }
    w->free = w->a;
    w->free.leaves = w->free.offset.count = 0;
    for (; left && !status; left--) {
        size_t i = next_leaf(&w->a, taken);
        if (i == w->a.leaves)
            return zl_symbols_unknown(w->ctx, "the strides of the first factor do not nest");
        taken[i] = true;
        status = pass(w, &w->a.leaf[i], &span);
    }
    return status ? status : put_free(w, &one, &span);
}

static void wrap(zl_symbols *s)
{
    if (s->leaves < 2) return;
    s->leaf[0].open++;
    s->leaf[s->leaves - 1].close++;
}

/* w->second: b over what is free. */
static zlay_status repeat(work *w, const zlay_layout *b)
{
    zlay_layout *gaps = NULL, *made = NULL;
    zlay_status status = find_free(w);
    if (!status) wrap(&w->free);
    if (!status) status = zl_symbols_layout(w->ctx, &gaps, &w->free);
    if (!status) status = zl_compose(w->ctx, &made, gaps, b);
    if (!status) status = zl_symbols_of(w->ctx, &w->second, made);
    if (status == ZLAY_NONE)
        status = zl_symbols_unknown(w->ctx, "the repetition is no shape:stride");
    zlay_layout_free(made);
    zlay_layout_free(gaps);
    return status;
}

static zlay_status product(work *w, zlay_layout **out, const zlay_layout *a, const zlay_layout *b)
{
    zlay_status status = zl_symbols_of(w->ctx, &w->a, a);
    if (status == ZLAY_NONE)
        return zl_symbols_unknown(w->ctx, "the first factor is no shape:stride");
    if (!status) status = repeat(w, b);
    if (!status) status = zl_symbols_append(w->ctx, &w->a, &w->second);
    if (status) return status;
    w->a.leaf[0].open++;
    w->a.leaf[w->a.leaves - 1].close++;
    return zl_symbols_layout(w->ctx, out, &w->a);
}

zlay_status zl_symbols_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b)
{
    zlay_allocator alloc = zl_allocator(ctx);
    work *w = zl_alloc(ctx, 1, sizeof *w);
    if (!w) return ZLAY_ENOMEM;
    w->ctx = ctx;
    zlay_status status = product(w, out, a, b);
    zl_free(&alloc, w, sizeof *w);
    return status;
}

/* ---- blocked and raked --------------------------------------------------------------------- */

/* s with leaves 1:0 behind its modes until there are `rank`. */
static zlay_status pad(work *w, zl_symbols *s, size_t rank)
{
    zlay_layout *tags = NULL, *padded = NULL;
    size_t count = 0;
    zlay_status status = zl_tags_layout(w->ctx, &tags, s, 0);
    if (!status) status = zl_pad_rank(w->ctx, &padded, tags, rank);
    for (; !status && count < padded->modes; count++) {
        if (count == ZL_SYMBOL_LEAVES || s->leaves == ZL_SYMBOL_LEAVES) {
            status = zl_symbols_full(w->ctx, "64 modes");
            break;
        }
        w->tag[count] = padded->mode[count];
        if (padded->mode[count].shape > 1) continue;
        w->tag[count].stride = (int64_t)s->leaves;
        s->leaf[s->leaves++] = (zl_symbol_leaf){zl_monomial_of(1), zl_monomial_of(0), 0, 0};
    }
    zlay_layout_free(padded);
    zlay_layout_free(tags);
    w->free = *s;
    return status ? status : zl_tags_read(w->ctx, s, &w->free, w->tag, count);
}

static zlay_status rank_of(zlay_ctx *ctx, size_t *rank, const zl_symbols *s)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_tags_of(&m, s, 0);
    size_t parts = status ? 0 : zl_parts_count(m.at, m.count);
    *rank = parts > *rank ? parts : *rank;
    zl_modes_end(&m);
    return status;
}

/* a and its repetition, mode by mode. */
static zlay_status zip(work *w, zlay_layout **out, bool raked)
{
    zlay_layout *a = NULL, *b = NULL;
    size_t leaves = w->a.leaves;
    zl_modes m;
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_tags_layout(w->ctx, &a, &w->a, 0);
    if (!status) status = zl_tags_layout(w->ctx, &b, &w->second, leaves);
    if (!status) status = zl_symbols_append(w->ctx, &w->a, &w->second);
    if (!status) status = zl_zip_modes(&m, a, b, raked);
    if (!status) status = zl_tags_read(w->ctx, &w->free, &w->a, m.at, m.count);
    if (!status) status = zl_symbols_layout(w->ctx, out, &w->free);
    zl_modes_end(&m);
    zlay_layout_free(b);
    zlay_layout_free(a);
    return status;
}

static zlay_status paired(work *w, zlay_layout **out, const zlay_layout *a, const zlay_layout *b,
                          bool raked)
{
    zlay_layout *padded = NULL;
    size_t rank = 0;
    zlay_status status = zl_symbols_of(w->ctx, &w->a, a);
    if (!status) status = zl_symbols_of(w->ctx, &w->second, b);
    if (status == ZLAY_NONE) return zl_symbols_unknown(w->ctx, "a factor is no shape:stride");
    if (!status) status = rank_of(w->ctx, &rank, &w->a);
    if (!status) status = rank_of(w->ctx, &rank, &w->second);
    if (!status) status = pad(w, &w->a, rank);
    if (!status) status = pad(w, &w->second, rank);
    if (!status) status = zl_symbols_layout(w->ctx, &padded, &w->second);
    if (!status) status = repeat(w, padded);
    zlay_layout_free(padded);
    return status ? status : zip(w, out, raked);
}

zlay_status zl_symbols_paired(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b, bool raked)
{
    zlay_allocator alloc = zl_allocator(ctx);
    work *w = zl_alloc(ctx, 1, sizeof *w);
    if (!w) return ZLAY_ENOMEM;
    w->ctx = ctx;
    zlay_status status = paired(w, out, a, b, raked);
    zl_free(&alloc, w, sizeof *w);
    return status;
}
