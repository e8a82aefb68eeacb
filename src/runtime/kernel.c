/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the kernel of a GEMM plan, with those that repack its operands, binds it to addresses
 * (encoding the tensor maps that it needs), launches it, and times it. */
#include "base/arith.h"
#include "runtime/kernel.h"
#include "synth/gemm/groups.h"

#include <stdio.h>
#include <string.h>

/* ---- load ---------------------------------------------------------------- */

/* Whether a target is of a device's capability: "sm_90a" is of "sm_90", "sm_900" is not.
 * `but_one` ignores the last letter, which HIP does not report. */
static bool is_of(const char *target, const char *capability, bool but_one)
{
    size_t length = strlen(capability);
    if (strncmp(target, capability, length)) return false;
    if (but_one) return target[length] && !target[length + 1];
    return !target[length] || (target[length] >= 'a' && target[length] <= 'z');
}

/* Code is of one target: another device is refused before the driver sees the image. */
zlay_status zl_kernel_target_check(zlay_ctx *ctx, const zlay_device *device,
                                   const zlay_target *target)
{
    const zlay_device_summary *info = &device->info;
    const char *name = zlay_target_name(target);
    bool hip = device->backend == &zl_backend_hip;
    char have[32];
    snprintf(have, sizeof have, hip ? "gfx%d%x" : "sm_%d%d", info->cc_major,
             (unsigned)info->cc_minor);
    if (is_of(name, have, hip)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP, "target: the plan is of %s, the device %s has %s", name,
                   info->name, have);
}

/* The alignment of an address, up to 16 bytes, which is all that any access needs. */
static uint64_t alignment(uint64_t address)
{
    uint64_t bits = address | 16;
    return bits & (~bits + 1);
}

static zlay_status operands_read(zlay_kernel *kernel, const zlay_plan *plan)
{
    zlay_status status = ZLAY_OK;
    for (int32_t o = 0; !status && o < ZL_MATRICES; o++) {
        zlay_copy copy;
        status = zlay_plan_map(&kernel->map[o], plan, o);
        if (!status) status = zlay_plan_copy_nth(&copy, plan, o, 0);
        if (status) break;
        kernel->align[o] = alignment(kernel->map[o].address);
        kernel->by_tensor[o] =
            copy.kind == ZLAY_COPY_TENSOR_LOAD || copy.kind == ZLAY_COPY_TENSOR_STORE;
    }
    return status;
}

static zlay_status plan_read(zlay_kernel *kernel, const zlay_plan *plan)
{
    zlay_wave_gemm wave;
    zlay_status status = zlay_plan_info(&kernel->info, plan);
    if (status) return status;
    kernel->by_waves = zlay_plan_wave(&wave, plan) == ZLAY_OK;
    if (!kernel->by_waves) return operands_read(kernel, plan);
    kernel->align[0] = kernel->align[1] = 16;
    kernel->align[2] = wave.store_bytes;
    return ZLAY_OK;
}

/* Finds the kernel of a copy: the product's name, _ and the operand's letter. */
static zlay_status copy_find(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_plan *plan, int32_t o,
                             const char *name)
{
    zl_copy_kernel *copy = &kernel->copy[o];
    size_t room = strlen(name) + sizeof "_a";
    if (zlay_plan_repack(&copy->where, plan, o)) return ZLAY_OK;
    char *own = zl_scratch(ctx, room, 1);
    if (!own) return ZLAY_ENOMEM;
    snprintf(own, room, "%s_%c", name, "abd"[o]);
    zlay_status status = zlay_transfer_info(&copy->info, copy->where.transfer);
    copy->where.transfer = NULL; /* the plan's, which need not live as long */
    copy->module = kernel->module;
    kernel->align[o] = copy->where.align;
    return status ? status : kernel->module.device->backend->find(ctx, &copy->module, own, 0);
}

/* The copies of a plan, and a workspace of the kernel's own. */
static zlay_status copies_fill(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_plan *plan,
                               const char *name)
{
    zlay_status status = ZLAY_OK;
    for (int32_t o = 0; !status && o < ZL_MATRICES; o++)
        status = copy_find(ctx, kernel, plan, o, name);
    return status ? status : zl_workspace_make(ctx, kernel);
}

/* A cluster for each tile or each pair of neighbours, as long as there are processors for it; waves
 * have a block a tile, and all their shared memory is the kernel's own. */
static zlay_launch launch_of(const zlay_kernel *kernel)
{
    const zlay_plan_summary *info = &kernel->info;
    if (kernel->by_waves)
        return (zlay_launch){.grid = {(uint32_t)info->tiles_n, (uint32_t)info->tiles_m, 1},
                             .block = {info->threads, 1, 1}};
    uint64_t clusters = (uint64_t)kernel->module.device->info.processors / info->cluster;
    uint64_t most = zl_umin(info->clusters, clusters ? clusters : 1);
    return (zlay_launch){.grid = {(uint32_t)(most * info->cluster), 1, 1},
                         .block = {info->threads, 1, 1},
                         .smem = info->smem};
}

/* The arguments behind those of the operands; the maps among them are those of scales. */
static zlay_status arguments_read(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_plan *plan)
{
    uint32_t first = kernel->by_waves ? ZL_MATRICES : ZL_OPERAND_ARGUMENTS, count = 0;
    const zlay_plan_summary *info = &kernel->info;
    zlay_pipe_argument one;
    while (!zlay_plan_argument_nth(&one, plan, first + count)) count++;
    zlay_status status = zl_arguments_make(ctx, kernel, count);
    int32_t scales = ZLAY_OPERAND_SCALES_A;
    for (uint32_t i = 0; !status && i < count; i++) {
        zl_argument *a = &kernel->more[i];
        status = zlay_plan_argument_nth(&a->what, plan, first + i);
        if (!status && a->what.kind == ZLAY_ARGUMENT_MAP) {
            snprintf(a->tensor, sizeof a->tensor, "%.2s", a->what.name + strlen("tensor_"));
            status = zlay_plan_map(&a->map, plan, scales++);
            a->map.address = 0;
        }
        if (!strcmp(a->what.name, "workspace")) kernel->counter = "workspace";
        if (!info->groups || strcmp(a->what.name, "offsets") != 0) continue;
        a->count = (uint64_t)info->groups + 1;
        a->rows = zl_groups_rows(info);
    }
    return status;
}

static zlay_status kernel_fill(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_plan *plan,
                               const void *image, size_t length, const char *name)
{
    zlay_status status = plan_read(kernel, plan);
    if (status) return zl_fail(ctx, status, "plan: it cannot be read");
    status = zl_kernel_target_check(ctx, kernel->module.device, kernel->info.target);
    if (!status) status = arguments_read(ctx, kernel, plan);
    if (status) return status;
    kernel->launch = launch_of(kernel);
    kernel->workspace_bytes = kernel->info.workspace;
    status = zl_module_fill(ctx, &kernel->module, image, length, name, kernel->info.smem);
    return status ? status : copies_fill(ctx, kernel, plan, name);
}

zlay_kernel *zl_kernel_new(zlay_ctx *ctx, zlay_device *device)
{
    zlay_kernel *kernel = zl_alloc(ctx, 1, sizeof *kernel);
    if (!kernel) return NULL;
    kernel->module.alloc = zl_allocator(ctx);
    kernel->module.device = device;
    return kernel;
}

void zl_kernel_drop(zlay_kernel *kernel)
{
    zlay_allocator alloc = kernel->module.alloc;
    zlay_device *device = kernel->module.device;
    zl_module_drop(&kernel->module);
    for (uint32_t i = 0; i < kernel->more_count; i++)
        if (kernel->more[i].own) device->backend->free(device, kernel->more[i].own);
    if (kernel->own_workspace) device->backend->free(device, kernel->own_workspace);
    zl_free(&alloc, kernel->more, kernel->more_count * sizeof *kernel->more);
    zl_free(&alloc, kernel, sizeof *kernel);
}

zlay_status zlay_kernel_load(zlay_ctx *ctx, zlay_kernel **out, zlay_device *device,
                             const zlay_plan *plan, const void *image, size_t length,
                             const char *name)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!plan || !image || !name || length == SIZE_MAX) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    zlay_kernel *kernel = zl_kernel_new(ctx, device);
    status = kernel ? kernel_fill(ctx, kernel, plan, image, length, name) : ZLAY_ENOMEM;
    if (status && kernel)
        zl_kernel_drop(kernel);
    else
        *out = kernel;
    return zl_device_leave(ctx, device, status);
}

void zlay_kernel_free(zlay_kernel *kernel)
{
    if (!kernel) return;
    const zlay_device *device = kernel->module.device;
    bool entered = !device->backend->enter(NULL, device);
    zl_kernel_drop(kernel);
    if (entered) device->backend->leave(device);
}

/* ---- bind ---------------------------------------------------------------- */

static zlay_status address_check(zlay_ctx *ctx, const char *field, uint64_t address,
                                 uint64_t align)
{
    if (!address) return zl_fail(ctx, ZLAY_EINVAL, "%s: the address is 0", field);
    if (address % align == 0) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL,
                   "%s: address 0x%llx is no multiple of %llu, as the plan's is", field,
                   (unsigned long long)address, (unsigned long long)align);
}

/* Where the product finds an operand: in the workspace, if it is repacked. */
static uint64_t place_of(const zlay_kernel *kernel, int o, uint64_t address)
{
    const zl_copy_kernel *copy = &kernel->copy[o];
    return copy->module.device ? kernel->workspace + copy->where.offset : address;
}

static void copies_bind(zlay_kernel *kernel, const uint64_t *address)
{
    for (int o = 0; o < ZL_MATRICES; o++) {
        uint32_t behind = kernel->copy[o].where.behind;
        kernel->copy[o].arguments[behind] = address[o];
        kernel->copy[o].arguments[!behind] = kernel->address[o];
    }
}

/* Encodes the maps; a plan whose threads load reads none, and the driver would refuse many of
 * theirs. */
static zlay_status maps_encode(zlay_ctx *ctx, zlay_kernel *kernel, const uint64_t *address)
{
    unsigned char bits[ZL_MATRICES][ZL_MAP_BYTES] = {{0}};
    zlay_status status = ZLAY_OK;
    for (int o = 0; !status && o < ZL_MATRICES; o++) {
        zlay_tensormap map = kernel->map[o];
        map.address = place_of(kernel, o, address[o]);
        if (kernel->by_tensor[o]) status = zl_encode(ctx, kernel->module.device, bits[o], &map);
    }
    if (status) return status;
    memcpy(kernel->bits, bits, sizeof bits);
    for (int o = 0; o < ZL_MATRICES; o++) kernel->address[o] = place_of(kernel, o, address[o]);
    copies_bind(kernel, address);
    kernel->bound = true;
    return ZLAY_OK;
}

zlay_status zlay_kernel_bind(zlay_ctx *ctx, zlay_kernel *kernel, uint64_t a, uint64_t b, uint64_t d)
{
    if (!kernel || kernel->by_names) return ZLAY_EINVAL;
    uint32_t swap = kernel->info.swapped;
    uint64_t address[ZL_MATRICES] = {swap ? b : a, swap ? a : b, d};
    const char *const field[ZL_MATRICES] = {swap ? "b" : "a", swap ? "a" : "b", "d"};
    zlay_status status = zl_device_enter(ctx, kernel->module.device);
    if (status) return status;
    for (int o = 0; !status && o < ZL_MATRICES; o++)
        status = address_check(ctx, field[o], address[o], kernel->align[o]);
    if (!status) status = maps_encode(ctx, kernel, address);
    return zl_device_leave(ctx, kernel->module.device, status);
}

/* ---- launch -------------------------------------------------------------- */

/* The copies before the product, or those behind it. */
static zlay_status launch_copies(zlay_ctx *ctx, const zlay_kernel *kernel, uint32_t behind,
                                 void *stream)
{
    zlay_status status = ZLAY_OK;
    for (int o = 0; !status && o < ZL_MATRICES; o++) {
        const zl_copy_kernel *copy = &kernel->copy[o];
        if (!copy->module.device || copy->where.behind != behind) continue;
        zlay_launch l = {.grid = {(uint32_t)copy->info.blocks, 1, 1},
                         .block = {copy->info.threads, 1, 1}};
        status = kernel->module.device->backend->launch(ctx, &copy->module, &l, copy->arguments,
                                                        sizeof copy->arguments, stream);
    }
    return status;
}

/* HIP takes arguments one behind the other, each at a multiple of its bytes. */
static zlay_status launch_packed(zlay_ctx *ctx, const zlay_kernel *kernel, void *const *parameter,
                                 const uint32_t *bytes, uint32_t count, void *stream)
{
    unsigned char packed[ZL_ARGUMENTS * sizeof(uint64_t)] = {0};
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = zl_round_up(end, bytes[i]);
        end = at + bytes[i];
        memcpy(packed + at, parameter[i], bytes[i]);
    }
    const zl_backend *backend = kernel->module.device->backend;
    return backend->launch(ctx, &kernel->module, &kernel->launch, packed, end, stream);
}

static zlay_status launch_one(zlay_ctx *ctx, zlay_kernel *kernel, void *stream)
{
    void *parameter[ZL_ARGUMENTS];
    uint32_t bytes[ZL_ARGUMENTS], count = 0;
    const zlay_launch *l = &kernel->launch;
    for (int o = 0; o < ZL_MATRICES && !kernel->by_waves && !kernel->by_names; o++) {
        bytes[count] = ZL_MAP_BYTES;
        parameter[count++] = kernel->bits[o];
    }
    for (int o = 0; o < ZL_MATRICES && !kernel->by_names; o++) {
        bytes[count] = sizeof kernel->address[o];
        parameter[count++] = &kernel->address[o];
    }
    for (uint32_t i = 0; i < kernel->more_count; i++) {
        bytes[count] = kernel->more[i].what.bytes;
        parameter[count++] = kernel->more[i].value;
    }
    if (kernel->module.device->backend != &zl_backend_cuda)
        return launch_packed(ctx, kernel, parameter, bytes, count, stream);
    return ZL_CALL(ctx, &kernel->module.device->driver, cuLaunchKernel,
                   (kernel->module.function, l->grid[0], l->grid[1], l->grid[2], l->block[0], 1, 1,
                    l->smem, stream, parameter, NULL));
}

static zlay_status launch(zlay_ctx *ctx, zlay_kernel *kernel, void *stream)
{
    if (!kernel->bound && !kernel->by_names)
        return zl_fail(ctx, ZLAY_EINVAL, "kernel: it is bound to no addresses");
    zlay_status status = zl_arguments_ready(ctx, kernel);
    if (!status) status = launch_copies(ctx, kernel, 0, stream);
    if (!status) status = launch_one(ctx, kernel, stream);
    return status ? status : launch_copies(ctx, kernel, 1, stream);
}

zlay_status zlay_kernel_launch(zlay_ctx *ctx, zlay_kernel *kernel, void *stream)
{
    if (!kernel) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, kernel->module.device);
    if (status) return status;
    return zl_device_leave(ctx, kernel->module.device, launch(ctx, kernel, stream));
}

/* ---- time ---------------------------------------------------------------- */

static zlay_status launch_again(zlay_ctx *ctx, void *kernel)
{
    return launch(ctx, kernel, NULL);
}

zlay_status zlay_kernel_measure(zlay_ctx *ctx, float *milliseconds, zlay_kernel *kernel,
                                uint32_t count)
{
    float taken = 0;
    if (!kernel || !count || !milliseconds) return ZLAY_EINVAL;
    const zlay_device *device = kernel->module.device;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    status = device->backend->time(ctx, device, launch_again, kernel, count, &taken);
    if (!status) *milliseconds = taken;
    return zl_device_leave(ctx, device, status);
}
