/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the certificate of a move of several copies: two layouts, cell -> element of global
 * memory, one as the copies leave it and one as the request names it, for tiles 0 and 1 along each
 * axis. All other tiles follow, for coordinates are affine in the tile's index. The copies are
 * executed chunk by chunk as the PTX ISA says what each writes; where every chunk is the one that
 * its cells want, the two layouts are equal. */
#include "synth/tensormap/several/cover.h"

#include "algebra/find/table.h"

#include <string.h>

typedef struct landing {
    const zl_chunks *c;
    zlay_move *move;
    int64_t *chunk; /* the global chunk that lies in each of shared memory */
    uint8_t *there;
} landing;

static uint64_t steps_of(const zlay_tensormap *map, uint32_t i)
{
    if (map->interleave && i + 2 == map->rank) return 1;
    return (map->box[i] + map->step[i] - 1) / map->step[i];
}

/* The address of a row of an im2col copy: pixels go on from the first one through lines, planes and
 * images. */
static int64_t pixel_address(const zl_tm *t, const zlay_tensormap *map, const int64_t *at,
                             uint64_t row)
{
    int64_t address = zl_tm_address(t, map) + at[0] * zl_tm_stride(t, map, 0);
    int64_t index = (int64_t)row;
    for (uint32_t i = 1; i < map->rank; i++) {
        int64_t extent = i + 1 < map->rank ? (int64_t)map->extent[i] : INT64_MAX;
        index += at[i];
        address += index % extent * zl_tm_stride(t, map, i);
        index /= extent;
    }
    return address;
}

static int64_t row_address(const zl_tm *t, const zlay_tensormap *map, const int64_t *at,
                           uint64_t row)
{
    int64_t address = zl_tm_address(t, map);
    if (map->mode) return pixel_address(t, map, at, row);
    if (!map->interleave) address += at[0] * zl_tm_stride(t, map, 0);
    for (uint32_t i = !map->interleave; i < map->rank; i++) {
        int64_t index = (int64_t)(row % steps_of(map, i)) * map->step[i];
        address += (at[i] + index) * zl_tm_stride(t, map, i);
        row /= steps_of(map, i);
    }
    return address;
}

/* Records what one copy writes, as PTX ISA states it. */
static void land(landing *l, const zlay_copy *copy, const int64_t *at)
{
    const zlay_tensormap *map = &l->move->maps[copy->map];
    uint64_t rows = map->mode ? map->pixels : 1;
    uint64_t width = map->mode ? map->channels : map->box[0];
    width = width * (uint64_t)zl_tm_stride(l->c->t, map, 0) / ZL_CHUNK;
    if (map->interleave) width = (uint64_t)map->interleave;
    uint64_t pitch = map->swizzle && !map->interleave ? zl_tm_span(map->swizzle) / ZL_CHUNK : width;
    for (uint32_t i = !map->interleave; !map->mode && i < map->rank; i++) rows *= steps_of(map, i);
    for (uint64_t row = 0; row < rows; row++) {
        int64_t from = row_address(l->c->t, map, at, row) / ZL_CHUNK;
        for (uint64_t i = 0; i < width; i++) {
            uint64_t to = copy->smem / ZL_CHUNK + row * pitch + i;
            to ^= zl_tm_flip(map->swizzle, to / ZL_LINE_CHUNKS);
            if (to >= l->c->count) continue;
            l->chunk[to] = from + (int64_t)i;
            l->there[to] = zl_tm_swaps(map->swizzle, to / ZL_LINE_CHUNKS) ? ZL_THERE | ZL_SWAPPED
                                                                          : ZL_THERE;
        }
    }
}

/* Executes all copies of a tile. */
static void land_all(landing *l, const int64_t *tile)
{
    memset(l->there, 0, l->c->count);
    for (uint32_t k = 0; k < l->move->info.copies; k++) {
        const zlay_copy *copy = &l->move->copies[k];
        int64_t at[ZL_TM_RANK];
        for (uint32_t i = 0; i < ZL_TM_RANK; i++) {
            at[i] = copy->coordinate[i];
            for (uint32_t j = 0; j < l->c->t->modes; j++) at[i] += copy->advance[i][j] * tile[j];
        }
        land(l, copy, at);
    }
}

/* The tile of a number among those that are tested, which are 0 and, where there is one, 1 along
 * each mode; returns how many these are. */
static uint64_t tiles_of(const zl_tm *t, int64_t *tile, uint64_t index)
{
    uint64_t count = 1;
    for (uint32_t j = 0; j < t->modes; j++) {
        uint64_t both = t->count[j] > 1 ? 2 : 1;
        tile[j] = (int64_t)(index % both);
        index /= both;
        count *= both;
    }
    return count;
}

/* Elements from the first tile to this one. */
static int64_t tile_way(const zl_tm *t, const int64_t *tile)
{
    int64_t way = 0;
    for (uint32_t i = 0; i < t->axes; i++)
        if (t->axis[i].tiles > 1)
            way += tile[t->axis[i].mode] * zl_tm_tile_way(&t->axis[i]);
    return way / t->element;
}

/* Whether all chunks of a tile are those that its cells want. */
static bool tile_lands(landing *l, const int64_t *tile)
{
    const zl_chunks *c = l->c;
    int64_t way = tile_way(c->t, tile) * c->t->element;
    land_all(l, tile);
    for (uint64_t i = 0; i < c->count; i++)
        if (c->there[i] && (l->there[i] != c->there[i] || (l->chunk[i] - c->key[i * c->width]) * ZL_CHUNK != way))
            return false;
    return true;
}

static zlay_status all_land(landing *l)
{
    int64_t tile[ZLAY_TILE_AXES];
    uint64_t tiles = tiles_of(l->c->t, tile, 0);
    for (uint64_t n = 0; n < tiles; n++) {
        tiles_of(l->c->t, tile, n);
        if (tile_lands(l, tile)) continue;
        return zl_fail(l->c->t->ctx, ZLAY_EINTERNAL,
                       "copies bring other bytes than they should; please report this request");
    }
    return ZLAY_OK;
}

/* ---- what is wanted -------------------------------------------------------------------------- */

/* The first two tiles along each mode that has them, as modes of the certificate. */
static zlay_status tiles_put(zl_modes *box, const zl_tm *t)
{
    int64_t tile[ZLAY_TILE_AXES] = {0};
    zlay_status status = ZLAY_OK;
    for (uint32_t j = 0; j < t->modes && !status; j++) {
        if (t->count[j] < 2) continue;
        tile[j] = 1;
        status = zl_modes_leaf(box, 2, tile_way(t, tile));
        tile[j] = 0;
    }
    if (!status && !box->count) status = zl_modes_leaf(box, 1, 0);
    if (!status && box->count > 1) zl_modes_wrap(box, 0);
    return status;
}

/* The layout that the request names, for a source that is a sum of axes. */
static zlay_status axes_wanted(zlay_layout **out, zl_modes *box, const zl_tm *t)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < t->axes && !status; i++)
        if (t->axis[i].tile > 1)
            status = zl_modes_leaf(box, (int64_t)t->axis[i].tile, zl_tm_cell_way(&t->axis[i]) / t->element);
    if (!status) status = tiles_put(box, t);
    box->offset = zl_tm_first(t) / t->element;
    return status ? status : zl_layout_strided(t->ctx, out, box, (zl_swizzle){0});
}

static void values_fill(zl_table *table, const zl_chunks *c)
{
    int64_t tile[ZLAY_TILE_AXES];
    uint64_t tiles = tiles_of(c->t, tile, 0);
    for (uint64_t n = 0; n < tiles; n++) {
        tiles_of(c->t, tile, n);
        int64_t way = tile_way(c->t, tile);
        for (uint64_t i = 0; i < c->cells; i++)
            if (!c->t->defined || c->t->defined[i])
                zl_table_set(table, n * c->cells + i, c->global[i] + way);
    }
}

/* The layout that the request names, for a source that was read value by value. */
static zlay_status values_wanted(zlay_layout **out, zl_modes *box, const zl_chunks *c)
{
    zl_table table = {0};
    int64_t tile[ZLAY_TILE_AXES];
    zlay_ctx *ctx = c->t->ctx;
    zlay_status status = zl_table_new(ctx, &table, c->cells * tiles_of(c->t, tile, 0));
    for (uint32_t i = 0; i < c->t->modes && !status; i++)
        if (c->t->request.shape[i] > 1)
            status = zl_modes_leaf(box, (int64_t)c->t->request.shape[i], 0);
    if (!status) status = tiles_put(box, c->t);
    if (!status) values_fill(&table, c);
    if (!status) status = zl_cheapest(ctx, out, &table, box, NULL, NULL);
    zl_table_free(&table);
    return status;
}

static zlay_status wanted(zlay_layout **out, const zl_chunks *c)
{
    zl_modes box;
    zl_modes_begin(&box, c->t->ctx);
    zlay_status status = c->t->value ? values_wanted(out, &box, c) : axes_wanted(out, &box, c->t);
    zl_modes_end(&box);
    return status;
}

zlay_status zl_chunks_certify(const zl_chunks *c, zlay_move *move)
{
    zlay_ctx *ctx = c->t->ctx;
    landing l = {c, move, zl_scratch(ctx, c->count, sizeof *l.chunk), zl_scratch(ctx, c->count, 1)};
    zlay_status status = l.chunk && l.there ? all_land(&l) : ZLAY_ENOMEM;
    if (!status) status = wanted(&move->certificate[1], c);
    if (!status) status = zl_layout_copy(ctx, &move->certificate[0], move->certificate[1]);
    return status ? status : zl_move_certify(ctx, move);
}
