/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the epilogue of an AMD GEMM kernel: the plan's body on the sums, and for each run of four columns the stores of its
 * result to D. Where a lane's elements lie follows from the layout of the sums. Stores behind the last column take an offset
 * outside the buffer resource, which the hardware drops. */
#include "emit/gcn/body.h"
#include "base/arith.h"

#include <zlay/hazard.h>

static const zl_wave_bound *stored(const zl_gb *g) { return &g->t->bound[ZL_WAVE_STAGED]; }

/* Prints the addresses of the lane's rows in D, from its first row and column on. */
static void setup(zl_gb *g)
{
    const zl_wave_bound *d = stored(g);
    const zl_element_axis *row = &g->elements->row;
    zl_gb_coordinate(g, ZL_GB_ROW, row);
    zl_gb_coordinate(g, ZL_GB_COLUMN, &g->elements->column);
    zl_wave_line(g->t, "s_mov_b32 s%d, 0x%llx", ZL_S_SCRATCH, (unsigned long long)d->row);
    zl_wave_line(g->t, "v_mul_lo_u32 v%d, v%d, s%d", ZL_GB_ROWS, ZL_GB_ROW, ZL_S_SCRATCH);
    zl_wave_line(g->t, "v_lshl_add_u32 v%d, v%d, %u, v%d", ZL_GB_ROWS, ZL_GB_COLUMN,
                 zl_log2(d->element), ZL_GB_ROWS);
    for (uint32_t i = 1; i < row->count; i++)
        zl_wave_line(g->t, "v_add_u32 v%u, 0x%llx, v%d", ZL_GB_ROWS + i,
                     (unsigned long long)((row->offset[i] - row->offset[0]) * d->row), ZL_GB_ROWS);
    zl_wave_line(g->t, "v_bfrev_b32 v%d, 1", ZL_GB_NOWHERE);
}

/* The register with the offset of a store of row `row` from column `column` on. */
static uint32_t offset(zl_gb *g, uint32_t row, uint32_t column)
{
    const zlay_plan_summary *info = &g->t->plan->info;
    if (info->n % info->tile_n == 0) return ZL_GB_ROWS + row;
    zl_wave_line(g->t, "s_sub_i32 s%d, s%d, 0x%x", ZL_S_SCRATCH, ZL_S_COLUMNS, column);
    zl_wave_line(g->t, "v_cmp_gt_i32 vcc, s%d, v%d", ZL_S_SCRATCH, ZL_GB_COLUMN);
    zl_wave_hold(g->t, ZLAY_FIRST_VALU_SGPR, ZLAY_THEN_VALU_SGPR, g->t->printed);
    zl_wave_line(g->t, "v_cndmask_b32 v%d, v%d, v%u, vcc", ZL_GB_MASKED, ZL_GB_NOWHERE,
                 ZL_GB_ROWS + row);
    return ZL_GB_MASKED;
}

/* The form of a store, by log2 of its bytes; two bytes of the upper half of a register have their own. */
static zl_wave_form_id form_of(uint32_t width, uint32_t bytes)
{
    static const zl_wave_form_id forms[] = {ZL_WAVE_STORE_1, ZL_WAVE_STORE_2, ZL_WAVE_STORE_4,
                                            ZL_WAVE_STORE_8, ZL_WAVE_STORE_16};
    return width == 2 && bytes % 4 ? ZL_WAVE_STORE_2_HIGH : forms[zl_log2(width)];
}

/* The register from which a store takes the run's result from byte `bytes` on; a single byte is moved down first. */
static uint32_t source(zl_gb *g, uint32_t from, uint32_t bytes)
{
    char to[ZL_GB_TEXT], own[ZL_GB_TEXT], by[ZL_GB_TEXT];
    from += bytes / 4;
    if (g->t->w->store_bytes > 1 || bytes % 4 == 0) return from;
    zl_gb_says(g, "v_lshrrev_b32 %0, %1, %2", zl_gb_vector(to, ZL_GB_TEMP),
               zl_gb_decimal(by, 8 * (bytes % 4)), zl_gb_vector(own, from));
    return ZL_GB_TEMP;
}

/* Prints one store of the run's result, as wide as the plan says. */
static void store_part(zl_gb *g, uint32_t from, uint32_t part)
{
    const zl_elements *e = g->elements;
    uint32_t width = g->t->w->store_bytes, bytes = part * width, element = stored(g)->element;
    uint32_t column = e->column.offset[e->column.of[g->run]] - e->column.offset[0];
    uint32_t at = offset(g, e->row.of[g->run], column + bytes / element);
    zl_wave_form(g->t, form_of(width, bytes),
                 (const uint32_t[]){source(g, from, bytes), at, stored(g)->resource, 0,
                                    column * element + bytes});
    if (width == 16) g->wide_at = g->t->printed;
}

/* The registers of the run's result; a value of columns or rows alone is moved side by side. */
static uint32_t result(zl_gb *g)
{
    const zl_body_node *n = &g->body->nodes[g->outputs.node[0]];
    char to[ZL_GB_TEXT], from[ZL_GB_TEXT];
    if (n->shape == ZL_ON_BOTH) return zl_gb_register(g, g->outputs.node[0], 0);
    if (zlay_type_bits(n->type) == 8) zl_gb_refuse(g, "a result that no sum goes into", n->type);
    zl_body_node as = {.type = n->type, .shape = ZL_ON_BOTH};
    for (uint32_t i = 0; i < zl_room_count(&as, g->elements); i++)
        zl_gb_says(g, "v_mov_b32 %0, %1", zl_gb_vector(to, ZL_GB_TEMP + i),
                   zl_gb_operand(g, from, g->outputs.node[0], &as, i, ZL_GB_TEMPS - 1));
    return ZL_GB_TEMP;
}

static void store(zl_gb *g)
{
    uint32_t from = result(g), width = g->t->w->store_bytes;
    for (uint32_t part = 0; part * width < ZL_ROOM_RUN * stored(g)->element; part++)
        store_part(g, from, part);
}

void zl_wave_store(zl_wave_text *t)
{
    zl_mark mark = zl_scratch_mark(t->ctx);
    zl_elements *e = zl_scratch(t->ctx, 1, sizeof *e);
    zl_room *room = zl_scratch(t->ctx, 1, sizeof *room);
    zl_gb g = {.t = t, .body = zl_wave_body(t->plan), .event = t->use, .elements = e, .room = room,
               .outputs = zl_room_output(zl_wave_output(t->plan)), .base = zl_wave_body_first(t->plan),
               .masks = t->plan->wave.body_masks, .arrays = zl_wave_scales_arrays(t->plan)};
    zlay_status status = e && room ? zl_wave_sums(t->ctx, e, t->plan) : ZLAY_ENOMEM;
    if (!status) status = zl_room_make(t->ctx, room, g.body, e, &g.outputs);
    if (status) {
        if (!*t->status) *t->status = status;
        return;
    }
    setup(&g);
    zl_gb_constants(t);
    zl_gb_arrays(&g);
    zl_gb_body(&g, store);
    zl_scratch_release(t->ctx, mark);
}
