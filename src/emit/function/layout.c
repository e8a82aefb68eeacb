/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the cheapest expression of a layout: every form is made of the layout as it is written, and,
 * where it is affine over F2 or one piece, of the strided or swizzled layout that equals it; their
 * instructions are counted, and the form with the fewest is taken. */
#include "emit/function/layout.h"

#include "algebra/find/find.h"
#include "algebra/find/finish.h"

typedef zl_vertex form(zl_graph *g, const zl_address *a, bool *serves);
static form *const forms[] = {zl_form_sum, zl_form_bits, zl_form_joined, zl_form_pieces};

/* ---- layouts that equal it ------------------------------------------------------------------ */

/* The strided, swizzled or f2 layout of the same map, NULL: there is none that is found. */
static zlay_status affine_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zl_modes *box)
{
    zl_affine map;
    if (a->partial || !zl_affine_of(&map, a)) return ZLAY_NONE;
    return zl_find_affine(ctx, out, &map, box, NULL, NULL);
}

static zlay_status strided_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zl_modes *box)
{
    if (a->partial || !zl_is_pieces(a) || a->pieces.outs > 1) return ZLAY_NONE;
    return zl_find_strided_pieces(ctx, out, a, box);
}

static zlay_status lifted(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zl_modes *box)
{
    (void)box;
    return zl_is_pieces(a) ? ZLAY_NONE : zl_lift(ctx, out, a);
}

typedef zlay_status other(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zl_modes *box);
static other *const others[] = {affine_of, strided_of, lifted};
enum { LIFTED = 2, OTHERS = 3 };

/* ---- the least cost ------------------------------------------------------------------------- */

typedef struct least_form {
    const zlay_layout *layout;
    form *make;
    uint32_t cost;
} least_form;

static zl_address over(const zl_address *a, const zlay_layout *layout)
{
    zl_address same = *a;
    same.layout = layout;
    return same;
}

/* Tries every form of a layout. A form that is too long, or leaves 64 bits, is none. */
static zlay_status try_forms(zlay_ctx *ctx, least_form *b, const zl_address *a)
{
    for (size_t i = 0; i < ZL_COUNT(forms); i++) {
        zl_mark mark = zl_scratch_mark(ctx);
        zl_graph g;
        bool serves;
        zlay_status status = zl_graph_begin(&g, ctx);
        if (status) return status;
        zl_vertex root = forms[i](&g, a, &serves);
        if (g.status == ZLAY_ENOMEM) return g.status;
        uint32_t cost = serves && !g.status ? zl_graph_cost(&g, root) : UINT32_MAX;
        if (cost < b->cost) *b = (least_form){a->layout, forms[i], cost};
        zl_scratch_release(ctx, mark);
    }
    return ZLAY_OK;
}

/* Another form costs time to find: pieces are made where nothing else serves. */
static zlay_status try_others(zlay_ctx *ctx, least_form *b, const zl_address *a,
                              zlay_layout *made[OTHERS])
{
    zl_modes box;
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_layout_box(&box, a->layout);
    for (size_t i = 0; i < OTHERS && !status; i++) {
        if (i == LIFTED && b->make) break;
        status = zl_unless_limit(ctx, others[i](ctx, &made[i], a->layout, &box));
        if (status == ZLAY_NONE) {
            status = ZLAY_OK;
        } else if (!status && made[i]) {
            zl_address same = over(a, made[i]);
            status = try_forms(ctx, b, &same);
        }
    }
    zl_modes_end(&box);
    return status;
}

/* Makes the best form again, to stay. */
static zlay_status settle(zl_address_form *out, const least_form *b, const zl_address *a)
{
    zl_address same = over(a, b->layout);
    bool serves;
    out->root = b->make(&out->graph, &same, &serves);
    out->there = 0;
    if (b->layout->partial) out->there = zl_pieces_there(&out->graph, &same);
    if (out->graph.node[out->there].op == ZL_OP_NUMBER) out->there = 0;
    return out->graph.status;
}

zlay_status zl_address_best(zlay_ctx *ctx, zl_address_form *out, const zl_address *a)
{
    *out = (zl_address_form){.root = 0};
    zlay_status status = zl_graph_begin(&out->graph, ctx);
    return status ? status : zl_address_into(ctx, out, a);
}

zlay_status zl_address_into(zlay_ctx *ctx, zl_address_form *out, const zl_address *a)
{
    least_form b = {NULL, NULL, UINT32_MAX};
    zlay_layout *made[OTHERS] = {0};
    zlay_status status = try_forms(ctx, &b, a);
    if (!status) status = try_others(ctx, &b, a, made);
    if (!status && !b.make)
        status = zl_fail(ctx, ZLAY_ENOTSUP,
                         "layout: it has no form of at most %d operations in 64 bits",
                         ZL_GRAPH_NODES);
    if (!status) status = settle(out, &b, a);
    for (size_t i = 0; i < OTHERS; i++) zlay_layout_free(made[i]);
    return status;
}
