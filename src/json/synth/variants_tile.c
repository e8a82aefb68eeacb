/* SPDX-License-Identifier: Apache-2.0 */
/* variants.tile: the fewest variants of loads of a tile of a tensor with unknowns, by tensor copies
 * and by threads, each with its plan, and their selector. */
#include "json/synth/variants.h"

/* What tensormap.synth takes. */
static zlay_status read_maps(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *tile, *request = call->request;
    zlay_status status = zl_get_object(call, object, field->name, &tile);
    if (!status) status = zl_names_check(call, tile, field->name, &zl_tensormap_synth_fields);
    if (status) return status;
    call->request = tile;
    status = zl_read_object(call, tile, &zl_tensormap_synth_fields, to);
    call->request = request;
    return status;
}

static void drop_maps(zl_call *call, const zl_field *field, void *from)
{
    (void)field;
    zl_drop(call, &zl_tensormap_synth_fields, from);
}

static const zl_field_kind as_maps = {.read = read_maps, .drop = drop_maps, .type = "object"};
typedef zl_maps_asked as_maps_type;

typedef struct tile_asked {
    zl_service service;
    zl_maps_asked maps;
    uint32_t threads;
} tile_asked;

static const zl_field tile_rows[] = {
    ZL_PART(zl_service_fields, tile_asked, service),
    {"tile", ZL_NEEDS, ZL_AT(as_maps, tile_asked, maps)},
    {"threads", ZL_MAY, ZL_AT(zl_as_some32, tile_asked, threads)},
};
static const tile_asked tile_usual = {.maps.request.size = sizeof(zlay_tensormap_request)};
const zl_fields zl_variants_tile_fields = {ZL_ROWS(tile_rows, tile_asked), .start = &tile_usual};

typedef struct tile_moves {
    zlay_move *at[ZLAY_VARIANTS_MOST];
    uint32_t axes;
} tile_moves;

static void put_move(zl_call *call, json_t *value, const void *from, uint32_t i,
                     const zlay_variants_item *item)
{
    const tile_moves *m = from;
    const zlay_move *move = m->at[i];
    zlay_move_summary info = {0};
    (void)item;
    zlay_move_info(&info, move);
    bool tensor = info.path == ZLAY_PATH_TENSOR;
    uint64_t instructions = tensor ? info.copies : info.instructions;
    json_t *plan = tensor ? zl_json_move(call, move, m->axes) : zl_json_threads(call, move);
    zl_put_value(call, value, "instructions", zl_json_uint(instructions));
    zl_put_value(call, value, "move", plan);
}

zlay_status zl_op_variants_tile(zl_call *call, const void *value)
{
    const tile_asked *a = value;
    const zlay_tensormap_request *tile = &a->maps.request;
    zlay_variants_tile request = {.size = sizeof request, .threads = a->threads, .tile = tile};
    tile_moves moves = {{NULL}, tile->axes};
    zlay_variants *variants = NULL;
    zlay_status status = zl_service_read(call, &request.shapes, &a->service);
    if (!status)
        status = zlay_variants_tile_choose(call->ctx, &variants, moves.at, a->maps.target,
                                           &request);
    if (!status)
        status = zl_put_variants(call, &request.shapes, variants, &a->service, put_move, &moves);
    for (int i = 0; i < ZLAY_VARIANTS_MOST; i++) zlay_move_free(moves.at[i]);
    zlay_variants_free(variants);
    return status;
}
