/* SPDX-License-Identifier: Apache-2.0 */
/* Monomials and their sums: arithmetic, which says where something does not fit, and what the
 * ranges of the names say of them. */
#include "algebra/symbolic/symbol.h"

#include <string.h>

zl_monomial zl_monomial_of(int64_t value) { return (zl_monomial){value, {0}}; }

bool zl_monomial_constant(const zl_monomial *m)
{
    static const uint8_t none[ZL_SYMBOLS_MOST];
    return !memcmp(m->power, none, sizeof none);
}

bool zl_monomial_is(const zl_monomial *m, int64_t value)
{
    return m->factor == value && zl_monomial_constant(m);
}

bool zl_monomial_equal(const zl_monomial *a, const zl_monomial *b)
{
    return a->factor == b->factor && !memcmp(a->power, b->power, sizeof a->power);
}

bool zl_monomial_mul(zl_monomial *out, const zl_monomial *a, const zl_monomial *b)
{
    zl_monomial made = {0, {0}};
    if (!zl_mul(a->factor, b->factor, &made.factor)) return false;
    for (size_t i = 0; made.factor && i < ZL_SYMBOLS_MOST; i++) {
        unsigned power = (unsigned)a->power[i] + b->power[i];
        if (power > UINT8_MAX) return false;
        made.power[i] = (uint8_t)power;
    }
    *out = made;
    return true;
}

bool zl_monomial_div(zl_monomial *out, const zl_monomial *a, const zl_monomial *b)
{
    zl_monomial made = {0, {0}};
    if (b->factor == -1 ? a->factor == INT64_MIN : a->factor % b->factor) return false;
    made.factor = a->factor / b->factor;
    for (size_t i = 0; made.factor && i < ZL_SYMBOLS_MOST; i++) {
        if (a->power[i] < b->power[i]) return false;
        made.power[i] = (uint8_t)(a->power[i] - b->power[i]);
    }
    *out = made;
    return true;
}

/* Names before numbers, as in M*K - 1. */
bool zl_poly_add(zl_poly *p, const zl_monomial *m)
{
    size_t i = 0;
    if (!m->factor) return true;
    while (i < p->count && memcmp(p->term[i].power, m->power, sizeof m->power) > 0) i++;
    zl_monomial *at = &p->term[i];
    size_t behind = (p->count - i) * sizeof *at;
    if (i < p->count && !memcmp(at->power, m->power, sizeof m->power)) {
        if (!zl_add(at->factor, m->factor, &at->factor)) return false;
        if (!at->factor) memmove(at, at + 1, (--p->count - i) * sizeof *at);
        return true;
    }
    if (p->count == ZL_SYMBOL_TERMS) return false;
    memmove(at + 1, at, behind);
    *at = *m;
    p->count++;
    return true;
}

bool zl_poly_add_product(zl_poly *p, const zl_monomial *a, const zl_monomial *b)
{
    zl_monomial product;
    return zl_monomial_mul(&product, a, b) && zl_poly_add(p, &product);
}

bool zl_poly_sub_product(zl_poly *p, const zl_monomial *a, const zl_monomial *b)
{
    zl_monomial minus = *b;
    return zl_sub(0, b->factor, &minus.factor) && zl_poly_add_product(p, a, &minus);
}

bool zl_poly_add_all(zl_poly *p, const zl_poly *q)
{
    bool fits = true;
    for (size_t i = 0; i < q->count && fits; i++) fits = zl_poly_add(p, &q->term[i]);
    return fits;
}

bool zl_poly_sub_all(zl_poly *p, const zl_poly *q)
{
    bool fits = true;
    for (size_t i = 0; i < q->count && fits; i++) {
        zl_monomial m = q->term[i];
        fits = zl_sub(0, m.factor, &m.factor) && zl_poly_add(p, &m);
    }
    return fits;
}

bool zl_poly_equal(const zl_poly *a, const zl_poly *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = zl_monomial_equal(&a->term[i], &b->term[i]);
    return same;
}

zl_poly zl_poly_reduced(const zl_poly *p, bool sided)
{
    zl_poly made = *p;
    uint64_t common = 0;
    for (size_t i = 0; i < p->count; i++) common = zl_gcd(common, zl_magnitude(p->term[i].factor));
    bool minus = !sided && p->count && p->term[0].factor < 0;
    for (size_t i = 0; i < p->count; i++) {
        uint64_t factor = zl_magnitude(p->term[i].factor) / common;
        if (factor > INT64_MAX) return *p;
        bool negative = (p->term[i].factor < 0) != minus;
        made.term[i].factor = negative ? -(int64_t)factor : (int64_t)factor;
    }
    return made;
}

/* ---- ranges ------------------------------------------------------------------------ */

zlay_range zl_monomial_range(const zl_monomial *m, const zl_symbols *names)
{
    zlay_range range = zl_range_constant(m->factor);
    for (size_t i = 0; i < names->names; i++)
        for (unsigned k = 0; k < m->power[i]; k++)
            range = zl_range_mul(range, names->name[i].range);
    return range;
}

zlay_range zl_poly_range(const zl_poly *p, const zl_symbols *names)
{
    zlay_range range = zl_range_constant(0);
    for (size_t i = 0; i < p->count; i++)
        range = zl_range_add(range, zl_monomial_range(&p->term[i], names));
    return range;
}

/* ---- text ---------------------------------------------------------------------------- */
