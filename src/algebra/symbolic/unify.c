/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that are equations, as ld = K or ld = 2*K + 8, used by substitution: two opposite facts of
 * a symbolic layout say that a sum is 0, and a name that stands in it once, with the factor 1 or
 * -1, is the rest of the sum.  In two layouts a name becomes the rest where that is a monomial, so
 * that extents and strides stay monomials; in a sum it becomes any rest. */
#include "algebra/symbolic/symbol.h"

#include <string.h>

static zl_poly sum_of(const zl_slack *s, bool *fits)
{
    zl_poly sum = {0, {{0, {0}}}};
    for (size_t k = 0; k < ZL_SLACK_TERMS; k++) *fits = *fits && zl_poly_add(&sum, &s->term[k]);
    return sum;
}

static bool is_opposite(const zl_poly *a, const zl_poly *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++) {
        zl_monomial m = b->term[i];
        if (!zl_sub(0, m.factor, &m.factor) || !zl_monomial_equal(&a->term[i], &m)) return false;
    }
    return true;
}

/* The one name of a term with the factor 1 or -1; ZL_SYMBOLS_MOST: there is none. */
static size_t lone_name(const zl_monomial *m)
{
    size_t found = ZL_SYMBOLS_MOST;
    if (m->factor != 1 && m->factor != -1) return ZL_SYMBOLS_MOST;
    for (size_t i = 0; i < ZL_SYMBOLS_MOST; i++) {
        if (!m->power[i]) continue;
        if (m->power[i] > 1 || found < ZL_SYMBOLS_MOST) return ZL_SYMBOLS_MOST;
        found = i;
    }
    return found;
}

/* The t-th term of a sum that is 0, as a name and what it is equal to. */
static bool solve(zl_equation *out, const zl_poly *zero, size_t t)
{
    zl_monomial minus = zl_monomial_of(-zero->term[t].factor);
    bool fits = true;
    *out = (zl_equation){.name = lone_name(&zero->term[t])};
    if (out->name == ZL_SYMBOLS_MOST) return false;
    for (size_t i = 0; i < zero->count && fits; i++)
        if (i != t) {
            fits = !zero->term[i].power[out->name] &&
                   zl_poly_add_product(&out->is, &zero->term[i], &minus);
        }
    return fits;
}

/* Of a fact's terms the one whose rest is a monomial of a positive factor is best. */
static bool equation_of(zl_equation *out, const zl_poly *zero)
{
    bool found = false;
    for (size_t t = 0; t < zero->count; t++) {
        zl_equation e;
        if (!solve(&e, zero, t)) continue;
        bool better = e.is.count == 1 && e.is.term[0].factor > 0;
        if (!found || better) *out = e;
        found = true;
        if (better) return true;
    }
    return found;
}

size_t zl_equations_of(zl_equation *out, const zl_symbols *s)
{
    size_t count = 0;
    for (size_t i = 0; i < s->slacks; i++)
        for (size_t k = i + 1; k < s->slacks; k++) {
            bool fits = true;
            zl_poly a = sum_of(&s->slack[i], &fits), b = sum_of(&s->slack[k], &fits);
            if (!fits || !a.count || !is_opposite(&a, &b) || count == ZL_SLACKS_MOST) continue;
            a = zl_poly_reduced(&a, true);
            count += equation_of(&out[count], &a);
        }
    return count;
}

/* ---- substitution ------------------------------------------------------------------- */

static bool put_monomial(zl_monomial *m, const zl_equation *e)
{
    zl_monomial made = *m;
    made.power[e->name] = 0;
    for (unsigned k = 0; k < m->power[e->name]; k++)
        if (!zl_monomial_mul(&made, &made, &e->is.term[0])) return false;
    *m = made;
    return true;
}

bool zl_poly_substitute(zl_poly *p, const zl_equation *e)
{
    enum { POWER_MOST = 4 };
    zl_poly out = {0, {{0, {0}}}};
    for (size_t i = 0; i < p->count; i++) {
        zl_poly now = {1, {p->term[i]}};
        unsigned power = p->term[i].power[e->name];
        now.term[0].power[e->name] = 0;
        if (power > POWER_MOST) return false;
        for (; power; power--) {
            zl_poly next = {0, {{0, {0}}}};
            for (size_t k = 0; k < now.count * e->is.count; k++)
                if (!zl_poly_add_product(&next, &now.term[k / e->is.count],
                                         &e->is.term[k % e->is.count]))
                    return false;
            now = next;
        }
        if (!zl_poly_add_all(&out, &now)) return false;
    }
    *p = out;
    return true;
}

/* In extents and strides, where the rest is a monomial that an extent may be. */
bool zl_symbols_substitute(zl_symbols *s, const zl_equation *e)
{
    zl_symbols made = *s;
    if (e->is.count != 1 || e->is.term[0].factor < 1) return false;
    for (size_t i = 0; i < made.leaves; i++)
        if (!put_monomial(&made.leaf[i].shape, e) || !put_monomial(&made.leaf[i].stride, e))
            return false;
    if (!zl_poly_substitute(&made.offset, e)) return false;
    *s = made;
    return true;
}

/* ---- facts of a call -------------------------------------------------------------------- */

/* Names that the facts tie to others, as far as there is room. */
void zl_symbols_relate(zlay_ctx *ctx, zl_symbols *s, const zlay_facts *facts)
{
    size_t place;
    for (size_t k = 0; facts && k < facts->relations; k++)
        for (size_t i = 0; i < facts->relation[k].count; i++) {
            const char *name = facts->at[facts->relation[k].place[i]].name.text;
            if (s->names < ZL_SYMBOLS_MOST)
                (void)zl_symbols_name(ctx, s, &place, name, strlen(name));
        }
}
