/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of slots: identity, inverse, product, the map that a word is to make, and how much of a map
 * stays inside lanes. */
#include "synth/word/round.h"

#include <stddef.h>
#include <string.h>

uint32_t zl_slots_bits(const zl_slots *s)
{
    return s->byte + s->reg + s->lane + s->warp + s->block;
}

void zl_map_same(zl_affine *out, unsigned bits)
{
    out->bits = bits;
    out->constant = 0;
    for (unsigned k = 0; k < bits; k++) out->basis[k] = (uint64_t)1 << k;
}

void zl_map_copy(zl_affine *out, const zl_affine *map)
{
    memcpy(out, map, offsetof(zl_affine, basis) + map->bits * sizeof *map->basis);
}

/* Inverts by Gauss-Jordan on [map | identity], with a row in one word: the low half is the sum of
 * images, the high half says which ones. No row has another row's pivot. */
static bool invert_packed(zl_affine *out, const zl_affine *map)
{
    uint64_t row[ZL_SLOT_BITS], done = 0;
    const unsigned bits = map->bits;
    for (unsigned k = 0; k < bits; k++) {
        uint64_t now = map->basis[k] | (uint64_t)1 << (ZL_SLOT_BITS + k);
        for (uint64_t left = now & done; left; left &= left - 1) now ^= row[__builtin_ctzll(left)];
        const unsigned pivot = (unsigned)__builtin_ctzll(now);
        if (pivot >= bits) return false;
        for (uint64_t left = done; left; left &= left - 1) {
            uint64_t *other = &row[__builtin_ctzll(left)];
            *other ^= now & (0 - (*other >> pivot & 1));
        }
        row[pivot] = now;
        done |= (uint64_t)1 << pivot;
    }
    for (unsigned k = 0; k < bits; k++) {
        if ((row[k] & UINT32_MAX) >> bits) return false;
        out->basis[k] = row[k] >> ZL_SLOT_BITS;
    }
    return true;
}

static bool invert_wide(zl_affine *out, const zl_affine *map)
{
    zl_echelon e;
    const unsigned bits = map->bits;
    e.pivots = 0;
    for (unsigned k = 0; k < bits; k++)
        if (!zl_echelon_put(&e, map->basis[k], k)) return false;
    if (e.pivots != zl_ones(bits)) return false;
    for (unsigned k = 0; k < bits; k++) out->basis[k] = e.sources[k];
    return true;
}

bool zl_map_invert(zl_affine *out, const zl_affine *map)
{
    const uint64_t constant = map->constant;
    const unsigned bits = map->bits;
    if (bits > ZL_SLOT_BITS ? !invert_wide(out, map) : !invert_packed(out, map)) return false;
    out->bits = bits;
    out->constant = zl_xor_of(out->basis, constant);
    return true;
}

void zl_map_product(zl_affine *out, const zl_affine *second, const zl_affine *first)
{
    const unsigned bits = first->bits;
    const uint64_t constant = zl_map_at(second, first->constant);
    uint64_t basis[ZL_COUNT(first->basis)];
    for (unsigned k = 0; k < bits; k++) basis[k] = zl_xor_of(second->basis, first->basis[k]);
    out->bits = bits;
    out->constant = constant;
    memcpy(out->basis, basis, bits * sizeof *basis);
}

bool zl_map_equal(const zl_affine *a, const zl_affine *b)
{
    return a->constant == b->constant && !memcmp(a->basis, b->basis, a->bits * sizeof *a->basis);
}

bool zl_wanted_of(zl_wanted *out, const zl_slots *slots, const zl_affine *map)
{
    out->slots = *slots;
    out->bits = zl_slots_bits(slots);
    out->bytes = zl_ones(slots->byte);
    out->inner = zl_ones(slots->byte + slots->reg);
    out->regs = out->inner & ~out->bytes;
    out->lanes = zl_ones(out->bits) & ~out->inner;
    out->plane = out->bytes | out->lanes;
    out->map = *map;
    return map->bits == out->bits && !(map->constant & ~zl_ones(out->bits)) &&
           zl_map_invert(&out->inverse, map);
}

bool zl_map_stays(const zl_wanted *w, const zl_affine *map)
{
    uint64_t moved = map->constant;
    for (unsigned k = 0; k < w->bits; k++)
        moved |= map->basis[k] ^ (w->lanes & (uint64_t)1 << k);
    return !(moved & w->lanes);
}

unsigned zl_inner_rank_back(const zl_wanted *w, const zl_affine *back)
{
    zl_space regs;
    regs.pivots = 0;
    for (uint64_t left = w->plane; left; left &= left - 1)
        zl_space_put(&regs, back->basis[__builtin_ctzll(left)] & w->regs);
    return zl_space_rank(&regs);
}

unsigned zl_inner_rank(const zl_wanted *w, const zl_affine *map)
{
    zl_affine back;
    zl_map_invert(&back, map);
    return zl_inner_rank_back(w, &back);
}
