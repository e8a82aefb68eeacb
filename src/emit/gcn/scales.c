/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the bodies that begin and add the sums of a GEMM with scales, in its loop. Sums of a step are accumulators; those of all
 * steps, and where the next scales lie, have registers of the loop. Behind the loop the sums become the accumulators. */
#include "emit/gcn/body.h"

enum { BODIES = 2 /* the first of the pipe */ };

bool zl_wave_scales_is(const zl_wave_text *t, const zl_event *e)
{
    return zl_gemm_scaled(t->plan) && e->body >= 0 && e->body < BODIES;
}

/* Where each operand of the body lies. */
static void bind(const zl_gb *g, uint32_t bound[ZL_BODY_OPERANDS])
{
    const zl_wave_registers *r = g->t->r;
    uint32_t next = 0;
    for (uint32_t i = 0; i < g->body->operands_count; i++) {
        bound[i] = ZL_GB_OWN;
        if (g->body->operands[i].sort >= ZLAY_BODY_SCALAR) continue;
        int32_t set = g->t->plan->wave.sets.at[g->event[next++].acc].operand;
        if (set == ZL_WAVE_TOTAL) bound[i] = r->total;
        else if (set != ZLAY_OPERAND_D) bound[i] = r->place[set - ZL_WAVE_PLACE_A];
    }
}

/* Behind the first body all arrays have their addresses, and the lane knows its first row and column. */
static void begin(zl_gb *g)
{
    zl_gb_coordinate(g, ZL_GB_ROW, &g->elements->row);
    zl_gb_coordinate(g, ZL_GB_COLUMN, &g->elements->column);
    zl_gb_arrays(g);
}

void zl_wave_scales(zl_wave_text *t, const zl_event *e)
{
    zl_mark mark = zl_scratch_mark(t->ctx);
    uint32_t bound[ZL_BODY_OPERANDS] = {0};
    zl_elements *elements = zl_scratch(t->ctx, 1, sizeof *elements);
    zl_room *room = zl_scratch(t->ctx, 1, sizeof *room);
    zl_gb g = {.t = t, .body = t->plan->pipe->bodies[e->body].body, .event = e, .elements = elements, .room = room,
               .bound = bound, .base = t->r->scales};
    zlay_status status = elements && room ? zl_wave_sums(t->ctx, elements, t->plan) : ZLAY_ENOMEM;
    zl_wave_scales_outputs(&g.outputs, g.body);
    if (!status) status = zl_room_make(t->ctx, room, g.body, elements, &g.outputs);
    if (status) {
        if (!*t->status) *t->status = status;
        return;
    }
    bind(&g, bound);
    if (!e->body) begin(&g);
    zl_gb_body(&g, zl_gb_move);
    zl_gb_move_rows(&g);
    zl_scratch_release(t->ctx, mark);
}

void zl_wave_scales_end(zl_wave_text *t)
{
    for (uint32_t i = 0; zl_gemm_scaled(t->plan) && i < t->w->accumulators; i++)
        zl_wave_line(t, "v_accvgpr_write_b32 a%u, v%u", i, t->r->total + i);
}
