/* SPDX-License-Identifier: Apache-2.0 */
/* Guards, pieces, and the layout that a draft becomes. */
#include "algebra/presburger/draft.h"

/* ---- guards -------------------------------------------------------------------------- */

static zl_holds by_range(const zl_draft *d, const zl_quasi *form, bool equal)
{
    zl_value_range r = zl_draft_range(d, form);
    if (r.greatest < 0 || (equal && r.least > 0)) return ZL_HOLDS_NEVER;
    if (!equal && r.least >= 0) return ZL_HOLDS_ALWAYS;
    return r.least == 0 && r.greatest == 0 ? ZL_HOLDS_ALWAYS : ZL_HOLDS_SOMETIMES;
}

/* +1: the same coefficients, -1: the opposite ones, 0: neither. */
static int alike(const zl_row *a, const zl_quasi *b)
{
    bool same = true, opposite = true;
    if (a->used != b->used) return 0;
    for (size_t v = 0; v < a->used && (same || opposite); v++) {
        same = same && a->at[v] == b->at[v];
        opposite = opposite && !((uint64_t)a->at[v] + (uint64_t)b->at[v]);
    }
    return same ? 1 : opposite ? -1 : 0;
}

/* What a row that holds says of one over the same coefficients. */
static zl_holds by_row(const zl_row *known, const zl_quasi *form, bool equal)
{
    int sign = alike(known, form);
    int64_t c = known->constant, sum;
    if (!sign || c == INT64_MIN) return ZL_HOLDS_SOMETIMES;
    if (sign < 0 ? !zl_add(form->constant, c, &sum) : !zl_sub(form->constant, c, &sum))
        return ZL_HOLDS_SOMETIMES;
    if (known->equal) return (equal ? sum != 0 : sum < 0) ? ZL_HOLDS_NEVER : ZL_HOLDS_ALWAYS;
    if (sign < 0) return sum < 0 ? ZL_HOLDS_NEVER : ZL_HOLDS_SOMETIMES;
    if (!equal) return sum >= 0 ? ZL_HOLDS_ALWAYS : ZL_HOLDS_SOMETIMES;
    return sum > 0 ? ZL_HOLDS_NEVER : ZL_HOLDS_SOMETIMES;
}

static zl_holds by_guards(const zl_draft *d, const zl_quasi *form, bool equal)
{
    zl_holds holds = ZL_HOLDS_SOMETIMES;
    for (size_t i = 0; i < d->guards.count && holds == ZL_HOLDS_SOMETIMES; i++)
        holds = by_row(d->guards.row[i], form, equal);
    return holds;
}

zlay_status zl_draft_guard(zl_draft *d, const zl_quasi *form, bool equal, bool *dead)
{
    zl_quasi a;
    zl_quasi_copy(&a, form);
    zl_holds holds = by_range(d, &a, equal);
    if (holds == ZL_HOLDS_SOMETIMES) holds = zl_condition_reduce(&a, equal);
    if (holds == ZL_HOLDS_SOMETIMES) holds = by_guards(d, &a, equal);
    if (holds == ZL_HOLDS_NEVER) *dead = true;
    if (holds != ZL_HOLDS_SOMETIMES) return ZLAY_OK;
    const zl_row *row = zl_row_new(&d->w, &a, equal);
    return row ? zl_guard_put_row(&d->w, &d->guards, row) : ZLAY_ENOMEM;
}

zlay_status zl_draft_inside(zl_draft *d, const zl_quasi *form, uint64_t extent, bool *dead)
{
    size_t before = d->guards.count;
    zl_quasi above;
    zl_quasi_set(&above, extent > INT64_MAX ? INT64_MAX : (int64_t)extent - 1);
    zlay_status status = zl_quasi_add(&d->w, &above, form, -1);
    if (!status) status = zl_draft_guard(d, form, false, dead);
    if (!status) status = zl_draft_guard(d, &above, false, dead);
    if (*dead || d->guards.count > before) d->leaves = true;
    return status;
}

/* ---- pieces --------------------------------------------------------------------------- */

/* The rows of the guards stay where they are; which ones hold is copied. */
static zlay_status claim_of(zl_draft *d, zl_claim *claim, const zl_quasi *values)
{
    size_t guards = d->guards.count, outs = d->claims.outs;
    const zl_row **row = zl_scratch_plain(d->w.ctx, guards + outs, sizeof *row);
    if (!row) return ZLAY_ENOMEM;
    for (size_t i = 0; i < guards; i++) row[i] = d->guards.row[i];
    *claim = (zl_claim){{guards, guards, row}, row + guards};
    for (size_t i = 0; i < outs; i++)
        if (!(claim->value[i] = zl_row_new(&d->w, &values[i], false))) return ZLAY_ENOMEM;
    return ZLAY_OK;
}

zlay_status zl_draft_piece(zl_draft *d, const zl_quasi *values)
{
    zl_claim claim;
    zlay_status status = claim_of(d, &claim, values);
    return status ? status : zl_claims_put(&d->claims, claim);
}

zlay_status zl_draft_layout(zl_draft *d, zlay_layout **out, bool partial)
{
    zl_pieces p;
    zl_draft_merge(d);
    zlay_status status = zl_claims_as_made(&d->claims, &p, d->extent, d->out_size);
    return status ? status : zl_layout_pieces(d->w.ctx, out, &p, partial);
}
