/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes devices and moves memory to and from them, through the backend (CUDA or
 * HIP) that a device was opened with. */
#include "runtime/runtime.h"

zlay_status zl_device_open_by(zlay_ctx *ctx, zlay_device **out, int32_t ordinal,
                              const zl_backend *backend, const char *path)
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
    device->backend = backend;
    status = backend->open(ctx, device, path);
    if (!status) status = backend->start(ctx, device, ordinal);
    if (status)
        zlay_device_close(device);
    else
        *out = device;
    return zl_leave(ctx, status);
}

zlay_status zl_device_open_path(zlay_ctx *ctx, zlay_device **out, int32_t ordinal, const char *path)
{
    return zl_device_open_by(ctx, out, ordinal, &zl_backend_cuda, path);
}

zlay_status zlay_device_open(zlay_ctx *ctx, zlay_device **out, int32_t ordinal)
{
    return zl_device_open_by(ctx, out, ordinal, &zl_backend_cuda, NULL);
}

zlay_status zlay_device_open_hip(zlay_ctx *ctx, zlay_device **out, int32_t ordinal)
{
    return zl_device_open_by(ctx, out, ordinal, &zl_backend_hip, NULL);
}

void zlay_device_close(zlay_device *device)
{
    if (!device) return;
    zlay_allocator alloc = device->alloc;
    device->backend->close(device);
    zl_free(&alloc, device, sizeof *device);
}

zlay_status zlay_device_info(zlay_device_summary *out, const zlay_device *device)
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
    status = device->backend->enter(ctx, device);
    return status ? zl_leave(ctx, status) : ZLAY_OK;
}

zlay_status zl_device_leave(zlay_ctx *ctx, const zlay_device *device, zlay_status status)
{
    device->backend->leave(device);
    return zl_leave(ctx, status);
}

zlay_status zlay_device_allocate(zlay_ctx *ctx, uint64_t *out, zlay_device *device, uint64_t bytes)
{
    uint64_t address = 0;
    if (!out) return ZLAY_EINVAL;
    *out = 0;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    if (!bytes)
        status = zl_fail(ctx, ZLAY_EINVAL, "bytes: 0 bytes have no address");
    else
        status = device->backend->alloc(ctx, device, &address, bytes);
    if (!status) *out = address;
    return zl_device_leave(ctx, device, status);
}

void zlay_device_free(zlay_device *device, uint64_t address)
{
    if (device && address) device->backend->free(device, address);
}

zlay_status zlay_device_upload(zlay_ctx *ctx, zlay_device *device, uint64_t to, const void *from,
                               uint64_t bytes)
{
    if (bytes && !from) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    if (bytes) status = device->backend->write(ctx, device, to, from, bytes);
    return zl_device_leave(ctx, device, status);
}

zlay_status zlay_device_download(zlay_ctx *ctx, void *to, zlay_device *device, uint64_t from,
                                 uint64_t bytes)
{
    if (bytes && !to) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    if (bytes) status = device->backend->read(ctx, device, to, from, bytes);
    return zl_device_leave(ctx, device, status);
}

zlay_status zlay_device_wait(zlay_ctx *ctx, zlay_device *device)
{
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    return zl_device_leave(ctx, device, device->backend->wait(ctx, device));
}
