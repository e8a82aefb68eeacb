/* SPDX-License-Identifier: Apache-2.0 */
/* Orders and signs of the modes of a symbolic layout, one after the other: the deciders prove their
 * claim in each order in which the strides may rise. */
#include "algebra/decide/symbol_decide.h"

int zl_symbols_sign(const zl_monomial *stride, const zl_symbols *names)
{
    zlay_range r = zl_monomial_range(stride, names);
    return r.lo >= 0 ? 1 : r.hi <= 0 ? -1 : 0;
}

/* a stands before b wherever both have several coordinates; of equals the first does. */
static bool precedes(const zl_rising *o, size_t a, size_t b)
{
    const zl_monomial *x = &o->s->leaf[a].stride, *y = &o->s->leaf[b].stride;
    zl_monomial q;
    if (!x->factor || !zl_monomial_div(&q, y, x)) return false;
    return !zl_monomial_is(&q, 1) && !zl_monomial_is(&q, -1) ? true : a < b;
}

static bool is_order(const zl_rising *o)
{
    for (size_t i = 0; i < o->count; i++)
        for (size_t k = i + 1; k < o->count; k++)
            if (precedes(o, o->at[k], o->at[i])) return false;
    return true;
}

static void swap(zl_rising *o, size_t i, size_t k)
{
    uint8_t held = o->at[i];
    o->at[i] = o->at[k];
    o->at[k] = held;
}

/* The next permutation in lexical order. */
static bool permute(zl_rising *o)
{
    size_t i = o->count, last = o->count - 1;
    while (i > 1 && o->at[i - 2] >= o->at[i - 1]) i--;
    if (i < 2) return false;
    size_t pivot = i - 2;
    for (size_t k = last;; k--)
        if (o->at[k] > o->at[pivot]) {
            swap(o, pivot, k);
            break;
        }
    for (size_t k = last; i - 1 < k; i++, k--) swap(o, i - 1, k);
    return true;
}

static uint32_t least_signs(const zl_rising *o)
{
    uint32_t down = 0;
    for (size_t i = 0; i < o->count; i++) down |= (uint32_t)(o->sign[i] < 0) << i;
    return down;
}

bool zl_rising_begin(zl_rising *o, const zl_symbols *s)
{
    *o = (zl_rising){.s = s, .count = s->leaves};
    if (s->leaves > ZL_SYMBOL_ORDERED) return false;
    for (size_t i = 0; i < o->count; i++) {
        o->at[i] = (uint8_t)i;
        o->sign[i] = zl_symbols_sign(&s->leaf[i].stride, s);
    }
    o->down = least_signs(o);
    while (!is_order(o))
        if (!permute(o)) return false;
    return true;
}

void zl_rising_upwards(zl_rising *o)
{
    for (size_t i = 0; i < o->count; i++)
        if (!o->sign[i]) o->sign[i] = 1;
}

/* Signs that are not known count up as bits. */
static bool next_signs(zl_rising *o)
{
    for (size_t i = 0; i < o->count; i++) {
        if (o->sign[i]) continue;
        o->down ^= (uint32_t)1 << i;
        if (o->down >> i & 1) return true;
    }
    return false;
}

bool zl_rising_next(zl_rising *o)
{
    if (next_signs(o)) return true;
    do
        if (!permute(o)) return false;
    while (!is_order(o));
    o->down = least_signs(o);
    return true;
}

bool zl_rising_step(zl_monomial *out, const zl_rising *o, size_t mode)
{
    *out = o->s->leaf[mode].stride;
    return !(o->down >> mode & 1) || zl_sub(0, out->factor, &out->factor);
}

/* p + sign (extent - 1) stride */
static bool add_span(zl_poly *p, const zl_monomial *extent, const zl_monomial *stride)
{
    zl_monomial one = zl_monomial_of(1);
    return zl_poly_add_product(p, extent, stride) && zl_poly_sub_product(p, &one, stride);
}

bool zl_rising_add_reach(zl_poly *p, const zl_rising *o, size_t mode)
{
    zl_monomial step;
    return zl_rising_step(&step, o, mode) && add_span(p, &o->s->leaf[mode].shape, &step);
}

bool zl_rising_add_least(zl_poly *p, const zl_rising *o)
{
    bool fits = zl_poly_add_all(p, &o->s->offset);
    for (size_t i = 0; i < o->count && fits; i++)
        if (o->down >> i & 1) fits = add_span(p, &o->s->leaf[i].shape, &o->s->leaf[i].stride);
    return fits;
}
