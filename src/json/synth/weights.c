/* SPDX-License-Identifier: Apache-2.0 */
/* plan.weights: the plan of a product with weights of 4 bits as an answer; and emit of what:
 * weights, its kernel. */
#include "json/synth/emit.h"

typedef struct planned {
    const zlay_target *target;
    zlay_weights ask;
} planned;

#define AT(kind, member) ZL_AT(kind, planned, ask.member)
static const zl_field plan_rows[] = {
    ZL_TARGET(planned),
    {"m", ZL_NEEDS, AT(zl_as_some64, m)},
    {"n", ZL_NEEDS, AT(zl_as_some64, n)},
    {"k", ZL_NEEDS, AT(zl_as_some64, k)},
    {"type", ZL_MAY, AT(zl_as_word, type), .of = zl_types},
    {"weights", ZL_MAY, AT(zl_as_word, weights), .of = zl_types},
    {"group", ZL_MAY, AT(zl_as_u32, group)},
    {"zeros", ZL_MAY, AT(zl_as_bit, zeros), .count = 1},
    {"lda", ZL_MAY, AT(zl_as_some64, lda)},
    {"ldd", ZL_MAY, AT(zl_as_some64, ldd)},
    {"lds", ZL_MAY, AT(zl_as_some64, lds)},
    {"warpgroups", ZL_MAY, AT(zl_as_u32, warpgroups)},
    {"cluster", ZL_MAY, AT(zl_as_u32, cluster)},
};
const zl_fields zl_weights_fields = {ZL_ROWS(plan_rows, planned)};
typedef planned zl_weights_fields_type;
#undef AT

static zlay_status plan_make(zl_call *call, zlay_weights_plan **out, const planned *a)
{
    zlay_weights ask = a->ask;
    ask.size = sizeof ask;
    return zlay_weights_synth(call->ctx, out, a->target, &ask);
}

static json_t *maps_of(zl_call *call, const zlay_weights_plan *plan)
{
    json_t *list = json_array();
    const zlay_move *move;
    char tensor;
    for (uint32_t i = 0; !zlay_weights_move_nth(&move, &tensor, plan, i); i++)
        zl_put_moved(call, list, tensor, move);
    return list;
}

static zlay_status put_layout(zl_call *call, const planned *a)
{
    zlay_layout *layout = NULL;
    zlay_status status = zlay_weights_layout(call->ctx, &layout,
                                             a->ask.weights ? a->ask.weights : ZLAY_TYPE_U4,
                                             a->ask.n, a->ask.k);
    if (!status) zl_put_value(call, call->value, "layout", zl_json_layout(call, layout));
    zlay_layout_free(layout);
    return status;
}

static zlay_status put_plan(zl_call *call, const planned *a, const zlay_weights_plan *plan)
{
    zlay_weights_summary info;
    zlay_status status = zlay_weights_info(&info, plan);
    if (status) return status;
    const uint64_t tile[] = {info.tile_m, info.tile_n, info.tile_k};
    call->value = json_object();
    zl_put_value(call, call->value, "tile", zl_json_list(call, tile, ZL_COUNT(tile)));
    zl_put_value(call, call->value, "stages", json_integer(info.stages));
    zl_put_value(call, call->value, "warpgroups", json_integer(info.warpgroups));
    zl_put_value(call, call->value, "cluster", json_integer(info.cluster));
    zl_put_value(call, call->value, "steps", json_integer((json_int_t)info.steps));
    zl_put_value(call, call->value, "threads", json_integer(info.threads));
    zl_put_value(call, call->value, "grid", zl_json_list(call, info.grid, ZL_COUNT(info.grid)));
    zl_put_value(call, call->value, "packed", json_integer((json_int_t)info.packed));
    zl_put_value(call, call->value, "maps", maps_of(call, plan));
    status = put_layout(call, a);
    return status ? status : zl_put_printed(call, "pipe", zl_print_pipe, zlay_weights_pipe(plan));
}

zlay_status zl_op_plan_weights(zl_call *call, const void *asked)
{
    zlay_weights_plan *plan = NULL;
    zlay_status status = plan_make(call, &plan, asked);
    if (!status) status = put_plan(call, asked, plan);
    zlay_weights_free(plan);
    return status;
}

/* ---- its kernel ---------------------------------------------------------------------------- */

typedef struct asked {
    zl_emit_head head;
    planned plan;
    int32_t language;
} asked;

static const zl_field emit_rows[] = {
    ZL_PART(zl_emit_head_fields, asked, head),
    ZL_PART(zl_weights_fields, asked, plan),
    {"language", ZL_MAY, ZL_AT(zl_as_word, asked, language), .of = zl_languages},
    ZL_PTX(asked),
};
const zl_fields zl_emit_weights_fields = {ZL_ROWS(emit_rows, asked)};

static zlay_status print_weights(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                                 zlay_pipe_argument *arguments, size_t room, const void *ask)
{
    return zlay_emit_weights(ctx, out, launch, arguments, room, ask);
}

static zlay_status put_kernel(zl_call *call, const asked *a, const zlay_weights_plan *plan)
{
    const zlay_weights_emit ask = {.size = sizeof ask,
                                   .language = a->language,
                                   .plan = plan,
                                   .name = a->head.name.text,
                                   .name_length = a->head.name.length};
    zlay_weights_summary info;
    zlay_target_summary target = {0};
    zlay_target_info(&target, a->plan.target);
    /* A target that no PTX knows has assembly. */
    const char *language = target.ptx ? zl_word_of(zl_languages, a->language) : "assembly";
    zlay_status status = zl_put_launched(call, language, print_weights, &ask, &a->head);
    if (!status) status = zlay_weights_info(&info, plan);
    if (status) return status;
    zl_put_value(call, call->value, "grid", zl_json_list(call, info.grid, ZL_COUNT(info.grid)));
    return ZLAY_OK;
}

zlay_status zl_emit_weights(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_weights_plan *plan = NULL;
    zlay_status status = plan_make(call, &plan, &a->plan);
    if (!status) status = put_kernel(call, a, plan);
    zlay_weights_free(plan);
    return status;
}
