/* SPDX-License-Identifier: Apache-2.0 */
/* Free variables that no rule of zlay's own solves for: a relation of coordinates, outputs and
 * those variables, which isl makes a function. */
#include "algebra/presburger/claims.h"

typedef struct relation {
    zl_world *from, to;
    zl_claims claims;
    const zl_quasi *form[ZL_PIECE_VARIABLES]; /* of every variable of `from` */
    bool used[ZL_PIECE_VARIABLES];
    size_t frees;
} relation;

static void find_used(relation *x, const zl_claim *claim, size_t outs)
{
    size_t known = x->from->params + x->from->dims;
    for (size_t r = 0; r < claim->guard.count; r++) zl_row_mark(claim->guard.row[r], x->used);
    for (size_t r = 0; r < outs; r++) zl_row_mark(claim->value[r], x->used);
    zl_world_mark(x->from, x->used);
    for (size_t v = known; v < x->from->count; v++)
        x->frees += x->used[v] && !x->from->variable[v].den;
}

static zlay_status carry(relation *x, zl_quasi *out, const zl_row *row)
{
    zlay_status status = ZLAY_OK;
    zl_quasi_set(out, row->constant);
    for (size_t v = 0; v < row->used && !status; v++)
        if (row->at[v]) status = zl_quasi_add(&x->to, out, x->form[v], row->at[v]);
    return status;
}

/* Coordinates stay, outputs come behind them, then free variables. */
static zlay_status carry_variables(relation *x, size_t outs)
{
    size_t known = x->from->params + x->from->dims, next = known + outs;
    zlay_status status = ZLAY_OK;
    for (size_t v = 0; v < x->from->count && !status; v++) {
        zl_variable old = x->from->variable[v];
        if (v >= known && !x->used[v]) continue;
        zl_quasi *a = zl_quasi_new(&x->to);
        if (!a) return ZLAY_ENOMEM;
        x->form[v] = a;
        if (v < known) zl_quasi_put(a, v, 1);
        else if (!old.den) zl_quasi_put(a, next++, 1);
        else {
            status = carry(x, a, old.num);
            if (!status) status = zl_quasi_divide(&x->to, a, old.den);
            if (!status) status = zl_quasi_floor(&x->to, a);
        }
    }
    return status;
}

static zlay_status carry_rows(relation *x, const zl_claim *claim, size_t outs)
{
    size_t known = x->from->params + x->from->dims;
    zl_guard guard = {0};
    bool possible = true;
    zl_quasi *a = zl_quasi_new(&x->to);
    zlay_status status = a ? ZLAY_OK : ZLAY_ENOMEM;
    for (size_t r = 0; r < claim->guard.count && !status; r++) {
        status = carry(x, a, claim->guard.row[r]);
        if (!status)
            status = zl_guard_put(&x->to, &guard, a, claim->guard.row[r]->equal, &possible);
    }
    for (size_t r = 0; r < outs && !status; r++) {
        status = carry(x, a, claim->value[r]);
        if (!status) zl_quasi_put(a, known + r, -1);
        if (!status) status = zl_guard_put(&x->to, &guard, a, true, &possible);
    }
    if (status || !possible) return status;
    return zl_claims_put(&x->claims, (zl_claim){guard, NULL});
}

static zlay_status ask(relation *x, zl_claims *to, const zl_claim *claim)
{
    zl_pieces p;
    find_used(x, claim, to->outs);
    zl_world_begin(&x->to, x->from->ctx, x->from->params, x->from->dims + to->outs + x->frees,
                   x->from->param);
    if (x->to.count > ZL_PIECE_VARIABLES)
        return zl_fail(x->from->ctx, ZLAY_ELIMIT, "more than %d variables",
                       (int)ZL_PIECE_VARIABLES);
    uint64_t *extent = zl_scratch(x->to.ctx, x->to.dims, sizeof *extent);
    zlay_status status = extent ? carry_variables(x, to->outs) : ZLAY_ENOMEM;
    if (!status) status = carry_rows(x, claim, to->outs);
    if (!status) status = zl_claims_dense(&x->claims, &p, extent, NULL);
    return status ? status : zl_isl_functions(to, &p, x->frees);
}

zlay_status zl_solve_by_isl(zl_claims *to, const zl_claim *claim)
{
    relation x = {.from = to->w};
    x.claims = (zl_claims){&x.to, 0, 0, 0, NULL};
    return ask(&x, to, claim);
}
