/* SPDX-License-Identifier: Apache-2.0 */
/* plan.attention: the plan of attention forward as an answer; and emit of what: attention, its
 * kernel. */
#include "json/synth/emit.h"

/* ---- the request --------------------------------------------------------------------------- */

static zlay_status read_strides(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    zlay_attention_strides *out = to;
    const json_t *list = json_object_get(object, field->name);
    uint64_t *const each[] = {&out->row, &out->head, &out->batch};
    if (!json_is_array(list) || json_array_size(list) != ZL_COUNT(each))
        return zl_wrong(call, field->name, "a list of three strides: row, head, batch");
    for (size_t i = 0; i < ZL_COUNT(each); i++)
        if (!zl_json_u64(json_array_get(list, i), each[i]))
            return zl_wrong(call, field->name, "a list of three integers from 0 on");
    return ZLAY_OK;
}

static const zl_field_kind as_strides = {.read = read_strides, .type = "integers"};
typedef zlay_attention_strides as_strides_type;

static zlay_status read_tile(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_attention *out = to;
    const json_t *list = json_object_get(object, field->name);
    uint32_t *const each[] = {&out->tile_m, &out->tile_n};
    for (size_t i = 0; i < ZL_COUNT(each); i++) {
        uint64_t extent;
        if (json_array_size(list) != ZL_COUNT(each) ||
            !zl_json_u64(json_array_get(list, i), &extent) || !extent || extent > UINT32_MAX)
            return zl_wrong(
                call, field->name,
                "a list of two integers in [1, 2^32): queries of a block, keys of a stage");
        *each[i] = (uint32_t)extent;
    }
    return ZLAY_OK;
}

static const zl_field_kind as_attention_tile = {.read = read_tile, .type = "integers"};
typedef zlay_attention as_attention_tile_type;

static const zl_named overlaps[] = {{"auto", ZLAY_OVERLAP_AUTO},
                                    {"never", ZLAY_OVERLAP_NEVER},
                                    {"always", ZLAY_OVERLAP_ALWAYS},
                                    {NULL, 0}};

static const zl_named lengths[] = {{"equal", ZLAY_LENGTHS_EQUAL},
                                   {"padded", ZLAY_LENGTHS_PADDED},
                                   {"packed", ZLAY_LENGTHS_PACKED},
                                   {NULL, 0}};

#define AT(kind, member) ZL_AT(kind, zl_attention_asked, ask.member)
static const zl_field plan_rows[] = {
    ZL_TARGET(zl_attention_asked),
    {"head", ZL_NEEDS, AT(zl_as_u32, head)},
    {"queries", ZL_NEEDS, AT(zl_as_some64, queries)},
    {"keys", ZL_NEEDS, AT(zl_as_some64, keys)},
    {"batch", ZL_MAY, AT(zl_as_some64, batch)},
    {"heads", ZL_MAY, AT(zl_as_some64, heads)},
    {"sequences", ZL_MAY, AT(zl_as_some64, sequences)},
    {"kv_heads", ZL_MAY, AT(zl_as_some64, kv_heads)},
    {"type", ZL_MAY, AT(zl_as_word, type), .of = zl_types},
    {"o_type", ZL_MAY, AT(zl_as_word, o_type), .of = zl_types},
    {"causal", ZL_MAY, AT(zl_as_bit, causal), .count = 1},
    {"soft_cap", ZL_MAY, AT(zl_as_bit, soft_cap), .count = 1},
    {"splits", ZL_MAY, AT(zl_as_some64, splits)},
    {"merge", ZL_MAY, ZL_AT(zl_as_bit, zl_attention_asked, merge), .count = 1},
    {"window", ZL_MAY, AT(zl_as_some64, window)},
    {"sinks", ZL_MAY, AT(zl_as_bit, sinks), .count = 1},
    {"lse", ZL_MAY, AT(zl_as_bit, lse), .count = 1},
    {"q_lengths", ZL_MAY, AT(zl_as_word, q_lengths), .of = lengths},
    {"k_lengths", ZL_MAY, AT(zl_as_word, k_lengths), .of = lengths},
    {"tile", ZL_MAY, ZL_AT(as_attention_tile, zl_attention_asked, ask)},
    {"stages", ZL_MAY, AT(zl_as_u32, stages)},
    {"overlap", ZL_MAY, AT(zl_as_word, overlap), .of = overlaps},
    {"q_strides", ZL_MAY, AT(as_strides, q)},
    {"k_strides", ZL_MAY, AT(as_strides, k)},
    {"v_strides", ZL_MAY, AT(as_strides, v)},
    {"o_strides", ZL_MAY, AT(as_strides, o)},
    {"l_strides", ZL_MAY, AT(as_strides, l)},
};
const zl_fields zl_attention_fields = {ZL_ROWS(plan_rows, zl_attention_asked)};
#undef AT

zlay_status zl_attention_made(zl_call *call, zlay_attention_plan **out, const zl_attention_asked *a)
{
    zlay_attention ask = a->ask;
    ask.size = sizeof ask;
    return zlay_attention_synth(call->ctx, out, a->target, &ask);
}

/* The plan of the one of its kernels that the request names. */
static zlay_status chosen(zl_call *call, const zlay_attention_plan **out,
                          const zl_attention_asked *a, const zlay_attention_plan *plan)
{
    *out = a->merge ? zlay_attention_merge(plan) : plan;
    return *out ? ZLAY_OK : zl_wrong(call, "merge", "false where there is one split");
}

/* ---- the plan ------------------------------------------------------------------------------- */

static json_t *maps_of(zl_call *call, const zlay_attention_plan *plan)
{
    json_t *list = json_array();
    const zlay_move *move;
    char tensor;
    for (uint32_t i = 0; !zlay_attention_move_nth(&move, &tensor, plan, i); i++)
        zl_put_moved(call, list, tensor, move);
    return list;
}

zlay_status zl_op_plan_attention(zl_call *call, const void *asked)
{
    zlay_attention_plan *plan = NULL;
    const zlay_attention_plan *one = NULL;
    zlay_attention_summary info;
    zlay_status status = zl_attention_made(call, &plan, asked);
    if (!status) status = chosen(call, &one, asked, plan);
    if (!status) status = zlay_attention_info(&info, one);
    if (!status) {
        const uint64_t tile[] = {info.tile_m, info.tile_n};
        call->value = json_object();
        zl_put_value(call, call->value, "tile", zl_json_list(call, tile, ZL_COUNT(tile)));
        zl_put_value(call, call->value, "stages", json_integer(info.stages));
        zl_put_value(call, call->value, "tiles", json_integer((json_int_t)info.tiles));
        zl_put_value(call, call->value, "threads", json_integer(info.threads));
        zl_put_value(call, call->value, "grid", zl_json_list(call, info.grid, ZL_COUNT(info.grid)));
        zl_put_value(call, call->value, "maps", maps_of(call, one));
        status = zl_put_printed(call, "pipe", zl_print_pipe, zlay_attention_pipe(one));
    }
    zlay_attention_free(plan);
    return status;
}

/* ---- its kernel ---------------------------------------------------------------------------- */

typedef struct asked {
    zl_emit_head head;
    zl_attention_asked plan;
    int32_t language;
    const zlay_pipe *pipe;
} asked;

static const zl_field emit_rows[] = {
    ZL_PART(zl_emit_head_fields, asked, head),
    ZL_PART(zl_attention_fields, asked, plan),
    {"language", ZL_MAY, ZL_AT(zl_as_word, asked, language), .of = zl_languages},
    {"pipe", ZL_MAY, ZL_AT(zl_as_pipe, asked, pipe)},
    ZL_PTX(asked),
};
const zl_fields zl_emit_attention_fields = {ZL_ROWS(emit_rows, asked)};

static zlay_status print_attention(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                                   zlay_pipe_argument *arguments, size_t room, const void *ask)
{
    return zlay_emit_attention(ctx, out, launch, arguments, room, ask);
}

static zlay_status put_kernel(zl_call *call, const asked *a, const zlay_attention_plan *plan)
{
    const zlay_attention_emit ask = {.size = sizeof ask,
                                     .language = a->language,
                                     .plan = plan,
                                     .pipe = a->pipe,
                                     .name = a->head.name.text,
                                     .name_length = a->head.name.length};
    zlay_attention_summary info;
    zlay_target_summary target = {0};
    zlay_status status = zlay_target_info(&target, a->plan.target);
    if (status) return status;
    /* A target that no PTX knows has assembly. */
    const char *language = target.ptx ? zl_word_of(zl_languages, a->language) : "assembly";
    status = zl_put_launched(call, language, print_attention, &ask, &a->head);
    if (!status) status = zlay_attention_info(&info, plan);
    if (status) return status;
    zl_put_value(call, call->value, "grid", zl_json_list(call, info.grid, ZL_COUNT(info.grid)));
    return ZLAY_OK;
}

zlay_status zl_emit_attention(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_attention_plan *plan = NULL;
    const zlay_attention_plan *one = NULL;
    zlay_status status = zl_attention_made(call, &plan, &a->plan);
    if (!status) status = chosen(call, &one, &a->plan, plan);
    if (!status) status = put_kernel(call, a, one);
    zlay_attention_free(plan);
    return status;
}
