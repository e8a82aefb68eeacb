/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_mma_lanes: broadcasts of blocks of A and patterns of lanes of B (AMD lab notes, "AMD matrix cores"; AMD's matrix
 * instruction calculator). */
#include "algebra/text/format.h"
#include "legality/matrix/mfma.h"

enum { WAVE = 64, HALF = 32, GROUP = 16, ROTATED = 3, GROUPS_FROM = 4 };

/* The rule by which these modifiers are no such form's: registers are not asked. */
static zlay_status modifiers_check(zlay_ctx *ctx, const zlay_target *target,
                                   const zlay_mma_operands *given, const zlay_mma_form *f)
{
    zlay_reason first = {0};
    zlay_verdict verdict;
    zlay_rule rule;
    zlay_mma_operands o = {.mma = given->mma, .cbsz = given->cbsz, .abid = given->abid,
                           .blgp = given->blgp, .reserved = given->reserved};
    o.a.count = f->a_registers, o.b.count = f->b_registers, o.d.count = f->d_registers;
    o.c = (zlay_mma_tuple){.count = o.mma.sparse ? f->index_registers : f->d_registers};
    o.scale_a.count = o.scale_b.count = 1;
    zlay_status status = zlay_mma_operands_check(&verdict, &first, 1, target, &o);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, first.rule);
    return status ? status : zl_fail(ctx, ZLAY_NONE, "%s: %s", rule.id, rule.text);
}

/* Lanes that other lanes of their 2^cbsz blocks take. */
static zlay_status lanes_of_a(zlay_ctx *ctx, zlay_layout **out, const zlay_mma_operands *o,
                              const zlay_mma_form *f)
{
    uint32_t each = o->mma.m, together = f->cbsz == ZLAY_MODIFIER_BROADCAST ? 1u << o->cbsz : 1;
    uint32_t sets = f->blocks / together, parts = f->lanes / (each * f->blocks);
    return zl_layout_format(ctx, out, "%u o (%u,%u,%u,%u):(1,%u,%u,%u)",
                            together > 1 ? o->abid * each : 0, each, together, sets, parts,
                            together > 1 ? 0 : each, each * together, each * f->blocks);
}

static zlay_status lanes_of_b(zlay_ctx *ctx, zlay_layout **out, const zlay_mma_operands *o,
                              const zlay_mma_form *f)
{
    uint32_t pattern = f->blgp == ZLAY_MODIFIER_LANES ? o->blgp : 0;
    if (!pattern) return zl_layout_format(ctx, out, "%u:1", f->lanes);
    if (pattern < ROTATED)
        return zl_layout_format(ctx, out, "%u o (%d,2):(1,0)", HALF * (pattern - 1), HALF);
    if (pattern == ROTATED)
        return zl_layout_format(ctx, out, "{ [l] -> [(l + %d) mod %d] : 0 <= l < %d }", GROUP, WAVE,
                                WAVE);
    return zl_layout_format(ctx, out, "%u o (%d,4):(1,0)", GROUP * (pattern - GROUPS_FROM), GROUP);
}

zlay_status zlay_mma_lanes(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                           const zlay_mma_operands *operands, int32_t fragment)
{
    zlay_mma_form form;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !target || !operands ||
        (fragment != ZLAY_FRAGMENT_A && fragment != ZLAY_FRAGMENT_B))
        return ZLAY_EINVAL;
    zlay_status status = zlay_mma_info(&form, target, &operands->mma);
    if (status == ZLAY_NONE) return zl_fail(ctx, status, "no such instruction: mma.check says why");
    if (!status) status = modifiers_check(ctx, target, operands, &form);
    if (status) return status;
    return fragment == ZLAY_FRAGMENT_A ? lanes_of_a(ctx, out, operands, &form)
                                       : lanes_of_b(ctx, out, operands, &form);
}
