/* SPDX-License-Identifier: Apache-2.0 */
/* tensormap.synth. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

static const zl_named edges[] = {{"weak", ZLAY_EDGE_WEAK}, {"strong", ZLAY_EDGE_STRONG}, {NULL, 0}};

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
static zlay_status text_shape(zl_call *call, zlay_tensormap_request *out)
{
    zlay_layout *layout;
    const json_t *tile = json_object_get(call->request, "tile");
    zlay_status status = zl_layout_of(call, "tile", tile, &layout);
    if (status) return status;
    size_t axes = zlay_layout_box(out->shape, ZL_COUNT(out->shape), layout);
    zlay_layout_free(layout);
    if (axes > ZL_COUNT(out->shape)) return zl_wrong(call, "tile", "a shape of at most 8 modes");
    out->axes = (uint32_t)axes;
    return ZLAY_OK;
}

static zlay_status read_tile(zl_call *call, zlay_tensormap_request *out, zlay_layout **made)
{
    const json_t *tile = json_object_get(call->request, "tile");
    zlay_status status = ZLAY_OK;
    if (json_is_integer(tile)) return entry_put(call, out, tile);
    if (json_is_string(tile) && is_shape(tile)) return text_shape(call, out);
    if (!is_shape(tile)) {
        status = zl_layout_of(call, "tile", tile, made);
        out->tile = *made;
        return status;
    }
    for (size_t i = 0; i < json_array_size(tile) && !status; i++)
        status = entry_put(call, out, json_array_get(tile, i));
    return status;
}

static zlay_status read_smem(zl_call *call, zlay_tensormap_request *out, zlay_layout **made)
{
    const json_t *smem = json_object_get(call->request, "smem");
    if (!smem || json_is_null(smem)) return ZLAY_OK;
    zlay_status status = zl_layout_of(call, "smem", smem, made);
    out->smem = *made;
    return status;
}

/* The index of the one tile that is asked for. */
static zlay_status read_index(zl_call *call, zlay_tensormap_request *out)
{
    const json_t *index = json_object_get(call->request, "index");
    if (!index || json_is_null(index)) return ZLAY_OK;
    out->index_given = 1;
    if (!json_is_array(index) || json_array_size(index) != out->axes)
        return zl_wrong(call, "index", "a list of an integer for each mode of the tile");
    for (size_t i = 0; i < json_array_size(index); i++)
        if (!zl_json_u64(json_array_get(index, i), &out->index[i]))
            return zl_wrong(call, "index", "a list of an integer for each mode of the tile");
    return ZLAY_OK;
}

static zlay_status read_align(zl_call *call, zlay_tensormap_request *out)
{
    zlay_status status = zl_get_u32(call, call->request, "address_align", &out->address_align);
    if (status || out->address_align) return status;
    return zl_wrong(call, "address_align", "an integer of at least 1");
}

static zlay_status read_rest(zl_call *call, zlay_tensormap_request *out)
{
    const json_t *request = call->request, *swizzle = json_object_get(request, "swizzle");
    bool residual = false, keep = false;
    zlay_status status = zl_get_word(call, request, "type", zl_types, &out->type);
    if (!status && json_object_get(request, "address_align"))
        status = read_align(call, out);
    out->swizzle_given = swizzle && !json_is_null(swizzle);
    if (!status && out->swizzle_given)
        status = zl_get_word(call, request, "swizzle", zl_map_swizzles, &out->swizzle);
    if (!status) status = zl_get_word(call, request, "edge", edges, &out->edge);
    if (!status) status = zl_get_word(call, request, "direction", directions, &out->direction);
    if (!status) status = zl_get_flag(call, request, "residual", &residual);
    if (!status) status = zl_get_flag(call, request, "keep_holes", &keep);
    out->residual = residual;
    out->keep_holes = keep;
    return status;
}

zlay_status zl_move_synth(zl_call *call, zlay_move **out, uint32_t *axes)
{
    zlay_tensormap_request request = {.size = sizeof request};
    const zlay_target *target;
    zlay_layout *source = NULL, *tile = NULL, *smem = NULL;
    zlay_facts *facts = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_rest(call, &request);
    if (!status) status = zl_get_layout(call, "source", &source);
    if (!status) status = read_tile(call, &request, &tile);
    if (!status) status = read_smem(call, &request, &smem);
    if (!status) status = read_index(call, &request);
    if (!status) status = zl_get_facts(call, &facts);
    request.source = source;
    request.facts = facts;
    *axes = request.tile ? 0 : request.axes;
    if (!status) status = zlay_tensormap_synth(call->ctx, out, target, &request);
    if (status == ZLAY_NONE) zl_none_explain(call, ": byte ");
    zlay_facts_free(facts);
    zlay_layout_free(source);
    zlay_layout_free(tile);
    zlay_layout_free(smem);
    return status;
}

zlay_status zl_op_tensormap_synth(zl_call *call)
{
    zlay_move *move = NULL;
    zlay_move_summary info;
    uint32_t axes;
    zlay_status status = zl_move_synth(call, &move, &axes);
    if (!status) call->value = zl_json_move(call, move, axes);
    if (!status && !zlay_move_info(&info, move))
        zl_put_value(call, call->value, "optimal", json_boolean(info.optimal));
    zlay_move_free(move);
    return status;
}
