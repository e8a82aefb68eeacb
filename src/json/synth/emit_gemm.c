/* SPDX-License-Identifier: Apache-2.0 */
/* emit of what: gemm, the kernel of a GEMM's plan, and of what: header, its data movement. */
#include "json/synth/emit.h"

typedef struct asked {
    zl_emit_head head;
    zl_gemm_asked gemm;
} asked;

static const zl_field gemm_rows[] = {
    ZL_PART(zl_emit_head_fields, asked, head),
    ZL_PART(zl_gemm_fields, asked, gemm),
    ZL_PTX(asked),
};
const zl_fields zl_emit_gemm_fields = {ZL_ROWS(gemm_rows, asked)};

/* What a caller passes to the kernel, in the kernel's order. */
static json_t *arguments_value(zl_call *call, const zlay_plan *plan)
{
    json_t *list = json_array();
    zlay_pipe_argument argument;
    for (uint32_t i = 0; !zlay_plan_argument_nth(&argument, plan, i); i++)
        zl_put_pipe_argument(call, list, &argument);
    return list;
}

static zlay_status put_plan(zl_call *call, const zlay_plan *plan, const asked *a, bool kernel)
{
    zlay_plan_summary info;
    zlay_wave_launch launch;
    zlay_status status = zlay_plan_info(&info, plan);
    bool waves = !zlay_plan_launch(&launch, plan);
    if (!status)
        status = zl_put_text(call,
                             !kernel ? ZL_HEADER_OF_PLAN
                             : waves ? ZL_ASSEMBLY_OF_PLAN
                                     : ZL_PTX_OF_PLAN,
                             plan, &a->head);
    if (status) return status;
    zl_put_value(call, call->value, "smem", json_integer(info.smem));
    zl_put_value(call, call->value, "threads", json_integer(info.threads));
    zl_put_value(call, call->value, "cluster", zl_json_three(call, waves ? 1 : info.cluster, 1, 1));
    if (waves)
        zl_put_value(call, call->value, "grid",
                     zl_json_list(call, launch.grid, ZL_COUNT(launch.grid)));
    zl_put_value(call, call->value, "arguments", arguments_value(call, plan));
    zl_put_repack(call, call->value, plan, &a->head.name);
    return ZLAY_OK;
}

static zlay_status emit(zl_call *call, const asked *a, bool kernel)
{
    zlay_plan *plan = NULL;
    zlay_status status = zl_gemm_made(call, &plan, &a->gemm);
    if (!status) status = put_plan(call, plan, a, kernel);
    zlay_plan_free(plan);
    return status;
}

zlay_status zl_emit_gemm(zl_call *call, const void *value) { return emit(call, value, true); }
zlay_status zl_emit_header(zl_call *call, const void *value) { return emit(call, value, false); }
