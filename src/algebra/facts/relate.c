/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about several names: what they say of each name beside the ranges of the others, and of
 * expressions.  An expression e is (e - k d) + k d for a fact's form d, so d == 0, d <= 0 and
 * d == 0 mod m give it the range, one bound or the residue of e - k d, where a name is gone. */
#include "algebra/facts/form.h"

#include <string.h>

enum { ROUNDS = 16, FORMS_MOST = 64 };

/* ---- names -------------------------------------------------------------------------- */

/* c x + rest, for the x of one name. */
static zlay_range others(const zl_relation_fact *r, size_t but, const zl_unknown *at)
{
    zlay_range sum = zl_range_constant(r->rest);
    for (size_t i = 0; i < r->count; i++)
        if (i != but)
            sum = zl_range_add(sum, zl_range_scale(at[r->place[i]].range, r->coefficient[i]));
    return sum;
}

static zlay_range solve(const zl_relation_fact *r, size_t i, const zl_unknown *at)
{
    zlay_range rest = others(r, i, at);
    int64_t factor = r->coefficient[i], mod;
    if (r->how == ZL_FACT_AT_MOST) return zl_range_solve_least(factor, rest);
    if (r->how == ZL_FACT_ZERO && zl_range_is_constant(rest))
        return zl_range_solve_zero(factor, rest);
    mod = r->how == ZL_FACT_ZERO ? rest.mod : zl_gcd_int(r->mod, rest.mod);
    zlay_range residue = zl_range_solve_mod(factor, rest.rem % mod, mod);
    return r->how == ZL_FACT_ZERO ? zl_range_meet(residue, zl_range_solve_zero(factor, rest))
                                  : residue;
}

bool zl_relations_tighten(zl_unknown *at, const zl_relation_fact *r, size_t count, size_t *empty)
{
    bool changed = true;
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = false;
        for (size_t k = 0; k < count; k++)
            for (size_t i = 0; i < r[k].count; i++) {
                zlay_range *range = &at[r[k].place[i]].range;
                zlay_range now = zl_range_meet(*range, solve(&r[k], i, at));
                changed = changed || memcmp(&now, range, sizeof now);
                *range = now;
                *empty = k;
                if (zl_range_is_empty(now)) return false;
            }
    }
    return true;
}

/* ---- expressions ---------------------------------------------------------------------- */

/* A form that says something of the expression. */
typedef struct said {
    bool above, below; /* e is at most its greatest, at least its least value */
    int64_t mod;       /* e is congruent to it; 0: equal, 1: nothing is said */
    zl_linear form;    /* in the names of the facts */
} said;

static void learn(zlay_range *out, const said *s, const zl_unknown *at, size_t names)
{
    zlay_range r = zl_linear_range(&s->form, at, names), bounds = zl_range_all();
    int64_t mod = s->mod ? zl_gcd_int(s->mod, r.mod) : r.mod;
    if (s->above) bounds.hi = r.hi;
    if (s->below) bounds.lo = r.lo;
    if (bounds.lo <= bounds.hi)
        *out = zl_range_meet(*out, zl_range_between(bounds.lo, bounds.hi));
    if (mod > 1) *out = zl_range_meet(*out, zl_range_congruent(r.rem, mod));
    if (!mod) *out = zl_range_meet(*out, r);
}

/* s - k r, where k is that of the i-th name of r; false: no whole k, or no 64 bits. */
static bool subtract(said *out, const said *s, const zl_relation_fact *r, size_t i, size_t names)
{
    int64_t whole = s->form.coefficient[r->place[i]], part = r->coefficient[i], k, product;
    if (!whole || whole == INT64_MIN || whole % part) return false;
    k = whole / part;
    memcpy(out->form.coefficient, s->form.coefficient, names * sizeof *s->form.coefficient);
    for (size_t n = 0; n < r->count; n++) {
        int64_t *at = &out->form.coefficient[r->place[n]];
        if (!zl_mul(k, r->coefficient[n], &product) || !zl_sub(*at, product, at)) return false;
    }
    if (!zl_mul(k, r->rest, &product) || product == INT64_MIN) return false;
    out->form.rest = zl_range_add(s->form.rest, zl_range_constant(-product));
    bool bound = r->how == ZL_FACT_AT_MOST, mod = r->how == ZL_FACT_MOD;
    out->above = s->above && !mod && (!bound || k > 0);
    out->below = s->below && !mod && (!bound || k < 0);
    out->mod = bound ? 1 : s->mod;
    bool fits = mod && zl_mul(k, r->mod, &product) && product != INT64_MIN;
    if (mod) out->mod = fits ? zl_gcd_int(s->mod, product) : 1;
    return out->above || out->below || out->mod != 1;
}

/* Breadth first, so that short chains of facts come before long ones. */
static void search(zlay_range *out, said *s, const zlay_facts *facts)
{
    size_t count = 1;
    for (size_t k = 0; k < count; k++) {
        learn(out, &s[k], facts->at, facts->count);
        for (size_t n = 0; n < facts->relations; n++)
            for (size_t i = 0; i < facts->relation[n].count && count < FORMS_MOST; i++)
                count += subtract(&s[count], &s[k], &facts->relation[n], i, facts->count);
    }
}

zlay_status zl_relations_of(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts,
                            const zl_linear *form, const zl_unknowns *u)
{
    zl_mark mark = zl_scratch_mark(ctx);
    size_t names = facts->count;
    said s[FORMS_MOST];
    int64_t *room = zl_scratch(ctx, FORMS_MOST * names, sizeof *room);
    if (!room) return ZLAY_ENOMEM;
    for (size_t i = 0; i < FORMS_MOST; i++) s[i].form.coefficient = room + i * names;
    s[0] = (said){true, true, 0, {room, form->rest, true}};
    for (size_t i = 0; i < u->count; i++) {
        size_t place = zl_facts_place(facts, u->at[i].name.text);
        if (place < names) room[place] = form->coefficient[i];
        else if (form->coefficient[i])
            s[0].form.rest = zl_range_add(
                s[0].form.rest, zl_range_scale(u->at[i].range, form->coefficient[i]));
    }
    search(out, s, facts);
    zl_scratch_release(ctx, mark);
    return ZLAY_OK;
}
