/* SPDX-License-Identifier: Apache-2.0 */
/* Subspaces of the slots' bits over F2, as echelon bases: the lowest bit of a vector is its pivot,
 * and no other vector of the basis has that bit. */
#ifndef ZL_SYNTH_WORD_SPACE_H
#define ZL_SYNTH_WORD_SPACE_H

#include "algebra/f2/f2.h"
#include "synth/word/word.h"

typedef struct zl_space {
    uint64_t pivots, value[32];
} zl_space;

static inline unsigned zl_space_rank(const zl_space *s)
{
    return (unsigned)__builtin_popcountll(s->pivots);
}

/* The vector reduced by the basis; 0: it is in the space. */
static inline uint64_t zl_space_rest(const zl_space *s, uint64_t v)
{
    for (uint64_t left; (left = v & s->pivots);) v ^= s->value[__builtin_ctzll(left)];
    return v;
}

static inline bool zl_space_put(zl_space *s, uint64_t v)
{
    uint64_t rest = zl_space_rest(s, v);
    if (!rest) return false;
    s->value[__builtin_ctzll(rest)] = rest;
    s->pivots |= rest & (0 - rest);
    return true;
}

void zl_space_copy(zl_space *out, const zl_space *s);

/* All unit vectors of a mask. */
void zl_space_units(zl_space *out, uint64_t mask);
void zl_space_join(zl_space *s, const zl_space *other);

/* The intersection. Both spaces have vectors of at most 32 bits, as all spaces here have. */
void zl_space_meet(zl_space *out, const zl_space *a, const zl_space *b);
void zl_space_image(zl_space *out, const zl_affine *map, const zl_space *a);

/* The kernel of the bits `zero` of a map: the vectors whose images are 0 in these bits. */
void zl_space_kernel(zl_space *out, const zl_affine *map, uint64_t zero);

/* A vector of a space that is in neither of two others; 0: one of them contains the space. (No
 * space is the union of two smaller ones.) */
uint64_t zl_space_outside(const zl_space *s, const zl_space *one, const zl_space *other);

#endif
