/* SPDX-License-Identifier: Apache-2.0 */
/* The repair of one broken rule: the nearest value of its field that meets the rule, how many
 * issues it then takes, and what it keeps. */
#include "legality/repair.h"

static void give(zlay_reason *r, int32_t keeps, uint64_t value, uint64_t split)
{
    r->fix_keeps = keeps;
    r->fix_value = value;
    r->fix_split = split > INT32_MAX ? INT32_MAX : (int32_t)split;
}

static void narrow(zl_range *range, const zlay_reason *r)
{
    if (r->relation == ZLAY_REL_MULTIPLE) {
        if (r->lo > range->unit) range->unit = r->lo;
        return;
    }
    uint64_t hi = r->relation == ZLAY_REL_EQUAL ? r->lo : r->hi;
    if (r->lo > range->lo) range->lo = r->lo;
    if (hi < range->hi) range->hi = hi;
}

/* The nearest value that this rule and every refusing one of the entry allow; where they exclude
 * each other, that of this rule alone. False: it has none. */
static bool nearest(uint64_t *out, const zlay_reason *r, const zl_subject *s, uint64_t floor)
{
    zl_range all = zl_range_of(s, r->field, r->index), own = {0, UINT64_MAX, 1};
    narrow(&all, r);
    narrow(&own, r);
    return zl_nearest(out, r->value, floor, all) || zl_nearest(out, r->value, 0, all) ||
           zl_nearest(out, r->value, 0, own);
}

static void fix_value(zlay_reason *r, int32_t keeps, const zl_subject *s, uint64_t floor)
{
    uint64_t value;
    if (nearest(&value, r, s, floor)) give(r, keeps, value, 1);
}

/* ---- tensor maps --------------------------------------------------------------- */

static void fix_box(zlay_reason *r, const zl_subject *s)
{
    zlay_tensormap map = *(const zlay_tensormap *)s->value;
    zl_wish wish = zl_wish_of(&map);
    uint32_t i = (uint32_t)r->index;
    if (zl_box_fit(&map, s->target, &wish, i, ZL_FIT_ALONE)) {
        give(r, zl_box_keeps(&map, &wish), map.box[i], zl_box_issues(&map, &wish));
        return;
    }
    wish.elements[i] = wish.box[i] = 1;
    if (zl_box_fit(&map, s->target, &wish, i, ZL_FIT_ALONE))
        give(r, ZLAY_KEEPS_NOTHING, map.box[i], 1);
}

/* Too large a box is cut along one dimension: the outermost that can be cut far enough. */
static void fix_whole_box(zlay_reason *r, const zl_subject *s)
{
    const zlay_tensormap *from = s->value;
    zl_wish wish = zl_wish_of(from);
    for (uint32_t i = zl_dims(from); i-- > 0 && !r->fix_keeps;) {
        zlay_tensormap map = *from;
        if (!zl_box_fit(&map, s->target, &wish, i, ZL_FIT_ALL)) continue;
        r->index = (int32_t)i;
        give(r, zl_box_keeps(&map, &wish), map.box[i], zl_box_issues(&map, &wish));
    }
}

static void fix_stride(zlay_reason *r, const zl_subject *s)
{
    const zlay_tensormap *map = s->value;
    uint32_t i = (uint32_t)r->index;
    uint64_t floor = map->extent[i + 1] > 1 ? zl_covered(map, i) : 0;
    uint64_t value;
    if (!nearest(&value, r, s, floor)) return;
    give(r, value >= floor ? ZLAY_KEEPS_VALUES : ZLAY_KEEPS_NOTHING, value, 1);
}

static void fix_step(zlay_reason *r, const zl_subject *s)
{
    const zlay_tensormap *map = s->value;
    uint32_t i = (uint32_t)r->index;
    uint64_t value;
    if (!nearest(&value, r, s, 0)) return;
    bool same = zl_step_is_same(map, i, (uint32_t)value);
    give(r,
         !same                    ? ZLAY_KEEPS_NOTHING
         : zl_step_counts(map, i) ? ZLAY_KEEPS_BYTES
                                  : ZLAY_KEEPS_ALL,
         value, 1);
}

static void fix_interleave(zlay_reason *r, const zlay_tensormap *map)
{
    bool meant = map->interleave >= 0 && map->interleave <= 2;
    give(r, meant ? ZLAY_KEEPS_VALUES : ZLAY_KEEPS_BYTES, 0, 1);
}

static void fix_map(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    switch (rule->quantity) {
    case ZL_Q_HAS_TMAP: return;
    case ZL_Q_BOX:
    case ZL_Q_BOX0:
    case ZL_Q_BOX0_BYTES: fix_box(r, s); return;
    case ZL_Q_FOOTPRINT:
    case ZL_Q_BOX_SMEM: fix_whole_box(r, s); return;
    case ZL_Q_STRIDE: fix_stride(r, s); return;
    case ZL_Q_STEP: fix_step(r, s); return;
    case ZL_Q_INTERLEAVE: fix_interleave(r, s->value); return;
    case ZL_Q_PACKED_SWIZZLE: give(r, rule->keeps, ZLAY_SWIZZLE_128B, 1); return;
    case ZL_Q_TYPE: give(r, rule->keeps, rule->field == ZLAY_FIELD_OOB ? 0 : rule->lo, 1); return;
    case ZL_Q_MODE:
    case ZL_Q_L2:
    case ZL_Q_OOB: give(r, rule->keeps, 0, 1); return;
    case ZL_Q_EXTENT0: fix_value(r, rule->keeps, s, r->value); return;
    default: fix_value(r, rule->keeps, s, 0);
    }
}

/* ---- the others ---------------------------------------------------------------- */

/* A product larger than the instruction takes several; a smaller one is padded with zeros. */
static void fix_shape(zlay_reason *r, const zl_subject *s)
{
    zl_range range = zl_range_of(s, r->field, r->index);
    uint64_t value = range.hi, from = r->value;
    if (!from) {
        give(r, ZLAY_KEEPS_NOTHING, range.lo, 1);
        return;
    }
    for (uint64_t v = range.hi; v >= range.lo && v >= range.unit; v -= range.unit)
        if (from % v == 0) {
            give(r, ZLAY_KEEPS_ALL, v, from / v);
            return;
        }
    if (from < range.hi) zl_nearest(&value, from, from, range);
    give(r, ZLAY_KEEPS_VALUES, value, from / value + (from % value != 0));
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    uint64_t more = unit - 1;
    return value > UINT64_MAX - more ? value / unit * unit : (value + more) / unit * unit;
}

static void fix_other(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    switch (rule->quantity) {
    case ZL_Q_DESC_WGMMA:
    case ZL_Q_MMA_WGMMA:
    case ZL_Q_COPY_X_BYTES:
    case ZL_Q_COPY_ROW_BYTES: return;
    case ZL_Q_MMA_M:
    case ZL_Q_MMA_N:
    case ZL_Q_MMA_K: fix_shape(r, s); return;
    case ZL_Q_BASE_OFFSET: give(r, rule->keeps, r->value % (r->hi + 1), 1); return;
    default: break;
    }
    if (r->relation == ZLAY_REL_MULTIPLE && r->lo)
        give(r, rule->keeps, round_up(r->value, r->lo), 1);
    else if (r->relation != ZLAY_REL_MULTIPLE) fix_value(r, rule->keeps, s, 0);
}

void zl_fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    if (s->kind == ZL_SUBJECT_TMAP) fix_map(r, rule, s);
    else fix_other(r, rule, s);
}
