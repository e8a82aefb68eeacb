/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the certificates of a plan of waves. What the kernel computes by itself, offsets of its
 * loads and addresses of its reads, is compared with the plan of each operand; what a lane stores
 * is compared with the elements that its accumulators hold by the rule of the instruction. */
#include "legality/matrix/matrix.h"
#include "algebra/ops/cute.h"
#include "algebra/decide/certificate.h"
#include "synth/gemm/plan.h"

#include <string.h>

enum { CHUNK = 16 /* bytes of a load, and of a read */, RUN = 4, TEXT = 256 };

/* ---- operands ------------------------------------------------------------------------- */

/* Makes the pair of offsets of loads in the matrix, (thread, element, load) -> offset: from the
 * plan's elements and the request's leading dimension, and as src/emit/gcn/setup.c computes
 * them. */
static zlay_status load_pair(zlay_ctx *ctx, zlay_layout *pair[2], const zlay_plan *plan,
                             int32_t operand)
{
    const zlay_wave *wave = plan->wave.operand[operand];
    uint32_t step = CHUNK / plan->operand[operand].element;
    zlay_wave_summary i;
    zlay_layout *matrix = NULL, *loads = NULL;
    zlay_status status = zlay_wave_info(&i, wave);
    if (!status)
        status = zl_layout_format(ctx, &matrix, "(%u,%u):(1,%llu)", i.depth, i.rows,
                                  (unsigned long long)plan->operand[operand].pitch);
    if (!status)
        status = zl_layout_compose(ctx, &pair[0], matrix, zlay_wave_layout(wave, ZLAY_WAVE_LOAD));
    if (!status)
        status = zl_layout_format(ctx, &loads, "Sw<%u,%u,%u> o 0 o (%u,%u,%u):(%u,1,%u)",
                                  i.swizzle_bits, i.swizzle_base, i.swizzle_shift, i.threads, step,
                                  i.loads, step, step * i.threads);
    if (!status) status = zl_layout_compose(ctx, &pair[1], matrix, loads);
    zlay_layout_free(matrix);
    zlay_layout_free(loads);
    return status;
}

/* Makes the pair of places that lanes read, (lane, element, (read, block, part)) -> place in shared
 * memory: of the plan, and as the kernel computes them. */
static zlay_status read_pair(zlay_ctx *ctx, zlay_layout *pair[2], const zlay_plan *plan,
                             int32_t operand)
{
    const zlay_wave *wave = plan->wave.operand[operand];
    zlay_wave_summary i;
    uint32_t rows = plan->info.mma.m, beside = plan->wave.shape.lanes / rows;
    uint32_t step = CHUNK / plan->operand[operand].element;
    zlay_status status = zlay_wave_info(&i, wave);
    if (!status)
        status = zl_coalesce(ctx, &pair[0], zlay_wave_layout(wave, ZLAY_WAVE_FROM));
    if (status) return status;
    return zl_layout_format(
        ctx, &pair[1], "Sw<%u,%u,%u> o 0 o (%u,%u,%u,%u,%u,%u):(%u,%u,1,%u,%u,%u)", i.swizzle_bits,
        i.swizzle_base, i.swizzle_shift, rows, beside, step, i.reads, i.blocks, i.parts, i.depth,
        step, beside * step, rows * i.depth, i.blocks * rows * i.depth);
}

/* ---- sums -------------------------------------------------------------------------------- */

/* A strided layout (lane, value), repeated for blocks and waves along N and M. */
static zlay_status repeated(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const uint64_t extent[4], const uint64_t stride[4])
{
    char text[TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = zlay_layout_print(&buf, a);
    const char *colon = status ? NULL : strchr(text, ':');
    if (!colon) return zl_fail(ctx, ZLAY_EINTERNAL, "a fragment is no strided layout");
    return zl_layout_format(ctx, out, "(%.*s,%llu,%llu,%llu,%llu):(%s,%llu,%llu,%llu,%llu)",
                            (int)(colon - text), text, (unsigned long long)extent[0],
                            (unsigned long long)extent[1], (unsigned long long)extent[2],
                            (unsigned long long)extent[3], colon + 1, (unsigned long long)stride[0],
                            (unsigned long long)stride[1], (unsigned long long)stride[2],
                            (unsigned long long)stride[3]);
}

/* The elements of D that a lane's sums are, by the instruction's fragment; its rows are columns of
 * D. */
static zlay_status held(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan,
                        const uint64_t extent[4], const uint64_t stride[4])
{
    const zlay_mma *mma = &plan->info.mma;
    zlay_layout *matrix = NULL, *own = NULL, *placed = NULL;
    zlay_status status = zl_layout_format(ctx, &matrix, "(%u,%u):(1,%llu)", mma->m, mma->n,
                                          (unsigned long long)plan->operand[ZLAY_OPERAND_D].pitch);
    if (!status) status = zl_mma_fragment(ctx, &own, plan->info.target, mma, ZLAY_FRAGMENT_D);
    if (!status) status = zl_layout_compose(ctx, &placed, matrix, own);
    if (!status) status = repeated(ctx, out, placed, extent, stride);
    zlay_layout_free(matrix);
    zlay_layout_free(own);
    zlay_layout_free(placed);
    return status;
}

/* Makes the pair of elements of D: as lanes hold them, and as src/emit/gcn/store.c stores them. */
static zlay_status stored_pair(zlay_ctx *ctx, zlay_layout *pair[2], const zlay_plan *plan)
{
    const zlay_wave_gemm *w = &plan->wave.shape;
    const zlay_mma *mma = &plan->info.mma;
    uint64_t pitch = plan->operand[ZLAY_OPERAND_D].pitch, beside = w->lanes / mma->n;
    uint64_t extent[] = {w->blocks_n, w->blocks_m, w->waves_n, w->waves_m};
    uint64_t stride[] = {mma->m, mma->n * pitch, (uint64_t)w->blocks_n * mma->m,
                         w->blocks_m * mma->n * pitch};
    zlay_layout *own = NULL;
    zlay_status status = held(ctx, &pair[0], plan, extent, stride);
    if (!status)
        status = zl_layout_format(
            ctx, &own, "((%u,%llu),(%d,%llu)):((%llu,%d),(1,%llu))", mma->n,
            (unsigned long long)beside, RUN, (unsigned long long)(mma->m / (RUN * beside)),
            (unsigned long long)pitch, RUN, (unsigned long long)(RUN * beside));
    if (!status) status = repeated(ctx, &pair[1], own, extent, stride);
    zlay_layout_free(own);
    return status;
}

/* ---- all pairs ------------------------------------------------------------------------------ */

zlay_status zl_wave_certify(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_layout *(*pair)[2] = plan->certificate;
    zlay_status status = stored_pair(ctx, pair[2 * ZLAY_OPERAND_D], plan);
    for (int32_t operand = 0; !status && operand < ZLAY_OPERAND_D; operand++) {
        status = load_pair(ctx, pair[2 * operand], plan, operand);
        if (!status) status = read_pair(ctx, pair[2 * operand + 1], plan, operand);
    }
    for (int i = 0; !status && i <= 2 * ZLAY_OPERAND_D; i++)
        status = zl_certificate_equal(ctx, pair[i][0], pair[i][1], i);
    return status;
}

enum { OWN = 2 * ZLAY_OPERAND_D + 1, OF_WAVE = 2 };

zlay_status zl_wave_certificate(const zlay_layout **a, const zlay_layout **b, const zlay_plan *plan,
                                uint32_t i)
{
    if (i >= OWN)
        return i >= OWN + 2 * OF_WAVE
                   ? ZLAY_NONE
                   : zlay_wave_certificate(a, b, plan->wave.operand[(i - OWN) / OF_WAVE],
                                           (i - OWN) % OF_WAVE);
    *a = plan->certificate[i][0];
    *b = plan->certificate[i][1];
    return ZLAY_OK;
}
