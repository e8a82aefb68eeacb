/* SPDX-License-Identifier: Apache-2.0 */
/* Register fragments of wgmma (PTX ISA 9.1, "Register Fragments and Shared Memory Matrix Layouts").
 *
 * A warp has 16 rows, a quad of its lanes one row of eight and the one eight below it.  A register
 * holds 32 bits of one row; a thread's registers lie in those two rows, then in the next eighth of
 * 256 bits of A, or in the next eight columns of D. */
#include "legality/matrix/matrix.h"
#include "algebra/text/format.h"
#include "legality/matrix/mfma.h"

enum { REGISTER_BITS = 32 };

static zlay_status instruction_check(zlay_ctx *ctx, const zlay_target *target, const zlay_mma *mma)
{
    zlay_reason first = {0};
    zlay_verdict verdict;
    zlay_rule rule;
    zlay_status status = zlay_mma_check(&verdict, &first, 1, target, mma);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, first.rule);
    return status ? status : zl_fail(ctx, ZLAY_NONE, "%s: %s", rule.id, rule.text);
}

static zlay_status fragment_a(zlay_ctx *ctx, zlay_layout **out, const zlay_mma *mma)
{
    uint32_t each = REGISTER_BITS / zlay_type_bits(mma->a), column = mma->m;
    return zl_layout_format(ctx, out, "((4,8,4),(%u,2,2)):((%u,1,16),(%u,8,%u))", each,
                            each * column, column, 4 * each * column);
}

static zlay_status fragment_d(zlay_ctx *ctx, zlay_layout **out, const zlay_mma *mma)
{
    uint32_t column = mma->m;
    return zl_layout_format(ctx, out, "((4,8,4),(2,2,%u)):((%u,1,16),(%u,8,%u))", mma->n / 8,
                            2 * column, column, 8 * column);
}

/* Measured on an H200, driver 580.159.04, nibble by nibble: two threads of a quad have its two
 * rows, K halved between them; of bytes all four, each a half of one row. */
static zlay_status fragment_metadata(zlay_ctx *ctx, zlay_layout **out, const zlay_mma *mma)
{
    if (!mma->sparse) return zl_fail(ctx, ZLAY_NONE, "a dense A has no metadata");
    if (zlay_type_bits(mma->a) == 8)
        return zl_layout_format(ctx, out, "((2,2,8,4),8):((8,512,1,16),64)");
    return zl_layout_format(ctx, out, "((2,8,4),(4,2)):((256,1,16),(64,8))");
}

zlay_status zl_mma_fragment(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                            const zlay_mma *mma, int32_t fragment)
{
    *out = NULL;
    if (!target || !mma || fragment < ZLAY_FRAGMENT_A || fragment > ZLAY_FRAGMENT_B)
        return ZLAY_EINVAL;
    if (mma->instruction == ZLAY_MMA_TCGEN05)
        return zl_fail(ctx, ZLAY_ENOTSUP, "instruction: operands of tcgen05 are in no registers");
    zlay_mma asked = *mma;
    if (fragment == ZLAY_FRAGMENT_A) asked.a_source = ZLAY_SOURCE_REG;
    zlay_status status = instruction_check(ctx, target, &asked);
    if (status) return status;
    if (mma->instruction == ZLAY_MMA_MFMA)
        return zl_mfma_fragment(ctx, out, target, mma, fragment);
    switch (fragment) {
    case ZLAY_FRAGMENT_A: return fragment_a(ctx, out, mma);
    case ZLAY_FRAGMENT_B: return zl_fail(ctx, ZLAY_NONE, "B of wgmma is in no registers");
    case ZLAY_FRAGMENT_D: return fragment_d(ctx, out, mma);
    default: return fragment_metadata(ctx, out, mma);
    }
}

zlay_status zlay_mma_fragment(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                              const zlay_mma *mma, int32_t fragment)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_mma_fragment(ctx, out, target, mma, fragment));
}
