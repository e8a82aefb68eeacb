/* SPDX-License-Identifier: Apache-2.0 */
/* region.cover and region.check: ragged groups covered by tiles, and parts that are given.
 */
#include "json/region/region.h"

/* ---- the request ----------------------------------------------------------------------------- */

typedef zl_ragged_side side;
typedef zl_ragged_asked ragged;

/* Integers of 64 bits into working memory; their number becomes that of the groups, less the one
 * end that offsets have without lengths. */
zlay_status zl_read_region_numbers(zl_call *call, const json_t *object, const char *name,
                                   const int64_t **out, uint64_t *count)
{
    const json_t *list;
    if (!json_object_get(object, name)) return ZLAY_OK;
    zlay_status status = zl_get_list(call, object, name, &list);
    if (status) return status;
    if (!json_array_size(list)) return zl_wrong(call, name, "a list of at least one integer");
    int64_t *number = zl_scratch_plain(call->ctx, json_array_size(list), sizeof *number);
    if (!number) return ZLAY_ENOMEM;
    *count = json_array_size(list);
    *out = number;
    for (size_t i = 0; i < *count; i++) {
        if (zl_json_i64(json_array_get(list, i), &number[i])) continue;
        return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s': entry %zu is no integer", name, i);
    }
    return ZLAY_OK;
}

static zlay_status read_groups(zl_call *call, const json_t *object, side *out)
{
    uint64_t lengths = 0, offsets = 0;
    zlay_status status =
        zl_read_region_numbers(call, object, "lengths", &out->axis.lengths, &lengths);
    if (!status)
        status = zl_read_region_numbers(call, object, "offsets", &out->axis.offsets, &offsets);
    if (status) return status;
    if (lengths && offsets && lengths != offsets)
        return zl_wrong(call, "offsets", "as many entries as 'lengths' has");
    if (offsets == 1 && !lengths)
        return zl_wrong(call, "offsets", "one entry more than groups, or 'lengths' too");
    out->count = lengths ? lengths : offsets ? offsets - 1 : 0;
    return ZLAY_OK;
}

static const zl_field axis_rows[] = {
    ZL_OWN("lengths", ZL_MAY),
    ZL_OWN("offsets", ZL_MAY),
    {"extent", ZL_MAY, ZL_AT(zl_as_u64, side, axis.extent)},
    {"align", ZL_MAY, ZL_AT(zl_as_u32, side, axis.align)},
    {"read_on", ZL_MAY, ZL_AT(zl_as_flag, side, read_on)},
};
static const zl_fields axis_fields = {ZL_ROWS(axis_rows, side), .what = "rows and columns"};

/* An object, or the extent of every group. */
static zlay_status read_side(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    side *out = to;
    const json_t *value = json_object_get(object, field->name);
    if (zl_json_u64(value, &out->axis.extent) && out->axis.extent) return ZLAY_OK;
    if (!json_is_object(value))
        return zl_wrong(call, field->name, "an extent, or {lengths, offsets, ..}");
    zlay_status status = zl_names_check(call, value, field->name, &axis_fields);
    if (!status) status = zl_read_object(call, value, &axis_fields, out);
    if (!status) status = read_groups(call, value, out);
    out->axis.read_on = out->read_on;
    return status;
}

static const zl_field_kind as_axis = {.read = read_side};
typedef side as_axis_type;

static const zl_field tile_rows[] = {
    {"rows", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_region_tile, rows)},
    {"columns", ZL_MAY, ZL_AT(zl_as_u32, zlay_region_tile, columns)},
    {"cost", ZL_MAY, ZL_AT(zl_as_some64, zlay_region_tile, cost)},
};
static const zl_fields tile_fields = {ZL_ROWS(tile_rows, zlay_region_tile), .what = "a tile"};

static const zl_field ragged_rows[] = {
    {"rows", ZL_NEEDS, ZL_AT(as_axis, ragged, rows)},
    {"tiles", ZL_NEEDS, ZL_AT(zl_as_objects, ragged, tiles), .of = &tile_fields,
     .count = ZLAY_REGION_TILES},
    {"columns", ZL_MAY, ZL_AT(as_axis, ragged, columns)},
    ZL_NUMBER(ragged, depth),
    ZL_NUMBER(ragged, row_bytes),
    ZL_NUMBER(ragged, column_bytes),
    ZL_NUMBER(ragged, cell_bytes),
};
const zl_fields zl_ragged_fields = {ZL_ROWS(ragged_rows, ragged)};

static zlay_status request_of(zl_call *call, zlay_region_request *out, const ragged *a)
{
    uint64_t count = a->rows.count ? a->rows.count : a->columns.count;
    if (a->columns.count && a->columns.count != count)
        return zl_wrong(call, "columns", "as many groups as 'rows' has");
    *out = (zlay_region_request){.size = sizeof *out, .tiles = a->tiles.count,
                                 .count = count ? count : 1, .rows = a->rows.axis,
                                 .columns = a->columns.axis, .tile = a->tiles.row,
                                 .depth = a->depth, .row_bytes = a->row_bytes,
                                 .column_bytes = a->column_bytes, .cell_bytes = a->cell_bytes};
    return ZLAY_OK;
}

zlay_status zl_ragged_cover(zl_call *call, zlay_region **out, const zl_ragged_asked *asked)
{
    zlay_region_request request;
    zlay_status status = request_of(call, &request, asked);
    return status ? status : zlay_region_cover(call->ctx, out, &request);
}

/* ---- region.cover ---------------------------------------------------------------------------- */

typedef struct cover_asked {
    ragged ragged;
    bool each;
} cover_asked;

static const zl_field cover_rows[] = {
    ZL_PART(zl_ragged_fields, cover_asked, ragged),
    {"each", ZL_MAY, ZL_AT(zl_as_flag, cover_asked, each)},
};
const zl_fields zl_region_fields = {ZL_ROWS(cover_rows, cover_asked)};

static json_t *place_value(zl_call *call, uint64_t group, int64_t row, uint64_t rows, uint32_t tile)
{
    json_t *value = json_object();
    zl_put_value(call, value, "group", zl_json_uint(group));
    zl_put_value(call, value, "tile", json_integer(tile));
    zl_put_value(call, value, "row", zl_json_int(row));
    zl_put_value(call, value, "rows", zl_json_uint(rows));
    return value;
}

static void put_columns(zl_call *call, json_t *value, int64_t column, uint64_t columns)
{
    zl_put_value(call, value, "column", zl_json_int(column));
    zl_put_value(call, value, "columns", zl_json_uint(columns));
}

static void put_parts(zl_call *call, const zlay_region *region, bool wide)
{
    json_t *list = json_array();
    zlay_region_part p;
    for (uint64_t i = 0; zlay_region_part_nth(&p, region, i) == ZLAY_OK; i++) {
        json_t *value = place_value(call, p.group, p.row, p.rows, p.tile);
        if (wide) put_columns(call, value, p.column, p.columns);
        zl_put_value(call, value, "pieces", zl_json_uint(p.pieces));
        zl_put_item(call, list, value);
    }
    zl_put_value(call, call->value, "parts", list);
}

static void put_each(zl_call *call, const zlay_region *region, bool wide)
{
    json_t *list = json_array();
    zlay_region_piece p;
    for (uint64_t i = 0; zlay_region_piece_nth(&p, region, i) == ZLAY_OK; i++) {
        json_t *value = place_value(call, p.group, p.row, p.rows, p.tile);
        if (wide) put_columns(call, value, p.column, p.columns);
        zl_put_value(call, value, "tile_row", zl_json_int(p.tile_row));
        if (wide) zl_put_value(call, value, "tile_column", zl_json_int(p.tile_column));
        zl_put_item(call, list, value);
    }
    zl_put_value(call, call->value, "each", list);
}

void zl_put_region_counts(zl_call *call, const zlay_region_summary *s, bool planned)
{
    json_t *value = call->value;
    zl_put_value(call, value, "pieces", zl_json_uint(s->pieces));
    zl_put_value(call, value, "valid", zl_json_uint(s->valid));
    zl_put_value(call, value, "cells", zl_json_uint(s->cells));
    zl_put_value(call, value, "waste", zl_json_uint(s->waste));
    zl_put_value(call, value, "cost", zl_json_uint(s->cost));
    if (planned) {
        zl_put_value(call, value, "lower_bound", zl_json_uint(s->lower_bound));
        zl_put_value(call, value, "optimal", json_boolean(s->optimal));
    }
    zl_put_value(call, value, "madds", zl_json_uint(s->madds));
    zl_put_value(call, value, "wasted_madds", zl_json_uint(s->wasted_madds));
    zl_put_value(call, value, "loaded_bytes", zl_json_uint(s->loaded_bytes));
    zl_put_value(call, value, "wasted_bytes", zl_json_uint(s->wasted_bytes));
}

/* An answer of more lines than limits.pieces is not printed. */
static zlay_status answer(zl_call *call, const zlay_region *region, const cover_asked *a)
{
    const zlay_region_axis *columns = &a->ragged.columns.axis;
    bool wide = columns->lengths || columns->offsets || columns->extent;
    zlay_region_summary s;
    zlay_status status = zlay_region_info(&s, region);
    if (status) return status;
    uint64_t lines = a->each ? s.pieces : s.parts;
    if (lines > zl_limits(call->ctx)->pieces)
        return zl_fail(call->ctx, ZLAY_ELIMIT, "limit pieces %llu: the answer has %llu %s",
                       (unsigned long long)zl_limits(call->ctx)->pieces, (unsigned long long)lines,
                       a->each ? "pieces" : "parts");
    call->value = json_object();
    if (a->each) put_each(call, region, wide);
    else put_parts(call, region, wide);
    zl_put_region_counts(call, &s, true);
    return ZLAY_OK;
}

zlay_status zl_op_region_cover(zl_call *call, const void *value)
{
    const cover_asked *a = value;
    zlay_region *region = NULL;
    zlay_status status = zl_ragged_cover(call, &region, &a->ragged);
    if (!status) status = answer(call, region, a);
    zlay_region_free(region);
    return status;
}

/* ---- region.check ---------------------------------------------------------------------------- */

typedef struct check_asked {
    ragged ragged;
    zl_objects parts;
} check_asked;

static const zl_field part_rows[] = {
    {"group", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_region_part, group)},
    {"tile", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_region_part, tile)},
    {"row", ZL_NEEDS, ZL_AT(zl_as_i64, zlay_region_part, row)},
    {"rows", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_region_part, rows)},
    {"column", ZL_MAY, ZL_AT(zl_as_i64, zlay_region_part, column)},
    {"columns", ZL_MAY, ZL_AT(zl_as_u64, zlay_region_part, columns)},
    {"pieces", ZL_MAY, ZL_AT(zl_as_u64, zlay_region_part, pieces)},
};
static const zlay_region_part one_column = {.columns = 1};
static const zl_fields part_fields = {ZL_ROWS(part_rows, zlay_region_part), .start = &one_column,
                                      .what = "a part"};
static const zl_field check_rows[] = {
    ZL_PART(zl_ragged_fields, check_asked, ragged),
    {"parts", ZL_NEEDS, ZL_AT(zl_as_objects, check_asked, parts), .of = &part_fields,
     .count = UINT32_MAX},
};
const zl_fields zl_region_check_fields = {ZL_ROWS(check_rows, check_asked)};

static void put_fault(zl_call *call, const zlay_region_fault *fault)
{
    json_t *value = json_object();
    zl_put_value(call, value, "group", zl_json_uint(fault->group));
    zl_put_value(call, value, "row", zl_json_int(fault->row));
    zl_put_value(call, value, "column", zl_json_int(fault->column));
    zl_put_value(call, value, "parts", zl_json_int(fault->parts));
    zl_put_value(call, call->value, "answer", json_string("no"));
    zl_put_value(call, call->value, "witness", value);
}

zlay_status zl_put_region_answer(zl_call *call, zlay_answer answer, const zlay_region_fault *fault,
                                 const zlay_region_summary *summary)
{
    call->value = json_object();
    if (answer == ZLAY_NO) {
        put_fault(call, fault);
    } else {
        zl_put_value(call, call->value, "answer", json_string("yes"));
        zl_put_region_counts(call, summary, false);
    }
    return ZLAY_OK;
}

zlay_status zl_op_region_check(zl_call *call, const void *value)
{
    const check_asked *a = value;
    zlay_region_request request;
    zlay_region_summary summary;
    zlay_region_fault fault;
    zlay_answer found;
    zlay_status status = request_of(call, &request, &a->ragged);
    if (!status)
        status = zlay_region_check(call->ctx, &found, &fault, &summary, &request, a->parts.row,
                                   a->parts.count);
    return status ? status : zl_put_region_answer(call, found, &fault, &summary);
}
