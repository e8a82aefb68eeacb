/* SPDX-License-Identifier: Apache-2.0 */
/* D as the next product reads its A: elements of 8 bits and a scale for each row and 128 columns. Reads what the request says,
 * refuses what has no such blocks, and prints the body that finds the scales: behind the epilogue, the greatest magnitude of a
 * row in the block, over the type's greatest number, is the scale, and the row's elements are multiplied by its reciprocal. The
 * sums of a tile of wgmma or of waves are one block or two side by side, those of a pass of tensor memory one. Waves have one body,
 * so there the lines stand behind those of the epilogue. */
#include "synth/gemm/plan.h"
#include "base/arith.h"

enum {
    BLOCK = 128, /* columns of D that have one scale in a row */
    BEHIND = 3   /* blocks of a cluster's second tile behind the last, and one more */
};

/* The types that have scales, with their greatest numbers. */
static double greatest_of(int32_t type)
{
    switch (type) {
    case ZLAY_TYPE_E4M3: return 448;
    case ZLAY_TYPE_E4M3_FNUZ: return 240;
    case ZLAY_TYPE_E5M2:
    case ZLAY_TYPE_E5M2_FNUZ: return 57344;
    default: return 0;
    }
}

static uint64_t blocks_of(const zlay_plan *plan) { return zl_ceil_div(plan->info.n, BLOCK); }

/* ---- the request ----------------------------------------------------------------------------- */

static zlay_status refuse(zlay_ctx *ctx, const char *what) { return zl_fail(ctx, ZLAY_ENOTSUP, "d_scales: %s", what); }

static zlay_status type_check(zlay_ctx *ctx, const zlay_plan *plan)
{
    int32_t d = plan->operand[ZLAY_OPERAND_D].type;
    const zlay_target *target = plan->info.target;
    if (greatest_of(d) == 0)
        return zl_fail(ctx, ZLAY_ENOTSUP, "d_scales: d_type is %s; %s and %s have scales", zlay_type_name(d),
                       zlay_type_name(zlay_target_type(target, ZLAY_TYPE_E4M3)), zlay_type_name(zlay_target_type(target, ZLAY_TYPE_E5M2)));
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

/* Blocks of the tile that the sums of a body are, and what is called what in it. */
typedef struct window {
    uint32_t first, blocks;
    const char *sums, *row, *column; /* the tile's first */
    const char *own;                 /* before names of values; where an epilogue stands in the same body, it may have used them */
} window;

/* Columns behind the last do not count: they are what an epilogue makes of zeros, or, of a D with fewer columns than the tile,
 * whose boxes of B end with it, anything. */
static void put_greatest(zl_text *out, const zlay_plan *plan, const window *w)
{
    if (plan->info.n % BLOCK)
        zl_putf(out, "%sx = select(%s + col < %llu, abs(%s), 0)\n", w->own, w->column, (unsigned long long)plan->info.n, w->sums);
    else zl_putf(out, "%sx = abs(%s)\n", w->own, w->sums);
}

/* The scale of block `which` of the sums. Rows behind the last would store where the next block's scales begin, and blocks behind
 * the last, of a tile or of a cluster's second one, behind the array. */
static void put_scale(zl_text *out, const zlay_plan *plan, const window *w, uint32_t which)
{
    static const char *const of[][2] = {{"", ""}, {"select(col < 128, ", ", 0)"}, {"select(col < 128, 0, ", ")"}};
    const char *const *part = of[w->blocks == 1 ? 0 : 1 + which];
    unsigned long long m = plan->info.m, at = (w->first + which) * m;
    zl_putf(out, "%ss%u = max(rowmax(%s%sx%s), 1e-20) / %g\nstore(sd, %sb + ", w->own, which, part[0], w->own, part[1],
            greatest_of(plan->operand[ZLAY_OPERAND_D].type), w->own);
    if (at) zl_putf(out, "%llu + ", at);
    zl_putf(out, "%s + row, min(%sb + %llu, %llu), %ss%u)\n", w->row, w->own, at + m, blocks_of(plan) * m, w->own, which);
}

static void put_lines(zl_text *out, const zlay_plan *plan, const window *w)
{
    const char *d = zlay_type_name(plan->operand[ZLAY_OPERAND_D].type), *o = w->own;
    put_greatest(out, plan, w);
    zl_putf(out, "%sb = shr(%s, 7) * %llu\n", o, w->column, (unsigned long long)plan->info.m);
    for (uint32_t which = 0; which < w->blocks; which++) put_scale(out, plan, w, which);
    if (w->blocks == 1) zl_putf(out, "%sr = 1 / %ss0\n%sR = %s(%s * %sr)\nend\n", o, o, o, d, w->sums, o);
    else zl_putf(out, "%sR = %s(%s * select(col < 128, 1 / %ss0, 1 / %ss1))\nend\n", o, d, w->sums, o, o);
}

static void put_body(zl_text *out, const zlay_plan *plan, const window *w)
{
    zl_putf(out, "body quantise%u\nmatrix S f32\nmatrix R %s\noutput sd f32\nindex i\nindex j\n", w->first,
            zlay_type_name(plan->operand[ZLAY_OPERAND_D].type));
    put_lines(out, plan, w);
}

static window window_of(uint32_t first, uint32_t blocks)
{
    return (window){.first = first, .blocks = blocks, .sums = "S", .row = "i", .column = "j", .own = ""};
}

void zl_gemm_quantise_bodies(zl_text *out, const zlay_plan *plan)
{
    uint32_t all = plan->info.tile_n / BLOCK;
    window w = window_of(0, zl_by_tmem(plan) ? 1 : all);
    for (; plan->quantises && w.first < all; w.first += w.blocks) put_body(out, plan, &w);
}

/* ---- of waves ----------------------------------------------------------------------------------- */

/* Operand `which` of its sort; NULL: there are fewer. */
static const char *operand_name(const zlay_body *body, int32_t sort, uint32_t which)
{
    for (uint32_t i = 0; i < body->operands_count; i++)
        if (body->operands[i].sort == sort && !which--) return body->operands[i].name;
    return NULL;
}

/* The epilogue's operands, those of the scales, the epilogue's lines, those of the scales. */
static void put_behind(zl_text *out, const zlay_plan *plan, uint32_t blocks)
{
    static const char own[] = "quantise_";
    const zlay_body *body = plan->epilogue;
    const char *row = operand_name(body, ZLAY_BODY_INDEX, 0);
    window w = {.blocks = blocks, .own = own, .sums = operand_name(body, ZLAY_BODY_MATRIX, 0), .row = row ? row : "quantise_i",
                .column = row ? operand_name(body, ZLAY_BODY_INDEX, 1) : "quantise_j"};
    zl_body_put_head(out, body);
    if (!row) zl_puts(out, "index quantise_i\nindex quantise_j\n");
    zl_putf(out, "matrix %sR %s\noutput sd f32\n", own, zlay_type_name(plan->operand[ZLAY_OPERAND_D].type));
    zl_body_put_lines(out, body);
    put_lines(out, plan, &w);
}

static void put_waves(zl_text *out, const zlay_plan *plan)
{
    window w = window_of(0, plan->info.tile_n / BLOCK);
    if (plan->epilogue) put_behind(out, plan, w.blocks);
    else put_body(out, plan, &w);
}

zlay_status zl_wave_quantise(zlay_ctx *ctx, zlay_plan *plan)
{
    zl_text text = {NULL, 0, 0};
    zl_mark mark = zl_scratch_mark(ctx);
    put_waves(&text, plan);
    text = (zl_text){zl_scratch(ctx, text.need + 1, 1), text.need + 1, 0};
    if (!text.text) return ZLAY_ENOMEM;
    put_waves(&text, plan);
    zlay_status status = zl_body_parse(ctx, &plan->wave.narrow, text.text, text.need);
    zl_scratch_release(ctx, mark);
    return status;
}
