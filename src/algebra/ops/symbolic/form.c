/* SPDX-License-Identifier: Apache-2.0 */
/* The leaves of symbolic layouts in another order and under other parentheses.  A layout of tags
 * stands for it: a strided layout with the same parentheses, whose strides are the numbers of the
 * leaves.  What is done to parts of strided layouts is done to the tags, and read back. */
#include "algebra/ops/cute.h"
#include "algebra/ops/symbolic/form.h"

#include <string.h>

enum { TAGS_MOST = 62 }; /* a tag has two points, so that sizes fit */

zlay_status zl_tags_of(zl_modes *m, const zl_symbols *s, size_t first)
{
    zlay_status status = ZLAY_OK;
    if (s->leaves > TAGS_MOST) return zl_symbols_full(m->ctx, "62 modes");
    for (size_t i = 0; i < s->leaves && !status; i++)
        status = zl_modes_put(m, (zl_mode){2, (int64_t)(first + i), s->leaf[i].open,
                                           s->leaf[i].close});
    return status;
}

zlay_status zl_tags_layout(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s, size_t first)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_tags_of(&m, s, first);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

zlay_status zl_tags_read(zlay_ctx *ctx, zl_symbols *out, const zl_symbols *from,
                         const zl_mode *tag, size_t count)
{
    if (count > ZL_SYMBOL_LEAVES) return zl_symbols_full(ctx, "64 modes");
    *out = *from;
    out->leaves = count;
    for (size_t k = 0; k < from->edges; k++)
        memset(out->edge[k].weight, 0, sizeof out->edge[k].weight);
    for (size_t i = 0; i < count; i++) {
        size_t leaf = (size_t)tag[i].stride;
        out->leaf[i] = from->leaf[leaf];
        out->leaf[i].open = tag[i].open;
        out->leaf[i].close = tag[i].close;
        for (size_t k = 0; k < from->edges; k++)
            out->edge[k].weight[i] = from->edge[k].weight[leaf];
    }
    return ZLAY_OK;
}

zlay_status zl_symbols_arrange(zlay_ctx *ctx, zlay_layout **layout, zlay_arrangement arrangement)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zlay_layout *tags = NULL, *made = NULL;
    zl_symbols *s = zl_alloc(ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    zlay_status status = zl_tags_layout(ctx, &tags, (*layout)->symbols, 0);
    if (!status) status = zl_arrange_strided(ctx, &tags, arrangement);
    if (!status) status = zl_tags_read(ctx, s, (*layout)->symbols, tags->mode, tags->modes);
    if (!status) status = zl_symbols_layout(ctx, &made, s);
    zl_free(&alloc, s, sizeof *s);
    zlay_layout_free(tags);
    zlay_layout_free(*layout);
    *layout = made;
    return status;
}

/* ---- by a tiler -------------------------------------------------------------------------- */

zlay_status zl_symbols_append(zlay_ctx *ctx, zl_symbols *to, zl_symbols *from)
{
    zlay_status status = zl_symbols_share(ctx, to, from);
    if (status) return status;
    if (to->leaves + from->leaves > ZL_SYMBOL_LEAVES) return zl_symbols_full(ctx, "64 modes");
    if (to->edges + from->edges > ZL_SYMBOL_EDGES) return zl_symbols_full(ctx, "8 conditions");
    for (size_t k = 0; k < from->edges; k++) {
        zl_symbol_edge *e = &to->edge[to->edges++];
        memset(e, 0, sizeof *e);
        e->bound = from->edge[k].bound;
        memcpy(e->weight + to->leaves, from->edge[k].weight, from->leaves * sizeof e->weight[0]);
    }
    memcpy(to->leaf + to->leaves, from->leaf, from->leaves * sizeof from->leaf[0]);
    to->leaves += from->leaves;
    return zl_poly_add_all(&to->offset, &from->offset) ? ZLAY_OK : zl_symbols_overflow(ctx);
}

/* A symbolic or strided layout with its edges. */
static zlay_status symbols_with_edges(zlay_ctx *ctx, zl_symbols *out, const zlay_layout *a)
{
    if (a->symbols) *out = *a->symbols;
    if (a->symbols) return ZLAY_OK;
    zlay_status status = zl_symbols_of(ctx, out, a);
    return status != ZLAY_NONE ? status
                               : zl_symbols_unknown(ctx, "a mode with its tile is no shape:stride");
}

static zlay_status each(zl_symbol_pool *p, zl_symbols *part, zlay_layout **made,
                        const zlay_layout *mode, const zlay_layout *tile)
{
    zlay_layout *own = NULL, *tiled = NULL;
    zlay_ctx *ctx = p->ctx;
    zlay_status status = zl_tags_read(ctx, part, &p->s, mode->mode, mode->modes);
    part->offset.count = part->edges = 0;
    if (!status) status = zl_symbols_layout(ctx, &own, part);
    if (!status) status = p->each(ctx, &tiled, own, tile);
    if (!status) status = symbols_with_edges(ctx, part, tiled);
    size_t first = p->s.leaves;
    if (!status) status = zl_symbols_append(ctx, &p->s, part);
    if (!status) status = zl_tags_layout(ctx, made, part, first);
    zlay_layout_free(tiled);
    zlay_layout_free(own);
    return status;
}

zlay_status zl_pool_each(zl_symbol_pool *p, zlay_layout **made, const zlay_layout *mode,
                         const zlay_layout *tile)
{
    zlay_allocator alloc = zl_allocator(p->ctx);
    zl_symbols *part = zl_alloc(p->ctx, 1, sizeof *part);
    if (!part) return ZLAY_ENOMEM;
    zlay_status status = each(p, part, made, mode, tile);
    zl_free(&alloc, part, sizeof *part);
    return status;
}
