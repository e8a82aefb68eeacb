/* SPDX-License-Identifier: Apache-2.0 */
/* Prints every rule that applies to a plan, with the value that was found and what enforces the
 * rule. For an operand that tensor copies cannot move, it also prints the least repair and the path
 * that the plan takes instead. Part of zlay_plan_print. */
#include "legality/copy/copy.h"
#include "legality/descriptor/smemdesc.h"
#include "legality/launch/smem.h"
#include "legality/matrix/matrix.h"
#include "legality/tcgen05/tcgen05.h"
#include "legality/tensormap/tensormap.h"
#include "synth/gemm/plan.h"

static void put_issue(zl_rule_lines *at, const zlay_plan *plan, const zl_operand *o, bool load)
{
    const zlay_plan_summary *info = &plan->info;
    zl_issue issue;
    zl_issue_of(&issue, &o->map, &o->copies[0], info->expect_bytes, load ? info->full_count : 0);
    zl_subject s = {&zl_copy_form, info->target, &issue};
    zl_walk(&s, zl_rule_line, at);
}

static void put_operand(zl_text *out, const zlay_plan *plan, int32_t operand)
{
    const zl_operand *o = &plan->operand[operand];
    zl_rule_lines at = {out, o->element, zl_pack(o->type)};
    zl_subject s = {&zl_tensormap_form, plan->info.target, &o->map};
    zl_putf(out, "  %c, tensor map\n", "ABD"[operand]);
    zl_walk(&s, zl_rule_line, &at);
    if (operand == ZLAY_OPERAND_D && !zl_by_tensor(o)) {
        zlay_copy store = o->copies[0];
        store.kind = ZLAY_COPY_TENSOR_STORE;
        zl_issue issue;
        zl_issue_of(&issue, &o->map, &store, 0, 0);
        zl_subject rows = {&zl_copy_form, plan->info.target, &issue};
        zl_walk(&rows, zl_rule_line, &at);
    }
    zl_putf(out, "  %c, copies: %s\n", "ABD"[operand],
            zl_by_tensor(o) ? "tensor copies" : "by threads");
    put_issue(&at, plan, o, operand != ZLAY_OPERAND_D);
}

static void put_descs(zl_text *out, const zlay_plan *plan)
{
    zl_rule_lines at = {out, 0, 1};
    for (int32_t operand = 0; operand < 2; operand++) {
        zl_subject s = {&zl_smemdesc_form, plan->info.target, &plan->desc[operand]};
        zl_putf(out, "  %c, matrix descriptor\n", "AB"[operand]);
        zl_walk(&s, zl_rule_line, &at);
    }
}

static void put_instruction(zl_rule_lines *at, const zlay_plan *plan)
{
    char id[ZL_SYNC_NAME];
    if (zl_by_sync(plan) && zl_sync_form(id, plan->info.target, plan->info.mma.a, plan->info.mma.b)) {
        zl_putf(at->out, "    %s is an instruction form of the target\n", id);
        return;
    }
    zl_tcgen05 t = {.mma = plan->info.mma, .issued = true};
    zl_subject s = {zl_by_waves(plan) ? &zl_mfma_form : &zl_wgmma_form, plan->info.target, &plan->info.mma};
    if (zl_by_tmem(plan)) {
        zl_t5_prepare(&t);
        s = (zl_subject){&zl_tcgen05_form, plan->info.target, &t};
    }
    zl_walk(&s, zl_rule_line, at);
}

void zl_plan_rules_write(zl_text *out, const void *value)
{
    const zlay_plan *plan = value;
    zl_rule_lines at = {out, 0, 1};
    uint64_t bytes = plan->info.smem;
    bool waves = zl_by_waves(plan);
    zl_subject smem = {&zl_smem_form, plan->info.target, &bytes};
    zl_putf(out, "\nlegality rules of %s (version %u)\n", zlay_target_name(plan->info.target),
            zlay_rules_version());
    for (int32_t operand = 0; !waves && operand < 3; operand++) put_operand(out, plan, operand);
    if (!waves && !zl_by_sync(plan)) put_descs(out, plan);
    zl_puts(out, "  matrix instruction\n");
    put_instruction(&at, plan);
    zl_puts(out, "  shared memory\n");
    zl_walk(&smem, zl_rule_line, &at);
}

zlay_status zlay_plan_rules(zlay_buf *out, const zlay_plan *plan)
{
    return plan ? zl_print(out, zl_plan_rules_write, plan) : ZLAY_EINVAL;
}
