/* SPDX-License-Identifier: Apache-2.0 */
/* Which thread takes which element of a part.
 *
 * A thread holds a block of a few elements.  The lanes of a warp count through blocks: each bit of
 * the lane doubles one mode, and all assignments of the bits are tried to the modes of the least
 * steps of either side, at most three.  Warps and then accesses go on through the rest.
 *
 * What a warp touches of global memory depends on how many bits a mode has, not on which: it is
 * counted once for all assignments that differ in that alone. */
#include "synth/copy.h"

#include <string.h>

enum { TRIED_MODES = 3, BITS_MOST = 6, KEYS = 343 }; /* KEYS: (BITS_MOST + 1)^TRIED_MODES */

void zl_copy_block(zl_copy_way *way)
{
    for (uint32_t i = 0; i < ZL_PART_MODES; i++) way->block[i] = 1;
    for (int s = 0; s < ZL_SIDES; s++)
        if (way->run[s] < ZL_PART_MODES && way->block[way->run[s]] < way->vector[s])
            way->block[way->run[s]] = way->vector[s];
}

/* ---- assignments of the lane's bits --------------------------------------------------- */

typedef struct search {
    const zl_copy *c;
    const zl_copy_way *way;
    zl_part *part;
    uint32_t tried, mode[TRIED_MODES];
    uint32_t bits; /* of a lane */
    uint32_t ends; /* bit i: a group of lanes whose order does not count ends with bit i */
    uint32_t once; /* ZL_COUNT_*: what depends on how many bits a mode has alone */
    uint64_t least; /* that the rest costs in any case */
    uint64_t blocks[ZL_PART_MODES];
    bool known[KEYS];
    uint64_t cost[KEYS]; /* of that */
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
        if (is_tried(s, i) || s->blocks[i] < 2 || size >= least) continue;
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
    return s->blocks[mode] > (uint64_t)1 << l->bits[mode];
}

/* The tried modes with room, else the first of all that has some: how many. */
static uint32_t choices(const search *s, const zl_copy_lane_bits *l, uint32_t *mode)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->tried; i++)
        if (room(s, l, s->mode[i])) mode[count++] = s->mode[i];
    for (uint32_t i = 0; !count && i < s->part->part.modes; i++)
        if (room(s, l, i)) mode[count++] = i;
    return count;
}

static void take(zl_copy_lane_bits *l, uint32_t mode)
{
    l->mode[l->count++] = (uint8_t)mode;
    l->bits[mode]++;
}

/* The assignment of a number, a choice a bit; false: there are not so many. */
static bool assign(const search *s, zl_copy_lane_bits *l, uint32_t number)
{
    uint32_t mode[TRIED_MODES + 1], count;
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0; i < s->bits && (count = choices(s, l, mode)); i++) {
        take(l, mode[number % count]);
        number /= count;
    }
    return !number;
}

/* Whether modes of a group do not rise: of assignments that differ in the order of lanes which are
 * served together one is tried. */
static bool is_first(const search *s, const zl_copy_lane_bits *l)
{
    for (uint32_t i = 1; i < l->count && is_tried(s, l->mode[i]); i++)
        if (!(s->ends >> (i - 1) & 1) && l->mode[i] > l->mode[i - 1]) return false;
    return true;
}

/* A mode whose last block is partial, or along which a side does not move. */
static bool is_uneven(const search *s, int side)
{
    const zl_part *p = s->part;
    for (uint32_t i = 0; i < p->part.modes; i++) {
        int64_t step = side == ZL_SOURCE ? p->mode[i].source : p->mode[i].dest;
        if (s->blocks[i] & (s->blocks[i] - 1) || p->mode[i].extent % s->way->block[i]) return true;
        if (!step && s->blocks[i] > 1) return true;
    }
    return false;
}

static void find_groups(search *s)
{
    s->ends = 0;
    for (int side = 0; side < ZL_SIDES; side++) {
        if (!zl_is_shared(s->c->side[side].space) || s->way->bank[side] < 0) continue;
        uint32_t bits = zl_copy_phase_bits(s->c, s->way, side, is_uneven(s, side));
        s->ends |= bits ? 1u << (bits - 1) : UINT32_MAX;
    }
}

/* ---- digits --------------------------------------------------------------------------- */

static void put_digit(zl_part *p, int32_t level, uint32_t mode, uint64_t extent, uint64_t step)
{
    if (extent > 1) p->digit[p->part.digits++] = (zlay_move_digit){level, mode, extent, step};
}

static void put_values(zl_part *p, const zl_copy_way *w)
{
    for (uint32_t i = 0; i < p->part.modes; i++) put_digit(p, ZLAY_DIGIT_VALUE, i, w->block[i], 1);
}

static void put_lanes(zl_part *p, const zl_copy_way *w, const zl_copy_lane_bits *l)
{
    uint8_t done[ZL_PART_MODES] = {0};
    for (uint32_t i = 0; i < l->count;) {
        uint32_t mode = l->mode[i], n = 0;
        while (i < l->count && l->mode[i] == mode) i++, n++;
        put_digit(p, ZLAY_DIGIT_THREAD, mode, (uint64_t)1 << n, w->block[mode] << done[mode]);
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

static void put_rest(const zl_copy *c, zl_part *p, const zl_copy_way *w, const zl_copy_lane_bits *l)
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

/* What an assignment costs beside what `once` covers, which is looked up. */
static uint64_t cost_of(search *s, const zl_copy_lane_bits *l, uint64_t give_up)
{
    uint32_t key = 0;
    for (uint32_t i = 0; i < s->tried; i++) key = key * (BITS_MOST + 1) + l->bits[s->mode[i]];
    if (!s->known[key]) {
        zl_copy_count(s->c, s->way, s->part, l, s->once);
        s->cost[key] = zl_copy_cost(s->way, s->part);
        s->known[key] = true;
    }
    if (s->once == ZL_COUNT_COST) return s->cost[key];
    if (s->cost[key] + s->least >= give_up) return give_up;
    zl_copy_count(s->c, s->way, s->part, l, ZL_COUNT_COST & ~s->once);
    return s->cost[key] + zl_copy_cost(s->way, s->part);
}

static void search_begin(search *s)
{
    s->once = ZL_COUNT_PERMUTES;
    for (uint32_t side = 0; side < ZL_SIDES; side++)
        if (!zl_is_shared(s->c->side[side].space)) s->once |= 1u << side;
    while (2u << s->bits <= s->c->lanes) s->bits++;
    for (uint32_t i = 0; i < s->part->part.modes; i++)
        s->blocks[i] = s->part->mode[i].extent / s->way->block[i];
    choose_modes(s);
    s->ends = UINT32_MAX;
    s->least = zl_copy_least(s->c, s->way, s->part->part.elements, ~s->once);
}

uint64_t zl_copy_lanes(const zl_copy *c, const zl_copy_way *way, zl_part *part,
                       zl_copy_lane_bits *best, uint64_t most)
{
    search s = {.c = c, .way = way, .part = part};
    zl_copy_lane_bits lanes;
    const uint64_t sectors[ZL_SIDES] = {zl_copy_sectors(c, part, 0), zl_copy_sectors(c, part, 1)};
    uint64_t bound = zl_copy_bound(c, way, part->part.elements, sectors), cost = UINT64_MAX;
    uint64_t below = most < UINT64_MAX ? most + 1 : most;
    uint32_t numbers = 1;
    if (bound > most) return UINT64_MAX;
    search_begin(&s);
    for (uint32_t i = 0; i < s.bits && s.tried; i++) numbers *= s.tried;
    for (uint32_t i = 0; i < numbers && cost > bound; i++) {
        if (i == 1) find_groups(&s);
        if (!assign(&s, &lanes, i) || !is_first(&s, &lanes)) continue;
        uint64_t now = cost_of(&s, &lanes, below);
        if (now >= below) continue;
        cost = below = now;
        *best = lanes;
    }
    return cost;
}
