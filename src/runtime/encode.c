/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes tensor maps by the driver (cuTensorMapEncodeTiled). The driver wants maps aligned
 * and writes even those that it refuses, so it is given storage of our own. */
#include "runtime/runtime.h"

#include <string.h>

typedef struct storage {
    _Alignas(ZL_MAP_ALIGN) unsigned char bytes[ZL_MAP_BYTES];
} storage;

/* Refuses a rank beyond the map's fields, since the driver would read that many entries. */
static zlay_status map_readable(zlay_ctx *ctx, const zlay_tensormap *map)
{
    if (map->rank > ZL_COUNT(map->extent))
        return zl_fail(ctx, ZLAY_EDRIVER, "rank: %u is more than a tensor map has (5)", map->rank);
    if (map->mode) return zl_fail(ctx, ZLAY_EINVAL, "mode: %d is not tiled (0)", map->mode);
    for (size_t i = 0; i < ZL_COUNT(map->reserved); i++)
        if (map->reserved[i]) return zl_fail(ctx, ZLAY_EINVAL, "reserved: word %zu is not 0", i);
    return ZLAY_OK;
}

zlay_status zl_encode(zlay_ctx *ctx, const zlay_device *device, void *out,
                      const zlay_tensormap *map)
{
    storage bits = {{0}};
    if (device->backend != &zl_backend_cuda)
        return zl_fail(ctx, ZLAY_ENOTSUP, "map: the driver of %s encodes none",
                       device->backend->name);
    zlay_status status = map_readable(ctx, map);
    if (status) return status;
    status = ZL_CALL(ctx, &device->driver, cuTensorMapEncodeTiled,
                     ((struct CUtensorMap_st *)(void *)&bits, (zl_cu_enum)map->type, map->rank,
                      (void *)(uintptr_t)map->address, map->extent, map->stride, map->box,
                      map->step, (zl_cu_enum)map->interleave, (zl_cu_enum)map->swizzle,
                      (zl_cu_enum)map->l2, (zl_cu_enum)map->oob));
    if (!status) memcpy(out, &bits, sizeof bits);
    return status;
}

zlay_status zlay_device_encode_tensormap(zlay_ctx *ctx, void *out, zlay_device *device,
                                         const zlay_tensormap *map)
{
    if (!out || !map) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    return zl_device_leave(ctx, device, zl_encode(ctx, device, out, map));
}
