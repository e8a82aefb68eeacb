/* SPDX-License-Identifier: Apache-2.0 */
/* copy.synth: the copy of a tile by threads, as an answer. */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- the request ------------------------------------------------------------------ */

static const zl_named spaces[] = {{"global", ZLAY_MOVE_GLOBAL},
                                  {"shared", ZLAY_MOVE_SHARED},
                                  {"peer", ZLAY_MOVE_PEER},
                                  {"register", ZLAY_MOVE_REGISTER},
                                  {NULL, 0}};

static const zl_named thread_paths[] = {{"bulk", ZLAY_PATH_BULK},
                                        {"cp_async", ZLAY_PATH_CP_ASYNC},
                                        {"threads", ZLAY_PATH_THREADS},
                                        {"realign", ZLAY_PATH_REALIGN},
                                        {"matrix", ZLAY_PATH_MATRIX},
                                        {"store_async", ZLAY_PATH_STORE_ASYNC},
                                        {NULL, 0}};

enum { HAS_TYPE = 1, HAS_BITS = 2 };

static const zl_field side_rows[] = {
    ZL_OWN("layout", ZL_NEEDS),
    {"space", ZL_NEEDS, ZL_AT(zl_as_word, zlay_copy_side, space), .of = spaces},
    {"align", ZL_MAY, ZL_AT(zl_as_some64, zlay_copy_side, align)},
};
static const zl_fields side_fields = {ZL_ROWS(side_rows, zlay_copy_side)};

/* Messages about the layout of a side name the side. */
static zlay_status read_side(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *side;
    zlay_copy_side *out = to;
    zlay_layout *layout = NULL;
    zlay_status status = zl_get_object(call, object, field->name, &side);
    if (!status) status = zl_names_check(call, side, field->name, &side_fields);
    if (!status) status = zl_read_object(call, side, &side_fields, out);
    if (!status)
        status = zl_layout_of(call, field->name, json_object_get(side, "layout"), &layout);
    out->layout = layout;
    return status;
}

static void drop_side(zl_call *call, const zl_field *field, void *from)
{
    zl_drop_layout(call, field, &((zlay_copy_side *)from)->layout);
}

static zlay_status read_type(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    int32_t type = -1;
    zlay_status status = zl_get_word(call, object, field->name, zl_types, &type);
    *(uint32_t *)to = zlay_type_bits(type);
    return status;
}

static zlay_status read_tile(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_copy_request *out = to;
    const json_t *list = json_object_get(object, field->name);
    if (!json_array_size(list) || json_array_size(list) > ZLAY_TILE_AXES)
        return zl_wrong(call, field->name, "a list of 1 to 8 integers");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!zl_json_u64(json_array_get(list, i), &out->tile[out->axes++]))
            return zl_wrong(call, field->name, "a list of 1 to 8 integers");
    return ZLAY_OK;
}

static const zl_field_kind as_side = {.read = read_side,
                                      .drop = drop_side,
                                      .late = true,
                                      .type = "object"},
                           as_element = {.read = read_type, .type = "word"},
                           as_cells = {.read = read_tile, .type = "integers"};
typedef zlay_copy_side as_side_type;
typedef uint32_t as_element_type;
typedef zlay_copy_request as_cells_type;

static const zl_field copy_rows[] = {
    ZL_TARGET(zl_copy_asked),
    {"src", ZL_NEEDS, ZL_AT(as_side, zl_copy_asked, request.source)},
    {"dst", ZL_NEEDS, ZL_AT(as_side, zl_copy_asked, request.dest)},
    {"type", ZL_MAY, ZL_AT(as_element, zl_copy_asked, request.elem_bits), .present = HAS_TYPE},
    {"elem_bits", ZL_MAY, ZL_AT(zl_as_u32, zl_copy_asked, request.elem_bits), .present = HAS_BITS},
    {"threads", ZL_MAY, ZL_AT(zl_as_u32, zl_copy_asked, request.threads)},
    {"registers", ZL_MAY, ZL_AT(zl_as_u32, zl_copy_asked, request.registers)},
    {"path", ZL_MAY, ZL_AT(zl_as_word, zl_copy_asked, request.path), .of = thread_paths},
    {"signal", ZL_MAY, ZL_AT(zl_as_bit, zl_copy_asked, request.signal), .count = 1},
    {"tile", ZL_MAY, ZL_AT(as_cells, zl_copy_asked, request)},
    {"facts", ZL_MAY, ZL_AT(zl_as_facts, zl_copy_asked, request.facts)},
};
const zl_fields zl_copy_synth_fields = {ZL_ROWS(copy_rows, zl_copy_asked),
                                        .present = offsetof(zl_copy_asked, present)};

/* ---- the move ----------------------------------------------------------------------- */

static const zl_named part_kinds[] = {
    {"cp_async", ZLAY_COPY_CP_ASYNC},       {"threads", ZLAY_COPY_THREAD_LOAD},
    {"threads", ZLAY_COPY_THREAD_STORE},    {"bulk_load", ZLAY_COPY_BULK_LOAD},
    {"bulk_store", ZLAY_COPY_BULK_STORE},   {"bulk_peer", ZLAY_COPY_BULK_PEER},
    {"store_async", ZLAY_COPY_STORE_ASYNC}, {NULL, 0}};

static const zl_named levels[] = {{"value", ZLAY_DIGIT_VALUE},
                                  {"thread", ZLAY_DIGIT_THREAD},
                                  {"access", ZLAY_DIGIT_ACCESS},
                                  {NULL, 0}};

/* A step or offset: a number, or a text over names. */
typedef struct step_asked {
    const zlay_move *move;
    uint32_t part, mode;
    int32_t side;
} step_asked;

static zlay_status step_print(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const step_asked *a = value;
    (void)ctx;
    return zlay_move_step_print(out, a->move, a->part, a->mode, a->side);
}

static json_t *step_value(zl_call *call, step_asked asked, int64_t number)
{
    char text[32];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = zlay_move_step_print(&buf, asked.move, asked.part, asked.mode, asked.side);
    if (!status && strtoll(text, NULL, 10) == number && text[strspn(text, "-0123456789")] == 0)
        return zl_json_int(number);
    return zl_json_printed(call, step_print, &asked, &status);
}

static zlay_status wider_print(zlay_ctx *ctx, zlay_buf *out, const void *move)
{
    uint32_t width;
    (void)ctx;
    return zlay_move_wider(out, &width, move);
}

static json_t *variant_value(zl_call *call, const zlay_move *move)
{
    uint32_t width = 0;
    char text[1024];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = zlay_move_wider(&buf, &width, move);
    if (status) return json_null();
    json_t *value = json_object();
    zl_put_value(call, value, "width", json_integer(width));
    zl_put_value(call, value, "guard", zl_json_printed(call, wider_print, move, &status));
    return value;
}

static json_t *modes_value(zl_call *call, const zlay_move *move, uint32_t part)
{
    json_t *list = json_array();
    zlay_move_mode mode;
    zlay_move_cells cells;
    for (uint32_t i = 0; !zlay_move_mode_nth(&mode, move, part, i); i++) {
        json_t *value = json_object();
        zl_put_value(call, value, "extent", zl_json_uint(mode.extent));
        zl_put_value(call, value, "src",
                     step_value(call, (step_asked){move, part, i, 0}, mode.source));
        zl_put_value(call, value, "dst",
                     step_value(call, (step_asked){move, part, i, 1}, mode.dest));
        if (!zlay_move_cells_info(&cells, move, part, i)) {
            zl_put_value(call, value, "axis", json_integer(cells.axis));
            zl_put_value(call, value, "cells", zl_json_int(cells.step));
        }
        zl_put_item(call, list, value);
    }
    return list;
}

static json_t *digits_value(zl_call *call, const zlay_move *move, uint32_t part)
{
    json_t *list = json_array();
    zlay_move_digit digit;
    for (uint32_t i = 0; !zlay_move_digit_nth(&digit, move, part, i); i++) {
        json_t *value = json_object();
        zl_put_value(call, value, "of", zl_json_word(levels, digit.level));
        zl_put_value(call, value, "mode", json_integer(digit.mode));
        zl_put_value(call, value, "extent", zl_json_uint(digit.extent));
        zl_put_value(call, value, "step", zl_json_uint(digit.step));
        zl_put_item(call, list, value);
    }
    return list;
}

/* Modes whose digits go beyond their extent: an access is made where the coordinate is below it. */
static json_t *predicate_value(zl_call *call, const zlay_move *move, uint32_t part)
{
    json_t *list = json_array();
    zlay_move_mode mode;
    zlay_move_digit digit;
    for (uint32_t k = 0; !zlay_move_mode_nth(&mode, move, part, k); k++) {
        uint64_t reach = 1;
        for (uint32_t i = 0; !zlay_move_digit_nth(&digit, move, part, i); i++)
            if (digit.mode == k) reach *= digit.extent;
        if (reach <= mode.extent) continue;
        json_t *value = json_object();
        zl_put_value(call, value, "mode", json_integer(k));
        zl_put_value(call, value, "below", zl_json_uint(mode.extent));
        zl_put_item(call, list, value);
    }
    return list;
}

static void put_counts(zl_call *call, json_t *value, const zlay_move_part *p)
{
    zl_put_value(call, value, "threads", json_integer(p->threads));
    zl_put_value(call, value, "accesses", zl_json_uint(p->accesses));
    zl_put_value(call, value, "elements", zl_json_uint(p->elements));
    zl_put_value(call, value, "instructions", zl_json_uint(p->instructions));
    zl_put_value(call, value, "permutes", zl_json_uint(p->permutes));
    zl_put_value(call, value, "sectors", zl_json_uint(p->sectors));
    zl_put_value(call, value, "lines", zl_json_uint(p->lines));
}

static json_t *wavefronts_value(zl_call *call, uint64_t load, uint64_t store, uint32_t uncounted)
{
    json_t *value = json_object();
    if (uncounted) {
        json_decref(value);
        return json_null();
    }
    zl_put_value(call, value, "load", zl_json_uint(load));
    zl_put_value(call, value, "store", zl_json_uint(store));
    return value;
}

static const zl_named combines[] = {{"add", 0}, {"xor", 1}, {"layout", 2}, {NULL, 0}};

static json_t *part_value(zl_call *call, const zlay_move *move, uint32_t i, const zlay_move_part *p)
{
    json_t *value = json_object();
    zl_put_value(call, value, "kind", zl_json_word(part_kinds, p->kind));
    zl_put_value(call, value, "width", json_integer(p->width));
    zl_put_value(call, value, "src_width", json_integer(p->source_width));
    zl_put_value(call, value, "realign", p->realign ? json_integer(p->realign) : json_null());
    zl_put_value(call, value, "matrices", p->matrices ? json_integer(p->matrices) : json_null());
    zl_put_value(call, value, "transposed", json_boolean(p->transposed));
    zl_put_value(call, value, "combine", zl_json_word(combines, (int32_t)p->combine));
    zl_put_value(call, value, "src",
                 step_value(call, (step_asked){move, i, p->modes, 0}, p->source));
    zl_put_value(call, value, "dst", step_value(call, (step_asked){move, i, p->modes, 1}, p->dest));
    zl_put_value(call, value, "modes", modes_value(call, move, i));
    zl_put_value(call, value, "digits", digits_value(call, move, i));
    zl_put_value(call, value, "predicate", predicate_value(call, move, i));
    zl_put_value(call, value, "edge", zl_json_edge(call, move, i));
    zl_put_value(call, value, "thread_layout", zl_json_layout(call, zlay_move_threads(move, i)));
    put_counts(call, value, p);
    zl_put_value(call, value, "wavefronts",
                 wavefronts_value(call, p->wavefronts_load, p->wavefronts_store, p->uncounted));
    return value;
}

static json_t *parts_value(zl_call *call, const zlay_move *move)
{
    json_t *list = json_array();
    zlay_move_part part;
    for (uint32_t i = 0; !zlay_move_part_nth(&part, move, i); i++)
        zl_put_item(call, list, part_value(call, move, i, &part));
    return list;
}

static json_t *swizzles_value(zl_call *call, const zlay_move *move)
{
    static const char *const names[] = {"src", "dst"};
    json_t *value = json_object();
    for (int32_t side = 0; side < 2; side++) {
        zlay_move_swizzle s;
        if (zlay_move_swizzle_info(&s, move, side)) s = (zlay_move_swizzle){0};
        zl_put_value(call, value, names[side], zl_json_three(call, s.bits, s.base, s.shift));
    }
    return value;
}

static const zl_named reasons[] = {{"target", ZLAY_WIDEST_TARGET},
                                   {"align", ZLAY_WIDEST_ALIGN},
                                   {"run", ZLAY_WIDEST_RUN},
                                   {"step", ZLAY_WIDEST_STEP},
                                   {"phase", ZLAY_WIDEST_PHASE},
                                   {"swizzle", ZLAY_WIDEST_SWIZZLE},
                                   {NULL, 0}};

static json_t *widest_value(zl_call *call, const zlay_move *move)
{
    static const char *const sides[] = {"src", "dst"};
    zlay_move_widest w;
    if (zlay_move_widest_info(&w, move) || !w.width) return json_null();
    json_t *value = json_object();
    zl_put_value(call, value, "width", json_integer(w.width));
    zl_put_value(call, value, "refused", json_integer(w.refused));
    zl_put_value(call, value, "why", zl_json_word(reasons, w.why));
    zl_put_value(call, value, "side", json_string(sides[w.side]));
    zl_put_value(call, value, "points", zl_json_list(call, w.points, ZL_COUNT(w.points)));
    return value;
}

static json_t *source_certificate(zl_call *call, const zlay_move *move)
{
    const zlay_layout *a, *b;
    return zlay_move_certificate_source(&a, &b, move) ? json_object() : zl_json_pair(call, a, b);
}

json_t *zl_json_threads(zl_call *call, const zlay_move *move)
{
    zlay_move_summary info;
    json_t *value = zl_json_move(call, move, 0);
    if (zlay_move_info(&info, move)) return value;
    zl_put_value(call, value, "width", json_integer(info.width));
    zl_put_value(call, value, "src_width", json_integer(info.source_width));
    zl_put_value(call, value, "threads", json_integer(info.threads));
    zl_put_value(call, value, "instructions", zl_json_uint(info.instructions));
    zl_put_value(call, value, "permutes", zl_json_uint(info.permutes));
    zl_put_value(call, value, "sectors", zl_json_uint(info.sectors));
    zl_put_value(call, value, "lines", zl_json_uint(info.lines));
    zl_put_value(
        call, value, "wavefronts",
        wavefronts_value(call, info.wavefronts_load, info.wavefronts_store, info.uncounted));
    zl_put_value(call, value, "cost", zl_json_uint(info.cost));
    zl_put_value(call, value, "bound", zl_json_uint(info.bound));
    zl_put_value(call, value, "optimal", json_boolean(info.optimal));
    zl_put_value(call, value, "thread_layout", zl_json_layout(call, zlay_move_threads(move, 0)));
    zl_put_value(call, value, "widest", widest_value(call, move));
    zl_put_value(call, value, "variant", variant_value(call, move));
    zl_put_value(call, value, "swizzle", swizzles_value(call, move));
    zl_put_value(call, value, "parts", parts_value(call, move));
    zl_put_value(call, value, "tiles", zl_json_tiles(call, move));
    zl_put_value(call, value, "source_certificate", source_certificate(call, move));
    return value;
}

zlay_status zl_copy_made(zl_call *call, zlay_move **out, const zl_copy_asked *a)
{
    zlay_copy_request request = a->request;
    if (a->present != HAS_TYPE && a->present != HAS_BITS)
        return zl_fail(call->ctx, ZLAY_EINVAL,
                       "one of the fields 'type' and 'elem_bits' is wanted");
    request.size = sizeof request;
    return zlay_copy_synth(call->ctx, out, a->target, &request);
}

zlay_status zl_op_copy_synth(zl_call *call, const void *asked)
{
    zlay_move *move = NULL;
    zlay_status status = zl_copy_made(call, &move, asked);
    if (!status) call->value = zl_json_threads(call, move);
    zlay_move_free(move);
    return status;
}
