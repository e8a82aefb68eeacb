/* SPDX-License-Identifier: Apache-2.0 */
/* tiling.cover and tiling.check: rows of different widths, covered by tiles at places that their
 * steps allow, and pieces that are given. */
#include "json/region/region.h"

#include <zlay/tiling.h>

/* ---- the request ----------------------------------------------------------------------------- */

static const zl_field band_rows[] = {
    {"rows", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_tiling_band, rows)},
    {"end", ZL_NEEDS, ZL_AT(zl_as_i64, zlay_tiling_band, end)},
    {"begin", ZL_MAY, ZL_AT(zl_as_i64, zlay_tiling_band, begin)},
    {"end_step", ZL_MAY, ZL_AT(zl_as_i64, zlay_tiling_band, end_step)},
    {"begin_step", ZL_MAY, ZL_AT(zl_as_i64, zlay_tiling_band, begin_step)},
    {"columns", ZL_MAY, ZL_AT(zl_as_u64, zlay_tiling_band, columns)},
    {"group", ZL_MAY, ZL_AT(zl_as_u64, zlay_tiling_band, group)},
};
static const zl_fields band_fields = {ZL_ROWS(band_rows, zlay_tiling_band), .what = "a band"};

static const zl_field tile_rows[] = {
    {"rows", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tiling_tile, rows)},
    {"columns", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tiling_tile, columns)},
    {"row_step", ZL_MAY, ZL_AT(zl_as_u32, zlay_tiling_tile, row_step)},
    {"column_step", ZL_MAY, ZL_AT(zl_as_u32, zlay_tiling_tile, column_step)},
    {"cost", ZL_MAY, ZL_AT(zl_as_some64, zlay_tiling_tile, cost)},
};
static const zl_fields tile_fields = {ZL_ROWS(tile_rows, zlay_tiling_tile), .what = "a tile"};

/* The rows of one group, each with the columns from 0 to below its length. */
typedef struct row_lengths {
    const int64_t *length;
    uint64_t count;
} row_lengths;

static zlay_status read_lengths(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    row_lengths *out = to;
    return zl_read_region_numbers(call, object, field->name, &out->length, &out->count);
}

static const zl_field_kind as_lengths = {.read = read_lengths, .type = "integers"};
typedef row_lengths as_lengths_type;

typedef struct domain {
    zl_objects bands, tiles;
    row_lengths lengths;
    uint32_t depth, row_bytes, column_bytes, cell_bytes;
} domain;

typedef domain domain_fields_type;
static const zl_field domain_rows[] = {
    {"tiles", ZL_NEEDS, ZL_AT(zl_as_objects, domain, tiles), .of = &tile_fields,
     .count = ZLAY_REGION_TILES},
    {"bands", ZL_MAY, ZL_AT(zl_as_objects, domain, bands), .of = &band_fields, .count = UINT32_MAX},
    {"lengths", ZL_MAY, ZL_AT(as_lengths, domain, lengths)},
    ZL_NUMBER(domain, depth),
    ZL_NUMBER(domain, row_bytes),
    ZL_NUMBER(domain, column_bytes),
    ZL_NUMBER(domain, cell_bytes),
};
static const zl_fields domain_fields = {ZL_ROWS(domain_rows, domain)};

static zlay_status request_of(zl_call *call, zlay_tiling_request *out, const domain *a)
{
    const zlay_tiling_band *band = a->bands.row;
    uint64_t count = a->bands.count;
    if (!count == !a->lengths.count)
        return zl_wrong(call, "bands", "a list, or 'lengths' in its place");
    if (!count) {
        zlay_tiling_band *row = zl_scratch(call->ctx, a->lengths.count, sizeof *row);
        if (!row) return ZLAY_ENOMEM;
        for (uint64_t i = 0; i < a->lengths.count; i++) {
            if (a->lengths.length[i] < 0)
                return zl_fail(call->ctx, ZLAY_EINVAL, "field 'lengths': entry %llu is below 0",
                               (unsigned long long)i);
            row[i] = (zlay_tiling_band){.rows = 1, .end = a->lengths.length[i]};
        }
        band = row;
        count = a->lengths.count;
    }
    *out = (zlay_tiling_request){.size = sizeof *out, .tiles = a->tiles.count, .bands = count,
                                 .band = band, .tile = a->tiles.row, .depth = a->depth,
                                 .row_bytes = a->row_bytes, .column_bytes = a->column_bytes,
                                 .cell_bytes = a->cell_bytes};
    return ZLAY_OK;
}

/* ---- tiling.cover ---------------------------------------------------------------------------- */

const zl_fields zl_tiling_fields = {ZL_ROWS(domain_rows, domain)};

static void put_pieces(zl_call *call, const zlay_tiling *tiling)
{
    json_t *list = json_array();
    zlay_tiling_piece p;
    for (uint64_t i = 0; zlay_tiling_piece_nth(&p, tiling, i) == ZLAY_OK; i++) {
        json_t *value = json_object();
        zl_put_value(call, value, "group", zl_json_uint(p.group));
        zl_put_value(call, value, "tile", json_integer(p.tile));
        zl_put_value(call, value, "row", zl_json_uint(p.row));
        zl_put_value(call, value, "column", zl_json_uint(p.column));
        zl_put_item(call, list, value);
    }
    zl_put_value(call, call->value, "each", list);
}

zlay_status zl_op_tiling_cover(zl_call *call, const void *value)
{
    zlay_tiling_request request;
    zlay_tiling *tiling = NULL;
    zlay_region_summary s = {0};
    zlay_status status = request_of(call, &request, value);
    if (!status) status = zlay_tiling_cover(call->ctx, &tiling, &request);
    if (!status) status = zlay_tiling_info(&s, tiling);
    if (!status && s.pieces > zl_limits(call->ctx)->pieces)
        status = zl_fail(call->ctx, ZLAY_ELIMIT, "limit pieces %llu: the answer has %llu",
                         (unsigned long long)zl_limits(call->ctx)->pieces,
                         (unsigned long long)s.pieces);
    if (!status) {
        call->value = json_object();
        put_pieces(call, tiling);
        zl_put_region_counts(call, &s, true);
    }
    zlay_tiling_free(tiling);
    return status;
}

/* ---- tiling.check ---------------------------------------------------------------------------- */

typedef struct check_asked {
    domain domain;
    zl_objects pieces;
} check_asked;

static const zl_field piece_rows[] = {
    {"tile", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tiling_piece, tile)},
    {"row", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_tiling_piece, row)},
    {"column", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_tiling_piece, column)},
    {"group", ZL_MAY, ZL_AT(zl_as_u64, zlay_tiling_piece, group)},
};
static const zl_fields piece_fields = {ZL_ROWS(piece_rows, zlay_tiling_piece), .what = "a piece"};
static const zl_field check_rows[] = {
    ZL_PART(domain_fields, check_asked, domain),
    {"each", ZL_NEEDS, ZL_AT(zl_as_objects, check_asked, pieces), .of = &piece_fields,
     .count = UINT32_MAX},
};
const zl_fields zl_tiling_check_fields = {ZL_ROWS(check_rows, check_asked)};

zlay_status zl_op_tiling_check(zl_call *call, const void *value)
{
    const check_asked *a = value;
    zlay_tiling_request request;
    zlay_region_summary summary;
    zlay_region_fault fault;
    zlay_answer found;
    zlay_status status = request_of(call, &request, &a->domain);
    if (!status)
        status = zlay_tiling_check(call->ctx, &found, &fault, &summary, &request, a->pieces.row,
                                   a->pieces.count);
    return status ? status : zl_put_region_answer(call, found, &fault, &summary);
}
