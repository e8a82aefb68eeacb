/* SPDX-License-Identifier: Apache-2.0 */
/* show.box: where a tensor copy puts its box in shared memory. */
#include "json/show/show.h"

#include <zlay/show_hardware.h>

enum { DIMS = 5, OFFSETS = 3 };

typedef struct asked {
    zlay_tensormap map;
    int32_t coordinate[DIMS];
    uint16_t offset[OFFSETS];
    uint32_t smem;
    zl_show_asked form;
} asked;

/* As many as the map has dimensions; it is read before. */
static zlay_status read_coordinates(zl_call *call, const json_t *object, const zl_field *field,
                                    void *to)
{
    asked *a = to;
    const json_t *list;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    if (json_array_size(list) != a->map.rank)
        return zl_wrong(call, field->name, "a list of as many integers as the map has dimensions");
    for (size_t i = 0; i < a->map.rank && i < DIMS; i++) {
        int64_t value;
        if (!zl_json_i64(json_array_get(list, i), &value) || value != zl_saturated(value))
            return zl_wrong(call, field->name, "a list of integers in [-2^31, 2^31)");
        a->coordinate[i] = (int32_t)value;
    }
    return ZLAY_OK;
}

static zlay_status read_offsets(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    asked *a = to;
    const json_t *list;
    uint64_t value;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (i >= OFFSETS || !zl_json_u64(json_array_get(list, i), &value) || value > UINT16_MAX)
            return zl_wrong(call, field->name, "a list of at most 3 integers below 2^16");
        a->offset[i] = (uint16_t)value;
    }
    return ZLAY_OK;
}

static const zl_field_kind as_place = {.read = read_coordinates},
                           as_shifts = {.read = read_offsets};
typedef asked as_place_type, as_shifts_type;

static const zl_field rows[] = {
    {"map", ZL_NEEDS, ZL_AT(zl_as_map, asked, map)},
    {"coordinates", ZL_NEEDS, ZL_WHOLE(as_place, asked)},
    {"offsets", ZL_MAY, ZL_WHOLE(as_shifts, asked)},
    {"smem", ZL_MAY, ZL_AT(zl_as_u32, asked, smem)},
    ZL_PART(zl_form_fields, asked, form),
};
const zl_fields zl_show_box_fields = {ZL_ROWS(rows, asked)};

zlay_status zl_op_show_box(zl_call *call, const void *value)
{
    const asked *a = value;
    const zlay_show_box_request request = {.size = sizeof request,
                                           .smem = a->smem,
                                           .map = &a->map,
                                           .coordinate = a->coordinate,
                                           .offset = a->offset};
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_box(call->ctx, &picture, &request);
    return zl_put_picture(call, status, picture, &a->form);
}
