/* SPDX-License-Identifier: Apache-2.0 */
/* What a row asks of what is given, and what the facts say of it. */
#include "legality/constants.h"
#include "legality/given.h"

#include <string.h>

uint8_t zl_given_at(const zl_given *g, int32_t field, uint32_t index)
{
    for (uint32_t i = 0; i < g->question->count; i++) {
        const zlay_tensormap_given *given = &g->question->given[i];
        bool one = field == ZLAY_FIELD_ADDRESS || given->index == (int32_t)index;
        if (given->field == field && one) return (uint8_t)i;
    }
    return ZL_GIVEN_NONE;
}

const int64_t *zl_given_row(const zl_given *g, uint8_t text)
{
    return g->coefficient + text * (g->names.count + 1);
}

bool zl_condition_line(const zl_given *g, const zl_condition *c)
{
    const int64_t *a = zl_given_row(g, c->a),
                  *b = c->b == ZL_GIVEN_NONE ? NULL : zl_given_row(g, c->b);
    for (size_t i = 0; i <= g->names.count; i++)
        if (!zl_mul(a[i], c->scale, &g->line[i]) || (b && !zl_sub(g->line[i], b[i], &g->line[i])))
            return false;
    return zl_add(g->line[g->names.count], c->offset, &g->line[g->names.count]);
}

/* ---- what a row asks ----------------------------------------------------------------- */

static int64_t bounded(uint64_t value) { return value > INT64_MAX ? INT64_MAX : (int64_t)value; }

static int32_t asks_of(int32_t relation)
{
    return relation == ZLAY_REL_MULTIPLE ? ZL_ASKS_MULTIPLE
           : relation == ZLAY_REL_EQUAL  ? ZL_ASKS_EQUAL
                                         : ZL_ASKS_RANGE;
}

static zl_condition condition_of(const zl_rule *rule, uint8_t text)
{
    zl_condition c;
    memset(&c, 0, sizeof c);
    c.asks = asks_of(rule->relation);
    c.a = text;
    c.b = ZL_GIVEN_NONE;
    c.scale = c.divisor = 1;
    c.lo = bounded(rule->lo);
    c.hi = bounded(rule->hi);
    return c;
}

static void inner_bytes(zl_condition *c, const zlay_tensormap *map)
{
    uint32_t bits = zl_smem_bits(map->type);
    c->scale = bits < 8 ? bits : bits / 8;
    if (bits < 8) c->divisor = 8;
}

static void area_of(zl_condition *c, const zlay_tensormap *map, uint32_t i, bool wrapped)
{
    bool wide = map->mode == 2 && i > 0;
    c->offset = wide ? 0 : (int64_t)map->upper[i];
    int64_t lower = wide ? 0 : map->lower[i];
    if (wrapped) {
        c->asks = ZL_ASKS_WRAPPED;
        c->lo = lower + 1;
    } else {
        c->offset -= lower;
        c->hi = INT64_MAX;
    }
}

/* No stride under the extent that it steps over: one of the two is given, or both. */
static bool stride_over_extent(zl_condition *c, const zl_given *g, uint32_t i)
{
    uint8_t stride = zl_given_at(g, ZLAY_FIELD_STRIDE, i),
            extent = zl_given_at(g, ZLAY_FIELD_EXTENT, i);
    c->lo = 0;
    c->hi = INT64_MAX;
    c->a = stride;
    c->b = extent;
    if (stride != ZL_GIVEN_NONE)
        c->offset = extent == ZL_GIVEN_NONE ? -bounded(g->map.extent[i]) : 0;
    else {
        c->a = extent;
        c->b = ZL_GIVEN_NONE;
        c->scale = -1;
        c->offset = bounded(g->map.stride[i]);
    }
    return c->a != ZL_GIVEN_NONE;
}

static bool has_box(const zl_given *g)
{
    for (uint32_t i = 0; i < zl_dims(&g->map); i++)
        if (zl_given_at(g, ZLAY_FIELD_BOX, i) != ZL_GIVEN_NONE) return true;
    return false;
}

bool zl_given_asks(zl_condition *c, const zl_rule *rule, const zl_given *g, const zl_subject *s,
                   uint32_t i)
{
    const zlay_tensormap *map = &g->map;
    int32_t field = zl_quantity_field(rule->quantity);
    uint32_t at = rule->quantity == ZL_Q_SLICES ? map->rank - 2 : i;
    if (rule->quantity == ZL_Q_BOX0_BYTES || rule->quantity == ZL_Q_SLICES) field = ZLAY_FIELD_BOX;
    if (rule->quantity == ZL_Q_AREA || rule->quantity == ZL_Q_AREA_WRAPPED) {
        field = ZLAY_FIELD_EXTENT;
        at = i + (map->interleave == 0);
    }
    *c = condition_of(rule, field == ZLAY_FIELD_NONE ? ZL_GIVEN_NONE : zl_given_at(g, field, at));
    if (rule->quantity == ZL_Q_FOOTPRINT || rule->quantity == ZL_Q_BOX_SMEM) {
        c->asks = rule->quantity == ZL_Q_FOOTPRINT ? ZL_ASKS_FOOTPRINT : ZL_ASKS_SMEM;
        c->hi = bounded(zl_bound(rule->hi, s, 0));
        return has_box(g);
    }
    if (rule->lo == ZL_BOUND_EXTENT) return stride_over_extent(c, g, i);
    if (rule->quantity == ZL_Q_BOX0_BYTES) inner_bytes(c, map);
    if (rule->quantity == ZL_Q_AREA || rule->quantity == ZL_Q_AREA_WRAPPED)
        area_of(c, map, i, rule->quantity == ZL_Q_AREA_WRAPPED);
    return c->a != ZL_GIVEN_NONE;
}

/* ---- what the facts say of it ---------------------------------------------------------- */

static zlay_status line_range(zlay_range *out, const zl_given *g)
{
    const zlay_facts *facts = g->question->facts;
    zl_linear form = {g->line, zl_range_constant(g->line[g->names.count]), true};
    *out = zl_linear_range(&form, &g->names);
    return facts && facts->relations ? zl_relations_of(g->ctx, out, facts, &form, &g->names)
                                     : ZLAY_OK;
}

static zl_state of_range(zlay_range r, int64_t lo, int64_t hi)
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
    if (r.lo >= -half && r.hi < half) return of_range(r, least, INT64_MAX);
    if (r.lo >= half && r.hi < 3 * half)
        return of_range(zl_range_add(r, zl_range_constant(-2 * half)), least, INT64_MAX);
    return ZL_OPEN;
}

zl_factor zl_factor_of(const zl_given *g, const zl_condition *c, uint32_t i)
{
    const zlay_tensormap *map = &g->map;
    bool smem = c->asks == ZL_ASKS_SMEM, span = smem && !map->interleave && zl_span(map->swizzle);
    bool steps = i > 0 || map->interleave || !smem;
    zl_factor f = {zl_given_at(g, ZLAY_FIELD_BOX, i), map->box[i], steps ? map->step[i] : 1, smem};
    bool slice = smem && map->interleave && i + 2 == map->rank;
    if (slice || (span && i == 0)) f = (zl_factor){ZL_GIVEN_NONE, 1, 1, 0};
    return f;
}

uint64_t zl_factor_unit(const zl_given *g, const zl_condition *c)
{
    const zlay_tensormap *map = &g->map;
    if (c->asks == ZL_ASKS_FOOTPRINT) return zlay_tensormap_type_bits(map->type);
    if (map->interleave) return map->interleave == 2 ? 256 : 128;
    uint64_t span = zl_span(map->swizzle);
    return span ? span * 8 : zl_smem_bits(map->type);
}

/* Every product stands behind the bounds of each box, which are rows of their own. */
static zlay_status factor_range(zlay_range *out, zl_given *g, zl_factor f)
{
    zl_condition one = {
        .a = f.text, .b = ZL_GIVEN_NONE, .scale = 1, .offset = f.up ? f.step - 1 : 0};
    zlay_status status = ZLAY_OK;
    int64_t up = one.offset;
    if (f.text == ZL_GIVEN_NONE)
        *out = zl_range_constant(bounded(f.number + (uint64_t)up));
    else if (!zl_condition_line(g, &one)) *out = zl_range_all();
    else status = line_range(out, g);
    if (f.text != ZL_GIVEN_NONE)
        *out = zl_range_meet(*out, zl_range_between(1 + up, BOX_MOST + up));
    if (zl_range_is_empty(*out)) return status;
    *out = f.step ? zl_range_floor_div(*out, zl_range_constant(f.step)) : zl_range_constant(0);
    return status;
}

static zlay_status product_state(zl_state *out, zl_given *g, const zl_condition *c)
{
    zlay_range product = zl_range_constant(bounded(zl_factor_unit(g, c)));
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && i < zl_dims(&g->map); i++) {
        zlay_range factor;
        status = factor_range(&factor, g, zl_factor_of(g, c, i));
        if (!status && !zl_range_is_empty(factor)) product = zl_range_mul(product, factor);
    }
    if (!status) *out = of_range(product, INT64_MIN, c->hi * 8 + 7);
    return status;
}

zlay_status zl_condition_state(zl_state *out, zlay_range *range, zl_given *g, const zl_condition *c)
{
    *range = zl_range_all();
    if (c->asks >= ZL_ASKS_FOOTPRINT) return product_state(out, g, c);
    if (!zl_condition_line(g, c))
        return zl_fail(g->ctx, ZLAY_EOVERFLOW, "a form of the map's texts does not fit 64 bits");
    zlay_status status = line_range(range, g);
    if (status) return status;
    zlay_range whole =
        c->divisor > 1 ? zl_range_floor_div(*range, zl_range_constant(c->divisor)) : *range;
    *range = whole;
    switch (c->asks) {
    case ZL_ASKS_MULTIPLE: *out = of_multiple(whole, c->lo); break;
    case ZL_ASKS_EQUAL: *out = of_range(whole, c->lo, c->lo); break;
    case ZL_ASKS_WRAPPED: *out = of_wrapped(whole, c->lo); break;
    default: *out = of_range(whole, c->lo, c->hi);
    }
    return ZLAY_OK;
}
