/* SPDX-License-Identifier: Apache-2.0 */
/* Register fragments of mfma and smfmac: AMD's matrix instruction calculator (MI200, MI300), whose
 * tables the rule below gives for every form; Composable Kernel, core/arch/mma, for gfx950 and sparse
 * forms; AMD, "Matrix Core Programming on CDNA3 and CDNA4", for f8f6f4.
 *
 * The lanes of a wave number the rows of A or B, then blocks, then parts of K; a lane's values go
 * along its part.  Where they fill more than 16 bytes, K has two halves, and a part lies in each.  In
 * D lanes number columns, then blocks as far as there is room below the rows, of which each lane has
 * four at a time (one of f64, eight of waves of 32); its values number the rows and blocks that are
 * left. */
#include "algebra/text/format.h"
#include "base/arith.h"
#include "legality/matrix/mfma.h"

enum { WAVE = 64, RUN_BITS = 128, GROUP = 4 /* of K, two of which a sparse A has */ };

/* rows x k of each block, along K by lanes that have no other row or block. */
static zlay_status operand(zlay_ctx *ctx, zlay_layout **out, uint32_t rows, uint32_t k,
                           uint32_t blocks, uint32_t bits)
{
    uint32_t parts = WAVE / (rows * blocks), each = k / parts;
    uint32_t run = bits < 8 ? each : zl_min32(each, RUN_BITS / bits), runs = each / run;
    if (runs == 1)
        return zl_layout_format(ctx, out, "((%u,%u,%u),%u):((1,%u,%u),%u)", rows, blocks, parts,
                                run, rows * k, rows * run, rows);
    return zl_layout_format(ctx, out, "((%u,%u,%u),(%u,%u)):((1,%u,%u),(%u,%u))", rows, blocks,
                            parts, run, runs, rows * k, rows * run, rows, rows * run * parts);
}

static zlay_status sums(zlay_ctx *ctx, zlay_layout **out, const zlay_mma *mma, uint32_t blocks,
                        uint32_t lanes)
{
    uint32_t beside = lanes / mma->n, whole = mma->m * mma->n;
    uint32_t most = lanes == WAVE ? 4 : 8;
    uint32_t run = mma->d == ZLAY_TYPE_F64 ? 1 : zl_min32(most, mma->m);
    uint32_t runs = zl_min32(beside, mma->m / run), across = beside / runs;
    return zl_layout_format(ctx, out, "((%u,%u,%u),(%u,%u,%u)):((%u,%u,%u),(1,%u,%u))", mma->n,
                            across, runs, run, mma->m / (run * runs), blocks / across, mma->m,
                            whole, run, run * runs, whole * across);
}

/* Two bits an element that A has, so a nibble a group, from the low bits on. */
static zlay_status metadata(zlay_ctx *ctx, zlay_layout **out, const zlay_mma *mma)
{
    uint32_t parts = WAVE / mma->m, groups = mma->k / GROUP / parts;
    return zl_layout_format(ctx, out, "((%u,%u),%u):((1,%u),%u)", mma->m, parts, groups,
                            mma->m * groups, mma->m);
}

/* What no public source settles, or several do differently. */
static const char *gap_of(const zlay_mma *mma, int32_t fragment, uint32_t lanes)
{
    int32_t type = fragment == ZLAY_FRAGMENT_A ? mma->a : mma->b;
    if (fragment == ZLAY_FRAGMENT_D)
        return lanes != WAVE && mma->m > 16 ? "rows of D past 16 in waves of 32 lanes" : NULL;
    if (lanes != WAVE) return "the order of K in waves of 32 lanes";
    return fragment != ZLAY_FRAGMENT_METADATA && zlay_type_bits(type) == 6
               ? "K of 6-bit types: one run of a lane (Composable Kernel, FlyDSL) or two (Triton)"
               : NULL;
}

zlay_status zl_mfma_fragment(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                             const zlay_mma *mma, int32_t fragment)
{
    uint32_t blocks = zl_mfma_blocks(target, mma), lanes = zl_target_limits(target)->lanes;
    const char *gap = gap_of(mma, fragment, lanes);
    if (fragment == ZLAY_FRAGMENT_METADATA && !mma->sparse)
        return zl_fail(ctx, ZLAY_NONE, "a dense A has no metadata");
    if (gap) return zl_fail(ctx, ZLAY_ENOTSUP, "undecided: no public source settles %s", gap);
    switch (fragment) {
    case ZLAY_FRAGMENT_A:
        return operand(ctx, out, mma->m, mma->k / (1 + mma->sparse), blocks,
                       zlay_type_bits(mma->a));
    case ZLAY_FRAGMENT_B:
        return operand(ctx, out, mma->n, mma->k, blocks, zlay_type_bits(mma->b));
    case ZLAY_FRAGMENT_D: return sums(ctx, out, mma, blocks, lanes);
    default: return metadata(ctx, out, mma);
    }
}
