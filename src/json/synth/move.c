/* SPDX-License-Identifier: Apache-2.0 */
/* Moves and their copies as JSON. */
#include "json/json.h"

static const zl_named copy_kinds[] = {{"tensor_load", ZLAY_COPY_TENSOR_LOAD},
                                      {"tensor_store", ZLAY_COPY_TENSOR_STORE},
                                      {"cp_async", ZLAY_COPY_CP_ASYNC},
                                      {"thread_load", ZLAY_COPY_THREAD_LOAD},
                                      {"thread_store", ZLAY_COPY_THREAD_STORE},
                                      {"bulk_load", ZLAY_COPY_BULK_LOAD},
                                      {"bulk_store", ZLAY_COPY_BULK_STORE},
                                      {"bulk_peer", ZLAY_COPY_BULK_PEER},
                                      {NULL, 0}};

static const zl_named paths[] = {
    {"tensor", ZLAY_PATH_TENSOR},           {"bulk", ZLAY_PATH_BULK},
    {"cp_async", ZLAY_PATH_CP_ASYNC},       {"threads", ZLAY_PATH_THREADS},
    {"realign", ZLAY_PATH_REALIGN},         {"matrix", ZLAY_PATH_MATRIX},
    {"store_async", ZLAY_PATH_STORE_ASYNC}, {NULL, 0}};

static json_t *integers(zl_call *call, const int32_t *list, uint32_t count)
{
    json_t *value = json_array();
    for (uint32_t i = 0; i < count; i++) zl_put_item(call, value, json_integer(list[i]));
    return value;
}

json_t *zl_json_copy(zl_call *call, const zlay_copy *copy, uint32_t rank, uint32_t axes)
{
    json_t *value = json_object(), *advance = json_array();
    const char *kind = zl_word_of(copy_kinds, copy->kind);
    for (uint32_t i = 0; i < rank; i++)
        zl_put_item(call, advance, integers(call, copy->advance[i], axes));
    zl_put_value(call, value, "map", json_integer(copy->map));
    zl_put_value(call, value, "kind", json_string(kind ? kind : "?"));
    zl_put_value(call, value, "width", json_integer(copy->width));
    zl_put_value(call, value, "coordinates", integers(call, copy->coordinate, rank));
    zl_put_value(call, value, "advance", advance);
    zl_put_value(call, value, "smem", json_integer(copy->smem));
    zl_put_value(call, value, "bytes", json_integer(copy->bytes));
    return value;
}

/* An entry that depends on unknowns is a text. */
static void text_put(zl_call *call, json_t *map, const zlay_given *given)
{
    const char *field = zlay_field_name(given->field);
    json_t *text = json_stringn(given->text, given->length), *list = json_object_get(map, field);
    if (!json_is_array(list)) zl_put_value(call, map, field, text);
    else if (json_array_set_new(list, (size_t)given->index, text)) call->no_memory = true;
}

static json_t *maps_value(zl_call *call, const zlay_move *move)
{
    zlay_tensormap map;
    zlay_given given;
    json_t *list = json_array();
    for (uint32_t i = 0; !zlay_move_map_nth(&map, move, i); i++) {
        json_t *value = zl_json_tensormap(call, &map);
        for (uint32_t k = 0; !zlay_move_given_nth(&given, move, i, k); k++)
            text_put(call, value, &given);
        zl_put_item(call, list, value);
    }
    return list;
}

static zlay_status guard_print(zlay_ctx *ctx, zlay_buf *buf, const void *move)
{
    (void)ctx;
    return zlay_move_guard(buf, move);
}

/* What must hold of the unknowns; null: nothing is open. */
static void guard_put(zl_call *call, json_t *value, const zlay_move *move)
{
    zlay_buf none = {NULL, 0, 0};
    zlay_given given;
    zlay_status status = zlay_move_guard(&none, move);
    bool open = status == ZLAY_EROOM && none.need;
    if (open) zl_put_value(call, value, "guard", zl_json_printed(call, guard_print, move, &status));
    else if (!zlay_move_given_nth(&given, move, 0, 0))
        zl_put_value(call, value, "guard", json_null());
}

static json_t *copies_value(zl_call *call, const zlay_move *move, uint32_t axes)
{
    zlay_tensormap map;
    zlay_copy copy;
    json_t *list = json_array();
    for (uint32_t i = 0; !zlay_move_copy_nth(&copy, move, i); i++) {
        uint32_t rank = zlay_move_map_nth(&map, move, copy.map) ? 0 : map.rank;
        zl_put_item(call, list, zl_json_copy(call, &copy, rank, axes));
    }
    return list;
}

static json_t *certificate_value(zl_call *call, const zlay_move *move)
{
    const zlay_layout *a, *b;
    return zlay_move_certificate(&a, &b, move) ? json_object() : zl_json_pair(call, a, b);
}

json_t *zl_json_move(zl_call *call, const zlay_move *move, uint32_t axes)
{
    zlay_move_summary info;
    json_t *value = json_object();
    if (zlay_move_info(&info, move)) return value;
    const char *path = zl_word_of(paths, info.path), *edge = zl_word_of(zl_edges, info.edge);
    zl_put_value(call, value, "path", json_string(path ? path : "?"));
    zl_put_value(call, value, "edge", json_string(edge ? edge : "?"));
    zl_put_value(call, value, "maps", maps_value(call, move));
    zl_put_value(call, value, "copies", copies_value(call, move, axes));
    zl_put_value(call, value, "bytes", zl_json_uint(info.bytes));
    zl_put_value(call, value, "reserved", zl_json_uint(info.reserved_bytes));
    zl_put_value(call, value, "smem", zl_json_layout(call, zlay_move_smem(move)));
    zl_put_value(call, value, "residual", zl_json_layout(call, zlay_move_residual(move)));
    guard_put(call, value, move);
    zl_put_value(call, value, "certificate", certificate_value(call, move));
    return value;
}
