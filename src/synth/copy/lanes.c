/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses which thread moves which element of a part, by a search over the bits of a lane.
 *
 * A thread holds a block of a few elements. The lanes of a warp count through blocks: each bit of
 * the lane doubles one mode. All assignments of the bits to the modes of the least steps of
 * either side, at most five, are tried. The warps and then the accesses of a thread count through
 * the rest.
 *
 * The sectors that a warp accesses depend only on how many bits each mode has, not on which bits:
 * they are counted once for all assignments that differ in nothing else. */
#include "synth/copy/copy.h"

#include <string.h>

enum { TRIED_MODES = 5, BITS_MOST = 6, KEYS = 256 }; /* KEYS: ways to distribute bits, and more */

/* ---- assignments of the lane's bits --------------------------------------------------- */

typedef struct search {
    const zl_copy *c;
    const zl_copy_way *way;
    zl_move_part *part;
    uint32_t tried, mode[TRIED_MODES];
    uint32_t bits; /* of a lane */
    uint32_t ends; /* bit i: a group of lanes whose order is irrelevant ends with bit i */
    uint32_t once; /* ZL_COUNT_* that depend only on the number of bits of each mode */
    uint64_t least; /* that the rest costs in any case */
    uint64_t blocks[ZL_PART_MODES];
    zl_copy_lane_bits lanes;
    uint32_t choice[BITS_MOST]; /* of each bit: the number of a tried mode; `tried`: another one */
    uint32_t keys, key[KEYS];   /* how many bits each tried mode has */
    uint64_t cost[KEYS];        /* of that */
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
    const zl_move_part *p = s->part;
    uint32_t best = p->part.modes;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < p->part.modes; i++) {
        int64_t step = side == ZL_SOURCE ? p->mode[i].source : p->mode[i].dest;
        uint64_t size = zl_magnitude(step);
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

static bool room(const search *s, uint32_t mode)
{
    return s->blocks[mode] > (uint64_t)1 << s->lanes.bits[mode];
}

static void take(search *s, uint32_t mode, uint32_t choice)
{
    s->choice[s->lanes.count] = choice;
    s->lanes.mode[s->lanes.count++] = (uint8_t)mode;
    s->lanes.bits[mode]++;
}

/* The first tried mode from `from` on that has room for a bit; `tried`: none. */
static uint32_t pick(const search *s, uint32_t from)
{
    while (from < s->tried && !room(s, s->mode[from])) from++;
    return from;
}

/* Where no tried mode has room, takes the first of all modes that has some; false: none. */
static bool take_other(search *s)
{
    uint32_t mode = 0;
    while (mode < s->part->part.modes && !room(s, mode)) mode++;
    if (mode < s->part->part.modes) take(s, mode, s->tried);
    return mode < s->part->part.modes;
}

/* Extends the assignment by the least choices for the remaining bits; false: there are none. In a
 * group of lanes that are served together, choices must not descend, so that of assignments which
 * differ only in the order of these lanes a single one is tried. */
static bool extend(search *s)
{
    while (s->lanes.count < s->bits) {
        uint32_t i = s->lanes.count;
        bool grouped = i && !(s->ends >> (i - 1) & 1);
        uint32_t next = pick(s, grouped ? s->choice[i - 1] : 0);
        if (next < s->tried) take(s, s->mode[next], next);
        else if (pick(s, 0) < s->tried) return false;
        else if (!take_other(s)) return true;
    }
    return true;
}

/* Keeps the first bits of the assignment. */
static void keep(search *s, uint32_t bits)
{
    memset(s->lanes.bits, 0, sizeof s->lanes.bits);
    s->lanes.count = bits;
    for (uint32_t i = 0; i < bits; i++) s->lanes.bits[s->lanes.mode[i]]++;
}

/* The next assignment; false: that was the last. */
static bool advance(search *s)
{
    while (s->lanes.count) {
        keep(s, s->lanes.count - 1);
        uint32_t next = pick(s, s->choice[s->lanes.count] + 1);
        if (next >= s->tried) continue;
        take(s, s->mode[next], next);
        if (extend(s)) return true;
    }
    return false;
}

/* Whether a side has a mode whose last block is partial, or along which it does not move. */
static bool is_uneven(const search *s, int side)
{
    const zl_move_part *p = s->part;
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
        s->ends |= bits ? 1u << (bits - 1) : (1u << BITS_MOST) - 1;
    }
}

/* ---- digits --------------------------------------------------------------------------- */

static void put_digit(zl_move_part *p, int32_t level, uint32_t mode, uint64_t extent, uint64_t step)
{
    if (extent > 1) p->digit[p->part.digits++] = (zlay_move_digit){level, mode, extent, step};
}

static void put_values(zl_move_part *p, const zl_copy_way *w)
{
    for (uint32_t i = 0; i < p->part.modes; i++) put_digit(p, ZLAY_DIGIT_VALUE, i, w->block[i], 1);
}

static void put_lanes(zl_move_part *p, const zl_copy_way *w, const zl_copy_lane_bits *l)
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

static void put_rest(const zl_copy *c, zl_move_part *p, const zl_copy_way *w,
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

void zl_copy_digits(const zl_copy *c, zl_move_part *part, const zl_copy_way *way,
                    const zl_copy_lane_bits *lanes)
{
    put_values(part, way);
    put_lanes(part, way, lanes);
    put_rest(c, part, way, lanes);
}

/* ---- the least ------------------------------------------------------------------------ */

static uint32_t key_of(const search *s)
{
    uint32_t key = 0, i = 0;
    for (uint32_t m = 0; m < s->tried; m++) key = key * (BITS_MOST + 1) + s->lanes.bits[s->mode[m]];
    while (i < s->keys && s->key[i] != key) i++;
    return i < s->keys ? i : key | 1u << 31;
}

/* The cost of the counts in `once`, cached by the number of bits of each mode. */
static uint64_t cost_once(search *s)
{
    uint32_t key = key_of(s);
    if (key < s->keys) return s->cost[key];
    zl_copy_count(s->c, s->way, s->part, &s->lanes, s->once);
    uint64_t cost = zl_copy_cost(s->way, s->part);
    if (s->keys == KEYS) return cost;
    s->key[s->keys] = key & ~(1u << 31);
    s->cost[s->keys++] = cost;
    return cost;
}

static uint64_t cost_of(search *s, uint64_t give_up)
{
    uint64_t cost = cost_once(s);
    if (s->once == ZL_COUNT_COST) return cost;
    if (cost + s->least >= give_up) return give_up;
    zl_copy_count(s->c, s->way, s->part, &s->lanes, ZL_COUNT_COST & ~s->once);
    return cost + zl_copy_cost(s->way, s->part);
}

static void search_begin(search *s, const zl_copy *c, const zl_copy_way *way, zl_move_part *part)
{
    memset(s, 0, offsetof(search, key));
    s->c = c;
    s->way = way;
    s->part = part;
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

uint64_t zl_copy_lanes(const zl_copy *c, const zl_copy_way *way, zl_move_part *part,
                       zl_copy_lane_bits *best, uint64_t most)
{
    search s;
    const uint64_t sectors[ZL_SIDES] = {zl_copy_sectors(c, part, 0), zl_copy_sectors(c, part, 1)};
    uint64_t bound = zl_copy_bound(c, way, part->part.elements, sectors), cost = UINT64_MAX;
    uint64_t below = most < UINT64_MAX ? most + 1 : most;
    if (bound > most) return UINT64_MAX;
    search_begin(&s, c, way, part);
    for (bool more = extend(&s); more && cost > bound; more = advance(&s)) {
        uint64_t now = cost_of(&s, below);
        if (s.ends == UINT32_MAX) find_groups(&s);
        if (now >= below) continue;
        cost = below = now;
        *best = s.lanes;
    }
    return cost;
}
