/* SPDX-License-Identifier: Apache-2.0 */
/* Floor divisions of a draft, each made once and in its shortest shape, and what forms reach. */
#include "algebra/presburger/draft.h"
#include "base/arith.h"

#include <string.h>

/* The divisor of a denominator n >= 1 and a factor that is not 0; most n are powers of two, whose
 * divisor is the lowest bit of either. */
static int64_t gcd(int64_t a, int64_t n)
{
    uint64_t low = (uint64_t)a & (0 - (uint64_t)a);
    if (!(n & (n - 1))) return low < (uint64_t)n ? (int64_t)low : n;
    return (int64_t)zl_gcd(zl_magnitude(a), (uint64_t)n);
}

/* ---- ranges: saturated bounds stay sound, an infinite one stays infinite ------------- */

static int64_t times(int64_t bound, int64_t factor, int64_t infinite)
{
    int64_t product;
    bool minus = (bound < 0) != (factor < 0);
    if (bound != infinite && zl_mul(bound, factor, &product)) return product;
    return minus ? INT64_MIN : INT64_MAX;
}

static zl_value_range scaled(zl_value_range r, int64_t factor)
{
    if (!factor) return (zl_value_range){0, 0};
    int64_t a = times(r.least, factor, INT64_MIN), b = times(r.greatest, factor, INT64_MAX);
    return factor < 0 ? (zl_value_range){b, a} : (zl_value_range){a, b};
}

static int64_t plus(int64_t a, int64_t b, int64_t infinite)
{
    int64_t sum;
    if (a == infinite || b == infinite) return infinite;
    if (zl_add(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static void widen(zl_value_range *to, zl_value_range by)
{
    to->least = plus(to->least, by.least, INT64_MIN);
    to->greatest = plus(to->greatest, by.greatest, INT64_MAX);
}

/* The ends of the sum of all terms; false where one has no bound or does not fit 64 bits. */
static bool exact_terms(const zl_draft *d, const zl_quasi *form, zl_value_range *out)
{
    int64_t least = form->constant, greatest = least, a, b;
    for (size_t v = 0; v < form->used; v++) {
        int64_t c = form->at[v];
        if (!c) continue;
        zl_value_range r = d->range[v];
        if (r.least == INT64_MIN || r.greatest == INT64_MAX) return false;
        if (!zl_mul(c, c < 0 ? r.greatest : r.least, &a) || !zl_add(least, a, &least)) return false;
        if (!zl_mul(c, c < 0 ? r.least : r.greatest, &b) || !zl_add(greatest, b, &greatest))
            return false;
    }
    *out = (zl_value_range){least, greatest};
    return true;
}

static zl_value_range by_terms(const zl_draft *d, const zl_quasi *form)
{
    zl_value_range r = {form->constant, form->constant};
    if (exact_terms(d, form, &r)) return r;
    for (size_t v = 0; v < form->used; v++)
        if (form->at[v]) widen(&r, scaled(d->range[v], form->at[v]));
    return r;
}

/* c (numerator - den floor(numerator / den)) lies in c [0, den): taken where the form has fewer
 * terms without the numerator. */
static bool take_whole(const zl_draft *d, zl_quasi *work, size_t q, zl_value_range *sum)
{
    const zl_row *num = d->w.variable[q].num;
    int64_t *at = work->at, den = d->w.variable[q].den, c = -(at[q] / den), term, rest, more = 0;
    if (at[q] % den) return false;
    if (!zl_mul(c, num->constant, &term) || !zl_sub(work->constant, term, &rest)) return false;
    for (size_t v = 0; v < num->used; v++) {
        if (!num->at[v]) continue;
        if (!zl_mul(c, num->at[v], &term) || !zl_sub(at[v], term, &rest)) return false;
        more += (rest != 0) - (at[v] != 0);
    }
    if (more >= 0) return false;
    work->constant -= c * num->constant;
    for (size_t v = 0; v < num->used; v++) at[v] -= c * num->at[v];
    at[q] = 0;
    widen(sum, scaled((zl_value_range){0, den - 1}, c));
    return true;
}

/* The floor divisions that a form has, the last one first. */
typedef struct divisions {
    size_t count;
    uint16_t q[ZL_PIECE_VARIABLES];
} divisions;

static void find_divisions(const zl_draft *d, const zl_quasi *form, divisions *out)
{
    out->count = 0;
    for (size_t v = form->used; v-- > zl_world_divisions(&d->w);)
        if (form->at[v]) out->q[out->count++] = (uint16_t)v;
}

/* c (floor(n / p) - m floor(n / pm)) lies in c [0, m). */
static bool take_pair(const zl_draft *d, zl_quasi *work, const divisions *list, size_t q,
                      zl_value_range *sum)
{
    const zl_variable *of = d->w.variable;
    int64_t *at = work->at;
    for (size_t i = list->count; i-- > 0;) {
        size_t p = list->q[i];
        if (p == q || !at[p] || of[q].den % of[p].den || !zl_row_same(of[p].num, of[q].num))
            continue;
        int64_t m = of[q].den / of[p].den, product;
        if (!zl_mul(at[p], -m, &product) || product != at[q]) continue;
        widen(sum, scaled((zl_value_range){0, m - 1}, at[p]));
        at[p] = at[q] = 0;
        return true;
    }
    return false;
}

static void narrow(zl_value_range *to, zl_value_range by)
{
    if (by.least > to->least) to->least = by.least;
    if (by.greatest < to->greatest) to->greatest = by.greatest;
}

void zl_draft_know(zl_draft *d, const zl_quasi *form, zl_value_range range)
{
    zl_quasi_copy(&d->known, form);
    d->known_range = range;
}

static bool is_known(const zl_draft *d, const zl_quasi *form)
{
    if (d->known_range.least == INT64_MIN && d->known_range.greatest == INT64_MAX) return false;
    return form->constant == d->known.constant && form->used == d->known.used &&
           !memcmp(form->at, d->known.at, form->used * sizeof *form->at);
}

/* The range by terms, with those of floor divisions that belong together taken as one; false where
 * none do.  A numerator that is taken may bring in divisions before its own, so the list is made
 * again. */
static bool by_divisions(const zl_draft *d, const zl_quasi *form, divisions *list,
                         zl_value_range *sum)
{
    zl_quasi work;
    bool taken = false;
    *sum = (zl_value_range){0, 0};
    zl_quasi_copy(&work, form);
    for (size_t i = 0; i < list->count;) {
        size_t q = list->q[i++];
        if (!work.at[q]) continue;
        bool whole = false, pair = take_pair(d, &work, list, q, sum);
        if (!pair) whole = take_whole(d, &work, q, sum);
        taken = taken || pair || whole;
        if (!whole) continue;
        find_divisions(d, &work, list);
        for (i = 0; i < list->count && list->q[i] >= q;) i++;
    }
    if (taken) widen(sum, by_terms(d, &work));
    return taken;
}

zl_value_range zl_draft_range(const zl_draft *d, const zl_quasi *form)
{
    divisions list;
    zl_value_range range = by_terms(d, form), closer;
    find_divisions(d, form, &list);
    if (list.count && by_divisions(d, form, &list, &closer)) narrow(&range, closer);
    if (is_known(d, form)) narrow(&range, d->known_range);
    return range;
}

/* ---- divisions ---------------------------------------------------------------------- */

typedef struct division {
    zl_draft *d;
    zl_quasi *out, rest;  /* out + floor(rest), whose denominator is rest's */
    zl_value_range range; /* of rest's numerator, where drop_low was last asked for all of it */
    bool done;            /* nothing is left in rest */
} division;

/* a / n towards 0; most denominators are powers of two, which need no division. */
static int64_t quotient_of(int64_t a, int64_t n)
{
    if (n & (n - 1)) return a / n;
    return (a + (a < 0 ? n - 1 : 0)) >> __builtin_ctzll((uint64_t)n);
}

/* floor((n q + r) / n) = q + floor(r / n). */
static zlay_status take_quotients(division *w)
{
    zl_quasi *rest = &w->rest, *out = w->out;
    int64_t den = rest->den, whole = quotient_of(rest->constant, den);
    whole -= whole * den > rest->constant;
    bool fits = zl_add(out->constant, whole, &out->constant);
    rest->constant -= whole * den;
    zl_quasi_widen(out, rest->used);
    for (size_t v = 0; v < rest->used; v++) {
        if (zl_magnitude(rest->at[v]) < (uint64_t)den) continue;
        whole = quotient_of(rest->at[v], den);
        fits = zl_add(out->at[v], whole, &out->at[v]) && fits;
        rest->at[v] -= whole * den;
    }
    zl_quasi_trim(rest);
    if (fits) return ZLAY_OK;
    return zl_fail(w->d->w.ctx, ZLAY_EOVERFLOW, "a coefficient does not fit 64 bits");
}

/* floor((g h + l) / g m) = floor((h + floor(l / g)) / m), where floor(l / g) is one number. */
static bool drop_low(division *w, int64_t g)
{
    zl_quasi low, *rest = &w->rest;
    int64_t rem = zl_floor_mod(rest->constant, g), sum;
    zl_quasi_set(&low, rem);
    low.used = rest->used;
    for (size_t v = 0; v < rest->used; v++) {
        int64_t c = rest->at[v];
        low.at[v] = c && c % g ? c : 0;
    }
    zl_quasi_trim(&low);
    zl_value_range r = zl_draft_range(w->d, &low);
    if (g == rest->den) w->range = r;
    if (r.least == INT64_MIN || r.greatest == INT64_MAX) return false;
    int64_t step = zl_floor_div(r.least, g);
    if (step != zl_floor_div(r.greatest, g)) return false;
    if (!zl_add(rest->constant - rem, step * g, &sum)) return false;
    for (size_t v = 0; v < low.used; v++) rest->at[v] -= low.at[v];
    zl_quasi_trim(rest);
    rest->constant = sum;
    zl_quasi_cancel(rest, g);
    return true;
}

static bool take_low(division *w)
{
    int64_t before = 1; /* a divisor that drops nothing */
    for (size_t v = 0; v < w->rest.used; v++) {
        int64_t g = w->rest.at[v] ? gcd(w->rest.at[v], w->rest.den) : 1;
        if (g == 1 || g == before) continue;
        if (drop_low(w, g)) return true;
        before = g;
    }
    return drop_low(w, w->rest.den);
}

/* floor((floor(n / m) + c) / den) = floor((n + c m) / (m den)). */
static bool take_nested(division *w)
{
    const zl_world *of = &w->d->w;
    size_t first = zl_world_divisions(of), q = 0;
    int64_t c, den;
    for (size_t v = 0; v < w->rest.used; v++)
        if (w->rest.at[v]) {
            if (v < first || w->rest.at[v] != 1 || q) return false;
            q = v;
        }
    if (!w->rest.used) return false;
    const zl_variable *inner = &of->variable[q];
    if (!zl_mul(w->rest.constant, inner->den, &c) || !zl_add(inner->num->constant, c, &c))
        return false;
    if (!zl_mul(w->rest.den, inner->den, &den)) return false;
    zl_quasi_of_row(&w->rest, inner->num);
    w->rest.constant = c;
    w->rest.den = den;
    return true;
}

static zlay_status shorten(division *w)
{
    zlay_status status;
    do {
        if ((status = take_quotients(w))) return status;
        w->done = w->rest.den == 1;
    } while (!w->done && (zl_quasi_reduce(&w->rest) || take_low(w) || take_nested(w)));
    return ZLAY_OK;
}

/* The variable of the division, whose range is known when it is new. */
static zlay_status find_or_append(division *w, size_t *v)
{
    zl_value_range r = w->range;
    size_t before = w->d->w.count;
    zlay_status status = zl_world_division(&w->d->w, &w->rest, v);
    if (status || *v < before) return status;
    if (r.least != INT64_MIN) r.least = zl_floor_div(r.least, w->rest.den);
    if (r.greatest != INT64_MAX) r.greatest = zl_floor_div(r.greatest, w->rest.den);
    w->d->range[*v] = r;
    return ZLAY_OK;
}

zlay_status zl_draft_div(zl_draft *d, zl_quasi *out, const zl_quasi *form, int64_t den)
{
    division w;
    size_t v = 0;
    w.d = d;
    w.out = out;
    w.done = false;
    zl_quasi_copy(&w.rest, form);
    w.rest.den = den;
    zl_quasi_set(out, 0);
    zlay_status status = shorten(&w);
    if (!status && !w.done) status = find_or_append(&w, &v);
    if (!status && !w.done) zl_quasi_put(out, v, v < out->used ? out->at[v] + 1 : 1);
    else zl_quasi_trim(out);
    return status;
}

zlay_status zl_draft_mod(zl_draft *d, zl_quasi *out, const zl_quasi *form, int64_t den)
{
    zl_quasi quotient;
    zlay_status status = zl_draft_div(d, &quotient, form, den);
    if (out != form) zl_quasi_copy(out, form);
    return status ? status : zl_quasi_add(&d->w, out, &quotient, -den);
}
