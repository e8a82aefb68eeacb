/* SPDX-License-Identifier: Apache-2.0 */
/* ragged.pool: heights of boxes that store the last tiles of groups, and the cut of each tail. */
#include "json/json.h"

#include <zlay/pool.h>

/* Rows of the tails: a list, or all below a number. */
typedef struct tails {
    uint32_t row[ZLAY_POOL_TAIL];
    uint32_t count;
} tails;

static zlay_status read_tails(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    static const char wanted[] = "a list of 1 to 255 rows of 1 to 255, or a tile's rows, 2 to 256";
    tails *out = to;
    const json_t *value = json_object_get(object, field->name);
    uint64_t row = 0;
    size_t count = json_array_size(value);
    bool all = zl_json_u64(value, &row) && row >= 2 && row <= ZLAY_POOL_TAIL + 1;
    if (!all && (!count || count > ZLAY_POOL_TAIL)) return zl_wrong(call, field->name, wanted);
    out->count = all ? (uint32_t)row - 1 : (uint32_t)count;
    for (uint32_t i = 0; i < out->count; i++) {
        if (all) row = i + 1;
        else if (!zl_json_u64(json_array_get(value, i), &row) || !row || row > ZLAY_POOL_TAIL)
            return zl_wrong(call, field->name, wanted);
        out->row[i] = (uint32_t)row;
    }
    return ZLAY_OK;
}

static const zl_field_kind as_tails = {.read = read_tails};
typedef tails as_tails_type;

typedef struct pool_asked {
    tails tails;
    uint32_t boxes, maps, unit;
} pool_asked;

static const zl_field pool_rows[] = {
    {"tails", ZL_NEEDS, ZL_AT(as_tails, pool_asked, tails)},
    {"boxes", ZL_NEEDS, ZL_AT(zl_as_u32, pool_asked, boxes)},
    {"maps", ZL_MAY, ZL_AT(zl_as_u32, pool_asked, maps)},
    {"unit", ZL_MAY, ZL_AT(zl_as_u32, pool_asked, unit)},
};
const zl_fields zl_pool_fields = {ZL_ROWS(pool_rows, pool_asked)};

static void put_cut(zl_call *call, json_t *list, const zlay_pool *pool, uint32_t tail)
{
    uint32_t height[ZLAY_POOL_TAIL], boxes = 0;
    json_t *value = json_object();
    zlay_pool_cut(height, &boxes, pool, tail);
    zl_put_value(call, value, "tail", zl_json_uint(tail));
    zl_put_value(call, value, "boxes", zl_json_list32(call, height, boxes));
    zl_put_item(call, list, value);
}

zlay_status zl_op_ragged_pool(zl_call *call, const void *value)
{
    const pool_asked *a = value;
    const zlay_pool_request request = {.size = sizeof request, .tails = a->tails.count,
                                       .tail = a->tails.row, .boxes = a->boxes, .maps = a->maps,
                                       .unit = a->unit};
    zlay_pool pool;
    zlay_status status = zlay_pool_find(call->ctx, &pool, &request);
    if (status) return status;
    json_t *cuts = json_array();
    for (uint32_t i = 0; i < a->tails.count; i++) put_cut(call, cuts, &pool, a->tails.row[i]);
    call->value = json_object();
    zl_put_value(call, call->value, "heights", zl_json_list32(call, pool.height, pool.maps));
    zl_put_value(call, call->value, "maps", zl_json_uint(pool.maps));
    zl_put_value(call, call->value, "boxes", zl_json_uint(pool.boxes));
    zl_put_value(call, call->value, "lower_bound", zl_json_uint(pool.lower_bound));
    zl_put_value(call, call->value, "optimal", json_boolean(pool.optimal));
    zl_put_value(call, call->value, "cuts", cuts);
    return ZLAY_OK;
}
