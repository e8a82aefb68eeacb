/* SPDX-License-Identifier: Apache-2.0 */
/* fragment.synth and tmem.synth: which operand a layout is. */
#include "json/json.h"

#include <zlay/fragment.h>
#include <zlay/tmem.h>

enum { FOUND_MOST = 128 };

static const zl_named orders[] = {{"thread", 0}, {"value", 1}, {NULL, 0}};

/* Matrices are read and written alike. */
static const char *instruction_of(const zlay_fragment *f)
{
    if (f->lanes == 128) return "wgmma";
    if (f->lanes == 64) return "mfma";
    return f->fragment == ZLAY_WARP_MATRICES || f->fragment == ZLAY_WARP_TRANSPOSED ? "ldmatrix"
                                                                                   : "mma.sync";
}

static const zl_field size_rows[] = {
    ZL_NUMBER(zlay_fragment, bits), ZL_NUMBER(zlay_fragment, registers),
    ZL_NUMBER(zlay_fragment, rows), ZL_NUMBER(zlay_fragment, columns),
};
static const zl_fields size_fields = {ZL_ROWS(size_rows, zlay_fragment)};

static json_t *fragment_value(zl_call *call, const zlay_fragment *f)
{
    const zl_named *names = f->lanes == 32 ? zl_warp_fragments : zl_fragments;
    json_t *value = json_object();
    zl_put_value(call, value, "instruction", json_string(instruction_of(f)));
    zl_put_value(call, value, "fragment", zl_json_word(names, f->fragment));
    zl_put_fields(call, value, &size_fields, f);
    if (f->blocks) zl_put_value(call, value, "blocks", json_integer(f->blocks));
    return value;
}

static zlay_status read_order(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    int32_t order = 0;
    zlay_status status = zl_get_word(call, object, field->name, orders, &order);
    if (!status && (order < 0 || order > 1))
        return zl_wrong(call, field->name, "'thread' or 'value'");
    *(uint32_t *)to = (uint32_t)order;
    return status;
}

static const zl_field_kind as_order = {.read = read_order, .type = "word"};
typedef uint32_t as_order_type;

static const zl_field fragment_rows[] = {
    {"bits", ZL_MAY, ZL_AT(zl_as_u32, zlay_fragment_request, bits)},
    {"order", ZL_MAY, ZL_AT(as_order, zlay_fragment_request, value_first)},
    {"layout", ZL_NEEDS, ZL_AT(zl_as_layout, zlay_fragment_request, layout)},
};
static const zlay_fragment_request usual = {.size = sizeof usual};
const zl_fields zl_fragment_fields = {ZL_ROWS(fragment_rows, zlay_fragment_request),
                                      .start = &usual};

zlay_status zl_op_fragment_synth(zl_call *call, const void *asked)
{
    zlay_fragment found[FOUND_MOST];
    size_t count = 0;
    zlay_status status = zlay_fragment_synth(call->ctx, found, FOUND_MOST, &count, asked);
    if (status) return status;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) zl_put_item(call, list, fragment_value(call, &found[i]));
    call->value = json_object();
    zl_put_value(call, call->value, "fragments", list);
    return ZLAY_OK;
}

static json_t *map_value(zl_call *call, const zlay_tmem_map *map)
{
    json_t *value = json_object();
    zl_put_fields(call, value, &zl_tmem_layout_fields, map);
    return value;
}

zlay_status zl_op_tmem_synth(zl_call *call, const void *asked)
{
    zlay_tmem_map found[FOUND_MOST];
    size_t count = 0;
    zlay_status status =
        zlay_tmem_synth(call->ctx, found, FOUND_MOST, &count, zl_asked_layout(asked));
    if (status) return status;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) zl_put_item(call, list, map_value(call, &found[i]));
    call->value = json_object();
    zl_put_value(call, call->value, "layouts", list);
    return ZLAY_OK;
}
