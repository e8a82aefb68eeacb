/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the kernel of a plan of attention. Its arguments are those that its printer answered; each
 * is set by its name, a tensor's maps by the tensor's letter, and the numbers of the plan here. */
#include "base/arith.h"
#include "base/request.h"
#include "runtime/kernel.h"

#include <string.h>

/* The maps of all moves, in the order of the arguments. */
static zlay_status maps_read(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_attention_plan *plan)
{
    const zlay_move *move;
    zlay_move_summary info;
    char tensor;
    uint32_t at = 0;
    for (uint32_t i = 0; !zlay_attention_move_nth(&move, &tensor, plan, i); i++) {
        zlay_status status = zlay_move_info(&info, move);
        for (uint32_t m = 0; !status && m < info.maps; m++) {
            while (at < kernel->more_count && kernel->more[at].what.kind != ZLAY_ARGUMENT_MAP) at++;
            if (at == kernel->more_count)
                return zl_fail(ctx, ZLAY_EINVAL, "arguments: the plan has more maps");
            *kernel->more[at].tensor = tensor;
            status = zlay_move_map_nth(&kernel->more[at++].map, move, m);
        }
        if (status) return status;
    }
    return ZLAY_OK;
}

/* Where sequences of one call begin, the kernel bounds by the rows of the plan. */
static void offsets_read(zlay_kernel *kernel, const zlay_attention *ask)
{
    if (!ask->sequences) return;
    kernel->counter = "next_tile";
    kernel->workspace_bytes = sizeof(uint32_t);
    for (uint32_t i = 0; i < kernel->more_count; i++) {
        zl_argument *a = &kernel->more[i];
        bool queries = !strcmp(a->what.name, "read_q_starts");
        if (!queries && strcmp(a->what.name, "read_k_starts") != 0) continue;
        a->count = ask->sequences + 1;
        a->rows = queries ? ask->queries : ask->keys;
    }
}

/* Persistent blocks are as many as the device has processors; of waves the descriptor has the
 * shared memory. */
static zlay_launch launch_of(const zlay_device *device, const zlay_attention_kernel *r,
                             const zlay_attention *ask)
{
    zlay_attention_summary info;
    uint64_t processors = zl_umax(1, (uint64_t)device->info.processors);
    if (zlay_attention_info(&info, r->plan)) return (zlay_launch){.smem = 0};
    uint64_t blocks = ask->sequences ? zl_umin(info.grid[0], processors) : info.grid[0];
    return (zlay_launch){.grid = {(uint32_t)blocks, (uint32_t)info.grid[1], (uint32_t)info.grid[2]},
                         .block = {r->launch->threads, 1, 1},
                         .smem = device->backend == &zl_backend_cuda ? r->launch->smem : 0};
}

static zlay_status argument_check(zlay_ctx *ctx, const zlay_pipe_argument *a, uint32_t i)
{
    bool known = a->kind >= ZLAY_ARGUMENT_COUNT && a->kind <= ZLAY_ARGUMENT_SCALAR;
    uint32_t bytes = a->kind == ZLAY_ARGUMENT_MAP ? ZL_MAP_BYTES
                     : a->kind == ZLAY_ARGUMENT_POINTER || a->kind == ZLAY_ARGUMENT_STEP ? 8
                                                                                         : 4;
    if (known && a->bytes == bytes && memchr(a->name, 0, sizeof a->name)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "arguments[%u]: it is none that zlay_emit_attention answers",
                   (unsigned)i);
}

static zlay_status arguments_read(zlay_ctx *ctx, zlay_kernel *kernel,
                                  const zlay_attention_kernel *r, const zlay_attention *ask)
{
    zlay_attention_summary info;
    zlay_status status = zl_arguments_make(ctx, kernel, r->launch->arguments);
    for (uint32_t i = 0; !status && i < kernel->more_count; i++) {
        status = argument_check(ctx, &r->arguments[i], i);
        kernel->more[i].what = r->arguments[i];
    }
    if (!status) status = zlay_attention_info(&info, r->plan);
    if (status) return status;
    uint32_t tiles = (uint32_t)info.tiles;
    zl_argument_fix(kernel, "n_N", &tiles);
    offsets_read(kernel, ask);
    return maps_read(ctx, kernel, r->plan);
}

static zlay_status kernel_fill(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_attention_kernel *r)
{
    const zlay_target *target;
    zlay_attention ask;
    kernel->by_names = true;
    zlay_status status = zlay_attention_request(&target, &ask, r->plan);
    if (!status) status = zl_kernel_target_check(ctx, kernel->module.device, target);
    if (!status) status = arguments_read(ctx, kernel, r, &ask);
    if (status) return status;
    kernel->launch = launch_of(kernel->module.device, r, &ask);
    status =
        zl_module_fill(ctx, &kernel->module, r->image, r->length, r->name, kernel->launch.smem);
    return status ? status : zl_workspace_make(ctx, kernel);
}

static zlay_status request_read(zlay_ctx *ctx, zlay_attention_kernel *out,
                                const zlay_attention_kernel *request)
{
    static const zl_request_form form = {"zlay_attention_kernel",
                                         sizeof(zlay_attention_kernel),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_attention_kernel, reserved0),
                                          ZL_RESERVED(zlay_attention_kernel, reserved)}};
    zlay_status status = zl_request_read(ctx, out, request, &form);
    if (status) return status;
    bool whole = out->plan && out->image && out->name && out->launch && out->arguments &&
                 out->length != SIZE_MAX;
    return whole && out->launch->smem <= INT32_MAX ? ZLAY_OK : ZLAY_EINVAL;
}

zlay_status zlay_kernel_load_attention(zlay_ctx *ctx, zlay_kernel **out, zlay_device *device,
                                       const zlay_attention_kernel *request)
{
    zlay_attention_kernel r;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!request) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    status = request_read(ctx, &r, request);
    if (status) return zl_device_leave(ctx, device, status);
    zlay_kernel *kernel = zl_kernel_new(ctx, device);
    status = kernel ? kernel_fill(ctx, kernel, &r) : ZLAY_ENOMEM;
    if (status && kernel) zl_kernel_drop(kernel);
    else *out = kernel;
    return zl_device_leave(ctx, device, status);
}
