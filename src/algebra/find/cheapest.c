/* SPDX-License-Identifier: Apache-2.0 */
/* The first form that equals a table: the methods of zl_cheapest. */
#include "algebra/layout/function.h"
#include "algebra/find/table.h"
#include "algebra/f2/f2.h"
#include "algebra/find/find.h"

typedef struct work {
    zlay_ctx *ctx;
    const zl_table *t;
    const zl_modes *box;
    const zlay_layout *names;
    const zl_f2 *outs;
} work;

static bool is_total(const work *w) { return !w->t->undefined; }
static bool is_one(const work *w) { return !w->outs || w->outs->outs == 1; }

static zlay_status strided(work *w, zlay_layout **out)
{
    zl_function f = zl_table_function(w->t);
    zl_break where;
    zl_modes m;
    if (!is_total(w) || !is_one(w)) return ZLAY_NONE;
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_find_strided(&m, &f, w->box, &where);
    if (!status) status = zl_layout_strided(w->ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status affine(work *w, zlay_layout **out)
{
    zl_function f = zl_table_function(w->t);
    zl_affine map;
    zl_break where;
    bool modulo = zl_has_modulus(w->outs);
    if (!is_total(w) || (modulo && !is_one(w))) return ZLAY_NONE;
    if (!zl_affine_of_function(&map, &f, &where)) return ZLAY_NONE;
    return zl_find_affine(w->ctx, out, &map, w->box, w->names, modulo ? NULL : w->outs);
}

/* A search that the limit ends leaves a form that is equal and costs more. */
static zlay_status swizzled(work *w, zlay_layout **out)
{
    zl_function f = zl_table_function(w->t);
    zl_swizzle s;
    zl_modes m;
    if (!is_total(w) || !is_one(w)) return ZLAY_NONE;
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_find_swizzled(&m, &s, &f, w->box);
    if (!status) status = zl_layout_strided(w->ctx, out, &m, s);
    zl_modes_end(&m);
    return status == ZLAY_ELIMIT ? ZLAY_NONE : status;
}

static zlay_status modular(work *w, zlay_layout **out)
{
    zl_function f = zl_table_function(w->t);
    if (!is_total(w)) return ZLAY_NONE;
    return zl_find_modular(w->ctx, out, &f, w->box, w->names, w->outs);
}

/* Cheapest first.  An affine map over F2 finds its swizzle at once, so that comes before the search
 * of one by values. */
static zlay_status (*const methods[])(work *w, zlay_layout **out) = {strided, affine, swizzled,
                                                                    modular};

zlay_status zl_cheaper(zlay_ctx *ctx, zlay_layout **out, const zl_table *t, const zl_modes *box,
                       const zlay_layout *names, const zl_f2 *outs)
{
    work w = {ctx, t, box, names, outs};
    zlay_status status = ZLAY_NONE;
    for (size_t i = 0; i < ZL_COUNT(methods) && status == ZLAY_NONE; i++)
        status = methods[i](&w, out);
    return status;
}

zlay_status zl_cheapest(zlay_ctx *ctx, zlay_layout **out, const zl_table *t, const zl_modes *box,
                        const zlay_layout *names, const zl_f2 *outs)
{
    zlay_status status = zl_cheaper(ctx, out, t, box, names, outs);
    if (status == ZLAY_NONE) status = zl_find_pieces(ctx, out, t, box, outs);
    if (status != ZLAY_NONE) return status;
    return zl_fail(ctx, ZLAY_ELIMIT, "limits.pieces is %llu and no form of fewer pieces was found",
                   (unsigned long long)zl_limits(ctx)->pieces);
}

zlay_status zl_cheapest_line(zlay_ctx *ctx, zlay_layout **out, const zl_table *t)
{
    zl_modes box;
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_modes_leaf(&box, (int64_t)t->size, 0);
    if (!status) status = zl_cheapest(ctx, out, t, &box, NULL, NULL);
    zl_modes_end(&box);
    return status;
}
