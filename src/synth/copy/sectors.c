/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the sectors of a side that a part accesses, each once: a lower bound for every plan.
 *
 * Rows along the run are taken by rising steps. Modes up to the last one whose rows may share a
 * sector with earlier rows are walked row by row, once for each position in a sector at which
 * they begin. Beyond these modes no sector is shared, and the positions are counted. */
#include "synth/copy/copy.h"

#include <string.h>

enum { SECTOR_BITS = 256, WALKED_MOST = 2048 };

typedef struct rows {
    uint32_t count, shared; /* modes; those that are walked through */
    uint64_t row, extent[ZL_PART_MODES], step[ZL_PART_MODES]; /* elements */
    int64_t first;          /* the least offset */
} rows;

static void rows_put(rows *r, uint64_t extent, uint64_t step)
{
    uint32_t to = r->count++;
    for (; to && r->step[to - 1] > step; to--) {
        r->step[to] = r->step[to - 1];
        r->extent[to] = r->extent[to - 1];
    }
    r->step[to] = step;
    r->extent[to] = extent;
}

static void rows_of(rows *r, const zl_move_part *p, int side)
{
    memset(r, 0, sizeof *r);
    r->row = 1;
    r->first = side == ZL_SOURCE ? p->part.source : p->part.dest;
    for (uint32_t k = 0; k < p->part.modes; k++) {
        int64_t step = side == ZL_SOURCE ? p->mode[k].source : p->mode[k].dest;
        uint64_t extent = p->mode[k].extent, size = (uint64_t)(step < 0 ? -step : step);
        if (step < 0) r->first += (int64_t)(extent - 1) * step;
        if (step == 1 && r->row == 1) r->row = extent;
        else if (step && extent > 1) rows_put(r, extent, size);
    }
}

/* Whether all rows begin where a sector does. */
static bool all_whole(const rows *r, uint64_t bits)
{
    uint64_t all = (uint64_t)r->first * bits;
    for (uint32_t i = 0; i < r->count; i++) all |= r->step[i] * bits;
    return all % SECTOR_BITS == 0;
}

/* Finds the modes to be walked; false: rows overlap, or too many of them may share sectors.
 * Offsets fit 64 bits, also in bits. */
static bool find_shared(rows *r, uint64_t bits)
{
    uint64_t reach = r->row, walked = 1, gap = all_whole(r, bits) ? 0 : SECTOR_BITS - bits;
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->step[i] < reach) return false;
        if ((r->step[i] - reach) * bits < gap) r->shared = i + 1;
        reach += (r->extent[i] - 1) * r->step[i];
    }
    for (uint32_t i = 0; i < r->shared; i++) walked = zl_umul_sat(walked, r->extent[i]);
    return walked <= WALKED_MOST;
}

/* Sectors of the rows that are walked, from a position in a sector on. */
static uint64_t walk(const rows *r, uint64_t bits, uint64_t first)
{
    uint64_t at[ZL_PART_MODES] = {0}, offset = first, sectors = 0, next = 0;
    for (;;) {
        uint64_t from = offset * bits / SECTOR_BITS;
        uint64_t end = ((offset + r->row) * bits - 1) / SECTOR_BITS;
        if (from < next) from = next;
        if (end >= from) sectors += end - from + 1;
        if (end >= next) next = end + 1;
        uint32_t i = 0;
        for (; i < r->shared && ++at[i] == r->extent[i]; at[i++] = 0)
            offset -= (r->extent[i] - 1) * r->step[i];
        if (i == r->shared) return sectors;
        offset += r->step[i];
    }
}

uint64_t zl_copy_sectors(const zl_copy *c, const zl_move_part *part, int side)
{
    rows r;
    uint64_t bits = c->bits, m = SECTOR_BITS / bits, sectors = 0;
    if (c->side[side].space != ZLAY_MOVE_GLOBAL || c->tile.swizzle[side].bits) return 0;
    rows_of(&r, part, side);
    if (!find_shared(&r, bits)) return 0;
    memset(c->residues, 0, m * sizeof *c->residues);
    c->residues[(uint64_t)r.first & (m - 1)] = 1;
    for (uint32_t i = r.shared; i < r.count; i++)
        zl_copy_spread(c->residues, m, r.extent[i], (int64_t)r.step[i]);
    for (uint64_t i = 0; i < m; i++)
        if (c->residues[i]) sectors += c->residues[i] * walk(&r, bits, i);
    return sectors;
}
