/* SPDX-License-Identifier: Apache-2.0 */
/* Values of many indices as moves of bits: an affine map over F2 is the exclusive or of the
 * index's bits, each moved by some distances; the bits of one distance move together, in two
 * instructions. */
#ifndef ZL_ALGEBRA_EVAL_TURNS_H
#define ZL_ALGEBRA_EVAL_TURNS_H

#include "algebra/layout/layout.h"

enum { ZL_TURNS_MOST = 24 };

/* Value: constant ^ sum of (index turned left by turn[i]) & mask[i].  No mask is 0, and no two
 * turns are equal. */
typedef struct zl_turns {
    size_t count;
    uint64_t constant, turn[ZL_TURNS_MOST], mask[ZL_TURNS_MOST];
} zl_turns;

/* Of a layout with one output: strided or swizzled whose modes are powers of two with bits
 * apart, or over F2; false: not of this form, or of more moves than this processor gains by. */
bool zl_turns_of(zl_turns *out, const zlay_layout *a, size_t count);

/* The values of the indices, or with index NULL of first, first + 1, ..., all inside the
 * layout. */
void zl_turns_many(int64_t *values, const zl_turns *m, const uint64_t *index, uint64_t first,
                   size_t count);

/* How the loops are run: the first `zl_turns_ways_here()` rows are for this processor, the last of
 * these is taken.  A test runs each. */
typedef struct zl_turns_way {
    void (*run)(int64_t *values, const zl_turns *m, const uint64_t *index, uint64_t first,
                size_t count);
    bool (*inside)(const uint64_t *index, uint64_t size, size_t count);
    size_t most; /* moves up to which tables take longer */
} zl_turns_way;

extern const zl_turns_way zl_turns_ways[];
size_t zl_turns_ways_here(void);

/* All indices are below `size`, a number below 2^63. */
bool zl_all_below(const uint64_t *index, uint64_t size, size_t count);

#endif
