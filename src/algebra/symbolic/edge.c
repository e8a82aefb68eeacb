/* SPDX-License-Identifier: Apache-2.0 */
/* Ragged edges of symbolic layouts: `.. if i0 + 64*i2 < M` ends a mode of M points that was cut
 * into tiles of 64, where i0, i1, .. are the coordinates of the leaves in the order of the text.
 * Beyond an edge the layout is undefined.  With numbers for all names it is made of pieces. */
#include "algebra/facts/form.h"
#include "algebra/presburger/text/map.h"
#include "algebra/symbolic/symbol.h"

#include <inttypes.h>
#include <string.h>

/* ---- text ------------------------------------------------------------------------------ */

static void put_sum(zl_text *out, const zl_symbols *s, const zl_symbol_edge *e)
{
    const char *between = "";
    for (size_t i = 0; i < s->leaves; i++) {
        if (!e->weight[i]) continue;
        zl_puts(out, between);
        if (e->weight[i] > 1) zl_putf(out, "%" PRId64 "*", e->weight[i]);
        zl_putf(out, "i%zu", i);
        between = " + ";
    }
}

void zl_edges_print(zl_text *out, const zl_symbols *s)
{
    for (size_t i = 0; i < s->edges; i++) {
        zl_puts(out, i ? " and " : " if ");
        put_sum(out, s, &s->edge[i]);
        zl_puts(out, " < ");
        zl_monomial_print(out, &s->edge[i].bound, s);
    }
}

static zlay_status read_term(zl_cursor *c, const zl_symbols *s, zl_symbol_edge *e)
{
    int64_t weight = 1;
    uint64_t leaf;
    zlay_status status = ZLAY_OK;
    if (zl_cursor_at_integer(c)) {
        status = zl_cursor_integer(c, &weight);
        if (!status) status = zl_cursor_want(c, '*');
    }
    if (!status) status = zl_cursor_want(c, 'i');
    if (!status) status = zl_cursor_unsigned(c, &leaf);
    if (status) return status;
    if (leaf >= s->leaves || weight < 1 || e->weight[leaf])
        return zl_cursor_fail(c, "i0, i1, .. once, with a factor of at least 1, before this");
    e->weight[leaf] = weight;
    return ZLAY_OK;
}

zlay_status zl_edges_parse(zl_cursor *c, zl_symbols *s)
{
    zlay_status status = ZLAY_OK;
    do {
        if (s->edges == ZL_SYMBOL_EDGES) return zl_symbols_full(c->ctx, "8 conditions");
        zl_symbol_edge *e = &s->edge[s->edges];
        memset(e, 0, sizeof *e);
        do status = read_term(c, s, e);
        while (!status && zl_cursor_take(c, '+'));
        if (!status) status = zl_cursor_want(c, '<');
        if (!status) status = zl_symbols_product_parse(c, s, &e->bound);
        s->edges++;
    } while (!status && zl_cursor_keyword(c, "and"));
    return status;
}

/* ---- edges that nothing reaches ------------------------------------------------------------ */

/* bound - 1 - sum weight (extent - 1) >= 0 */
static bool is_out_of_reach(const zl_symbols *s, const zl_symbol_edge *e)
{
    zl_poly room = {0, {{0, {0}}}};
    bool fits = zl_poly_add(&room, &e->bound);
    for (size_t i = 0; i < s->leaves && fits; i++) {
        zl_monomial weight = zl_monomial_of(e->weight[i]);
        if (e->weight[i])
            fits = zl_poly_sub_product(&room, &weight, &s->leaf[i].shape) &&
                   zl_poly_add(&room, &weight);
    }
    return fits && zl_poly_not_below(&room, s, 1);
}

void zl_edges_drop(zl_symbols *s)
{
    for (size_t i = 0; i < s->edges;)
        if (is_out_of_reach(s, &s->edge[i])) s->edge[i] = s->edge[--s->edges];
        else i++;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static void put_pieces(zl_text *out, const void *value)
{
    const zl_symbols *s = value;
    zl_puts(out, "{ [");
    for (size_t i = 0; i < s->leaves; i++) zl_putf(out, i ? ", i%zu" : "i%zu", i);
    zl_putf(out, "] -> [%" PRId64, s->offset.count ? s->offset.term[0].factor : 0);
    for (size_t i = 0; i < s->leaves; i++)
        zl_putf(out, " + %" PRId64 "*i%zu", s->leaf[i].stride.factor, i);
    zl_puts(out, "] :");
    for (size_t i = 0; i < s->leaves; i++)
        zl_putf(out, "%s 0 <= i%zu < %" PRId64, i ? " and" : "", i, s->leaf[i].shape.factor);
    for (size_t i = 0; i < s->edges; i++) {
        zl_puts(out, " and ");
        put_sum(out, s, &s->edge[i]);
        zl_putf(out, " < %" PRId64, s->edge[i].bound.factor);
    }
    zl_puts(out, " } # box ");
    for (size_t i = 0; i < s->leaves; i++)
        zl_putf(out, i ? ",%" PRId64 : "%" PRId64, s->leaf[i].shape.factor);
}

zlay_status zl_edges_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s)
{
    zlay_allocator alloc = zl_allocator(ctx);
    char *text = NULL;
    size_t length = 0;
    zlay_status status = zl_print_alloc(ctx, &text, &length, put_pieces, s);
    if (!status) status = zl_parse(ctx, out, text, length, 0);
    if (text) zl_free(&alloc, text, length + 1);
    return status;
}
