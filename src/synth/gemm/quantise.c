/* SPDX-License-Identifier: Apache-2.0 */
/* D as the next product reads its A: elements of 8 bits and a scale for each row and 128 columns. Reads what the request says,
 * refuses what has no such blocks, and prints the body that finds the scales: behind the epilogue, the greatest magnitude of a
 * row in the block, over the type's greatest number, is the scale, and the row's elements are multiplied by its reciprocal. A
 * fragment is a block: the tile of wgmma, which has 128 columns, or a pass of tensor memory. */
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

static zlay_status type_check(zlay_ctx *ctx, const zlay_plan *plan, const zlay_gemm *g)
{
    int32_t d = plan->operand[ZLAY_OPERAND_D].type;
    if (d != ZLAY_TYPE_E4M3 && d != ZLAY_TYPE_E5M2)
        return zl_fail(ctx, ZLAY_ENOTSUP, "d_scales: d_type is %s; e4m3 and e5m2 have scales", zlay_type_name(d));
    if (zl_gemm_integer(plan->operand[ZLAY_OPERAND_A].type)) return refuse(ctx, "sums of s8 and u8 are s32, and a scale is of f32");
    if (plan->info.swapped) return refuse(ctx, "D is column-major, and the planned product is its transpose");
    if (g->a_scales == ZLAY_SCALES_BLOCK && g->b_scales == ZLAY_SCALES_LINE)
        return refuse(ctx, "a tile has 128 columns, and with a_scales 128x128 and b_scales 1x128 at most 112 fit");
    return ZLAY_OK;
}

zlay_status zl_gemm_quantise(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *g)
{
    if (!g->d_scales) return ZLAY_OK;
    if (g->d_scales == ZLAY_SCALES_BLOCK) return refuse(ctx, "128x128; D has scales of 1x128 alone");
    if (g->d_scales != ZLAY_SCALES_LINE)
        return zl_fail(ctx, ZLAY_EINVAL, "d_scales: %d is no granularity of scales", g->d_scales);
    zlay_status status = type_check(ctx, plan, g);
    if (status) return status;
    if (zl_umul_sat(blocks_of(plan) + BEHIND, plan->info.m) > INT32_MAX - 2 * BLOCK)
        return zl_fail(ctx, ZLAY_ENOTSUP, "d_scales: %llu scales; their indices pass 31 bits",
                       (unsigned long long)zl_umul_sat(blocks_of(plan), plan->info.m));
    plan->quantises = true;
    return ZLAY_OK;
}

/* Of a plan whose operands are planned. */
zlay_status zl_gemm_quantise_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    bool spills = zl_gemm_scaled(plan) && plan->info.full_count != 1 && plan->info.consumers == 2;
    if (!plan->quantises || !spills) return ZLAY_OK;
    return refuse(ctx, "threads move an operand with scales, and two consumers have too few registers beside them: tile_m 64 "
                       "works, and repack lays it out for tensor copies");
}

bool zl_gemm_quantise_fit(const zlay_plan *plan, uint32_t tile_n)
{
    return !plan->quantises || tile_n == BLOCK || (zl_by_tmem(plan) && tile_n == 2 * BLOCK);
}

/* ---- the bodies ------------------------------------------------------------------------------- */

/* Columns behind the last are zeros of sums, and what an epilogue makes of them: they do not count. */
static void put_greatest(zl_text *out, const zlay_plan *plan)
{
    if (plan->epilogue && plan->info.n % BLOCK)
        zl_putf(out, "x = select(j + col < %llu, abs(S), 0)\n", (unsigned long long)plan->info.n);
    else zl_puts(out, "x = abs(S)\n");
}

/* Rows behind the last would store where the next block's scales begin, and blocks behind the last, of a cluster's second tile,
 * behind the array. */
static void put_body(zl_text *out, const zlay_plan *plan, uint32_t block)
{
    int32_t d = plan->operand[ZLAY_OPERAND_D].type;
    unsigned long long m = plan->info.m, all = blocks_of(plan) * m;
    zl_putf(out, "body quantise%u\nmatrix S f32\nmatrix R %s\noutput sd f32\nindex i\nindex j\n", block, zlay_type_name(d));
    put_greatest(out, plan);
    zl_putf(out, "s = max(rowmax(x), 1e-20) / %g\nb = (shr(j, 7) + %u) * %llu\n", greatest_of(d), block, m);
    zl_putf(out, "store(sd, b + i + row, min(b + %llu, %llu), s)\nr = 1 / s\nR = %s(S * r)\nend\n", m, all, zlay_type_name(d));
}

void zl_gemm_quantise_bodies(zl_text *out, const zlay_plan *plan)
{
    for (uint32_t block = 0; plan->quantises && block < plan->info.tile_n / BLOCK; block++) put_body(out, plan, block);
}
