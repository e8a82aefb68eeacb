/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the uses of bodies: what a matrix becomes is computed in its own registers, and what rows
 * become is moved to theirs behind the last pass, when nothing reads the old ones any more. */
#include "base/arith.h"
#include "emit/gcn/attention/attention.h"

#include <string.h>
#include <zlay/hazard.h>

enum { SETTLED = 64 /* states behind which no product owes any */ };

void zl_aw_position(zl_aw *a, uint32_t to, const zl_pos *at)
{
    uint32_t add = (uint32_t)at->add;
    if (at->loop >= 0) zl_wave_line(&a->t, "s_add_i32 s%u, s%d, 0x%x", to, ZL_AS_STEP, add);
    else if (at->plus >= 0) zl_wave_line(&a->t, "s_add_i32 s%u, s%d, 0x%x", to, ZL_AS_COUNT, add);
    else zl_wave_line(&a->t, "s_mov_b32 s%u, 0x%x", to, add);
}

/* The scalar register of an index operand. */
static uint32_t index_at(zl_aw *a, const zl_event *e, uint32_t i)
{
    const zl_pos *at = &e->index[i];
    if (at->loop == ZL_POS_BLOCK) return ZL_AS_TILE;
    if (at->plus >= 0 && !at->add && i) return ZL_AS_COUNT;
    zl_aw_position(a, ZL_AS_INDEX, at);
    return ZL_AS_INDEX;
}

static uint32_t scalar_at(const zl_aw *a, const char *name)
{
    int32_t type;
    for (uint32_t i = 0; i < ZL_AW_SCALARS; i++) {
        const char *own = zl_attention_scalar(a->p, i, &type);
        if (own && !strcmp(own, name)) return ZL_AS_SCALAR + i;
    }
    return ZL_AS_SCALAR;
}

/* Where each operand of the body lies. */
static void bind(zl_aw *a, const zl_event *e, uint32_t bound[ZL_BODY_OPERANDS])
{
    const zlay_body *body = a->use->body;
    uint32_t indices = 0;
    for (uint32_t i = 0; i < body->operands_count; i++) {
        switch (body->operands[i].sort) {
        case ZLAY_BODY_INDEX: bound[i] = index_at(a, e, indices++); break;
        case ZLAY_BODY_SCALAR: bound[i] = scalar_at(a, body->operands[i].name); break;
        default: bound[i] = a->w->set[a->use->bound[i]]; break;
        }
    }
}

static void body_print(zl_aw *a, const zl_event *e)
{
    uint32_t bound[ZL_BODY_OPERANDS] = {0};
    zl_gb *g = &a->gb;
    bind(a, e, bound);
    g->body = a->use->body;
    g->event = e;
    g->outputs = a->use->outputs;
    g->bound = bound;
    zl_gb_body(g, zl_gb_move);
    zl_gb_move_rows(g);
    g->bound = NULL;
    a->vector_at = a->t.printed;
}

/* A use `when` is behind a branch; the states that are owed to products stand before it, so that they do not depend on it. */
void zl_aw_use(zl_aw *a, uint32_t event)
{
    const zl_event *e = &a->p->pipe->events[event];
    if (e->joined || e->body < 0) return;
    zlay_status status = zl_attention_use_read(a->t.ctx, a->use, a->p, event);
    if (status) {
        if (!*a->t.status) *a->t.status = status;
        return;
    }
    zl_wave_hold(&a->t, ZLAY_FIRST_MATRIX, ZLAY_THEN_VALU_READS | ZLAY_THEN_VALU_WRITES, a->product_at);
    a->product_at = a->t.printed - SETTLED;
    if (e->when) {
        zl_aw_position(a, ZL_S_SCRATCH, &e->bar_at);
        zl_aw_position(a, ZL_S_SCRATCH + 1, &e->parity);
        zl_wave_line(&a->t, "s_cmp_lt_i32 s%d, s%d", ZL_S_SCRATCH, ZL_S_SCRATCH + 1);
        zl_wave_line(&a->t, "s_cbranch_scc0 .Lwhole%u", a->t.label);
    }
    body_print(a, e);
    if (e->when) zl_putf(a->t.out, ".Lwhole%u:\n", a->t.label++);
}

void zl_aw_coordinates(zl_aw *a, const zl_elements *e)
{
    a->gb.elements = e;
    zl_gb_coordinate(&a->gb, ZL_GB_ROW, &e->row);
    zl_gb_coordinate(&a->gb, ZL_GB_COLUMN, &e->column);
    a->gb.elements = &a->use->elements;
}

/* Four elements of a query are adjacent, in two registers. */
void zl_aw_send(zl_aw *a)
{
    const zlay_attention *ask = &a->p->ask;
    const zl_elements *e = &a->use->elements;
    uint32_t element = a->w->element, at = a->w->query, from = a->w->set[ZL_AW_RESULT];
    zl_aw_coordinates(a, e);
    zl_wave_line(&a->t, "s_mul_i32 s%d, s%d, 0x%x", ZL_S_SCRATCH, ZL_AS_TILE, a->p->info.tile_m);
    zl_wave_line(&a->t, "v_add_u32 v%u, s%d, v%d", at, ZL_S_SCRATCH, ZL_GB_ROW);
    zl_wave_line(&a->t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH, (unsigned long long)(ask->o.row * element));
    zl_wave_line(&a->t, "v_mul_lo_u32 v%u, v%u, s%d", at, at, ZL_S_SCRATCH);
    zl_wave_line(&a->t, "v_lshl_add_u32 v%u, v%d, %u, v%u", at, ZL_GB_COLUMN, zl_log2(element), at);
    for (uint32_t run = 0; run < e->values; run += ZL_ROOM_RUN)
        zl_wave_form(&a->t, ZL_WAVE_STORE_8,
                     (const uint32_t[]){from + run * element / 4, at, zl_aw_resource(ZL_AS_O), 0,
                                        (e->column.offset[e->column.of[run]] - e->column.offset[0]) * element});
}
