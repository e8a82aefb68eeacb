/* SPDX-License-Identifier: Apache-2.0 */
/* What a guard says about every variable by itself: intervals with congruences, narrowed by each
 * row and each floor division in turn until none changes. */
#include "algebra/presburger/quasi.h"
#include "algebra/facts/facts.h"

#include <string.h>

zlay_range *zl_world_ranges(zl_world *w)
{
    zlay_range *range = zl_scratch(w->ctx, ZL_PIECE_VARIABLES, sizeof *range);
    for (size_t v = 0; range && v < ZL_PIECE_VARIABLES; v++) range[v] = zl_range_all();
    return range;
}

static zlay_range term_sum(const zl_row *row, const zlay_range *range, size_t without)
{
    zlay_range sum = zl_range_constant(row->constant);
    for (size_t v = 0; v < row->used; v++)
        if (row->at[v] && v != without)
            sum = zl_range_add(sum, zl_range_scale(range[v], row->at[v]));
    return sum;
}

zlay_range zl_row_range(const zl_row *row, const zlay_range *range)
{
    return term_sum(row, range, SIZE_MAX);
}

/* c q = (c / den) (num - r) with r in [0, den - 1]: the row without q, where den divides c. */
static bool without_division(zl_quasi *a, const zl_variable *d, size_t q, zlay_range *rest)
{
    int64_t factor = a->at[q] / d->den, term;
    if (a->at[q] % d->den || factor == INT64_MIN) return false;
    a->at[q] = 0;
    for (size_t v = 0; v < d->num->used; v++)
        if (!zl_mul(factor, d->num->at[v], &term) || !zl_add(a->at[v], term, &a->at[v]))
            return false;
    zlay_range num = zl_range_scale(zl_range_constant(d->num->constant), factor);
    zlay_range over = zl_range_scale(zl_range_between(0, d->den - 1), factor);
    *rest = zl_range_add(*rest, zl_range_add(num, zl_range_scale(over, -1)));
    return true;
}

static zlay_range form_range(const zl_quasi *a, const zlay_range *range, zlay_range rest)
{
    for (size_t v = 0; v < a->used; v++)
        if (a->at[v]) rest = zl_range_add(rest, zl_range_scale(range[v], a->at[v]));
    return rest;
}

zlay_range zl_row_reach(const zl_world *w, const zl_row *row, const zlay_range *range)
{
    zl_quasi a;
    zlay_range reach = zl_row_range(row, range), rest = zl_range_constant(row->constant);
    zl_quasi_of_row(&a, row);
    for (size_t q = a.used; q-- > w->params + w->dims;) {
        if (!a.at[q] || !w->variable[q].den) continue;
        if (!without_division(&a, &w->variable[q], q, &rest)) return reach;
        reach = zl_range_meet(reach, form_range(&a, range, rest));
    }
    return reach;
}

static bool narrow(zlay_range *range, zlay_range by, bool *changed)
{
    zlay_range met = zl_range_meet(*range, by);
    *changed = *changed || memcmp(&met, range, sizeof met);
    *range = met;
    return !zl_range_is_empty(met);
}

/* factor * v + rest >= 0, or == 0 */
static bool narrow_term(zlay_range *range, int64_t factor, zlay_range rest, bool equal,
                        bool *changed)
{
    if (equal) return narrow(range, zl_range_solve_zero(factor, rest), changed);
    if (factor == INT64_MIN) return true;
    return narrow(range, zl_range_solve_least(-factor, zl_range_scale(rest, -1)), changed);
}

static bool narrow_row(const zl_row *row, zlay_range *range, bool *changed)
{
    for (size_t v = 0; v < row->used; v++)
        if (row->at[v] && !narrow_term(&range[v], row->at[v], term_sum(row, range, v), row->equal,
                                       changed))
            return false;
    return true;
}

/* den q <= num <= den q + den - 1 */
static bool narrow_division(const zl_variable *d, zlay_range *range, size_t q, bool *changed)
{
    zlay_range den = zl_range_constant(d->den);
    if (!narrow(&range[q], zl_range_floor_div(zl_row_range(d->num, range), den), changed))
        return false;
    zlay_range num = zl_range_add(zl_range_scale(range[q], d->den),
                                  zl_range_between(0, d->den - 1));
    for (size_t v = 0; v < d->num->used; v++) {
        zlay_range rest = zl_range_add(term_sum(d->num, range, v), zl_range_scale(num, -1));
        if (d->num->at[v] && !narrow_term(&range[v], d->num->at[v], rest, true, changed))
            return false;
    }
    return true;
}

enum { ROUNDS = 8, STEPS_RANGE = 16 };

/* Where limits.work ends the call the ranges are wider than they could be. */
bool zl_guard_ranges(const zl_world *w, const zl_guard *guard, zlay_range *out)
{
    bool changed = true, used[ZL_PIECE_VARIABLES] = {false};
    if (zl_charge(w->ctx, (guard->count + 1) * w->count * STEPS_RANGE)) return true;
    for (size_t r = 0; r < guard->count; r++) zl_row_mark(guard->row[r], used);
    zl_world_mark(w, used); /* others say nothing about it */
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = false;
        for (size_t r = 0; r < guard->count; r++)
            if (!narrow_row(guard->row[r], out, &changed)) return false;
        for (size_t q = w->params + w->dims; q < w->count; q++)
            if (used[q] && w->variable[q].den &&
                !narrow_division(&w->variable[q], out, q, &changed))
                return false;
    }
    return true;
}
