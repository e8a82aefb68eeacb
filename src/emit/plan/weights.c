/* SPDX-License-Identifier: Apache-2.0 */
/* Binds a plan of a product with weights of 4 or 8 bits to its pipe, which is then printed as any pipe. */
#include "base/request.h"
#include "emit/gcn/weights.h"
#include "emit/pipe/pipe.h"
#include "emit/plan/bind.h"
#include "synth/weights/weights.h"

zlay_status zlay_emit_weights(zlay_ctx *ctx, zlay_buf *out, zlay_pipe_launch *launch,
                              zlay_pipe_argument *arguments, size_t room,
                              const zlay_weights_emit *request)
{
    static const zl_request_form form = {"zlay_weights_emit",
                                         sizeof(zlay_weights_emit),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_weights_emit, reserved)}};
    zlay_weights_emit r;
    static const zlay_pipe_matrix numbers = {.name = "M", .columns = ZL_WEIGHTS_HALF}; /* of half a step */
    zl_plan_bound b;
    if (!ctx || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &r, request, &form);
    if (!status && !r.plan) status = ZLAY_EINVAL;
    if (status) return zl_leave(ctx, status);
    if (r.plan->wave.waves) return zl_leave(ctx, zl_ww_print(ctx, out, launch, arguments, room, &r));
    zlay_pipe_emit ask = zl_plan_ask(r.plan->target, r.plan->pipe, r.language, r.name, r.name_length);
    zl_plan_bind(&b, &ask, r.plan->moves, r.plan->moves_count, r.plan->operands, r.plan->operands_count);
    if (r.plan->tmem) {
        ask.matrices = &numbers;
        ask.matrices_count = 1;
    }
    return zl_leave(ctx, zl_pt_print(ctx, out, launch, arguments, room, &ask, NULL));
}
