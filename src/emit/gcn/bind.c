/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the operands of an AMD GEMM plan for its printer: extents, tiles, waves and registers of
 * each, as rows that setup and events read by number. The first rows are the parts of a stage in
 * their order in shared memory; the last one is what the block stores. */
#include "emit/gcn/wave.h"

static void bind_extents(zl_wave_text *t, uint32_t i, uint32_t tile, uint32_t rows)
{
    const zl_operand *o = &t->plan->operand[i];
    t->bound[i].element = o->element;
    t->bound[i].row = o->pitch * o->element;
    t->bound[i].spare = (o->pitch - o->inner) * o->element;
    t->bound[i].outer = o->outer;
    t->bound[i].tile = tile;
    t->bound[i].rows = rows;
    t->bound[i].step = rows * t->bound[i].row;
    t->bound[i].pointer = ZL_S_POINTER + 2 * i;
    t->bound[i].resource = ZL_S_RESOURCE + 4 * i;
}

/* Of groups A and D have rows, which begin anywhere, and B a matrix each. */
static void bind_groups(zl_wave_text *t)
{
    for (uint32_t i = 0; i < ZL_WAVE_BOUND; i++) {
        zl_wave_bound *o = &t->bound[i];
        o->ragged = i != ZLAY_OPERAND_B;
        if (o->ragged) o->step = o->row;
        else o->each = o->outer * o->row;
    }
}

void zl_wave_bind(zl_wave_text *t)
{
    const zlay_plan_summary *info = &t->plan->info;
    const zlay_wave_gemm *w = t->w;
    zl_wave_bound *a = &t->bound[ZLAY_OPERAND_A], *b = &t->bound[ZLAY_OPERAND_B];
    bind_extents(t, ZLAY_OPERAND_A, ZL_S_TILE_M, info->tile_m);
    bind_extents(t, ZLAY_OPERAND_B, ZL_S_TILE_N, info->tile_n);
    bind_extents(t, ZLAY_OPERAND_D, ZL_S_TILE_M, info->tile_m);
    if (info->groups) bind_groups(t);
    a->waves = w->waves_m, a->turn = w->waves_n;
    b->waves = w->waves_n, b->turn = 1;
    a->loads = w->loads_a, b->loads = w->loads_b;
    a->blocks = w->blocks_m, b->blocks = w->blocks_n;
    b->first_load = a->loads;
    b->first_block = a->blocks;
    b->smem = info->smem_b;
}
