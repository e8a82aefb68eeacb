/* SPDX-License-Identifier: Apache-2.0 */
/* The body of a plan of waves, between its sums and D: that of the request, or one that converts; which elements of the
 * tile a lane's sums are; the registers that the body's values take; and the arguments of the kernel, its scalars and
 * arrays behind the addresses of A, B and D. */
#include "legality/matrix/matrix.h"
#include "synth/gemm/plan.h"

#include <stdio.h>
#include <string.h>

enum { WAVES = 4 /* of a block */, TEXT = 128, PAIR = 2 /* scalar registers of an address, of a mask */, SCALARS_MOST = 100 };

/* ---- sums ------------------------------------------------------------------------------------ */

zlay_status zl_wave_sums(zlay_ctx *ctx, zl_elements *out, const zlay_plan *plan)
{
    const zlay_mma *mma = &plan->info.mma;
    const zlay_wave_gemm *w = &plan->wave.shape;
    zlay_layout *one = NULL;
    zlay_status status = zl_mma_fragment(ctx, &one, plan->info.target, mma, ZLAY_FRAGMENT_D);
    if (!status) status = zl_elements_read(ctx, out, one, mma->m, mma->n);
    zlay_layout_free(one);
    if (status) return status;
    zl_elements_transpose(out); /* the instruction's rows are columns of D */
    status = zl_elements_tile(ctx, out, w->blocks_m, w->blocks_n);
    return status ? status : zl_elements_spread(ctx, out, w->waves_m, w->waves_n);
}

/* ---- the body -------------------------------------------------------------------------------- */

/* Sums to D's type, or as they are. */
static zlay_status narrow(zlay_ctx *ctx, zlay_plan *plan)
{
    char text[TEXT];
    const char *from = zlay_type_name(plan->info.mma.d);
    int32_t type = plan->operand[ZLAY_OPERAND_D].type;
    const char *made = zl_gemm_conversion(plan->info.mma.d, type);
    if (!made)
        snprintf(text, sizeof text, "body keep\nmatrix S %s\nS = S\nend\n", from);
    else
        snprintf(text, sizeof text, "body narrow\nmatrix S %s\nmatrix R %s\nR = %s\nend\n", from,
                 zlay_type_name(type), made);
    return zl_body_parse(ctx, &plan->wave.narrow, text, strlen(text));
}

int32_t zl_wave_output(const zlay_plan *plan)
{
    const zlay_body *body = zl_wave_body(plan);
    uint32_t matrix = 0, count = 0;
    for (uint32_t i = 0; i < body->operands_count; i++)
        if (body->operands[i].sort == ZLAY_BODY_MATRIX && count++ < 2) matrix = i;
    return zl_body_last(body, matrix);
}

static uint32_t arrays(const zlay_body *body)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->operands_count; i++)
        count += zl_body_array(&body->operands[i]);
    return count;
}

static zlay_status scalars_plan(zlay_ctx *ctx, zlay_plan *plan, const zl_room *room)
{
    zlay_wave_gemm *w = &plan->wave.shape;
    uint32_t scalars = plan->wave.body_masks + PAIR * room->masks;
    if (scalars > SCALARS_MOST)
        return zl_fail(ctx, ZLAY_NONE,
                       "epilogue: body %.64s has %u conditions at once and %u arrays; scalar registers "
                       "have room for %d together",
                       zl_wave_body(plan)->name, room->masks, arrays(zl_wave_body(plan)),
                       (SCALARS_MOST - ZL_WAVE_ARRAYS) / PAIR);
    if (scalars > w->scalars) w->scalars = scalars;
    return ZLAY_OK;
}

static zlay_status room_plan(zlay_ctx *ctx, zlay_plan *plan)
{
    const zlay_body *body = zl_wave_body(plan);
    zl_elements *e = zl_scratch(ctx, 1, sizeof *e);
    zl_room *room = zl_scratch(ctx, 1, sizeof *room);
    int32_t output = zl_wave_output(plan);
    if (!e || !room) return ZLAY_ENOMEM;
    if (output < 0)
        return zl_fail(ctx, ZLAY_EINVAL, "epilogue: body %.64s gives D no value", body->name);
    zlay_status status = zl_wave_sums(ctx, e, plan);
    const zl_room_outputs outputs = zl_room_output(output);
    if (!status) status = zl_room_make(ctx, room, body, e, &outputs);
    if (status) return status;
    plan->wave.body_registers = room->registers;
    plan->wave.body_masks = ZL_WAVE_ARRAYS + PAIR * (arrays(body) + zl_wave_scales_arrays(plan));
    plan->wave.body_rows = e->row.count;
    return scalars_plan(ctx, plan, room);
}

/* Whether a row's elements are compared or added: then they have to lie in one wave. */
static bool reduces(const zlay_body *body)
{
    for (uint32_t i = 0; i < body->nodes_count; i++) {
        zl_body_kind kind = zl_body_forms[body->nodes[i].op].kind;
        if (kind == ZL_BODY_REDUCE || kind == ZL_BODY_LANES) return true;
    }
    return false;
}

static zlay_status epilogue(zlay_ctx *ctx, zlay_plan *plan)
{
    if (!plan->info.swapped) return zl_gemm_epilogue(ctx, plan);
    return zl_fail(ctx, ZLAY_ENOTSUP, "epilogue: D is column-major, and the product that waves compute is its transpose");
}

zlay_status zl_wave_body_read(zlay_ctx *ctx, zlay_plan *plan, const zlay_gemm *gemm)
{
    zlay_wave_gemm *w = &plan->wave.shape;
    zlay_status status = zl_gemm_epilogue_read(ctx, plan, gemm);
    if (!status && plan->epilogue) status = epilogue(ctx, plan);
    if (!status && plan->quantises) status = zl_wave_quantise(ctx, plan);
    else if (!status && !plan->epilogue) status = narrow(ctx, plan);
    if (status) return status;
    bool rows = reduces(zl_wave_body(plan));
    w->waves_m = rows ? WAVES : WAVES / 2;
    w->waves_n = rows ? 1 : WAVES / 2;
    return ZLAY_OK;
}

zlay_status zl_wave_body_plan(zlay_ctx *ctx, zlay_plan *plan)
{
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = room_plan(ctx, plan);
    zl_scratch_release(ctx, mark);
    return status;
}

/* ---- arguments -------------------------------------------------------------------------------- */

static const char *const pointers[] = {"ptr_a", "ptr_b", "ptr_d", "offsets"};

static void argument_of(zl_wave_argument *out, const zlay_body_operand *o, uint32_t end)
{
    bool scalar = o->sort == ZLAY_BODY_SCALAR, written = o->sort == ZLAY_BODY_OUTPUT;
    *out = (zl_wave_argument){.scalar = scalar, .written = written, .type = o->type, .bytes = scalar ? 4 : 8};
    out->at = (end + out->bytes - 1) / out->bytes * out->bytes;
    snprintf(out->name, sizeof out->name, "%s%.64s", scalar ? "x_" : written ? "write_" : "read_", o->name);
}

zlay_status zl_wave_argument_nth(zl_wave_argument *out, const zlay_plan *plan, uint32_t i)
{
    const zlay_body *body = zl_wave_body(plan);
    uint32_t number = zl_wave_pointers(plan), end = 8 * number;
    if (i < number) {
        *out = (zl_wave_argument){.bytes = 8, .at = 8 * i, .written = i == ZLAY_OPERAND_D};
        if (i > ZLAY_OPERAND_D) out->type = ZLAY_TYPE_S32;
        snprintf(out->name, sizeof out->name, "%s", pointers[i]);
        return ZLAY_OK;
    }
    for (int o = 0; o < 2; o++) {
        const zlay_body_operand scales = {.sort = ZLAY_BODY_GLOBAL, .type = ZLAY_TYPE_F32, .name = {'s', "ab"[o]}};
        if (!zl_gemm_promoted(plan->scales[o])) continue;
        argument_of(out, &scales, end);
        end = out->at + out->bytes;
        if (number++ == i) return ZLAY_OK;
    }
    for (uint32_t o = 0; o < body->operands_count; o++) {
        if (body->operands[o].sort != ZLAY_BODY_SCALAR && !zl_body_array(&body->operands[o])) continue;
        argument_of(out, &body->operands[o], end);
        end = out->at + out->bytes;
        if (number++ == i) return ZLAY_OK;
    }
    return ZLAY_NONE;
}
