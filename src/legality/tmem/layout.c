/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of tensor memory: the modes of a shape's rows as one strided layout. */
#include "algebra/ops/cute.h"
#include "base/request.h"
#include "algebra/text/format.h"
#include "base/arith.h"
#include "legality/tmem/tmem.h"

#include <zlay/pieces.h>

#include <stdio.h>
#include <string.h>

enum { LANE = ZLAY_TMEM_LANE, CELL = 4 };

/* ---- modes ---------------------------------------------------------------------------- */

/* The coordinates of a layout; those of a warp's registers and those of rows count alike. */
enum { FIRST, SECOND, COPIES };
enum { THREAD = FIRST, ROW = FIRST, REGISTER = SECOND, COLUMN = SECOND, COPY = COPIES };
enum { SIZE = 0, SPLIT = 1 << 20 };

typedef struct mode {
    int32_t shape;
    int part;
    uint32_t extent, size, lane, column;
} mode;

static const mode modes[] = {
#define TMEM_MODE(shape, part, extent, size, lane, column)                                         \
    {ZLAY_TMEM_##shape, part, extent, size, lane, column},
#include "legality/tmem/tmem.def"
};

/* A row's factors begin in one cell and end in the next. */
static bool crosses(const zlay_tmem_map *map) { return map->first + map->factors > CELL; }

/* Cells that the rows of one factor take, by columns. */
static uint64_t columns_of(const zlay_tmem_map *map)
{
    uint64_t columns = 0;
    for (size_t i = 0; i < ZL_COUNT(modes); i++)
        if (modes[i].shape == map->shape && modes[i].extent == SIZE)
            columns = map->size / modes[i].size;
    return columns;
}

/* Addresses count cells, those of scales bytes; packed registers hold half of two columns. */
static uint64_t stride_of(const mode *m, const zlay_tmem_map *map)
{
    uint64_t column = m->column == SPLIT ? map->half_split : m->column * (map->pack ? 2 : 1);
    return (m->lane * (uint64_t)LANE + column) * (zl_tmem_scales(map) ? 4 : 1);
}

typedef struct text {
    char shape[64], stride[96];
    size_t shape_length, stride_length;
} text;

static void add(text *t, uint64_t extent, uint64_t stride)
{
    const char *comma = t->shape_length ? "," : "";
    char *shape = t->shape + t->shape_length, *strides = t->stride + t->stride_length;
    size_t shape_room = sizeof t->shape - t->shape_length;
    size_t stride_room = sizeof t->stride - t->stride_length;
    t->shape_length +=
        (size_t)snprintf(shape, shape_room, "%s%llu", comma, (unsigned long long)extent);
    t->stride_length +=
        (size_t)snprintf(strides, stride_room, "%s%llu", comma, (unsigned long long)stride);
}

static void add_modes(text *t, const zlay_tmem_map *map, int part)
{
    if (map->pack && part == SECOND) add(t, 2, 1);
    if (zl_tmem_scales(map) && part == SECOND) add(t, crosses(map) ? CELL : map->factors, 1);
    if (zl_tmem_scales(map) && part == SECOND && crosses(map)) add(t, 2, columns_of(map) * CELL);
    for (size_t i = 0; i < ZL_COUNT(modes); i++) {
        const mode *m = &modes[i];
        if (m->shape == map->shape && m->part == part)
            add(t, m->extent == SIZE ? map->size / m->size : m->extent, stride_of(m, map));
    }
    if (!t->shape_length) add(t, 1, 0);
}

/* Several modes of one coordinate are one nested mode. */
static void enclose(text *t)
{
    if (!strchr(t->shape, ',')) return;
    memmove(t->shape + 1, t->shape, t->shape_length);
    memmove(t->stride + 1, t->stride, t->stride_length);
    t->shape[0] = t->stride[0] = '(';
    memcpy(t->shape + t->shape_length + 1, ")", 2);
    memcpy(t->stride + t->stride_length + 1, ")", 2);
}

static zlay_status build(zlay_ctx *ctx, zlay_layout **out, const zlay_tmem_map *map)
{
    text first = {.shape_length = 0}, second = first, copies = first;
    uint64_t offset = (uint64_t)map->address * (zl_tmem_scales(map) ? CELL : 1);
    if (zl_tmem_scales(map) && !crosses(map)) offset += map->first;
    bool registers = map->shape <= ZLAY_TMEM_16X32BX2;
    bool path = !zl_tmem_scales(map) && map->shape > ZLAY_TMEM_CP_32X128B;
    add_modes(&first, map, FIRST);
    add_modes(&second, map, SECOND);
    add_modes(&copies, map, COPIES);
    enclose(&first), enclose(&second), enclose(&copies);
    if (registers || path)
        return zl_layout_format(ctx, out, "%llu o (%s,%s):(%s,%s)", (unsigned long long)offset,
                                first.shape, second.shape, first.stride, second.stride);
    return zl_layout_format(ctx, out, "%llu o (%s,%s,%s):(%s,%s,%s)", (unsigned long long)offset,
                            first.shape, second.shape, copies.shape, first.stride, second.stride,
                            copies.stride);
}

/* Of two cells those factors that are asked for. */
static zlay_status cut(zlay_ctx *ctx, zlay_layout **out, const zlay_tmem_map *map)
{
    zlay_layout *whole = *out;
    *out = NULL;
    const zlay_slice kept = {1, map->first, (int64_t)map->first + map->factors, 1};
    zlay_status status = zl_layout_slice(ctx, out, whole, &kept);
    zlay_layout_free(whole);
    return status;
}

/* ---- questions ------------------------------------------------------------------------- */

static bool size_is(const zlay_tmem_map *map, const zl_tmem_shape *row)
{
    bool registers = map->shape <= ZLAY_TMEM_16X32BX2;
    if (!row->most) return map->size == 0;
    return map->size && map->size <= row->most && map->size % row->span == 0 &&
           (!registers || zl_is_power_of_two(map->size));
}

static bool factors_are(const zlay_tmem_map *map)
{
    static const struct {
        uint32_t factors, step;
    } rows[] = {
#define TMEM_FACTORS(factors, step) {factors, step},
#include "legality/tmem/tmem.def"
    };
    if (!zl_tmem_scales(map)) return !map->factors && !map->first;
    for (size_t i = 0; i < ZL_COUNT(rows); i++)
        if (rows[i].factors == map->factors)
            return map->first < CELL && map->first % rows[i].step == 0;
    return false;
}

static bool modifiers_are(const zlay_tmem_map *map)
{
    bool registers = map->shape <= ZLAY_TMEM_16X32BX2;
    if (map->pack > 1 || (map->pack && !registers)) return false;
    return map->half_split < ZLAY_TMEM_COLUMNS &&
           (!map->half_split || map->shape == ZLAY_TMEM_16X32BX2);
}

static zlay_status layout_of(zlay_ctx *ctx, zlay_layout **out, const zlay_tmem_map *map)
{
    const zl_tmem_shape *row = map ? zl_tmem_shape_of(map->shape) : NULL;
    if (!row || !zl_is_zero(map->reserved, sizeof map->reserved)) return ZLAY_EINVAL;
    if (!size_is(map, row))
        return zl_fail(ctx, ZLAY_NONE, "%s has no size %u: at most %u, a multiple of %u", row->name,
                       map->size, row->most, row->span);
    if (!factors_are(map))
        return zl_fail(ctx, ZLAY_NONE, "%s has no %u factors a row from the id %u on", row->name,
                       map->factors, map->first);
    if (!modifiers_are(map))
        return zl_fail(ctx, ZLAY_NONE, "%s is not packed or split so", row->name);
    zlay_status status = build(ctx, out, map);
    return status || !zl_tmem_scales(map) || !crosses(map) ? status : cut(ctx, out, map);
}

zlay_status zl_tmem_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_tmem_map *map)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    zlay_status status = zl_whole(ctx, layout_of(ctx, out, map));
    if (status) {
        zlay_layout_free(*out);
        *out = NULL;
    }
    return zl_leave_part(ctx, mark, status);
}

zlay_status zlay_tmem_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_tmem_map *map)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, zl_tmem_layout(ctx, out, map));
}
