/* SPDX-License-Identifier: Apache-2.0 */
/* Finds every tensor memory access (shape, size, address) whose layout equals a given layout.  Each
 * shape is taken in the size that has as many points, and compared point by point.  Where none is
 * equal, the one that agrees longest is reported. */
#include "legality/tmem/tmem.h"
#include "synth/fragment/recognise.h"

#include <string.h>
#include <zlay/fragment.h>
#include <zlay/tmem.h>

enum { POINTS_MOST = 1 << 17, FOUND_MOST = 64, CELL = 4, SECOND_HALF = 16 };

typedef struct search {
    zlay_ctx *ctx;
    zl_compared asked;
    uint64_t points;
    int64_t first; /* the value at index 0 */
    zlay_tmem_map *out;
    size_t room, found;
    zlay_tmem_map nearest; /* shape 0: none has as many points */
    zl_difference where;
} search;

/* Compares one candidate; keeps it if it is equal, or as the nearest if it agrees longest. */
static zlay_status compare(search *s, const zlay_tmem_map *map, const zlay_layout *layout)
{
    zl_difference where;
    if (!zl_differs(&where, &s->asked, layout, 1)) return ZLAY_OK;
    if (where.at == s->points) {
        if (s->found < s->room) s->out[s->found] = *map;
        s->found++;
    } else if (!s->nearest.shape || where.at > s->where.at) {
        s->nearest = *map;
        s->where = where;
    }
    return ZLAY_OK;
}

static zlay_status ask(search *s, const zlay_tmem_map *map)
{
    zlay_layout *layout = NULL;
    zlay_status status = zl_tmem_layout(s->ctx, &layout, map);
    if (!status) status = compare(s, map, layout);
    zlay_layout_free(layout);
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

/* Tries a shape in the size that has as many points as the layout; points grow with the size. */
static zlay_status ask_sized(search *s, zlay_tmem_map map)
{
    const zl_tmem_shape *row = zl_tmem_shape_of(map.shape);
    zlay_layout *least = NULL;
    map.size = row->most ? row->span : 0;
    zlay_status status = zl_tmem_layout(s->ctx, &least, &map);
    if (status) return status == ZLAY_NONE ? ZLAY_OK : status;
    uint64_t points = zlay_layout_size(least);
    zlay_layout_free(least);
    uint64_t times = s->points / points;
    if (s->points % points || !times || times > (row->most ? row->most : 1)) return ZLAY_OK;
    map.size *= (uint32_t)times;
    return ask(s, &map);
}

/* The half split of 16x32bx2: the column of index 16, where the second half begins; 0: none. */
static uint32_t split_of(const search *s)
{
    int64_t at = 0;
    if (s->points <= SECOND_HALF || !zl_compared_value(&at, &s->asked, SECOND_HALF)) return 0;
    bool within = at > s->first && at < s->first + ZLAY_TMEM_COLUMNS;
    return within ? (uint32_t)(at - s->first) : 0;
}

static zlay_status ask_registers(search *s, int32_t shape)
{
    zlay_tmem_map map = {.shape = shape, .address = (uint32_t)s->first};
    if (shape == ZLAY_TMEM_16X32BX2) map.half_split = split_of(s);
    zlay_status status = ask_sized(s, map);
    map.pack = 1;
    return status ? status : ask_sized(s, map);
}

static zlay_status ask_scales(search *s, int32_t shape)
{
    static const uint32_t factors[] = {1, 2, 3, 4, 6};
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(factors); i++)
        status = ask_sized(s, (zlay_tmem_map){.shape = shape,
                                              .factors = factors[i],
                                              .first = (uint32_t)(s->first % CELL),
                                              .address = (uint32_t)(s->first / CELL)});
    return status;
}

static zlay_status ask_all(search *s)
{
    zlay_status status = ZLAY_OK;
    for (int32_t shape = ZLAY_TMEM_16X64B; !status && shape <= ZLAY_TMEM_SCALES_HALF; shape++) {
        zlay_tmem_map map = {.shape = shape, .address = (uint32_t)s->first};
        if (shape <= ZLAY_TMEM_16X32BX2) status = ask_registers(s, shape);
        else if (zl_tmem_scales(&map)) status = ask_scales(s, shape);
        else status = ask_sized(s, map);
    }
    return status;
}

static zlay_status refuse(const search *s)
{
    const zlay_tmem_map *map = &s->nearest;
    if (!map->shape)
        return zl_fail(s->ctx, ZLAY_NONE, "no layout of tensor memory has %llu points",
                       (unsigned long long)s->points);
    return zl_fail(s->ctx, ZLAY_NONE,
                   "%s, size %u, is the nearest: index %llu is at %lld, and there at %lld",
                   zlay_tmem_shape_name(map->shape), map->size, (unsigned long long)s->where.at,
                   (long long)s->where.asked, (long long)s->where.known);
}

/* Reads the number of points and the place of index 0, which is the address of every candidate. */
static zlay_status search_begin(search *s)
{
    zlay_status status = zl_compared_check(s->ctx, &s->asked, POINTS_MOST);
    if (status) return status;
    s->points = zlay_layout_size(s->asked.layout);
    if (!s->points || !zl_compared_value(&s->first, &s->asked, 0))
        return zl_fail(s->ctx, ZLAY_NONE, "index 0 has no place in tensor memory");
    if (s->first < 0 || s->first > UINT32_MAX)
        return zl_fail(s->ctx, ZLAY_NONE, "index 0 is at %lld, no address of tensor memory",
                       (long long)s->first);
    return ZLAY_OK;
}

zlay_status zlay_tmem_synth(zlay_ctx *ctx, zlay_tmem_map *out, size_t room, size_t *count,
                            const zlay_layout *layout)
{
    zlay_tmem_map found[FOUND_MOST];
    if (!ctx || !count || (room && !out) || !layout) return ZLAY_EINVAL;
    search s = {.ctx = ctx, .out = found};
    s.asked = (zl_compared){.layout = layout, .unit = ZLAY_TMEM_LANE, .second_minor = true};
    s.room = room < FOUND_MOST ? room : FOUND_MOST;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = search_begin(&s);
    if (!status) status = ask_all(&s);
    status = zl_whole(ctx, status);
    if (!status && !s.found) status = refuse(&s);
    if (status) return zl_leave(ctx, status);
    *count = s.found;
    if (s.found > s.room) status = zl_fail(ctx, ZLAY_EROOM, "room: %zu of %zu", room, s.found);
    else memcpy(out, found, s.found * sizeof *out);
    return zl_leave(ctx, status);
}
