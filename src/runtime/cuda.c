/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA backend: devices of the driver API, each with its primary context, which is made
 * current during a call and left after it. */
#include "base/arith.h"
#include "runtime/runtime.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

enum { LOG_BYTES = 4096, ALIGN_MOST = 128 };

static const struct {
    zl_cu_enum attribute;
    size_t place;
} attributes[] = {
    {ZL_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, offsetof(zlay_device_summary, cc_major)},
    {ZL_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, offsetof(zlay_device_summary, cc_minor)},
    {ZL_CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, offsetof(zlay_device_summary, processors)},
    {ZL_CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
     offsetof(zlay_device_summary, smem_optin)},
    {ZL_CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, offsetof(zlay_device_summary, l2)},
};

static zlay_status info_read(zlay_ctx *ctx, zlay_device *device)
{
    const zl_driver *driver = &device->driver;
    zlay_device_summary *info = &device->info;
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

static zlay_status open(zlay_ctx *ctx, zlay_device *device, const char *path)
{
    return zl_driver_open(ctx, &device->driver, path ? path : ZL_DRIVER_PATH);
}

static zlay_status start(zlay_ctx *ctx, zlay_device *device, int32_t ordinal)
{
    const zl_driver *driver = &device->driver;
    zlay_status status = ZL_CALL(ctx, driver, cuInit, (0));
    if (!status) status = ZL_CALL(ctx, driver, cuDeviceGet, (&device->number, ordinal));
    if (!status) status = info_read(ctx, device);
    struct CUctx_st *context;
    if (!status)
        status = ZL_CALL(ctx, driver, cuDevicePrimaryCtxRetain, (&context, device->number));
    if (!status) device->context = context;
    return status;
}

static void close(zlay_device *device)
{
    if (device->context) device->driver.cuDevicePrimaryCtxRelease_v2(device->number);
    zl_driver_close(&device->driver);
}

static zlay_status enter(zlay_ctx *ctx, const zlay_device *device)
{
    return ZL_CALL(ctx, &device->driver, cuCtxPushCurrent_v2, (device->context));
}

/* Leaves the context. The result of the pop is ignored: it repeats an earlier launch's error,
 * which zlay_device_wait reports. */
static void leave(const zlay_device *device)
{
    struct CUctx_st *popped;
    device->driver.cuCtxPopCurrent_v2(&popped);
}

static zlay_status alloc(zlay_ctx *ctx, zlay_device *device, uint64_t *out, uint64_t bytes)
{
    unsigned long long address = 0;
    zlay_status status = ZL_CALL(ctx, &device->driver, cuMemAlloc_v2, (&address, bytes));
    if (!status) *out = address;
    return status;
}

static void release(zlay_device *device, uint64_t address)
{
    if (device->driver.cuCtxPushCurrent_v2(device->context) != ZL_CUDA_SUCCESS) return;
    device->driver.cuMemFree_v2(address);
    leave(device);
}

static zlay_status write(zlay_ctx *ctx, zlay_device *device, uint64_t to, const void *from,
                         uint64_t bytes)
{
    return ZL_CALL(ctx, &device->driver, cuMemcpyHtoD_v2, (to, from, bytes));
}

static zlay_status read(zlay_ctx *ctx, zlay_device *device, void *to, uint64_t from, uint64_t bytes)
{
    return ZL_CALL(ctx, &device->driver, cuMemcpyDtoH_v2, (to, from, bytes));
}

static zlay_status wait(zlay_ctx *ctx, zlay_device *device)
{
    return ZL_CALL(ctx, &device->driver, cuCtxSynchronize, ());
}

/* Makes one line of the JIT compiler's log, for a message. */
static void log_flatten(char *log)
{
    for (char *c = log; *c; c++)
        if ((unsigned char)*c < 0x20) *c = ' ';
}

static zlay_status load(zlay_ctx *ctx, zlay_module *module, const void *image)
{
    const zl_driver *driver = &module->device->driver;
    struct CUmod_st *handle = NULL;
    char log[LOG_BYTES] = "";
    zl_cu_enum options[] = {ZL_CU_JIT_ERROR_LOG_BUFFER, ZL_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    zl_cu_result result =
        driver->cuModuleLoadDataEx(&handle, image, ZL_COUNT(options), options, values);
    if (result == ZL_CUDA_SUCCESS) {
        module->handle = handle;
        return ZLAY_OK;
    }
    log[sizeof log - 1] = 0;
    log_flatten(log);
    zlay_status status = zl_driver_result(ctx, driver, "cuModuleLoadDataEx", result);
    char said[200];
    snprintf(said, sizeof said, "%s", zlay_ctx_message(ctx));
    return *log ? zl_fail(ctx, status, "%s: %.700s", said, log) : status;
}

/* Finds where each packed argument stands, by the sizes that the driver knows; none where it tells
 * none. ptxas aligns parameters by their addresses, not by their places behind the first, so a
 * buffer that begins with a map is not the kernel's. */
static zlay_status find_arguments(zlay_ctx *ctx, zlay_module *module)
{
    const zl_driver *driver = &module->device->driver;
    zl_cu_result result = ZL_CUDA_SUCCESS;
    size_t offset, size = 0, end = 0, count = 0;
    module->arguments = 0;
    if (!driver->cuFuncGetParamInfo) return ZLAY_OK;
    for (; count < ZL_ARGUMENTS; count++) {
        result = driver->cuFuncGetParamInfo(module->function, count, &offset, &size);
        if (result != ZL_CUDA_SUCCESS || !size) break;
        module->place[count] = zl_round_up(end, zl_umin(size & (~size + 1), ALIGN_MOST));
        end = module->place[count] + size;
    }
    if (result == ZL_CUDA_SUCCESS) return ZLAY_OK; /* too many, or one without bytes */
    if (result != ZL_CUDA_ERROR_INVALID_VALUE) /* behind the last */
        return zl_driver_result(ctx, driver, "cuFuncGetParamInfo", result);
    module->argument_bytes = end;
    module->arguments = count;
    return ZLAY_OK;
}

static zlay_status find(zlay_ctx *ctx, zlay_module *module, const char *name, uint32_t smem)
{
    const zl_driver *driver = &module->device->driver;
    struct CUfunc_st *function;
    zlay_status status =
        ZL_CALL(ctx, driver, cuModuleGetFunction, (&function, module->handle, name));
    if (status) return status;
    module->function = function;
    status = find_arguments(ctx, module);
    if (status) return status;
    return ZL_CALL(ctx, driver, cuFuncSetAttribute,
                   (function, ZL_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)smem));
}

static void unload(zlay_module *module)
{
    module->device->driver.cuModuleUnload(module->handle);
}

static zlay_status launch(zlay_ctx *ctx, const zlay_module *module, const zlay_launch *l,
                          const void *arguments, size_t bytes, void *stream)
{
    void *each[ZL_ARGUMENTS];
    bool found = module->arguments && bytes >= module->argument_bytes;
    for (size_t i = 0; found && i < module->arguments; i++)
        each[i] = (char *)(uintptr_t)arguments + module->place[i];
    void *extra[] = {ZL_LAUNCH_POINTER, (void *)(uintptr_t)arguments, ZL_LAUNCH_SIZE, &bytes,
                     ZL_CU_LAUNCH_END};
    return ZL_CALL(ctx, &module->device->driver, cuLaunchKernel,
                   (module->function, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1],
                    l->block[2], l->smem, stream, found ? each : NULL, found ? NULL : extra));
}

static zlay_status between(zlay_ctx *ctx, const zl_driver *driver, struct CUevent_st *const *event,
                           zl_timed *run, void *user, uint32_t count, float *milliseconds)
{
    zlay_status status = ZL_CALL(ctx, driver, cuEventRecord, (event[0], NULL));
    for (uint32_t i = 0; !status && i < count; i++) status = run(ctx, user);
    if (!status) status = ZL_CALL(ctx, driver, cuEventRecord, (event[1], NULL));
    if (!status) status = ZL_CALL(ctx, driver, cuEventSynchronize, (event[1]));
    if (!status)
        status = ZL_CALL(ctx, driver, cuEventElapsedTime, (milliseconds, event[0], event[1]));
    return status;
}

static zlay_status time(zlay_ctx *ctx, const zlay_device *device, zl_timed *run, void *user,
                        uint32_t count, float *milliseconds)
{
    const zl_driver *driver = &device->driver;
    struct CUevent_st *event[2] = {NULL, NULL};
    int made = 0;
    zlay_status status = ZLAY_OK;
    while (!status && made < 2) {
        status = ZL_CALL(ctx, driver, cuEventCreate, (&event[made], ZL_CU_EVENT_DEFAULT));
        if (!status) made++;
    }
    if (!status) status = between(ctx, driver, event, run, user, count, milliseconds);
    while (made) driver->cuEventDestroy_v2(event[--made]);
    return status;
}

const zl_backend zl_backend_cuda = {
    .name = "CUDA", .machine = EM_CUDA, .takes_text = true,
    .open = open, .start = start, .close = close, .enter = enter, .leave = leave,
    .alloc = alloc, .free = release, .write = write, .read = read, .wait = wait,
    .load = load, .find = find, .unload = unload, .launch = launch, .time = time,
};
