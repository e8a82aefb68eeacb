/* SPDX-License-Identifier: Apache-2.0 */
/* What blocks of a cluster do for each other. */
#include "json/json.h"

/* ---- a tile for several blocks -------------------------------------------------------- */

typedef struct shared_asked {
    const zlay_target *target;
    zlay_tensormap map;
    const json_t *coordinates;
    zlay_multicast_request request;
    uint32_t has_mask;
} shared_asked;

static const zl_field multicast_rows[] = {
    ZL_TARGET(shared_asked),
    {"map", ZL_NEEDS, ZL_AT(zl_as_map, shared_asked, map)},
    {"coordinates", ZL_NEEDS, ZL_AT(zl_as_json_list, shared_asked, coordinates)},
    {"cluster", ZL_NEEDS, ZL_AT(zl_as_u32, shared_asked, request.cluster)},
    {"cta_mask", ZL_MAY, ZL_AT(zl_as_u32, shared_asked, request.cta_mask), .present = 1},
    {"smem", ZL_MAY, ZL_AT(zl_as_u32, shared_asked, request.smem)},
    {"barrier", ZL_MAY, ZL_AT(zl_as_u32, shared_asked, request.barrier)},
};
const zl_fields zl_multicast_fields = {ZL_ROWS(multicast_rows, shared_asked),
                                       .present = offsetof(shared_asked, has_mask)};

static zlay_status read_coordinates(zl_call *call, const json_t *list, uint32_t rank, int32_t *out)
{
    if (json_array_size(list) != rank)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'coordinates' has %zu entries, the map %u",
                       json_array_size(list), rank);
    for (size_t i = 0; i < rank && i < 5; i++) {
        int64_t value;
        if (!zl_json_i64(json_array_get(list, i), &value) || value < INT32_MIN || value > INT32_MAX)
            return zl_wrong(call, "coordinates", "a list of integers in [-2^31, 2^31)");
        out[i] = (int32_t)value;
    }
    return ZLAY_OK;
}

static json_t *issue_value(zl_call *call, const zlay_issue *issue)
{
    json_t *value = json_object(), *coordinates = json_array();
    for (uint32_t d = 0; d < issue->rank; d++)
        zl_put_item(call, coordinates, json_integer(issue->coordinate[d]));
    zl_put_value(call, value, "cta", json_integer(issue->cta));
    zl_put_value(call, value, "coordinates", coordinates);
    zl_put_value(call, value, "smem", zl_json_uint(issue->smem));
    zl_put_value(call, value, "bytes", zl_json_uint(issue->expect));
    zl_put_value(call, value, "cta_mask", zl_json_uint(issue->cta_mask));
    return value;
}

/* Without a mask all blocks of the cluster take the tile. */
zlay_status zl_op_cluster_multicast(zl_call *call, const void *value)
{
    const shared_asked *asked = value;
    zlay_multicast_request request = asked->request;
    zlay_layout *a = NULL, *b = NULL;
    zlay_multicast m;
    zlay_issue issue;
    request.size = sizeof request;
    request.map = &asked->map;
    if (!asked->has_mask)
        request.cta_mask = request.cluster < 32 ? (1u << request.cluster) - 1 : UINT32_MAX;
    zlay_status status =
        read_coordinates(call, asked->coordinates, asked->map.rank, request.coordinate);
    if (!status) status = zlay_multicast_synth(call->ctx, &m, asked->target, &request);
    if (status) return status;
    call->value = json_object();
    json_t *copies = json_array();
    for (uint32_t i = 0; !zlay_multicast_issue(&issue, &m, i); i++)
        zl_put_item(call, copies, issue_value(call, &issue));
    zl_put_value(call, call->value, "map", zl_json_tensormap(call, &m.map));
    zl_put_value(call, call->value, "copies", copies);
    zl_put_value(call, call->value, "bytes", json_integer(m.expect));
    status = zlay_multicast_certificate(call->ctx, &a, &b, &m);
    return zl_put_certificate(call, status, a, b);
}

/* ---- registers that change blocks -------------------------------------------------------- */

static void put_exchange(zl_call *call, const zlay_exchange *x, const zlay_exchange_summary *info)
{
    const zlay_layout *a = NULL, *b = NULL;
    json_t *partners = json_array(), *pair = json_object();
    for (uint32_t step = 1; step < info->blocks; step++)
        if (info->partners >> step & 1) zl_put_item(call, partners, json_integer(step));
    zlay_exchange_certificate(&a, &b, x);
    zl_put_value(call, pair, "a", zl_json_f2(call, a));
    zl_put_value(call, pair, "b", zl_json_f2(call, b));
    call->value = json_object();
    zl_put_value(call, call->value, "route", zl_json_f2(call, zlay_exchange_route(x)));
    zl_put_value(call, call->value, "blocks", json_integer(info->blocks));
    zl_put_value(call, call->value, "wanted", zl_json_uint(info->wanted));
    zl_put_value(call, call->value, "crossing", zl_json_uint(info->crossing));
    zl_put_value(call, call->value, "partners", partners);
    zl_put_value(call, call->value, "certificate", pair);
}

typedef struct exchanged {
    const zlay_layout *source, *dest;
} exchanged;

static const zl_field exchange_rows[] = {
    {"src", ZL_NEEDS, ZL_AT(zl_as_layout, exchanged, source)},
    {"dst", ZL_NEEDS, ZL_AT(zl_as_layout, exchanged, dest)},
};
const zl_fields zl_exchange_fields = {ZL_ROWS(exchange_rows, exchanged)};

zlay_status zl_op_cluster_exchange(zl_call *call, const void *value)
{
    const exchanged *e = value;
    zlay_exchange *x = NULL;
    zlay_exchange_summary info;
    zlay_status status = zlay_exchange_synth(call->ctx, &x, e->source, e->dest);
    if (!status) status = zlay_exchange_info(&info, x);
    if (!status) put_exchange(call, x, &info);
    zlay_exchange_free(x);
    return status;
}
