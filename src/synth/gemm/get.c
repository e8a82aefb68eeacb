/* SPDX-License-Identifier: Apache-2.0 */
/* The public accessors of a plan: its numbers, maps, copies, descriptors, layouts and
 * certificates. */
#include "synth/gemm/plan.h"

static bool is_operand(int32_t operand)
{
    return operand >= ZLAY_OPERAND_A && operand <= ZLAY_OPERAND_D;
}

static bool is_scales(int32_t operand)
{
    return operand == ZLAY_OPERAND_SCALES_A || operand == ZLAY_OPERAND_SCALES_B;
}

zlay_status zlay_plan_info(zlay_plan_summary *out, const zlay_plan *plan)
{
    if (!out || !plan) return ZLAY_EINVAL;
    *out = plan->info;
    return ZLAY_OK;
}

zlay_status zlay_plan_map(zlay_tensormap *out, const zlay_plan *plan, int32_t operand)
{
    if (!out || !plan || !(is_operand(operand) || is_scales(operand))) return ZLAY_EINVAL;
    if (zl_by_waves(plan) || (is_scales(operand) && !zl_gemm_by_blocks(plan))) return ZLAY_NONE;
    *out = is_scales(operand) ? plan->blocks[operand - ZLAY_OPERAND_SCALES_A].map : plan->operand[operand].map;
    return ZLAY_OK;
}

zlay_status zlay_plan_copy_nth(zlay_copy *out, const zlay_plan *plan, int32_t operand, uint32_t i)
{
    if (!out || !plan || !(is_operand(operand) || is_scales(operand))) return ZLAY_EINVAL;
    if (is_scales(operand)) {
        if (i || !zl_gemm_by_blocks(plan)) return ZLAY_NONE;
        *out = plan->blocks[operand - ZLAY_OPERAND_SCALES_A].copy;
        return ZLAY_OK;
    }
    if (i >= plan->operand[operand].copies_count) return ZLAY_NONE;
    *out = plan->operand[operand].copies[i];
    return ZLAY_OK;
}

zlay_status zlay_plan_desc(zlay_smemdesc *out, const zlay_plan *plan, int32_t operand,
                           uint32_t consumer, uint32_t step)
{
    if (!out || !plan || operand < ZLAY_OPERAND_A || operand > ZLAY_OPERAND_B) return ZLAY_EINVAL;
    if (zl_by_waves(plan) || zl_by_sync(plan)) return ZLAY_NONE;
    if (consumer >= plan->info.consumers || step >= plan->info.k_steps) return ZLAY_EINVAL;
    *out = plan->desc[operand];
    out->start = zl_step_start(plan, operand, step);
    if (operand == ZLAY_OPERAND_A) out->start += consumer * plan->consumer_start;
    return ZLAY_OK;
}

const zlay_layout *zlay_plan_smem(const zlay_plan *plan, int32_t operand)
{
    return plan && is_operand(operand) ? plan->operand[operand].smem : NULL;
}

zlay_status zlay_plan_certificate(const zlay_layout **a, const zlay_layout **b,
                                  const zlay_plan *plan, uint32_t i)
{
    if (!a || !b || !plan) return ZLAY_EINVAL;
    if (zl_by_waves(plan)) return zl_wave_certificate(a, b, plan, i);
    if (i >= ZL_CERTIFICATES || !plan->certificate[i][0]) return ZLAY_NONE;
    *a = plan->certificate[i][0];
    *b = plan->certificate[i][1];
    return ZLAY_OK;
}

const zlay_pipe *zlay_plan_pipe(const zlay_plan *plan) { return plan ? plan->pipe : NULL; }
