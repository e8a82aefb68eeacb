/* SPDX-License-Identifier: Apache-2.0 */
/* What a row asks of a map's texts, and what the facts say of products over its box. */
#include "legality/tensormap/symbolic.h"
#include "rules/bounds.h"
#include "rules/constants.h"

/* ---- what a row asks ----------------------------------------------------------------- */

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
    c->hi = INT64_MAX;
    c->a = zl_given_at(g, ZLAY_FIELD_STRIDE, i);
    c->b = zl_given_at(g, ZLAY_FIELD_EXTENT, i);
    if (c->b == ZL_GIVEN_NONE) return c->a != ZL_GIVEN_NONE;
    c->lo = 0;
    c->times = -1;
    if (c->a == ZL_GIVEN_NONE) c->offset = zl_bounded(g->map->stride[i]);
    return true;
}

bool zl_box_symbolic(const zl_given *g)
{
    for (uint32_t i = 0; i < zl_dims(g->map); i++)
        if (zl_given_at(g, ZLAY_FIELD_BOX, i) != ZL_GIVEN_NONE) return true;
    return false;
}

bool zl_map_asks(zl_condition *c, const zl_rule *rule, const zl_given *g, uint32_t i)
{
    const zlay_tensormap *map = g->map;
    int32_t field = zl_quantity_field(rule->quantity);
    uint32_t at = rule->quantity == ZL_Q_SLICES ? map->rank - 2 : i;
    if (rule->quantity == ZL_Q_BOX0_BYTES || rule->quantity == ZL_Q_SLICES) field = ZLAY_FIELD_BOX;
    if (rule->quantity == ZL_Q_AREA || rule->quantity == ZL_Q_AREA_WRAPPED) {
        field = ZLAY_FIELD_EXTENT;
        at = i + (map->interleave == 0);
    }
    uint8_t text = field == ZLAY_FIELD_NONE ? ZL_GIVEN_NONE : zl_given_at(g, field, at);
    *c = zl_condition_of(rule, g, i, text);
    if (rule->quantity == ZL_Q_FOOTPRINT || rule->quantity == ZL_Q_BOX_SMEM) {
        c->asks = rule->quantity == ZL_Q_FOOTPRINT ? ZL_ASKS_FOOTPRINT : ZL_ASKS_SMEM;
        c->hi = zl_bounded(zl_bound(rule->hi, &g->subject, 0));
        return zl_box_symbolic(g);
    }
    if (zl_bound_is(rule->lo, EXTENT_OF_DIMENSION)) return stride_over_extent(c, g, i);
    if (rule->quantity == ZL_Q_BOX0_BYTES) inner_bytes(c, map);
    if (rule->quantity == ZL_Q_AREA || rule->quantity == ZL_Q_AREA_WRAPPED)
        area_of(c, map, i, rule->quantity == ZL_Q_AREA_WRAPPED);
    return c->a != ZL_GIVEN_NONE;
}

/* ---- products over the box ----------------------------------------------------------- */

static zl_factor factor_of(const zl_given *g, const zl_condition *c, uint32_t i)
{
    const zlay_tensormap *map = g->map;
    bool placed = c->asks == ZL_ASKS_SMEM || c->asks == ZL_ASKS_PLACED;
    bool whole = c->asks != ZL_ASKS_FOOTPRINT, span = placed && !map->interleave && zl_span(map->swizzle);
    bool steps = i > 0 || map->interleave || !whole;
    zl_factor f = {zl_given_at(g, ZLAY_FIELD_BOX, i), map->box[i], steps ? map->step[i] : 1, whole};
    bool slice = whole && map->interleave && i + 2 == map->rank;
    if (slice || (span && i == 0)) f = (zl_factor){ZL_GIVEN_NONE, 1, 1, 0};
    return f;
}

static uint64_t factor_unit(const zl_given *g, const zl_condition *c)
{
    const zlay_tensormap *map = g->map;
    if (c->asks == ZL_ASKS_FOOTPRINT) return zl_map_bits(map->type);
    if (map->interleave) return map->interleave == 2 ? 256 : 128;
    if (c->asks == ZL_ASKS_COPIED) return zl_map_bits(map->type);
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
        *out = zl_range_constant(zl_bounded(f.number + (uint64_t)up));
    else if (!zl_condition_line(g, &one)) *out = zl_range_all();
    else status = zl_line_range(out, g);
    if (f.text != ZL_GIVEN_NONE)
        *out = zl_range_meet(*out, zl_range_between(1 + up, BOX_MOST + up));
    if (zl_range_is_empty(*out)) return status;
    *out = f.step ? zl_range_floor_div(*out, zl_range_constant(f.step)) : zl_range_constant(0);
    return status;
}

static zlay_status product_range(zlay_range *out, zl_given *g, const zl_condition *c)
{
    zlay_range product = zl_range_constant(zl_bounded(factor_unit(g, c)));
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && i < zl_dims(g->map); i++) {
        zlay_range factor;
        status = factor_range(&factor, g, factor_of(g, c, i));
        if (!status && !zl_range_is_empty(factor)) product = zl_range_mul(product, factor);
    }
    *out = product;
    return status;
}

static zlay_status product_state(zl_state *out, zl_given *g, const zl_condition *c)
{
    zlay_range product;
    zlay_status status = product_range(&product, g, c);
    if (!status) *out = zl_state_of(product, INT64_MIN, c->hi * 8 + 7);
    return status;
}

static zlay_status box_range(zlay_range *out, zl_given *g, const zl_condition *c)
{
    zlay_range bits;
    zlay_status status = product_range(&bits, g, c);
    if (!status) *out = zl_range_floor_div(bits, zl_range_constant(8));
    return status;
}

static uint32_t factors(const zl_given *g) { return zl_dims(g->map); }

const zl_given_box zl_map_box = {factors, factor_of, factor_unit, product_state, box_range};

void zl_box_single(zl_condition *c, const zl_given *g)
{
    uint64_t bits = factor_unit(g, c);
    uint8_t text = ZL_GIVEN_NONE;
    bool single = true;
    for (uint32_t i = 0; i < zl_dims(g->map); i++) {
        zl_factor f = factor_of(g, c, i);
        if (f.text == ZL_GIVEN_NONE) {
            bits = zl_umul_sat(bits, f.step ? (f.number + f.step - 1) / f.step : 0);
            continue;
        }
        single &= text == ZL_GIVEN_NONE && f.step == 1;
        text = f.text;
    }
    if (!single || bits % 8 || bits > INT32_MAX) return;
    c->asks = ZL_ASKS_RANGE;
    c->b = text;
    c->times *= (int64_t)(bits / 8);
    if (text == ZL_GIVEN_NONE) c->offset += c->times;
}
