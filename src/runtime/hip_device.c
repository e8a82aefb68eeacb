/* SPDX-License-Identifier: Apache-2.0 */
/* The HIP backend: devices of the HIP runtime, their modules, launches and events. */
#include "runtime/runtime.h"

#include <elf.h>
#include <string.h>

static const struct {
    zl_hip_enum attribute;
    size_t place;
} attributes[] = {
    {ZL_hipDeviceAttributeComputeCapabilityMajor, offsetof(zlay_device_summary, cc_major)},
    {ZL_hipDeviceAttributeComputeCapabilityMinor, offsetof(zlay_device_summary, cc_minor)},
    {ZL_hipDeviceAttributeMultiprocessorCount, offsetof(zlay_device_summary, processors)},
    {ZL_hipDeviceAttributeMaxSharedMemoryPerBlock, offsetof(zlay_device_summary, smem_optin)},
    {ZL_hipDeviceAttributeL2CacheSize, offsetof(zlay_device_summary, l2)},
};

static zlay_status info_read(zlay_ctx *ctx, zlay_device *device)
{
    const zl_hip *hip = &device->hip;
    zlay_device_summary *info = &device->info;
    int version = 0;
    zlay_status status = ZL_HIP_CALL(ctx, hip, hipDriverGetVersion, (&version));
    info->driver = version;
    if (!status)
        status = ZL_HIP_CALL(ctx, hip, hipDeviceGetName,
                             (info->name, sizeof info->name, device->number));
    info->name[sizeof info->name - 1] = 0;
    for (size_t i = 0; !status && i < ZL_COUNT(attributes); i++) {
        int value = 0;
        status = ZL_HIP_CALL(ctx, hip, hipDeviceGetAttribute,
                             (&value, attributes[i].attribute, device->number));
        memcpy((char *)info + attributes[i].place, &value, sizeof value);
    }
    return status;
}

static zlay_status open(zlay_ctx *ctx, zlay_device *device, const char *path)
{
    return zl_hip_open(ctx, &device->hip, path);
}

static zlay_status start(zlay_ctx *ctx, zlay_device *device, int32_t ordinal)
{
    const zl_hip *hip = &device->hip;
    zlay_status status = ZL_HIP_CALL(ctx, hip, hipInit, (0));
    if (!status) status = ZL_HIP_CALL(ctx, hip, hipDeviceGet, (&device->number, ordinal));
    return status ? status : info_read(ctx, device);
}

static void close(zlay_device *device)
{
    zl_hip_close(&device->hip);
}

static zlay_status enter(zlay_ctx *ctx, const zlay_device *device)
{
    return ZL_HIP_CALL(ctx, &device->hip, hipSetDevice, (device->number));
}

/* HIP keeps no stack of devices, so nothing is popped. */
static void leave(const zlay_device *device)
{
    (void)device;
}

static zlay_status alloc(zlay_ctx *ctx, zlay_device *device, uint64_t *out, uint64_t bytes)
{
    void *address = NULL;
    zlay_status status = ZL_HIP_CALL(ctx, &device->hip, hipMalloc, (&address, bytes));
    if (!status) *out = (uintptr_t)address;
    return status;
}

static void release(zlay_device *device, uint64_t address)
{
    if (device->hip.hipSetDevice(device->number) != ZL_hipSuccess) return;
    device->hip.hipFree((void *)(uintptr_t)address);
}

static zlay_status write(zlay_ctx *ctx, zlay_device *device, uint64_t to, const void *from,
                         uint64_t bytes)
{
    return ZL_HIP_CALL(ctx, &device->hip, hipMemcpyHtoD,
                       ((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes));
}

static zlay_status read(zlay_ctx *ctx, zlay_device *device, void *to, uint64_t from, uint64_t bytes)
{
    return ZL_HIP_CALL(ctx, &device->hip, hipMemcpyDtoH, (to, (void *)(uintptr_t)from, bytes));
}

static zlay_status wait(zlay_ctx *ctx, zlay_device *device)
{
    return ZL_HIP_CALL(ctx, &device->hip, hipDeviceSynchronize, ());
}

static zlay_status load(zlay_ctx *ctx, zlay_module *module, const void *image)
{
    struct ihipModule_t *handle;
    zlay_status status =
        ZL_HIP_CALL(ctx, &module->device->hip, hipModuleLoadData, (&handle, image));
    if (!status) module->handle = handle;
    return status;
}

/* Finds a function; shared memory beyond the kernel's own is given at each launch. */
static zlay_status find(zlay_ctx *ctx, zlay_module *module, const char *name, uint32_t smem)
{
    struct ihipModuleSymbol_t *function;
    (void)smem;
    zlay_status status = ZL_HIP_CALL(ctx, &module->device->hip, hipModuleGetFunction,
                                     (&function, module->handle, name));
    if (!status) module->function = function;
    return status;
}

static void unload(zlay_module *module)
{
    module->device->hip.hipModuleUnload(module->handle);
}

static zlay_status launch(zlay_ctx *ctx, const zlay_module *module, const zlay_launch *l,
                          const void *arguments, size_t bytes, void *stream)
{
    void *extra[] = {ZL_LAUNCH_POINTER, (void *)(uintptr_t)arguments, ZL_LAUNCH_SIZE, &bytes,
                     ZL_HIP_LAUNCH_END};
    return ZL_HIP_CALL(ctx, &module->device->hip, hipModuleLaunchKernel,
                       (module->function, l->grid[0], l->grid[1], l->grid[2], l->block[0],
                        l->block[1], l->block[2], l->smem, stream, NULL, extra));
}

static zlay_status between(zlay_ctx *ctx, const zl_hip *hip, struct ihipEvent_t *const *event,
                           zl_timed *run, void *user, uint32_t count, float *milliseconds)
{
    zlay_status status = ZL_HIP_CALL(ctx, hip, hipEventRecord, (event[0], NULL));
    for (uint32_t i = 0; !status && i < count; i++) status = run(ctx, user);
    if (!status) status = ZL_HIP_CALL(ctx, hip, hipEventRecord, (event[1], NULL));
    if (!status) status = ZL_HIP_CALL(ctx, hip, hipEventSynchronize, (event[1]));
    if (!status)
        status = ZL_HIP_CALL(ctx, hip, hipEventElapsedTime, (milliseconds, event[0], event[1]));
    return status;
}

static zlay_status time(zlay_ctx *ctx, const zlay_device *device, zl_timed *run, void *user,
                        uint32_t count, float *milliseconds)
{
    const zl_hip *hip = &device->hip;
    struct ihipEvent_t *event[2] = {NULL, NULL};
    int made = 0;
    zlay_status status = ZLAY_OK;
    while (!status && made < 2) {
        status = ZL_HIP_CALL(ctx, hip, hipEventCreate, (&event[made]));
        if (!status) made++;
    }
    if (!status) status = between(ctx, hip, event, run, user, count, milliseconds);
    while (made) hip->hipEventDestroy(event[--made]);
    return status;
}

const zl_backend zl_backend_hip = {
    .name = "HIP", .machine = EM_AMDGPU, .takes_text = false,
    .open = open, .start = start, .close = close, .enter = enter, .leave = leave,
    .alloc = alloc, .free = release, .write = write, .read = read, .wait = wait,
    .load = load, .find = find, .unload = unload, .launch = launch, .time = time,
};
