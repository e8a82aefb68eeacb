/* SPDX-License-Identifier: Apache-2.0 */
/* What a caller reads of a plan of attention: by value, or borrowed for as long as the plan lives. */
#include "synth/attention/attention.h"

zlay_status zlay_attention_info(zlay_attention_summary *out, const zlay_attention_plan *plan)
{
    if (!out || !plan) return ZLAY_EINVAL;
    *out = plan->info;
    out->moves = plan->moves_count;
    return ZLAY_OK;
}

zlay_status zlay_attention_request(const zlay_target **target, zlay_attention *out, const zlay_attention_plan *plan)
{
    if (!target || !out || !plan) return ZLAY_EINVAL;
    *target = plan->target;
    *out = plan->ask;
    return ZLAY_OK;
}

const zlay_pipe *zlay_attention_pipe(const zlay_attention_plan *plan)
{
    return plan ? plan->pipe : NULL;
}

zlay_status zlay_attention_move_nth(const zlay_move **move, char *tensor,
                                    const zlay_attention_plan *plan, uint32_t i)
{
    if (!move || !tensor || !plan) return ZLAY_EINVAL;
    if (i >= plan->moves_count) return ZLAY_NONE;
    *move = plan->moves[i].move;
    *tensor = plan->moves[i].tensor;
    return ZLAY_OK;
}
