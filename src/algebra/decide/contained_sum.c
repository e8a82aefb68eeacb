/* SPDX-License-Identifier: Apache-2.0 */
/* The values of one sum among those of another. */
#include "algebra/decide/contained.h"

/* Terms of a and b between two cuts, and by how much the least value of a is ahead of b's: a cut is
 * a number that all greater steps are multiples of, and that the sums of the lesser ones, ahead
 * included, stay below; so each part of a value is decided by itself. */
typedef struct part {
    const zl_term *a, *b;
    size_t a_count, b_count;
    zl_i128 ahead;
} part;

/* The values of b are common * [0, count]: its steps leave no gap but their gcd. */
static bool is_progression(const part *p, uint64_t *common)
{
    uint64_t reach = 0;
    *common = 0;
    for (size_t i = 0; i < p->b_count; i++) *common = zl_gcd(*common, p->b[i].step);
    for (size_t i = 0; i < p->b_count; reach += p->b[i].step * p->b[i].most, i++)
        if (p->b[i].step - *common > reach) return false;
    return true;
}

static zl_u128 span_of(const zl_term *term, size_t count)
{
    zl_u128 span = 0;
    for (size_t i = 0; i < count; i++) span += (zl_u128)term[i].step * term[i].most;
    return span;
}

/* `common` 0: b has one value.  FOUND: x is a point of a that b lacks. */
static zl_found in_progression(const part *p, uint64_t common, uint64_t *x)
{
    if (p->ahead < 0 || (common ? p->ahead % common : p->ahead)) return ZL_FOUND;
    for (size_t i = 0; i < p->a_count; i++)
        if (!common || p->a[i].step % common) return x[i] = 1, ZL_FOUND;
    if ((zl_u128)p->ahead + span_of(p->a, p->a_count) <= span_of(p->b, p->b_count))
        return ZL_NOT_FOUND;
    for (size_t i = 0; i < p->a_count; i++) x[i] = p->a[i].most;
    return ZL_FOUND;
}

static bool step_point(const part *p, uint64_t *x)
{
    for (size_t i = 0; i < p->a_count; x[i++] = 0)
        if (x[i]++ < p->a[i].most) return true;
    return false;
}

/* Each point of a by itself. */
static zl_found by_search(const part *p, uint64_t *x, zl_budget *budget)
{
    uint64_t ignored[ZL_TERMS_MOST];
    do {
        zl_i128 value = p->ahead;
        for (size_t i = 0; i < p->a_count; i++) value += (zl_i128)x[i] * (zl_i128)p->a[i].step;
        if (!zl_budget_take(budget)) return ZL_TOO_MANY;
        zl_found found = zl_sum_solve(ignored, p->b, p->b_count, value, budget);
        if (found == ZL_TOO_MANY) return found;
        if (found == ZL_NOT_FOUND) return ZL_FOUND;
    } while (step_point(p, x));
    return ZL_NOT_FOUND;
}

static size_t below(const zl_term *term, size_t count, uint64_t cut)
{
    size_t i = 0;
    while (i < count && term[i].step < cut) i++;
    return i;
}

static bool divides_rest(const zl_term *term, size_t count, uint64_t cut)
{
    for (size_t i = below(term, count, cut); i < count; i++)
        if (term[i].step % cut) return false;
    return true;
}

static bool cuts(const part *p, uint64_t cut)
{
    if (!divides_rest(p->a, p->a_count, cut) || !divides_rest(p->b, p->b_count, cut)) return false;
    return (zl_u128)(p->ahead % cut) + span_of(p->a, below(p->a, p->a_count, cut)) < cut &&
           span_of(p->b, below(p->b, p->b_count, cut)) < cut;
}

/* The least step above the first that cuts; 0: none. */
static uint64_t next_cut(const part *p)
{
    uint64_t cut = 0;
    for (size_t i = 0; i < p->a_count + p->b_count; i++) {
        uint64_t step = i < p->a_count ? p->a[i].step : p->b[i - p->a_count].step;
        bool later = below(p->a, p->a_count, step) || below(p->b, p->b_count, step);
        if (later && (!cut || step < cut) && cuts(p, step)) cut = step;
    }
    return cut;
}

/* Each step of a is one of b that goes as far, and what is left of b's steps reaches the offset. */
static bool absorbs(const part *p, zl_budget *budget)
{
    zl_term left[ZL_TERMS_MOST];
    uint64_t x[ZL_TERMS_MOST];
    for (size_t j = 0; j < p->b_count; j++) left[j] = p->b[j];
    for (size_t i = 0; i < p->a_count; i++) {
        size_t j = 0;
        while (j < p->b_count && (left[j].step != p->a[i].step || left[j].most < p->a[i].most)) j++;
        if (j == p->b_count) return false;
        left[j].most -= p->a[i].most;
    }
    return zl_sum_solve(x, left, p->b_count, p->ahead, budget) == ZL_FOUND;
}

static zl_found decide_part(const part *p, uint64_t *x, zl_budget *budget)
{
    uint64_t common;
    if (is_progression(p, &common)) return in_progression(p, common, x);
    return absorbs(p, budget) ? ZL_NOT_FOUND : by_search(p, x, budget);
}

zl_found zl_sum_lacks(uint64_t *x, const zl_sum *a, const zl_sum *b, zl_budget *budget)
{
    part rest = {a->term, b->term, a->count, b->count, (zl_i128)a->least - b->least};
    zl_found found = rest.ahead < 0 ? ZL_FOUND : ZL_NOT_FOUND;
    uint64_t cut = 1;
    while (cut && found == ZL_NOT_FOUND) {
        part low = rest;
        cut = next_cut(&rest);
        if (cut) {
            low.a_count = below(rest.a, rest.a_count, cut);
            low.b_count = below(rest.b, rest.b_count, cut);
            low.ahead = rest.ahead % cut;
        }
        found = decide_part(&low, x, budget);
        x += low.a_count;
        rest = (part){rest.a + low.a_count, rest.b + low.b_count, rest.a_count - low.a_count,
                      rest.b_count - low.b_count, rest.ahead - low.ahead};
    }
    return found;
}

/* ---- the least point --------------------------------------------------------------------- */

/* Hold the coordinate of term t in [low, high]: a sum of as many terms or, low == high, one fewer.
 */
static zl_sum held(const zl_sum *a, size_t t, uint64_t low, uint64_t high)
{
    zl_sum s = *a;
    zl_term *term = &s.term[t];
    uint64_t x = term->down ? term->most - high : low;
    s.least = (int64_t)((uint64_t)s.least + x * term->step);
    term->most = high - low;
    if (low < high) return s;
    s.count--;
    for (size_t i = t; i < s.count; i++) s.term[i] = s.term[i + 1];
    return s;
}

static size_t slowest(const zl_sum *s)
{
    size_t t = 0;
    for (size_t i = 1; i < s->count; i++)
        if (s->term[i].weight > s->term[t].weight) t = i;
    return t;
}

/* The slowest coordinate that moves is the least c for which [0, c] still shows a point, and below
 * it none does: then c is held, and the next coordinate is asked. */
bool zl_lacks_first(uint64_t *index, const zl_sum *a, zl_lacks *lacks, const void *env,
                    zl_budget *budget)
{
    zl_sum rest = *a;
    uint64_t at = 0, x[ZL_TERMS_MOST];
    while (rest.count) {
        size_t t = slowest(&rest);
        uint64_t weight = rest.term[t].weight, low = 0, high = (*index - at) / weight;
        while (low < high) {
            uint64_t middle = low + (high - low) / 2;
            zl_sum some = held(&rest, t, 0, middle);
            for (size_t i = 0; i < some.count; i++) x[i] = 0;
            zl_found found = lacks(env, x, &some, budget);
            if (found == ZL_TOO_MANY) return false;
            if (found == ZL_NOT_FOUND) low = middle + 1;
            else {
                *index = at + zl_sum_index(&some, x);
                high = (*index - at) / weight;
            }
        }
        rest = held(&rest, t, low, low);
        at += low * weight;
    }
    *index = at;
    return true;
}

static zl_found lacks_sum(const void *b, uint64_t *x, const zl_sum *a, zl_budget *budget)
{
    return zl_sum_lacks(x, a, b, budget);
}

bool zl_sum_lacks_first(uint64_t *index, const zl_sum *a, const zl_sum *b, zl_budget *budget)
{
    return zl_lacks_first(index, a, lacks_sum, b, budget);
}
