/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the epilogue of a GEMM: a body whose first matrix is the sums of a tile and whose second, if sums are not D's
 * elements, is the tile of D; where D has scales, it gives the sums new values. Its indices, none or two, are the tile's first
 * row and column; with groups of rows a third one is the group. Scalars and arrays become arguments of the kernel. Where the planned product is the transposed one, so is the
 * body. */
#include "synth/gemm/gemm_pipe.h"

uint32_t zl_gemm_epilogue_has(const zlay_plan *plan, int32_t sort)
{
    uint32_t count = 0;
    for (uint32_t i = 0; plan->epilogue && i < plan->epilogue->operands_count; i++)
        count += plan->epilogue->operands[i].sort == sort;
    return count;
}

bool zl_gemm_converts(const zlay_plan *plan)
{
    if (plan->quantises) return true;
    if (plan->epilogue) return zl_gemm_epilogue_has(plan, ZLAY_BODY_MATRIX) == 2;
    return plan->operand[ZLAY_OPERAND_D].type != plan->info.mma.d;
}

static zlay_status refuse(zlay_ctx *ctx, const zlay_body *body, const char *what)
{
    return zl_fail(ctx, ZLAY_EINVAL, "epilogue: body %.64s %s", body->name, what);
}

/* A matrix: sums first, then D. */
static zlay_status matrix_check(zlay_ctx *ctx, const zlay_plan *plan, const zlay_body_operand *o, uint32_t number)
{
    int32_t sums = plan->info.mma.d, d = plan->operand[ZLAY_OPERAND_D].type;
    int32_t wanted = number ? d : sums;
    if (number > 1) return refuse(ctx, plan->epilogue, "has more matrices than sums and D");
    if (number && plan->quantises) return refuse(ctx, plan->epilogue, "makes elements of D; with d_scales it changes the sums, one matrix");
    if (o->type == wanted) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "epilogue: matrix %.64s is %s; %s are %s", o->name,
                   zlay_type_name(o->type), number ? "elements of D" : "sums", zlay_type_name(wanted));
}

static zlay_status check(zlay_ctx *ctx, const zlay_plan *plan)
{
    const zlay_body *body = plan->epilogue;
    uint32_t matrices = 0, indices = 0;
    for (uint32_t i = 0; i < body->operands_count; i++) {
        const zlay_body_operand *o = &body->operands[i];
        if (o->sort == ZLAY_BODY_ROW || o->sort == ZLAY_BODY_COLUMN || o->sort == ZLAY_BODY_PART)
            return refuse(ctx, body, "has rows, columns or parts in registers: load them from an array");
        if (o->sort == ZLAY_BODY_OUTPUT && plan->info.groups) return refuse(ctx, body, "stores values of rows, and rows behind a group are in its tiles");
        indices += o->sort == ZLAY_BODY_INDEX;
        if (o->sort != ZLAY_BODY_MATRIX) continue;
        zlay_status status = matrix_check(ctx, plan, o, matrices++);
        if (status) return status;
    }
    if (!matrices) return refuse(ctx, body, "has no matrix of sums");
    if (indices == 3 && !plan->info.groups) return refuse(ctx, body, "has three indices; the third is a group, and the product has none");
    if (indices && indices != 2 && indices != 3)
        return refuse(ctx, body, "has neither no index nor two, row and column of the tile, nor with groups three");
    if (matrices == 1 && !plan->quantises && plan->operand[ZLAY_OPERAND_D].type != plan->info.mma.d)
        return refuse(ctx, body, "has no second matrix, of D's type");
    return ZLAY_OK;
}

zlay_status zl_gemm_epilogue_read(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    if (!gemm->epilogue && gemm->epilogue_length)
        return zl_fail(ctx, ZLAY_EINVAL, "epilogue: it has a length and no text");
    return gemm->epilogue ? zl_body_parse(ctx, &plan->epilogue, gemm->epilogue, gemm->epilogue_length) : ZLAY_OK;
}

zlay_status zl_gemm_epilogue(zlay_ctx *ctx, zlay_plan *plan)
{
    if (!plan->epilogue) return ZLAY_OK;
    zlay_status status = check(ctx, plan);
    if (status || !plan->info.swapped || zl_body_transpose(plan->epilogue)) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "epilogue: body %.64s adds or compares elements of a row, and the planned product is the transposed one",
                   plan->epilogue->name);
}
