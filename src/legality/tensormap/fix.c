/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs of one broken rule of a tensor map. */
#include "legality/tensormap/fetch.h"
#include "legality/tensormap/repair.h"
#include "rules/bounds.h"

static void fix_box(zlay_reason *r, const zl_subject *s)
{
    zlay_tensormap map = *(const zlay_tensormap *)s->value;
    zl_wish wish = zl_wish_of(&map);
    uint32_t i = (uint32_t)r->index;
    if (zl_box_fit(&map, s->target, &wish, i, ZL_FIT_ALONE)) {
        zl_give(r, zl_box_keeps(&map, &wish), map.box[i], zl_box_issues(&map, &wish));
        return;
    }
    wish.elements[i] = wish.box[i] = 1;
    if (zl_box_fit(&map, s->target, &wish, i, ZL_FIT_ALONE))
        zl_give(r, ZLAY_KEEPS_NOTHING, map.box[i], 1);
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
        zl_give(r, zl_box_keeps(&map, &wish), map.box[i], zl_box_issues(&map, &wish));
    }
}

static void fix_stride(zlay_reason *r, const zl_subject *s)
{
    const zlay_tensormap *map = s->value;
    uint32_t i = (uint32_t)r->index;
    uint64_t floor = map->extent[i + 1] > 1 ? zl_covered(map, i, map->stride[i]) : 0;
    uint64_t value;
    if (!zl_fix_within(&value, r, zl_stride_range(s, i), floor)) return;
    zl_give(r, value >= floor ? ZLAY_KEEPS_VALUES : ZLAY_KEEPS_NOTHING, value, 1);
}

/* A stride that grows may come to step over dimensions that it did not before: again, then. */
static void fix_overlap(zlay_reason *r, const zl_subject *s)
{
    uint32_t i = (uint32_t)r->index;
    uint64_t stride, covered = r->lo;
    zl_field_range range = zl_stride_range(s, i);
    zl_narrow(&range, r->relation, r->lo, r->hi);
    bool found = zl_fix_within(&stride, r, range, covered);
    while (found && stride < (covered = zl_covered(s->value, i, stride)))
        found = zl_nearest(&stride, r->value, covered, range);
    if (found) zl_give(r, ZLAY_KEEPS_VALUES, stride, 1);
}

static void fix_step(zlay_reason *r, const zl_subject *s)
{
    const zlay_tensormap *map = s->value;
    uint32_t i = (uint32_t)r->index;
    uint64_t value;
    if (!zl_fix_nearest(&value, r, s, 0)) return;
    bool same = zl_step_is_same(map, i, (uint32_t)value);
    zl_give(r,
         !same                    ? ZLAY_KEEPS_NOTHING
         : zl_step_counts(map, i) ? ZLAY_KEEPS_BYTES
                                  : ZLAY_KEEPS_ALL,
         value, 1);
}

static bool fetch_is_used(const zl_subject *s, int32_t l2)
{
    zlay_tensormap map = *(const zlay_tensormap *)s->value;
    zl_subject other = {s->form, s->target, &map};
    map.l2 = l2;
    return !zl_guard_holds(ZL_G_ROWS_APART, s) ||
           other.form->bound(HALF_OF_FETCH, &other, 0) <= zl_quantity_value(ZL_Q_ROW_ASKED, s, 0);
}

/* The widest promotion that a row uses. A sector is fetched also without promotion: a row that
 * wastes that has no repair here. */
static void fix_promotion(zlay_reason *r, const zl_subject *s)
{
    int32_t l2 = ((const zlay_tensormap *)s->value)->l2;
    if (l2 > ZL_L2_256B) return; /* rule TMAP_L2 repairs that */
    while (l2 > 0 && !fetch_is_used(s, l2)) l2--;
    if (fetch_is_used(s, l2)) zl_give(r, ZLAY_KEEPS_ALL, (uint64_t)l2, 1);
}

static void fix_interleave(zlay_reason *r, const zlay_tensormap *map)
{
    bool meant = map->interleave >= 0 && map->interleave <= 2;
    zl_give(r, meant ? ZLAY_KEEPS_VALUES : ZLAY_KEEPS_BYTES, 0, 1);
}

void zl_tensormap_fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    switch (rule->quantity) {
    case ZL_Q_HAS_TMAP:
    case ZL_Q_HAS_WIDE:
    case ZL_Q_HAS_WIDE_128:
    case ZL_Q_WIDE_MODE:
    case ZL_Q_LOWER:
    case ZL_Q_UPPER:
    case ZL_Q_AREA:
    case ZL_Q_AREA_WRAPPED: return;
    case ZL_Q_ROW_ASKED: fix_promotion(r, s); return;
    case ZL_Q_CHANNELS:
    case ZL_Q_CHANNEL_BYTES:
    case ZL_Q_PIXELS:
    case ZL_Q_COLUMN_BYTES:
    case ZL_Q_COLUMN_SMEM: zl_columns_fix(r, s); return;
    case ZL_Q_BOX:
    case ZL_Q_BOX0:
    case ZL_Q_BOX0_BYTES: fix_box(r, s); return;
    case ZL_Q_SLICES:
    case ZL_Q_FOOTPRINT:
    case ZL_Q_BOX_SMEM: fix_whole_box(r, s); return;
    case ZL_Q_STRIDE:
        if (rule->by == ZLAY_BY_ADVICE) fix_overlap(r, s);
        else fix_stride(r, s);
        return;
    case ZL_Q_STEP: fix_step(r, s); return;
    case ZL_Q_INTERLEAVE: fix_interleave(r, s->value); return;
    case ZL_Q_WIDE_SWIZZLE:
    case ZL_Q_PACKED_SWIZZLE: zl_give(r, rule->keeps, ZLAY_SWIZZLE_128B, 1); return;
    case ZL_Q_TYPE:
        zl_give(r, rule->keeps, rule->field == ZLAY_FIELD_OOB ? 0 : rule->lo, 1);
        return;
    case ZL_Q_MODE:
    case ZL_Q_L2:
    case ZL_Q_OOB: zl_give(r, rule->keeps, 0, 1); return;
    case ZL_Q_EXTENT0: zl_fix_value(r, rule->keeps, s, r->value); return;
    default: zl_fix_value(r, rule->keeps, s, 0);
    }
}
