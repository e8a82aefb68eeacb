/* SPDX-License-Identifier: Apache-2.0 */
/* Strided layouts under swizzles, whatever their size: containment in an interval, the first missed
 * value and the extreme values.
 *
 * Sw<B,M,S> permutes the integers of every aligned block of 2^(B+M+|S|), and moves each aligned
 * grain of 2^M of them whole.  So a set of consecutive integers keeps its whole blocks, and only
 * the blocks at its two ends are looked at, grain by grain: 2^(B+|S|) grains, however large the
 * layout.  Under two swizzles the greater block and the lesser grain serve both. */
#include "algebra/image/sum.h"

zl_blocks zl_blocks_of(zl_swizzle s, zl_swizzle t)
{
    unsigned a = zl_swizzle_top(s), b = zl_swizzle_top(t), top = a > b ? a : b;
    unsigned m = s.bits ? (unsigned)s.base : top, n = t.bits ? (unsigned)t.base : top;
    return (zl_blocks){(uint64_t)1 << top, (uint64_t)1 << (m < n ? m : n)};
}

bool zl_sum_fills(const zl_sum *s)
{
    uint64_t reach = 0;
    for (size_t k = 0; k < s->count; reach += s->term[k].step * s->term[k].most, k++)
        if (s->term[k].step - 1 > reach) return false;
    return true;
}

static int64_t greatest_of(const zl_sum *s)
{
    return (int64_t)((uint64_t)s->least + zl_sum_span(s));
}

/* The greatest value up to `most`, which is no less than the least. */
static zl_found value_below(int64_t *v, const zl_sum *s, int64_t most, zl_budget *budget)
{
    uint64_t sum, target = (uint64_t)most - (uint64_t)s->least, span = zl_sum_span(s);
    if (target >= span) return *v = greatest_of(s), ZL_FOUND;
    zl_found found = zl_sum_below(&sum, s->term, s->count, target, budget);
    *v = (int64_t)((uint64_t)s->least + sum);
    return found;
}

zl_found zl_sum_any_in(int64_t *v, const zl_sum *s, int64_t low, int64_t high, zl_budget *budget)
{
    if (high < low || high < s->least || low > greatest_of(s)) return ZL_NOT_FOUND;
    zl_found found = value_below(v, s, high, budget);
    return found == ZL_FOUND && *v < low ? ZL_NOT_FOUND : found;
}

/* FOUND: the least such. */
static zl_found first_in(int64_t *v, const zl_sum *s, int64_t low, int64_t high, zl_budget *budget)
{
    zl_sum down = *s;
    /* The least of -1 - v, which fits wherever v does. */
    down.least = (int64_t)(0 - (uint64_t)greatest_of(s) - 1);
    zl_found found = zl_sum_any_in(v, &down, -1 - high, -1 - low, budget);
    if (found == ZL_FOUND) *v = -1 - *v;
    return found;
}

/* ---- containment in an interval ------------------------------------------------------------- */

typedef struct border {
    const zl_swizzled_pair *p;
    const zl_sum *a;
    int64_t low, high; /* of b, before its swizzle */
    zl_blocks size;
    zl_budget *budget;
    int64_t at; /* a value of a that b lacks */
} border;

/* A value of a in the grain whose image lies outside [low, high]. */
static zl_found grain_lacks(border *w, int64_t g)
{
    int64_t image = zl_swizzle_at(w->p->t, zl_swizzle_at(w->p->s, g));
    int64_t last = (int64_t)w->size.grain - 1;
    if (image + last < w->low || image > w->high)
        return zl_sum_any_in(&w->at, w->a, g, g + last, w->budget);
    if (image < w->low) {
        zl_found found = zl_sum_any_in(&w->at, w->a, g, g + (w->low - image) - 1, w->budget);
        if (found != ZL_NOT_FOUND) return found;
    }
    if (image + last <= w->high) return ZL_NOT_FOUND;
    return zl_sum_any_in(&w->at, w->a, g + (w->high - image) + 1, g + last, w->budget);
}

/* Grains of the block of v, as far as a has values there. */
static zl_found block_lacks(border *w, int64_t v)
{
    int64_t grain = (int64_t)w->size.grain, first = v & -(int64_t)w->size.block;
    int64_t last = (int64_t)((uint64_t)first + w->size.block - 1), most = greatest_of(w->a);
    int64_t g = first > w->a->least ? first : w->a->least & -grain;
    zl_found found = ZL_NOT_FOUND;
    last = last < most ? last : most;
    while (found == ZL_NOT_FOUND && g <= last) {
        if (!zl_budget_take(w->budget)) return ZL_TOO_MANY;
        found = grain_lacks(w, g);
        if (g > INT64_MAX - grain) break;
        g += grain;
    }
    return found;
}

/* Values of a outside all blocks that b has values in, then those in the blocks at b's ends. */
static zl_found border_lacks(border *w)
{
    int64_t block = (int64_t)w->size.block, before = w->low & -block, after = w->high | (block - 1);
    if (w->a->least < before) return w->at = w->a->least, ZL_FOUND;
    if (greatest_of(w->a) > after) return w->at = greatest_of(w->a), ZL_FOUND;
    zl_found found = w->low == before ? ZL_NOT_FOUND : block_lacks(w, w->low);
    return found != ZL_NOT_FOUND || w->high == after ? found : block_lacks(w, w->high);
}

zl_found zl_swizzled_lacks(const void *pair, uint64_t *x, const zl_sum *a, zl_budget *budget)
{
    const zl_swizzled_pair *p = pair;
    border w = {p, a, p->b->least, greatest_of(p->b), zl_blocks_of(p->s, p->t), budget, 0};
    zl_found found = border_lacks(&w);
    if (found != ZL_FOUND) return found;
    return zl_sum_solve(x, a->term, a->count, (zl_i128)w.at - a->least, budget);
}

/* ---- the first missed value --------------------------------------------------------------- */

/* The first value of [low, high] that is none of the sum; grains are short, so one by one from
 * where runs of values end. */
static zl_found gap_in(int64_t *v, const zl_sum *s, int64_t low, int64_t high, bool fills,
                       zl_budget *budget)
{
    int64_t most = greatest_of(s);
    if (fills && low >= s->least && high <= most) return ZL_NOT_FOUND;
    if (fills) return *v = low < s->least || low > most ? low : most + 1, ZL_FOUND;
    for (*v = low; *v <= high; ++*v) {
        zl_found has = zl_sum_has(s, *v, budget);
        if (has != ZL_FOUND) return has == ZL_TOO_MANY ? has : ZL_FOUND;
        if (!zl_budget_take(budget)) return ZL_TOO_MANY;
    }
    return ZL_NOT_FOUND;
}

zl_found zl_swizzled_missed(uint64_t *missed, const zl_sum *s, zl_swizzle swizzle, uint64_t begin,
                            uint64_t end, zl_budget *budget)
{
    bool fills = zl_sum_fills(s);
    int64_t grain = (int64_t)1 << swizzle.base, at;
    for (uint64_t v = begin; v < end && v <= INT64_MAX; v += (uint64_t)grain) {
        uint64_t last = end - v < (uint64_t)grain ? end - v - 1 : (uint64_t)grain - 1;
        int64_t image = zl_swizzle_at(swizzle, (int64_t)v);
        if (!zl_budget_take(budget)) return ZL_TOO_MANY;
        zl_found found = gap_in(&at, s, image, (int64_t)((uint64_t)image + last), fills, budget);
        if (found == ZL_FOUND) *missed = v + (uint64_t)(at - image);
        if (found != ZL_NOT_FOUND) return found;
    }
    *missed = (uint64_t)INT64_MAX + 1;
    return *missed < end ? ZL_FOUND : ZL_NOT_FOUND;
}

/* ---- extreme values ----------------------------------------------------------------------- */

/* The extreme values are in the blocks of the extreme sums; images are tried from the end
 * inwards. */
zl_found zl_swizzled_range(int64_t *least, int64_t *greatest, const zl_sum *s, zl_swizzle swizzle,
                           zl_budget *budget)
{
    zl_blocks size = zl_blocks_of(swizzle, swizzle);
    int64_t block = (int64_t)size.block, grain = (int64_t)size.grain, v = 0;
    int64_t image = s->least & -block;
    zl_found found = ZL_NOT_FOUND;
    for (int64_t n = 0; n < block && found == ZL_NOT_FOUND; n += grain) {
        int64_t from = zl_swizzle_at(swizzle, image + n);
        if (!zl_budget_take(budget)) return ZL_TOO_MANY;
        found = first_in(&v, s, from, from + (grain - 1), budget);
        if (found == ZL_FOUND) *least = image + n + (v - from);
    }
    if (found != ZL_FOUND) return ZL_TOO_MANY;
    image = greatest_of(s) | (block - 1);
    found = ZL_NOT_FOUND;
    for (int64_t n = 0; n < block && found == ZL_NOT_FOUND; n += grain) {
        int64_t from = zl_swizzle_at(swizzle, image - n - (grain - 1));
        if (!zl_budget_take(budget)) return ZL_TOO_MANY;
        found = zl_sum_any_in(&v, s, from, from + (grain - 1), budget);
        if (found == ZL_FOUND) *greatest = image - n - (grain - 1) + (v - from);
    }
    return found == ZL_FOUND ? ZL_FOUND : ZL_TOO_MANY;
}
