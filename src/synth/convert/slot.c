/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of a distribution as numbers, the register fastest, then lane, warp and block; and the steps
 * of a plan that a table over the indices of src or dst describes. */
#include "synth/convert/convert.h"

uint64_t zl_slot_of(const zl_conversion *c, int side, uint64_t index)
{
    uint64_t at[ZL_LEVELS] = {0}, slot = 0;
    for (size_t i = 0; i < c->dims[side]; i++) {
        uint64_t extent = c->extent[side][c->order[side][i]];
        at[c->order[side][i]] = index % extent;
        index /= extent;
    }
    for (int l = ZL_LEVELS; l--;) slot = slot * c->extent[side][l] + at[l];
    return slot;
}

uint64_t zl_index_of(const zl_conversion *c, int side, uint64_t slot)
{
    uint64_t at[ZL_LEVELS], index = 0;
    for (int l = 0; l < ZL_LEVELS; l++) {
        at[l] = slot % c->extent[side][l];
        slot /= c->extent[side][l];
    }
    for (size_t i = c->dims[side]; i--;)
        index = index * c->extent[side][c->order[side][i]] + at[c->order[side][i]];
    return index;
}

zlay_status zl_points_step(zl_points *p, int32_t op, int32_t way, int side, const zl_table *map)
{
    zlay_ctx *ctx = p->c->ctx;
    const zlay_layout *a = side == ZL_SRC ? p->c->request->src : p->c->request->dst;
    zl_convert_step *step = zl_step_add(p->plan, op, NULL, 0);
    zl_modes box;
    zl_modes_begin(&box, ctx);
    zlay_status status = zl_layout_box(&box, a);
    if (!status)
        status = zl_cheapest(ctx, &step->map[way], map, &box, zl_is_bits(a) ? a : NULL, NULL);
    zl_modes_end(&box);
    return status;
}
