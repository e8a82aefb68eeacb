/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: copy and of what: transpose, kernels that move a matrix in global memory. */
#include "json/synth/emit.h"

static const zl_named paths[] = {{"threads", ZLAY_PATH_THREADS},
                                 {"realign", ZLAY_PATH_REALIGN},
                                 {"cp_async", ZLAY_PATH_CP_ASYNC},
                                 {"bulk", ZLAY_PATH_BULK},
                                 {"transpose", ZLAY_PATH_TRANSPOSE},
                                 {"matrix", ZLAY_PATH_MATRIX},
                                 {NULL, 0}};

typedef struct asked {
    zl_emit_head head;
    const zlay_target *target;
    zlay_transfer_request request;
} asked;

static const zl_field copy_rows[] = {
    ZL_PART(zl_emit_head_fields, asked, head),
    ZL_TARGET(asked),
    {"src", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.source)},
    {"dst", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.dest)},
    {"elem_bits", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.elem_bits)},
    {"src_align", ZL_MAY, ZL_AT(zl_as_u32, asked, request.source_align)},
    {"dst_align", ZL_MAY, ZL_AT(zl_as_u32, asked, request.dest_align)},
    {"path", ZL_MAY, ZL_AT(zl_as_word, asked, request.path), .of = paths},
    {"threads", ZL_MAY, ZL_AT(zl_as_u32, asked, request.threads)},
    ZL_PTX(asked),
};
const zl_fields zl_emit_copy_fields = {ZL_ROWS(copy_rows, asked)};

/* dst of shape (N, M) read at (j, i): composed with the map of (i, j) to its index there. */
static zlay_status turn(zl_call *call, zlay_layout **out, const zlay_layout *source,
                        const zlay_layout *dest)
{
    uint64_t from[2], to[2];
    zlay_layout *exchange = NULL;
    if (zlay_layout_box(from, 2, source) != 2 || zlay_layout_box(to, 2, dest) != 2 ||
        from[0] != to[1] || from[1] != to[0])
        return zl_wrong(call, "dst", "a layout of shape (N, M) where src has (M, N)");
    const int64_t shape[] = {(int64_t)from[0], (int64_t)from[1]}, stride[] = {shape[1], 1};
    zlay_status status = zlay_layout_new_strided(call->ctx, &exchange, 2, shape, stride, 0);
    if (!status) status = zlay_layout_compose(call->ctx, out, dest, exchange);
    zlay_layout_free(exchange);
    return status;
}

static json_t *arguments_value(zl_call *call)
{
    json_t *list = json_array();
    zl_put_argument(call, list, "ptr_source", "u64", 8);
    zl_put_argument(call, list, "ptr_dest", "u64", 8);
    return list;
}

static void put_launch(zl_call *call, const zlay_transfer_summary *info)
{
    zl_put_value(call, call->value, "path", zl_json_word(paths, info->path));
    zl_put_value(call, call->value, "width", json_integer(info->width));
    zl_put_value(call, call->value, "smem", json_integer(0));
    zl_put_value(call, call->value, "static_smem", json_integer(info->smem));
    zl_put_value(call, call->value, "threads", json_integer(info->threads));
    zl_put_value(call, call->value, "blocks", zl_json_uint(info->blocks));
    zl_put_value(call, call->value, "cluster", zl_json_three(call, 1, 1, 1));
    zl_put_value(call, call->value, "arguments", arguments_value(call));
}

static zlay_status put_kernel(zl_call *call, const zlay_transfer *transfer,
                              const zl_emit_head *head)
{
    zlay_transfer_summary info;
    zlay_status status = zlay_transfer_info(&info, transfer);
    if (!status) status = zl_put_text(call, ZL_KERNEL_OF_TRANSFER, transfer, head);
    if (!status) put_launch(call, &info);
    return status;
}

static zlay_status emit(zl_call *call, const asked *a, const zlay_layout *dest)
{
    zlay_transfer_request request = a->request;
    zlay_transfer *transfer = NULL;
    request.size = sizeof request;
    request.dest = dest;
    zlay_status status = zlay_transfer_synth(call->ctx, &transfer, a->target, &request);
    if (!status) status = put_kernel(call, transfer, &a->head);
    zlay_transfer_free(transfer);
    return status;
}

zlay_status zl_emit_copy(zl_call *call, const void *value)
{
    const asked *a = value;
    return emit(call, a, a->request.dest);
}

zlay_status zl_emit_transpose(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_layout *dest = NULL;
    zlay_status status = turn(call, &dest, a->request.source, a->request.dest);
    if (!status) status = emit(call, a, dest);
    zlay_layout_free(dest);
    return status;
}
