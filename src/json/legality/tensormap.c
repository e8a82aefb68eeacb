/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <inttypes.h>

enum { DIMS = 5, CORNERS = 3, IM2COL = 1, WIDE = 2 };

static const zl_named wide_modes[] = {
    {"w", 0}, {"w128", 1},
#define CUDA_WIDE_MODE(name, number) {name, number},
#include "base/cuda.def"
    {NULL, 0}};

/* A list whose length rank fixes, of which the struct holds the first `room`. */
static zlay_status read_list(zl_call *call, const json_t *map, const char *name, uint64_t length,
                             uint64_t *out, size_t room)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, map, name, &list);
    if (status) return status;
    if (json_array_size(list) != length)
        return zl_fail(call->ctx, ZLAY_EINVAL,
                       "field '%s' has %zu entries, and rank asks for %" PRIu64, name,
                       json_array_size(list), length);
    for (size_t i = 0; i < length; i++) {
        uint64_t value;
        if (!zl_json_u64(json_array_get(list, i), &value))
            return zl_wrong(call, name, "a list of integers in [0, 2^64)");
        if (i < room) out[i] = value;
    }
    return ZLAY_OK;
}

/* Values beyond 32 bits are refused by the same rules as the greatest one. */
static zlay_status read_list32(zl_call *call, const json_t *map, const char *name, uint64_t length,
                               uint32_t *out)
{
    uint64_t wide[DIMS] = {0};
    zlay_status status = read_list(call, map, name, length, wide, DIMS);
    for (size_t i = 0; !status && i < DIMS; i++)
        out[i] = wide[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)wide[i];
    return status;
}

static bool has_columns(const zlay_tensormap *map)
{
    return map->mode == IM2COL || map->mode == WIDE;
}

static zlay_status read_lists(zl_call *call, const json_t *map, zlay_tensormap *out)
{
    if (!json_object_get(map, "rank"))
        out->rank = (uint32_t)json_array_size(json_object_get(map, "extent"));
    uint64_t rank = out->rank;
    const json_t *stride = json_object_get(map, "stride"), *step = json_object_get(map, "step");
    zlay_status status = read_list(call, map, "extent", rank, out->extent, DIMS);
    if (!status && (stride || rank != 1))
        status = read_list(call, map, "stride", rank ? rank - 1 : 0, out->stride, DIMS - 1);
    if (!status && !has_columns(out)) status = read_list32(call, map, "box", rank, out->box);
    for (uint32_t i = 0; i < DIMS && i < rank; i++) out->step[i] = 1;
    if (!status && step) status = read_list32(call, map, "step", rank, out->step);
    return status;
}

/* A wide map has one corner of each, which may stand without its list. */
static zlay_status read_corners(zl_call *call, const json_t *map, const char *name,
                                const zlay_tensormap *of, int32_t *out)
{
    const json_t *value = json_object_get(map, name);
    size_t length = of->mode == WIDE ? 1 : of->rank > 2 ? of->rank - 2 : 0;
    int64_t corner;
    if (of->mode == WIDE && !json_is_array(value)) {
        zlay_status status = zl_get_i64(call, map, name, &corner);
        if (!status) out[0] = zl_saturated(corner);
        return status;
    }
    if (!json_is_array(value) || json_array_size(value) != length)
        return zl_wrong(call, name, "a list of rank - 2 integers, one integer of a wide map");
    for (size_t i = 0; i < length; i++) {
        if (!zl_json_i64(json_array_get(value, i), &corner))
            return zl_wrong(call, name, "a list of integers in [-2^63, 2^63)");
        if (i < CORNERS) out[i] = zl_saturated(corner);
    }
    return ZLAY_OK;
}

/* Values beyond 32 bits are refused by the same rules as the greatest one. */
static zlay_status read_count(zl_call *call, const json_t *map, const char *name, uint32_t *out)
{
    uint64_t wide = 0;
    zlay_status status = zl_get_u64(call, map, name, &wide);
    if (!status) *out = wide > UINT32_MAX ? UINT32_MAX : (uint32_t)wide;
    return status;
}

static zlay_status read_columns(zl_call *call, const json_t *map, zlay_tensormap *out)
{
    zlay_status status = read_corners(call, map, "lower", out, out->lower);
    if (!status) status = read_corners(call, map, "upper", out, out->upper);
    if (!status) status = read_count(call, map, "channels", &out->channels);
    if (!status) status = read_count(call, map, "pixels", &out->pixels);
    if (!status && out->mode == WIDE)
        status = zl_get_word(call, map, "wide_mode", wide_modes, &out->wide_mode);
    return status;
}

#define AT(kind, member) ZL_AT(kind, zlay_tensormap, member)
/* What is absent is what changes nothing: tiled, no interleave, swizzle, promotion or NaN, steps of
 * 1; the rank is that of the extents, and one dimension has no stride. */
static const zl_field every_rows[] = {
    ZL_OWN("mode", ZL_MAY),
    {"type", ZL_NEEDS, AT(zl_as_word, type), .of = zl_types},
    {"rank", ZL_MAY, AT(zl_as_u32, rank)},
    {"address", ZL_NEEDS, AT(zl_as_u64, address)},
    ZL_OWN("extent", ZL_NEEDS),
    ZL_OWN("step", ZL_MAY),
    {"interleave", ZL_MAY, AT(zl_as_word, interleave), .of = zl_map_interleaves},
    {"swizzle", ZL_MAY, AT(zl_as_word, swizzle), .of = zl_map_swizzles},
    {"l2", ZL_MAY, AT(zl_as_word, l2), .of = zl_map_promotions},
    {"oob", ZL_MAY, AT(zl_as_word, oob), .of = zl_map_fills},
    ZL_OWN("wide_mode", ZL_MAY),
};
static const zl_fields every_fields = {ZL_ROWS(every_rows, zlay_tensormap)};
typedef zlay_tensormap every_fields_type;

/* The fields of the other mode may stand there and are not read. */
#define MODE(stride, box, columns)                                                                 \
    ZL_PART_WHOLE(every_fields, zlay_tensormap), ZL_OWN("stride", stride), ZL_OWN("box", box),     \
        ZL_OWN("lower", columns), ZL_OWN("upper", columns), ZL_OWN("channels", columns),           \
        ZL_OWN("pixels", columns)
static const zl_field line_rows[] = {MODE(ZL_MAY, ZL_NEEDS, ZL_MAY)}; /* one dimension, tiled */
static const zl_field tiled_rows[] = {MODE(ZL_NEEDS, ZL_NEEDS, ZL_MAY)};
static const zl_field columns_rows[] = {MODE(ZL_NEEDS, ZL_MAY, ZL_NEEDS)};
#undef AT
#undef MODE
static const zl_fields line_fields = {ZL_ROWS(line_rows, zlay_tensormap)},
                       tiled_fields = {ZL_ROWS(tiled_rows, zlay_tensormap)},
                       columns_fields = {ZL_ROWS(columns_rows, zlay_tensormap)};

static const zl_fields *fields_of(const json_t *map, const zlay_tensormap *out)
{
    bool line = json_array_size(json_object_get(map, "extent")) == 1;
    return has_columns(out) ? &columns_fields : line ? &line_fields : &tiled_fields;
}

static zlay_status read_map(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *map;
    zlay_tensormap *out = to;
    zlay_status status = zl_get_object(call, object, field->name, &map);
    if (!status) status = zl_get_word(call, map, "mode", zl_map_modes, &out->mode);
    if (status) return status;
    const zl_fields *fields = fields_of(map, out);
    status = zl_names_check(call, map, field->name, fields);
    if (!status) status = zl_read_object(call, map, fields, out);
    if (!status) status = read_lists(call, map, out);
    return status || !has_columns(out) ? status : read_columns(call, map, out);
}

const zl_field_kind zl_as_map = {.read = read_map, .type = "map"};

static const zl_field map_rows[] = {
    ZL_TARGET(zl_map_asked),
    {"map", ZL_NEEDS, ZL_AT(zl_as_map, zl_map_asked, map)},
};
static const zl_field given_rows[] = {
    ZL_TARGET(zl_map_asked),
    {"map", ZL_NEEDS, ZL_AT(zl_as_map, zl_map_asked, map)},
    {"facts", ZL_MAY, ZL_AT(zl_as_facts, zl_map_asked, facts)},
};

const zl_named zl_map_texts[] = {{"address", ZLAY_FIELD_ADDRESS},
                                 {"extent", ZLAY_FIELD_EXTENT},
                                 {"stride", ZLAY_FIELD_STRIDE},
                                 {"box", ZLAY_FIELD_BOX},
                                 {NULL, 0}};

bool zl_map_texts_take(const json_t *request, json_t *copy, void *asked)
{
    return zl_texts_take(&((zl_map_asked *)asked)->texts, json_object_get(request, "map"),
                  json_object_get(copy, "map"), zl_map_texts);
}

const zl_fields zl_map_fields = {ZL_ROWS(map_rows, zl_map_asked)};
const zl_fields zl_map_symbolic_fields = {ZL_ROWS(given_rows, zl_map_asked),
                                          .take = zl_map_texts_take};

enum { BITS_RANK_MOST = 8 };

/* Entries of a map's lists. */
static uint32_t entries_of(const zlay_tensormap *map)
{
    return map->rank < BITS_RANK_MOST ? map->rank : BITS_RANK_MOST;
}

/* A list as long as the rank says, also one that bits say and no map has. */
static json_t *padded(zl_call *call, json_t *list, uint32_t length)
{
    while (list && json_array_size(list) < length && !call->no_memory)
        zl_put_item(call, list, json_integer(0));
    return list;
}

static json_t *corners_value(zl_call *call, const zlay_tensormap *map, const int32_t *corners)
{
    if (map->mode == WIDE) return zl_json_int(corners[0]);
    json_t *list = json_array();
    for (uint32_t i = 0; i < CORNERS && i + 2 < map->rank; i++)
        zl_put_item(call, list, zl_json_int(corners[i]));
    return padded(call, list, entries_of(map) > 2 ? entries_of(map) - 2 : 0);
}

static void put_columns(zl_call *call, json_t *value, const zlay_tensormap *map)
{
    zl_put_value(call, value, "lower", corners_value(call, map, map->lower));
    zl_put_value(call, value, "upper", corners_value(call, map, map->upper));
    zl_put_value(call, value, "channels", zl_json_uint(map->channels));
    zl_put_value(call, value, "pixels", zl_json_uint(map->pixels));
    if (map->mode == WIDE)
        zl_put_value(call, value, "wide_mode", json_integer(map->wide_mode));
}

json_t *zl_json_tensormap(zl_call *call, const zlay_tensormap *map)
{
    json_t *value = json_object();
    uint32_t rank = map->rank > DIMS ? DIMS : map->rank, entries = entries_of(map),
             steps = entries ? entries - 1 : 0;
    zl_put_value(call, value, "mode", zl_json_word(zl_map_modes, map->mode));
    zl_put_value(call, value, "type", json_integer(map->type));
    zl_put_value(call, value, "rank", json_integer(map->rank));
    zl_put_value(call, value, "address", zl_json_uint(map->address));
    zl_put_value(call, value, "extent",
                 padded(call, zl_json_list(call, map->extent, rank), entries));
    zl_put_value(call, value, "stride",
                 padded(call, zl_json_list(call, map->stride, rank ? rank - 1 : 0), steps));
    if (has_columns(map)) put_columns(call, value, map);
    else
        zl_put_value(call, value, "box",
                     padded(call, zl_json_list32(call, map->box, rank), entries));
    zl_put_value(call, value, "step", padded(call, zl_json_list32(call, map->step, rank), entries));
    zl_put_value(call, value, "interleave", json_integer(map->interleave));
    zl_put_value(call, value, "swizzle", json_integer(map->swizzle));
    zl_put_value(call, value, "l2", json_integer(map->l2));
    zl_put_value(call, value, "oob", json_integer(map->oob));
    return value;
}

static void put_repair(zl_call *call, const zlay_target *target, const zlay_tensormap *map)
{
    zlay_tensormap repaired;
    int32_t kept;
    uint64_t split;
    json_t *maps = json_array();
    if (zlay_tensormap_repair(&repaired, &kept, &split, target, map) == ZLAY_OK) {
        zl_put_item(call, maps, zl_json_tensormap(call, &repaired));
        zl_put_value(call, call->value, "keeps", zl_json_word(zl_keeps, kept));
        zl_put_value(call, call->value, "split", zl_json_uint(split));
    }
    zl_put_value(call, call->value, "repaired", maps);
}

static const zl_named drivers[] = {{"unknown", ZLAY_DRIVER_UNKNOWN},
                                   {"accepts", ZLAY_DRIVER_ACCEPTS},
                                   {"refuses", ZLAY_DRIVER_REFUSES},
                                   {NULL, 0}};

void zl_put_driver(zl_call *call, const zlay_target *target, int32_t driver)
{
    const char *version = zlay_target_driver(target);
    bool known = driver != ZLAY_DRIVER_UNKNOWN && version;
    zl_put_value(call, call->value, "driver", zl_json_word(drivers, driver));
    zl_put_value(call, call->value, "driver_version", known ? json_string(version) : json_null());
}

/* The check of a map, and the guard under which one with unknowns is legal. */
typedef struct map_checked {
    zl_checked *checked;
    const zl_map_asked *asked;
} map_checked;

static zlay_status check_given(zlay_ctx *ctx, zlay_buf *guard, const void *value)
{
    zl_checked *c = ((const map_checked *)value)->checked;
    const zl_map_asked *a = ((const map_checked *)value)->asked;
    const zlay_tensormap_question q = {sizeof q, a->texts.count, a->target, &a->map, a->texts.at,
                                       a->facts};
    return zlay_tensormap_check_given(ctx, &c->verdict, c->reasons, c->room, guard, &q);
}

zlay_status zl_op_tensormap_check(zl_call *call, const void *asked)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const zl_map_asked *a = asked;
    bool unknowns = zl_has_unknowns(call, &a->texts);
    zlay_status status =
        unknowns ? zl_texts_check(call, &checked, check_given, &(map_checked){&checked, a})
                 : zlay_tensormap_check(&checked.verdict, reasons, ZL_REASONS_MOST, a->target,
                                        &a->map);
    if (status) return status;
    if (!unknowns) call->value = zl_json_verdict(call, &checked);
    zl_put_driver(call, a->target, checked.verdict.driver);
    if (unknowns || checked.verdict.answer == ZLAY_YES)
        zl_put_value(call, call->value, "repaired", json_array());
    else put_repair(call, a->target, &a->map);
    return ZLAY_OK;
}
