/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a common complement K of two subspaces A' and B', in closed form.
 *
 * Let I be the intersection of A' and B', and let A' = I + A and B' = I + B be direct sums, with
 * a_i a basis of A and b_i a basis of B.  Let E be a complement of I + A + B.  K is spanned by E
 * and the sums a_i + b_i, as many as both bases have.  K has only 0 in common with A': a
 * combination of its vectors that lies in A' has no part in E and no part in B, so it is 0.  The
 * same holds for B'.  The dimension of K is that of the whole space minus the larger of the two
 * subspaces'. */
#include "algebra/f2/f2.h"
#include "synth/swizzle/swizzle.h"

typedef struct pair {
    uint32_t count[2];                  /* vectors that are kept of each subspace */
    uint32_t common;                    /* the dimension of I */
    uint32_t own[2];                    /* the dimensions of A and B */
    uint64_t meet[ZL_LANE_BITS], vector[2][ZL_LANE_BITS]; /* bases of I; of A and B */
    zl_echelon all; /* the sum of both subspaces */
} pair;

/* Reads bases of B and of I. */
static void second_read(pair *w, const zl_avoid *a)
{
    for (uint32_t i = 0; i < w->count[1]; i++) {
        uint64_t from, both = a->vector[i];
        if (zl_echelon_put(&w->all, both, w->count[0] + w->own[1])) {
            w->vector[1][w->own[1]++] = both;
            continue;
        }
        zl_echelon_reduce(&w->all, both, &from);
        for (from >>= w->count[0]; from; from &= from - 1)
            both ^= w->vector[1][__builtin_ctzll(from)];
        w->meet[w->common++] = both;
    }
}

/* Reads bases of I, A and B.  A subspace too large to be avoided is shortened to the size that
 * fits. */
static void pair_read(pair *w, const zl_avoid *avoid, uint32_t count, uint32_t room)
{
    zl_echelon first;
    first.pivots = 0;
    w->common = w->own[0] = w->own[1] = w->count[0] = w->count[1] = 0;
    w->all.pivots = 0;
    for (uint32_t s = 0; s < count; s++) {
        uint32_t most = room - avoid[s].depth;
        w->count[s] = avoid[s].count < most ? avoid[s].count : most;
    }
    for (uint32_t i = 0; i < w->count[0]; i++) zl_echelon_put(&w->all, avoid[0].vector[i], i);
    if (count > 1) second_read(w, &avoid[1]);
    for (uint32_t i = 0; i < w->common; i++) zl_echelon_put(&first, w->meet[i], 0);
    for (uint32_t i = 0; i < w->count[0]; i++)
        if (zl_echelon_put(&first, avoid[0].vector[i], 0))
            w->vector[0][w->own[0]++] = avoid[0].vector[i];
}

/* Appends single index bits, the highest first, that are outside `spanned`. */
static uint32_t outside(uint64_t *k, uint32_t found, uint32_t depth, const zl_inner_frame *f,
                        zl_echelon *spanned)
{
    for (uint32_t b = f->bits; b-- > 0 && found < depth;) {
        uint64_t index = zl_frame_project(f, UINT64_C(1) << b);
        if (zl_echelon_put(spanned, index, 0)) k[found++] = index;
    }
    return found;
}

/* Adds vectors to K that only one subspace counts, so that only that one has to be avoided. */
static void lengthen(uint64_t *k, uint32_t found, uint32_t depth, const zl_inner_frame *f,
                     const zl_avoid *avoid, uint32_t kept)
{
    zl_echelon spanned;
    spanned.pivots = 0;
    for (uint32_t i = 0; i < kept; i++) zl_echelon_put(&spanned, avoid->vector[i], 0);
    for (uint32_t i = 0; i < found; i++) zl_echelon_put(&spanned, k[i], 0);
    outside(k, found, depth, f, &spanned);
}

void zl_complement_pair(uint64_t *k, uint32_t depth, const zl_inner_frame *f, const zl_avoid *avoid,
                        uint32_t count)
{
    pair w;
    pair_read(&w, avoid, count, f->bits - f->inner);
    uint32_t found = outside(k, 0, depth, f, &w.all);
    for (uint32_t i = w.own[0] < w.own[1] ? w.own[0] : w.own[1]; i-- > 0 && found < depth;)
        k[found++] = w.vector[0][i] ^ w.vector[1][i];
    if (found == depth) return;
    uint32_t longer = count > 1 && avoid[1].depth == depth;
    lengthen(k, found, depth, f, &avoid[longer], w.count[longer]);
}
