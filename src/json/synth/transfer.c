/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that copy or transpose in global memory, as text. */
#include "json/json.h"

static const zl_named paths[] = {{"threads", ZLAY_PATH_THREADS},
                                 {"realign", ZLAY_PATH_REALIGN},
                                 {"cp_async", ZLAY_PATH_CP_ASYNC},
                                 {"bulk", ZLAY_PATH_BULK},
                                 {"transpose", ZLAY_PATH_TRANSPOSE},
                                 {"matrix", ZLAY_PATH_MATRIX},
                                 {NULL, 0}};

typedef struct named_transfer {
    const zlay_transfer *transfer;
    zl_json_text name;
} named_transfer;

static zlay_status print_transfer(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const named_transfer *n = value;
    return zlay_emit_transfer(ctx, out, n->transfer, n->name.text, n->name.length);
}

/* dst of shape (N, M) read at (j, i): composed with the map of (i, j) to its index there. */
static zlay_status turn(zl_call *call, const zlay_layout *source, zlay_layout **dest)
{
    uint64_t from[2], to[2];
    zlay_layout *exchange = NULL, *turned = NULL;
    if (zlay_layout_box(from, 2, source) != 2 || zlay_layout_box(to, 2, *dest) != 2 ||
        from[0] != to[1] || from[1] != to[0])
        return zl_wrong(call, "dst", "a layout of shape (N, M) where src has (M, N)");
    const int64_t shape[] = {(int64_t)from[0], (int64_t)from[1]}, stride[] = {shape[1], 1};
    zlay_status status = zlay_layout_new_strided(call->ctx, &exchange, 2, shape, stride, 0);
    if (!status) status = zlay_layout_compose(call->ctx, &turned, *dest, exchange);
    zlay_layout_free(exchange);
    if (status) return status;
    zlay_layout_free(*dest);
    *dest = turned;
    return ZLAY_OK;
}

static zlay_status read_numbers(zl_call *call, zlay_transfer_request *out)
{
    zlay_status status = zl_get_u32(call, call->request, "elem_bits", &out->elem_bits);
    if (!status) status = zl_get_u32(call, call->request, "src_align", &out->source_align);
    if (!status) status = zl_get_u32(call, call->request, "dst_align", &out->dest_align);
    if (!status) status = zl_get_u32(call, call->request, "threads", &out->threads);
    return status ? status : zl_get_word(call, call->request, "path", paths, &out->path);
}

static zlay_status transfer_make(zl_call *call, zlay_transfer **out, bool turned)
{
    const zlay_target *target;
    zlay_transfer_request request = {.size = sizeof request};
    zlay_layout *source = NULL, *dest = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_numbers(call, &request);
    if (!status) status = zl_get_layout(call, "src", &source);
    if (!status) status = zl_get_layout(call, "dst", &dest);
    if (!status && turned) status = turn(call, source, &dest);
    request.source = source;
    request.dest = dest;
    if (!status) status = zlay_transfer_synth(call->ctx, out, target, &request);
    zlay_layout_free(source);
    zlay_layout_free(dest);
    return status;
}

static json_t *arguments_value(zl_call *call)
{
    static const char *const names[] = {"ptr_source", "ptr_dest"};
    json_t *list = json_array();
    for (size_t i = 0; i < ZL_COUNT(names); i++) {
        json_t *one = json_object();
        zl_put_value(call, one, "name", json_string(names[i]));
        zl_put_value(call, one, "type", json_string("u64"));
        zl_put_value(call, one, "bytes", json_integer(8));
        zl_put_item(call, list, one);
    }
    return list;
}

static void put_launch(zl_call *call, const zlay_transfer_summary *info)
{
    json_t *cluster = json_array();
    for (int i = 0; i < 3; i++) zl_put_item(call, cluster, json_integer(1));
    zl_put_value(call, call->value, "path", zl_json_word(paths, info->path));
    zl_put_value(call, call->value, "width", json_integer(info->width));
    zl_put_value(call, call->value, "smem", json_integer(0));
    zl_put_value(call, call->value, "static_smem", json_integer(info->smem));
    zl_put_value(call, call->value, "threads", json_integer(info->threads));
    zl_put_value(call, call->value, "blocks", zl_json_uint(info->blocks));
    zl_put_value(call, call->value, "cluster", cluster);
    zl_put_value(call, call->value, "arguments", arguments_value(call));
}

static zlay_status put_text(zl_call *call, const named_transfer *n)
{
    zlay_transfer_summary info;
    zlay_status status = zlay_transfer_info(&info, n->transfer);
    json_t *text = status ? NULL : zl_json_printed(call, print_transfer, n, &status);
    if (status) return status;
    status = zl_put_kernel(call, text, "ptx");
    put_launch(call, &info);
    return status;
}

zlay_status zl_emit_copy(zl_call *call, bool turned)
{
    named_transfer n = {0};
    zlay_transfer *transfer = NULL;
    zlay_status status = zl_fields_check(call, call->request, "emit",
                                         "target what name src dst elem_bits",
                                         "src_align dst_align path threads ptx");
    if (!status) status = zl_get_text(call, call->request, "name", &n.name);
    if (!status) status = transfer_make(call, &transfer, turned);
    n.transfer = transfer;
    if (!status) status = put_text(call, &n);
    zlay_transfer_free(transfer);
    return status;
}
