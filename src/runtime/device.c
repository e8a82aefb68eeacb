/* SPDX-License-Identifier: Apache-2.0 */
/* A device, its primary context and its memory. */
#include "runtime/runtime.h"

#include <string.h>

static const struct {
    zl_cu_enum attribute;
    size_t place;
} attributes[] = {
    {ZL_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, offsetof(zlay_device_info, cc_major)},
    {ZL_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, offsetof(zlay_device_info, cc_minor)},
    {ZL_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, offsetof(zlay_device_info, processors)},
    {ZL_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
     offsetof(zlay_device_info, smem_optin)},
    {ZL_CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, offsetof(zlay_device_info, l2)},
};

static zlay_status info_read(zlay_ctx *ctx, zlay_device *device)
{
    const zl_driver *driver = &device->driver;
    zlay_device_info *info = &device->info;
    int version = 0;
    zlay_status status = ZL_CALL(ctx, driver, cuDriverGetVersion, (&version));
    info->driver = version;
    if (!status)
        status =
            ZL_CALL(ctx, driver, cuDeviceGetName, (info->name, sizeof info->name, device->number));
    info->name[sizeof info->name - 1] = 0;
    for (size_t i = 0; !status && i < ZL_COUNT(attributes); i++) {
        int value = 0;
        status = ZL_CALL(ctx, driver, cuDeviceGetAttribute,
                         (&value, attributes[i].attribute, device->number));
        memcpy((char *)info + attributes[i].place, &value, sizeof value);
    }
    return status;
}

static zlay_status device_start(zlay_ctx *ctx, zlay_device *device, int32_t ordinal)
{
    const zl_driver *driver = &device->driver;
    zlay_status status = ZL_CALL(ctx, driver, cuInit, (0));
    if (!status) status = ZL_CALL(ctx, driver, cuDeviceGet, (&device->number, ordinal));
    if (!status) status = info_read(ctx, device);
    if (!status)
        status = ZL_CALL(ctx, driver, cuDevicePrimaryCtxRetain, (&device->context, device->number));
    return status;
}

zlay_status zl_device_open_path(zlay_ctx *ctx, zlay_device **out, int32_t ordinal, const char *path)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (ordinal < 0)
        return zl_leave(ctx, zl_fail(ctx, ZLAY_EINVAL, "ordinal: %d is negative", ordinal));
    zlay_device *device = zl_alloc(ctx, 1, sizeof *device);
    if (!device) return zl_leave(ctx, ZLAY_ENOMEM);
    device->alloc = zl_allocator(ctx);
    status = zl_driver_open(ctx, &device->driver, path);
    if (!status) {
        status = device_start(ctx, device, ordinal);
        if (status) device->context = NULL;
    }
    if (status)
        zlay_device_close(device);
    else
        *out = device;
    return zl_leave(ctx, status);
}

zlay_status zlay_device_open(zlay_ctx *ctx, zlay_device **out, int32_t ordinal)
{
    return zl_device_open_path(ctx, out, ordinal, ZL_DRIVER_PATH);
}

void zlay_device_close(zlay_device *device)
{
    if (!device) return;
    zlay_allocator alloc = device->alloc;
    if (device->context) device->driver.cuDevicePrimaryCtxRelease_v2(device->number);
    zl_driver_close(&device->driver);
    zl_free(&alloc, device, sizeof *device);
}

zlay_status zlay_device_get(zlay_device_info *out, const zlay_device *device)
{
    if (!out || !device) return ZLAY_EINVAL;
    *out = device->info;
    return ZLAY_OK;
}

zlay_status zl_device_enter(zlay_ctx *ctx, const zlay_device *device)
{
    if (!device) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = ZL_CALL(ctx, &device->driver, cuCtxPushCurrent_v2, (device->context));
    return status ? zl_leave(ctx, status) : ZLAY_OK;
}

/* The result of the pop is not asked for: it repeats what an earlier launch did, which
 * zlay_device_wait tells. */
zlay_status zl_device_leave(zlay_ctx *ctx, const zlay_device *device, zlay_status status)
{
    struct CUctx_st *popped;
    device->driver.cuCtxPopCurrent_v2(&popped);
    return zl_leave(ctx, status);
}

zlay_status zlay_device_alloc(zlay_ctx *ctx, zlay_device *device, uint64_t *out, uint64_t bytes)
{
    unsigned long long address = 0;
    if (!out) return ZLAY_EINVAL;
    *out = 0;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    if (!bytes)
        status = zl_fail(ctx, ZLAY_EINVAL, "bytes: 0 bytes have no address");
    else
        status = ZL_CALL(ctx, &device->driver, cuMemAlloc_v2, (&address, bytes));
    if (!status) *out = address;
    return zl_device_leave(ctx, device, status);
}

void zlay_device_free(zlay_device *device, uint64_t address)
{
    struct CUctx_st *popped;
    if (!device || !address) return;
    if (device->driver.cuCtxPushCurrent_v2(device->context) != ZL_CUDA_SUCCESS) return;
    device->driver.cuMemFree_v2(address);
    device->driver.cuCtxPopCurrent_v2(&popped);
}

zlay_status zlay_device_write(zlay_ctx *ctx, zlay_device *device, uint64_t to, const void *from,
                              uint64_t bytes)
{
    if (bytes && !from) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    if (bytes) status = ZL_CALL(ctx, &device->driver, cuMemcpyHtoD_v2, (to, from, bytes));
    return zl_device_leave(ctx, device, status);
}

zlay_status zlay_device_read(zlay_ctx *ctx, zlay_device *device, void *to, uint64_t from,
                             uint64_t bytes)
{
    if (bytes && !to) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    if (bytes) status = ZL_CALL(ctx, &device->driver, cuMemcpyDtoH_v2, (to, from, bytes));
    return zl_device_leave(ctx, device, status);
}

zlay_status zlay_device_wait(zlay_ctx *ctx, zlay_device *device)
{
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    status = ZL_CALL(ctx, &device->driver, cuCtxSynchronize, ());
    return zl_device_leave(ctx, device, status);
}
