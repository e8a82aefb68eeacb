/* SPDX-License-Identifier: Apache-2.0 */
/* One repair of a whole map. Which interleave and swizzle it has decides what every other field
 * must meet, so each pair of them is tried; under one pair the rules of an address, an extent, a
 * stride or a step stand alone, each such field changes exactly when it breaks one, and boxes,
 * which share two limits, are cut along every set of dimensions, smaller sets first. Type, rank
 * and mode say what the tensor is, and are not changed. */
#include "legality/tensormap/repair.h"

enum { INTERLEAVES = 3, CORNERS = 3 };

typedef struct attempt {
    zlay_tensormap map;
    uint32_t fields;  /* changed */
    uint64_t padding; /* bytes by which address, pitch and rows move */
    int32_t keeps;
    uint64_t split;
} attempt;

typedef struct search {
    const zlay_target *target;
    const zlay_tensormap *from;
    zl_wish wish;
    attempt best;
    bool found;
} search;

static bool holds(const search *h, const zlay_tensormap *map, int32_t field, int32_t index)
{
    zl_subject s = {&zl_tensormap_form, h->target, map};
    return zl_holds(&s, field, index);
}

static bool interleave_is(const zlay_tensormap *map)
{
    return map->interleave >= 0 && map->interleave < INTERLEAVES;
}

static bool has_columns(const zlay_tensormap *map) { return map->mode == 1 || map->mode == 2; }

/* ---- fields of one value ----------------------------------------------------------- */

static bool scalars_mend(const search *h, zlay_tensormap *map)
{
    static const int32_t given[] = {ZLAY_FIELD_TARGET, ZLAY_FIELD_MODE,    ZLAY_FIELD_TYPE,
                                    ZLAY_FIELD_RANK,   ZLAY_FIELD_SWIZZLE, ZLAY_FIELD_INTERLEAVE,
                                    ZLAY_FIELD_WIDE_MODE};
    for (size_t i = 0; i < ZL_COUNT(given); i++)
        if (!holds(h, map, given[i], -1)) return false;
    for (int32_t i = 0; i < CORNERS; i++)
        if (!holds(h, map, ZLAY_FIELD_LOWER, i) || !holds(h, map, ZLAY_FIELD_UPPER, i))
            return false;
    if (!holds(h, map, ZLAY_FIELD_L2, -1)) map->l2 = 0;
    if (!holds(h, map, ZLAY_FIELD_OOB, -1)) map->oob = 0;
    return true;
}

static bool place_mend(const search *h, zlay_tensormap *map)
{
    zl_subject s = {&zl_tensormap_form, h->target, map};
    if (!zl_nearest(&map->address, map->address, 0, zl_range_of(&s, ZLAY_FIELD_ADDRESS, -1)))
        return false;
    for (uint32_t i = 0; i < zl_dims(map); i++) {
        zl_field_range range = zl_range_of(&s, ZLAY_FIELD_EXTENT, (int32_t)i);
        zl_field_range size = {range.lo, range.hi, 1};
        uint64_t same;
        if (!zl_nearest(&same, map->extent[i], 0, size) || same != map->extent[i]) return false;
        if (!zl_nearest(&map->extent[i], map->extent[i], map->extent[i], range)) return false;
    }
    return true;
}

/* A step too long for the hardware becomes issues of one element. */
static bool steps_mend(const search *h, zlay_tensormap *map)
{
    for (uint32_t i = 0; i < zl_dims(map); i++) {
        if (holds(h, map, ZLAY_FIELD_STEP, (int32_t)i)) continue;
        zl_subject s = {&zl_tensormap_form, h->target, map};
        uint64_t step;
        if (!zl_nearest(&step, map->step[i], 0, zl_range_of(&s, ZLAY_FIELD_STEP, (int32_t)i)))
            return false;
        if (!zl_step_is_same(map, i, (uint32_t)step)) {
            if (has_columns(map)) return false;
            map->box[i] = 1;
        }
        map->step[i] = (uint32_t)step;
    }
    return true;
}

/* ---- boxes ------------------------------------------------------------------------- */

/* Boxes of `set` at their least, then each as large as the whole allows, innermost first. */
static bool boxes_fit(const search *h, zlay_tensormap *map, uint32_t set)
{
    uint32_t dims = zl_dims(map);
    for (uint32_t i = 0; i < dims; i++) {
        bool changes = set >> i & 1;
        if (changes ? !zl_box_fit(map, h->target, &h->wish, i, ZL_FIT_LEAST)
                    : !holds(h, map, ZLAY_FIELD_BOX, (int32_t)i))
            return false;
    }
    for (uint32_t i = 0; i < dims; i++)
        if (set >> i & 1 && !zl_box_fit(map, h->target, &h->wish, i, ZL_FIT_ALL)) return false;
    return holds(h, map, ZLAY_FIELD_BOX, -1);
}

static bool boxes_nearer(const search *h, const zlay_tensormap *a, const zlay_tensormap *b)
{
    int32_t keeps_a = zl_box_keeps(a, &h->wish), keeps_b = zl_box_keeps(b, &h->wish);
    if (keeps_a != keeps_b) return keeps_a < keeps_b;
    return zl_box_issues(a, &h->wish) < zl_box_issues(b, &h->wish);
}

static bool boxes_mend(const search *h, zlay_tensormap *map)
{
    zlay_tensormap best;
    bool found = false;
    for (uint32_t size = 0; size <= zl_dims(map) && !found; size++)
        for (uint32_t set = 1u << zl_dims(map); set-- > 0;) {
            zlay_tensormap tried = *map;
            if ((uint32_t)__builtin_popcount(set) != size || !boxes_fit(h, &tried, set)) continue;
            if (!found || boxes_nearer(h, &tried, &best)) best = tried;
            found = true;
        }
    if (found) *map = best;
    return found;
}

/* ---- what a repair costs ------------------------------------------------------------ */

/* How far two values are apart counts as a changed field, and as bytes of padding. */
static void cost(attempt *a, uint64_t from, uint64_t to, int32_t keeps, uint64_t unit)
{
    if (from == to) return;
    uint64_t bytes = zl_umul_sat(zl_distance(from, to), unit);
    a->fields++;
    if (!zl_uadd(a->padding, bytes, &a->padding)) a->padding = UINT64_MAX;
    if (keeps > a->keeps) a->keeps = keeps;
}

static void cost_scalars(attempt *a, const zlay_tensormap *from)
{
    const zlay_tensormap *to = &a->map;
    bool meant = from->interleave > 0 && from->interleave < INTERLEAVES && from->rank > 2;
    cost(a, from->address, to->address, ZLAY_KEEPS_VALUES, 1);
    cost(a, (uint32_t)from->interleave, (uint32_t)to->interleave,
         meant ? ZLAY_KEEPS_VALUES : ZLAY_KEEPS_BYTES, 0);
    cost(a, (uint32_t)from->swizzle, (uint32_t)to->swizzle, ZLAY_KEEPS_BYTES, 0);
    cost(a, (uint32_t)from->l2, (uint32_t)to->l2, ZLAY_KEEPS_ALL, 0);
    cost(a, (uint32_t)from->oob, (uint32_t)to->oob, ZLAY_KEEPS_ALL, 0);
}

static void cost_dims(attempt *a, const zlay_tensormap *from)
{
    const zlay_tensormap *to = &a->map;
    uint64_t bytes = (zl_map_bits(from->type) + 7) / 8;
    for (uint32_t i = 0; i < zl_dims(from); i++) {
        bool each = from->step[i] == 0 && zl_step_counts(from, i);
        cost(a, from->extent[i], to->extent[i], ZLAY_KEEPS_VALUES, bytes);
        cost(a, from->box[i], to->box[i], ZLAY_KEEPS_ALL, 0);
        cost(a, from->step[i], to->step[i], each ? ZLAY_KEEPS_BYTES : ZLAY_KEEPS_ALL, 0);
        if (i) cost(a, from->stride[i - 1], to->stride[i - 1], ZLAY_KEEPS_VALUES, 1);
    }
}

static void cost_all(const search *h, attempt *a)
{
    if (!has_columns(h->from)) {
        a->keeps = zl_box_keeps(&a->map, &h->wish);
        a->split = zl_box_issues(&a->map, &h->wish);
    }
    cost(a, h->from->channels, a->map.channels, a->keeps, 0);
    cost(a, h->from->pixels, a->map.pixels, a->keeps, 0);
    cost_scalars(a, h->from);
    cost_dims(a, h->from);
}

static bool nearer(const attempt *a, const attempt *b)
{
    if (a->fields != b->fields) return a->fields < b->fields;
    if (a->padding != b->padding) return a->padding < b->padding;
    if (a->keeps != b->keeps) return a->keeps < b->keeps;
    return a->split < b->split;
}

static void attempt_pair(search *h, int32_t interleave, int32_t swizzle)
{
    attempt a = {.map = *h->from};
    zlay_verdict verdict;
    if (has_columns(h->from) && interleave != h->from->interleave && interleave_is(h->from)) return;
    a.map.interleave = interleave;
    a.map.swizzle = swizzle;
    if (!scalars_mend(h, &a.map) || !place_mend(h, &a.map)) return;
    if (!zl_strides_mend(&a.map, h->target, h->from)) return;
    if (!steps_mend(h, &a.map)) return;
    if (has_columns(&a.map) ? !zl_columns_mend(&a.map, h->target, &a.keeps, &a.split)
                            : !boxes_mend(h, &a.map))
        return;
    if (zlay_tensormap_check(&verdict, NULL, 0, h->target, &a.map) || verdict.answer != ZLAY_YES)
        return;
    cost_all(h, &a);
    if (h->found && !nearer(&a, &h->best)) return;
    h->best = a;
    h->found = true;
}

zlay_status zlay_tensormap_repair(zlay_tensormap *out, int32_t *keeps, uint64_t *split,
                                  const zlay_target *target, const zlay_tensormap *map)
{
    static const int32_t swizzles[] = {3, 2, 1, 0, 4, 6, 5};
    zlay_verdict verdict;
    if (!out || !keeps || !split) return ZLAY_EINVAL;
    zlay_status status = zlay_tensormap_check(&verdict, NULL, 0, target, map);
    if (status) return status;
    search h = {.target = target, .from = map, .wish = zl_wish_of(map)};
    attempt_pair(&h, map->interleave, map->swizzle);
    for (size_t i = 0; i < ZL_COUNT(swizzles) && verdict.answer != ZLAY_YES; i++) {
        attempt_pair(&h, map->interleave, swizzles[i]);
        attempt_pair(&h, 0, swizzles[i]);
    }
    if (verdict.answer != ZLAY_YES) attempt_pair(&h, 0, map->swizzle);
    if (!h.found) return ZLAY_NONE;
    *out = h.best.map;
    *keeps = h.best.keeps;
    *split = h.best.split;
    return ZLAY_OK;
}
