/* SPDX-License-Identifier: Apache-2.0 */
/* stage.synth. */
#include "json/json.h"

#include <string.h>
#include <zlay/stage.h>

/* ---- the request ---------------------------------------------------------------- */

typedef struct asked_tensor {
    const char *name;
    int32_t type, primitive, swizzle;
    uint32_t swizzle_fixed, align, from_dram, shared;
    uint32_t shape[2];
    const zlay_layout *source, *smem;
    zl_objects accesses;
} asked_tensor;

typedef struct asked_tile {
    uint32_t work, cycles;
    zl_objects tensors;
} asked_tile;

typedef struct asked {
    const zlay_target *target;
    zlay_stage_request request;
    zl_objects tiles;
} asked;

static const zl_named primitives[] = {{"any", 0},
                                      {"tensor", ZLAY_STAGE_BY_TENSOR},
                                      {"bulk", ZLAY_STAGE_BY_BULK},
                                      {"cp.async", ZLAY_STAGE_BY_CP_ASYNC},
                                      {"threads", ZLAY_STAGE_BY_THREADS},
                                      {NULL, 0}};
static const zl_named barriers[] = {
    {"stage", ZLAY_STAGE_ONE_RING}, {"tensor", ZLAY_STAGE_RINGS}, {NULL, 0}};

/* An access to shared memory by its name, or the product that reads the tile by descriptors. */
static zlay_status read_reader(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    static const struct {
        const char *name;
        int32_t access;
    } products[] = {{"wgmma", ZLAY_STAGE_WGMMA}, {"tcgen05", ZLAY_STAGE_TCGEN05}};
    zl_json_text name = {0};
    zlay_status status = zl_get_text(call, object, field->name, &name);
    if (status) return status;
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (name.length == strlen(products[i].name) &&
            !memcmp(name.text, products[i].name, name.length)) {
            *(int32_t *)to = products[i].access;
            return ZLAY_OK;
        }
    return zlay_bank_find(to, name.text, name.length) ? zl_no_access(call, field->name, &name)
                                                      : ZLAY_OK;
}

static zlay_status read_wanted(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    asked_tensor *out = to;
    out->swizzle_fixed = 1;
    return zl_get_word(call, object, field->name, zl_swizzles, &out->swizzle);
}

static zlay_status read_barriers(zl_call *call, const json_t *object, const zl_field *field,
                                 void *to)
{
    asked *out = to;
    out->request.barriers_fixed = 1;
    return zl_get_word(call, object, field->name, barriers, &out->request.barriers);
}

static const zl_field_kind as_reader = {.read = read_reader, .type = "text"},
                           as_wanted = {.read = read_wanted, .type = "word"},
                           as_barriers = {.read = read_barriers, .type = "word"};
typedef int32_t as_reader_type;
typedef asked_tensor as_wanted_type;
typedef asked as_barriers_type;

static const zl_field access_rows[] = {
    {"instruction", ZL_NEEDS, ZL_AT(as_reader, zlay_stage_access, access)},
    {"layout", ZL_MAY, ZL_AT(zl_as_plain_layout, zlay_stage_access, layout)},
    {"times", ZL_MAY, ZL_AT(zl_as_some32, zlay_stage_access, times)},
};
static const zl_fields access_fields = {ZL_ROWS(access_rows, zlay_stage_access),
                                        .what = "stage.synth: an access"};

#define AT(kind, member) ZL_AT(kind, asked_tensor, member)
static const zl_field tensor_rows[] = {
    {"name", ZL_NEEDS, AT(zl_as_string, name)},
    {"type", ZL_NEEDS, AT(zl_as_word, type), .of = zl_types},
    {"source", ZL_NEEDS, AT(zl_as_plain_layout, source)},
    {"shape", ZL_NEEDS, .kind = &zl_as_pair32, .at = offsetof(asked_tensor, shape)},
    {"accesses", ZL_NEEDS, AT(zl_as_objects, accesses), .of = &access_fields,
     .count = ZLAY_STAGE_ACCESSES},
    {"align", ZL_MAY, AT(zl_as_some32, align)},
    {"from_dram", ZL_MAY, AT(zl_as_bit, from_dram), .count = 1},
    {"shared", ZL_MAY, AT(zl_as_bit, shared), .count = 1},
    {"primitive", ZL_MAY, AT(zl_as_word, primitive), .of = primitives},
    {"swizzle", ZL_MAY, ZL_WHOLE(as_wanted, asked_tensor)},
    {"smem", ZL_MAY, AT(zl_as_plain_layout, smem)},
};
#undef AT
static const zl_fields tensor_fields = {ZL_ROWS(tensor_rows, asked_tensor),
                                        .what = "stage.synth: a tensor"};

static const zl_field tile_rows[] = {
    {"tensors", ZL_NEEDS, ZL_AT(zl_as_objects, asked_tile, tensors), .of = &tensor_fields,
     .count = ZLAY_STAGE_TENSORS},
    {"work", ZL_MAY, ZL_AT(zl_as_some32, asked_tile, work)},
    {"cycles", ZL_MAY, ZL_AT(zl_as_u32, asked_tile, cycles)},
};
static const zl_fields tile_fields = {ZL_ROWS(tile_rows, asked_tile),
                                      .what = "stage.synth: a tile"};

#define AT(kind, member) ZL_AT(kind, asked, request.member)
static const zl_field stage_rows[] = {
    ZL_TARGET(asked),
    {"tiles", ZL_NEEDS, ZL_AT(zl_as_objects, asked, tiles), .of = &tile_fields,
     .count = ZLAY_STAGE_TILES},
    {"smem", ZL_MAY, AT(zl_as_some64, smem)},
    {"threads", ZL_MAY, AT(zl_as_some32, threads)},
    {"consumers", ZL_MAY, AT(zl_as_some32, consumers)},
    {"registers", ZL_MAY, AT(zl_as_some32, registers)},
    {"cluster", ZL_MAY, AT(zl_as_some32, cluster)},
    {"depth", ZL_MAY, AT(zl_as_some32, depth)},
    {"barriers", ZL_MAY, ZL_WHOLE(as_barriers, asked)},
    {"shared_rate", ZL_MAY, AT(zl_as_some32, rates.shared)},
    {"copy_rate", ZL_MAY, AT(zl_as_some32, rates.copy)},
    {"l2_rate", ZL_MAY, AT(zl_as_some32, rates.l2)},
    {"dram_rate", ZL_MAY, AT(zl_as_some32, rates.dram)},
    {"issue_rate", ZL_MAY, AT(zl_as_some32, rates.issue)},
    {"copy_each", ZL_MAY, AT(zl_as_some32, rates.copy_each)},
    {"copy_cycles", ZL_MAY, AT(zl_as_some32, rates.copy_cycles)},
    {"load_cycles", ZL_MAY, AT(zl_as_some32, rates.load_cycles)},
    {"far_cycles", ZL_MAY, AT(zl_as_some32, rates.far_cycles)},
};
#undef AT
static const asked usual = {.request = {.size = sizeof usual.request}};
const zl_fields zl_stage_fields = {ZL_ROWS(stage_rows, asked), .start = &usual};

/* ---- the answer ------------------------------------------------------------------ */

static const zl_named layouts[] = {{"rows", ZLAY_STAGE_ROWS},
                                   {"spans", ZLAY_STAGE_SPANS},
                                   {"xor", ZLAY_STAGE_XOR},
                                   {"own", ZLAY_STAGE_OWN},
                                   {NULL, 0}};

static json_t *choice_value(zl_call *call, const zlay_stage *stage, uint32_t i, const char *name)
{
    zlay_stage_choice c;
    json_t *value = json_object();
    if (zlay_stage_choice_nth(&c, stage, i)) return value;
    const struct {
        const char *key;
        uint64_t number;
    } rows[] = {{"width", c.width},         {"multicast", c.multicast}, {"copies", c.copies},
                {"ring", c.ring},           {"depth", c.depth},         {"full", c.full},
                {"empty", c.empty},         {"expect", c.expect},       {"bytes", c.buffer},
                {"registers", c.registers}, {"latency", c.latency},     {"reads", c.reads},
                {"writes", c.writes},       {"l2_bytes", c.global}};
    zl_put_value(call, value, "name", json_string(name));
    zl_put_value(call, value, "layout", zl_json_layout(call, zlay_stage_layout(stage, i)));
    zl_put_value(call, value, "family", zl_json_word(layouts, c.layout));
    zl_put_value(call, value, "swizzle", zl_json_word(zl_swizzles, c.swizzle));
    zl_put_value(call, value, "primitive", json_string(zlay_stage_kind_name(c.kind)));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        zl_put_value(call, value, rows[k].key, zl_json_uint(rows[k].number));
    return value;
}

static json_t *units_value(zl_call *call, const zlay_stage_summary *info)
{
    json_t *value = json_object();
    for (int32_t u = 0; u < ZLAY_STAGE_UNITS; u++)
        zl_put_value(call, value, zlay_stage_unit_name(u), zl_json_uint(info->unit[u]));
    return value;
}

static zlay_status put_answer(zl_call *call, const zlay_stage *stage, const asked *a)
{
    zlay_stage_summary info;
    json_t *tensors = json_array();
    zlay_stage_info(&info, stage);
    const asked_tile *tile = (const asked_tile *)a->tiles.row + info.tile;
    const asked_tensor *tensor = tile->tensors.row;
    call->value = json_object();
    for (uint32_t i = 0; i < info.tensors; i++)
        zl_put_item(call, tensors, choice_value(call, stage, i, tensor[i].name));
    zl_put_value(call, call->value, "tile", json_integer(info.tile));
    zl_put_value(call, call->value, "cycles", zl_json_uint(info.cycles));
    zl_put_value(call, call->value, "units", units_value(call, &info));
    zl_put_value(call, call->value, "bytes", zl_json_uint(info.bytes));
    zl_put_value(call, call->value, "barriers", zl_json_word(barriers, info.barriers));
    zl_put_value(call, call->value, "mbarriers", json_integer(info.mbarriers));
    zl_put_value(call, call->value, "registers", json_integer(info.registers));
    zl_put_value(call, call->value, "consumers", json_integer(info.consumers));
    zl_put_value(call, call->value, "tensors", tensors);
    zl_put_value(call, call->value, "in_turn",
                 info.in_turn ? zl_json_uint(info.in_turn) : json_null());
    zl_put_value(call, call->value, "in_turn_tile",
                 info.in_turn ? json_integer(info.in_turn_tile) : json_null());
    zl_put_value(call, call->value, "candidates", zl_json_uint(info.candidates));
    zl_put_value(call, call->value, "visited", zl_json_uint(info.visited));
    zl_put_value(call, call->value, "optimal", json_boolean(info.optimal));
    return zl_put_printed(call, "pipe", zl_print_pipe, zlay_stage_pipe(stage));
}

static zlay_stage_tensor tensor_of(const asked_tensor *x)
{
    return (zlay_stage_tensor){.name = x->name,
                               .type = x->type,
                               .from_dram = x->from_dram,
                               .source = x->source,
                               .shape = {x->shape[0], x->shape[1]},
                               .align = x->align,
                               .shared = x->shared,
                               .primitives = (uint32_t)x->primitive,
                               .swizzle = x->swizzle,
                               .swizzle_fixed = x->swizzle_fixed,
                               .count = x->accesses.count,
                               .smem = x->smem,
                               .accesses = x->accesses.row};
}

zlay_status zl_op_stage_synth(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_stage_tensor tensors[ZLAY_STAGE_TILES][ZLAY_STAGE_TENSORS];
    zlay_stage_tile tiles[ZLAY_STAGE_TILES];
    zlay_stage_request request = a->request;
    zlay_stage *stage = NULL;
    for (uint32_t i = 0; i < a->tiles.count; i++) {
        const asked_tile *tile = (const asked_tile *)a->tiles.row + i;
        for (uint32_t t = 0; t < tile->tensors.count; t++)
            tensors[i][t] = tensor_of((const asked_tensor *)tile->tensors.row + t);
        tiles[i] = (zlay_stage_tile){tile->work, tile->cycles, tile->tensors.count, 0, tensors[i]};
    }
    request.count = a->tiles.count;
    request.tiles = tiles;
    zlay_status status = zlay_stage_synth(call->ctx, &stage, a->target, &request);
    if (!status) status = put_answer(call, stage, a);
    zlay_stage_free(stage);
    return status;
}
