/* SPDX-License-Identifier: Apache-2.0 */
/* One repair of a whole map. A rule of one field is met only by a change of that field, so each
 * field that a broken rule names must change; changing only those, each to the nearest value that
 * passes, changes the fewest. */
#include "legality/rule.h"

enum { ROUNDS = 16, REASONS = 64 };

static bool set(zlay_tensormap *map, const zlay_reason *r)
{
    uint32_t i = r->index > 0 ? (uint32_t)r->index : 0;
    switch (r->field) {
    case ZLAY_FIELD_ADDRESS: map->address = r->fix_value; break;
    case ZLAY_FIELD_STRIDE: map->stride[i] = r->fix_value; break;
    case ZLAY_FIELD_EXTENT: map->extent[i] = r->fix_value; break;
    case ZLAY_FIELD_BOX: map->box[i] = (uint32_t)r->fix_value; break;
    case ZLAY_FIELD_STEP: map->step[i] = (uint32_t)r->fix_value; break;
    case ZLAY_FIELD_INTERLEAVE: map->interleave = (int32_t)r->fix_value; break;
    case ZLAY_FIELD_SWIZZLE: map->swizzle = (int32_t)r->fix_value; break;
    case ZLAY_FIELD_L2: map->l2 = (int32_t)r->fix_value; break;
    case ZLAY_FIELD_OOB: map->oob = (int32_t)r->fix_value; break;
    default: return false;
    }
    return true;
}

/* A map of fewer dimensions gains ones of extent 1. */
static void widen(zlay_tensormap *map)
{
    while (map->rank < 3) {
        uint32_t i = map->rank++;
        uint64_t unit = map->interleave == 2 ? 32 : 16;
        map->extent[i] = map->box[i] = map->step[i] = 1;
        map->stride[i - 1] =
            i > 1 ? map->stride[i - 2]
                  : (map->extent[0] * zlay_tensormap_type_bits(map->type) / 8 + unit - 1) / unit *
                        unit;
    }
}

/* Apply what the reasons say; false where one has no repair. */
static bool apply(zlay_tensormap *map, const zlay_reason *reasons, uint32_t count, int32_t *keeps,
                  uint64_t *split)
{
    uint32_t fields = 0;
    for (uint32_t i = 0; i < count; i++) {
        const zlay_reason *r = &reasons[i];
        if (r->noted) continue;
        if (r->fix_keeps == ZLAY_KEEPS_NONE_GIVEN || r->fix_keeps == ZLAY_KEEPS_NOTHING)
            return false;
        uint32_t bit = r->field == ZLAY_FIELD_BOX ? 1u << (r->index > 0 ? r->index : 0) : 0;
        if (fields & bit) continue;
        fields |= bit;
        if (r->field == ZLAY_FIELD_RANK) widen(map);
        else if (!set(map, r)) return false;
        if (r->fix_keeps > *keeps) *keeps = r->fix_keeps;
        if (r->fix_split > 1) *split = zl_umul_sat(*split, (uint64_t)r->fix_split);
    }
    return true;
}

zlay_status zlay_tensormap_repair(zlay_tensormap *out, int32_t *keeps, uint64_t *split,
                                  const zlay_target *target, const zlay_tensormap *map)
{
    if (!out || !keeps || !split || !target || !map) return ZLAY_EINVAL;
    zlay_tensormap tried = *map;
    int32_t kept = ZLAY_KEEPS_ALL;
    uint64_t copies = 1;
    for (int round = 0; round < ROUNDS; round++) {
        zlay_verdict verdict;
        zlay_reason reasons[REASONS];
        zlay_status status = zlay_tensormap_check(&verdict, reasons, REASONS, target, &tried);
        if (status) return status;
        if (verdict.answer == ZLAY_YES) {
            *out = tried;
            *keeps = kept;
            *split = copies;
            return ZLAY_OK;
        }
        if (!apply(&tried, reasons, verdict.reasons < REASONS ? verdict.reasons : REASONS, &kept,
                   &copies))
            return ZLAY_NONE;
    }
    return ZLAY_NONE;
}
