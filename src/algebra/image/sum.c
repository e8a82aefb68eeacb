/* SPDX-License-Identifier: Apache-2.0 */
/* A strided layout as a sum, and its equation: does some coordinate of the box give this value?
 * Each coordinate is cut to what the rest can reach and to the lattice of the rest, so that few
 * are searched. */
#include "algebra/image/sum.h"

/* ---- a strided layout as a sum -------------------------------------------------------- */

static bool merges(const zl_term *last, bool down, uint64_t step)
{
    uint64_t next;
    return last->down == down && zl_umul(last->step, last->most + 1, &next) && next == step;
}

/* Where one mode goes on in the progression of the one before, both are one coordinate. */
static void put(zl_sum *s, const zl_mode *m, uint64_t weight, bool after_last)
{
    bool down = m->stride < 0;
    uint64_t step = down ? 0 - (uint64_t)m->stride : (uint64_t)m->stride;
    uint64_t most = (uint64_t)m->shape - 1;
    if (down) s->least = (int64_t)((uint64_t)s->least - most * step);
    if (after_last && s->count && merges(&s->term[s->count - 1], down, step)) {
        zl_term *last = &s->term[s->count - 1];
        last->most = (last->most + 1) * (uint64_t)m->shape - 1;
        return;
    }
    s->term[s->count++] = (zl_term){step, most, weight, down};
}

void zl_sum_sort(zl_sum *s)
{
    zl_term *term = s->term;
    for (size_t i = 1; i < s->count; i++)
        for (size_t j = i; j && term[j].step < term[j - 1].step; j--) {
            zl_term held = term[j];
            term[j] = term[j - 1];
            term[j - 1] = held;
        }
}

void zl_sum_of(zl_sum *out, const zlay_layout *a)
{
    uint64_t weight = 1;
    bool after_last = false;
    out->least = a->offset;
    out->count = 0;
    out->still = 0;
    for (size_t i = 0; i < a->modes; i++) {
        const zl_mode *m = &a->mode[i];
        if (m->shape == 1) continue;
        if (m->stride) put(out, m, weight, after_last);
        else if (!out->still) out->still = weight;
        after_last = m->stride;
        weight *= (uint64_t)m->shape;
    }
    zl_sum_sort(out);
}

uint64_t zl_sum_span(const zl_sum *s)
{
    uint64_t span = 0;
    for (size_t i = 0; i < s->count; i++) span += s->term[i].step * s->term[i].most;
    return span;
}

uint64_t zl_sum_index(const zl_sum *s, const uint64_t *x)
{
    uint64_t index = 0;
    for (size_t i = 0; i < s->count; i++) {
        const zl_term *t = &s->term[i];
        index += (t->down ? t->most - x[i] : x[i]) * t->weight;
    }
    return index;
}

/* ---- the equation ---------------------------------------------------------------------- */

/* Level k chooses x of term count - 1 - k, the greatest step first. */
typedef struct search {
    const zl_term *term;
    size_t count;
    zl_i128 reach[ZL_TERMS_MOST + 1];    /* of the terms below a level */
    uint64_t common[ZL_TERMS_MOST + 1];  /* the gcd of their steps; 0 for none */
    uint64_t period[ZL_TERMS_MOST];      /* x of a level is fixed modulo this ... */
    uint64_t inverse[ZL_TERMS_MOST];     /* ... to (rest / gcd) * inverse */
    zl_i128 rest[ZL_TERMS_MOST + 1];
    uint64_t next[ZL_TERMS_MOST], last[ZL_TERMS_MOST]; /* x of a level that are open */
    bool any[ZL_TERMS_MOST];
} search;

static void prepare(search *s, const zl_term *term, size_t count)
{
    s->term = term;
    s->count = count;
    s->reach[count] = 0;
    s->common[count] = 0;
    for (size_t k = count; k-- > 0;) {
        const zl_term *t = &term[count - 1 - k];
        uint64_t g = zl_gcd(t->step, s->common[k + 1]);
        s->reach[k] = s->reach[k + 1] + (zl_i128)t->step * (zl_i128)t->most;
        s->common[k] = g;
        s->period[k] = s->common[k + 1] ? s->common[k + 1] / g : 1;
        s->inverse[k] = (uint64_t)zl_inverse_modulo(t->step / g, s->period[k]);
    }
}

/* The least x of a level from `low` on that leaves the rest on the lattice of the later terms. */
static zl_i128 on_lattice(const search *s, size_t k, zl_i128 low)
{
    uint64_t n = s->period[k];
    zl_u128 want = (zl_u128)(s->rest[k] / s->common[k]) % n * s->inverse[k] % n;
    uint64_t at = (uint64_t)((zl_u128)low % n);
    return low + (zl_i128)(((uint64_t)want + n - at) % n);
}

static void open_level(search *s, size_t k)
{
    const zl_term *t = &s->term[s->count - 1 - k];
    zl_i128 step = (zl_i128)t->step, short_of = s->rest[k] - s->reach[k + 1];
    zl_i128 low = short_of > 0 ? (short_of + step - 1) / step : 0, high = s->rest[k] / step;
    high = high < (zl_i128)t->most ? high : (zl_i128)t->most;
    low = on_lattice(s, k, low);
    s->any[k] = low <= high;
    s->next[k] = s->any[k] ? (uint64_t)low : 0;
    s->last[k] = s->any[k] ? (uint64_t)high : 0;
}

static void step_level(search *s, size_t k)
{
    s->any[k] = s->last[k] - s->next[k] >= s->period[k];
    if (s->any[k]) s->next[k] += s->period[k];
}

zl_found zl_sum_solve(uint64_t *x, const zl_term *term, size_t count, zl_i128 target,
                      zl_budget *budget)
{
    search s;
    size_t k = 0;
    prepare(&s, term, count);
    if (target < 0 || target > s.reach[0]) return ZL_NOT_FOUND;
    if (!count) return ZL_FOUND;
    if (target % s.common[0]) return ZL_NOT_FOUND;
    s.rest[0] = target;
    open_level(&s, 0);
    while (s.any[k] || k) {
        if (!s.any[k]) {
            step_level(&s, --k);
            continue;
        }
        if (!zl_budget_take(budget)) return ZL_TOO_MANY;
        x[count - 1 - k] = s.next[k];
        s.rest[k + 1] = s.rest[k] - (zl_i128)s.next[k] * (zl_i128)term[count - 1 - k].step;
        if (++k == count) return ZL_FOUND;
        open_level(&s, k);
    }
    return ZL_NOT_FOUND;
}

zl_found zl_sum_has(const zl_sum *s, int64_t v, zl_budget *budget)
{
    uint64_t x[ZL_TERMS_MOST];
    return zl_sum_solve(x, s->term, s->count, (zl_i128)v - s->least, budget);
}

/* ---- the greatest sum below --------------------------------------------------------------- */

/* Coordinates fall from their greatest; one that leaves more than the later terms can fill, or
 * cannot beat what was found, ends its level. */
zl_found zl_sum_below(uint64_t *sum, const zl_term *term, size_t count, uint64_t target,
                      zl_budget *budget)
{
    uint64_t reach[ZL_TERMS_MOST + 1] = {0}, rest[ZL_TERMS_MOST + 1], x[ZL_TERMS_MOST], best = 0;
    bool fresh = true;
    size_t k = 0;
    for (size_t j = 0; j < count; j++) reach[j + 1] = reach[j] + term[j].step * term[j].most;
    for (rest[0] = target; best < target;) {
        const zl_term *t = k < count ? &term[count - 1 - k] : NULL;
        if (!zl_budget_take(budget)) return ZL_TOO_MANY;
        if (fresh && rest[k] >= reach[count - k]) {
            uint64_t here = target - rest[k] + reach[count - k];
            best = here > best ? here : best;
            t = NULL;
        }
        if (t && fresh) x[k] = rest[k] / t->step < t->most ? rest[k] / t->step : t->most;
        bool open = t && (fresh || x[k]--);
        if (open) {
            uint64_t left = rest[k] - x[k] * t->step, most = target - left + reach[count - 1 - k];
            open = most > best;
            rest[k + 1] = left;
        }
        fresh = open;
        if (open) k++;
        else if (!k--) break;
    }
    *sum = best;
    return ZL_FOUND;
}
