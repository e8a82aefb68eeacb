/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the layout (thread, value) -> element of the tile from the digits of a part. */
#include "algebra/layout/layout.h"
#include "algebra/ops/cute.h"
#include "algebra/presburger/pieces.h"
#include "synth/copy/copy.h"

/* The map from an index into the box of the modes, the first one fastest, to an index into the
 * tile. */
static zlay_status of_modes(zl_copy *c, zlay_layout **out)
{
    zl_modes m;
    zlay_status status = ZLAY_OK;
    zl_modes_begin(&m, c->ctx);
    m.offset = c->tile.index;
    for (uint32_t i = 0; !status && i < c->tile.leaves; i++)
        status = zl_modes_leaf(&m, (int64_t)c->tile.leaf[i].extent, c->tile.leaf[i].tile);
    if (!status && !c->tile.leaves) status = zl_modes_leaf(&m, 1, 0);
    if (!status && c->tile.leaves > 1) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(c->ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

enum { ROW = 1 + ZL_PART_DIGITS }; /* the constant first */

/* The guard that the digits of a mode stay inside it, as a row that is not below 0; false: they
 * always do. */
static bool put_guard(const zl_move_part *p, uint32_t mode, size_t width, int64_t *row)
{
    uint64_t reach = 1;
    row[0] = (int64_t)p->mode[mode].extent - 1;
    for (size_t i = 1; i < width; i++) row[i] = 0;
    for (uint32_t i = 0; i < p->part.digits; i++) {
        if (p->digit[i].mode != mode) continue;
        row[1 + i] = -(int64_t)p->digit[i].step;
        reach *= p->digit[i].extent;
    }
    return reach > p->mode[mode].extent;
}

/* The step of a mode in the tile's index, where all its leaves agree; else 0. */
static int64_t tile_step(const zl_copy *c, uint32_t mode)
{
    const zl_copy_mode *m = &c->tile.mode[mode];
    const zl_copy_leaf *leaf = &c->tile.leaf[m->leaf];
    for (uint32_t i = 1; i < m->leaves; i++)
        if (leaf[i].tile != leaf[i - 1].tile * (int64_t)leaf[i - 1].extent) return 0;
    return leaf->tile;
}

/* The layout of the digits, with the step of each mode; with a guard for each mode that they may
 * leave. */
static zlay_status of_digits(zl_copy *c, const zl_move_part *p, const int64_t *step, int64_t first,
                             zlay_layout **out)
{
    const uint64_t none = 0;
    int64_t value[ROW] = {first}, guard[ZL_PART_MODES * ROW];
    uint64_t box[ZL_PART_DIGITS] = {1};
    size_t dims = p->part.digits ? p->part.digits : 1, guards = 0;
    for (uint32_t i = 0; i < p->part.digits; i++) {
        value[1 + i] = (int64_t)p->digit[i].step * step[p->digit[i].mode];
        box[i] = p->digit[i].extent;
    }
    for (uint32_t k = 0; k < p->part.modes; k++) {
        value[0] += (int64_t)p->first[k] * step[k];
        guards += put_guard(p, k, 1 + dims, &guard[guards * (1 + dims)]);
    }
    if (!guards)
        return zl_layout_new_strided(c->ctx, out, dims, (const int64_t *)box, value + 1, *value);
    const zl_piece piece = {0, guards, guard, value};
    const zl_pieces pieces = {
        .dims = dims, .outs = 1, .count = 1, .extent = box, .out_size = &none, .piece = &piece};
    return zl_layout_pieces(c->ctx, out, &pieces, true);
}

/* Makes the same layout through the box of the modes, for tiles whose leaves have another order. */
static zlay_status through_modes(zl_copy *c, const zl_move_part *p, zlay_layout **out)
{
    int64_t stride[ZL_PART_MODES], at = 1;
    zlay_layout *modes = NULL, *digits = NULL;
    for (uint32_t k = 0; k < p->part.modes; at *= (int64_t)c->tile.mode[k++].extent) stride[k] = at;
    zlay_status status = of_modes(c, &modes);
    if (!status) status = of_digits(c, p, stride, 0, &digits);
    if (!status) status = zl_layout_compose(c->ctx, out, modes, digits);
    zlay_layout_free(modes);
    zlay_layout_free(digits);
    return status;
}

zlay_status zl_copy_threads(zl_copy *c, const zl_move_part *p, zlay_layout **out)
{
    int64_t step[ZL_PART_MODES];
    for (uint32_t k = 0; k < p->part.modes; k++)
        if (!(step[k] = tile_step(c, k))) return through_modes(c, p, out);
    return of_digits(c, p, step, c->tile.index, out);
}
