/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth: the tensor maps and copies that bring a tile to shared memory. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static const zl_named directions[] = {
    {"load", ZLAY_DIRECTION_LOAD}, {"store", ZLAY_DIRECTION_STORE}, {NULL, 0}};

/* A list of integers is a shape; so is a text without strides, as "(128,64)". */
static bool is_shape(const json_t *tile)
{
    const char *text = json_string_value(tile);
    return json_is_array(tile) || json_is_integer(tile) ||
           (text && !strpbrk(text, ":{") && !strstr(text, "Sw"));
}

static zlay_status entry_put(zl_call *call, zlay_tensormap_request *out, const json_t *entry)
{
    uint64_t extent;
    if (!zl_json_u64(entry, &extent) || out->axes == ZLAY_TILE_AXES)
        return zl_wrong(call, "tile", "a layout, or a list of at most 8 integers");
    out->shape[out->axes++] = extent;
    return ZLAY_OK;
}

/* "(128,64)" as a layout has the shape as its box. */
static zlay_status text_shape(zl_call *call, zlay_tensormap_request *out, const json_t *tile)
{
    zlay_layout *layout;
    zlay_status status = zl_layout_of(call, "tile", tile, &layout);
    if (status) return status;
    size_t axes = zlay_layout_box(out->shape, ZL_COUNT(out->shape), layout);
    zlay_layout_free(layout);
    if (axes > ZL_COUNT(out->shape)) return zl_wrong(call, "tile", "a shape of at most 8 modes");
    out->axes = (uint32_t)axes;
    return ZLAY_OK;
}

static zlay_status read_tile(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_tensormap_request *out = to;
    const json_t *tile = json_object_get(object, field->name);
    zlay_status status = ZLAY_OK;
    if (json_is_integer(tile)) return entry_put(call, out, tile);
    if (json_is_string(tile) && is_shape(tile)) return text_shape(call, out, tile);
    if (!is_shape(tile)) return zl_as_plain_layout.read(call, object, field, &out->tile);
    for (size_t i = 0; i < json_array_size(tile) && !status; i++)
        status = entry_put(call, out, json_array_get(tile, i));
    return status;
}

static void drop_tile(zl_call *call, const zl_field *field, void *from)
{
    zl_drop_layout(call, field, &((zlay_tensormap_request *)from)->tile);
}

static bool is_null(const json_t *object, const zl_field *field)
{
    return json_is_null(json_object_get(object, field->name));
}

static zlay_status read_smem(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    if (is_null(object, field)) return ZLAY_OK;
    return zl_as_plain_layout.read(call, object, field, to);
}

/* The index of the one tile that is asked for; it comes after the tile, whose modes it counts. */
static zlay_status read_index(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_tensormap_request *out = to;
    const json_t *index = json_object_get(object, field->name);
    if (json_is_null(index)) return ZLAY_OK;
    out->index_given = 1;
    if (!json_is_array(index) || json_array_size(index) != out->axes)
        return zl_wrong(call, "index", "a list of an integer for each mode of the tile");
    for (size_t i = 0; i < json_array_size(index); i++)
        if (!zl_json_u64(json_array_get(index, i), &out->index[i]))
            return zl_wrong(call, "index", "a list of an integer for each mode of the tile");
    return ZLAY_OK;
}

static zlay_status read_swizzle(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    zlay_tensormap_request *out = to;
    if (is_null(object, field)) return ZLAY_OK;
    out->swizzle_given = 1;
    return zl_get_word(call, object, field->name, zl_map_swizzles, &out->swizzle);
}

static const zl_field_kind as_maps_tile = {.read = read_tile, .drop = drop_tile, .late = true},
                           as_smem = {.read = read_smem,
                                      .drop = zl_drop_layout,
                                      .late = true,
                                      .type = "layout"},
                           as_index = {.read = read_index, .late = true, .type = "integers"},
                           as_maps_swizzle = {.read = read_swizzle, .type = "word"};
typedef zlay_tensormap_request as_maps_tile_type, as_index_type, as_maps_swizzle_type;
typedef const zlay_layout *as_smem_type;

#define AT(kind, member) ZL_AT(kind, zl_maps_asked, member)
static const zl_field maps_rows[] = {
    ZL_TARGET(zl_maps_asked),
    {"type", ZL_NEEDS, AT(zl_as_word, request.type), .of = zl_types},
    {"source", ZL_NEEDS, AT(zl_as_layout, request.source)},
    {"tile", ZL_NEEDS, AT(as_maps_tile, request)},
    {"smem", ZL_MAY, AT(as_smem, request.smem)},
    {"address_align", ZL_MAY, AT(zl_as_some32, request.address_align)},
    {"swizzle", ZL_MAY, AT(as_maps_swizzle, request)},
    {"edge", ZL_MAY, AT(zl_as_word, request.edge), .of = zl_edges},
    {"direction", ZL_MAY, AT(zl_as_word, request.direction), .of = directions},
    {"index", ZL_MAY, AT(as_index, request)},
    {"keep_holes", ZL_MAY, AT(zl_as_bit, request.keep_holes), .count = 1},
    {"residual", ZL_MAY, AT(zl_as_bit, request.residual), .count = 1},
    {"facts", ZL_MAY, AT(zl_as_facts, request.facts)},
};
static const zl_maps_asked usual = {.request = {.size = sizeof usual.request}};
const zl_fields zl_tensormap_synth_fields = {ZL_ROWS(maps_rows, zl_maps_asked), .start = &usual};
#undef AT

zlay_status zl_maps_made(zl_call *call, zlay_move **out, const zl_maps_asked *a)
{
    zlay_status status = zlay_tensormap_synth(call->ctx, out, a->target, &a->request);
    if (status == ZLAY_NONE) zl_none_explain(call, ": byte ");
    return status;
}

zlay_status zl_op_tensormap_synth(zl_call *call, const void *asked)
{
    const zl_maps_asked *a = asked;
    zlay_move *move = NULL;
    zlay_move_summary info;
    zlay_status status = zl_maps_made(call, &move, a);
    if (!status)
        call->value = zl_json_move(call, move, a->request.tile ? 0 : a->request.axes);
    if (!status && !zlay_move_info(&info, move))
        zl_put_value(call, call->value, "optimal", json_boolean(info.optimal));
    zlay_move_free(move);
    return status;
}
