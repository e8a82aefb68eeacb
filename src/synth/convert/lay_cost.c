/* SPDX-License-Identifier: Apache-2.0 */
/* What the accesses of a round trip through shared memory cost by their addresses: the offsets at
 * hand are kept where they cost less than the best so far. */
#include "synth/convert/lay.h"

#include <string.h>

uint64_t zl_lay_slot_at(const zl_lay *l, int side, uint64_t lane, uint64_t element,
                        uint64_t instance)
{
    const uint64_t *extent = l->p->c->extent[side];
    uint64_t each = l->side[side].each, accesses = extent[ZL_REGISTER] / each;
    uint64_t reg = instance % accesses * each + element, warp = instance / accesses;
    if (lane >= extent[ZL_LANE]) return ZL_NOBODY;
    uint64_t slot = (warp * extent[ZL_LANE] + lane) * extent[ZL_REGISTER] + reg;
    return l->p->held[side].there[slot] ? slot : ZL_NOBODY;
}

uint64_t zl_lay_instances(const zl_lay *l, int side)
{
    const uint64_t *extent = l->p->c->extent[side];
    return extent[ZL_REGISTER] / l->side[side].each * extent[ZL_WARP] * extent[ZL_BLOCK];
}

/* The address of a lane in an instance; false: its elements do not lie together, or only some of
 * them are there. */
static bool address_of(const zl_lay *l, int side, uint64_t lane, uint64_t instance, uint32_t *out)
{
    const zl_lane_side *s = &l->side[side];
    uint64_t first = zl_lay_slot_at(l, side, lane, 0, instance), bytes = l->p->c->bits / 8;
    *out = ZLAY_BANK_INACTIVE;
    if (first == ZL_NOBODY) {
        for (uint64_t e = 1; e < s->each; e++)
            if (zl_lay_slot_at(l, side, lane, e, instance) != ZL_NOBODY) return false;
        return true;
    }
    int64_t at = l->offset.value[l->p->held[side].value[first]];
    for (uint64_t e = 1; e < s->each; e++) {
        uint64_t slot = zl_lay_slot_at(l, side, lane, e, instance);
        if (slot == ZL_NOBODY) return false;
        if (l->offset.value[l->p->held[side].value[slot]] != at + (int64_t)e) return false;
    }
    *out = (uint32_t)((uint64_t)at * bytes);
    return *out % (s->each * bytes) == 0;
}

/* Add what one instance takes, and what it takes at least. */
static bool instance_count(zl_lay *l, int side, uint64_t n, uint64_t *taken, uint64_t *least)
{
    const zl_conversion *c = l->p->c;
    zl_lane_side *s = &l->side[side];
    uint32_t address[ZLAY_BANK_LANES];
    zlay_bank bank;
    for (uint32_t lane = 0; lane < c->machine.lanes; lane++)
        if (!address_of(l, side, lane, n, &address[lane])) return false;
    if (zlay_bank_conflicts(&bank, c->target, s->form->access, address, c->machine.lanes))
        return false;
    s->counted = s->counted && bank.answer == ZLAY_YES;
    *taken += bank.wavefronts;
    *least += bank.distinct;
    return true;
}

/* Of the block that takes most; the least is below that where any block has a conflict. */
static bool side_count(zl_lay *l, int side)
{
    zl_lane_side *s = &l->side[side];
    uint64_t blocks = l->p->c->extent[side][ZL_BLOCK], conflicts = 0;
    uint64_t each = zl_lay_instances(l, side) / blocks;
    s->wavefronts = 0;
    s->counted = true;
    for (uint64_t block = 0; block < blocks; block++) {
        uint64_t taken = 0, least = 0;
        for (uint64_t n = block * each; n < (block + 1) * each; n++)
            if (!instance_count(l, side, n, &taken, &least)) return false;
        if (taken > s->wavefronts) s->wavefronts = taken;
        conflicts += taken > least ? taken - least : 0;
    }
    s->least = conflicts < s->wavefronts ? s->wavefronts - conflicts : 0;
    return true;
}

/* Elements narrower than a word, an access narrower still: all but the low ones are moved. */
uint64_t zl_lay_permutes(const zl_lay *l, int side)
{
    const zl_lane_side *s = &l->side[side];
    uint64_t word = (uint64_t)1 << l->p->c->word;
    return s->each < word ? s->accesses - s->accesses * s->each / word : 0;
}

static uint64_t cost_of(const zl_lay *l, int side)
{
    const zl_lane_side *s = &l->side[side];
    uint64_t warps = l->p->c->extent[side][ZL_WARP];
    uint64_t taken = s->counted ? s->wavefronts : s->accesses * warps;
    return (s->accesses * ZL_COST_ACCESS + zl_lay_permutes(l, side) * ZL_COST_PRMT) * warps +
           taken * ZL_COST_WAVEFRONT;
}

uint64_t zl_lay_least_cost(const zl_lay *l, int side)
{
    const uint64_t *extent = l->p->c->extent[side];
    uint64_t row = l->p->c->machine.banks * l->p->c->machine.bank_bytes;
    uint64_t bytes = extent[ZL_LANE] * l->side[side].each * (l->p->c->bits / 8), phases = 1;
    if (row && bytes / 2 > row) phases = bytes / 2 / row;
    return l->side[side].accesses * extent[ZL_WARP] * (ZL_COST_ACCESS + phases * ZL_COST_WAVEFRONT);
}

bool zl_lay_is_free(const zl_lane_side *s)
{
    return s[ZL_SRC].wavefronts <= s[ZL_SRC].least && s[ZL_DST].wavefronts <= s[ZL_DST].least;
}

uint64_t zl_lay_smem(const zl_conversion *c)
{
    return c->request->smem ? c->request->smem : c->machine.smem;
}

bool zl_lay_offer(zl_lay *l, uint64_t spans)
{
    const zl_conversion *c = l->p->c;
    if (spans * (c->bits / 8) > zl_lay_smem(c)) return false;
    if (!side_count(l, ZL_SRC) || !side_count(l, ZL_DST)) return false;
    uint64_t cost = cost_of(l, ZL_SRC) + cost_of(l, ZL_DST);
    bool is_now = zl_lay_is_free(l->side), alike = is_now == l->free || l->coloured;
    bool better = alike ? cost < l->cost : is_now;
    if (!better) return true;
    l->free = is_now;
    l->cost = cost;
    l->spans = spans;
    memcpy(l->kept, l->side, sizeof l->kept);
    memcpy(l->best.value, l->offset.value, l->size * sizeof *l->best.value);
    return true;
}
