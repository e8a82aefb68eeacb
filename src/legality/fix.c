/* SPDX-License-Identifier: Apache-2.0 */
/* The repair of one broken rule: the nearest value of its field that keeps most, and how many
 * copies it then takes. */
#include "legality/rule.h"

static const zlay_tensormap *map_of(const zl_subject *s) { return s->value; }

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    uint64_t more = unit - 1;
    return value > UINT64_MAX - more ? value / unit * unit : (value + more) / unit * unit;
}

static uint64_t elements(const zlay_tensormap *map, uint64_t bytes)
{
    uint32_t bits = zl_smem_bits(map->type);
    return bits ? bytes * 8 / bits : 0;
}

static void give(zlay_reason *r, int32_t keeps, uint64_t value, uint64_t split)
{
    r->fix_keeps = keeps;
    r->fix_value = value;
    r->fix_split = split > INT32_MAX ? INT32_MAX : (int32_t)split;
}

/* The largest box extent up to `most`, a multiple of `unit`, whose copies cover `box` exactly. */
static uint64_t divisor(uint64_t box, uint64_t most, uint64_t unit)
{
    for (uint64_t d = most / unit * unit; d >= unit && d > 0; d -= unit)
        if (box % d == 0) return d;
    return 0;
}

/* 16 bytes of elements, in which the inner box counts. */
static uint64_t inner_unit(const zlay_tensormap *map)
{
    uint64_t unit = elements(map, 16);
    return unit ? unit : 1;
}

static void fix_box(zlay_reason *r, const zlay_tensormap *map, uint64_t most)
{
    uint32_t i = r->index > 0 ? (uint32_t)r->index : 0;
    uint64_t box = map->box[i], to = box ? divisor(box, most, i ? 1 : inner_unit(map)) : 0;
    r->index = (int32_t)i;
    if (to) give(r, ZLAY_KEEPS_ALL, to, box / to);
    else if (box == 0) give(r, ZLAY_KEEPS_NOTHING, i ? 1 : inner_unit(map), 1);
    else give(r, ZLAY_KEEPS_BYTES, most / (i ? 1 : inner_unit(map)) * (i ? 1 : inner_unit(map)), 1);
}

/* Too large a box: split the outermost dimension that can be halved far enough. */
static void fix_footprint(zlay_reason *r, const zlay_tensormap *map)
{
    uint64_t over = r->hi ? (r->value + r->hi - 1) / r->hi : 0;
    for (int32_t i = (int32_t)(map->rank < 5 ? map->rank : 5) - 1; i >= 1 && over; i--) {
        uint64_t to = divisor(map->box[i], map->box[i] / over, 1);
        if (!to || map->step[i] > 1) continue;
        r->index = i;
        give(r, ZLAY_KEEPS_ALL, to, map->box[i] / to);
        return;
    }
}

static void fix_map(zlay_reason *r, const zl_rule *rule, const zlay_tensormap *map)
{
    switch (rule->quantity) {
    case ZL_Q_BOX: fix_box(r, map, r->hi); break;
    case ZL_Q_BOX0_BYTES:
        if (rule->relation == ZLAY_REL_RANGE) fix_box(r, map, elements(map, r->hi));
        else give(r, ZLAY_KEEPS_BYTES, round_up(map->box[0] ? map->box[0] : 1, inner_unit(map)), 1);
        break;
    case ZL_Q_FOOTPRINT:
    case ZL_Q_BOX_SMEM: fix_footprint(r, map); break;
    case ZL_Q_PACKED_SWIZZLE: give(r, rule->keeps, 3, 1); break;
    case ZL_Q_STEP: give(r, ZLAY_KEEPS_VALUES, r->value < r->lo ? r->lo : r->hi, 1); break;
    case ZL_Q_TYPE:
        if (rule->when == ZL_G_FILLS_NAN) give(r, ZLAY_KEEPS_VALUES, 0, 1);
        break;
    case ZL_Q_RANK:
        if (rule->when == ZL_G_INTERLEAVED && r->value >= 1 && r->value < 3)
            give(r, ZLAY_KEEPS_ALL, 3, 1);
        break;
    case ZL_Q_INTERLEAVE:
    case ZL_Q_OOB: give(r, ZLAY_KEEPS_VALUES, 0, 1); break;
    case ZL_Q_L2: give(r, ZLAY_KEEPS_ALL, 0, 1); break;
    case ZL_Q_SWIZZLE:
        give(r, ZLAY_KEEPS_BYTES,
             r->relation == ZLAY_REL_EQUAL ? r->lo
             : r->value > 3 && r->hi == 3  ? 3
                                           : 0,
             1);
        break;
    case ZL_Q_HAS_TMAP:
    case ZL_Q_MODE:
    case ZL_Q_EXTENT: break;
    default:
        if (r->relation == ZLAY_REL_MULTIPLE) give(r, rule->keeps, round_up(r->value, r->lo), 1);
        else if (r->relation == ZLAY_REL_EQUAL) give(r, rule->keeps, r->lo, 1);
    }
}

void zl_fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (s->kind == ZL_SUBJECT_TMAP) {
        fix_map(r, rule, map_of(s));
        return;
    }
    if (rule->keeps == ZLAY_KEEPS_NOTHING && rule->relation != ZLAY_REL_EQUAL &&
        rule->relation != ZLAY_REL_RANGE)
        return;
    if (rule->quantity == ZL_Q_HAS_WGMMA || rule->quantity == ZL_Q_SMEM) return;
    if (r->relation == ZLAY_REL_MULTIPLE) give(r, rule->keeps, round_up(r->value, r->lo), 1);
    else if (r->relation == ZLAY_REL_EQUAL) give(r, rule->keeps, r->lo, 1);
    else give(r, rule->keeps, r->value < r->lo ? r->lo : r->hi, 1);
}
