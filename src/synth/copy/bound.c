/* SPDX-License-Identifier: Apache-2.0 */
/* Lower bounds for the cost of a part of given elements: instructions with all lanes of a warp,
 * and the bytes of each side as whole sectors or wavefronts.
 *
 * The bound of one way (zl_copy_bound) takes accesses as wide as the way's. The bound of all
 * plans (zl_copy_any_bound) takes, on each side by itself, accesses as wide as the longest
 * aligned run in memory there, independent of the other side. `optimal` is compared with that
 * bound too where it allows wider accesses than every way. */
#include "synth/copy/copy.h"

#include "base/base.h"

enum { SECTOR_BYTES = 32 };

/* Bytes of a wavefront on the target, or on the target whose counts replace unknown ones. */
uint32_t zl_copy_row_bytes(const zl_copy *c)
{
    zlay_target_summary own, ranked;
    zlay_target_info(&own, c->target);
    zlay_target_info(&ranked, c->ranked);
    uint32_t bytes = own.banks * own.bank_bytes, other = ranked.banks * ranked.bank_bytes;
    return bytes > other ? bytes : other;
}

/* Elements of the longest bulk copy: those of a run, up to the limit of one copy. */
static uint64_t longest(const zl_copy *c, const zl_copy_way *w)
{
    uint64_t run = w->run[0] < ZL_PART_MODES ? c->tile.mode[w->run[0]].extent : 0;
    return run > w->vector[0] ? run : w->vector[0];
}

/* The least number of instructions: of warps with all their lanes active, or one for each bulk
 * copy. */
static uint64_t least_instructions(const zl_copy *c, const zl_copy_way *w, uint64_t points)
{
    uint64_t a = w->vector[0], b = w->vector[1], all = c->lanes_most;
    if (w->path == ZLAY_PATH_BULK && c->bulk_copies) return c->bulk_copies;
    if (w->path == ZLAY_PATH_BULK) return zl_ceil_div(points, longest(c, w));
    if (w->path == ZLAY_PATH_CP_ASYNC) return zl_ceil_div(points, a * all);
    uint64_t least = 0;
    if (c->side[ZL_SOURCE].space != ZLAY_MOVE_REGISTER) least += zl_ceil_div(points, a * all);
    if (c->side[ZL_DEST].space != ZLAY_MOVE_REGISTER) least += zl_ceil_div(points, b * all);
    return least;
}

/* The bytes of a side that are moved, each once; a source element may be read for many points. */
static uint64_t least_bytes(const zl_copy *c, int side, uint64_t points)
{
    uint64_t again = side == ZL_SOURCE ? zl_ceil_div(c->tile.points, c->tile.sources) : 1;
    return zl_ceil_div(points / again * c->bits, 8);
}

/* Wavefronts of a side's bytes, each moved once. */
static uint64_t least_wavefronts(const zl_copy *c, const zl_copy_way *way, int side,
                                 uint64_t points)
{
    if (!zl_is_shared(c->side[side].space) || way->path == ZLAY_PATH_BULK) return 0;
    if (side == ZL_SOURCE && zl_copy_is_one(way)) return 0;
    return zl_ceil_div(least_bytes(c, side, points), c->row_bytes);
}

uint64_t zl_copy_least(const zl_copy *c, const zl_copy_way *way, uint64_t points, uint32_t what)
{
    zl_move_part least = {.part = {.kind = 0}};
    for (int s = 0; s < ZL_SIDES; s++) {
        if (!(what >> s & 1) || !zl_is_shared(c->side[s].space)) continue;
        least.part.wavefronts_store += least_wavefronts(c, way, s, points);
        if (!zl_copy_is_one(way))
            least.part.instructions += zl_ceil_div(points, way->vector[s] * (uint64_t)c->lanes);
    }
    return zl_copy_cost(way, &least);
}

/* The least part with so many instructions, which move the bytes of all points and order none. */
static zl_move_part least_part(const zl_copy *c, const zl_copy_way *way, uint64_t instructions,
                          uint64_t points, const uint64_t sectors[ZL_SIDES])
{
    zl_move_part least = {.part = {.instructions = instructions}};
    for (int s = 0; s < ZL_SIDES; s++) {
        uint64_t full = zl_ceil_div(least_bytes(c, s, points), SECTOR_BYTES);
        if (c->side[s].space == ZLAY_MOVE_GLOBAL)
            least.part.sectors += full > sectors[s] ? full : sectors[s];
        least.part.wavefronts_store += least_wavefronts(c, way, s, points);
    }
    return least;
}

uint64_t zl_copy_bound(const zl_copy *c, const zl_copy_way *way, uint64_t points,
                       const uint64_t sectors[ZL_SIDES])
{
    uint64_t instructions = least_instructions(c, way, points);
    zl_move_part least = least_part(c, way, instructions, points, sectors);
    uint64_t block = 1;
    for (uint32_t i = 0; i < ZL_PART_MODES; i++) block *= way->block[i];
    least.part.permutes =
        zl_ceil_div(points, block * c->lanes_most) * zl_copy_permutes(c, way, block);
    return zl_copy_cost(way, &least);
}

/* Whether every access along a side's run is whole and aligned, so that the tile has no ends. */
static bool no_ends(const zl_copy *c, const zl_copy_way *way, int side)
{
    uint64_t v = way->vector[side];
    uint32_t run = way->run[side];
    if (v == 1) return true;
    return run < c->tile.modes && c->tile.mode[run].extent % v == 0 &&
           (uint64_t)c->tile.offset[side] % v == 0;
}

uint64_t zl_copy_way_bound(const zl_copy *c, const zl_copy_way *way)
{
    zl_copy_way ends;
    if (way->path == ZLAY_PATH_BULK && zl_copy_ends_alone(c, way, &ends)) {
        zl_copy_block(&ends);
        way = &ends;
    }
    uint64_t instructions = least_instructions(c, way, c->tile.points);
    zl_move_part least = least_part(c, way, instructions, c->tile.points, c->sectors);
    if (way->path != ZLAY_PATH_REALIGN && no_ends(c, way, ZL_SOURCE) && no_ends(c, way, ZL_DEST))
        return zl_copy_bound(c, way, c->tile.points, c->sectors);
    return zl_copy_cost(way, &least);
}

/* ---- of any plan ------------------------------------------------------------------------- */

uint64_t zl_copy_widest_vector(const zl_copy *c, int side)
{
    uint64_t widths = zlay_target_widths(c->target, zl_is_shared(c->side[side].space));
    uint32_t log = ZL_WIDTH_MOST;
    while (log && (!(widths >> (1u << log) & 1) || c->side[side].align % (1u << log))) log--;
    return (8u << log) > c->bits ? (8u << log) / c->bits : 1;
}

/* The length of a side's run: of the modes whose steps are no longer than what lies before
 * them. */
static uint64_t run_of(const zl_copy_tile *t, int side)
{
    uint64_t reach = 1;
    bool in[ZL_PART_MODES] = {false};
    for (uint32_t i = 0; i < t->modes;) {
        uint64_t step = zl_magnitude(t->mode[i].step[side]);
        if (in[i] || step > reach) {
            i++;
            continue;
        }
        reach += zl_umul_sat(step, t->mode[i].extent - 1);
        in[i] = true;
        i = 0;
    }
    return reach;
}

/* Whether a run of the side has v elements from an aligned one on, wherever runs may begin. */
static bool holds(const zl_copy_tile *t, int side, uint64_t run, uint64_t v)
{
    uint64_t apart = v, first = (uint64_t)t->offset[side];
    for (uint32_t i = 0; i < t->modes; i++) {
        uint64_t step = zl_magnitude(t->mode[i].step[side]);
        if (t->mode[i].step[side] < 0) first -= step * (t->mode[i].extent - 1);
        if (step >= run) apart = zl_gcd(apart, step);
    }
    return run >= v && run - v >= (0 - first) % apart;
}

uint64_t zl_copy_side_vector(const zl_copy *c, int side)
{
    uint64_t v = zl_copy_widest_vector(c, side), run = run_of(&c->tile, side);
    if (c->tile.swizzle[side].bits) return v;
    while (v > 1 && !holds(&c->tile, side, run, v)) v /= 2;
    return v;
}

/* The least instructions: loads and stores, or one instruction for both. A source element may be
 * loaded once for all its points. */
static uint64_t any_instructions(const zl_copy *c, bool one, const uint64_t vector[ZL_SIDES])
{
    uint64_t all = c->lanes_most, less = vector[vector[0] > vector[1]];
    if (one) return zl_ceil_div(c->tile.points, less * all);
    return zl_ceil_div(c->tile.sources, vector[0] * all) +
           zl_ceil_div(c->tile.points, vector[1] * all);
}

uint64_t zl_copy_any_bound(const zl_copy *c, const uint64_t vector[ZL_SIDES])
{
    static const int32_t paths[] = {ZLAY_PATH_CP_ASYNC, ZLAY_PATH_THREADS, ZLAY_PATH_STORE_ASYNC};
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; i < ZL_COUNT(paths); i++) {
        const zl_copy_way way = {.path = paths[i]};
        bool one = zl_copy_is_one(&way);
        if (!zl_copy_path_asked(c, paths[i])) continue;
        if (one && (!c->ptx || c->side[ZL_SOURCE].space != ZLAY_MOVE_GLOBAL ||
                    c->side[ZL_DEST].space != ZLAY_MOVE_SHARED))
            continue;
        zl_move_part least = least_part(c, &way, any_instructions(c, one, vector), c->tile.points,
                                   c->sectors);
        uint64_t bound = zl_copy_cost(&way, &least);
        if (bound < best) best = bound;
    }
    return best;
}
