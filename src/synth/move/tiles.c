/* SPDX-License-Identifier: Apache-2.0 */
/* What a move says of the tiles of a tensor. */
#include "synth/move/move.h"

static const zl_move_tiles *tiles_of(const zlay_move *move, uint32_t axis)
{
    return move->tiles && axis < move->tiles->axes ? move->tiles : NULL;
}

zlay_status zlay_move_axis_nth(zlay_move_axis *out, const zlay_move *move, uint32_t i)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (!tiles_of(move, i)) return ZLAY_NONE;
    *out = move->tiles->axis[i];
    return ZLAY_OK;
}

typedef struct axis_asked {
    const zl_move_tiles *tiles;
    uint32_t axis;
    int32_t what;
} axis_asked;

/* As many as M + tile - 1 over the tile, without a sum that overflows. */
static void trips_write(zl_text *out, const char *extent, unsigned long long tile)
{
    if (tile == 1) zl_puts(out, extent);
    else zl_putf(out, "%s / %llu + (%s %% %llu != 0)", extent, tile, extent, tile);
}

static void axis_write(zl_text *out, const void *value)
{
    const axis_asked *a = value;
    const zl_move_tiles *t = a->tiles;
    if (a->what == ZLAY_AXIS_EXTENT) zl_puts(out, t->extent[a->axis]);
    else if (a->what == ZLAY_AXIS_TRIPS)
        trips_write(out, t->extent[a->axis], (unsigned long long)t->axis[a->axis].tile);
    else zl_puts(out, t->advance[a->what == ZLAY_AXIS_DEST][a->axis]);
}

zlay_status zlay_move_axis_print(zlay_buf *out, const zlay_move *move, uint32_t i, int32_t what)
{
    if (!out || !move || what < ZLAY_AXIS_EXTENT || what > ZLAY_AXIS_DEST) return ZLAY_EINVAL;
    const axis_asked asked = {tiles_of(move, i), i, what};
    return asked.tiles ? zl_print(out, axis_write, &asked) : ZLAY_NONE;
}

zlay_status zlay_move_cells_info(zlay_move_cells *out, const zlay_move *move, uint32_t part,
                                 uint32_t mode)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (!move->tiles || part >= move->info.parts || mode >= move->parts[part].part.modes)
        return ZLAY_NONE;
    *out = move->tiles->mode[mode];
    return ZLAY_OK;
}

static uint64_t first_of(const zlay_move *move, uint32_t part, uint32_t axis)
{
    const zl_move_tiles *t = move->tiles;
    const zl_move_part *p = &move->parts[part];
    uint64_t cell = t->base[axis];
    for (uint32_t k = 0; k < p->part.modes; k++)
        if (t->mode[k].axis == axis) cell += p->first[k] * (uint64_t)t->mode[k].step;
    return cell;
}

zlay_status zlay_move_first(uint64_t *out, const zlay_move *move, uint32_t part, uint32_t axis)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (part >= move->info.parts || !tiles_of(move, axis)) return ZLAY_NONE;
    *out = first_of(move, part, axis);
    return ZLAY_OK;
}

typedef struct edge_asked {
    const zlay_move *move;
    uint32_t part;
} edge_asked;

static void term_write(zl_text *out, int64_t step, uint32_t mode)
{
    zl_putf(out, " %c ", step < 0 ? '-' : '+');
    if (step != 1 && step != -1) zl_putf(out, "%lld * ", (long long)(step < 0 ? -step : step));
    zl_putf(out, "c%u", mode);
}

static void below_write(zl_text *out, const edge_asked *e, uint32_t axis)
{
    const zl_move_tiles *t = e->move->tiles;
    const zl_move_part *p = &e->move->parts[e->part];
    unsigned long long first = first_of(e->move, e->part, axis);
    zl_putf(out, "t%u * %llu", axis, (unsigned long long)t->axis[axis].tile);
    if (first) zl_putf(out, " + %llu", first);
    for (uint32_t k = 0; k < p->part.modes; k++)
        if (t->mode[k].axis == axis && p->mode[k].extent > 1) term_write(out, t->mode[k].step, k);
    zl_putf(out, " < %s", t->extent[axis]);
}

static void edge_write(zl_text *out, const void *value)
{
    const edge_asked *e = value;
    const zl_move_tiles *t = e->move->tiles;
    bool behind = false;
    for (uint32_t i = 0; t && i < t->axes; i++) {
        if (!t->axis[i].clipped) continue;
        if (behind) zl_puts(out, " && ");
        below_write(out, e, i);
        behind = true;
    }
}

zlay_status zlay_move_edge_print(zlay_buf *out, const zlay_move *move, uint32_t part)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (part >= move->info.parts) return ZLAY_NONE;
    const edge_asked asked = {move, part};
    return zl_print(out, edge_write, &asked);
}
