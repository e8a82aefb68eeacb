/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a kernel that moves rows (zlay_emit_rows) from what a compiler made of its text. Its
 * parameters are addresses, each set by its name; of lists of offsets the rows that bound them are
 * known. */
#include "base/arith.h"
#include "base/request.h"
#include "runtime/kernel.h"

#include <string.h>

enum {
    PROCESSOR_THREADS = 2048, /* of all blocks that run at once there, at most */
    ROUNDS = 4,               /* of such blocks, which are fastest */
    GROUPS_MOST = 512 /* of ROUNDS: each block reads the list, which is then longer work */
};

/* The rows, or columns, of the tensor whose offsets a list says; 0: it says none. */
static uint64_t rows_of(const zlay_rows_kernel *k, const char *name)
{
    bool columns =
        k->kind == ZLAY_ROWS_CONCATENATE_COLUMNS || k->kind == ZLAY_ROWS_SPLIT_COLUMNS;
    if (!strcmp(name, "target_offsets")) return k->target_rows;
    if (!strcmp(name, "source_offsets")) return k->source_rows;
    if (strcmp(name, "offsets") != 0) return 0;
    if (columns) return k->row_bytes / zl_umax(1, k->element_bytes);
    return k->kind == ZLAY_ROWS_CONCATENATE ? k->target_rows : k->source_rows;
}

static zlay_status arguments_read(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_rows_kernel *k)
{
    uint32_t count = 0;
    while (zlay_rows_argument_nth(k->kind, count)) count++;
    if (!count) return zl_fail(ctx, ZLAY_EINVAL, "rows: there is no kind %d", (int)k->kind);
    zlay_status status = zl_arguments_make(ctx, kernel, count);
    for (uint32_t i = 0; !status && i < count; i++) {
        zl_argument *a = &kernel->more[i];
        const char *name = zlay_rows_argument_nth(k->kind, i);
        a->what = (zlay_pipe_argument){.kind = ZLAY_ARGUMENT_POINTER, .bytes = sizeof(uint64_t)};
        memcpy(a->what.name, name, strlen(name));
        a->rows = rows_of(k, name);
        if (!a->rows) continue;
        a->what.type = ZLAY_TYPE_S32;
        a->count = k->groups + 1;
    }
    return status;
}

/* ROUNDS times as many blocks as the device runs at once, of many groups as many, or fewer that
 * have work; shared memory is static. */
static zlay_launch launch_of(const zlay_device *device, const zlay_rows_launch *l, uint64_t groups)
{
    uint64_t processors = zl_umax(1, (uint64_t)device->info.processors);
    uint64_t at_once = processors * zl_umax(1, PROCESSOR_THREADS / l->threads);
    uint64_t most = groups <= GROUPS_MOST ? ROUNDS * at_once : at_once;
    return (zlay_launch){.grid = {(uint32_t)zl_umax(1, zl_umin(l->blocks, most)), 1, 1},
                         .block = {l->threads, 1, 1}};
}

static zlay_status kernel_fill(zlay_ctx *ctx, zlay_kernel *kernel, const zlay_rows_image *r)
{
    char *name = zl_scratch(ctx, r->rows->name_length + 1, 1);
    if (!name) return ZLAY_ENOMEM;
    memcpy(name, r->rows->name, r->rows->name_length);
    kernel->by_names = true;
    kernel->launch = launch_of(kernel->module.device, r->launch, r->rows->groups);
    zlay_status status = arguments_read(ctx, kernel, r->rows);
    return status ? status : zl_module_fill(ctx, &kernel->module, r->image, r->length, name, 0);
}

static zlay_status request_read(zlay_ctx *ctx, zlay_rows_image *out, const zlay_rows_image *request)
{
    static const zl_request_form form = {
        "zlay_rows_image", sizeof(zlay_rows_image), sizeof request->size,
        {ZL_RESERVED(zlay_rows_image, reserved0), ZL_RESERVED(zlay_rows_image, reserved)}};
    zlay_status status = zl_request_read(ctx, out, request, &form);
    if (status) return status;
    const zlay_rows_kernel *k = out->rows;
    if (!k || !out->launch || !out->image || out->length == SIZE_MAX) return ZLAY_EINVAL;
    if (k->size < sizeof *k) return zl_fail(ctx, ZLAY_EINVAL, "rows: its size is too small");
    bool named = k->name && k->name_length && k->name_length < SIZE_MAX;
    return named && out->launch->threads && k->groups <= INT32_MAX ? ZLAY_OK : ZLAY_EINVAL;
}

zlay_status zlay_kernel_load_rows(zlay_ctx *ctx, zlay_kernel **out, zlay_device *device,
                                  const zlay_rows_image *request)
{
    zlay_rows_image r;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!request) return ZLAY_EINVAL;
    zlay_status status = zl_device_enter(ctx, device);
    if (status) return status;
    status = request_read(ctx, &r, request);
    zlay_kernel *kernel = status ? NULL : zl_kernel_new(ctx, device);
    if (!status) status = kernel ? kernel_fill(ctx, kernel, &r) : ZLAY_ENOMEM;
    if (status && kernel)
        zl_kernel_drop(kernel);
    else
        *out = kernel;
    return zl_device_leave(ctx, device, status);
}
