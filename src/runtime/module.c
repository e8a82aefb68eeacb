/* SPDX-License-Identifier: Apache-2.0 */
/* Loads any kernel of any image, launches it with packed arguments, and times it. */
#include "runtime/image.h"
#include "runtime/runtime.h"

#include <string.h>

/* Loads an image; CUDA wants text to end in 0, which the caller's need not. */
static zlay_status image_load(zlay_ctx *ctx, zlay_module *module, const void *image, size_t length)
{
    char *copy = zl_scratch(ctx, length + 1, 1);
    if (!copy) return ZLAY_ENOMEM;
    memcpy(copy, image, length);
    return module->device->backend->load(ctx, module, copy);
}

zlay_status zl_module_fill(zlay_ctx *ctx, zlay_module *module, const void *image, size_t length,
                           const char *name, uint32_t smem)
{
    const zl_backend *backend = module->device->backend;
    zlay_status status = zl_image_check(ctx, image, length, backend->machine, backend->takes_text);
    if (!status) status = image_load(ctx, module, image, length);
    if (!status) status = backend->find(ctx, module, name, smem);
    return status;
}

void zl_module_drop(zlay_module *module)
{
    if (module->handle) module->device->backend->unload(module);
}

/* Frees a module, inside an entered call. */
static void module_free(zlay_module *module)
{
    zlay_allocator alloc = module->alloc;
    zl_module_drop(module);
    zl_free(&alloc, module, sizeof *module);
}

zlay_status zlay_module_load(zlay_ctx *ctx, zlay_module **out, zlay_device *device,
                             const void *image, size_t length, const char *name, uint32_t smem)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!image || !name || length == SIZE_MAX || smem > INT32_MAX) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    zlay_module *module = zl_alloc(ctx, 1, sizeof *module);
    if (!module) return zl_device_leave(ctx, device, ZLAY_ENOMEM);
    module->alloc = zl_allocator(ctx);
    module->device = device;
    status = zl_module_fill(ctx, module, image, length, name, smem);
    if (status)
        module_free(module);
    else
        *out = module;
    return zl_device_leave(ctx, device, status);
}

void zlay_module_free(zlay_module *module)
{
    if (!module) return;
    const zlay_device *device = module->device;
    bool entered = !device->backend->enter(NULL, device);
    module_free(module);
    if (entered) device->backend->leave(device);
}

static zlay_status launch_check(zlay_ctx *ctx, const zlay_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        if (!launch->grid[i]) return zl_fail(ctx, ZLAY_EINVAL, "grid[%d]: it is 0", i);
        if (!launch->block[i]) return zl_fail(ctx, ZLAY_EINVAL, "block[%d]: it is 0", i);
    }
    return launch->reserved ? zl_fail(ctx, ZLAY_EINVAL, "reserved: it is not 0") : ZLAY_OK;
}

typedef struct launching {
    const zlay_module *module;
    const zlay_launch *launch;
    const void *arguments;
    size_t bytes;
    void *stream;
} launching;

static zlay_status run(zlay_ctx *ctx, void *user)
{
    const launching *l = user;
    return l->module->device->backend->launch(ctx, l->module, l->launch, l->arguments, l->bytes,
                                              l->stream);
}

zlay_status zlay_module_launch(zlay_ctx *ctx, zlay_module *module, const zlay_launch *launch,
                               const void *arguments, size_t bytes, void *stream)
{
    if (!module || !launch || (bytes && !arguments)) return ZLAY_EINVAL;
    launching l = {module, launch, arguments, bytes, stream};
    zlay_status status = zl_device_enter(ctx, module->device);
    if (status) return status;
    status = launch_check(ctx, launch);
    if (!status) status = run(ctx, &l);
    return zl_device_leave(ctx, module->device, status);
}

zlay_status zlay_module_measure(zlay_ctx *ctx, float *milliseconds, zlay_module *module,
                                const zlay_launch *launch, const void *arguments, size_t bytes,
                                uint32_t count)
{
    float taken = 0;
    if (!module || !launch || (bytes && !arguments) || !count || !milliseconds) return ZLAY_EINVAL;
    launching l = {module, launch, arguments, bytes, NULL};
    const zlay_device *device = module->device;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    status = launch_check(ctx, launch);
    if (!status) status = device->backend->time(ctx, device, run, &l, count, &taken);
    if (!status) *milliseconds = taken;
    return zl_device_leave(ctx, device, status);
}
