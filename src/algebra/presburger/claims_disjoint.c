/* SPDX-License-Identifier: Apache-2.0 */
/* Guards that overlap are cut apart where their values agree, and refused where they do not. */
#include "algebra/presburger/claims.h"
#include "algebra/facts/facts.h"


typedef struct apart {
    zl_claims *c;
    const zl_claims *from;
    zlay_range *range; /* a row of w->count for each claim of `from` */
    size_t width;
} apart;

static bool ranges_part(const apart *d, size_t i, size_t j)
{
    const zlay_range *a = d->range + i * d->width, *b = d->range + j * d->width;
    for (size_t v = 0; v < d->width; v++)
        if (a[v].lo > b[v].hi || b[v].lo > a[v].hi) return true;
    return false;
}

static bool same_values(const zl_claim *a, const zl_claim *b, size_t outs)
{
    for (size_t r = 0; r < outs; r++)
        if (!zl_row_same(a->value[r], b->value[r])) return false;
    return true;
}

/* Both guards and one output that differs, above or below: a case each. */
static zlay_status put_difference(zl_world *w, zl_cases *out, const zl_guard *both,
                                  const zl_row *a, const zl_row *b, zl_quasi *form)
{
    zlay_status status = ZLAY_OK;
    for (int turn = 0; turn < 2 && !status; turn++) {
        zl_guard guard = {0};
        zl_quasi *minus = zl_quasi_new(w);
        bool possible = true;
        if (!minus) return ZLAY_ENOMEM;
        zl_quasi_of_row(form, turn ? a : b);
        zl_quasi_of_row(minus, turn ? b : a);
        status = zl_quasi_add(w, form, minus, -1);
        zl_quasi_drop(w, minus);
        if (!status && !zl_sub(form->constant, 1, &form->constant))
            return zl_fail(w->ctx, ZLAY_EOVERFLOW, "a value does not fit 64 bits");
        if (!status) status = zl_guard_put_all(w, &guard, both);
        if (!status) status = zl_guard_put(w, &guard, form, false, &possible);
        if (!status && possible) status = zl_cases_put(w, out, guard);
    }
    return status;
}

static zlay_status refuse(apart *d, const int64_t *at)
{
    char list[512];
    zl_text text = {list, sizeof list - 1, 0};
    for (size_t i = 0; i < d->c->w->dims; i++)
        zl_putf(&text, "%s%lld", i ? ", " : "", (long long)at[i]);
    list[text.need < sizeof list ? text.need : sizeof list - 1] = 0;
    return zl_fail(d->c->w->ctx, ZLAY_EINVAL, "two pieces have different values at [%s]", list);
}

/* ELIMIT where it stays undecided. */
static zlay_status decide(apart *d, const zl_cases *cases, bool *empty, int64_t *at)
{
    zlay_answer answer;
    zlay_status status = zl_cases_empty(d->c->w, cases, &answer, at);
    *empty = answer == ZLAY_YES;
    return status ? status : answer == ZLAY_UNDECIDED ? ZLAY_ELIMIT : ZLAY_OK;
}

static zlay_status check_values(apart *d, const zl_claim *a, const zl_claim *b,
                                const zl_guard *both)
{
    int64_t at[ZL_PIECE_VARIABLES];
    zl_cases differ = {0};
    bool empty;
    zl_quasi *form = zl_quasi_new(d->c->w);
    zlay_status status = form ? ZLAY_OK : ZLAY_ENOMEM;
    if (same_values(a, b, d->c->outs)) return status;
    for (size_t r = 0; r < d->c->outs && !status; r++)
        status = put_difference(d->c->w, &differ, both, a->value[r], b->value[r], form);
    zl_quasi_drop(d->c->w, form);
    if (!status) status = decide(d, &differ, &empty, at);
    return status ? status : empty ? ZLAY_OK : refuse(d, at);
}

static zlay_status is_empty(apart *d, const zl_guard *a, const zl_guard *b, zl_guard *both,
                            bool *empty)
{
    int64_t at[ZL_PIECE_VARIABLES];
    zl_cases one = {0};
    *both = (zl_guard){0};
    *empty = true;
    zlay_status status = zl_guard_put_all(d->c->w, both, a);
    if (!status && b) status = zl_guard_put_all(d->c->w, both, b);
    if (!status) status = zl_cases_put(d->c->w, &one, *both);
    return status ? status : decide(d, &one, empty, at);
}

/* What is left of one part when guard i is taken away; parts without a point are not kept. */
static zlay_status cut_part(apart *d, zl_cases *out, const zl_guard *part, size_t i)
{
    zl_cases rest;
    zl_guard copy;
    bool empty;
    zlay_status status = zl_cases_true(d->c->w, &rest);
    if (!status) status = zl_cases_without(d->c->w, &rest, &d->from->at[i].guard);
    for (size_t k = 0; k < rest.count && !status; k++) {
        status = is_empty(d, part, &rest.at[k], &copy, &empty);
        if (!status && !empty) status = zl_cases_put(d->c->w, out, copy);
    }
    return status;
}

/* Take guard i away from the parts of guard j that meet it. */
static zlay_status cut(apart *d, zl_cases *parts, size_t i, size_t j)
{
    const zl_claim *a = &d->from->at[i], *b = &d->from->at[j];
    zl_cases out = {0};
    zlay_status status = ZLAY_OK;
    for (size_t k = 0; k < parts->count && !status; k++) {
        zl_guard both;
        bool empty;
        status = is_empty(d, &a->guard, &parts->at[k], &both, &empty);
        if (!status && !empty) status = check_values(d, a, b, &both);
        if (status) return status;
        status = empty ? zl_cases_put(d->c->w, &out, parts->at[k])
                       : cut_part(d, &out, &parts->at[k], i);
    }
    *parts = out;
    return status;
}

static zlay_status settle(apart *d, size_t j)
{
    zl_cases parts = {0};
    zl_guard own = {0};
    zlay_status status = zl_guard_put_all(d->c->w, &own, &d->from->at[j].guard);
    if (!status) status = zl_cases_put(d->c->w, &parts, own);
    for (size_t i = 0; i < j && !status; i++)
        if (!ranges_part(d, i, j) &&
            !zl_guards_contradict(&d->from->at[i].guard, &d->from->at[j].guard))
            status = cut(d, &parts, i, j);
    for (size_t k = 0; k < parts.count && !status; k++)
        status = zl_claims_put(d->c, (zl_claim){parts.at[k], d->from->at[j].value});
    return status;
}

/* The claims that may hold, with the ranges of their guards. */
static zlay_status possible_claims(apart *d, zl_claims *out)
{
    zlay_status status = ZLAY_OK;
    d->width = d->c->w->count;
    d->range = zl_scratch(d->c->w->ctx, d->c->count * d->width, sizeof *d->range);
    if (!d->range) return ZLAY_ENOMEM;
    for (size_t i = 0; i < d->c->count && !status; i++) {
        zlay_range *range = d->range + out->count * d->width;
        for (size_t v = 0; v < d->width; v++) range[v] = zl_range_all();
        if (zl_guard_ranges(d->c->w, &d->c->at[i].guard, range))
            status = zl_claims_put(out, d->c->at[i]);
    }
    return status;
}

zlay_status zl_claims_disjoint(zl_claims *c)
{
    zl_claims from = {c->w, c->outs, 0, 0, NULL};
    apart d = {.c = c, .from = &from};
    zlay_status status = possible_claims(&d, &from);
    c->count = c->room = 0;
    for (size_t j = 0; j < from.count && !status; j++) status = settle(&d, j);
    return status;
}
