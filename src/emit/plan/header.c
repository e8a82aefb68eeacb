/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_emit_header: of a plan of groups how its kernel is called, of another one its data movement. */
#include "emit/plan/call.h"
#include "emit/ptx/header.h"
#include "synth/gemm/plan.h"

static zlay_status movement_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    if (zl_stream(&plan->info)) return zl_fail(ctx, ZLAY_ENOTSUP, "stream_k: headers are of plans without");
    if (zl_multicast(&plan->info)) return zl_fail(ctx, ZLAY_ENOTSUP, "multicast: headers are of plans without");
    if (plan->info.tile_k * plan->operand[ZLAY_OPERAND_A].element > 128)
        return zl_fail(ctx, ZLAY_ENOTSUP, "tile_k: headers are of plans whose steps have 128 bytes of K or fewer");
    return zl_d_by_columns(plan) ? zl_fail(ctx, ZLAY_ENOTSUP, "swap: headers are of plans without") : ZLAY_OK;
}

zlay_status zlay_emit_header(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan, const char *name,
                             size_t length)
{
    if (!out || !plan || !name) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_name_check(ctx, name, length);
    if (!status && !zl_by_wgmma(plan))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "%s: headers are of plans with wgmma",
                         zlay_target_name(plan->info.target));
    if (!status && !plan->info.groups) status = movement_check(ctx, plan);
    if (status) return zl_leave(ctx, status);
    const zl_call_text call = {plan, name, length};
    zl_emit e = {.plan = plan, .name = name, .name_length = length};
    return zl_leave(ctx, plan->info.groups ? zl_print(out, zl_call_write, &call) : zl_print(out, zl_header_write, &e));
}
