/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread takes which element of a part.
 *
 * A thread holds a block of a few elements.  The lanes of a warp count through blocks: each bit of
 * the lane doubles one mode, and all assignments of the bits are tried to the modes of the least
 * steps of either side, at most four.  Warps and then accesses go on through the rest. */
#include "synth/copy.h"

#include <string.h>

enum { TRIED_MODES = 4 };

void zl_copy_block(zl_copy_way *way)
{
    for (uint32_t i = 0; i < ZL_PART_MODES; i++) way->block[i] = 1;
    for (int s = 0; s < ZL_SIDES; s++)
        if (way->run[s] < ZL_PART_MODES && way->block[way->run[s]] < way->vector[s])
            way->block[way->run[s]] = way->vector[s];
}

static uint64_t blocks(const zl_part *p, const zl_copy_way *way, uint32_t mode)
{
    return p->mode[mode].extent / way->block[mode];
}

/* ---- assignments of the lane's bits --------------------------------------------------- */

typedef struct search {
    const zl_copy *c;
    const zl_copy_way *way;
    zl_part *part;
    uint32_t tried, mode[TRIED_MODES];
    uint32_t bits; /* of a lane */
} search;

static bool is_tried(const search *s, uint32_t mode)
{
    for (uint32_t i = 0; i < s->tried; i++)
        if (s->mode[i] == mode) return true;
    return false;
}

/* The mode of the least step of a side that is not tried yet; modes where there is none. */
static uint32_t least_mode(const search *s, int side)
{
    const zl_part *p = s->part;
    uint32_t best = p->part.modes;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->part.modes; i++) {
        int64_t step = side == ZL_SOURCE ? p->mode[i].source : p->mode[i].dest;
        uint64_t size = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
        if (is_tried(s, i) || blocks(p, s->way, i) < 2 || size >= least) continue;
        least = size;
        best = i;
    }
    return best;
}

static void choose_modes(search *s)
{
    for (uint32_t i = 0; i < TRIED_MODES; i++) {
        uint32_t mode = least_mode(s, i % 2 ? ZL_SOURCE : ZL_DEST);
        if (mode < s->part->part.modes) s->mode[s->tried++] = mode;
    }
}

static bool room(const search *s, const zl_copy_lane_bits *l, uint32_t mode)
{
    return blocks(s->part, s->way, mode) > (uint64_t)1 << l->bits[mode];
}

/* A mode with room among the first `count` of the tried ones, else of all; modes: none has any. */
static uint32_t next_room(const search *s, const zl_copy_lane_bits *l)
{
    uint32_t i = 0;
    while (i < s->tried && !room(s, l, s->mode[i])) i++;
    if (i < s->tried) return s->mode[i];
    for (i = 0; i < s->part->part.modes && !room(s, l, i);) i++;
    return i;
}

static void take(zl_copy_lane_bits *l, uint32_t mode)
{
    l->mode[l->count++] = (uint8_t)mode;
    l->bits[mode]++;
}

/* The assignment of a number, a digit a bit; false: another number gives it, or none does. */
static bool assign(const search *s, zl_copy_lane_bits *l, uint32_t number)
{
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0; i < s->bits; i++) {
        uint32_t choice = s->tried ? number % s->tried : 0;
        uint32_t free = next_room(s, l);
        if (s->tried) number /= s->tried;
        if (free == s->part->part.modes) return !number && !choice;
        if (!is_tried(s, free)) {
            if (choice) return false;
            take(l, free);
        } else if (room(s, l, s->mode[choice])) take(l, s->mode[choice]);
        else return false;
    }
    return true;
}

/* ---- digits --------------------------------------------------------------------------- */

static void put_digit(zl_part *p, int32_t level, uint32_t mode, uint64_t extent, uint64_t step)
{
    if (extent > 1)
        p->digit[p->part.digits++] = (zlay_move_digit){level, mode, extent, step};
}

static void put_values(zl_part *p, const zl_copy_way *w)
{
    for (uint32_t i = 0; i < p->part.modes; i++)
        put_digit(p, ZLAY_DIGIT_VALUE, i, w->block[i], 1);
}

static void put_lanes(zl_part *p, const zl_copy_way *w, const zl_copy_lane_bits *l)
{
    uint8_t done[ZL_PART_MODES] = {0};
    for (uint32_t i = 0; i < l->count;) {
        uint32_t mode = l->mode[i], n = 0;
        while (i < l->count && l->mode[i] == mode) i++, n++;
        put_digit(p, ZLAY_DIGIT_THREAD, mode, (uint64_t)1 << n,
                  w->block[mode] << done[mode]);
        done[mode] = (uint8_t)(done[mode] + n);
    }
    p->part.threads = 1u << l->count;
}

/* The greatest divisor of `warps` that is at most `most`. */
static uint64_t divisor(uint64_t warps, uint64_t most)
{
    uint64_t d = warps < most ? warps : most;
    while (warps % d) d--;
    return d;
}

static void put_rest(const zl_copy *c, zl_part *p, const zl_copy_way *w,
                     const zl_copy_lane_bits *l)
{
    uint64_t left[ZL_PART_MODES], step[ZL_PART_MODES];
    uint64_t warps = (uint64_t)1 << l->count == c->lanes ? c->threads / c->lanes : 1;
    p->part.accesses = 1;
    for (uint32_t i = 0; i < p->part.modes; i++) {
        uint64_t inner = w->block[i] << l->bits[i], extent = p->mode[i].extent;
        uint64_t outer = extent / inner + (extent % inner != 0), d = divisor(warps, outer);
        put_digit(p, ZLAY_DIGIT_THREAD, i, d, inner);
        p->part.threads *= (uint32_t)d;
        warps /= d;
        left[i] = outer / d + (outer % d != 0);
        step[i] = inner * d;
    }
    for (uint32_t i = 0; i < p->part.modes; i++) {
        put_digit(p, ZLAY_DIGIT_ACCESS, i, left[i], step[i]);
        p->part.accesses *= left[i];
    }
}

void zl_copy_digits(const zl_copy *c, zl_part *part, const zl_copy_way *way,
                    const zl_copy_lane_bits *lanes)
{
    put_values(part, way);
    put_lanes(part, way, lanes);
    put_rest(c, part, way, lanes);
}

/* ---- the least ------------------------------------------------------------------------ */

zlay_status zl_copy_lanes(const zl_copy *c, const zl_copy_way *way, zl_part *part, uint64_t *cost)
{
    search s = {.c = c, .way = way, .part = part};
    zl_copy_lane_bits lanes, best = {0};
    uint64_t bound = zl_copy_bound(c, way, part->part.elements);
    uint32_t numbers = 1;
    *cost = UINT64_MAX;
    while (2u << s.bits <= c->lanes) s.bits++;
    choose_modes(&s);
    for (uint32_t i = 0; i < s.bits && s.tried; i++) numbers *= s.tried;
    for (uint32_t i = 0; i < numbers && *cost > bound; i++) {
        if (!assign(&s, &lanes, i)) continue;
        zlay_status status = zl_copy_count(c, way, part, &lanes);
        if (status) return status;
        uint64_t now = zl_copy_cost(way, part);
        if (now >= *cost) continue;
        *cost = now;
        best = lanes;
    }
    zlay_status status = zl_copy_count(c, way, part, &best);
    zl_copy_digits(c, part, way, &best);
    return status;
}
