/* SPDX-License-Identifier: Apache-2.0 */
/* Where chunks of 16 bytes lie in a row of a stage: the XOR of rows under which a wave's reads take
 * the fewest wavefronts by the target's bank model. */
#include "algebra/format.h"
#include "synth/plan.h"

#include <string.h>
#include <zlay/bank.h>

enum { CHUNK = 16, ELEMENT = 2, STEP = CHUNK / ELEMENT };

static uint32_t place(uint32_t row, uint32_t chunk, const zlay_wave_gemm *w)
{
    return chunk ^ (row / w->swizzle_rows & ((1u << w->swizzle_bits) - 1));
}

/* All reads of a row are alike: another chunk, or another block of rows, moves all lanes by one XOR
 * or one sum that keeps banks apart; the worst of them all is taken all the same. */
static zlay_status count_reads(const zlay_plan *plan, zlay_wave_gemm *w)
{
    uint32_t address[ZLAY_BANK_LANES], rows = plan->info.mma.m;
    int32_t access;
    zlay_status status = zlay_bank_find(&access, "ds_read_b128", 12);
    w->read_wavefronts = w->read_ideal = 0;
    for (uint32_t read = 0; !status && read < w->reads; read++) {
        zlay_bank bank;
        for (uint32_t lane = 0; lane < w->lanes; lane++) {
            uint32_t row = lane % rows, chunk = read * (w->lanes / rows) + lane / rows;
            address[lane] = row * w->row_bytes + CHUNK * place(row, chunk, w);
        }
        status = zlay_bank_count(&bank, plan->info.target, access, address, w->lanes);
        if (!status && bank.answer != ZLAY_YES) {
            w->read_wavefronts = w->read_ideal = ZLAY_WAVE_GEMM_UNKNOWN;
            return ZLAY_OK;
        }
        if (!status && bank.wavefronts > w->read_wavefronts) w->read_wavefronts = bank.wavefronts;
        if (!status && bank.distinct > w->read_ideal) w->read_ideal = bank.distinct;
    }
    return status;
}

static uint32_t log2_of(uint32_t x) { return 31 - (uint32_t)__builtin_clz(x); }

/* Rows repeat their banks after so many: the first XOR tried takes every row of a period apart, which
 * is also what stands where nobody measured the target's phases. */
static void first_choice(const zlay_plan *plan, zlay_wave_gemm *w)
{
    zlay_target_info limits = {0};
    zlay_target_get(&limits, plan->info.target);
    uint32_t period = limits.banks * limits.bank_bytes / w->row_bytes;
    w->swizzle_bits = log2_of(w->row_bytes / CHUNK);
    w->swizzle_rows = period ? period : 1;
}

/* Every XOR of a row's chunks with consecutive bits of its number, within one block of rows. */
static zlay_status search(const zlay_plan *plan, zlay_wave_gemm *best)
{
    uint32_t most = log2_of(best->row_bytes / CHUNK), rows = log2_of(plan->info.mma.m);
    for (uint32_t bits = most + 1; bits-- > 0;)
        for (uint32_t shift = 0; shift + bits <= rows; shift++) {
            zlay_wave_gemm next = *best;
            next.swizzle_bits = bits;
            next.swizzle_rows = 1u << shift;
            zlay_status status = count_reads(plan, &next);
            if (status) return status;
            if (next.read_wavefronts < best->read_wavefronts) *best = next;
        }
    return ZLAY_OK;
}

/* (row, k) -> element of the stage. */
static zlay_status placed(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan, uint32_t rows)
{
    uint32_t k = plan->info.tile_k;
    return zl_layout_format(ctx, out, "Sw<%u,3,%d> o 0 o (%u,%u):(%u,1)",
                            plan->wave.shape.swizzle_bits, zl_wave_shift(plan), rows, k, k);
}

int32_t zl_wave_shift(const zlay_plan *plan)
{
    uint32_t rows = plan->wave.shape.swizzle_rows;
    return (int32_t)(log2_of(plan->info.tile_k * rows) - log2_of(STEP));
}

zlay_status zl_wave_gemm_lay(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_wave_gemm *w = &plan->wave.shape;
    first_choice(plan, w);
    zlay_status status = count_reads(plan, w);
    if (!status && w->read_wavefronts > w->read_ideal) status = search(plan, w);
    if (status) return zl_fail(ctx, status, "the banks of ds_read_b128 were not counted");
    status = placed(ctx, &plan->operand[ZLAY_OPERAND_A].smem, plan, plan->info.tile_m);
    if (!status)
        status = placed(ctx, &plan->operand[ZLAY_OPERAND_B].smem, plan, plan->info.tile_n);
    return status;
}
