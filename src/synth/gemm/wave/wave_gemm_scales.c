/* SPDX-License-Identifier: Apache-2.0 */
/* Scales of blocks in a plan of waves. A step of K is a block of 128, whose sums C begin anew; behind its last product the waves
 * add T = C * (a * b) + T. T is in registers beside the accumulators, and takes their place when all of K is added. Where the
 * scales of the next step lie stands in registers, P for A and Q for B: one for each row that a lane holds elements of. */
#include "synth/gemm/plan.h"

#include <string.h>

enum { BLOCK = 128, TEXT = 1024, VECTORS_MOST = 256 };

static const char place[] = "pq", array[] = "ab";

static bool has(const zlay_plan *plan, int operand) { return zl_gemm_promoted(plan->scales[operand]); }

/* ---- the bodies --------------------------------------------------------------------------------- */

static void put_places(zl_text *out, const zlay_plan *plan)
{
    for (int o = 0; o < 2; o++)
        if (has(plan, o)) zl_putf(out, "row %c s32\n", place[o]);
}

/* What the place of a line's scale adds for each block of K, and of blocks for each 128 lines. */
static unsigned long long step_of(const zlay_plan *plan, int operand)
{
    bool line = plan->scales[operand] == ZLAY_SCALES_LINE;
    return !line ? 1 : operand == ZLAY_OPERAND_A ? plan->info.m : plan->info.n;
}

/* The scales of a group's B, of its columns and blocks of K. */
static unsigned long long count_of(const zlay_plan *plan, int operand)
{
    zlay_scales s;
    zlay_plan_scales(&s, plan, operand);
    return s.shape[0] * s.shape[1];
}

/* T, and the places of the first step's scales. */
static void put_begin(zl_text *out, const zlay_plan *plan)
{
    static const char *const first[] = {"i + row", "j"};
    zl_puts(out, "body scales_begin\nmatrix T f32\n");
    put_places(out, plan);
    zl_puts(out, plan->info.groups ? "index i\nindex j\nindex g\nT = 0\n" : "index i\nindex j\nT = 0\n");
    for (int o = 0; o < 2; o++) {
        if (!has(plan, o)) continue;
        zl_putf(out, "%c = ", place[o]);
        if (o == ZLAY_OPERAND_B && plan->info.groups) zl_putf(out, "g * %llu + ", count_of(plan, o));
        if (plan->scales[o] == ZLAY_SCALES_LINE) zl_putf(out, "%s\n", first[o]);
        else
            zl_putf(out, "shr(%s, 7) * %llu\n", first[o], (unsigned long long)zl_ceil_div(plan->info.k, BLOCK));
    }
    zl_puts(out, "end\n");
}

static void put_load(zl_text *out, const zlay_plan *plan, int operand)
{
    bool columns = operand == ZLAY_OPERAND_B && zl_gemm_by_columns(plan), each = operand == ZLAY_OPERAND_B && plan->info.groups;
    zl_putf(out, "load(s%c, %c%s, %llu)", array[operand], place[operand], columns ? " + col" : "",
            count_of(plan, operand) * (each ? plan->info.groups : 1));
}

static void put_sum(zl_text *out, const zlay_plan *plan)
{
    bool columns = zl_gemm_by_columns(plan);
    zl_puts(out, "T = fma(C");
    for (int o = 0; o < 2; o++) {
        if (!has(plan, o)) continue;
        zl_puts(out, !o || !has(plan, 0) ? (!o && columns ? " * " : ", ") : columns ? ", " : " * ");
        put_load(out, plan, o);
    }
    zl_puts(out, ", T)\n");
}

/* Adds a step's sums, and goes on to the next step's scales. */
static void put_add(zl_text *out, const zlay_plan *plan)
{
    zl_puts(out, "body scales_add\nmatrix T f32\nmatrix C f32\n");
    put_places(out, plan);
    for (int o = 0; o < 2; o++)
        if (has(plan, o)) zl_putf(out, "global s%c f32\n", array[o]);
    put_sum(out, plan);
    for (int o = 0; o < 2; o++)
        if (has(plan, o)) zl_putf(out, "%c = %c + %llu\n", place[o], place[o], step_of(plan, o));
    zl_puts(out, "end\n");
}

void zl_wave_scales_bodies(zl_text *out, const zlay_plan *plan)
{
    if (!zl_gemm_scaled(plan)) return;
    put_begin(out, plan);
    put_add(out, plan);
}

/* ---- registers ---------------------------------------------------------------------------------- */

void zl_wave_scales_outputs(zl_room_outputs *out, const zlay_body *body)
{
    out->count = 0;
    for (uint32_t i = 0; i < body->operands_count; i++) {
        int32_t node = zl_body_last(body, i);
        if (node < 0 || out->count == ZL_ROOM_OUTPUTS) continue;
        out->node[out->count] = node;
        out->operand[out->count++] = (int32_t)i;
    }
}

static zlay_status room_take(zlay_ctx *ctx, zlay_plan *plan, void (*write)(zl_text *, const zlay_plan *), const zl_elements *e)
{
    char text[TEXT];
    zl_text out = {text, sizeof text, 0};
    zlay_body *body = NULL;
    zl_room_outputs outputs;
    zl_room *room = zl_scratch(ctx, 1, sizeof *room);
    if (!room) return ZLAY_ENOMEM;
    write(&out, plan);
    zlay_status status = zl_body_parse(ctx, &body, text, out.need);
    if (status) return status;
    zl_wave_scales_outputs(&outputs, body);
    status = zl_room_make(ctx, room, body, e, &outputs);
    if (!status && room->registers > plan->wave.registers.scales_count) plan->wave.registers.scales_count = room->registers;
    zlay_body_free(body);
    return status;
}

static zlay_status rooms_take(zlay_ctx *ctx, zlay_plan *plan)
{
    zl_elements *e = zl_scratch(ctx, 1, sizeof *e);
    zlay_status status = e ? zl_wave_sums(ctx, e, plan) : ZLAY_ENOMEM;
    if (!status) status = room_take(ctx, plan, put_begin, e);
    return status ? status : room_take(ctx, plan, put_add, e);
}

/* T begins at an even number, as values of bodies do. */
static void number(zlay_plan *plan)
{
    zl_wave_registers *r = &plan->wave.registers;
    uint32_t rows = plan->wave.body_rows;
    r->total = (r->count + 1) / 2 * 2;
    r->place[0] = r->total + plan->wave.shape.accumulators;
    r->place[1] = r->place[0] + (has(plan, 0) ? rows : 0);
    r->scales = (r->place[1] + (has(plan, 1) ? rows : 0) + 1) / 2 * 2;
    r->count = r->scales + r->scales_count;
}

zlay_status zl_wave_scales_plan(zlay_ctx *ctx, zlay_plan *plan)
{
    if (!zl_gemm_scaled(plan)) return ZLAY_OK;
    zl_mark mark = zl_scratch_mark(ctx);
    zlay_status status = rooms_take(ctx, plan);
    zl_scratch_release(ctx, mark);
    if (status) return status;
    number(plan);
    if (plan->wave.registers.count > VECTORS_MOST)
        return zl_fail(ctx, ZLAY_NONE, "tile_m: %u; with scales a lane has its sums twice, and a tile of %u x %u takes %u registers of %d: "
                                       "the nearest that works is 128 x 128",
                       plan->info.tile_m, plan->info.tile_m, plan->info.tile_n, plan->wave.registers.count, VECTORS_MOST);
    plan->wave.shape.registers = (plan->wave.registers.count + 7) / 8 * 8;
    return ZLAY_OK;
}
