/* SPDX-License-Identifier: Apache-2.0 */
/* Scales of blocks of A and B: reads what the request says of them, refuses what no tile goes with, and prints the bodies
 * that apply them. Each K step is a block of 128, whose sums C begin anew; behind the step T = C * (a * b) + T, where a and b
 * are the step's scales (promotion of the sums, as in DeepSeek-V3's technical report, section 3.3.2). Even and odd steps have
 * sums and stages of their own, so the sums of a step are added while the products of the next one run. Scales of rows and
 * blocks are in registers two steps ahead; those of columns pass through shared memory, a step ahead. By tcgen05 the sums of a
 * step are in tensor memory, and C and T are those of a pass of D at a time. */
#include "synth/gemm/plan.h"
#include "base/arith.h"

#include <stdio.h>

enum {
    BLOCK = 128,       /* of K in a step; of rows or columns in a block */
    COLUMNS_MOST = 128, /* of a tile: by wgmma a thread has its sums three times, by tcgen05 all of a row */
    COLUMNS_BESIDE = 96, /* the same by tcgen05 where scales of columns are beside them: of 128 ptxas 13.0 spills */
    ROWS_ALONE = 64,     /* of a tile with one consumer, whose threads have all registers of two */
    COLUMNS_MOVED = 112, /* the same by wgmma where scales are of columns alone and threads move operands */
    CHUNK = 16 /* bytes that rows of a tensor copy are a multiple of */
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
    if (operand == ZLAY_OPERAND_B && plan->info.groups) lines = zl_umul_sat(lines, plan->info.groups);
    return zl_umul_sat(lines, blocks_of_k(plan));
}

/* The field of the request that says an operand's scales; a swapped product has A and B interchanged. */
static const char *field_of(const zlay_plan *plan, int operand)
{
    return (operand == ZLAY_OPERAND_A) != (plan->info.swapped != 0) ? "a_scales" : "b_scales";
}

static bool is_float8(int32_t type)
{
    return type == ZLAY_TYPE_E4M3 || type == ZLAY_TYPE_E5M2 || type == ZLAY_TYPE_E4M3_FNUZ || type == ZLAY_TYPE_E5M2_FNUZ;
}

/* Indices of the step behind the last one, for all rows of the last tile, stay below 2^31. */
static zlay_status operand_check(zlay_ctx *ctx, const zlay_plan *plan, int operand)
{
    const char *field = field_of(plan, operand);
    int32_t type = plan->operand[operand].type;
    if (plan->scales[operand] < 0 || plan->scales[operand] > ZLAY_SCALES_LINE_16)
        return zl_fail(ctx, ZLAY_EINVAL, "%s: %d is no granularity of scales", field, plan->scales[operand]);
    if (!zl_gemm_promoted(plan->scales[operand])) return ZLAY_OK;
    if (!is_float8(type))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: %s; blocks with scales have e4m3 or e5m2", field, zlay_type_name(type));
    uint64_t count = count_of(plan, operand);
    if (count > INT32_MAX || count + lines_of(plan, operand) + BLOCK > INT32_MAX)
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s: %llu scales; their indices pass 31 bits", field,
                       (unsigned long long)count);
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

/* Scales of columns alone take two registers a column, and addresses of operands that threads move the rest. */
static bool is_crowded(const zlay_plan *plan)
{
    bool copied = zl_row_alignment(plan, ZLAY_OPERAND_A) >= CHUNK && zl_row_alignment(plan, ZLAY_OPERAND_B) >= CHUNK;
    bool alone = plan->scales[ZLAY_OPERAND_B] == ZLAY_SCALES_LINE && !plan->scales[ZLAY_OPERAND_A];
    return zl_by_wgmma(plan) && alone && !copied;
}

/* The most columns of a tile. */
static uint32_t columns_most(const zlay_plan *plan)
{
    if (zl_by_tmem(plan) && zl_gemm_by_columns(plan)) return COLUMNS_BESIDE;
    return is_crowded(plan) && !plan->quantises ? COLUMNS_MOVED : COLUMNS_MOST;
}

bool zl_gemm_scales_rows(const zlay_plan *plan, uint32_t tile_m)
{
    return tile_m <= ROWS_ALONE || !is_crowded(plan) || !plan->quantises;
}

bool zl_gemm_scales_fit(const zlay_plan *plan, uint32_t tile_n)
{
    if (!zl_gemm_quantise_fit(plan, tile_n)) return false;
    if (!zl_gemm_scaled(plan)) return true;
    return tile_n <= columns_most(plan) && (plan->scales[ZLAY_OPERAND_B] != ZLAY_SCALES_BLOCK || BLOCK % tile_n == 0);
}

zlay_status zl_gemm_scales_tile(zlay_ctx *ctx, const zlay_plan *plan, uint32_t tile_m, uint32_t tile_n)
{
    if (!zl_gemm_scales_rows(plan, tile_m))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_m: %u; with b_scales alone, d_scales and operands that threads move the registers of two "
                                         "consumers do not suffice: %d works", tile_m, ROWS_ALONE);
    if (!tile_n || zl_gemm_scales_fit(plan, tile_n)) return ZLAY_OK;
    if (!zl_gemm_quantise_fit(plan, tile_n))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u; with d_scales a tile has whole blocks of %d columns: the nearest that works is %d",
                       tile_n, BLOCK, !zl_gemm_scaled(plan) && tile_n > 3 * BLOCK / 2 ? 2 * BLOCK : BLOCK);
    if (tile_n > columns_most(plan))
        return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u; with scales a thread has its sums %s, and at most %u columns fit", tile_n,
                       zl_by_waves(plan)           ? "twice"
                       : !zl_by_tmem(plan)         ? "three times"
                       : zl_gemm_by_columns(plan) ? "in registers, beside scales of columns"
                                                  : "in registers",
                       columns_most(plan));
    return zl_fail(ctx, ZLAY_EINVAL, "tile_n: %u; a tile has columns of one block of %d: the nearest that works is %d",
                   tile_n, BLOCK, tile_n <= 96 ? 64 : 128);
}

const char *zl_gemm_ring(const zlay_plan *plan, uint32_t ring)
{
    static const char *const names[] = {"0", "1"};
    return zl_gemm_rings(plan) == 1 ? "" : names[ring];
}

/* ---- the bodies ------------------------------------------------------------------------------- */

/* Registers by operand: the factors of the next even and of the next odd step, which are loaded where those of the step two
 * before were used last: moved from one to the other, they would have to arrive a step sooner. */
static const char factor[2][3] = {"ab", "uv"};

/* Whether an operand's factors are in registers: those of each row, or of a block; of columns a thread has 32. */
static bool is_row(const zlay_plan *plan, int operand)
{
    return plan->scales[operand] && (operand == ZLAY_OPERAND_A || !zl_gemm_by_columns(plan));
}

static void put_factors(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *format)
{
    for (int o = 0; o < 2; o++)
        if (is_row(plan, o)) zl_putf(out, format, factor[ring][o]);
}

/* Groups begin at any row, and tiles end behind the last row that there is. A thread then has the places of its rows in registers p,
 * of which none passes the last row, so that no load has a limit. */
static bool has_places(const zlay_plan *plan) { return plan->info.groups && plan->scales[ZLAY_OPERAND_A]; }

static void put_arrays(zl_text *out, const zlay_plan *plan)
{
    if (has_places(plan)) zl_puts(out, "row p s32\n");
    for (int o = 0; o < 2; o++)
        if (plan->scales[o]) zl_putf(out, "global s%c f32\n", factor[0][o]);
    zl_puts(out, plan->info.groups ? "index i\nindex j\nindex g\n" : "index i\nindex j\n");
}

/* Whether a tile's rows and columns all have factors: loads behind the last step, which take those of the last, need no limit. */
static bool is_within(const zlay_plan *plan, int operand)
{
    return has_places(plan) || plan->scales[operand] == ZLAY_SCALES_BLOCK || lines_of(plan, operand) % plan->info.tile_m == 0;
}

/* The factor `name` of step `step`, or of 2 k + step. Where a tile has an odd number of steps, that of the step behind the last is
 * 0; other steps behind it are not added. */
static void put_load(zl_text *out, const zlay_plan *plan, int operand, char name, uint32_t step, bool counted)
{
    unsigned long long blocks = blocks_of_k(plan), each = lines_of(plan, operand);
    bool lines = plan->scales[operand] == ZLAY_SCALES_LINE, pads = counted && blocks % 2;
    if (!counted && step >= blocks) {
        zl_putf(out, "%c = 0\n", name);
        return;
    }
    zl_putf(out, "%c = ", name);
    if (pads) zl_putf(out, "select(k * 2 + %u < %llu, ", step, blocks);
    zl_putf(out, "load(s%c, ", factor[0][operand]);
    if (!lines && plan->info.groups) zl_putf(out, "g * %llu + ", (unsigned long long)(count_of(plan, operand) / plan->info.groups));
    if (lines) zl_puts(out, has_places(plan) ? "p + " : "i + row + ");
    else zl_putf(out, "shr(%c, 7) * %llu + ", "ij"[operand], blocks);
    if (counted) zl_putf(out, "min(k * 2 + %u, %llu)", step, blocks - 1);
    else zl_putf(out, "%llu", lines ? step * each : step);
    if (counted && lines) zl_putf(out, " * %llu", each);
    if (!is_within(plan, operand)) zl_putf(out, ", %llu", (unsigned long long)count_of(plan, operand));
    zl_puts(out, pads ? "), 0)\n" : ")\n");
}

/* T and the factors of a tile's first steps. */
static void put_begin(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "body scales_begin\nmatrix T f32\n");
    for (uint32_t r = 0; r < 2; r++) put_factors(out, plan, r, "row %c f32\n");
    put_arrays(out, plan);
    zl_puts(out, "T = 0\n");
    if (has_places(plan)) zl_putf(out, "p = min(i + row, %llu)\n", (unsigned long long)plan->info.m - 1);
    for (int o = 0; o < 2; o++)
        for (uint32_t r = 0; is_row(plan, o) && r < 2; r++) put_load(out, plan, o, factor[r][o], r, false);
    zl_puts(out, "end\n");
}

/* With factors of columns C is multiplied by that of its row first: a * b would be 64 products, which take registers before C is
 * complete. */
static void put_sum(zl_text *out, const zlay_plan *plan)
{
    bool rows = plan->scales[0] != 0;
    const char *wider = zl_by_tmem(plan) ? " + 0" : ""; /* C is of a pass, S of the tile */
    if (zl_gemm_by_columns(plan)) zl_putf(out, "T = fma(%s, load(S, col%s), T)\n", rows ? "C * a" : "C", wider);
    else zl_putf(out, "T = fma(C, %s, T)\n", !rows ? "b" : plan->scales[1] ? "a * b" : "a");
}

static void put_matrices(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "matrix T f32\nmatrix C f32\n");
    put_factors(out, plan, 0, "row %c f32\n");
    if (zl_gemm_by_columns(plan)) zl_puts(out, "shared S f32\n");
}

/* Adds a step's sums, of the even or of the odd steps, and loads the factors of the next such step: in iteration k the odd step
 * that is added is 2 k - 1, and the even one 2 k. */
static void put_add(zl_text *out, const zlay_plan *plan, uint32_t ring)
{
    zl_putf(out, "body scales_add%u\n", ring);
    put_matrices(out, plan);
    put_arrays(out, plan);
    zl_puts(out, "index k\n");
    put_sum(out, plan);
    for (int o = 0; o < 2; o++)
        if (is_row(plan, o)) put_load(out, plan, o, factor[0][o], ring ? 1 : 2, true);
    zl_puts(out, "end\n");
}

/* Adds sums, and loads nothing: those of a tile's last step, or of a pass with others behind it. */
static void put_last(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "body scales_last\n");
    put_matrices(out, plan);
    put_sum(out, plan);
    zl_puts(out, "end\n");
}

void zl_gemm_scales_bodies(zl_text *out, const zlay_plan *plan)
{
    if (!zl_gemm_scaled(plan)) return;
    put_begin(out, plan);
    put_add(out, plan, 0);
    put_add(out, plan, 1);
    put_last(out, plan);
    if (zl_by_tmem(plan)) zl_puts(out, "body scales_zero\nmatrix T f32\nT = 0\nend\n");
}

/* ---- scales of columns in shared memory --------------------------------------------------------- */

enum { SLOTS = 2, SLOT_BYTES = BLOCK * 4, SLOT_PITCH = 1024 /* as all stages that copies fill */ };

uint32_t zl_gemm_scales_smem(const zlay_plan *plan)
{
    return zl_gemm_by_columns(plan) ? plan->info.consumers * zl_gemm_rings(plan) * SLOTS * SLOT_PITCH : 0;
}

void zl_gemm_scales_declare(zl_text *out, const zlay_plan *plan)
{
    zl_gemm_blocks_declare(out, plan);
    for (uint32_t r = 0; zl_gemm_by_columns(plan) && r < zl_gemm_rings(plan); r++) {
        const char *ring = zl_gemm_ring(plan, r);
        zl_putf(out, "move tS%s %d\nsmem S%s[%d] tS%s each\n", ring, SLOT_BYTES, ring, SLOTS, ring);
    }
}

void zl_gemm_scales_fetch(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at)
{
    const char *r = zl_gemm_ring(plan, ring);
    if (zl_gemm_by_columns(plan)) zl_putf(out, "cpasync tS%s -> S%s[%s %% %d]\ncommit cpasync\n", r, r, at, SLOTS);
}

void zl_gemm_scales_wait(zl_text *out, const zlay_plan *plan, int in_flight)
{
    if (zl_gemm_by_columns(plan)) zl_putf(out, "waitgroup cpasync %d\nsync role\n", in_flight);
}

/* A row of 128 scales, one for each thread, from the tile's first column on; past the last column they are 0. */
void zl_gemm_scales_copy(zlay_tensormap *map, zlay_copy *copy, const zlay_plan *plan, uint32_t ring)
{
    const zlay_plan_summary *info = &plan->info;
    *map = (zlay_tensormap){.type = ZLAY_TYPE_F32, .rank = 2};
    map->extent[0] = info->n;
    map->extent[1] = blocks_of_k(plan);
    map->stride[0] = info->n * 4;
    map->box[0] = BLOCK;
    map->box[1] = 1;
    map->step[0] = map->step[1] = 1;
    *copy = (zlay_copy){.kind = ZLAY_COPY_CP_ASYNC, .width = 4, .bytes = SLOT_BYTES, .coordinate = {0, (int32_t)ring}};
    copy->advance[0][1] = (int32_t)info->tile_n;
    copy->advance[1][2] = (int32_t)zl_gemm_rings(plan);
}

zlay_status zl_gemm_scales_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan)
{
    return zl_layout_format(ctx, out, "(1,%u):(0,1)", plan->info.tile_n);
}

/* ---- the uses --------------------------------------------------------------------------------- */

/* What the indices of bodies are; behind them is the step. */
static const char *corner(const zlay_plan *plan)
{
    return plan->info.groups ? "tile.row, tile.column, tile.group" : "tile.row, tile.column";
}

void zl_gemm_scales_begin(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, zl_by_tmem(plan) ? "use T0" : "use T");
    for (uint32_t r = 0; r < 2; r++) put_factors(out, plan, r, ", %c");
    zl_putf(out, "%s body scales_begin at %s\n", has_places(plan) ? ", p" : "", corner(plan));
    for (uint32_t pass = 1; zl_by_tmem(plan) && pass < plan->info.passes; pass++) zl_putf(out, "use T%u body scales_zero\n", pass);
}

/* What stands behind the matrices of a use; the step's factors are those of the next such step behind it where `loads`. */
static void put_use(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *step, const char *at, bool loads)
{
    put_factors(out, plan, ring, ", %c");
    if (loads) zl_putf(out, "%s body scales_add%u", has_places(plan) ? ", p" : "", ring);
    else zl_puts(out, " body scales_last");
    if (zl_gemm_by_columns(plan)) zl_putf(out, " reads S%u[%s %% %d]", ring, step, SLOTS);
    if (loads) zl_putf(out, " at %s, %s %% N", corner(plan), at);
    zl_puts(out, "\n");
}

void zl_gemm_scales_add(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *step, const char *at)
{
    zl_putf(out, "use T, C%u", ring);
    put_use(out, plan, ring, step, at, at != NULL);
}

void zl_gemm_scales_add_pass(zl_text *out, const zlay_plan *plan, uint32_t pass, uint32_t ring, const char *step, const char *at)
{
    zl_putf(out, "use T%u, P%u", pass, pass);
    put_use(out, plan, ring, step, at, at && pass + 1 == plan->info.passes);
}

/* ---- turns ------------------------------------------------------------------------------------- */

enum { CONSUMERS_THREADS = 256 };

/* Whether two consumers issue their products in turns, so that one adds sums to T while the other's products run. */
static bool takes_turns(const zlay_plan *plan) { return zl_gemm_scaled(plan) && plan->info.consumers == 2; }

/* A consumer waits for its turn at a named barrier of its own, 2 or 3, and gives the turn away at the other's. The first turn comes
 * from the second consumer before its tiles. The first one takes the last turn behind its tiles, so that each meeting is complete. At
 * these two places barrier 1 is that of the consumer which has nothing to give or to take. */
void zl_gemm_scales_turn(zl_text *out, const zlay_plan *plan, const char *event)
{
    if (takes_turns(plan)) zl_putf(out, "%s instance %u\n", event, CONSUMERS_THREADS);
}

/* ---- what a caller reads -------------------------------------------------------------------------------- */

static zlay_status scales_of_d(zlay_scales *out, const zlay_plan *plan)
{
    if (!plan->quantises) return ZLAY_NONE;
    *out = (zlay_scales){{zl_ceil_div(plan->info.n, BLOCK), plan->info.m}, {1, BLOCK}, ZLAY_SCALES_LINE, ZLAY_TYPE_F32};
    return ZLAY_OK;
}

zlay_status zlay_plan_scales(zlay_scales *out, const zlay_plan *plan, int32_t operand)
{
    if (!out || !plan || operand < ZLAY_OPERAND_A || operand > ZLAY_OPERAND_D) return ZLAY_EINVAL;
    if (operand == ZLAY_OPERAND_D) return scales_of_d(out, plan);
    int32_t granularity = plan->scales[operand];
    uint64_t lines = lines_of(plan, operand), blocks = blocks_of_k(plan);
    if (!granularity) return ZLAY_NONE;
    if (zl_gemm_by_blocks(plan)) {
        zl_gemm_blocks_read(out, plan, operand);
        return ZLAY_OK;
    }
    if (granularity == ZLAY_SCALES_LINE) *out = (zlay_scales){{blocks, lines}, {1, BLOCK}, granularity, ZLAY_TYPE_F32};
    else *out = (zlay_scales){{zl_ceil_div(lines, BLOCK), blocks}, {BLOCK, BLOCK}, granularity, ZLAY_TYPE_F32};
    return ZLAY_OK;
}

void zl_gemm_scales_explain(zl_text *out, const zlay_plan *plan)
{
    zlay_scales s;
    static const char *const line[] = {"each row", "each column"}, *const block[] = {"128 rows", "128 columns"};
    zl_gemm_blocks_explain(out, plan);
    for (int o = 0; o < 2; o++)
        if (zl_gemm_promoted(plan->scales[o]) && !zlay_plan_scales(&s, plan, o))
            zl_putf(out, "  scales of %c: read_s%c, f32 [%llu][%llu], one for %s and 128 of K%s\n", zl_operand_name(o), factor[0][o],
                    (unsigned long long)s.shape[0], (unsigned long long)s.shape[1], (s.block[0] == 1 ? line : block)[o],
                    o == ZLAY_OPERAND_B && plan->info.groups ? ", of each group" : "");
    if (!zlay_plan_scales(&s, plan, ZLAY_OPERAND_D))
        zl_putf(out, "  scales of D: write_sd, f32 [%llu][%llu], one for each row and 128 columns\n", (unsigned long long)s.shape[0],
                (unsigned long long)s.shape[1]);
}
