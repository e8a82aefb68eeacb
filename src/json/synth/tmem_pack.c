/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers packed into allocations of tensor memory. */
#include "json/json.h"

static const zl_field buffer_rows[] = {
    {"columns", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tmem_buffer, columns)},
    {"first", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tmem_buffer, first)},
    {"last", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tmem_buffer, last)},
    {"align", ZL_MAY, ZL_AT(zl_as_u32, zlay_tmem_buffer, align)},
    {"offset", ZL_MAY, ZL_AT(zl_as_u32, zlay_tmem_buffer, offset), .present = 1},
};
static const zl_fields buffer_fields = {ZL_ROWS(buffer_rows, zlay_tmem_buffer),
                                        .present = offsetof(zlay_tmem_buffer, fixed)};

typedef struct asked {
    const zlay_target *target;
    zl_objects buffers;
    uint32_t allocations;
    bool pair;
} asked;

static const zl_field pack_rows[] = {
    ZL_TARGET(asked),
    {"buffers", ZL_NEEDS, ZL_AT(zl_as_objects, asked, buffers), .of = &buffer_fields,
     .count = ZLAY_TMEM_BUFFERS},
    {"allocations", ZL_MAY, ZL_AT(zl_as_u32, asked, allocations)},
    {"pair", ZL_MAY, ZL_AT(zl_as_flag, asked, pair)},
};
const zl_fields zl_pack_fields = {ZL_ROWS(pack_rows, asked)};

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

static void put_packing(zl_call *call, const zlay_tmem_packing *p)
{
    call->value = json_object();
    zl_put_value(call, call->value, "columns", json_integer(p->columns));
    zl_put_value(call, call->value, "allocations",
                 zl_json_list32(call, p->allocation, p->allocations));
    zl_put_value(call, call->value, "buffers", places_value(call, p));
    zl_put_value(call, call->value, "alive", json_integer(p->alive));
    zl_put_value(call, call->value, "least", json_integer(p->least));
    zl_put_value(call, call->value, "optimal", json_boolean(p->optimal));
}

zlay_status zl_op_tmem_pack(zl_call *call, const void *value)
{
    const asked *a = value;
    const zlay_tmem_pack_request request = {.size = sizeof request,
                                            .count = a->buffers.count,
                                            .allocations = a->allocations,
                                            .cta_group = a->pair ? 2 : 1,
                                            .buffers = a->buffers.row};
    zlay_tmem_packing packing;
    zlay_status status = zlay_tmem_pack(call->ctx, &packing, a->target, &request);
    if (status == ZLAY_NONE) zl_none_explain(call, ": step ");
    if (status) return status;
    put_packing(call, &packing);
    zlay_layout *left = NULL, *right = NULL;
    status = zlay_tmem_packing_certificate(call->ctx, &left, &right, &packing, &request);
    return zl_put_certificate(call, status, left, right);
}
