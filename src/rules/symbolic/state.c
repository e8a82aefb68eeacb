/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on linear texts, and what the facts say of them. */
#include "rules/symbolic/given.h"

#include <string.h>

static bool listed(int32_t field)
{
    return field == ZLAY_FIELD_EXTENT || field == ZLAY_FIELD_STRIDE || field == ZLAY_FIELD_BOX ||
           field == ZLAY_FIELD_COORDINATE || field == ZLAY_FIELD_OFFSET;
}

uint8_t zl_given_at(const zl_given *g, int32_t field, uint32_t index)
{
    for (uint32_t i = 0; i < g->count; i++) {
        const zlay_given *given = &g->text[i];
        bool one = !listed(field) || given->index == (int32_t)index;
        if (given->field == field && one) return (uint8_t)i;
    }
    return ZL_GIVEN_NONE;
}

const int64_t *zl_symbolic_row(const zl_given *g, uint8_t text)
{
    return g->coefficient + text * (g->names.count + 1);
}

/* line += factor text; ZL_GIVEN_NONE adds nothing. */
static bool line_add(const zl_given *g, uint8_t text, int64_t factor)
{
    int64_t part;
    if (text == ZL_GIVEN_NONE) return true;
    const int64_t *row = zl_symbolic_row(g, text);
    for (size_t i = 0; i <= g->names.count; i++)
        if (!zl_mul(row[i], factor, &part) || !zl_add(g->line[i], part, &g->line[i])) return false;
    return true;
}

bool zl_condition_line(const zl_given *g, const zl_condition *c)
{
    memset(g->line, 0, (g->names.count + 1) * sizeof *g->line);
    return line_add(g, c->a, c->scale) && line_add(g, c->b, c->times) &&
           zl_add(g->line[g->names.count], c->offset, &g->line[g->names.count]);
}

/* ---- conditions ---------------------------------------------------------------------- */

int64_t zl_bounded(uint64_t value) { return value > INT64_MAX ? INT64_MAX : (int64_t)value; }

static int32_t asks_of(int32_t relation)
{
    return relation == ZLAY_REL_MULTIPLE ? ZL_ASKS_MULTIPLE
           : relation == ZLAY_REL_EQUAL  ? ZL_ASKS_EQUAL
                                         : ZL_ASKS_RANGE;
}

zl_condition zl_condition_of(const zl_rule *rule, const zl_given *g, uint32_t i, uint8_t text)
{
    zl_condition c;
    memset(&c, 0, sizeof c);
    c.asks = asks_of(rule->relation);
    c.a = text;
    c.b = ZL_GIVEN_NONE;
    c.scale = c.divisor = 1;
    c.lo = zl_bounded(zl_bound(rule->lo, &g->subject, i));
    c.hi = zl_bounded(zl_bound(rule->hi, &g->subject, i));
    return c;
}

/* ---- what the facts say -------------------------------------------------------------- */

zlay_status zl_line_range(zlay_range *out, const zl_given *g)
{
    const zlay_facts *facts = g->facts;
    zl_linear form = {g->line, zl_range_constant(g->line[g->names.count]), true};
    *out = zl_linear_range(&form, g->names.at, g->names.count);
    return facts && facts->relations ? zl_relations_of(g->ctx, out, facts, &form, &g->names)
                                     : ZLAY_OK;
}

zl_state zl_state_of(zlay_range r, int64_t lo, int64_t hi)
{
    if ((r.lo >= lo || lo == INT64_MIN) && (r.hi <= hi || hi == INT64_MAX)) return ZL_HOLDS;
    return (r.hi < lo && r.hi != INT64_MAX) || (r.lo > hi && r.lo != INT64_MIN) ? ZL_BROKEN
                                                                                : ZL_OPEN;
}

static zl_state of_multiple(zlay_range r, int64_t unit)
{
    zlay_range rest = zl_range_mod(r, zl_range_constant(unit));
    if (zl_range_is_constant(rest)) return rest.rem ? ZL_BROKEN : ZL_HOLDS;
    return zl_range_has(rest, 0) ? ZL_OPEN : ZL_BROKEN;
}

static zl_state of_wrapped(zlay_range r, int64_t least)
{
    const int64_t half = INT64_C(1) << 31;
    if (r.lo >= -half && r.hi < half) return zl_state_of(r, least, INT64_MAX);
    if (r.lo >= half && r.hi < 3 * half)
        return zl_state_of(zl_range_add(r, zl_range_constant(-2 * half)), least, INT64_MAX);
    return ZL_OPEN;
}

/* The bytes of a box are of other texts than the form, or of the same: then it may stay open. */
static zlay_status of_box(zl_state *out, zlay_range *range, zl_given *g, const zl_condition *c)
{
    zlay_range bytes;
    zlay_status status = g->form->box->bytes(&bytes, g, c);
    if (status) return status;
    zlay_range sum = zl_range_add(*range, zl_range_scale(bytes, c->times));
    *out = zl_state_of(sum, c->lo, c->hi);
    if (c->times > 0) *range = sum;
    return ZLAY_OK;
}

zlay_status zl_condition_state(zl_state *out, zlay_range *range, zl_given *g, const zl_condition *c)
{
    *range = zl_range_all();
    if (c->asks == ZL_ASKS_FOOTPRINT || c->asks == ZL_ASKS_SMEM) return g->form->box->state(out, g, c);
    if (!zl_condition_line(g, c))
        return zl_fail(g->ctx, ZLAY_EOVERFLOW, "a form of the texts does not fit 64 bits");
    zlay_status status = zl_line_range(range, g);
    if (status) return status;
    if (c->asks >= ZL_ASKS_COPIED) return of_box(out, range, g, c);
    zlay_range whole =
        c->divisor > 1 ? zl_range_floor_div(*range, zl_range_constant(c->divisor)) : *range;
    *range = whole;
    switch (c->asks) {
    case ZL_ASKS_MULTIPLE: *out = of_multiple(whole, c->lo); break;
    case ZL_ASKS_EQUAL: *out = zl_state_of(whole, c->lo, c->lo); break;
    case ZL_ASKS_WRAPPED: *out = of_wrapped(whole, c->lo); break;
    default: *out = zl_state_of(whole, c->lo, c->hi);
    }
    return ZLAY_OK;
}
