/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers packed into allocations of tensor memory. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static const zl_field buffer_rows[] = {
    {"columns", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tmem_buffer, columns)},
    {"first", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tmem_buffer, first)},
    {"last", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tmem_buffer, last)},
    {"align", ZL_MAY, ZL_AT(zl_as_u32, zlay_tmem_buffer, align)},
    {"offset", ZL_MAY, ZL_AT(zl_as_u32, zlay_tmem_buffer, offset)},
};
static const zl_fields buffer_fields = ZL_FIELDS(buffer_rows);

static zlay_status read_buffer(zl_call *call, const json_t *object, zlay_tmem_buffer *out)
{
    *out = (zlay_tmem_buffer){.fixed = json_object_get(object, "offset") != NULL};
    if (!json_is_object(object)) return zl_wrong(call, "buffers", "a list of objects");
    zlay_status status = zl_names_check(call, object, "buffers", &buffer_fields);
    return status ? status : zl_read_object(call, object, &buffer_fields, out);
}

static zlay_status read_buffers(zl_call *call, zlay_tmem_buffer *out, uint32_t *count)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, call->request, "buffers", &list);
    if (status) return status;
    if (!json_array_size(list) || json_array_size(list) > ZLAY_TMEM_BUFFERS)
        return zl_wrong(call, "buffers", "a list of 1 to 64 objects");
    *count = (uint32_t)json_array_size(list);
    for (uint32_t i = 0; !status && i < *count; i++)
        status = read_buffer(call, json_array_get(list, i), &out[i]);
    return status;
}

static json_t *places_value(zl_call *call, const zlay_tmem_packing *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->count; i++) {
        json_t *place = json_object();
        zl_put_value(call, place, "allocation", json_integer(p->in[i]));
        zl_put_value(call, place, "offset", json_integer(p->offset[i]));
        zl_put_item(call, list, place);
    }
    return list;
}

static json_t *sizes_value(zl_call *call, const zlay_tmem_packing *p)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < p->allocations; i++)
        zl_put_item(call, list, json_integer(p->allocation[i]));
    return list;
}

static void put_packing(zl_call *call, const zlay_tmem_packing *p)
{
    call->value = json_object();
    zl_put_value(call, call->value, "columns", json_integer(p->columns));
    zl_put_value(call, call->value, "allocations", sizes_value(call, p));
    zl_put_value(call, call->value, "buffers", places_value(call, p));
    zl_put_value(call, call->value, "alive", json_integer(p->alive));
    zl_put_value(call, call->value, "least", json_integer(p->least));
    zl_put_value(call, call->value, "optimal", json_boolean(p->optimal));
}

static zlay_status put_certificate(zl_call *call, const zlay_tmem_packing *p,
                                   const zlay_tmem_pack_request *request)
{
    zlay_layout *a = NULL, *b = NULL;
    zlay_status status = zlay_tmem_packing_certificate(call->ctx, &a, &b, p, request);
    if (!status) zl_put_value(call, call->value, "certificate", zl_json_pair(call, a, b));
    zlay_layout_free(a);
    zlay_layout_free(b);
    return status;
}

zlay_status zl_op_tmem_pack(zl_call *call)
{
    const zlay_target *target;
    zlay_tmem_buffer buffers[ZLAY_TMEM_BUFFERS];
    zlay_tmem_pack_request request = {.size = sizeof request, .buffers = buffers};
    zlay_tmem_packing packing;
    bool pair = false;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_buffers(call, buffers, &request.count);
    if (!status) status = zl_get_u32(call, call->request, "allocations", &request.allocations);
    if (!status) status = zl_get_flag(call, call->request, "pair", &pair);
    request.cta_group = pair ? 2 : 1;
    if (!status) status = zlay_tmem_pack(call->ctx, &packing, target, &request);
    if (status == ZLAY_NONE) zl_none_explain(call, ": step ");
    if (status) return status;
    put_packing(call, &packing);
    return put_certificate(call, &packing, &request);
}
