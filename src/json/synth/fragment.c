/* SPDX-License-Identifier: Apache-2.0 */
/* fragment.synth and tmem.synth: which operand a layout is. */
#include "json/json.h"

#include <zlay/fragment.h>

enum { FOUND_MOST = 128 };

static const zl_word group[] = {{"A", ZLAY_FRAGMENT_A},
                                {"D", ZLAY_FRAGMENT_D},
                                {"metadata", ZLAY_FRAGMENT_METADATA},
                                {"B", ZLAY_FRAGMENT_B},
                                {NULL, 0}};
static const zl_word warp[] = {{"A", ZLAY_WARP_A},
                               {"B", ZLAY_WARP_B},
                               {"D", ZLAY_WARP_D},
                               {"matrices", ZLAY_WARP_MATRICES},
                               {"transposed", ZLAY_WARP_TRANSPOSED},
                               {NULL, 0}};
static const zl_word orders[] = {{"thread", 0}, {"value", 1}, {NULL, 0}};

/* Matrices are read and written alike. */
static const char *instruction_of(const zlay_fragment *f)
{
    if (f->lanes == 128) return "wgmma";
    if (f->lanes == 64) return "mfma";
    return f->fragment == ZLAY_WARP_MATRICES || f->fragment == ZLAY_WARP_TRANSPOSED ? "ldmatrix"
                                                                                   : "mma.sync";
}

static json_t *fragment_value(zl_call *call, const zlay_fragment *f)
{
    const zl_word *names = f->lanes == 32 ? warp : group;
    json_t *value = json_object();
    zl_put_value(call, value, "instruction", json_string(instruction_of(f)));
    zl_put_value(call, value, "fragment", zl_json_word(names, f->fragment));
    zl_put_value(call, value, "bits", json_integer(f->bits));
    zl_put_value(call, value, "registers", json_integer(f->registers));
    zl_put_value(call, value, "rows", json_integer(f->rows));
    zl_put_value(call, value, "columns", json_integer(f->columns));
    if (f->blocks) zl_put_value(call, value, "blocks", json_integer(f->blocks));
    return value;
}

static zlay_status read_request(zl_call *call, zlay_fragment_request *out)
{
    int32_t order = 0;
    zlay_status status = zl_get_u32(call, call->request, "bits", &out->bits);
    if (!status) status = zl_get_word(call, call->request, "order", orders, &order);
    if (!status && (order < 0 || order > 1)) return zl_wrong(call, "order", "'thread' or 'value'");
    out->value_first = (uint32_t)order;
    return status;
}

zlay_status zl_op_fragment_synth(zl_call *call)
{
    zlay_fragment_request request = {.size = sizeof request};
    zlay_fragment found[FOUND_MOST];
    zlay_layout *layout = NULL;
    size_t count = 0;
    zlay_status status = read_request(call, &request);
    if (!status) status = zl_get_layout(call, "layout", &layout);
    request.layout = layout;
    if (!status) status = zlay_fragment_synth(call->ctx, found, FOUND_MOST, &count, &request);
    zlay_layout_free(layout);
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
    zl_put_value(call, value, "shape", json_string(zlay_tmem_shape_name(map->shape)));
    zl_put_value(call, value, "size", json_integer(map->size));
    zl_put_value(call, value, "pack", json_integer(map->pack));
    zl_put_value(call, value, "half_split", json_integer(map->half_split));
    zl_put_value(call, value, "factors", json_integer(map->factors));
    zl_put_value(call, value, "first", json_integer(map->first));
    zl_put_value(call, value, "address", json_integer(map->address));
    return value;
}

zlay_status zl_op_tmem_synth(zl_call *call)
{
    zlay_tmem_map found[FOUND_MOST];
    zlay_layout *layout = NULL;
    size_t count = 0;
    zlay_status status = zl_get_layout(call, "layout", &layout);
    if (!status) status = zlay_tmem_synth(call->ctx, found, FOUND_MOST, &count, layout);
    zlay_layout_free(layout);
    if (status) return status;
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) zl_put_item(call, list, map_value(call, &found[i]));
    call->value = json_object();
    zl_put_value(call, call->value, "layouts", list);
    return ZLAY_OK;
}
