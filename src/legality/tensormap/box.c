/* SPDX-License-Identifier: Apache-2.0 */
/* A box cut into issues. Elements of a box lie densely in shared memory, dimension 0 first, rows of
 * a swizzle on its span; so issues fill the same places exactly when they are consecutive there. */
#include "rules/constants.h"
#include "base/arith.h"
#include "legality/tensormap/repair.h"

zl_wish zl_wish_of(const zlay_tensormap *map)
{
    zl_wish wish = {{0}, {0}};
    for (uint32_t i = 0; i < zl_dims(map); i++) {
        wish.elements[i] = zl_box_elements(map, i);
        wish.box[i] = map->box[i];
    }
    return wish;
}

bool zl_step_counts(const zlay_tensormap *map, uint32_t i)
{
    bool columns = map->mode == 1 || map->mode == 2;
    if (columns) return (i > 0 || map->interleave) && zl_column_pixels(map) > 1;
    return (i > 0 || map->interleave) && zl_box_elements(map, i) > 1;
}

bool zl_step_is_same(const zlay_tensormap *map, uint32_t i, uint32_t step)
{
    zlay_tensormap other = *map;
    uint32_t before = map->step[i] ? map->step[i] : 1;
    other.step[i] = step;
    return before == step || (!zl_step_counts(map, i) && !zl_step_counts(&other, i));
}

/* The extent that takes `elements`: as asked where that is all of them, else the least. */
static uint32_t extent_of(const zlay_tensormap *map, const zl_wish *wish, uint32_t i,
                          uint64_t elements)
{
    zlay_tensormap asked = *map;
    asked.box[i] = wish->box[i];
    if (zl_box_elements(&asked, i) == elements) return wish->box[i];
    uint64_t step = map->step[i] && (i || map->interleave) ? map->step[i] : 1;
    return (uint32_t)((elements - 1) * step + 1);
}

static bool fits(zlay_tensormap *map, const zlay_target *target, uint32_t i, uint32_t box,
                 zl_fit fit)
{
    zl_subject s = {&zl_tensormap_form, target, map};
    map->box[i] = box;
    return zl_holds(&s, ZLAY_FIELD_BOX, (int32_t)i) &&
           (fit != ZL_FIT_ALL || zl_holds(&s, ZLAY_FIELD_BOX, -1));
}

static bool fit_exact(zlay_tensormap *map, const zlay_target *target, const zl_wish *wish,
                      uint32_t i, zl_fit fit, uint64_t most)
{
    uint64_t count = wish->elements[i];
    if (most > count) most = count;
    for (uint64_t k = 1; k <= most; k++) {
        uint64_t elements = fit == ZL_FIT_LEAST ? k : most + 1 - k;
        if (count % elements == 0 && fits(map, target, i, extent_of(map, wish, i, elements), fit))
            return true;
    }
    return false;
}

/* Fewest elements more than asked, then the largest box. */
static bool fit_more(zlay_tensormap *map, const zlay_target *target, const zl_wish *wish,
                     zl_fit fit, uint64_t most)
{
    uint64_t count = wish->elements[0], least = UINT64_MAX;
    uint32_t best = 0;
    for (uint64_t elements = 1; elements <= most; elements++) {
        uint64_t more = zl_ceil_div(count, elements) * elements - count;
        uint32_t box = extent_of(map, wish, 0, elements);
        if (more > least || (fit == ZL_FIT_LEAST && best) || !fits(map, target, 0, box, fit))
            continue;
        least = more;
        best = box;
    }
    if (best) map->box[0] = best;
    return best > 0;
}

bool zl_box_fit(zlay_tensormap *map, const zlay_target *target, const zl_wish *wish, uint32_t i,
                zl_fit fit)
{
    zl_subject s = {&zl_tensormap_form, target, map};
    uint32_t before = map->box[i];
    uint64_t most = zl_range_of(&s, ZLAY_FIELD_BOX, (int32_t)i).hi;
    if (wish->elements[i] && fit_exact(map, target, wish, i, fit, most)) return true;
    if (wish->elements[i] && i == 0 && fit_more(map, target, wish, fit, most)) return true;
    map->box[i] = before;
    return false;
}

/* A row wider than its swizzle's span has no place of its own: it is read as panels of one span. */
static bool panels(const zlay_tensormap *map, const zl_wish *wish)
{
    for (uint32_t i = 1; i < zl_dims(map); i++)
        if (zl_box_elements(map, i) != wish->elements[i]) return false;
    uint64_t span = map->interleave ? 0 : zl_span(map->swizzle);
    return span && zl_row_bytes(map) == span && wish->elements[0] > zl_box_elements(map, 0);
}

static bool consecutive(const zlay_tensormap *map, uint32_t innermost)
{
    for (uint32_t i = innermost + 1; i < zl_dims(map); i++)
        if (zl_box_elements(map, i) != 1) return false;
    return innermost > 0 || zl_row_bytes(map) == zl_box_smem(map);
}

int32_t zl_box_keeps(const zlay_tensormap *map, const zl_wish *wish)
{
    uint32_t dims = zl_dims(map), innermost = dims;
    for (uint32_t i = dims; i-- > 0;) {
        uint64_t elements = zl_box_elements(map, i);
        if (!elements || wish->elements[i] % elements) return ZLAY_KEEPS_BYTES;
        if (elements != wish->elements[i]) innermost = i;
    }
    if (innermost == dims) return ZLAY_KEEPS_ALL;
    bool placed = consecutive(map, innermost) || (innermost == 0 && panels(map, wish));
    return placed && zl_box_smem(map) % SMEM_ALIGN == 0 ? ZLAY_KEEPS_ALL : ZLAY_KEEPS_BYTES;
}

uint64_t zl_box_issues(const zlay_tensormap *map, const zl_wish *wish)
{
    uint64_t issues = 1;
    for (uint32_t i = 0; i < zl_dims(map); i++) {
        uint64_t elements = zl_box_elements(map, i);
        if (elements) issues = zl_umul_sat(issues, zl_ceil_div(wish->elements[i], elements));
    }
    return issues;
}
