/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/presburger/claims.h"

#include "algebra/facts/facts.h"

#include <string.h>

zlay_status zl_claims_put(zl_claims *c, zl_claim claim)
{
    uint64_t most = zl_limits(c->w->ctx)->pieces;
    if (c->count >= most)
        return zl_fail(c->w->ctx, ZLAY_ELIMIT, "limits.pieces is %llu and there are more",
                       (unsigned long long)most);
    if (c->count == c->room) {
        size_t room = c->room ? 2 * c->room : 4;
        zl_claim *more = zl_world_take(c->w, room, sizeof *more);
        if (!more) return ZLAY_ENOMEM;
        if (c->count) memcpy(more, c->at, c->count * sizeof *more);
        c->at = more;
        c->room = room;
    }
    c->at[c->count++] = claim;
    return ZLAY_OK;
}

/* ---- to dense rows ---------------------------------------------------------------------- */

typedef struct dense {
    zl_world *w;
    size_t width, divs;
    bool used[ZL_PIECE_VARIABLES];
    size_t place[ZL_PIECE_VARIABLES]; /* of a variable among those that are used; 0: none yet */
    size_t order[ZL_PIECE_VARIABLES]; /* the divisions in their places */
} dense;

static void use(dense *d, const zl_row *row)
{
    for (size_t v = 0; v < row->used; v++) d->used[v] = d->used[v] || row->at[v];
}

static void use_all(dense *d, const zl_claims *c)
{
    for (size_t i = 0; i < c->count; i++) {
        for (size_t r = 0; r < c->at[i].guard.count; r++) use(d, c->at[i].guard.row[r]);
        for (size_t r = 0; r < c->outs; r++) use(d, c->at[i].value[r]);
    }
    for (size_t q = d->w->count; q-- > 0;)
        if (d->used[q] && d->w->variable[q].den) use(d, d->w->variable[q].num);
}

static bool is_new(const dense *d, size_t v) { return d->used[v] && !d->place[v]; }

/* The first division of a row that has no place yet; w->count: none. */
static size_t first_new(const dense *d, const zl_row *row)
{
    for (size_t v = d->w->params + d->w->dims; v < row->used; v++)
        if (row->at[v] && is_new(d, v)) return v;
    return d->w->count;
}

/* A division after those in it. */
static void place_division(dense *d, size_t q)
{
    size_t stack[ZL_PIECE_VARIABLES], depth = 1;
    for (stack[0] = q; depth;) {
        size_t top = stack[depth - 1], inner = first_new(d, d->w->variable[top].num);
        if (inner < d->w->count) {
            stack[depth++] = inner;
        } else {
            d->place[top] = d->width++ - 1;
            d->order[d->divs++] = top;
            depth--;
        }
    }
}

static void place_row(dense *d, const zl_row *row)
{
    for (size_t q; (q = first_new(d, row)) < d->w->count;) place_division(d, q);
}

/* In the order in which a text has them, so that reading what was printed numbers them alike. */
static void number(dense *d, const zl_claims *c)
{
    size_t known = d->w->params + d->w->dims;
    d->width = 1 + known;
    for (size_t v = 0; v < known; v++) d->place[v] = v;
    for (size_t i = 0; i < c->count; i++) {
        const zl_guard *g = &c->at[i].guard;
        for (size_t r = 0; r < c->outs; r++) place_row(d, c->at[i].value[r]);
        for (int equal = 1; equal >= 0; equal--)
            for (size_t r = 0; r < g->count; r++)
                if (g->row[r]->equal == equal) place_row(d, g->row[r]);
    }
}

static void write_row(const dense *d, int64_t *out, const zl_row *row)
{
    out[0] = row->constant;
    for (size_t v = 0; v < row->used; v++)
        if (row->at[v]) out[1 + d->place[v]] = row->at[v];
}

static bool write_divs(const dense *d, zl_pieces *p)
{
    int64_t *div = zl_world_take(d->w, d->divs * d->width, sizeof *div);
    int64_t *den = zl_world_take(d->w, d->divs, sizeof *den);
    if (!div || !den) return false;
    for (size_t at = 0; at < d->divs; at++) {
        write_row(d, div + at * d->width, d->w->variable[d->order[at]].num);
        den[at] = d->w->variable[d->order[at]].den;
    }
    p->div = div;
    p->den = den;
    return true;
}

static bool write_piece(const dense *d, zl_piece *piece, const zl_claim *claim, size_t outs)
{
    const zl_guard *g = &claim->guard;
    int64_t *guard = zl_world_take(d->w, g->count * d->width, sizeof *guard);
    int64_t *value = zl_world_take(d->w, outs * d->width, sizeof *value), *at = guard;
    if (!guard || !value) return false;
    *piece = (zl_piece){0, 0, guard, value};
    for (int equal = 1; equal >= 0; equal--)
        for (size_t r = 0; r < g->count; r++) {
            if (g->row[r]->equal != equal) continue;
            write_row(d, at, g->row[r]);
            at += d->width;
            piece->equals += equal != 0;
            piece->leasts += equal == 0;
        }
    for (size_t r = 0; r < outs; r++) write_row(d, value + r * d->width, claim->value[r]);
    return true;
}

zlay_status zl_claims_dense(zl_claims *c, zl_pieces *out, const uint64_t *extent,
                            const uint64_t *out_size)
{
    dense d = {.w = c->w};
    use_all(&d, c);
    number(&d, c);
    *out = (zl_pieces){c->w->params, c->w->dims, d.divs, c->outs, c->count, c->w->param,
                       extent,       out_size,   NULL,   NULL,    NULL};
    zl_piece *piece = zl_world_take(c->w, c->count, sizeof *piece);
    if (!piece || !write_divs(&d, out)) return ZLAY_ENOMEM;
    for (size_t i = 0; i < c->count; i++)
        if (!write_piece(&d, &piece[i], &c->at[i], c->outs)) return ZLAY_ENOMEM;
    out->piece = piece;
    return ZLAY_OK;
}

/* ---- from dense rows ----------------------------------------------------------------------- */

typedef struct import {
    zl_world *w;
    const zl_pieces *p;
    const zl_quasi **form; /* of every variable of p */
    zl_quasi *sum;
} import;

static zlay_status row_in(import *m, const int64_t *row, size_t count)
{
    zlay_status status = ZLAY_OK;
    zl_quasi_set(m->sum, row[0]);
    for (size_t v = 0; v < count && !status; v++)
        if (row[1 + v]) status = zl_quasi_add(m->w, m->sum, m->form[v], row[1 + v]);
    return status;
}

static zlay_status forms_in(import *m, const zl_quasi *const *known)
{
    size_t count = m->p->params + m->p->dims, width = zl_pieces_width(m->p);
    zlay_status status = ZLAY_OK;
    for (size_t v = 0; v < count + m->p->divs && !status; v++) {
        zl_quasi *a = zl_quasi_new(m->w);
        if (!a) return ZLAY_ENOMEM;
        m->form[v] = a;
        if (v < count) {
            if (known) m->form[v] = known[v];
            else zl_quasi_put(a, v, 1);
            continue;
        }
        status = row_in(m, m->p->div + (v - count) * width, v);
        zl_quasi_copy(a, m->sum);
        if (!status) status = zl_quasi_divide(m->w, a, m->p->den[v - count]);
        if (!status) status = zl_quasi_floor(m->w, a);
    }
    return status;
}

static zlay_status claim_in(import *m, zl_claims *c, const zl_piece *piece)
{
    size_t width = zl_pieces_width(m->p);
    bool possible = true;
    zl_claim claim = {{0}, zl_world_take(m->w, c->outs, sizeof *claim.value)};
    zlay_status status = claim.value ? ZLAY_OK : ZLAY_ENOMEM;
    for (size_t r = 0; r < piece->equals + piece->leasts && !status; r++) {
        status = row_in(m, piece->guard + r * width, width - 1);
        if (!status)
            status = zl_guard_put(m->w, &claim.guard, m->sum, r < piece->equals, &possible);
    }
    for (size_t r = 0; r < c->outs && !status; r++) {
        status = row_in(m, piece->value + r * width, width - 1);
        claim.value[r] = status ? NULL : zl_row_new(m->w, m->sum, false);
        if (!status && !claim.value[r]) status = ZLAY_ENOMEM;
    }
    return status || !possible ? status : zl_claims_put(c, claim);
}

zlay_status zl_claims_import(zl_claims *c, const zl_pieces *p, const zl_quasi *const *known)
{
    import m = {c->w, p, NULL, zl_quasi_new(c->w)};
    m.form = zl_world_take(c->w, zl_pieces_width(p), sizeof *m.form);
    if (!m.form || !m.sum) return ZLAY_ENOMEM;
    zlay_status status = forms_in(&m, known);
    for (size_t i = 0; i < p->count && !status; i++) status = claim_in(&m, c, &p->piece[i]);
    return status;
}

static zlay_status bound_one(zl_claims *c, zl_guard *guard, size_t d, uint64_t extent)
{
    bool possible = true;
    zl_quasi *a = zl_quasi_new(c->w);
    if (!a) return ZLAY_ENOMEM;
    zl_quasi_put(a, c->w->params + d, 1);
    zlay_status status = zl_guard_put(c->w, guard, a, false, &possible);
    zl_quasi_put(a, c->w->params + d, -1);
    a->constant = (int64_t)(extent - 1);
    if (!status) status = zl_guard_put(c->w, guard, a, false, &possible);
    zl_quasi_drop(c->w, a);
    return status;
}

zlay_status zl_claims_bound(zl_claims *c, const uint64_t *extent)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < c->count; i++)
        for (size_t d = 0; d < c->w->dims && !status; d++)
            if (extent[d]) status = bound_one(c, &c->at[i].guard, d, extent[d]);
    return status;
}

/* ---- what a guard says about single variables ---------------------------------------------- */

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

static void mark_row(bool *used, const zl_row *row)
{
    for (size_t v = 0; v < row->used; v++) used[v] = used[v] || row->at[v];
}

/* Divisions of the guard, and those in them: others say nothing about it. */
static void mark_guard(const zl_world *w, const zl_guard *guard, bool *used)
{
    for (size_t r = 0; r < guard->count; r++) mark_row(used, guard->row[r]);
    for (size_t q = w->count; q-- > w->params + w->dims;)
        if (used[q] && w->variable[q].den) mark_row(used, w->variable[q].num);
}

/* Where limits.work ends the call the ranges are wider than they could be. */
bool zl_guard_ranges(const zl_world *w, const zl_guard *guard, zlay_range *out)
{
    bool changed = true, used[ZL_PIECE_VARIABLES] = {false};
    if (zl_charge(w->ctx, (guard->count + 1) * w->count * STEPS_RANGE)) return true;
    mark_guard(w, guard, used);
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
