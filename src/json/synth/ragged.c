/* SPDX-License-Identifier: Apache-2.0 */
/* ragged.map: one tensor map for all groups of a ragged tensor, coordinates of tiles, and the
 * function that computes them. */
#include "json/json.h"

#include <string.h>
#include <zlay/choose.h>

enum { TILES = 1024 };

static const zl_named copies[] = {{"load", ZLAY_RAGGED_LOAD},
                                  {"store", ZLAY_RAGGED_STORE},
                                  {"both", ZLAY_RAGGED_LOAD | ZLAY_RAGGED_STORE},
                                  {NULL, 0}};
static const zl_named bases[] = {{"any", ZLAY_RAGGED_ANY},
                                 {"wrap", ZLAY_RAGGED_WRAP},
                                 {"shift", ZLAY_RAGGED_SHIFT},
                                 {NULL, 0}};

/* Numbers of a tensor's dimensions. */
typedef struct numbers {
    int64_t number[ZLAY_RAGGED_RANK];
    size_t count;
} numbers;

static zlay_status read_numbers(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    numbers *out = to;
    const json_t *list;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    out->count = json_array_size(list);
    for (size_t i = 0; i < out->count; i++)
        if (i == ZLAY_RAGGED_RANK || !zl_json_i64(json_array_get(list, i), &out->number[i]))
            return zl_wrong(call, field->name, "a list of at most 8 integers in [-2^63, 2^63)");
    return ZLAY_OK;
}

static const zl_field_kind as_numbers = {.read = read_numbers, .type = "integers"};
typedef numbers as_numbers_type;

typedef struct tile_asked {
    int32_t copy;
    uint64_t offset, length;
    numbers at;
} tile_asked;

static const zl_field tile_rows[] = {
    {"copy", ZL_NEEDS, ZL_AT(zl_as_word, tile_asked, copy), .of = copies},
    {"offset", ZL_NEEDS, ZL_AT(zl_as_u64, tile_asked, offset)},
    {"length", ZL_NEEDS, ZL_AT(zl_as_u64, tile_asked, length)},
    {"at", ZL_NEEDS, ZL_AT(as_numbers, tile_asked, at)},
};
static const zl_fields tile_fields = {ZL_ROWS(tile_rows, tile_asked)};

typedef struct asked {
    const zlay_target *target;
    numbers extent, stride, box;
    int32_t copies, base;
    zlay_ragged_map_request request;
    zl_objects tiles;
    zl_json_text name;
} asked;

#define AT(kind, member) ZL_AT(kind, asked, member)
static const zl_field tensor_rows[] = {
    ZL_TARGET(asked),
    {"type", ZL_NEEDS, AT(zl_as_word, request.type), .of = zl_types},
    {"dim", ZL_NEEDS, AT(zl_as_u32, request.dim)},
    {"address", ZL_NEEDS, AT(zl_as_u64, request.address)},
    {"extent", ZL_NEEDS, AT(as_numbers, extent)},
    {"stride", ZL_NEEDS, AT(as_numbers, stride)},
    {"box", ZL_NEEDS, AT(as_numbers, box)},
    {"swizzle", ZL_MAY, AT(zl_as_word, request.swizzle), .of = zl_map_swizzles},
    {"copies", ZL_MAY, AT(zl_as_word, copies), .of = copies},
    {"base", ZL_MAY, AT(zl_as_word, base), .of = bases},
};
static const zl_fields tensor_fields = {ZL_ROWS(tensor_rows, asked)};
typedef asked tensor_fields_type;
static const zl_field map_rows[] = {
    ZL_PART_WHOLE(tensor_fields, asked),
    {"tiles", ZL_MAY, AT(zl_as_objects, tiles), .of = &tile_fields, .count = TILES},
    {"name", ZL_MAY, AT(zl_as_text, name)},
};
#undef AT
static const asked usual = {.copies = ZLAY_RAGGED_LOAD | ZLAY_RAGGED_STORE,
                            .request = {.size = sizeof usual.request}};
const zl_fields zl_ragged_map_fields = {ZL_ROWS(map_rows, asked), .start = &usual};

/* ---- the request --------------------------------------------------------------------------- */

static zlay_status take(zl_call *call, const char *name, const numbers *from, size_t count,
                        uint64_t *out, uint64_t most)
{
    if (from->count != count)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' has %zu entries, not %zu", name,
                       from->count, count);
    for (size_t i = 0; i < count; i++) {
        if (from->number[i] < 0 || (uint64_t)from->number[i] > most)
            return zl_wrong(call, name,
                            "a list of numbers that are not negative, of a box below 2^32");
        out[i] = (uint64_t)from->number[i];
    }
    return ZLAY_OK;
}

static zlay_status request_of(zl_call *call, zlay_ragged_map_request *out, const asked *a)
{
    uint64_t box[ZLAY_RAGGED_RANK];
    size_t rank = a->extent.count;
    *out = a->request;
    out->rank = (uint32_t)rank;
    out->copies = (uint32_t)a->copies;
    out->base = a->base;
    zlay_status status = take(call, "extent", &a->extent, rank, out->extent, INT64_MAX);
    if (!status)
        status = take(call, "stride", &a->stride, rank ? rank - 1 : 0, out->stride, INT64_MAX);
    if (!status) status = take(call, "box", &a->box, rank, box, UINT32_MAX);
    for (size_t i = 0; !status && i < rank; i++) out->box[i] = (uint32_t)box[i];
    return status;
}

/* ---- the answer ---------------------------------------------------------------------------- */

static json_t *coordinates_value(zl_call *call, const int32_t *coordinate, uint32_t rank)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < rank; i++) zl_put_item(call, list, json_integer(coordinate[i]));
    return list;
}

static zlay_status put_tile(zl_call *call, json_t *list, const zlay_ragged_map *r,
                            const tile_asked *asked_tile)
{
    zlay_ragged_tile tile = {.copy = (uint32_t)asked_tile->copy, .offset = asked_tile->offset,
                             .length = asked_tile->length};
    int32_t coordinate[5];
    uint32_t skip;
    if (asked_tile->at.count != r->rank) return zl_wrong(call, "at", "a list of rank integers");
    memcpy(tile.at, asked_tile->at.number, sizeof tile.at);
    zlay_status status = zlay_ragged_map_at(call->ctx, coordinate, &skip, r, &tile);
    if (status && status != ZLAY_NONE) return status;
    json_t *value = json_object();
    if (status) zl_put_value(call, value, "none", json_string(zlay_ctx_message(call->ctx)));
    else {
        zl_put_value(call, value, "coordinates", coordinates_value(call, coordinate, r->map.rank));
        zl_put_value(call, value, "skip", zl_json_uint(skip));
    }
    zl_put_item(call, list, value);
    return ZLAY_OK;
}

static zlay_status put_tiles(zl_call *call, const zlay_ragged_map *r, const asked *a)
{
    const tile_asked *tile = a->tiles.row;
    zlay_status status = ZLAY_OK;
    json_t *list = json_array();
    for (uint32_t i = 0; i < a->tiles.count && !status; i++)
        status = put_tile(call, list, r, &tile[i]);
    zl_put_value(call, call->value, "tiles", list);
    return status;
}

typedef struct function {
    const zlay_ragged_map *ragged;
    zl_json_text name;
} function;

static zlay_status print_function(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const function *f = value;
    zlay_status status = zlay_ragged_map_print(out, f->ragged, f->name.text, f->name.length);
    return status == ZLAY_EINVAL ? zl_fail(ctx, status, "field 'name' is no identifier") : status;
}

static void put_map(zl_call *call, const zlay_ragged_map *r, zlay_answer proof)
{
    call->value = json_object();
    zl_put_value(call, call->value, "map", zl_json_tensormap(call, &r->map));
    zl_put_value(call, call->value, "base", zl_json_word(bases, r->base));
    zl_put_value(call, call->value, "unit", zl_json_uint(r->unit));
    zl_put_value(call, call->value, "window", zl_json_uint(r->window));
    zl_put_value(call, call->value, "place", zl_json_list32(call, r->place, r->rank));
    zl_put_value(call, call->value, "scale", zl_json_list32(call, r->scale, r->rank));
    zl_put_value(call, call->value, "offset", zl_json_uint(r->offset));
    zl_put_value(call, call->value, "skip_unit", zl_json_uint(r->skip_unit));
    zl_put_value(call, call->value, "proved", json_boolean(proof == ZLAY_YES));
}

zlay_status zl_op_ragged_map(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_ragged_map_request request;
    zlay_ragged_map ragged;
    zlay_answer proof;
    zlay_status status = request_of(call, &request, a);
    if (!status) status = zlay_ragged_map_synth(call->ctx, &ragged, a->target, &request);
    if (!status) status = zlay_ragged_map_prove(call->ctx, &proof, &ragged);
    if (status) return status;
    put_map(call, &ragged, proof);
    status = put_tiles(call, &ragged, a);
    const function f = {&ragged, a->name};
    return status || !a->name.text ? status : zl_put_printed(call, "text", print_function, &f);
}

/* ---- ragged.choose ------------------------------------------------------------------------- */

static const zl_named families[] = {{"wrap", ZLAY_FAMILY_WRAP},
                                    {"pool", ZLAY_FAMILY_POOL},
                                    {"edit", ZLAY_FAMILY_EDIT},
                                    {NULL, 0}};

typedef struct choose_asked {
    asked tensor;
    uint64_t groups, count;
    uint32_t boxes;
} choose_asked;

static const zl_field choose_rows[] = {
    ZL_PART(tensor_fields, choose_asked, tensor),
    {"groups", ZL_NEEDS, ZL_AT(zl_as_u64, choose_asked, groups)},
    {"count", ZL_NEEDS, ZL_AT(zl_as_u64, choose_asked, count)},
    {"boxes", ZL_MAY, ZL_AT(zl_as_u32, choose_asked, boxes)},
};
static const choose_asked usual_choice = {.tensor = {.copies = ZLAY_RAGGED_LOAD | ZLAY_RAGGED_STORE,
                                                     .request = {.size = sizeof usual.request}}};
const zl_fields zl_ragged_choose_fields = {ZL_ROWS(choose_rows, choose_asked),
                                           .start = &usual_choice};

static json_t *family_value(zl_call *call, const zlay_family *f, int32_t name)
{
    json_t *value = json_object();
    zl_put_value(call, value, "family", zl_json_word(families, name));
    zl_put_value(call, value, "fits", json_boolean(f->fits));
    if (!f->fits) {
        zl_put_value(call, value, "why", json_string(f->why));
        return value;
    }
    zl_put_value(call, value, "maps", zl_json_uint(f->maps));
    zl_put_value(call, value, "ns", zl_json_uint(f->ns));
    return value;
}

static void put_choice(zl_call *call, const zlay_choice *choice)
{
    bool measured = choice->basis == ZLAY_BASIS_MEASURED;
    json_t *list = json_array();
    call->value = json_object();
    zl_put_value(call, call->value, "choice",
                 choice->family < 0 ? json_null() : zl_json_word(families, choice->family));
    zl_put_value(call, call->value, "times", json_string(measured ? "measured" : "estimated"));
    for (int32_t i = 0; i < ZLAY_FAMILIES; i++)
        zl_put_item(call, list, family_value(call, &choice->of[i], i));
    zl_put_value(call, call->value, "families", list);
    zl_put_value(call, call->value, "heights",
                 zl_json_list32(call, choice->pool.height, choice->pool.maps));
}

zlay_status zl_op_ragged_choose(zl_call *call, const void *value)
{
    const choose_asked *a = value;
    zlay_ragged_map_request tensor;
    zlay_choice choice;
    zlay_status status = request_of(call, &tensor, &a->tensor);
    const zlay_choose_request request = {sizeof request, a->boxes, &tensor, a->groups, a->count};
    if (!status) status = zlay_ragged_choose(call->ctx, &choice, a->tensor.target, &request);
    if (!status) put_choice(call, &choice);
    return status;
}
