/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the widest access that both sides allow everywhere, and the two points that refute the
 * next wider one. */
#include "synth/copy/copy.h"

/* The index into the tile of a coordinate of one mode, the others 0. */
static uint64_t point_of(const zl_copy *c, uint32_t mode, uint64_t at)
{
    const zl_copy_tile *t = &c->tile;
    int64_t index = t->index;
    for (uint32_t i = 0; mode < t->modes && i < t->mode[mode].leaves; i++) {
        const zl_copy_leaf *leaf = &t->leaf[t->mode[mode].leaf + i];
        index += (int64_t)(at % leaf->extent) * leaf->tile;
        at /= leaf->extent;
    }
    return (uint64_t)index;
}

static bool target_has(const zl_copy *c, uint32_t bytes)
{
    if (bytes > 1u << ZL_WIDTH_MOST) return false;
    for (int s = 0; s < ZL_SIDES; s++)
        if (!(zlay_target_widths(c->target, zl_is_shared(c->side[s].space)) >> bytes & 1))
            return false;
    return true;
}

/* Why v elements are not aligned on one side; false: they are. */
static bool side_refuses(const zl_copy *c, int side, uint32_t run, uint64_t v,
                         zlay_move_widest *out)
{
    const zl_copy_tile *t = &c->tile;
    out->side = side;
    if (c->side[side].align % (v * c->bits / 8)) {
        out->why = ZLAY_WIDEST_ALIGN;
        return true;
    }
    out->why = ZLAY_WIDEST_STEP;
    for (uint32_t k = 0; k < t->modes; k++) {
        if (k == run || (uint64_t)t->mode[k].step[side] % v == 0) continue;
        out->points[1] = point_of(c, k, 1);
        return true;
    }
    return false;
}

static void refuse(const zl_copy *c, uint32_t run, zlay_move_widest *out)
{
    uint64_t v = (uint64_t)out->refused * 8 / c->bits;
    uint64_t extent = run < c->tile.modes ? c->tile.mode[run].extent : 1;
    out->points[0] = out->points[1] = point_of(c, c->tile.modes, 0);
    out->why = ZLAY_WIDEST_TARGET;
    if (!target_has(c, out->refused)) return;
    out->why = ZLAY_WIDEST_SWIZZLE;
    for (int s = 0; s < ZL_SIDES; s++) {
        const zl_swizzle w = c->tile.swizzle[s];
        out->side = s;
        if (w.bits && (uint64_t)1 << w.base < v) return;
    }
    out->why = ZLAY_WIDEST_RUN;
    if (extent < v) {
        out->points[0] = out->points[1] = point_of(c, run, extent - 1);
        return;
    }
    for (int s = 0; s < ZL_SIDES; s++)
        if (side_refuses(c, s, run, v, out)) return;
    out->why = ZLAY_WIDEST_PHASE;
}

void zl_copy_widest(const zl_copy *c, zlay_move_widest *out)
{
    uint32_t run = zl_copy_run(c, ZL_DEST);
    *out = (zlay_move_widest){.width = 0};
    if (run != zl_copy_run(c, ZL_SOURCE)) run = c->tile.modes;
    for (uint32_t log = ZL_WIDTH_MOST + 1; log-- && !out->width;) {
        uint32_t v = zl_copy_vector(c, ZL_SOURCE, run, log);
        if (!v || v != zl_copy_vector(c, ZL_DEST, run, log)) continue;
        if (zl_copy_in_phase(&c->tile, v)) out->width = 1u << log;
    }
    out->refused = 2 * out->width;
    if (out->width) refuse(c, run, out);
}
