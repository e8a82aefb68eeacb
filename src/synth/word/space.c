/* SPDX-License-Identifier: Apache-2.0 */
/* Subspaces of F2^n as echelon bases: copy, span of units, sum, and intersection by Zassenhaus'
 * algorithm. */
#include "synth/word/space.h"

void zl_space_copy(zl_space *out, const zl_space *s)
{
    out->pivots = s->pivots;
    for (uint64_t left = s->pivots; left; left &= left - 1)
        out->value[__builtin_ctzll(left)] = s->value[__builtin_ctzll(left)];
}

void zl_space_units(zl_space *out, uint64_t mask)
{
    out->pivots = mask;
    for (; mask; mask &= mask - 1) out->value[__builtin_ctzll(mask)] = mask & (0 - mask);
}

void zl_space_join(zl_space *s, const zl_space *other)
{
    for (uint64_t left = other->pivots; left; left &= left - 1)
        zl_space_put(s, other->value[__builtin_ctzll(left)]);
}

/* Zassenhaus' algorithm: from (u, u) for u of one space and (v, 0) for v of the other, the
 * vectors (0, w) span the intersection. */
void zl_space_meet(zl_space *out, const zl_space *a, const zl_space *b)
{
    zl_space pairs, met;
    pairs.pivots = a->pivots;
    for (uint64_t left = a->pivots; left; left &= left - 1) {
        int p = __builtin_ctzll(left);
        pairs.value[p] = a->value[p] | a->value[p] << ZL_SLOT_BITS;
    }
    met.pivots = 0;
    for (uint64_t left = b->pivots; left; left &= left - 1) {
        uint64_t rest = zl_space_rest(&pairs, b->value[__builtin_ctzll(left)]);
        if (rest & UINT32_MAX) zl_space_put(&pairs, rest);
        else zl_space_put(&met, rest >> ZL_SLOT_BITS);
    }
    zl_space_copy(out, &met);
}

void zl_space_image(zl_space *out, const zl_affine *map, const zl_space *a)
{
    out->pivots = 0;
    for (uint64_t left = a->pivots; left; left &= left - 1)
        zl_space_put(out, zl_xor_of(map->basis, a->value[__builtin_ctzll(left)]));
}

void zl_space_kernel(zl_space *out, const zl_affine *map, uint64_t zero)
{
    zl_space pairs;
    pairs.pivots = out->pivots = 0;
    for (unsigned k = 0; k < map->bits; k++) {
        uint64_t pair = (map->basis[k] & zero) | (uint64_t)1 << (ZL_SLOT_BITS + k);
        uint64_t rest = zl_space_rest(&pairs, pair);
        if (rest & UINT32_MAX) zl_space_put(&pairs, rest);
        else zl_space_put(out, rest >> ZL_SLOT_BITS);
    }
}

uint64_t zl_space_outside(const zl_space *s, const zl_space *one, const zl_space *other)
{
    uint64_t past_one = 0, past_other = 0;
    for (uint64_t left = s->pivots; left; left &= left - 1) {
        uint64_t v = s->value[__builtin_ctzll(left)];
        bool out_of_one = zl_space_rest(one, v), out_of_other = zl_space_rest(other, v);
        if (out_of_one && out_of_other) return v;
        if (out_of_one) past_one = v;
        if (out_of_other) past_other = v;
    }
    return past_one && past_other ? past_one ^ past_other : 0;
}
