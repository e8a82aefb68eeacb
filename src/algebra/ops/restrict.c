/* SPDX-License-Identifier: Apache-2.0 */
/* A layout where a condition holds, and two layouts as one. */
#include "algebra/symbolic/symbol.h"
#include "algebra/presburger/claims.h"
#include "algebra/presburger/text/map.h"
#include "algebra/ops/reshape.h"


/* ---- restrict ----------------------------------------------------------------------- */

/* The condition's pieces hold while a is applied to the same coordinates. */
typedef struct restricted {
    const zlay_layout *a, *where;
} restricted;

typedef struct inner {
    const zlay_layout *a;
    const zl_quasi *at;
    size_t count;
} inner;

static zlay_status visit(zl_draft *d, const zl_quasi *values, void *env)
{
    const inner *n = env;
    (void)values;
    return zl_draft_apply(d, n->a, n->at, n->count);
}

static zlay_status fill(zl_draft *d, zl_quasi *at, size_t count, const void *env)
{
    const restricted *r = env;
    inner n = {r->a, at, count};
    return zl_draft_walk(d, r->where, at, count, visit, &n);
}

static zlay_status on(zlay_ctx *ctx, zlay_layout **out, const restricted *r)
{
    zl_modes box;
    zl_filling filling = {r->a, NULL, &box, true, true, fill, r};
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_layout_box(&box, r->a);
    if (!status) status = zl_fill(ctx, out, &filling);
    zl_modes_end(&box);
    return status;
}

/* The box as numbers: ENOTSUP where an extent depends on a parameter. */
static zlay_status extents(zlay_ctx *ctx, uint64_t *extent, size_t *dims, const zlay_layout *a)
{
    zlay_status status = ZLAY_OK;
    *dims = zlay_layout_box(extent, ZL_PIECE_VARIABLES, a);
    if (*dims > ZL_PIECE_VARIABLES)
        return zl_fail(ctx, ZLAY_ELIMIT, "%zu dimensions; %d at most", *dims,
                       (int)ZL_PIECE_VARIABLES);
    for (size_t i = 0; i < *dims && !status; i++) status = zl_mode_extent(ctx, &extent[i], a, i);
    return status;
}

static zlay_status restrict_to(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const char *condition, size_t length)
{
    uint64_t extent[ZL_PIECE_VARIABLES];
    size_t dims;
    zlay_layout *where = NULL;
    if (!a || !condition) return zl_fail(ctx, ZLAY_EINVAL, "a layout or its condition is NULL");
    zlay_status status = zl_without_symbols(ctx, a);
    if (!status) status = extents(ctx, extent, &dims, a);
    if (!status)
        status = zl_of_input(
            ctx, zl_condition_parse(ctx, &where, dims, extent, condition, length));
    restricted r = {a, where};
    if (!status) status = on(ctx, out, &r);
    zlay_layout_free(where);
    return status;
}

zlay_status zlay_layout_restrict(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const char *condition, size_t length)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, restrict_to(ctx, out, a, condition, length));
}
