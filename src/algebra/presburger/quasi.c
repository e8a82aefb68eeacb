/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/presburger/quasi.h"
#include "base/arith.h"

#include <string.h>

/* ---- worlds -------------------------------------------------------------------------- */

void zl_world_begin(zl_world *w, zlay_ctx *ctx, size_t params, size_t dims, const zl_name *param)
{
    w->ctx = ctx;
    w->idle = NULL;
    w->param = param;
    zl_world_known(w, params, dims);
}

/* Variables behind the count are not written before they are made. */
void zl_world_known(zl_world *w, size_t params, size_t dims)
{
    size_t known = params + dims < ZL_PIECE_VARIABLES ? params + dims : ZL_PIECE_VARIABLES;
    w->params = params;
    w->dims = dims;
    w->count = params + dims;
    memset(w->variable, 0, known * sizeof *w->variable);
}

static zlay_status new_variable(zl_world *w, size_t *v)
{
    if (w->count == ZL_PIECE_VARIABLES)
        return zl_fail(w->ctx, ZLAY_ELIMIT, "more than %d parameters, dimensions and divisions",
                       (int)ZL_PIECE_VARIABLES);
    *v = w->count++;
    w->variable[*v] = (zl_variable){0, NULL};
    return ZLAY_OK;
}

zlay_status zl_world_free_variable(zl_world *w, size_t *v) { return new_variable(w, v); }

/* ---- forms ---------------------------------------------------------------------------- */

static zlay_status overflow(zl_world *w)
{
    return zl_fail(w->ctx, ZLAY_EOVERFLOW, "a coefficient does not fit 64 bits");
}

zl_quasi *zl_quasi_new(zl_world *w)
{
    zl_quasi *a = w->idle;
    if (a) w->idle = a->next;
    else a = zl_scratch_plain(w->ctx, 1, sizeof *a);
    if (a) zl_quasi_set(a, 0);
    return a;
}

void zl_quasi_drop(zl_world *w, zl_quasi *a)
{
    if (!a) return;
    a->next = w->idle;
    w->idle = a;
}

void zl_quasi_of_row(zl_quasi *a, const zl_row *row)
{
    a->used = row->used;
    a->constant = row->constant;
    a->den = 1;
    memcpy(a->at, row->at, row->used * sizeof *row->at);
}

bool zl_quasi_is_constant(const zl_quasi *a) { return !a->used; }

zlay_status zl_quasi_scale(zl_world *w, zl_quasi *a, int64_t factor)
{
    bool fits = zl_mul(a->constant, factor, &a->constant);
    for (size_t v = 0; v < a->used; v++) fits = zl_mul(a->at[v], factor, &a->at[v]) && fits;
    zl_quasi_trim(a);
    return fits ? ZLAY_OK : overflow(w);
}

/* a + factor * b, both over one denominator.  Most coefficients are 0. */
static zlay_status add_integers(zl_world *w, zl_quasi *a, const zl_quasi *b, int64_t factor)
{
    int64_t term;
    bool fits = zl_mul(b->constant, factor, &term) && zl_add(a->constant, term, &a->constant);
    zl_quasi_widen(a, b->used);
    for (size_t v = 0; v < b->used; v++)
        if (b->at[v])
            fits = zl_mul(b->at[v], factor, &term) && zl_add(a->at[v], term, &a->at[v]) && fits;
    zl_quasi_trim(a);
    return fits ? ZLAY_OK : overflow(w);
}

zlay_status zl_quasi_add(zl_world *w, zl_quasi *a, const zl_quasi *b, int64_t factor)
{
    if (a->den == b->den) return add_integers(w, a, b, factor);
    int64_t common = (int64_t)zl_gcd((uint64_t)a->den, (uint64_t)b->den);
    int64_t more = b->den / common, den;
    if (!zl_mul(a->den, more, &den) || !zl_mul(factor, a->den / common, &factor))
        return overflow(w);
    zlay_status status = zl_quasi_scale(w, a, more);
    a->den = den;
    return status ? status : add_integers(w, a, b, factor);
}

zlay_status zl_quasi_divide(zl_world *w, zl_quasi *a, int64_t by)
{
    return zl_mul(a->den, by, &a->den) ? ZLAY_OK : overflow(w);
}

/* ---- floor divisions -------------------------------------------------------------------- */

static bool same_row(const zl_row *row, const zl_quasi *a)
{
    return row->used == a->used && row->constant == a->constant &&
           !memcmp(row->at, a->at, a->used * sizeof *a->at);
}

static uint64_t direction_of(const zl_quasi *a)
{
    uint64_t hash = 0, sign = 0;
    for (size_t v = 0; v < a->used; v++) {
        uint64_t x = (uint64_t)a->at[v];
        if (!x) continue;
        if (!sign) sign = a->at[v] < 0 ? UINT64_MAX : 1;
        hash = (hash ^ (x * sign + ((uint64_t)v << 48))) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

bool zl_row_same(const zl_row *a, const zl_row *b)
{
    return a->direction == b->direction && a->used == b->used && a->constant == b->constant &&
           !memcmp(a->at, b->at, a->used * sizeof *a->at);
}

const zl_row *zl_row_new(zl_world *w, const zl_quasi *a, bool equal)
{
    zl_row *row = zl_scratch_plain(w->ctx, 1, sizeof *row + a->used * sizeof *a->at);
    if (!row) return NULL;
    row->used = a->used;
    row->direction = direction_of(a);
    row->equal = equal;
    row->constant = a->constant;
    memcpy(row->at, a->at, a->used * sizeof *a->at);
    return row;
}

zlay_status zl_world_division(zl_world *w, const zl_quasi *a, size_t *v)
{
    for (*v = w->params + w->dims; *v < w->count; ++*v)
        if (w->variable[*v].den == a->den && same_row(w->variable[*v].num, a)) return ZLAY_OK;
    const zl_row *num = zl_row_new(w, a, false);
    if (!num) return ZLAY_ENOMEM;
    zlay_status status = new_variable(w, v);
    if (!status) w->variable[*v] = (zl_variable){a->den, num};
    return status;
}

/* Most denominators are powers of two, whose divisor is the lowest bit of either. */
static uint64_t gcd(int64_t a, uint64_t n)
{
    uint64_t low = (uint64_t)a & (0 - (uint64_t)a);
    if (!(n & (n - 1))) return a && low < n ? low : n;
    return zl_gcd(zl_magnitude(a), n);
}

void zl_quasi_cancel(zl_quasi *a, int64_t g)
{
    a->den /= g;
    a->constant = zl_floor_div(a->constant, g);
    for (size_t v = 0; v < a->used; v++)
        if (a->at[v]) a->at[v] /= g;
}

bool zl_quasi_reduce(zl_quasi *a)
{
    uint64_t common = (uint64_t)a->den;
    for (size_t v = 0; v < a->used && common > 1; v++)
        if (a->at[v]) common = gcd(a->at[v], common);
    if (common > 1) zl_quasi_cancel(a, (int64_t)common);
    return common > 1;
}

/* floor((floor(R / m) + c) / n) = floor((R + m c) / (m n)) */
static zlay_status unnest(zl_world *w, zl_quasi *a)
{
    while (a->used > w->params + w->dims && a->at[a->used - 1] == 1) {
        zl_variable inner = w->variable[a->used - 1];
        int64_t c = a->constant, den;
        for (size_t v = 0; v + 1 < a->used; v++)
            if (a->at[v]) return ZLAY_OK;
        if (!inner.den || !zl_mul(inner.den, a->den, &den) || !zl_mul(c, inner.den, &c))
            return ZLAY_OK;
        if (!zl_add(c, inner.num->constant, &c)) return ZLAY_OK;
        zl_quasi_of_row(a, inner.num);
        a->constant = c;
        a->den = den;
    }
    return ZLAY_OK;
}

/* Whole multiples of the denominator leave the division: what stays in `a` is in (-den, den). */
static void split(zl_quasi *whole, zl_quasi *a)
{
    zl_quasi_set(whole, zl_floor_div(a->constant, a->den));
    a->constant = zl_floor_mod(a->constant, a->den);
    zl_quasi_widen(whole, a->used);
    for (size_t v = 0; v < a->used; v++) {
        whole->at[v] = a->at[v] / a->den;
        a->at[v] %= a->den;
    }
    zl_quasi_trim(whole);
    zl_quasi_trim(a);
}

static zlay_status floor_parts(zl_world *w, zl_quasi *a, zl_quasi *whole)
{
    size_t v;
    split(whole, a);
    if (!a->used) {
        zl_quasi_copy(a, whole);
        return ZLAY_OK;
    }
    zlay_status status = unnest(w, a);
    if (!status) zl_quasi_reduce(a);
    if (!status) status = zl_world_division(w, a, &v);
    if (status) return status;
    zl_quasi_widen(whole, v + 1);
    bool fits = zl_add(whole->at[v], 1, &whole->at[v]);
    zl_quasi_copy(a, whole);
    return fits ? ZLAY_OK : overflow(w);
}

zlay_status zl_quasi_floor(zl_world *w, zl_quasi *a)
{
    zl_quasi_reduce(a);
    if (a->den == 1) return ZLAY_OK;
    zl_quasi *whole = zl_quasi_new(w);
    if (!whole) return ZLAY_ENOMEM;
    zlay_status status = floor_parts(w, a, whole);
    zl_quasi_drop(w, whole);
    return status;
}

/* a - by * floor(a / by) */
zlay_status zl_quasi_mod(zl_world *w, zl_quasi *a, int64_t by)
{
    zl_quasi *part = zl_quasi_new(w);
    int64_t minus;
    if (!part) return ZLAY_ENOMEM;
    zl_quasi_copy(part, a);
    zlay_status status = zl_quasi_divide(w, part, by);
    if (!status) status = zl_quasi_floor(w, part);
    if (!status) status = zl_sub(0, by, &minus) ? zl_quasi_add(w, a, part, minus) : overflow(w);
    zl_quasi_drop(w, part);
    return status;
}

/* ---- substitution ------------------------------------------------------------------------ */

void zl_world_mark(const zl_world *w, bool *used)
{
    for (size_t q = w->count; q-- > zl_world_divisions(w);)
        if (used[q] && w->variable[q].den) zl_row_mark(w->variable[q].num, used);
}

bool zl_row_has(const zl_world *w, const zl_row *row, size_t v)
{
    bool in[ZL_PIECE_VARIABLES] = {false};
    if (v < row->used) in[v] = true;
    for (size_t q = v + 1; q < row->used; q++) {
        const zl_row *num = w->variable[q].den ? w->variable[q].num : NULL;
        for (size_t u = v; num && u < num->used && u < q && !in[q]; u++)
            in[q] = in[u] && num->at[u];
    }
    for (size_t u = v; u < row->used; u++)
        if (in[u] && row->at[u]) return true;
    return false;
}

typedef struct swap {
    zl_world *w;
    size_t first, count;
    const zl_quasi *to[ZL_PIECE_VARIABLES]; /* NULL: it stays */
    bool used[ZL_PIECE_VARIABLES];          /* by the form, or by a division of it */
} swap;

static void find_used(swap *s, const zl_quasi *a)
{
    for (size_t v = 0; v < s->count; v++) s->used[v] = a->at[v];
    for (size_t q = s->count; q-- > s->first;) {
        const zl_row *num = s->used[q] && s->w->variable[q].den ? s->w->variable[q].num : NULL;
        for (size_t v = 0; num && v < num->used; v++) s->used[v] = s->used[v] || num->at[v];
    }
}

static zlay_status swap_in(swap *s, zl_quasi *a)
{
    zlay_status status = ZLAY_OK;
    for (size_t v = s->first; v < a->used && v < s->count && !status; v++) {
        int64_t factor = a->at[v];
        if (!factor || !s->to[v]) continue;
        a->at[v] = 0;
        status = zl_quasi_add(s->w, a, s->to[v], factor);
    }
    zl_quasi_trim(a);
    return status;
}

static bool is_touched(const swap *s, const zl_row *row)
{
    for (size_t v = s->first; v < row->used; v++)
        if (row->at[v] && s->to[v]) return true;
    return false;
}

static zlay_status swap_division(swap *s, size_t q)
{
    zl_variable old = s->w->variable[q];
    if (!s->used[q] || !old.den || !is_touched(s, old.num)) return ZLAY_OK;
    zl_quasi *a = zl_quasi_new(s->w);
    if (!a) return ZLAY_ENOMEM;
    zl_quasi_of_row(a, old.num);
    zlay_status status = swap_in(s, a);
    a->den = old.den;
    if (!status) status = zl_quasi_floor(s->w, a);
    s->to[q] = a;
    return status;
}

/* Divisions have earlier variables only, so one pass upwards reaches all of them. */
zlay_status zl_quasi_replace(zl_world *w, zl_quasi *a, size_t v, const zl_quasi *to)
{
    swap s = {.w = w, .first = v, .count = a->used};
    zlay_status status = ZLAY_OK;
    if (v >= a->used) return ZLAY_OK;
    s.to[v] = to;
    find_used(&s, a);
    for (size_t q = v + 1; q < s.count && !status; q++) status = swap_division(&s, q);
    if (!status) status = swap_in(&s, a);
    for (size_t q = v + 1; q < s.count; q++) zl_quasi_drop(w, (zl_quasi *)(uintptr_t)s.to[q]);
    return status;
}
