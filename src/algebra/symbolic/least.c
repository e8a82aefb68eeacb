/* SPDX-License-Identifier: Apache-2.0 */
/* A bound from below that sees what terms share: each name is its own bound and a part that is 0 or
 * more, and what is multiplied out has a constant and terms that are 0 or more.  So M*ld - ld is at
 * least 0 where M >= 1 and ld >= 0, which the intervals of its terms do not show. */
#include "algebra/symbolic/symbol.h"

enum { POWER_MOST = 4 };

/* What stands for a name: from + sign x, x >= 0. */
typedef struct part {
    int64_t from;
    int sign;
} part;

/* The upper bound where only that helps. */
static bool part_of(part *out, const zl_poly *p, const zl_symbols *names, size_t name)
{
    zlay_range r = names->name[name].range;
    bool below = false;
    for (size_t i = 0; i < p->count; i++)
        below = below || (p->term[i].power[name] && p->term[i].factor < 0);
    bool has_lo = r.lo > INT64_MIN, has_hi = r.hi < INT64_MAX;
    bool up = has_lo && (!below || !has_hi);
    *out = (part){up ? r.lo : r.hi, up ? 1 : -1};
    return up || has_hi;
}

/* One factor of a term: x power becomes (from + sign x). */
static bool expand_term(zl_poly *out, const zl_monomial *term, size_t name, part by)
{
    zl_poly now = {0, {{0, {0}}}};
    zl_monomial rest = *term, x = zl_monomial_of(by.sign), from = zl_monomial_of(by.from);
    unsigned power = term->power[name];
    rest.power[name] = 0;
    x.power[name] = 1;
    bool fits = power <= POWER_MOST && zl_poly_add(&now, &rest);
    for (; power && fits; power--) {
        zl_poly next = {0, {{0, {0}}}};
        for (size_t i = 0; i < now.count && fits; i++)
            fits = zl_poly_add_product(&next, &now.term[i], &x) &&
                   zl_poly_add_product(&next, &now.term[i], &from);
        now = next;
    }
    return fits && zl_poly_add_all(out, &now);
}

static bool expand(zl_poly *p, size_t name, part by)
{
    zl_poly out = {0, {{0, {0}}}};
    for (size_t i = 0; i < p->count; i++)
        if (!expand_term(&out, &p->term[i], name, by)) return false;
    *p = out;
    return true;
}

static bool is_used(const zl_poly *p, size_t name)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->term[i].power[name]) return true;
    return false;
}

bool zl_poly_least(int64_t *out, const zl_poly *p, const zl_symbols *names)
{
    zl_poly q = *p;
    part by;
    *out = 0;
    for (size_t k = 0; k < names->names; k++)
        if (is_used(&q, k) && (!part_of(&by, &q, names, k) || !expand(&q, k, by))) return false;
    for (size_t i = 0; i < q.count; i++) {
        if (zl_monomial_constant(&q.term[i])) *out = q.term[i].factor;
        else if (q.term[i].factor < 0) return false;
    }
    return true;
}

static bool shows(const zl_poly *p, const zl_symbols *names, int64_t least)
{
    int64_t found;
    return zl_poly_range(p, names).lo >= least ||
           (zl_poly_least(&found, p, names) && found >= least);
}

/* p - q slack, where q is 0 or more and takes the term t of p away. */
static bool take_away(zl_poly *out, const zl_poly *p, size_t t, const zl_slack *s, size_t k,
                      const zl_symbols *names)
{
    const zl_monomial *gone = &s->term[k];
    zl_monomial q;
    if (!gone->factor || zl_monomial_constant(gone)) return false;
    if (!zl_monomial_div(&q, &p->term[t], gone)) return false;
    if (zl_monomial_range(&q, names).lo < 0) return false;
    *out = *p;
    for (size_t i = 0; i < ZL_SLACK_TERMS; i++)
        if (s->term[i].factor && !zl_poly_sub_product(out, &q, &s->term[i])) return false;
    return true;
}

bool zl_poly_not_below(const zl_poly *p, const zl_symbols *names, int64_t least)
{
    enum { FORMS_MOST = 16 };
    zl_poly form[FORMS_MOST];
    size_t count = 1, terms = names->slacks * ZL_SLACK_TERMS;
    form[0] = *p;
    for (size_t k = 0; k < count; k++) {
        if (shows(&form[k], names, least)) return true;
        for (size_t t = 0; t < form[k].count; t++)
            for (size_t i = 0; i < terms && count < FORMS_MOST; i++)
                count += take_away(&form[count], &form[k], t, &names->slack[i / ZL_SLACK_TERMS],
                                   i % ZL_SLACK_TERMS, names);
    }
    return false;
}
