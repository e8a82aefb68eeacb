/* SPDX-License-Identifier: Apache-2.0 */
/* Register fragments of mfma: AMD's matrix instruction calculator (MI200, MI300), whose tables the
 * rule below gives for every form; the forms of gfx950 go on so (Triton's and CK-Tile's layouts).
 *
 * The lanes of a wave number the rows of A or B, then blocks, then equal parts of K; a lane's values
 * go along its part.  In D lanes number columns, then blocks as far as there is room below the rows,
 * of which each lane has four at a time (one of f64); its values number the rows and blocks that are
 * left. */
#include "algebra/format.h"
#include "legality/rule.h"

enum { LANES = 64, F8F6F4 = 32 * 64 /* m k of the forms that are told their formats */ };

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* rows x k of each block, along K by lanes that have no other row or block. */
static zlay_status operand(zlay_ctx *ctx, zlay_layout **out, uint32_t rows, uint32_t k,
                           uint32_t blocks)
{
    uint32_t parts = LANES / (rows * blocks), each = k / parts;
    return zl_layout_format(ctx, out, "((%u,%u,%u),%u):((1,%u,%u),%u)", rows, blocks, parts, each,
                            rows * k, rows * each, rows);
}

static zlay_status sums(zlay_ctx *ctx, zlay_layout **out, const zlay_mma *mma, uint32_t blocks)
{
    uint32_t beside = LANES / mma->n, whole = mma->m * mma->n;
    uint32_t run = mma->d == ZLAY_TYPE_F64 ? 1 : lesser(4, mma->m);
    uint32_t runs = lesser(beside, mma->m / run), across = beside / runs;
    return zl_layout_format(ctx, out, "((%u,%u,%u),(%u,%u,%u)):((%u,%u,%u),(1,%u,%u))", mma->n,
                            across, runs, run, mma->m / (run * runs), blocks / across, mma->m,
                            whole, run, run * runs, whole * across);
}

/* What no public source settles here. */
static const char *gap_of(const zlay_target *target, const zlay_mma *mma)
{
    if (zl_target_limits(target)->lanes != LANES) return "waves of 32 lanes";
    if (mma->sparse) return "a sparse A";
    return mma->m * mma->k == F8F6F4 ? "K of f8f6f4" : NULL;
}

zlay_status zl_mfma_fragment(zlay_ctx *ctx, zlay_layout **out, const zlay_target *target,
                             const zlay_mma *mma, int32_t fragment)
{
    uint32_t blocks = zl_mfma_blocks(target, mma);
    const char *gap = gap_of(target, mma);
    if (fragment == ZLAY_FRAGMENT_METADATA && !mma->sparse)
        return zl_fail(ctx, ZLAY_NONE, "a dense A has no metadata");
    if (gap) return zl_fail(ctx, ZLAY_ENOTSUP, "undecided: no public source settles %s", gap);
    switch (fragment) {
    case ZLAY_FRAGMENT_A: return operand(ctx, out, mma->m, mma->k, blocks);
    case ZLAY_FRAGMENT_B: return operand(ctx, out, mma->n, mma->k, blocks);
    default: return sums(ctx, out, mma, blocks);
    }
}
