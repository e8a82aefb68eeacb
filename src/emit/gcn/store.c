/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the epilogue of an AMD GEMM kernel: each lane rounds its sums to bf16, to nearest even,
 * and stores runs of four columns to D. Targets without a conversion instruction round by integer
 * arithmetic on the bits of f32. Stores behind the last column take an offset outside the buffer
 * resource, which the hardware drops. */
#include "emit/gcn/wave.h"
#include "base/arith.h"
#include "target/target.h"

#include <zlay/hazard.h>

enum { ELEMENT = 2, RUN = 4 /* consecutive columns that a lane holds */ };

/* Registers of the epilogue, counted from the first one of the fragments, which are no longer
 * needed. */
enum { SUM = 0, HALF = RUN, NAN_BITS, PACKED, MASKED = PACKED + 2, COLUMN, ROWS };

static uint32_t reg(const zl_wave_text *t, uint32_t i) { return t->r->fragment + i; }

/* Whether the target has an instruction that rounds two f32 to bf16. */
static bool rounds(const zl_wave_text *t)
{
    return t->plan->info.target->features & ZL_HAS_CVT_BF16;
}

/* A lane's row of D is its number within the columns of an instruction's result. */
static void rows_setup(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    uint64_t pitch = t->bound[ZL_WAVE_STAGED].row;
    uint32_t half = info->tile_m / t->w->waves_m;
    zl_wave_line(t, "v_and_b32 v1, %u, v0", info->mma.n - 1);
    zl_wave_line(t, "s_lshr_b32 s%d, s%d, %u", ZL_S_SCRATCH, ZL_S_WAVE, zl_log2(t->w->waves_n));
    zl_wave_line(t, "s_mul_i32 s%d, s%d, %u", ZL_S_SCRATCH, ZL_S_SCRATCH, half);
    zl_wave_line(t, "v_add_u32 v1, s%d, v1", ZL_S_SCRATCH);
    zl_wave_line(t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH, (unsigned long long)pitch);
    zl_wave_line(t, "v_mul_lo_u32 v1, v1, s%d", ZL_S_SCRATCH);
}

/* A lane's columns: RUN of every 2 * RUN, by its half of the wave. */
static void columns_setup(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    uint32_t half = info->tile_n / t->w->waves_n, rows = info->mma.n;
    zl_wave_line(t, "v_bfe_u32 v2, v0, %u, %u", zl_log2(rows), zl_log2(t->w->lanes / rows));
    zl_wave_line(t, "v_lshlrev_b32 v2, %u, v2", zl_log2(RUN));
    zl_wave_line(t, "s_and_b32 s%d, s%d, %u", ZL_S_SCRATCH, ZL_S_WAVE, t->w->waves_n - 1);
    zl_wave_line(t, "s_mul_i32 s%d, s%d, %u", ZL_S_SCRATCH, ZL_S_SCRATCH, half);
    zl_wave_line(t, "v_add_u32 v%u, s%d, v2", reg(t, COLUMN), ZL_S_SCRATCH);
    zl_wave_line(t, "v_lshl_add_u32 v%u, v%u, 1, v1", reg(t, ROWS), reg(t, COLUMN));
}

/* Prints the addresses of the lane's rows in D, and the constants of the rounding. */
static void setup(zl_wave_text *t)
{
    uint64_t pitch = t->bound[ZL_WAVE_STAGED].row;
    rows_setup(t);
    columns_setup(t);
    for (uint32_t m = 1; m < t->w->blocks_m; m++)
        zl_wave_line(t, "v_add_u32 v%u, 0x%llx, v%u", reg(t, ROWS + m),
                     (unsigned long long)(m * t->plan->info.mma.n * pitch), reg(t, ROWS));
    if (rounds(t)) return;
    zl_wave_line(t, "v_mov_b32 v%u, 0x7fff0000", reg(t, NAN_BITS));
    zl_wave_line(t, "s_mov_b32 s%d, 0x7fff", ZL_S_ROUND);
    zl_wave_line(t, "s_mov_b32 s%d, 0x7060302", ZL_S_PAIR);
}

/* Rounds to nearest even: adds half a unit, less one where the kept part is even; a NaN stays
 * one. */
static void round_one(zl_wave_text *t, uint32_t x)
{
    uint32_t half = reg(t, HALF);
    zl_wave_line(t, "v_bfe_u32 v%u, v%u, 16, 1", half, x);
    zl_wave_line(t, "v_add3_u32 v%u, v%u, v%u, s%d", half, x, half, ZL_S_ROUND);
    zl_wave_line(t, "v_cmp_u_f32 vcc, v%u, v%u", x, x);
    zl_wave_hold(t, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_VALU_SGPR, t->printed);
    zl_wave_line(t, "v_cndmask_b32 v%u, v%u, v%u, vcc", x, half, reg(t, NAN_BITS));
}

/* Rounds two neighbouring sums and packs them into one register. */
static void pack(zl_wave_text *t, uint32_t pair)
{
    uint32_t x = reg(t, SUM + 2 * pair), to = reg(t, PACKED + pair);
    if (rounds(t)) {
        zl_wave_line(t, "v_cvt_pk_bf16_f32 v%u, v%u, v%u", to, x, x + 1);
        return;
    }
    round_one(t, x);
    round_one(t, x + 1);
    zl_wave_line(t, "v_perm_b32 v%u, v%u, v%u, s%d", to, x + 1, x, ZL_S_PAIR);
}

/* The offset of a store from column `column` on; outside the resource where the matrix ends
 * before it. */
static uint32_t offset(zl_wave_text *t, uint32_t m, uint32_t column)
{
    const zlay_plan_summary *info = &t->plan->info;
    if (info->n % info->tile_n == 0) return reg(t, ROWS + m);
    zl_wave_line(t, "s_sub_i32 s%d, s%d, 0x%x", ZL_S_SCRATCH, ZL_S_COLUMNS, column);
    zl_wave_line(t, "v_cmp_gt_i32 vcc, s%d, v%u", ZL_S_SCRATCH, reg(t, COLUMN));
    zl_wave_hold(t, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_VALU_SGPR, t->printed);
    zl_wave_line(t, "v_cndmask_b32 v%u, v%u, v%u, vcc", reg(t, MASKED), t->r->nowhere,
                 reg(t, ROWS + m));
    return reg(t, MASKED);
}

/* Prints one store of the packed values, as wide as the plan says. */
static void store(zl_wave_text *t, uint32_t m, uint32_t column, uint32_t part)
{
    static const zl_wave_form_id forms[][2] = {{ZL_WAVE_STORE_8, ZL_WAVE_STORE_8},
                                               {ZL_WAVE_STORE_4, ZL_WAVE_STORE_4},
                                               {ZL_WAVE_STORE_2, ZL_WAVE_STORE_2_HIGH}};
    uint32_t row = t->w->store_bytes == 8 ? 0 : t->w->store_bytes == 4 ? 1 : 2;
    uint32_t bytes = part * t->w->store_bytes, from = reg(t, PACKED + bytes / 4);
    uint32_t at = offset(t, m, column + bytes / ELEMENT);
    zl_wave_form(t, forms[row][part % 2],
                 (const uint32_t[]){from, at, t->bound[ZL_WAVE_STAGED].resource, 0,
                                    column * ELEMENT + bytes});
}

/* Prints a run: its four sums are read once the matrix instruction has written them, rounded, and
 * stored. */
static void run_print(zl_wave_text *t, uint32_t m, uint32_t n, uint32_t run)
{
    const zlay_mma *mma = &t->plan->info.mma;
    uint32_t sums = mma->m * mma->n / t->w->lanes;
    uint32_t from = (m * t->w->blocks_n + n) * sums + run * RUN;
    uint32_t column = n * mma->m + run * RUN * (t->w->lanes / mma->n);
    zl_wave_hold(t, ZLAY_FIRST_MATRIX, ZLAY_THEN_VALU_READS, t->product[m * t->w->blocks_n + n]);
    for (uint32_t i = 0; i < RUN; i++)
        zl_wave_line(t, "v_accvgpr_read_b32 v%u, a%u", reg(t, SUM + i), from + i);
    pack(t, 0);
    pack(t, 1);
    for (uint32_t part = 0; part * t->w->store_bytes < RUN * ELEMENT; part++)
        store(t, m, column, part);
}

void zl_wave_store(zl_wave_text *t)
{
    const zlay_mma *mma = &t->plan->info.mma;
    uint32_t runs = mma->m * mma->n / (t->w->lanes * RUN);
    setup(t);
    for (uint32_t m = 0; m < t->w->blocks_m; m++)
        for (uint32_t n = 0; n < t->w->blocks_n; n++)
            for (uint32_t run = 0; run < runs; run++) run_print(t, m, n, run);
}
