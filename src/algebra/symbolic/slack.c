/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about several names of a symbolic layout. */
#include "algebra/symbolic/symbol.h"

#include <string.h>

bool zl_slacks_hold(const zl_symbols *s)
{
    for (size_t i = 0; i < s->slacks; i++) {
        zl_poly sum = {0, {{0, {0}}}};
        bool fits = true;
        for (size_t k = 0; k < ZL_SLACK_TERMS && fits; k++)
            fits = zl_poly_add(&sum, &s->slack[i].term[k]);
        if (fits && zl_poly_range(&sum, s).hi < 0) return false;
    }
    return true;
}

/* The name, or its exact quotient by *by. */
static size_t place_of(const zl_symbols *s, const char *name, int64_t *by)
{
    for (size_t i = 0; i < s->names; i++) {
        zl_quotient q;
        zl_quotient_read(&q, s->name[i].name.text);
        *by = q.by;
        if (!q.up && !strcmp(q.base.text, name)) return i;
    }
    return s->names;
}

/* sign times the form; false: a name that the layout has not. */
static bool slack_of(zl_slack *out, const zl_symbols *s, const zlay_facts *facts,
                     const zl_relation_fact *r, int64_t sign)
{
    *out = (zl_slack){{{sign * r->rest, {0}}}};
    for (size_t i = 0; i < r->count; i++) {
        int64_t by = 1;
        size_t place = place_of(s, facts->at[r->place[i]].name.text, &by);
        if (place == s->names) return false;
        if (!zl_mul(sign * r->coefficient[i], by, &out->term[1 + i].factor)) return false;
        out->term[1 + i].power[place] = 1;
    }
    return true;
}

/* d <= 0 is -d >= 0, and d == 0 is both. */
void zl_slacks_assume(zl_symbols *s, const zlay_facts *facts)
{
    for (size_t i = 0; facts && i < facts->relations; i++) {
        const zl_relation_fact *r = &facts->relation[i];
        for (int64_t sign = -1; sign <= 1; sign += 2) {
            bool says = r->how == ZL_FACT_ZERO || (r->how == ZL_FACT_AT_MOST && sign < 0);
            if (says && s->slacks < ZL_SLACKS_MOST)
                s->slacks += slack_of(&s->slack[s->slacks], s, facts, r, sign);
        }
    }
}

/* What the other terms leave of a name: factor x + rest >= 0. */
static zlay_range left_to(const zl_symbols *s, const zl_slack *slack, size_t k)
{
    zlay_range rest = zl_range_constant(0);
    for (size_t i = 0; i < ZL_SLACK_TERMS; i++)
        if (i != k) rest = zl_range_add(rest, zl_monomial_range(&slack->term[i], s));
    return zl_range_solve_least(-slack->term[k].factor, zl_range_scale(rest, -1));
}

static void tighten(zl_symbols *s, const zl_slack *slack)
{
    for (size_t k = 0; k < ZL_SLACK_TERMS; k++)
        for (size_t i = 0; i < s->names && slack->term[k].factor; i++)
            if (slack->term[k].power[i])
                s->name[i].range = zl_range_meet(s->name[i].range, left_to(s, slack, k));
}

void zl_slacks_tighten(zl_symbols *s)
{
    enum { ROUNDS = 4 };
    for (size_t i = 0; i < ROUNDS * s->slacks; i++) tighten(s, &s->slack[i % s->slacks]);
}
