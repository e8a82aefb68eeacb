/* SPDX-License-Identifier: Apache-2.0 */
/* Strides laid anew. Dimensions are taken from the innermost to the outermost, in the order of
 * their strides or in that of their numbers: each must step over the bytes of those inside it, or
 * elements would share bytes that did not before. */
#include "legality/tensormap/repair.h"

enum { STRIDES = ZL_DIMS - 1 };

/* Bytes from the first to the last element of a dimension whose elements span `inside` bytes. */
static uint64_t over(uint64_t stride, uint64_t extent, uint64_t inside)
{
    uint64_t all = 0;
    if (!extent) return inside;
    return zl_uadd(zl_umul_sat(stride, extent - 1), inside, &all) ? all : UINT64_MAX;
}

static bool inside(const zlay_tensormap *map, uint32_t a, uint32_t b)
{
    return map->stride[a] < map->stride[b] || (map->stride[a] == map->stride[b] && a < b);
}

static void order_by_stride(uint32_t *order, const zlay_tensormap *map)
{
    uint32_t count = zl_strides(map);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = 0;
        for (uint32_t j = 0; j < count; j++) at += j != i && inside(map, j, i);
        order[at] = i;
    }
}

typedef struct laying {
    const zlay_target *target;
    const zlay_tensormap *from;
    zlay_tensormap map;
    uint64_t before, now; /* bytes of the dimensions laid so far */
    uint32_t changed;
    uint64_t moved;
} laying;

static bool keeps_stride(const laying *l, uint32_t i, zl_field_range range)
{
    uint64_t stride = l->from->stride[i], legal;
    if (!zl_nearest(&legal, stride, 0, range) || legal != stride) return false;
    if (l->from->extent[i + 1] <= 1 || stride == 0) return true;
    return stride >= l->before ? stride >= l->now : l->now == l->before;
}

/* The least legal stride that is no less than before, the greatest that is no more, the least. */
enum { UP, DOWN, DENSE, WAYS };

static bool lay(laying *l, uint32_t i, uint32_t way)
{
    uint64_t stride = l->from->stride[i], extent = l->from->extent[i + 1];
    zl_subject s = {&zl_tensormap_form, l->target, &l->map};
    zl_field_range range = zl_stride_range(&s, i);
    if (!keeps_stride(l, i, range)) {
        uint64_t floor = extent > 1 ? l->now : 0, near = way == DENSE ? floor : stride;
        if (way == DOWN && stride < range.hi) range.hi = stride;
        if (way == UP && stride > floor) floor = stride;
        if (!zl_nearest(&l->map.stride[i], near, floor, range)) return false;
    }
    l->changed += l->map.stride[i] != stride;
    l->moved += zl_distance(l->map.stride[i], stride);
    l->before = over(stride, extent, l->before);
    l->now = over(l->map.stride[i], extent, l->now);
    return true;
}

static bool lay_all(laying *l, const uint32_t *order, uint32_t ways)
{
    l->before = zl_inner_bytes(l->from);
    l->now = zl_inner_bytes(&l->map);
    for (uint32_t k = 0; k < zl_strides(l->from); k++, ways /= WAYS)
        if (!lay(l, order[k], ways % WAYS)) return false;
    return true;
}

static void lay_each_way(laying *best, const laying *start, const uint32_t *order)
{
    uint32_t all = 1;
    for (uint32_t i = 0; i < zl_strides(start->from); i++) all *= WAYS;
    for (uint32_t ways = 0; ways < all && best->changed; ways++) {
        laying l = *start;
        if (!lay_all(&l, order, ways)) continue;
        if (l.changed < best->changed || (l.changed == best->changed && l.moved < best->moved))
            *best = l;
    }
}

bool zl_strides_mend(zlay_tensormap *map, const zlay_target *target, const zlay_tensormap *from)
{
    uint32_t order[STRIDES], numbers[STRIDES] = {0, 1, 2, 3};
    laying start = {.target = target, .from = from, .map = *map}, best = start;
    best.changed = UINT32_MAX;
    order_by_stride(order, from);
    lay_each_way(&best, &start, order);
    lay_each_way(&best, &start, numbers);
    if (best.changed == UINT32_MAX) return false;
    *map = best.map;
    return true;
}
