/* SPDX-License-Identifier: Apache-2.0 */
/* D as the next product reads its A: elements of 8 bits and a scale for each row and 128 columns. Reads what the request says,
 * refuses what has no such blocks, and prints the body that finds the scales: behind the epilogue, the greatest magnitude of a
 * row in the block, over the type's greatest number, is the scale, and the row's elements are multiplied by its reciprocal. The
 * sums of a tile of wgmma are one block or two side by side, those of a pass of tensor memory one. */
#include "synth/gemm/plan.h"
#include "base/arith.h"

enum {
    BLOCK = 128, /* columns of D that have one scale in a row */
    BEHIND = 3   /* blocks of a cluster's second tile behind the last, and one more */
};

static double greatest_of(int32_t type) { return type == ZLAY_TYPE_E4M3 ? 448 : 57344; }

static uint64_t blocks_of(const zlay_plan *plan) { return zl_ceil_div(plan->info.n, BLOCK); }

/* ---- the request ----------------------------------------------------------------------------- */

static zlay_status refuse(zlay_ctx *ctx, const char *what) { return zl_fail(ctx, ZLAY_ENOTSUP, "d_scales: %s", what); }

static zlay_status type_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    int32_t d = plan->operand[ZLAY_OPERAND_D].type;
    if (d != ZLAY_TYPE_E4M3 && d != ZLAY_TYPE_E5M2)
        return zl_fail(ctx, ZLAY_ENOTSUP, "d_scales: d_type is %s; e4m3 and e5m2 have scales", zlay_type_name(d));
    if (zl_gemm_integer(plan->operand[ZLAY_OPERAND_A].type)) return refuse(ctx, "sums of s8 and u8 are s32, and a scale is of f32");
    if (plan->info.swapped) return refuse(ctx, "D is column-major, and the planned product is its transpose");
    return ZLAY_OK;
}

zlay_status zl_gemm_quantise(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *g)
{
    if (!g->d_scales) return ZLAY_OK;
    if (g->d_scales == ZLAY_SCALES_BLOCK) return refuse(ctx, "128x128; D has scales of 1x128 alone");
    if (g->d_scales >= ZLAY_SCALES_LINE_32 && g->d_scales <= ZLAY_SCALES_LINE_16)
        return refuse(ctx, "1x32 and 1x16 are of A and B; D has scales of 1x128 alone");
    if (zl_gemm_by_blocks(plan)) return refuse(ctx, "beside a_scales of 1x32 or 1x16 D has none; the nearest that works is none");
    if (zl_by_tmem(plan) && zl_gemm_scaled(plan))
        return refuse(ctx, "beside a_scales or b_scales sums of tcgen05 are in registers by 64 or 32 columns, not by blocks of 128; the nearest that works is none");
    if (g->d_scales != ZLAY_SCALES_LINE)
        return zl_fail(ctx, ZLAY_EINVAL, "d_scales: %d is no granularity of scales", g->d_scales);
    zlay_status status = type_check(ctx, plan);
    if (status) return status;
    if (zl_umul_sat(blocks_of(plan) + BEHIND, plan->info.m) > INT32_MAX - 2 * BLOCK)
        return zl_fail(ctx, ZLAY_ENOTSUP, "d_scales: %llu scales; their indices pass 31 bits",
                       (unsigned long long)zl_umul_sat(blocks_of(plan), plan->info.m));
    plan->quantises = true;
    return ZLAY_OK;
}

/* With scales of A or B a tile has at most 128 columns. */
bool zl_gemm_quantise_fit(const zlay_plan *plan, uint32_t tile_n)
{
    return !plan->quantises || tile_n == BLOCK || (!zl_gemm_scaled(plan) && tile_n == 2 * BLOCK);
}

/* ---- the bodies ------------------------------------------------------------------------------- */

/* Columns behind the last do not count: they are what an epilogue makes of zeros, or, of a D with fewer columns than the tile,
 * whose boxes of B end with it, anything. */
static void put_greatest(zl_text *out, const zlay_plan *plan)
{
    if (plan->info.n % BLOCK)
        zl_putf(out, "x = select(j + col < %llu, abs(S), 0)\n", (unsigned long long)plan->info.n);
    else zl_puts(out, "x = abs(S)\n");
}

/* Blocks of the tile that the sums of a body are. */
typedef struct window {
    uint32_t first, blocks;
} window;

/* The scale of block `which` of the sums. Rows behind the last would store where the next block's scales begin, and blocks behind
 * the last, of a tile or of a cluster's second one, behind the array. */
static void put_scale(zl_text *out, const zlay_plan *plan, const window *w, uint32_t which)
{
    static const char *const own[] = {"x", "select(col < 128, x, 0)", "select(col < 128, 0, x)"};
    unsigned long long m = plan->info.m, at = (w->first + which) * m;
    zl_putf(out, "s%u = max(rowmax(%s), 1e-20) / %g\n", which, own[w->blocks == 1 ? 0 : 1 + which],
            greatest_of(plan->operand[ZLAY_OPERAND_D].type));
    zl_puts(out, "store(sd, b + ");
    if (at) zl_putf(out, "%llu + ", at);
    zl_putf(out, "i + row, min(b + %llu, %llu), s%u)\n", at + m, blocks_of(plan) * m, which);
}

static void put_body(zl_text *out, const zlay_plan *plan, const window *w)
{
    const char *d = zlay_type_name(plan->operand[ZLAY_OPERAND_D].type);
    zl_putf(out, "body quantise%u\nmatrix S f32\nmatrix R %s\noutput sd f32\nindex i\nindex j\n", w->first, d);
    put_greatest(out, plan);
    zl_putf(out, "b = shr(j, 7) * %llu\n", (unsigned long long)plan->info.m);
    for (uint32_t which = 0; which < w->blocks; which++) put_scale(out, plan, w, which);
    if (w->blocks == 1) zl_putf(out, "r = 1 / s0\nR = %s(S * r)\nend\n", d);
    else zl_putf(out, "R = %s(S * select(col < 128, 1 / s0, 1 / s1))\nend\n", d);
}

void zl_gemm_quantise_bodies(zl_text *out, const zlay_plan *plan)
{
    uint32_t all = plan->info.tile_n / BLOCK;
    window w = {.blocks = zl_by_tmem(plan) ? 1 : all};
    for (; plan->quantises && w.first < all; w.first += w.blocks) put_body(out, plan, &w);
}
