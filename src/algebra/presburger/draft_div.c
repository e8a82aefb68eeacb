/* SPDX-License-Identifier: Apache-2.0 */
/* Floor divisions of a draft, each made once and in its shortest shape, and what forms reach. */
#include "algebra/presburger/draft.h"
#include "base/arith.h"

#include <string.h>

/* Most denominators are powers of two, whose divisor is the lowest bit of either. */
static int64_t gcd(int64_t a, int64_t b)
{
    uint64_t low = (uint64_t)a & (0 - (uint64_t)a), n = (uint64_t)b;
    if (b > 0 && !(n & (n - 1))) return a && low < n ? (int64_t)low : b;
    uint64_t g = zl_gcd(zl_magnitude(a), zl_magnitude(b));
    return g > INT64_MAX ? 1 : (int64_t)g;
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
static bool exact_terms(const zl_draft *d, const zl_form *form, zl_value_range *out)
{
    int64_t least = form->at[0], greatest = least, a, b;
    for (size_t v = 0; v < form->used; v++) {
        int64_t c = form->at[1 + v];
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

static zl_value_range by_terms(const zl_draft *d, const zl_form *form)
{
    zl_value_range r = {form->at[0], form->at[0]};
    if (exact_terms(d, form, &r)) return r;
    for (size_t v = 0; v < form->used; v++)
        if (form->at[1 + v]) widen(&r, scaled(d->range[v], form->at[1 + v]));
    return r;
}

/* c (numerator - den floor(numerator / den)) lies in c [0, den): taken where the form has fewer
 * terms without the numerator. */
static bool take_whole(const zl_draft *d, zl_form *work, size_t q, zl_value_range *sum)
{
    const zl_draft_row *num = (const zl_draft_row *)d->rows.at + d->div_row[q];
    const int64_t *cell = (const int64_t *)d->cells.at + num->first;
    int64_t *at = work->at, *k = &at[1 + d->params + d->dims + q], c = -(*k / d->den[q]);
    int64_t term, rest, more = 0;
    if (*k % d->den[q]) return false;
    for (size_t v = 0; v < num->length; v++) {
        if (!cell[v]) continue;
        if (!zl_mul(c, cell[v], &term) || !zl_sub(at[v], term, &rest)) return false;
        more += v ? (rest != 0) - (at[v] != 0) : 0;
    }
    if (more >= 0) return false;
    for (size_t v = 0; v < num->length; v++) at[v] -= c * cell[v];
    *k = 0;
    widen(sum, scaled((zl_value_range){0, d->den[q] - 1}, c));
    return true;
}

static bool same_numerator(const zl_draft *d, size_t p, size_t q)
{
    const zl_draft_row *a = (const zl_draft_row *)d->rows.at + d->div_row[p];
    const zl_draft_row *b = (const zl_draft_row *)d->rows.at + d->div_row[q];
    const int64_t *cells = d->cells.at;
    return a->length == b->length &&
           !memcmp(cells + a->first, cells + b->first, a->length * sizeof *cells);
}

/* The floor divisions that a form has, the last one first. */
typedef struct divisions {
    size_t count;
    uint16_t q[ZL_PIECE_VARIABLES];
} divisions;

static void find_divisions(const zl_draft *d, const zl_form *form, divisions *out)
{
    out->count = 0;
    for (size_t v = form->used; v > d->params + d->dims; v--)
        if (form->at[v]) out->q[out->count++] = (uint16_t)(v - 1 - d->params - d->dims);
}

/* c (floor(n / p) - m floor(n / pm)) lies in c [0, m). */
static bool take_pair(const zl_draft *d, zl_form *work, const divisions *list, size_t q,
                      zl_value_range *sum)
{
    int64_t *div = &work->at[1 + d->params + d->dims];
    for (size_t i = list->count; i-- > 0;) {
        size_t p = list->q[i];
        if (p == q || !div[p] || d->den[q] % d->den[p] || !same_numerator(d, p, q)) continue;
        int64_t m = d->den[q] / d->den[p], product;
        if (!zl_mul(div[p], -m, &product) || product != div[q]) continue;
        widen(sum, scaled((zl_value_range){0, m - 1}, div[p]));
        div[p] = div[q] = 0;
        return true;
    }
    return false;
}

static void narrow(zl_value_range *to, zl_value_range by)
{
    if (by.least > to->least) to->least = by.least;
    if (by.greatest < to->greatest) to->greatest = by.greatest;
}

void zl_draft_know(zl_draft *d, const zl_form *form, zl_value_range range)
{
    zl_form_copy(&d->known, form);
    d->known_range = range;
}

static bool is_row(const zl_form *form, const int64_t *cell, size_t length)
{
    size_t common = length < 1 + form->used ? length : 1 + form->used;
    if (memcmp(form->at, cell, common * sizeof *cell)) return false;
    for (size_t v = common; v < length; v++)
        if (cell[v]) return false;
    for (size_t v = common; v <= form->used; v++)
        if (form->at[v]) return false;
    return true;
}

static bool is_known(const zl_draft *d, const zl_form *form)
{
    if (d->known_range.least == INT64_MIN && d->known_range.greatest == INT64_MAX) return false;
    return form->at[0] == d->known.at[0] && is_row(form, d->known.at, 1 + d->known.used);
}

/* The range by terms, with those of floor divisions that belong together taken as one; false where
 * none do.  A numerator that is taken may bring in divisions before its own, so the list is made
 * again. */
static bool by_divisions(const zl_draft *d, const zl_form *form, divisions *list,
                         zl_value_range *sum)
{
    zl_form work;
    bool taken = false;
    *sum = (zl_value_range){0, 0};
    zl_form_copy(&work, form);
    for (size_t i = 0; i < list->count;) {
        size_t q = list->q[i++];
        if (!work.at[1 + d->params + d->dims + q]) continue;
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

zl_value_range zl_draft_range(const zl_draft *d, const zl_form *form)
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
    zl_form *out, rest; /* out + floor(rest / den) */
    int64_t den;
    zl_value_range range; /* of rest, where drop_low was last asked for all of it */
    bool done; /* nothing is left in rest */
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
    int64_t *rest = w->rest.at, *out = w->out->at, den = w->den;
    int64_t whole = quotient_of(*rest, den);
    size_t used = 0;
    whole -= whole * den > *rest;
    bool fits = zl_add(*out, whole, out);
    *rest -= whole * den;
    for (size_t v = 1; v <= w->rest.used; v++) {
        if (zl_magnitude(rest[v]) >= (uint64_t)den) {
            whole = quotient_of(rest[v], den);
            zl_form_widen(w->out, v);
            fits = zl_add(out[v], whole, &out[v]) && fits;
            rest[v] -= whole * den;
        }
        if (rest[v]) used = v;
    }
    w->rest.used = used;
    if (fits) return ZLAY_OK;
    return zl_fail(w->d->ctx, ZLAY_EOVERFLOW, "a coefficient does not fit 64 bits");
}

static void divide_by(division *w, int64_t g)
{
    for (size_t v = 1; v <= w->rest.used; v++)
        if (w->rest.at[v]) w->rest.at[v] /= g;
    w->rest.at[0] = zl_floor_div(w->rest.at[0], g);
    w->den /= g;
}

static bool take_gcd(division *w)
{
    int64_t g = w->den;
    for (size_t v = 1; v <= w->rest.used && g > 1; v++)
        if (w->rest.at[v]) g = gcd(w->rest.at[v], g);
    if (g > 1) divide_by(w, g);
    return g > 1;
}

/* floor((g h + l) / g m) = floor((h + floor(l / g)) / m), where floor(l / g) is one number. */
static bool drop_low(division *w, int64_t g)
{
    zl_form low;
    int64_t rem = w->rest.at[0] - g * zl_floor_div(w->rest.at[0], g), sum;
    zl_form_constant(&low, rem);
    for (size_t v = 1; v <= w->rest.used; v++)
        if (w->rest.at[v] && w->rest.at[v] % g) zl_form_put(&low, v - 1, w->rest.at[v]);
    zl_value_range r = zl_draft_range(w->d, &low);
    if (g == w->den) w->range = r;
    if (r.least == INT64_MIN || r.greatest == INT64_MAX) return false;
    int64_t step = zl_floor_div(r.least, g);
    if (step != zl_floor_div(r.greatest, g)) return false;
    if (!zl_add(w->rest.at[0] - rem, step * g, &sum)) return false;
    for (size_t v = 1; v <= low.used; v++) w->rest.at[v] -= low.at[v];
    w->rest.at[0] = sum;
    divide_by(w, g);
    return true;
}

static bool take_low(division *w)
{
    int64_t before = 1; /* a divisor that drops nothing */
    for (size_t v = 1; v <= w->rest.used; v++) {
        int64_t g = w->rest.at[v] ? gcd(w->rest.at[v], w->den) : 1;
        if (g == 1 || g == before) continue;
        if (drop_low(w, g)) return true;
        before = g;
    }
    return drop_low(w, w->den);
}

/* floor((floor(n / m) + c) / den) = floor((n + c m) / (m den)). */
static bool take_nested(division *w)
{
    zl_draft *d = w->d;
    size_t first = 1 + d->params + d->dims, q = d->divs;
    zl_form num;
    int64_t c, den;
    for (size_t v = 1; v <= w->rest.used; v++)
        if (w->rest.at[v]) {
            if (v < first || w->rest.at[v] != 1 || q < d->divs) return false;
            q = v - first;
        }
    if (q == d->divs) return false;
    zl_draft_load(d, &num, d->div_row[q]);
    if (!zl_mul(w->rest.at[0], d->den[q], &c) || !zl_add(num.at[0], c, &num.at[0])) return false;
    if (!zl_mul(w->den, d->den[q], &den)) return false;
    zl_form_copy(&w->rest, &num);
    w->den = den;
    return true;
}

static zlay_status shorten(division *w)
{
    zlay_status status;
    do {
        if ((status = take_quotients(w))) return status;
        w->done = w->den == 1;
    } while (!w->done && (take_gcd(w) || take_low(w) || take_nested(w)));
    return ZLAY_OK;
}

static zlay_status append(division *w, size_t *q)
{
    zl_draft *d = w->d;
    zl_value_range r = w->range;
    size_t at = d->params + d->dims + d->divs, row;
    if (at == ZL_PIECE_VARIABLES)
        return zl_fail(d->ctx, ZLAY_ELIMIT, "more than %d variables in pieces",
                       (int)ZL_PIECE_VARIABLES);
    zlay_status status = zl_draft_store(d, &row, &w->rest, ZL_ROW_VALUE);
    if (status) return status;
    if (r.least != INT64_MIN) r.least = zl_floor_div(r.least, w->den);
    if (r.greatest != INT64_MAX) r.greatest = zl_floor_div(r.greatest, w->den);
    *q = d->divs++;
    d->div_row[*q] = row;
    d->den[*q] = w->den;
    d->range[at] = r;
    return ZLAY_OK;
}

static zlay_status find_or_append(division *w, size_t *q)
{
    zl_draft *d = w->d;
    for (*q = 0; *q < d->divs; ++*q) {
        const zl_draft_row *num = (const zl_draft_row *)d->rows.at + d->div_row[*q];
        if (d->den[*q] != w->den) continue;
        const int64_t *cell = (const int64_t *)d->cells.at + num->first;
        if (is_row(&w->rest, cell, num->length)) return ZLAY_OK;
    }
    return append(w, q);
}

zlay_status zl_draft_div(zl_draft *d, zl_form *out, const zl_form *form, int64_t den)
{
    division w;
    size_t q = 0;
    w.d = d;
    w.out = out;
    w.den = den;
    w.done = false;
    zl_form_copy(&w.rest, form);
    zl_form_constant(out, 0);
    zlay_status status = shorten(&w);
    if (!status && !w.done) status = find_or_append(&w, &q);
    if (status || w.done) return status;
    q += d->params + d->dims;
    zl_form_put(out, q, q < out->used ? out->at[1 + q] + 1 : 1);
    return ZLAY_OK;
}

zlay_status zl_draft_mod(zl_draft *d, zl_form *out, const zl_form *form, int64_t den)
{
    zl_form quotient;
    zlay_status status = zl_draft_div(d, &quotient, form, den);
    if (out != form) zl_form_copy(out, form);
    return status ? status : zl_form_add(d, out, -den, &quotient);
}
