/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out both operands of a plan of waves: zlay_wave_synth makes the layouts from global memory
 * to registers, and this file derives from them the numbers that a kernel needs. */
#include "synth/wave/wave.h"
#include "synth/gemm/plan.h"

static zlay_status find(zlay_ctx *ctx, zlay_plan *plan, int32_t operand)
{
    const zlay_plan_summary *info = &plan->info;
    const zlay_wave_gemm *w = &plan->wave.shape;
    bool a = operand == ZLAY_OPERAND_A;
    zlay_wave_request request = {.size = sizeof request,
                                 .fragment = a ? ZLAY_FRAGMENT_B : ZLAY_FRAGMENT_A,
                                 .rows = a ? info->tile_m : info->tile_n,
                                 .depth = info->tile_k,
                                 .threads = info->threads,
                                 .parts = a ? w->waves_m : w->waves_n,
                                 .any_order = 1,
                                 .path =
                                     w->direct ? ZLAY_WAVE_PATH_DIRECT : ZLAY_WAVE_PATH_REGISTERS,
                                 .mma = info->mma};
    return zl_wave_find(ctx, &plan->wave.operand[operand], info->target, &request);
}

/* Whether the layouts are as the kernel assumes: loads and reads of 16 bytes, all loads of a thread
 * in one column, and reads whose addresses differ by one XOR. */
static bool fits(const zlay_wave_summary *i, const zlay_wave_gemm *w)
{
    bool one_way = i->reads == 1 || i->read_xor == w->lanes / (i->block_bytes / w->row_bytes) * 16;
    return i->direct == w->direct && i->load_bytes == 16 && i->read_bytes == 16 && one_way &&
           (i->load_steady || i->loads == 1);
}

static bool alike(const zlay_wave_summary *a, const zlay_wave_summary *b)
{
    return a->swizzle_bits == b->swizzle_bits && a->swizzle_base == b->swizzle_base &&
           a->swizzle_shift == b->swizzle_shift && a->reads == b->reads &&
           a->step_registers == b->step_registers;
}

static void banks_take(zlay_wave_gemm *w, const zlay_wave_summary *i)
{
    uint32_t all = i->reads * i->blocks * i->parts;
    bool known = i->reads_counted == ZLAY_YES;
    w->read_wavefronts = known ? i->read_wavefronts / all : ZLAY_WAVE_GEMM_UNKNOWN;
    w->read_ideal = known ? i->read_ideal / all : ZLAY_WAVE_GEMM_UNKNOWN;
}

static void take(zlay_plan *plan, const zlay_wave_summary *a, const zlay_wave_summary *b)
{
    zlay_wave_gemm *w = &plan->wave.shape;
    w->loads_a = a->loads;
    w->loads_b = b->loads;
    w->blocks_m = a->blocks;
    w->blocks_n = b->blocks;
    w->reads = a->reads;
    w->read_products = a->steps / a->reads;
    w->swizzle_bits = a->swizzle_bits;
    w->swizzle_rows = (1u << (a->swizzle_base + a->swizzle_shift)) / a->depth;
    banks_take(w, a);
}

/* Makes the layout of an operand in shared memory: (row, k) -> element of the stage. */
static zlay_status placed(zlay_ctx *ctx, zlay_layout **out, const zlay_wave_summary *i)
{
    return zl_layout_format(ctx, out, "Sw<%u,%u,%u> o 0 o (%u,%u):(%u,1)", i->swizzle_bits,
                            i->swizzle_base, i->swizzle_shift, i->rows, i->depth, i->depth);
}

zlay_status zl_wave_gemm_lay(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_wave_summary i[2];
    zlay_status status = ZLAY_OK;
    for (int32_t operand = 0; !status && operand < ZLAY_OPERAND_D; operand++) {
        status = find(ctx, plan, operand);
        if (!status) status = zlay_wave_info(&i[operand], plan->wave.operand[operand]);
        if (!status) status = placed(ctx, &plan->operand[operand].smem, &i[operand]);
    }
    if (status) return status;
    if (!fits(&i[0], &plan->wave.shape) || !fits(&i[1], &plan->wave.shape) || !alike(&i[0], &i[1]))
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "tile: no kernel is written for the way its operands take to registers");
    take(plan, &i[0], &i[1]);
    return ZLAY_OK;
}
