/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments that a caller sets by their names: addresses, scalars, tensors whose maps are encoded
 * here, and offsets of rows that the host knows, which are checked and copied to the device; and
 * the workspace, which the kernel has of its own or takes from the caller. */
#include "runtime/kernel.h"

#include <string.h>

enum { WORKSPACE_ALIGN = 256, TENSOR_ALIGN = 16 };

/* ---- arguments ------------------------------------------------------------ */

zlay_status zl_arguments_make(zlay_ctx *ctx, zlay_kernel *kernel, uint32_t count)
{
    if (count > ZL_ARGUMENTS - ZL_OPERAND_ARGUMENTS)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "plan: its kernel has %u more arguments; zlay_module_launch has any",
                       (unsigned)count);
    if (!count) return ZLAY_OK;
    kernel->more = zl_alloc(ctx, count, sizeof *kernel->more);
    if (!kernel->more) return ZLAY_ENOMEM;
    kernel->more_count = count;
    return ZLAY_OK;
}

static zl_argument *find(zlay_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; i < kernel->more_count; i++)
        if (!strcmp(kernel->more[i].what.name, name)) return &kernel->more[i];
    return NULL;
}

static void give(zl_argument *a, const void *value)
{
    memcpy(a->value, value, a->what.bytes);
    a->ready = true;
}

void zl_argument_fix(zlay_kernel *kernel, const char *name, const void *value)
{
    zl_argument *a = find(kernel, name);
    if (a) give(a, value);
}

zlay_status zl_arguments_ready(zlay_ctx *ctx, const zlay_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->more_count; i++) {
        const zl_argument *a = &kernel->more[i];
        if (!a->ready)
            return zl_fail(ctx, ZLAY_EINVAL, "%s: it was not set (zlay_kernel_set)",
                           *a->tensor ? a->tensor : a->what.name);
    }
    return ZLAY_OK;
}

/* ---- one by its name ------------------------------------------------------ */

static zlay_status bytes_check(zlay_ctx *ctx, const char *name, uint32_t bytes, uint32_t wanted)
{
    if (bytes == wanted) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: %u bytes, it has %u", name, (unsigned)bytes,
                   (unsigned)wanted);
}

static zlay_status address_check(zlay_ctx *ctx, const char *name, const void *value, uint32_t align)
{
    uint64_t address;
    memcpy(&address, value, sizeof address);
    if (!address) return zl_fail(ctx, ZLAY_EINVAL, "%s: the address is 0", name);
    if (address % align == 0) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "%s: address 0x%llx is no multiple of %u", name,
                   (unsigned long long)address, (unsigned)align);
}

/* Encodes a map for the tensor's address, to which that of the plan is relative. */
static zlay_status map_give(zlay_ctx *ctx, zlay_kernel *kernel, zl_argument *a, const void *value)
{
    uint64_t address;
    memcpy(&address, value, sizeof address);
    zlay_tensormap map = a->map;
    map.address += address;
    a->ready = false;
    zlay_status status = zl_encode(ctx, kernel->module.device, a->value, &map);
    a->ready = !status;
    return status;
}

/* All maps of a tensor. ZLAY_NONE: there is no such tensor. */
static zlay_status tensor_give(zlay_ctx *ctx, zlay_kernel *kernel, const char *name,
                               const void *value, uint32_t bytes)
{
    zlay_status status = ZLAY_NONE;
    for (uint32_t i = 0; i < kernel->more_count; i++) {
        zl_argument *a = &kernel->more[i];
        if (a->what.kind != ZLAY_ARGUMENT_MAP || strcmp(a->tensor, name) != 0) continue;
        status = bytes_check(ctx, name, bytes, sizeof(uint64_t));
        if (!status) status = address_check(ctx, name, value, TENSOR_ALIGN);
        if (!status) status = map_give(ctx, kernel, a, value);
        if (status) return status;
    }
    return status;
}

static zlay_status argument_give(zlay_ctx *ctx, zlay_kernel *kernel, const char *name,
                                 const void *value, uint32_t bytes)
{
    zl_argument *a = find(kernel, name);
    if (kernel->counter && !strcmp(kernel->counter, name))
        return zl_fail(ctx, ZLAY_EINVAL, "%s: zlay_kernel_set_workspace sets it", name);
    if (!a || a->what.kind == ZLAY_ARGUMENT_MAP)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: the kernel has no such argument", name);
    if (a->what.kind == ZLAY_ARGUMENT_COUNT)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: the plan sets it", name);
    uint32_t align = a->what.kind == ZLAY_ARGUMENT_POINTER ? zlay_type_bits(a->what.type) / 8 : 0;
    zlay_status status = bytes_check(ctx, name, bytes, a->what.bytes);
    if (!status && a->what.kind == ZLAY_ARGUMENT_POINTER)
        status = address_check(ctx, name, value, align ? align : 1);
    if (!status) give(a, value);
    return status;
}

zlay_status zlay_kernel_set(zlay_ctx *ctx, zlay_kernel *kernel, const char *name, const void *value,
                            uint32_t bytes)
{
    if (!kernel || !name || !value) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, kernel->module.device);
    if (status) return status;
    status = tensor_give(ctx, kernel, name, value, bytes);
    if (status == ZLAY_NONE) status = argument_give(ctx, kernel, name, value, bytes);
    return zl_device_leave(ctx, kernel->module.device, status);
}

/* ---- offsets that the host knows ------------------------------------------- */

static zlay_status offsets_find(zlay_ctx *ctx, zl_argument **out, zlay_kernel *kernel,
                                const char *name)
{
    *out = find(kernel, name);
    if (*out && (*out)->count) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL,
                   *out ? "%s: it has no offsets" : "%s: the kernel has no such argument", name);
}

/* Refuses what the kernel would bound: offsets that it takes as they are pass. */
static zlay_status offsets_check(zlay_ctx *ctx, const zl_argument *a, const uint64_t *offsets)
{
    const char *name = a->what.name;
    for (uint64_t i = 0; i < a->count; i++) {
        unsigned long long here = offsets[i], number = i;
        if (i && offsets[i] < offsets[i - 1])
            return zl_fail(ctx, ZLAY_EINVAL, "%s[%llu]: %llu is less than the one before, %llu",
                           name, number, here, (unsigned long long)offsets[i - 1]);
        if (offsets[i] > INT32_MAX)
            return zl_fail(ctx, ZLAY_EINVAL, "%s[%llu]: %llu rows are more than an s32 counts, %d",
                           name, number, here, INT32_MAX);
        if (offsets[i] > a->rows)
            return zl_fail(ctx, ZLAY_EINVAL,
                           "%s[%llu]: %llu is more than the rows of the plan, %llu", name, number,
                           here, (unsigned long long)a->rows);
    }
    return ZLAY_OK;
}

/* Returns when the bytes are there for every stream. */
static zlay_status write_through(zlay_ctx *ctx, zlay_device *device, uint64_t to, const void *from,
                                 uint64_t bytes)
{
    zlay_status status = device->backend->write(ctx, device, to, from, bytes);
    return status ? status : device->backend->wait(ctx, device);
}

/* Kernels that read the offsets of before are waited for. */
static zlay_status offsets_write(zlay_ctx *ctx, zlay_kernel *kernel, zl_argument *a,
                                 const uint64_t *offsets)
{
    zlay_device *device = kernel->module.device;
    size_t bytes = a->count * sizeof(int32_t);
    int32_t *list = zl_scratch(ctx, a->count, sizeof *list);
    if (!list) return ZLAY_ENOMEM;
    for (uint64_t i = 0; i < a->count; i++) list[i] = (int32_t)offsets[i];
    zlay_status status = a->own ? device->backend->wait(ctx, device)
                                : device->backend->alloc(ctx, device, &a->own, bytes);
    if (!status) status = write_through(ctx, device, a->own, list, bytes);
    if (!status) give(a, &a->own);
    return status;
}

static zlay_status offsets_give(zlay_ctx *ctx, zlay_kernel *kernel, zl_argument *a,
                                const uint64_t *offsets)
{
    zlay_status status = offsets_check(ctx, a, offsets);
    return status ? status : offsets_write(ctx, kernel, a, offsets);
}

zlay_status zlay_kernel_set_offsets(zlay_ctx *ctx, zlay_kernel *kernel, const char *name,
                                    const uint64_t *offsets, size_t count)
{
    zl_argument *a;
    if (!kernel || !name || !offsets) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, kernel->module.device);
    if (status) return status;
    status = offsets_find(ctx, &a, kernel, name);
    if (!status && count != a->count)
        status = zl_fail(ctx, ZLAY_EINVAL,
                         "%s: %zu offsets, the plan has %llu groups and one offset more", name,
                         count, (unsigned long long)a->count - 1);
    if (!status) status = offsets_give(ctx, kernel, a, offsets);
    return zl_device_leave(ctx, kernel->module.device, status);
}

/* Adds lengths up to offsets. */
static zlay_status lengths_add(zlay_ctx *ctx, const zl_argument *a, uint64_t *offsets,
                               const uint64_t *lengths)
{
    for (uint64_t i = 0; i + 1 < a->count; i++)
        if (__builtin_add_overflow(offsets[i], lengths[i], &offsets[i + 1]))
            return zl_fail(ctx, ZLAY_EINVAL,
                           "%s: the lengths up to group %llu add up to 2^64 or more", a->what.name,
                           (unsigned long long)i);
    return ZLAY_OK;
}

zlay_status zlay_kernel_set_lengths(zlay_ctx *ctx, zlay_kernel *kernel, const char *name,
                                    const uint64_t *lengths, size_t count)
{
    zl_argument *a;
    uint64_t *offsets = NULL;
    if (!kernel || !name || !lengths) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, kernel->module.device);
    if (status) return status;
    status = offsets_find(ctx, &a, kernel, name);
    if (!status && count != a->count - 1)
        status = zl_fail(ctx, ZLAY_EINVAL, "%s: %zu lengths, the plan has %llu groups", name, count,
                         (unsigned long long)a->count - 1);
    if (!status) offsets = zl_scratch(ctx, a->count, sizeof *offsets);
    if (!status && !offsets) status = ZLAY_ENOMEM;
    if (!status) status = lengths_add(ctx, a, offsets, lengths);
    if (!status) status = offsets_give(ctx, kernel, a, offsets);
    return zl_device_leave(ctx, kernel->module.device, status);
}

/* ---- workspace -------------------------------------------------------------- */

/* Blocks of stream-K find flags at 0 that no block has raised, and those that claim tiles a counter
 * at 0. */
static zlay_status workspace_use(zlay_ctx *ctx, zlay_kernel *kernel, uint64_t address)
{
    zlay_device *device = kernel->module.device;
    const void *zeros = kernel->counter ? zl_scratch(ctx, kernel->workspace_bytes, 1) : NULL;
    if (kernel->counter && !zeros) return ZLAY_ENOMEM;
    zlay_status status =
        zeros ? write_through(ctx, device, address, zeros, kernel->workspace_bytes) : ZLAY_OK;
    if (status) return status;
    kernel->workspace = address;
    if (kernel->counter) zl_argument_fix(kernel, kernel->counter, &address);
    return ZLAY_OK;
}

zlay_status zl_workspace_make(zlay_ctx *ctx, zlay_kernel *kernel)
{
    zlay_device *device = kernel->module.device;
    if (!kernel->workspace_bytes) return ZLAY_OK;
    zlay_status status =
        device->backend->alloc(ctx, device, &kernel->own_workspace, kernel->workspace_bytes);
    return status ? status : workspace_use(ctx, kernel, kernel->own_workspace);
}

static zlay_status workspace_check(zlay_ctx *ctx, const zlay_kernel *kernel, uint64_t address,
                                   uint64_t bytes)
{
    if (!kernel->workspace_bytes)
        return zl_fail(ctx, ZLAY_EINVAL, "workspace: the plan needs none");
    if (bytes < kernel->workspace_bytes)
        return zl_fail(ctx, ZLAY_EINVAL, "workspace: %llu bytes, the plan needs %llu",
                       (unsigned long long)bytes, (unsigned long long)kernel->workspace_bytes);
    return address_check(ctx, "workspace", &address, WORKSPACE_ALIGN);
}

zlay_status zlay_kernel_set_workspace(zlay_ctx *ctx, zlay_kernel *kernel, uint64_t address,
                                      uint64_t bytes)
{
    if (!kernel) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, kernel->module.device);
    if (status) return status;
    status = workspace_check(ctx, kernel, address, bytes);
    if (!status) status = workspace_use(ctx, kernel, address);
    for (int o = 0; !status && o < ZL_MATRICES; o++)
        kernel->bound &= !kernel->copy[o].module.device;
    return zl_device_leave(ctx, kernel->module.device, status);
}
