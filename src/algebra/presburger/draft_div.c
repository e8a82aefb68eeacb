/* SPDX-License-Identifier: Apache-2.0 */
/* Floor divisions of a draft, each made once and in its shortest shape, and what forms reach. */
#include "algebra/presburger/draft.h"
#include "base/arith.h"

#include <string.h>

static int64_t gcd(int64_t a, int64_t b)
{
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

static zl_range scaled(zl_range r, int64_t factor)
{
    if (!factor) return (zl_range){0, 0};
    int64_t a = times(r.least, factor, INT64_MIN), b = times(r.greatest, factor, INT64_MAX);
    return factor < 0 ? (zl_range){b, a} : (zl_range){a, b};
}

static int64_t plus(int64_t a, int64_t b, int64_t infinite)
{
    int64_t sum;
    if (a == infinite || b == infinite) return infinite;
    if (zl_add(a, b, &sum)) return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

static void widen(zl_range *to, zl_range by)
{
    to->least = plus(to->least, by.least, INT64_MIN);
    to->greatest = plus(to->greatest, by.greatest, INT64_MAX);
}

static zl_range by_terms(const zl_draft *d, const zl_form *form)
{
    zl_range r = {form->at[0], form->at[0]};
    for (size_t v = 0; v + 1 < zl_draft_width(d); v++)
        if (form->at[1 + v]) widen(&r, scaled(d->range[v], form->at[1 + v]));
    return r;
}

static size_t terms(const zl_draft *d, const zl_form *form)
{
    size_t count = 0;
    for (size_t v = 1; v < zl_draft_width(d); v++) count += form->at[v] != 0;
    return count;
}

/* c (numerator - den floor(numerator / den)) lies in c [0, den). */
static bool take_whole(const zl_draft *d, zl_form *work, size_t q, zl_range *sum)
{
    zl_form num, rest = *work;
    int64_t *k = &rest.at[1 + d->params + d->dims + q], c = -(*k / d->den[q]), term;
    if (*k % d->den[q]) return false;
    zl_draft_load(d, &num, d->div_row[q]);
    *k = 0;
    for (size_t v = 0; v < zl_draft_width(d); v++)
        if (!zl_mul(c, num.at[v], &term) || !zl_sub(rest.at[v], term, &rest.at[v])) return false;
    if (terms(d, &rest) + 1 >= terms(d, work)) return false;
    *work = rest;
    widen(sum, scaled((zl_range){0, d->den[q] - 1}, c));
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

/* c (floor(n / p) - m floor(n / pm)) lies in c [0, m). */
static bool take_pair(const zl_draft *d, zl_form *work, size_t q, zl_range *sum)
{
    int64_t *div = &work->at[1 + d->params + d->dims];
    for (size_t p = 0; p < d->divs; p++) {
        int64_t m = d->den[q] / d->den[p], product;
        if (p == q || !div[p] || d->den[q] % d->den[p] || !same_numerator(d, p, q)) continue;
        if (!zl_mul(div[p], -m, &product) || product != div[q]) continue;
        widen(sum, scaled((zl_range){0, m - 1}, div[p]));
        div[p] = div[q] = 0;
        return true;
    }
    return false;
}

static void narrow(zl_range *to, zl_range by)
{
    if (by.least > to->least) to->least = by.least;
    if (by.greatest < to->greatest) to->greatest = by.greatest;
}

void zl_draft_know(zl_draft *d, const zl_form *form, zl_range range)
{
    d->known = *form;
    d->known_range = range;
}

static bool is_known(const zl_draft *d, const zl_form *form)
{
    return !memcmp(d->known.at, form->at, zl_draft_width(d) * sizeof *form->at);
}

zl_range zl_draft_range(const zl_draft *d, const zl_form *form)
{
    zl_form work = *form;
    zl_range plain = by_terms(d, form), sum = {0, 0}, rest;
    for (size_t q = d->divs; q-- > 0;)
        if (work.at[1 + d->params + d->dims + q])
            if (!take_pair(d, &work, q, &sum)) take_whole(d, &work, q, &sum);
    rest = by_terms(d, &work);
    widen(&sum, rest);
    narrow(&sum, plain);
    if (is_known(d, form)) narrow(&sum, d->known_range);
    return sum;
}

/* ---- divisions ---------------------------------------------------------------------- */

typedef struct division {
    zl_draft *d;
    zl_form out, rest; /* out + floor(rest / den) */
    int64_t den;
    bool done; /* nothing is left in rest */
} division;

/* floor((n q + r) / n) = q + floor(r / n). */
static zlay_status take_quotients(division *w)
{
    zl_form quotient;
    zl_form_constant(&quotient, zl_floor_div(w->rest.at[0], w->den));
    for (size_t v = 1; v < zl_draft_width(w->d); v++) {
        quotient.at[v] = w->rest.at[v] / w->den;
        w->rest.at[v] %= w->den;
    }
    w->rest.at[0] -= quotient.at[0] * w->den;
    return zl_form_add(w->d, &w->out, 1, &quotient);
}

static void divide_by(division *w, int64_t g)
{
    for (size_t v = 1; v < zl_draft_width(w->d); v++) w->rest.at[v] /= g;
    w->rest.at[0] = zl_floor_div(w->rest.at[0], g);
    w->den /= g;
}

static bool take_gcd(division *w)
{
    int64_t g = w->den;
    for (size_t v = 1; v < zl_draft_width(w->d) && g > 1; v++) g = gcd(g, w->rest.at[v]);
    if (g > 1) divide_by(w, g);
    return g > 1;
}

/* floor((g h + l) / g m) = floor((h + floor(l / g)) / m), where floor(l / g) is one number. */
static bool drop_low(division *w, int64_t g)
{
    zl_form low;
    int64_t rem = w->rest.at[0] - g * zl_floor_div(w->rest.at[0], g), sum;
    zl_form_constant(&low, rem);
    for (size_t v = 1; v < zl_draft_width(w->d); v++)
        if (w->rest.at[v] % g) low.at[v] = w->rest.at[v];
    zl_range r = zl_draft_range(w->d, &low);
    if (r.least == INT64_MIN || r.greatest == INT64_MAX) return false;
    int64_t step = zl_floor_div(r.least, g);
    if (step != zl_floor_div(r.greatest, g)) return false;
    if (!zl_add(w->rest.at[0] - rem, step * g, &sum)) return false;
    for (size_t v = 1; v < zl_draft_width(w->d); v++) w->rest.at[v] -= low.at[v];
    w->rest.at[0] = sum;
    divide_by(w, g);
    return true;
}

static bool take_low(division *w)
{
    for (size_t v = 1; v < zl_draft_width(w->d); v++) {
        int64_t g = w->rest.at[v] ? gcd(w->rest.at[v], w->den) : 1;
        if (g > 1 && drop_low(w, g)) return true;
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
    for (size_t v = 1; v < zl_draft_width(d); v++)
        if (w->rest.at[v]) {
            if (v < first || w->rest.at[v] != 1 || q < d->divs) return false;
            q = v - first;
        }
    if (q == d->divs) return false;
    zl_draft_load(d, &num, d->div_row[q]);
    if (!zl_mul(w->rest.at[0], d->den[q], &c) || !zl_add(num.at[0], c, &num.at[0])) return false;
    if (!zl_mul(w->den, d->den[q], &den)) return false;
    w->rest = num;
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
    zl_range r = zl_draft_range(d, &w->rest);
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
    zl_form num;
    for (*q = 0; *q < d->divs; ++*q) {
        if (d->den[*q] != w->den) continue;
        zl_draft_load(d, &num, d->div_row[*q]);
        if (!memcmp(num.at, w->rest.at, zl_draft_width(d) * sizeof *num.at)) return ZLAY_OK;
    }
    return append(w, q);
}

zlay_status zl_draft_div(zl_draft *d, zl_form *out, const zl_form *form, int64_t den)
{
    division w = {.d = d, .rest = *form, .den = den};
    size_t q = 0;
    zlay_status status = shorten(&w);
    if (!status && !w.done) status = find_or_append(&w, &q);
    if (status) return status;
    *out = w.out;
    if (!w.done) out->at[1 + d->params + d->dims + q]++;
    return ZLAY_OK;
}

zlay_status zl_draft_mod(zl_draft *d, zl_form *out, const zl_form *form, int64_t den)
{
    zl_form quotient, rest = *form;
    zlay_status status = zl_draft_div(d, &quotient, form, den);
    if (!status) status = zl_form_add(d, &rest, -den, &quotient);
    if (!status) *out = rest;
    return status;
}
