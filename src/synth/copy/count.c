/* SPDX-License-Identifier: Apache-2.0 */
/* Counts sectors and wavefronts of the accesses of a part without visiting each access.
 *
 * The addresses of a warp's access are those of its lanes plus one offset. Its counts depend on
 * that offset modulo a small number: 32 bytes for sectors, 128 for lines, a word for banks, the
 * span of the swizzle where there is one. So offsets are counted by their residue, mode by mode,
 * and one access of each residue is evaluated. Where an extent does not fill the last block of a
 * mode, the accesses of that block have fewer lanes and are counted separately. */
#include "synth/copy/access.h"

#include <string.h>

enum { LINE_BYTES = 1 << ZL_LINE, SECTOR_BYTES = 1 << ZL_SECTOR, WORD_BYTES = 4 };

static int64_t step_of(const zl_counting *n, uint32_t mode)
{
    const zlay_move_mode *m = &n->part->mode[mode];
    return n->side == ZL_SOURCE ? m->source : m->dest;
}

static uint64_t inner(const zl_counting *n, uint32_t mode)
{
    return n->way->block[mode] << n->lanes->bits[mode];
}

static bool is_end(const zl_counting *n, uint32_t mode) { return n->ends >> mode & 1; }

/* ---- lanes -------------------------------------------------------------------------- */

/* The offsets of all lanes: each bit of a lane adds to the offsets of the lanes below it. */
static void all_lanes(const zl_counting *n, int64_t *offset)
{
    uint8_t done[ZL_PART_MODES] = {0};
    offset[0] = 0;
    for (uint32_t i = 0; i < n->lanes->count; i++) {
        uint32_t mode = n->lanes->mode[i];
        int64_t by = (int64_t)(n->way->block[mode] << done[mode]++) * step_of(n, mode);
        for (uint32_t lane = 0; lane < 1u << i; lane++) offset[lane | 1u << i] = offset[lane] + by;
    }
}

/* Whether the lanes' blocks lie in a mode's last, partial one. */
static void lanes_end(const zl_counting *n, uint32_t mode, bool *there)
{
    uint64_t at[ZL_LANES_MOST] = {0}, left = n->part->mode[mode].extent % inner(n, mode);
    uint32_t done = 0;
    for (uint32_t i = 0; i < n->lanes->count; i++) {
        uint64_t by = n->lanes->mode[i] == mode ? n->way->block[mode] << done++ : 0;
        for (uint32_t lane = 0; lane < 1u << i; lane++) at[lane | 1u << i] = at[lane] + by;
    }
    for (uint32_t lane = 0; lane < 1u << n->lanes->count; lane++) there[lane] &= at[lane] < left;
}

/* Offsets of the lanes whose blocks lie in the part. */
static void lanes_place(zl_counting *n)
{
    int64_t offset[ZL_LANES_MOST];
    bool there[ZL_LANES_MOST];
    all_lanes(n, offset);
    memset(there, true, sizeof there);
    for (uint32_t k = 0; n->ends >> k; k++)
        if (is_end(n, k) && n->lanes->bits[k]) lanes_end(n, k, there);
    n->active = 0;
    for (uint32_t lane = 0; lane < 1u << n->lanes->count; lane++) {
        if (!there[lane]) continue;
        n->lane[n->active] = (uint8_t)lane;
        n->offset[n->active++] = offset[lane];
    }
}

/* ---- residues ---------------------------------------------------------------------------- */

void zl_copy_spread(uint64_t *from, uint64_t m, uint64_t extent, int64_t step)
{
    uint64_t by = (uint64_t)step & (m - 1), period = by ? m / (by & (0 - by)) : 1, *to = from + m;
    if (extent == 1) return;
    if (!by) {
        for (uint64_t r = 0; r < m; r++) from[r] *= extent;
        return;
    }
    memset(to, 0, m * sizeof *to);
    for (uint64_t r = 0; r < m; r++) {
        if (!from[r]) continue;
        for (uint64_t j = 0; j < period && j < extent; j++)
            to[(r + j * by) & (m - 1)] += from[r] * (extent / period + (j < extent % period));
    }
    memcpy(from, to, m * sizeof *to);
}

static void spread(const zl_counting *n, uint64_t extent, int64_t step)
{
    zl_copy_spread(n->c->residues, n->modulus, extent, step);
}

/* How often an offset has each residue, over the blocks of all modes and the accesses in a block.
 */
static void residues_fill(zl_counting *n)
{
    const zl_move_part *p = n->part;
    int64_t first = n->side == ZL_SOURCE ? p->part.source : p->part.dest;
    memset(n->c->residues, 0, n->modulus * sizeof *n->c->residues);
    for (uint32_t k = 0; k < p->part.modes; k++) {
        uint64_t full = p->mode[k].extent / inner(n, k);
        if (is_end(n, k)) first += (int64_t)(full * inner(n, k)) * step_of(n, k);
    }
    n->c->residues[(uint64_t)first & (n->modulus - 1)] = 1;
    for (uint32_t k = 0; k < p->part.modes; k++) {
        uint64_t block = n->way->block[k];
        uint64_t vector = k == n->way->run[n->side] ? n->way->vector[n->side] : 1;
        spread(n, block / vector, (int64_t)vector * step_of(n, k));
        if (!is_end(n, k))
            spread(n, p->mode[k].extent / inner(n, k), (int64_t)inner(n, k) * step_of(n, k));
    }
}

/* A multiple of the modulus that makes all addresses positive; lanes may lie below the residue. */
static int64_t lift(const zl_counting *n)
{
    int64_t least = 0, m = (int64_t)n->modulus;
    for (uint32_t i = 0; i < n->active; i++)
        if (n->offset[i] < least) least = n->offset[i];
    return (m - 1 - least) / m * m;
}

static void count_pattern(zl_counting *n)
{
    lanes_place(n);
    if (zl_copy_has_runs(n)) zl_copy_runs(n);
    residues_fill(n);
    int64_t base = lift(n);
    for (uint64_t r = 0; r < n->modulus; r++)
        if (n->c->residues[r]) zl_copy_access(n, base + (int64_t)r, n->c->residues[r]);
}

/* ---- sides ---------------------------------------------------------------------------------- */

uint64_t zl_copy_period(const zl_copy *c, int side)
{
    const zl_swizzle s = c->tile.swizzle[side];
    uint64_t m = (uint64_t)LINE_BYTES * 8 / c->bits, top = 1;
    if (s.bits) top <<= s.base + s.bits + (s.shift < 0 ? -s.shift : s.shift);
    return top > m ? top : m;
}

static uint64_t modulus_of(const zl_counting *n)
{
    const zl_swizzle s = n->c->tile.swizzle[n->side];
    bool global = n->c->side[n->side].space == ZLAY_MOVE_GLOBAL;
    bool realign = n->side == ZL_SOURCE && n->part->part.realign;
    uint64_t block = n->lines_too ? LINE_BYTES : SECTOR_BYTES;
    uint64_t bytes = global || realign ? block : WORD_BYTES;
    uint64_t m = bytes * 8 / n->c->bits, top = 1;
    if (s.bits) top <<= s.base + s.bits + (s.shift < 0 ? -s.shift : s.shift);
    m = m ? m : 1;
    return top > m ? top : m;
}

static void count_side(zl_counting *n)
{
    uint32_t partial = 0, empty = 0;
    for (uint32_t k = 0; k < n->part->part.modes; k++) {
        partial |= (uint32_t)(n->part->mode[k].extent % inner(n, k) != 0) << k;
        empty |= (uint32_t)(n->part->mode[k].extent < inner(n, k)) << k;
    }
    for (n->ends = partial;; n->ends = (n->ends - 1) & partial) {
        if ((n->ends & empty) == empty) count_pattern(n);
        if (!n->ends) break;
    }
}

static void counting_end(zl_counting *n, zlay_move_part *out)
{
    out->instructions += n->instructions;
    out->sectors += n->sectors;
    out->lines += n->lines;
    if (n->side == ZL_SOURCE) out->wavefronts_load = n->wavefronts;
    else out->wavefronts_store = n->wavefronts;
}

/* Blocks of warps in which a thread puts the bytes of its words into order. */
static uint64_t permutes(const zl_copy *c, const zl_copy_way *w, const zl_move_part *p,
                         const zl_copy_lane_bits *l)
{
    uint64_t blocks = 1, elements = 1;
    for (uint32_t k = 0; k < p->part.modes; k++) {
        uint64_t in = w->block[k] << l->bits[k];
        blocks *= p->mode[k].extent / in + (p->mode[k].extent % in != 0);
        elements *= w->block[k];
    }
    return blocks * zl_copy_permutes(c, w, elements);
}

/* ---- all of a part ------------------------------------------------------------------------ */

void zl_copy_count_points(const zl_copy *c, const zl_copy_way *way, zl_move_part *part,
                          const zl_copy_points *points)
{
    zlay_move_part *out = &part->part;
    uint64_t v = way->vector[0], lanes = c->lanes * v;
    for (int s = 0; s < ZL_SIDES; s++) {
        zl_counting n = {.c = c, .way = way, .part = part, .side = s, .lines_too = true};
        uint64_t once = out->instructions;
        for (uint64_t first = 0; first < points->count; first += lanes) {
            n.active = 0;
            for (uint64_t i = first; i < first + lanes && i < points->count; i += v) {
                n.lane[n.active] = (uint8_t)n.active;
                n.offset[n.active++] = points->at[i].offset[s];
            }
            if (zl_copy_has_runs(&n)) zl_copy_runs(&n);
            zl_copy_access(&n, 0, 1);
        }
        counting_end(&n, out);
        if (s == ZL_DEST && zl_copy_is_one(way)) out->instructions = once;
        out->uncounted |= n.uncounted;
    }
}

void zl_copy_count(const zl_copy *c, const zl_copy_way *way, zl_move_part *part,
                   const zl_copy_lane_bits *lanes, uint32_t what)
{
    zlay_move_part *out = &part->part;
    out->instructions = out->sectors = out->lines = 0;
    out->wavefronts_load = out->wavefronts_store = 0;
    out->uncounted = 0;
    for (int s = 0; s < ZL_SIDES; s++) {
        if (c->side[s].space == ZLAY_MOVE_REGISTER || !(what >> s & 1)) continue;
        zl_counting n = {.c = c, .way = way, .part = part, .lanes = lanes, .side = s};
        uint64_t once = out->instructions;
        n.lines_too = what & ZL_COUNT_LINES;
        n.modulus = modulus_of(&n);
        count_side(&n);
        counting_end(&n, out);
        if (s == ZL_DEST && zl_copy_is_one(way)) out->instructions = once;
        out->uncounted |= n.uncounted;
    }
    out->permutes = what & ZL_COUNT_PERMUTES ? permutes(c, way, part, lanes) : 0;
}

static void info_add(zlay_move_summary *info, const zlay_move_part *p)
{
    uint64_t accesses = info->accesses + p->accesses;
    info->accesses = accesses > UINT32_MAX ? UINT32_MAX : (uint32_t)accesses;
    if (p->threads > info->threads) info->threads = p->threads;
    if (p->kind == ZLAY_COPY_BULK_LOAD || p->kind == ZLAY_COPY_BULK_PEER)
        info->bytes += (uint64_t)p->width * p->instructions;
    if (p->kind == ZLAY_COPY_STORE_ASYNC) info->bytes += p->elements * info->elem_bits / 8;
    info->instructions += p->instructions;
    info->sectors += p->sectors;
    info->lines += p->lines;
    info->wavefronts_load += p->wavefronts_load;
    info->wavefronts_store += p->wavefronts_store;
    info->permutes += p->permutes;
    info->uncounted |= p->uncounted;
}

void zl_copy_info(const zl_copy *c, zlay_move_summary *info, const zl_copy_plan *plan,
                  uint64_t bound)
{
    info->path = plan->way.path;
    info->edge = ZLAY_EDGE_STRONG;
    info->elem_bits = c->bits;
    for (int s = 0; s < ZL_SIDES; s++) info->space[s] = c->side[s].space;
    info->width = zl_copy_bytes(c, plan->way.vector[ZL_DEST]);
    info->source_width = zl_copy_bytes(c, plan->way.vector[ZL_SOURCE]);
    info->cost = plan->cost;
    info->bound = bound;
    info->optimal = plan->cost == bound;
    for (uint32_t i = 0; i < plan->count; i++) info_add(info, &plan->part[i].part);
}
