/* SPDX-License-Identifier: Apache-2.0 */
/* Scales of blocks of A and B: reads what the request says of them, refuses what no tile goes with, and prints the bodies
 * that apply them. Each K step is a block of 128, whose sums C begin anew; behind the step T = C * (a * b) + T, where a and b
 * are the step's scales (promotion of the sums, as in DeepSeek-V3's technical report, section 3.3.2). The scales of the next
 * step are loaded beside the product of this one, so the loads have the time of a whole step. */
#include "synth/gemm/plan.h"
#include "base/arith.h"

enum {
    BLOCK = 128,       /* of K in a step; of rows or columns in a block */
    COLUMNS_MOST = 128 /* of a tile: a thread has its sums twice */
};

/* ---- the request ----------------------------------------------------------------------------- */

static uint64_t blocks_of_k(const zlay_plan *plan) { return zl_ceil_div(plan->info.k, BLOCK); }

/* Rows of A, or columns of B. */
static uint64_t lines_of(const zlay_plan *plan, int operand)
{
    return operand == ZLAY_OPERAND_A ? plan->info.m : plan->info.n;
}

/* How many scales there are. */
static uint64_t count_of(const zlay_plan *plan, int operand)
{
    uint64_t lines = lines_of(plan, operand);
    if (plan->scales[operand] == ZLAY_SCALES_BLOCK) lines = zl_ceil_div(lines, BLOCK);
    return zl_umul_sat(lines, blocks_of_k(plan));
}

/* The field of the request that says an operand's scales; a swapped product has A and B interchanged. */
static const char *field_of(const zlay_plan *plan, int operand)
{
    return (operand == ZLAY_OPERAND_A) != (plan->info.swapped != 0) ? "a_scales" : "b_scales";
}

static bool is_float8(int32_t type) { return type == ZLAY_TYPE_E4M3 || type == ZLAY_TYPE_E5M2; }

/* Indices of the step behind the last one, for all rows of the last tile, stay below 2^31. */
static zlay_status operand_check(zlay_ctx *ctx, const zlay_plan *plan, int operand)
{
    const char *field = field_of(plan, operand);
    int32_t type = plan->operand[operand].type;
    if (plan->scales[operand] < 0 || plan->scales[operand] > ZLAY_SCALES_BLOCK)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %d is no granularity of scales", field, plan->scales[operand]);
    if (!plan->scales[operand]) return ZLAY_OK;
    if (!is_float8(type))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: %s; blocks with scales have e4m3 or e5m2", field, zlay_type_name(type));
    if (count_of(plan, operand) + lines_of(plan, operand) + BLOCK > INT32_MAX)
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: %llu scales; their indices pass 31 bits", field,
                       (unsigned long long)count_of(plan, operand));
    return ZLAY_OK;
}

zlay_status zl_gemm_scales(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *g)
{
    bool swapped = plan->info.swapped != 0;
    plan->scales[ZLAY_OPERAND_A] = swapped ? g->b_scales : g->a_scales;
    plan->scales[ZLAY_OPERAND_B] = swapped ? g->a_scales : g->b_scales;
    for (int o = ZLAY_OPERAND_A; o <= ZLAY_OPERAND_B; o++) {
        zlay_status status = operand_check(ctx, plan, o);
        if (status) return status;
    }
    if (zl_gemm_scaled(plan) && g->tile_k && g->tile_k != BLOCK)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_k: %u; a scale is of 128 elements of K, so a step has 128", g->tile_k);
    return ZLAY_OK;
}

bool zl_gemm_scales_fit(const zlay_plan *plan, uint32_t tile_n)
{
    if (!zl_gemm_scaled(plan)) return true;
    return tile_n <= COLUMNS_MOST && (plan->scales[ZLAY_OPERAND_B] != ZLAY_SCALES_BLOCK || BLOCK % tile_n == 0);
}

zlay_status zl_gemm_scales_tile(zlay_ctx *ctx, const zlay_plan *plan, uint32_t tile_n)
{
    if (!tile_n || zl_gemm_scales_fit(plan, tile_n)) return ZLAY_OK;
    if (tile_n > COLUMNS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u; with scales a thread has its sums twice, and at most %d columns fit",
                       tile_n, COLUMNS_MOST);
    return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u; a tile has columns of one block of %d: the nearest that works is %d",
                   tile_n, BLOCK, tile_n <= 96 ? 64 : 128);
}

/* ---- the bodies ------------------------------------------------------------------------------- */

/* Registers by operand: this step's factors, and the next step's. */
static const char now[] = "ab", next[] = "uv";

/* Scales of each column stand in columns; all others in rows, of which a thread has two. */
static const char *sort_of(const zlay_plan *plan, int operand)
{
    bool column = operand == ZLAY_OPERAND_B && plan->scales[operand] == ZLAY_SCALES_LINE;
    return column ? "column" : "row";
}

static void put_registers(zl_text *out, const zlay_plan *plan, const char *names)
{
    for (int o = 0; o < 2; o++)
        if (plan->scales[o]) zl_putf(out, "%s %c f32\n", sort_of(plan, o), names[o]);
}

static void put_arrays(zl_text *out, const zlay_plan *plan)
{
    for (int o = 0; o < 2; o++)
        if (plan->scales[o]) zl_putf(out, "global s%c f32\n", now[o]);
    zl_puts(out, "index i\nindex j\n");
}

/* The load of the scales of a tile's first step, or of the step behind k. Those past the array are 0, and nothing uses
 * them. */
static void put_load(zl_text *out, const zlay_plan *plan, int operand, bool behind)
{
    static const char *const line[] = {"i + row", "j + col"};
    static const char *const first[] = {"i", "j"};
    unsigned long long lines = lines_of(plan, operand), blocks = blocks_of_k(plan), count = count_of(plan, operand);
    zl_putf(out, "%c = load(s%c, ", next[operand], now[operand]);
    if (plan->scales[operand] == ZLAY_SCALES_LINE) {
        zl_puts(out, line[operand]);
        if (behind) zl_putf(out, " + (k + 1) * %llu", lines);
    } else {
        zl_putf(out, "shr(%s, 7) * %llu%s", first[operand], blocks, behind ? " + k + 1" : "");
    }
    zl_putf(out, ", %llu)\n", count);
}

/* T and the scales of a tile's first step. */
static void put_begin(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "body scales_begin\nmatrix T f32\n");
    put_registers(out, plan, next);
    put_arrays(out, plan);
    zl_puts(out, "T = 0\n");
    for (int o = 0; o < 2; o++)
        if (plan->scales[o]) put_load(out, plan, o, false);
    zl_puts(out, "end\n");
}

static void put_next(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "body scales_next\n");
    put_registers(out, plan, now);
    put_registers(out, plan, next);
    put_arrays(out, plan);
    zl_puts(out, "index k\n");
    for (int o = 0; o < 2; o++)
        if (plan->scales[o]) zl_putf(out, "%c = %c\n", now[o], next[o]);
    for (int o = 0; o < 2; o++)
        if (plan->scales[o]) put_load(out, plan, o, true);
    zl_puts(out, "end\n");
}

static void put_add(zl_text *out, const zlay_plan *plan)
{
    bool both = plan->scales[0] && plan->scales[1];
    zl_puts(out, "body scales_add\nmatrix T f32\nmatrix C f32\n");
    put_registers(out, plan, now);
    zl_putf(out, "T = fma(C, %s, T)\nend\n", both ? "a * b" : plan->scales[0] ? "a" : "b");
}

void zl_gemm_scales_bodies(zl_text *out, const zlay_plan *plan)
{
    if (!zl_gemm_scaled(plan)) return;
    put_begin(out, plan);
    put_next(out, plan);
    put_add(out, plan);
}

/* ---- the uses --------------------------------------------------------------------------------- */

/* Names of registers behind others, or the first. */
static void put_names(zl_text *out, const zlay_plan *plan, const char *names, bool first)
{
    for (int o = 0; o < 2; o++)
        if (plan->scales[o]) {
            zl_putf(out, "%s%c", first ? "" : ", ", names[o]);
            first = false;
        }
}

void zl_gemm_scales_begin(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "use T");
    put_names(out, plan, next, false);
    zl_puts(out, " body scales_begin at tile.row, tile.column\n");
}

void zl_gemm_scales_next(zl_text *out, const zlay_plan *plan, const char *at)
{
    zl_puts(out, "use ");
    put_names(out, plan, now, true);
    put_names(out, plan, next, false);
    zl_putf(out, " body scales_next at tile.row, tile.column, %s %% N\n", at);
}

void zl_gemm_scales_add(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "use T, C");
    put_names(out, plan, now, false);
    zl_puts(out, " body scales_add\n");
}

/* ---- what a caller reads -------------------------------------------------------------------------------- */

zlay_status zlay_plan_scales(zlay_scales *out, const zlay_plan *plan, int32_t operand)
{
    if (!out || !plan || operand < ZLAY_OPERAND_A || operand > ZLAY_OPERAND_B) return ZLAY_EINVAL;
    int32_t granularity = plan->scales[operand];
    uint64_t lines = lines_of(plan, operand), blocks = blocks_of_k(plan);
    if (!granularity) return ZLAY_NONE;
    if (granularity == ZLAY_SCALES_LINE) *out = (zlay_scales){{blocks, lines}, {1, BLOCK}, granularity, 0};
    else *out = (zlay_scales){{zl_ceil_div(lines, BLOCK), blocks}, {BLOCK, BLOCK}, granularity, 0};
    return ZLAY_OK;
}

void zl_gemm_scales_explain(zl_text *out, const zlay_plan *plan)
{
    zlay_scales s;
    static const char *const line[] = {"each row", "each column"}, *const block[] = {"128 rows", "128 columns"};
    for (int o = 0; o < 2; o++)
        if (!zlay_plan_scales(&s, plan, o))
            zl_putf(out, "  scales of %c: read_s%c, f32 [%llu][%llu], one for %s and 128 of K\n", zl_operand_name(o), now[o],
                    (unsigned long long)s.shape[0], (unsigned long long)s.shape[1], (s.block[0] == 1 ? line : block)[o]);
}
