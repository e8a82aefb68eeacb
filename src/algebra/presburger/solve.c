/* SPDX-License-Identifier: Apache-2.0 */
/* Free variables that a guard determines: `2e = i` makes e floor(i / 2), and so do
 * 2e <= i and i <= 2e + 1.  A division that holds one is opened into a free variable of its own,
 * between its bounds, so that (i - o) mod 4 = 0 and 0 <= o < 4 makes o what it is. */
#include "algebra/presburger/quasi.h"

typedef struct solver {
    zl_world *w;
    zl_guard *guard;
    const zl_row **value;
    size_t outs;
    bool *possible;
    zl_quasi *a, *b;
    size_t openings;
} solver;

/* Whether v is in a division of the row. */
static bool is_inside(const solver *s, const zl_row *row, size_t v)
{
    for (size_t q = v + 1; q < row->used; q++)
        if (row->at[q] && s->w->variable[q].den && zl_row_has(s->w, s->w->variable[q].num, v))
            return true;
    return false;
}

static bool guard_has(const solver *s, size_t v)
{
    for (size_t r = 0; r < s->guard->count; r++)
        if (zl_row_has(s->w, s->guard->row[r], v)) return true;
    return false;
}

static bool values_have(const solver *s, size_t v)
{
    for (size_t r = 0; r < s->outs; r++)
        if (zl_row_has(s->w, s->value[r], v)) return true;
    return false;
}

/* ---- replacing --------------------------------------------------------------------------- */

static zlay_status replace_row(solver *s, zl_guard *out, const zl_row *row, size_t v,
                               const zl_quasi *to)
{
    if (!zl_row_has(s->w, row, v)) return zl_guard_put_row(s->w, out, row);
    zl_quasi *form = zl_quasi_new(s->w);
    if (!form) return ZLAY_ENOMEM;
    zl_quasi_of_row(form, row);
    zlay_status status = zl_quasi_replace(s->w, form, v, to);
    if (!status) status = zl_guard_put(s->w, out, form, row->equal, s->possible);
    zl_quasi_drop(s->w, form);
    return status;
}

static zlay_status replace_value(solver *s, size_t i, size_t v, const zl_quasi *to)
{
    if (!zl_row_has(s->w, s->value[i], v)) return ZLAY_OK;
    zl_quasi *form = zl_quasi_new(s->w);
    if (!form) return ZLAY_ENOMEM;
    zl_quasi_of_row(form, s->value[i]);
    zlay_status status = zl_quasi_replace(s->w, form, v, to);
    const zl_row *row = status ? NULL : zl_row_new(s->w, form, false);
    zl_quasi_drop(s->w, form);
    if (!row) return status ? status : ZLAY_ENOMEM;
    s->value[i] = row;
    return ZLAY_OK;
}

static zlay_status replace_all(solver *s, size_t v, const zl_quasi *to)
{
    zl_guard out = {0};
    zlay_status status = ZLAY_OK;
    for (size_t r = 0; r < s->guard->count && !status; r++)
        status = replace_row(s, &out, s->guard->row[r], v, to);
    for (size_t i = 0; i < s->outs && !status; i++) status = replace_value(s, i, v, to);
    *s->guard = out;
    return status;
}

/* ---- what says what a variable is --------------------------------------------------------- */

/* The equality with the least factor of v, and no division of it. */
static const zl_row *equality(const solver *s, size_t v)
{
    const zl_row *best = NULL;
    int64_t least = INT64_MAX;
    for (size_t r = 0; r < s->guard->count; r++) {
        const zl_row *row = s->guard->row[r];
        int64_t f = zl_row_factor(row, v);
        if (!row->equal || !f || f == INT64_MIN || is_inside(s, row, v)) continue;
        if ((f < 0 ? -f : f) >= least) continue;
        least = f < 0 ? -f : f;
        best = row;
    }
    return best;
}

/* Rows n v <= U and n v >= L with U - L < n: no more than one value is between. */
static bool is_tight(const zl_row *upper, const zl_row *lower, size_t v)
{
    int64_t n = zl_row_factor(lower, v), sum, slack;
    size_t used = upper->used > lower->used ? upper->used : lower->used;
    if (n <= 0 || zl_row_factor(upper, v) != -n) return false;
    for (size_t u = 0; u < used; u++)
        if (!zl_add(zl_row_factor(upper, u), zl_row_factor(lower, u), &sum) || sum) return false;
    return zl_add(upper->constant, lower->constant, &slack) && slack < n;
}

static const zl_row *tight_bound(const solver *s, size_t v)
{
    const zl_guard *g = s->guard;
    for (size_t r = 0; r < g->count; r++) {
        int64_t f = zl_row_factor(g->row[r], v);
        if (g->row[r]->equal || f >= 0 || f == INT64_MIN || is_inside(s, g->row[r], v)) continue;
        for (size_t l = 0; l < g->count; l++)
            if (!g->row[l]->equal && is_tight(g->row[r], g->row[l], v)) return g->row[r];
    }
    return NULL;
}

/* f v + R == 0 or >= 0 with f < 0: v is floor(R / -f). */
static zlay_status solve_by(solver *s, const zl_row *row, size_t v)
{
    int64_t f = row->at[v];
    zl_quasi_of_row(s->a, row);
    zl_quasi_put(s->a, v, 0);
    zlay_status status = f > 0 ? zl_quasi_scale(s->w, s->a, -1) : ZLAY_OK;
    if (!status) status = zl_quasi_divide(s->w, s->a, f < 0 ? -f : f);
    if (!status) status = zl_quasi_floor(s->w, s->a);
    return status ? status : replace_all(s, v, s->a);
}

/* ---- opening a division -------------------------------------------------------------------- */

static zlay_status between(solver *s, size_t q, size_t u)
{
    const zl_variable old = s->w->variable[q];
    int64_t room = old.den - 1, sum;
    zl_quasi_of_row(s->a, old.num);
    zl_quasi_put(s->a, u, -old.den);
    zlay_status status = zl_guard_put(s->w, s->guard, s->a, false, s->possible);
    if (!status) status = zl_quasi_scale(s->w, s->a, -1);
    if (!status && !zl_add(s->a->constant, room, &sum))
        status = zl_fail(s->w->ctx, ZLAY_EOVERFLOW, "a condition does not fit 64 bits");
    if (status) return status;
    s->a->constant = sum;
    return zl_guard_put(s->w, s->guard, s->a, false, s->possible);
}

/* The division q becomes a free variable u of its own. */
static zlay_status open_division(solver *s, size_t q)
{
    size_t u;
    zlay_status status = zl_world_free_variable(s->w, &u);
    if (status) return status;
    zl_quasi_set(s->b, 0);
    zl_quasi_put(s->b, u, 1);
    status = replace_all(s, q, s->b);
    return status ? status : between(s, q, u);
}

/* The first division with v in its numerator that a row has. */
static size_t division_with(const solver *s, size_t v)
{
    for (size_t q = v + 1; q < s->w->count; q++) {
        const zl_variable d = s->w->variable[q];
        if (d.den && v < d.num->used && d.num->at[v] && (guard_has(s, q) || values_have(s, q)))
            return q;
    }
    return 0;
}

static bool is_in_division(const solver *s, size_t v)
{
    for (size_t r = 0; r < s->guard->count; r++)
        if (is_inside(s, s->guard->row[r], v)) return true;
    return false;
}

/* ---- projecting out ------------------------------------------------------------------------ */

/* Every pair of bounds has a factor of 1, so the sum of the two says all that the pair says. */
static bool is_exact(const solver *s, size_t v)
{
    size_t lower = 0, upper = 0;
    bool wide_lower = false, wide_upper = false;
    for (size_t r = 0; r < s->guard->count; r++) {
        int64_t f = zl_row_factor(s->guard->row[r], v);
        if (!f) continue;
        if (s->guard->row[r]->equal || f == INT64_MIN) return false;
        if (f > 0) lower++, wide_lower = wide_lower || f > 1;
        else upper++, wide_upper = wide_upper || f < -1;
    }
    return !(wide_lower && wide_upper) && lower * upper <= 1024;
}

static zlay_status combine(solver *s, zl_guard *out, const zl_row *lower, const zl_row *upper,
                           size_t v)
{
    int64_t a = lower->at[v], b = -upper->at[v];
    zl_quasi_of_row(s->a, lower);
    zl_quasi_of_row(s->b, upper);
    zlay_status status = zl_quasi_scale(s->w, s->a, b);
    if (!status) status = zl_quasi_add(s->w, s->a, s->b, a);
    return status ? status : zl_guard_put(s->w, out, s->a, false, s->possible);
}

static zlay_status project(solver *s, size_t v)
{
    const zl_guard *g = s->guard;
    zl_guard out = {0};
    zlay_status status = ZLAY_OK;
    for (size_t r = 0; r < g->count && !status; r++) {
        int64_t f = zl_row_factor(g->row[r], v);
        if (!f) status = zl_guard_put_row(s->w, &out, g->row[r]);
        for (size_t l = 0; l < g->count && f > 0 && !status; l++)
            if (zl_row_factor(g->row[l], v) < 0) status = combine(s, &out, g->row[r], g->row[l], v);
    }
    if (!status) *s->guard = out;
    return status;
}

/* ---- one variable, all variables ----------------------------------------------------------- */

/* What may be done about a variable, the surest first. */
typedef enum step { UNIT, CLOSED, OPENING, CHAINED, PROJECTION, STEPS } step;

static bool is_free(const solver *s, size_t v)
{
    return !s->w->variable[v].den && (guard_has(s, v) || values_have(s, v));
}

static bool has_other(const solver *s, const zl_row *row, size_t v)
{
    for (size_t u = s->w->params + s->w->dims; u < s->w->count; u++)
        if (u != v && !s->w->variable[u].den && zl_row_has(s->w, row, u)) return true;
    return false;
}

/* A row that says what v is; at first only one without other free variables. */
static const zl_row *definition(const solver *s, size_t v, step now)
{
    const zl_row *row = equality(s, v);
    bool unit = row && (row->at[v] == 1 || row->at[v] == -1);
    if (now == UNIT) return unit ? row : NULL;
    const zl_row *bound = tight_bound(s, v);
    row = bound ? bound : row;
    return row && now == CLOSED && has_other(s, row, v) ? NULL : row;
}

enum { OPENINGS_MOST = 32 }; /* a division may come back from what its opening is solved by */

static zlay_status try_step(solver *s, size_t v, step now, bool *done)
{
    *done = true;
    if (now == OPENING) {
        size_t q = s->openings < OPENINGS_MOST ? division_with(s, v) : 0;
        s->openings += q > 0;
        if (q) return open_division(s, q);
    } else if (now == PROJECTION) {
        if (!values_have(s, v) && is_exact(s, v) && !is_in_division(s, v)) return project(s, v);
    } else {
        const zl_row *row = definition(s, v, now);
        if (row) return solve_by(s, row, v);
    }
    *done = false;
    return ZLAY_OK;
}

/* The first step that is possible for any variable. */
static zlay_status solve_round(solver *s, size_t first, bool *progress, size_t *left)
{
    zlay_status status = ZLAY_OK;
    *progress = false;
    for (int now = 0; now < STEPS && !status && !*progress; now++) {
        *left = 0;
        for (size_t v = first; v < s->w->count && !status && !*progress; v++) {
            if (!is_free(s, v)) continue;
            ++*left;
            status = try_step(s, v, (step)now, progress);
        }
    }
    return status;
}

zlay_status zl_solve(zl_world *w, zl_guard *guard, const zl_row **value, size_t outs, size_t first,
                     bool *possible, size_t *left)
{
    solver s = {w, guard, value, outs, possible, zl_quasi_new(w), zl_quasi_new(w), 0};
    size_t known = w->params + w->dims;
    bool progress = true;
    zlay_status status = s.a && s.b ? ZLAY_OK : ZLAY_ENOMEM;
    *left = 0;
    while (!status && progress && *possible)
        status = solve_round(&s, first > known ? first : known, &progress, left);
    zl_quasi_drop(w, s.a);
    zl_quasi_drop(w, s.b);
    return status;
}
