/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps from the arguments of the driver's encode calls. */
#include "base/base.h"
#include <zlay/tensormap.h>
#include <zlay/tensormap_driver.h>

#include <string.h>

enum { DIMS = 5, CORNERS = 3 };

static uint32_t entries(uint32_t rank, uint32_t less, uint32_t most)
{
    uint32_t count = rank > less ? rank - less : 0;
    return count < most ? count : most;
}

/* Entries that a rank does not have may stand behind a NULL. */
static bool copied(void *to, const void *from, size_t size)
{
    if (!size) return true;
    if (from) memcpy(to, from, size);
    return from != NULL;
}

static bool tensor_read(zlay_tensormap *map, const void *address, const uint64_t *extent,
                        const uint64_t *stride, const uint32_t *step)
{
    map->address = (uint64_t)(uintptr_t)address;
    return copied(map->extent, extent, entries(map->rank, 0, DIMS) * sizeof *extent) &&
           copied(map->stride, stride, entries(map->rank, 1, DIMS - 1) * sizeof *stride) &&
           copied(map->step, step, entries(map->rank, 0, DIMS) * sizeof *step);
}

static zlay_tensormap map_of(int32_t mode, int32_t type, uint32_t rank, int32_t interleave,
                             int32_t swizzle, int32_t l2, int32_t oob)
{
    zlay_tensormap map;
    memset(&map, 0, sizeof map);
    map.mode = mode;
    map.type = type;
    map.rank = rank;
    map.interleave = interleave;
    map.swizzle = swizzle;
    map.l2 = l2;
    map.oob = oob;
    return map;
}

zlay_status zlay_tensormap_from_tiled(zlay_tensormap *out, int32_t type, uint32_t rank,
                                      const void *address, const uint64_t *extent,
                                      const uint64_t *stride, const uint32_t *box,
                                      const uint32_t *step, int32_t interleave, int32_t swizzle,
                                      int32_t l2, int32_t oob)
{
    zlay_tensormap map = map_of(0, type, rank, interleave, swizzle, l2, oob);
    if (!out || !tensor_read(&map, address, extent, stride, step) ||
        !copied(map.box, box, entries(rank, 0, DIMS) * sizeof *box))
        return ZLAY_EINVAL;
    *out = map;
    return ZLAY_OK;
}

zlay_status zlay_tensormap_from_im2col(zlay_tensormap *out, int32_t type, uint32_t rank,
                                       const void *address, const uint64_t *extent,
                                       const uint64_t *stride, const int32_t *lower,
                                       const int32_t *upper, uint32_t channels, uint32_t pixels,
                                       const uint32_t *step, int32_t interleave, int32_t swizzle,
                                       int32_t l2, int32_t oob)
{
    zlay_tensormap map = map_of(1, type, rank, interleave, swizzle, l2, oob);
    size_t corners = entries(rank, 2, CORNERS) * sizeof *lower;
    if (!out || !tensor_read(&map, address, extent, stride, step) ||
        !copied(map.lower, lower, corners) || !copied(map.upper, upper, corners))
        return ZLAY_EINVAL;
    map.channels = channels;
    map.pixels = pixels;
    *out = map;
    return ZLAY_OK;
}

zlay_status zlay_tensormap_from_im2col_wide(zlay_tensormap *out, int32_t type, uint32_t rank,
                                            const void *address, const uint64_t *extent,
                                            const uint64_t *stride, int32_t lower, int32_t upper,
                                            uint32_t channels, uint32_t pixels,
                                            const uint32_t *step, int32_t interleave, int32_t mode,
                                            int32_t swizzle, int32_t l2, int32_t oob)
{
    zlay_tensormap map = map_of(2, type, rank, interleave, swizzle, l2, oob);
    if (!out || !tensor_read(&map, address, extent, stride, step)) return ZLAY_EINVAL;
    map.lower[0] = lower;
    map.upper[0] = upper;
    map.channels = channels;
    map.pixels = pixels;
    map.wide_mode = mode;
    *out = map;
    return ZLAY_OK;
}
