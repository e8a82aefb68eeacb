/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix instruction of a GEMM by wgmma, tcgen05 or mma.sync: its types and majors are those of the operands, its columns
 * the tile's. The rules of the target decide whether there is one; a refusal names the order of the request that works. */
#include "synth/gemm/plan.h"

void zl_gemm_instruction(zlay_plan *plan)
{
    zlay_mma *mma = &plan->info.mma;
    zl_gemm_product(mma, plan->info.target, plan->operand[ZLAY_OPERAND_A].type,
                    plan->operand[ZLAY_OPERAND_B].type, plan->scales[ZLAY_OPERAND_A]);
    mma->a_major = plan->operand[ZLAY_OPERAND_A].major;
    mma->b_major = plan->operand[ZLAY_OPERAND_B].major;
}

/* The order of the request that makes an operand K-major; of a swapped product A is the request's
 * B. */
static const char *order_wanted(const zlay_plan *plan, int32_t field)
{
    if (field != ZLAY_FIELD_A_MAJOR && field != ZLAY_FIELD_B_MAJOR) return "";
    bool of_a = (field == ZLAY_FIELD_A_MAJOR) != (plan->info.swapped != 0);
    return of_a ? "; a_order: the nearest that works is row"
                : "; b_order: the nearest that works is column";
}

/* The operand of 4-byte elements that is MN-major, by its field. */
static int32_t word_across(const zlay_plan *plan)
{
    static const int32_t fields[] = {ZLAY_FIELD_A_MAJOR, ZLAY_FIELD_B_MAJOR};
    for (int o = 0; o < 2; o++)
        if (plan->operand[o].element == 4 && plan->operand[o].major == ZLAY_MAJOR_MN) return fields[o];
    return ZLAY_FIELD_NONE;
}

static zlay_status rules_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_rule rule;
    int32_t across = zl_by_tmem(plan) ? word_across(plan) : ZLAY_FIELD_NONE;
    if (across != ZLAY_FIELD_NONE)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "tf32 is MN-major in atoms of 32 bytes alone (DESC_CANONICAL), which plans do not have%s",
                       order_wanted(plan, across));
    zlay_status status = zlay_mma_check(&verdict, &reason, 1, plan->info.target, &plan->info.mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason.rule);
    if (status) return status;
    return zl_fail(ctx, ZLAY_NONE, "%s: %s (target %s)%s", rule.id, rule.text,
                   zlay_target_name(plan->info.target), order_wanted(plan, reason.field));
}

/* ldmatrix transposes elements of 16 bits alone. */
static zlay_status across_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    static const int32_t fields[] = {ZLAY_FIELD_A_MAJOR, ZLAY_FIELD_B_MAJOR};
    for (int o = 0; o < 2; o++)
        if (plan->operand[o].element != 2 && plan->operand[o].major == ZLAY_MAJOR_MN)
            return zl_fail(ctx, ZLAY_NONE, "ldmatrix transposes elements of 16 bits alone%s", order_wanted(plan, fields[o]));
    return ZLAY_OK;
}

zlay_status zl_gemm_instruction_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    return zl_by_sync(plan) ? across_check(ctx, plan) : rules_check(ctx, plan);
}
