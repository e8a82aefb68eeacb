/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the layout of shared memory for one round trip, by the linear search of swizzle.synth on
 * the coordinates of the elements that a block holds, and counts the wavefronts of both accesses
 * in that layout. */
#include "synth/convert/side.h"
#include "synth/swizzle/swizzle.h"

enum { PHASES = 16, SEARCH_STEPS = 1 << 12 };

/* ---- the elements of a block as a tile --------------------------------------------------- */

/* The coordinates of a tensor index among those that a block holds: its bits at the pivots of their
 * reduced echelon form. */
static uint64_t coordinate(const zl_solver *held, uint64_t index)
{
    uint64_t value = 0, bit = 1;
    for (uint64_t left = held->pivots; left; left &= left - 1, bit <<= 1)
        if (index & left & -left) value |= bit;
    return value;
}

/* Spans the tensor indices that a block of src holds, by vectors of which none has another's pivot. */
static void held_read(zl_solver *held, const zl_trip *t)
{
    uint64_t none;
    held->pivots = 0;
    for (uint64_t left = t->at[ZL_SRC].has; left; left &= left - 1)
        zl_solver_put(held, t->at[ZL_SRC].to[__builtin_ctzll(left)], 0);
    for (uint64_t left = held->pivots; left; left &= left - 1) {
        uint64_t pivot = left & -left, *value = &held->value[__builtin_ctzll(left)];
        *value = zl_solver_reduce(held, *value ^ pivot, &none) ^ pivot;
    }
}

/* The phases that stand in where a target's phases were not measured: groups of consecutive lanes
 * which together access every bank once.  They guide the search for a layout; no wavefronts are
 * predicted from them. */
typedef struct assumed {
    uint64_t phases[PHASES];
    zl_bank_model model;
} assumed;

static void assume(assumed *a, const zl_conversion *c, const zl_side *s)
{
    uint32_t row = c->machine.banks * c->machine.bank_bytes, lanes = c->machine.lanes;
    uint32_t bytes = s->form->bytes < 4 ? 4 : s->form->bytes;
    uint32_t together = row / bytes < lanes ? row / bytes : lanes;
    a->model = (zl_bank_model){.phases = a->phases, .banks = c->machine.banks};
    for (uint32_t l = 0; l < lanes && a->model.count < PHASES; l += together)
        a->phases[a->model.count++] = (UINT64_MAX >> (64 - together)) << l;
}

/* Describes a side's access to the search: a map from lanes, elements at one address, registers,
 * warps and (of dst) blocks to coordinates. */
static zlay_status ask_read(zl_bank_ask *out, const zl_trip *t, int which, const zl_solver *held)
{
    const zl_side *s = &t->side[which];
    zl_banked banked = s->banked;
    zl_affine map = {.bits = 0};
    assumed a;
    uint64_t lane[ZLAY_BANK_LANES];
    unsigned lanes = zl_side_lanes(s, t->c, lane), first = s->units.count;
    for (unsigned i = 0; i < lanes; i++) map.basis[map.bits++] = coordinate(held, lane[i]);
    for (unsigned i = 0; i < s->units.count; i++)
        map.basis[map.bits++] = coordinate(held, s->units.unit[i]);
    if (s->form->matrices) first = t->c->word + (unsigned)__builtin_ctz(s->form->matrices);
    for (unsigned i = first; i < s->registers; i++)
        map.basis[map.bits++] = coordinate(held, zl_bitmap_at(s->at, s->mid.to[i]));
    for (uint64_t left = s->kept & zl_level_mask(ZL_WARP); left; left &= left - 1)
        map.basis[map.bits++] = coordinate(held, s->at->to[__builtin_ctzll(left)]);
    for (uint64_t left = which == ZL_DST ? t->c->dst.has & ZL_BLOCKS : 0; left; left &= left - 1) {
        uint64_t holder = t->c->from.to[__builtin_ctzll(left)] & ~ZL_BLOCKS;
        map.basis[map.bits++] = coordinate(held, zl_bitmap_at(&t->c->src, holder));
    }
    if (!banked.model) {
        assume(&a, t->c, s);
        banked.model = &a.model;
    }
    return zl_bank_ask_of(out, &banked, t->c->bits, &map);
}

/* Where the tile is the whole tensor, tells the search its modes, so that it prefers swizzles that
 * tensor copies can write. */
static void put_modes(zl_swizzle_problem *p, const zl_conversion *c)
{
    const zlay_layout *src = c->request->src;
    unsigned bits = 0;
    if (!zl_is_bits(src) || src->f2.outs > ZL_FORM_MODES) return;
    for (size_t i = 0; i < src->f2.outs; i++) {
        p->mode_bits[i] = src->f2.out[i].bits;
        bits += src->f2.out[i].bits;
    }
    if (bits == p->bits) p->modes = (uint32_t)src->f2.outs;
    p->swizzles = p->modes > 0;
}

/* Sets the offset of each bit of a tensor index.  Bits that number pieces come above the offset in
 * a piece.  Blocks, and parts of an index that no slot holds, add nothing to an offset. */
static void offsets_of(zl_trip *t, const zl_solver *held, const uint64_t *basis)
{
    const zl_conversion *c = t->c;
    zl_solver all;
    all.pivots = 0;
    uint64_t reach = 0;
    for (uint64_t left = held->pivots; left; left &= left - 1)
        zl_solver_put(&all, held->value[__builtin_ctzll(left)], *basis++);
    for (uint64_t left = c->src.has & ZL_BLOCKS; left; left &= left - 1)
        zl_solver_put(&all, c->src.to[__builtin_ctzll(left)], 0);
    for (unsigned i = 0; i < t->cuts; i++)
        zl_solver_put(&all, c->src.to[t->cut[ZL_SRC][i]], zl_bit(t->bits + i));
    for (uint64_t left = c->src.has; left; left &= left - 1)
        reach |= c->src.to[__builtin_ctzll(left)];
    t->offset.has = 0;
    for (; reach; reach &= reach - 1) {
        unsigned k = (unsigned)__builtin_ctzll(reach);
        zl_solver_put(&all, zl_bit(k), 0);
        t->offset.has |= zl_bit(k);
    }
    for (uint64_t left = t->offset.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_solver_reduce(&all, zl_bit(k), &t->offset.to[k]);
    }
}

static zlay_status room_check(const zl_trip *t)
{
    const zl_conversion *c = t->c;
    uint64_t most = c->request->smem ? c->request->smem : c->machine.smem;
    uint64_t bytes = t->bits < 60 ? (uint64_t)(c->bits / 8) << t->bits : UINT64_MAX;
    if (bytes <= most && t->bits <= ZL_TILE_BITS) return ZLAY_OK;
    return zl_fail(c->ctx, ZLAY_ELIMIT,
                   "smem: a round trip takes %llu bytes of shared memory, and there are %llu",
                   (unsigned long long)bytes, (unsigned long long)most);
}

zlay_status zl_trip_place(zl_trip *t)
{
    const zl_conversion *c = t->c;
    zl_bank_ask ask[2];
    zl_swizzle_found found;
    zl_solver held;
    held_read(&held, t);
    t->bits = (unsigned)__builtin_popcountll(held.pivots);
    zlay_status status = room_check(t);
    if (status) return status;
    zl_swizzle_problem p = {
        .bits = t->bits, .word = (int32_t)c->word, .ask = ask, .steps = SEARCH_STEPS};
    if (c->bits == 64) p.word = -1;
    for (int which = ZL_SRC; which <= ZL_DST; which++)
        if (!ask_read(&ask[p.count], t, which, &held)) p.count++;
    put_modes(&p, c);
    if (zl_swizzle_find(&found, &p)) return ZLAY_NONE;
    t->free = found.sum == found.least;
    t->cost += (uint32_t)(found.sum - found.least) * ZL_COST_WAVEFRONT;
    offsets_of(t, &held, found.basis);
    return ZLAY_OK;
}

/* ---- wavefronts -------------------------------------------------------------------------- */

static uint32_t address_of(const zl_trip *t, uint64_t index)
{
    return (uint32_t)(zl_bitmap_at(&t->offset, index & ~ZL_BLOCKS) * (t->c->bits / 8));
}

zlay_status zl_side_count(zlay_bank *out, const zl_trip *t, int which)
{
    const zl_side *s = &t->side[which];
    uint32_t address[ZLAY_BANK_LANES], rows = 8 * s->form->matrices;
    uint64_t lane[ZLAY_BANK_LANES];
    zl_side_lanes(s, t->c, lane);
    for (uint32_t l = 0; l < t->c->machine.lanes; l++) {
        uint64_t index = 0, bits = (uint64_t)l << zl_level_low[ZL_LANE];
        for (uint32_t left = l; left; left &= left - 1) index ^= lane[__builtin_ctz(left)];
        bool active = rows ? l < rows : !(bits & ~s->kept);
        address[l] = active ? address_of(t, index) : ZLAY_BANK_INACTIVE;
    }
    return zlay_bank_conflicts(out, t->c->target, s->form->access, address, t->c->machine.lanes);
}
