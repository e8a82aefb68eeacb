/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of conversions between register layouts. */
#include "json/synth/emit.h"

#include <zlay/emit_function.h>

static const zl_named ops[] = {{"nop", ZLAY_CONVERT_NOP},
                               {"reg", ZLAY_CONVERT_REG},
                               {"prmt", ZLAY_CONVERT_PRMT},
                               {"shfl", ZLAY_CONVERT_SHFL},
                               {"ldmatrix", ZLAY_CONVERT_LDMATRIX},
                               {"stmatrix", ZLAY_CONVERT_STMATRIX},
                               {"store", ZLAY_CONVERT_STORE},
                               {"sync", ZLAY_CONVERT_SYNC},
                               {"load", ZLAY_CONVERT_LOAD},
                               {"dsmem", ZLAY_CONVERT_DSMEM},
                               {NULL, 0}};

static const zl_named levels[] = {{"register", ZLAY_CONVERT_REGISTER},
                                  {"lane", ZLAY_CONVERT_LANE},
                                  {"warp", ZLAY_CONVERT_WARP},
                                  {"block", ZLAY_CONVERT_BLOCK},
                                  {NULL, 0}};

typedef struct asked {
    const zlay_target *target;
    zlay_convert_request request;
} asked;

static const zl_field convert_rows[] = {
    ZL_TARGET(asked),
    {"elem_bits", ZL_NEEDS, ZL_AT(zl_as_u32, asked, request.elem_bits)},
    {"smem", ZL_MAY, ZL_AT(zl_as_u64, asked, request.smem)},
    {"src", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.src)},
    {"dst", ZL_NEEDS, ZL_AT(zl_as_layout, asked, request.dst)},
};
static const asked usual = {.request = {.size = sizeof usual.request}};
const zl_fields zl_convert_fields = {ZL_ROWS(convert_rows, asked), .start = &usual};
typedef asked zl_convert_fields_type;

/* ---- steps ------------------------------------------------------------------------------- */

static zlay_status put_map(zl_call *call, json_t *value, const char *key,
                           const zlay_convert *plan, uint32_t i, int32_t way)
{
    zlay_layout *map = NULL;
    zlay_status status = zlay_convert_map(call->ctx, &map, plan, i, way);
    if (status && status != ZLAY_NONE) return status;
    if (status) zl_put_value(call, value, key, json_null());
    else if (zlay_layout_kind(map) == ZLAY_LAYOUT_F2)
        zl_put_value(call, value, key, zl_json_f2(call, map));
    else zl_put_value(call, value, key, zl_json_layout(call, map));
    zlay_layout_free(map);
    return ZLAY_OK;
}

/* [dimension, mask] of what does not store. */
static json_t *idle_value(zl_call *call, const zlay_convert_step *step)
{
    json_t *list = json_array();
    for (int32_t l = 0; l < (int32_t)ZL_COUNT(step->idle); l++) {
        if (!step->idle[l]) continue;
        json_t *pair = json_array();
        zl_put_item(call, pair, json_string(zl_word_of(levels, l)));
        zl_put_item(call, pair, zl_json_uint(step->idle[l]));
        zl_put_item(call, list, pair);
    }
    return list;
}

static bool touches_shared(const zlay_convert_step *step) { return step->access >= 0; }

static zlay_status step_value(zl_call *call, const zlay_convert *plan, uint32_t i, json_t *list)
{
    zlay_convert_step step;
    json_t *value = json_object();
    zlay_status status = zlay_convert_step_nth(&step, plan, i);
    bool counted = step.counted || !touches_shared(&step);
    zl_put_value(call, value, "op", json_string(zl_word_of(ops, step.op)));
    if (!status) status = put_map(call, value, "map", plan, i, ZLAY_CONVERT_FORWARD);
    if (!status) status = put_map(call, value, "from", plan, i, ZLAY_CONVERT_BACK);
    const char *form = zlay_word_form(step.generator);
    zl_put_value(call, value, "form", form ? json_string(form) : json_null());
    zl_put_value(call, value, "width", json_integer(step.width));
    zl_put_value(call, value, "instructions", json_integer(step.instructions));
    zl_put_value(call, value, "instruction", *step.name ? json_string(step.name) : json_null());
    zl_put_value(call, value, "wavefronts", counted ? zl_json_uint(step.wavefronts) : json_null());
    zl_put_value(call, value, "idle", idle_value(call, &step));
    zl_put_item(call, list, value);
    return status;
}

static zlay_status put_steps(zl_call *call, const zlay_convert *plan, uint32_t count)
{
    json_t *list = json_array();
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < count && !status; i++) status = step_value(call, plan, i, list);
    zl_put_value(call, call->value, "plan", list);
    return status;
}

/* ---- plans ------------------------------------------------------------------------------- */

/* Of what stores, or of what loads; null where a count is not known. */
static json_t *wavefronts_value(const zlay_convert *plan, bool stores)
{
    zlay_convert_step step;
    uint64_t sum = 0;
    for (uint32_t i = 0; zlay_convert_step_nth(&step, plan, i) == ZLAY_OK; i++) {
        bool store = step.op == ZLAY_CONVERT_STORE || step.op == ZLAY_CONVERT_STMATRIX;
        if (!touches_shared(&step) || store != stores) continue;
        if (!step.counted) return json_null();
        sum += step.wavefronts;
    }
    return zl_json_uint(sum);
}

static void put_wavefronts(zl_call *call, const zlay_convert *plan)
{
    json_t *value = json_object();
    zl_put_value(call, value, "store", wavefronts_value(plan, true));
    zl_put_value(call, value, "load", wavefronts_value(plan, false));
    zl_put_value(call, call->value, "wavefronts", value);
}

static zlay_status plan_value(zl_call *call, const zlay_convert *plan)
{
    zlay_convert_summary info;
    const zlay_layout *a, *b;
    zlay_status status = zlay_convert_info(&info, plan);
    const zlay_layout *shared = zlay_convert_shared(plan);
    json_t *value = call->value = json_object();
    zl_put_value(call, value, "level", zl_json_word(levels, info.level));
    if (!status) status = put_steps(call, plan, info.steps);
    zl_put_value(call, value, "shared", zl_json_layout(call, shared));
    put_wavefronts(call, plan);
    zl_put_value(call, value, "conflict_free",
                 info.counted ? json_boolean(info.conflict_free) : json_null());
    zl_put_value(call, value, "rounds", json_integer(info.rounds));
    zl_put_value(call, value, "rounds_least", json_integer(info.rounds_least));
    zl_put_value(call, value, "optimal", json_boolean(info.optimal));
    zl_put_value(call, value, "cost", json_integer(info.cost));
    zl_put_value(call, value, "smem", zl_json_uint(info.smem));
    zl_put_value(call, value, "trips", zl_json_uint(info.trips));
    zl_put_value(call, value, "remote", zl_json_uint(info.remote));
    status = status ? status : zlay_convert_certificate(&a, &b, plan);
    if (!status) zl_put_value(call, value, "certificate", zl_json_pair(call, a, b));
    return status;
}

zlay_status zl_op_convert_synth(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_convert *plan = NULL;
    zlay_status status = zlay_convert_synth(call->ctx, &plan, a->target, &a->request);
    if (!status) status = plan_value(call, plan);
    zlay_convert_free(plan);
    return status;
}

/* ---- functions --------------------------------------------------------------------------- */

typedef struct convert_function {
    zl_emit_head head;
    asked of;
    int32_t language;
    const zlay_convert *plan;
} convert_function;

static const zl_field function_rows[] = {
    ZL_PART(zl_emit_head_fields, convert_function, head),
    ZL_PART(zl_convert_fields, convert_function, of),
    {"language", ZL_NEEDS, ZL_AT(zl_as_word, convert_function, language),
     .of = zl_function_languages},
};
static const convert_function usual_function = {.of = {.request = {.size = sizeof usual.request}}};
const zl_fields zl_emit_convert_fields = {ZL_ROWS(function_rows, convert_function),
                                          .start = &usual_function};

static zlay_status print_convert(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    const convert_function *f = value;
    return zlay_emit_convert(ctx, out, f->plan, f->language, f->head.name.text,
                             f->head.name.length);
}

zlay_status zl_emit_convert(zl_call *call, const void *value)
{
    convert_function f = *(const convert_function *)value;
    zlay_convert *plan = NULL;
    zlay_status status = zlay_convert_synth(call->ctx, &plan, f.of.target, &f.of.request);
    f.plan = plan;
    if (!status)
        status = zl_put_kernel(call, zl_word_of(zl_function_languages, f.language), print_convert,
                               &f, &f.head);
    zlay_convert_free(plan);
    return status;
}
