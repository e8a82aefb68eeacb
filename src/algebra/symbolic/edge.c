/* SPDX-License-Identifier: Apache-2.0 */
/* Ragged edges of symbolic layouts: `.. if i0 + 64*i2 < M` ends a mode of M points that was cut
 * into tiles of 64, where i0, i1, .. are the coordinates of the leaves in the order of the text.
 * Beyond an edge the layout is undefined.  With numbers for all names it is made of pieces. */
#include "algebra/presburger/claims.h"
#include "algebra/symbolic/symbol.h"


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

/* bound - 1 - sum weight i >= 0 */
static zlay_status put_edge(zl_world *w, zl_guard *guard, const zl_symbols *s,
                            const zl_symbol_edge *e, bool *possible)
{
    zl_quasi *a = zl_quasi_new(w);
    if (!a) return ZLAY_ENOMEM;
    zlay_status status = zl_sub(e->bound.factor, 1, &a->constant) ? ZLAY_OK
                                                                  : zl_symbols_overflow(w->ctx);
    for (size_t i = 0; i < s->leaves; i++)
        if (e->weight[i]) zl_quasi_put(a, i, -e->weight[i]);
    if (!status) status = zl_guard_put(w, guard, a, false, possible);
    zl_quasi_drop(w, a);
    return status;
}

/* offset + sum stride i */
static const zl_row *value_of(zl_world *w, const zl_symbols *s)
{
    zl_quasi *a = zl_quasi_new(w);
    if (!a) return NULL;
    zl_quasi_set(a, s->offset.count ? s->offset.term[0].factor : 0);
    for (size_t i = 0; i < s->leaves; i++)
        if (s->leaf[i].stride.factor) zl_quasi_put(a, i, s->leaf[i].stride.factor);
    const zl_row *row = zl_row_new(w, a, false);
    zl_quasi_drop(w, a);
    return row;
}

/* One claim, the value under all edges; none where an edge holds nowhere. */
static zlay_status claim_all(zl_claims *c, const zl_symbols *s, const uint64_t *extent)
{
    zl_claim claim = {{0}, zl_scratch(c->w->ctx, 1, sizeof *claim.value)};
    bool possible = true;
    if (!claim.value || !(claim.value[0] = value_of(c->w, s))) return ZLAY_ENOMEM;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < s->edges && !status; i++)
        status = put_edge(c->w, &claim.guard, s, &s->edge[i], &possible);
    if (status || !possible) return status;
    status = zl_claims_put(c, claim);
    return status ? status : zl_claims_bound(c, extent);
}

zlay_status zl_edges_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s)
{
    zl_world w;
    zl_mark mark = zl_scratch_mark(ctx);
    uint64_t extent[ZL_SYMBOL_LEAVES];
    const zl_claims_frame frame = {extent, NULL};
    for (size_t i = 0; i < s->leaves; i++) extent[i] = (uint64_t)s->leaf[i].shape.factor;
    zl_world_begin(&w, ctx, 0, s->leaves, NULL);
    zl_claims claims = {&w, 1, 0, 0, NULL};
    zlay_status status = claim_all(&claims, s, extent);
    if (!status) status = zl_claims_layout(&claims, out, &frame);
    zl_scratch_release(ctx, mark);
    return status;
}
