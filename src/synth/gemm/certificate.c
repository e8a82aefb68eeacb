/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the certificates of a GEMM plan: pairs of layouts that are built from different parts of
 * the plan and then decided equal by `layout.equal`. The left layout comes from the copies and the
 * tensor map alone; the right one from the matrix descriptors, from what consumers store, or from
 * the request. */
#include "algebra/decide/certificate.h"
#include "synth/gemm/plan.h"
#include "base/arith.h"

#include <stdio.h>
#include <string.h>

/* Swizzles move chunks of 16 bytes: the exponent of a chunk's elements. */
static uint32_t chunk_bits(const zl_operand *o)
{
    return o->element == 4 ? 2 : o->element == 2 ? 3 : 4;
}

/* The elements from one box of a stage to the next. */
static uint32_t box_pitch(const zl_operand *o)
{
    return zl_operand_boxes(o) > 1 ? o->copies[1].smem / o->element : 0;
}

/* The boxes of the copies one behind the other, behind a prefix that swizzles. */
static zlay_status layout_of_boxes(zlay_ctx *ctx, zlay_layout **out, const zl_operand *o,
                                   const char *prefix, uint32_t pack)
{
    uint32_t inner = o->map.box[0] * pack, outer = o->rows, boxes = zl_operand_boxes(o);
    if (o->major == ZLAY_MAJOR_K)
        return zl_layout_format(ctx, out, "%s(%u,(%u,%u)):(%u,(1,%u))", prefix, outer, inner,
                                boxes, inner, box_pitch(o) * pack);
    return zl_layout_format(ctx, out, "%s((%u,%u),%u):((1,%u),%u)", prefix, inner, boxes, outer,
                            box_pitch(o), inner);
}

zlay_status zl_layout_placed(zlay_ctx *ctx, zlay_layout **out, const zl_operand *o)
{
    char prefix[32];
    snprintf(prefix, sizeof prefix, "Sw<%d,%u,3> o 0 o ", o->map.swizzle, chunk_bits(o));
    return layout_of_boxes(ctx, out, o, prefix, 1);
}

zlay_status zl_layout_unswizzled(zlay_ctx *ctx, zlay_layout **out, const zl_operand *o)
{
    return layout_of_boxes(ctx, out, o, "", zl_pack(o->type));
}

/* What rows of 16 bytes that lanes give to ldmatrix read (src/emit/pipe/fetch.c): a swizzled row has 8 x 16 bytes or fewer;
 * warps and instructions go on by rows, and along K by 32 bytes. Where M or N is contiguous, rows are of K. */
static zlay_status read_by_rows(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan, int32_t operand)
{
    const zl_operand *o = &plan->operand[operand];
    const zl_sync_warps *w = &plan->warps;
    uint32_t each = operand == ZLAY_OPERAND_A ? ZL_SYNC_ROWS : ZL_SYNC_COLUMNS, chunk = 16 / o->element;
    uint32_t row = o->span / o->element, mn = w->blocks[operand] * each;
    if (o->major == ZLAY_MAJOR_K)
        return zl_layout_format(ctx, out, "Sw<%d,%u,3> o 0 o ((8,%u,%u),(%u,2,%u)):((%u,%u,%u),(1,%u,%u))",
                                o->map.swizzle, chunk_bits(o), mn / 8, w->grid[operand], chunk, plan->info.k_steps, row,
                                8 * row, mn * row, chunk, 2 * chunk);
    return zl_layout_format(ctx, out, "Sw<%d,%u,3> o 0 o ((8,%u,%u),(8,2,%u)):((1,8,%u),(%u,%u,%u))", o->map.swizzle,
                            chunk_bits(o), row / 8, mn * w->grid[operand] / row, plan->info.k_steps, box_pitch(o), row,
                            8 * row, 16 * row);
}

/* What the matrix descriptors of all K steps and consumers read: the canonical layouts of PTX ISA,
 * "Strides", with the descriptor's fields as their strides. */
static zlay_status read_by_desc(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan,
                                int32_t operand)
{
    const zlay_plan_summary *info = &plan->info;
    const zlay_smemdesc *d = &plan->desc[operand];
    uint32_t element = plan->operand[operand].element, chunk = chunk_bits(&plan->operand[operand]);
    uint32_t row = 16u << d->swizzle, elements = row / element; /* span of the swizzle */
    uint32_t mn = operand == ZLAY_OPERAND_A ? info->mma.m : info->mma.n;
    uint32_t repeat = operand == ZLAY_OPERAND_A ? info->consumers : 1;
    uint32_t lbo = d->lbo / element, sbo = d->sbo / element,
             step = plan->step_start[operand] / element;
    uint32_t consumer = plan->consumer_start / element, k = info->mma.k / zl_pack(plan->operand[operand].type);
    uint32_t within = elements / k;
    if (zl_by_sync(plan)) return read_by_rows(ctx, out, plan, operand);
    if (plan->operand[operand].major == ZLAY_MAJOR_K)
        return zl_layout_format(
            ctx, out, "Sw<%d,%u,3> o 0 o ((8,%u,%u),(%u,%u,%u)):((%u,%u,%u),(1,%u,%u))", d->swizzle,
            chunk, mn / 8, repeat, k, within, info->k_steps / within, elements, sbo, consumer, step,
            box_pitch(&plan->operand[operand]));
    return zl_layout_format(ctx, out,
                            "Sw<%d,%u,3> o 0 o ((%u,%u,%u),(8,%u,%u)):((1,%u,%u),(%u,%u,%u))",
                            d->swizzle, chunk, elements, mn / elements, repeat, info->mma.k / 8,
                            info->k_steps, lbo, consumer, elements, sbo, step);
}

/* What is written by rows: from tensor memory, where thread t has row t of a pass, or by the quads of mma.sync. Rows of 128
 * bytes lie one behind the other, each 128 bytes of a pass in a box of all rows. */
static zlay_status written_by_rows(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan)
{
    const zl_operand *d = &plan->operand[ZLAY_OPERAND_D];
    uint32_t row = d->span / d->element;
    return zl_layout_format(ctx, out, "Sw<%d,%u,3> o 0 o (%u,(%u,%u)):(%u,(1,%u))", d->map.swizzle,
                            chunk_bits(d), plan->rows, row, plan->info.pass_n / row, row,
                            plan->rows * row);
}

/* The same where columns of D are contiguous: 128 bytes of a column, of 2 bytes all 64 rows, of 4 bytes 32 in each of two boxes.
 * Columns are the matrices' eight, by pairs of a thread and four threads. */
static zlay_status written_by_columns(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan)
{
    uint32_t columns = plan->info.pass_n;
    if (plan->operand[ZLAY_OPERAND_D].element == 2)
        return zl_layout_format(ctx, out, "Sw<3,3,3> o 0 o ((8,2,4),(2,4,%u)):((1,8,16),(64,128,512))", columns / 8);
    return zl_layout_format(ctx, out, "Sw<3,2,3> o 0 o ((8,2,2,2),(2,4,%u)):((1,8,16,%u),(32,64,256))", columns / 8,
                            32 * columns);
}

/* What the consumers write, as src/emit/pipe/placed.c finds the addresses, which do not
 * depend on the map: rows of 128 bytes, whose 16-byte chunks are XORed with the row's number mod 8;
 * the rows are eight lane rows, two halves and four warps; each 128 bytes of a row of a pass have a
 * box. stmatrix writes 64 columns of 2 bytes, eight times eight; stores of pairs write 32 columns of
 * 4 bytes, four times eight, or 128 columns of a byte. A pass of 64 columns of a byte has rows of 64 bytes, two in
 * each of the 128 whose number XORs four chunks. */
static zlay_status written(zlay_ctx *ctx, zlay_layout **out, const zlay_plan *plan)
{
    uint32_t element = plan->operand[ZLAY_OPERAND_D].element, columns = plan->info.pass_n;
    if (!zl_by_wgmma(plan)) return written_by_rows(ctx, out, plan);
    if (zl_d_by_columns(plan)) return written_by_columns(ctx, out, plan);
    if (element == 1)
        return zl_layout_format(ctx, out, "Sw<%d,4,3> o 0 o ((8,2,4),(8,%u)):((%u,%u,%u),(1,8))", columns == 64 ? 2 : 3,
                                columns / 8, columns, 8 * columns, 16 * columns);
    if (element == 4)
        return zl_layout_format(ctx, out,
                                "Sw<3,2,3> o 0 o ((8,2,4),(8,4,%u)):((32,256,512),(1,8,2048))",
                                plan->info.pass_n / 32);
    return zl_layout_format(ctx, out,
                            "Sw<3,3,3> o 0 o ((8,2,4),(8,8,%u)):((64,512,1024),(1,8,4096))",
                            plan->info.pass_n / 64);
}

/* The offsets of the tile's elements in global memory: by the map's strides, or by the request's
 * leading dimension.  Where the tensor has fewer rows than the box, only these rows are
 * compared. */
static zlay_status in_global(zlay_ctx *ctx, zlay_layout **out, const zl_operand *o, bool by_map)
{
    unsigned long long inner = o->map.box[0], boxes = zl_operand_boxes(o), width = inner * boxes;
    unsigned long long outer = zl_umin(o->outer, by_map ? o->map.box[1] * o->parts * o->slices : o->rows);
    unsigned long long pitch = by_map ? o->map.stride[0] / o->element : o->pitch;
    long long step = boxes > 1 ? o->copies[1].coordinate[0] : 0;
    bool k_major = o->major == ZLAY_MAJOR_K;
    if (!by_map)
        return k_major ? zl_layout_format(ctx, out, "(%llu,%llu):(%llu,1)", outer, width, pitch)
                       : zl_layout_format(ctx, out, "(%llu,%llu):(1,%llu)", width, outer, pitch);
    return k_major ? zl_layout_format(ctx, out, "(%llu,(%llu,%llu)):(%llu,(1,%lld))", outer, inner,
                                      boxes, pitch, step)
                   : zl_layout_format(ctx, out, "((%llu,%llu),%llu):((1,%lld),%llu)", inner, boxes,
                                      outer, step, pitch);
}

zlay_status zl_certificates_make(zlay_ctx *ctx, zlay_plan *plan)
{
    zlay_status status = ZLAY_OK;
    for (int32_t operand = 0; !status && operand < 3; operand++) {
        const zl_operand *o = &plan->operand[operand];
        zlay_layout *(*pair)[2] = &plan->certificate[2 * operand];
        status = zl_layout_placed(ctx, &pair[0][0], o);
        if (!status && operand == ZLAY_OPERAND_D) status = written(ctx, &pair[0][1], plan);
        if (!status && operand != ZLAY_OPERAND_D)
            status = read_by_desc(ctx, &pair[0][1], plan, operand);
        if (!status) status = in_global(ctx, &pair[1][0], o, true);
        if (!status) status = in_global(ctx, &pair[1][1], o, false);
    }
    if (!status) status = zl_gemm_blocks_certificates(ctx, plan);
    for (int i = 0; !status && i < ZL_CERTIFICATES && plan->certificate[i][0]; i++)
        status = zl_certificate_equal(ctx, plan->certificate[i][0], plan->certificate[i][1], i);
    return status;
}
