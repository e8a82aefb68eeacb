/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by threads. */
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

static zlay_status read_side(zl_call *call, const char *name, zlay_copy_side *out,
                             zlay_layout **layout)
{
    const json_t *side;
    zlay_status status = zl_get_object(call, call->request, name, &side);
    if (!status) status = zl_fields_check(call, side, name, "layout space", "align");
    if (!status) status = zl_get_word(call, side, "space", spaces, &out->space);
    if (!status) status = zl_get_u64(call, side, "align", &out->align);
    if (!status && !out->align && json_object_get(side, "align"))
        status = zl_wrong(call, "align", "an integer of at least 1");
    if (!status) status = zl_layout_of(call, name, json_object_get(side, "layout"), layout);
    out->layout = *layout;
    return status;
}

static zlay_status read_bits(zl_call *call, uint32_t *out)
{
    int32_t type = -1;
    const json_t *named = json_object_get(call->request, "type");
    const json_t *counted = json_object_get(call->request, "elem_bits");
    if (!named == !counted)
        return zl_fail(call->ctx, ZLAY_EINVAL,
                       "one of the fields 'type' and 'elem_bits' is wanted");
    if (counted) return zl_get_u32(call, call->request, "elem_bits", out);
    zlay_status status = zl_get_word(call, call->request, "type", zl_types, &type);
    *out = zlay_type_bits(type);
    return status;
}

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
        json_t *list = json_array();
        if (zlay_move_swizzle_info(&s, move, side)) s = (zlay_move_swizzle){0};
        zl_put_item(call, list, json_integer(s.bits));
        zl_put_item(call, list, json_integer(s.base));
        zl_put_item(call, list, json_integer(s.shift));
        zl_put_value(call, value, names[side], list);
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
    json_t *value = json_object(), *points = json_array();
    for (int i = 0; i < 2; i++) zl_put_item(call, points, zl_json_uint(w.points[i]));
    zl_put_value(call, value, "width", json_integer(w.width));
    zl_put_value(call, value, "refused", json_integer(w.refused));
    zl_put_value(call, value, "why", zl_json_word(reasons, w.why));
    zl_put_value(call, value, "side", json_string(sides[w.side]));
    zl_put_value(call, value, "points", points);
    return value;
}

static json_t *source_certificate(zl_call *call, const zlay_move *move)
{
    const zlay_layout *a, *b;
    json_t *pair = json_object();
    if (zlay_move_certificate_source(&a, &b, move)) return pair;
    zl_put_value(call, pair, "a", zl_json_layout(call, a));
    zl_put_value(call, pair, "b", zl_json_layout(call, b));
    return pair;
}

static json_t *move_value(zl_call *call, const zlay_move *move)
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

static zlay_status read_request(zl_call *call, zlay_copy_request *out, zlay_layout *layout[2],
                                zlay_facts **facts)
{
    bool signal = false;
    zlay_status status = read_bits(call, &out->elem_bits);
    if (!status) status = zl_get_u32(call, call->request, "threads", &out->threads);
    if (!status) status = zl_get_u32(call, call->request, "registers", &out->registers);
    if (!status) status = zl_get_word(call, call->request, "path", thread_paths, &out->path);
    if (!status) status = zl_get_flag(call, call->request, "signal", &signal);
    out->signal = signal;
    if (!status) status = read_side(call, "src", &out->source, &layout[0]);
    if (!status) status = read_side(call, "dst", &out->dest, &layout[1]);
    if (!status) status = zl_get_tile(call, out->tile, &out->axes);
    if (!status) status = zl_get_facts(call, facts);
    out->facts = *facts;
    return status;
}

zlay_status zl_copy_made(zl_call *call, zlay_move **out)
{
    zlay_copy_request request = {.size = sizeof request};
    const zlay_target *target;
    zlay_layout *layout[2] = {NULL, NULL};
    zlay_facts *facts = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_request(call, &request, layout, &facts);
    if (!status) status = zlay_copy_synth(call->ctx, out, target, &request);
    zlay_facts_free(facts);
    zlay_layout_free(layout[0]);
    zlay_layout_free(layout[1]);
    return status;
}

zlay_status zl_op_copy_synth(zl_call *call)
{
    zlay_move *move = NULL;
    zlay_status status = zl_copy_made(call, &move);
    if (!status) call->value = move_value(call, move);
    zlay_move_free(move);
    return status;
}
