/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of tensors whose extents may have names, in moves. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

typedef struct axis_asked {
    const zlay_move *move;
    uint32_t axis;
    int32_t what;
} axis_asked;

static zlay_status axis_print(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const axis_asked *a = value;
    (void)ctx;
    return zlay_move_axis_print(out, a->move, a->axis, a->what);
}

/* A number, or a text over names. */
static json_t *axis_value(zl_call *call, axis_asked asked)
{
    char text[32];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = axis_print(call->ctx, &buf, &asked);
    if (!status && text[strspn(text, "-0123456789")] == 0)
        return zl_json_int(strtoll(text, NULL, 10));
    return zl_json_printed(call, axis_print, &asked, &status);
}

static json_t *axes_value(zl_call *call, const zlay_move *move, int32_t what)
{
    zlay_move_axis axis;
    json_t *list = json_array();
    for (uint32_t i = 0; !zlay_move_axis_nth(&axis, move, i); i++)
        zl_put_item(call, list, axis_value(call, (axis_asked){move, i, what}));
    return list;
}

json_t *zl_json_tiles(zl_call *call, const zlay_move *move)
{
    zlay_move_axis axis;
    if (zlay_move_axis_nth(&axis, move, 0)) return json_null();
    json_t *value = json_object(), *cells = json_array(), *granule = json_array();
    for (uint32_t i = 0; !zlay_move_axis_nth(&axis, move, i); i++) {
        zl_put_item(call, cells, zl_json_uint(axis.tile));
        zl_put_item(call, granule, zl_json_uint(axis.granule));
    }
    zl_put_value(call, value, "cells", cells);
    zl_put_value(call, value, "granule", granule);
    zl_put_value(call, value, "extent", axes_value(call, move, ZLAY_AXIS_EXTENT));
    zl_put_value(call, value, "trips", axes_value(call, move, ZLAY_AXIS_TRIPS));
    zl_put_value(call, value, "src", axes_value(call, move, ZLAY_AXIS_SOURCE));
    zl_put_value(call, value, "dst", axes_value(call, move, ZLAY_AXIS_DEST));
    return value;
}

typedef struct edge_asked {
    const zlay_move *move;
    uint32_t part;
} edge_asked;

static zlay_status edge_print(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const edge_asked *a = value;
    (void)ctx;
    return zlay_move_edge_print(out, a->move, a->part);
}

json_t *zl_json_edge(zl_call *call, const zlay_move *move, uint32_t part)
{
    zlay_buf none = {NULL, 0, 0};
    edge_asked asked = {move, part};
    zlay_status status = zlay_move_edge_print(&none, move, part);
    if (status != ZLAY_EROOM || !none.need) return json_null();
    return zl_json_printed(call, edge_print, &asked, &status);
}
