/* SPDX-License-Identifier: Apache-2.0 */
/* The least and greatest value of pieces without a look at every point. */
#include "algebra/presburger/claims.h"
#include "algebra/facts/facts.h"
#include "algebra/presburger/isl/isl.h"

/* A form of coordinates alone over independent ranges takes the sums of their ends. */
static bool ends_of_claim(const zl_claims *c, const zl_claim *claim, zlay_range *range,
                          zlay_range *out)
{
    zl_world *w = c->w;
    *out = zl_range_empty();
    if (!zl_guard_is_box(w, &claim->guard) || claim->value[0]->used > w->params + w->dims)
        return false;
    for (size_t v = 0; v < w->count; v++) range[v] = zl_range_all();
    if (zl_guard_ranges(w, &claim->guard, range)) *out = zl_row_range(claim->value[0], range);
    return out->lo != INT64_MIN && out->hi != INT64_MAX;
}

static zlay_status ends_of_claims(const zl_claims *c, int64_t *least, int64_t *greatest, bool *all)
{
    zlay_range *range = zl_world_ranges(c->w), ends;
    if (!range) return ZLAY_ENOMEM;
    *least = INT64_MAX;
    *greatest = INT64_MIN;
    *all = true;
    for (size_t i = 0; i < c->count && *all; i++) {
        *all = ends_of_claim(c, &c->at[i], range, &ends);
        if (!*all || zl_range_is_empty(ends)) continue;
        if (ends.lo < *least) *least = ends.lo;
        if (ends.hi > *greatest) *greatest = ends.hi;
    }
    return ZLAY_OK;
}

zlay_status zl_pieces_ends(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *p)
{
    zl_world w;
    zl_claims claims = {&w, p->outs, 0, 0, NULL};
    bool all = false;
    zl_mark mark = zl_scratch_mark(ctx);
    zl_world_begin(&w, ctx, p->params, p->dims, p->param);
    zlay_status status = zl_claims_import(&claims, p, NULL);
    if (!status) status = zl_claims_bound(&claims, p->extent);
    if (!status) status = ends_of_claims(&claims, least, greatest, &all);
    zl_scratch_release(ctx, mark);
    return status || all ? status : zl_isl_range(ctx, least, greatest, p);
}
