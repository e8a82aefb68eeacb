/* SPDX-License-Identifier: Apache-2.0 */
/* Plans tiles of tensors whose extents may have names.
 *
 * A side with more cells than the tile is a tensor. The plan is for the copy of its first tile,
 * and uses only facts about the begin of tiles that hold for all of them. Along an axis whose
 * last tile may leave the tensor, no access is longer than a granule, the greatest number of
 * cells that divides tile and extent for all values of the names: so an access lies wholly inside
 * or wholly outside. */
#include "algebra/symbolic/symbol.h"
#include "synth/copy/copy.h"

#include <string.h>
#include <zlay/copy_synth.h>

static const char *const side_names[ZL_SIDES] = {"source", "dest"};

/* ---- the request ------------------------------------------------------------------------ */

static zlay_status fields_check(const zl_copy *c)
{
    const zlay_copy_request *r = &c->request;
    if (r->axes > ZLAY_TILE_AXES)
        return zl_fail(c->ctx, ZLAY_EINVAL, "tile: has %u entries, not 1 to %d", r->axes,
                       ZLAY_TILE_AXES);
    for (uint32_t i = 0; i < ZLAY_TILE_AXES; i++)
        if (i < r->axes ? !r->tile[i] || r->tile[i] > INT32_MAX : r->tile[i])
            return zl_fail(c->ctx, ZLAY_EINVAL, "tile: entry %u is %llu, not %s", i,
                           (unsigned long long)r->tile[i],
                           i < r->axes ? "1 to 2^31 - 1" : "0, as beyond the last");
    if (r->axes && r->registers)
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "tile: a side of fragments is one tile");
    return ZLAY_OK;
}

/* Whether the layout has the cells of one tile. */
static bool is_tile(const zl_copy *c, const zlay_layout *a)
{
    uint64_t cells = 1;
    for (uint32_t i = 0; i < c->request.axes; i++) cells = zl_umul_sat(cells, c->request.tile[i]);
    for (size_t i = 0; a->symbols && i < a->symbols->leaves; i++)
        if (!zl_monomial_constant(&a->symbols->leaf[i].shape)) return false;
    return zlay_layout_size(a) == cells;
}

static zlay_status modes_check(const zl_copy *c, int side, const zl_symbols *s)
{
    if (s->leaves == c->request.axes) return ZLAY_OK;
    return zl_fail(c->ctx, ZLAY_EINVAL, "tile: has %u entries, %s.layout %zu modes",
                   c->request.axes, side_names[side], s->leaves);
}

static zlay_status text_of(zlay_ctx *ctx, char out[ZL_STEP_TEXT], const zl_symbols *s,
                           zl_monomial m, uint64_t times)
{
    zl_text to = {out, ZL_STEP_TEXT - 1, 0};
    if (!zl_mul(m.factor, (int64_t)times, &m.factor))
        return zl_fail(ctx, ZLAY_EOVERFLOW, "tile: its steps do not fit 64 bits");
    zl_monomial_print(&to, &m, s);
    if (to.need >= ZL_STEP_TEXT)
        return zl_fail(ctx, ZLAY_ELIMIT, "a step in names has over %d bytes", ZL_STEP_TEXT);
    out[to.need] = 0;
    return ZLAY_OK;
}

/* ---- axes ---------------------------------------------------------------------------------- */

static zlay_status axis_put(zl_copy *c, int side, const zl_symbols *s, uint32_t k)
{
    char extent[ZL_STEP_TEXT];
    zl_move_tiles *t = &c->tiles;
    uint64_t tile = c->request.tile[k];
    zlay_range cells = zl_monomial_range(&s->leaf[k].shape, s);
    zl_monomial next = s->leaf[k].stride;
    uint64_t known = zl_gcd(tile, zl_range_divisor(cells)), far;
    t->axis[k] = (zlay_move_axis){tile, known, known != tile, 0};
    c->many[k] = cells.hi == INT64_MAX || (uint64_t)cells.hi > tile;
    zlay_status status = text_of(c->ctx, extent, s, s->leaf[k].shape, 1);
    if (!status) status = text_of(c->ctx, t->advance[side][k], s, next, tile);
    if (status) return status;
    if (c->tensors && strcmp(extent, t->extent[k]) != 0)
        return zl_fail(c->ctx, ZLAY_EINVAL, "dest.layout: mode %u has %s cells, the source's %s", k,
                       extent, t->extent[k]);
    strcpy(t->extent[k], extent);
    next.factor *= (int64_t)tile;
    far = zl_range_divisor(zl_monomial_range(&next, s));
    c->apart[side][k] = c->many[k] ? far : 0;
    c->stepped[side] = zl_gcd(c->stepped[side], c->apart[side][k]);
    return ZLAY_OK;
}

/* Makes the first tile; its names become numbers that may contradict the facts. */
static zlay_status window_make(zl_copy *c, int side, zl_symbols *s)
{
    zlay_status status = zl_symbols_of(c->ctx, s, c->side[side].layout);
    if (status) return status;
    for (uint32_t k = 0; k < c->request.axes; k++)
        s->leaf[k].shape = zl_monomial_of((int64_t)c->request.tile[k]);
    zlay_copy_side *asked = side == ZL_SOURCE ? &c->request.source : &c->request.dest;
    status = zl_symbols_layout(c->ctx, &c->window[side], s);
    asked->layout = c->side[side].layout = c->window[side];
    return status;
}

static zlay_status tensor_read(zl_copy *c, int side)
{
    zlay_layout *known;
    zlay_status status =
        zl_layout_assume(c->ctx, &known, c->side[side].layout, c->request.facts);
    if (status) return status;
    c->tensor[side] = known;
    if (is_tile(c, known) && is_tile(c, c->side[side].layout)) return ZLAY_OK;
    zl_symbols *s = zl_scratch(c->ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    status = zl_symbols_of(c->ctx, s, known);
    if (status == ZLAY_NONE)
        status = zl_fail(c->ctx, ZLAY_EINVAL, "%s.layout: has %llu points, which are no tile, and "
                         "no strides, as a tensor has", side_names[side],
                         (unsigned long long)zlay_layout_size(known));
    if (!status) status = modes_check(c, side, s);
    for (uint32_t k = 0; k < c->request.axes && !status; k++) status = axis_put(c, side, s, k);
    if (!status) status = window_make(c, side, s);
    c->tensors++;
    return status;
}

zlay_status zl_copy_tiles(zl_copy *c)
{
    zlay_status status = fields_check(c);
    c->tiles.axes = c->request.axes;
    for (int s = 0; s < ZL_SIDES; s++)
        for (uint32_t k = 0; k < c->request.axes; k++) strcpy(c->tiles.advance[s][k], "0");
    for (int s = 0; s < ZL_SIDES && c->request.axes && !status; s++) status = tensor_read(c, s);
    return status;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* The axis of a leaf, and the number of its cells that the next coordinate adds. */
static zlay_move_cells cells_of(const zl_copy *c, const zl_copy_leaf *leaf)
{
    uint64_t place = 1, tile = zl_magnitude(leaf->tile);
    uint32_t k = 0;
    for (; k + 1 < c->tiles.axes && tile >= place * c->request.tile[k]; k++)
        place *= c->request.tile[k];
    return (zlay_move_cells){leaf->tile / (int64_t)place, k, 0};
}

static bool has_edges(const zl_copy *c, const zlay_move_cells *at)
{
    return c->tiles.axis[at->axis].clipped;
}

bool zl_copy_has_edges(const zl_copy *c)
{
    for (uint32_t k = 0; c->tensors && k < c->tiles.axes; k++)
        if (c->tiles.axis[k].clipped) return true;
    return false;
}

bool zl_copy_goes_on(const zl_copy *c, const zl_copy_mode *m, const zl_copy_leaf *leaf)
{
    if (!c->tensors) return true;
    const zl_copy_leaf *first = &c->tile.leaf[m->leaf];
    zlay_move_cells a = cells_of(c, first), b = cells_of(c, leaf);
    if (!has_edges(c, &a) && !has_edges(c, &b)) return true;
    return a.axis == b.axis && first->tile * (int64_t)m->extent == leaf->tile;
}

uint64_t zl_copy_granule(const zl_copy *c, uint32_t mode)
{
    if (!c->tensors || mode >= c->tile.modes) return UINT64_MAX;
    zlay_move_cells at = cells_of(c, &c->tile.leaf[c->tile.mode[mode].leaf]);
    if (!has_edges(c, &at)) return UINT64_MAX;
    uint64_t granule = c->tiles.axis[at.axis].granule;
    return at.step < 1 || granule % (uint64_t)at.step ? 1 : granule / (uint64_t)at.step;
}

bool zl_copy_whole_access(const zl_copy *c, int side, uint32_t run, uint64_t v)
{
    uint64_t most = zl_copy_granule(c, run);
    if (!c->tensors || v == 1) return true;
    if (c->stepped[side] % v) return false;
    return most == UINT64_MAX || (most % v == 0 && (uint64_t)c->tile.offset[side] % v == 0);
}

/* Whether a list of conditions has one; "ld % 8 == 0" is none of "4*ld % 8 == 0". */
static bool has_condition(const char *list, const char *condition)
{
    static const char and[] = " && ";
    size_t length = strlen(condition);
    while (list) {
        bool same = !strncmp(list, condition, length);
        if (same && (!list[length] || !strncmp(list + length, and, strlen(and)))) return true;
        list = strstr(list, and);
        if (list) list += strlen(and);
    }
    return false;
}

bool zl_copy_condition(char *out, const char *subject, uint64_t v)
{
    char condition[ZL_STEP_TEXT + 32];
    zl_text text = {condition, sizeof condition - 1, 0};
    zl_putf(&text, "%s %% %llu == 0", subject, (unsigned long long)v);
    condition[text.need] = 0;
    if (has_condition(out, condition)) return true;
    size_t at = strlen(out), length = text.need + (at ? 4 : 0);
    if (at + length >= ZL_GUARD_TEXT) return false;
    if (at) memcpy(out + at, " && ", 4);
    memcpy(out + at + length - text.need, condition, text.need + 1);
    return true;
}

static bool is_number(const char *text) { return text[strspn(text, "-0123456789")] == 0; }

bool zl_copy_tiles_need(const zl_copy *c, int side, uint32_t run, uint64_t v, char *out)
{
    uint64_t most = zl_copy_granule(c, run);
    if (!c->tensors) return true;
    for (uint32_t k = 0; k < c->tiles.axes; k++) {
        const char *next = c->tiles.advance[side][k];
        if (c->apart[side][k] % v && (is_number(next) || !zl_copy_condition(out, next, v)))
            return false;
    }
    if (most == UINT64_MAX) return true;
    zlay_move_cells at = cells_of(c, &c->tile.leaf[c->tile.mode[run].leaf]);
    if (at.step != 1 || (uint64_t)c->tile.offset[side] % v || c->request.tile[at.axis] % v)
        return false;
    return most % v == 0 || (!is_number(c->tiles.extent[at.axis]) &&
                             zl_copy_condition(out, c->tiles.extent[at.axis], v));
}

/* ---- what the move says ------------------------------------------------------------------------ */

static uint64_t base_of(const zl_copy *c, uint32_t axis)
{
    uint64_t index = (uint64_t)c->tile.index;
    for (uint32_t k = 0; k < axis; k++) index /= c->request.tile[k];
    return index % c->request.tile[axis];
}

zlay_status zl_copy_put_tiles(zl_copy *c, zlay_move *move)
{
    for (uint32_t i = 0; i < c->tile.leaves; i++)
        if (c->tile.leaf[i].tile < 0)
            return zl_fail(c->ctx, ZLAY_ENOTSUP, "dest.layout: falls along a mode of the tile");
    move->tiles = zl_alloc(c->ctx, 1, sizeof *move->tiles);
    if (!move->tiles) return ZLAY_ENOMEM;
    zl_move_tiles *t = move->tiles;
    *t = c->tiles;
    for (uint32_t k = 0; k < t->axes; k++) t->base[k] = base_of(c, k);
    for (uint32_t i = 0; i < c->tile.modes; i++)
        t->mode[i] = cells_of(c, &c->tile.leaf[c->tile.mode[i].leaf]);
    for (uint32_t k = 0; k < t->axes; k++)
        if (t->axis[k].clipped) move->info.edge = ZLAY_EDGE_WEAK;
    return ZLAY_OK;
}

void zl_copy_tiles_write(const zl_copy *c, int side, bool steps, zl_text *out)
{
    for (uint32_t k = 0; k < c->tiles.axes; k++) {
        if (steps) zl_putf(out, ",%s", c->tiles.advance[side][k]);
        else zl_putf(out, ",%d", c->many[k] ? 2 : 1);
    }
}

zlay_status zl_copy_asked(zl_copy *c, zlay_layout **out, int side)
{
    zl_symbols *s = zl_scratch(c->ctx, 1, sizeof *s);
    zlay_status status = s ? zl_symbols_of(c->ctx, s, c->tensor[side]) : ZLAY_ENOMEM;
    for (uint32_t k = 0; k < c->request.axes && !status; k++) {
        zl_symbol_leaf *cell = &s->leaf[k], *tile = &s->leaf[s->leaves++];
        *tile = *cell;
        cell->shape = zl_monomial_of((int64_t)c->request.tile[k]);
        cell->open = tile->open = cell->close = tile->close = 0;
        tile->shape = zl_monomial_of(c->many[k] ? 2 : 1);
        tile->stride.factor *= (int64_t)c->request.tile[k];
    }
    if (status) return status;
    s->leaf[0].open = 1;
    s->leaf[s->leaves - 1].close = 1;
    return zl_symbols_layout(c->ctx, out, s);
}
