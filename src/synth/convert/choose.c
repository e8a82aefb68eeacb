/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses which of several holders in a warp sends an element, so that fewer shuffles are needed.
 *
 * A sum of slot bits on which src is 0 holds nothing new: added to the slot that a bit of dst reads
 * from, it changes the sender and keeps the element.  This file tries such changes one at a time,
 * and two at a time where no single one saves a shuffle (local search).  It stops when the lower
 * bound is reached or when no change saves a shuffle. */
#include "synth/convert/convert.h"

enum { CHANGES = 64 };

typedef struct change {
    unsigned bit;
    uint64_t by;
} change;

/* Finds sums of register and lane bits on which src is 0: a basis of them, and its pair sums. */
static unsigned kernel_read(uint64_t *kernel, const zl_conversion *c)
{
    zl_solver s;
    unsigned count = 0;
    s.pivots = 0;
    for (zl_level level = ZL_REGISTER; level <= ZL_LANE; level++)
        for (uint64_t left = c->src.has & zl_level_mask(level); left; left &= left - 1) {
            uint64_t image;
            unsigned k = (unsigned)__builtin_ctzll(left);
            if (zl_solver_put(&s, c->src.to[k], zl_bit(k)) || count == CHANGES) continue;
            zl_solver_reduce(&s, c->src.to[k], &image);
            kernel[count++] = image ^ zl_bit(k);
        }
    for (unsigned i = 0, basis = count; i < basis; i++)
        for (unsigned j = 0; j < i && count < CHANGES; j++)
            kernel[count++] = kernel[i] ^ kernel[j];
    return count;
}

/* Lists the changes to try: each bit of dst with each sum of kernel_read. */
static unsigned changes_read(change *out, const zl_conversion *c)
{
    uint64_t kernel[CHANGES];
    unsigned kernels = kernel_read(kernel, c), count = 0;
    for (uint64_t left = c->dst.has; left; left &= left - 1)
        for (unsigned i = 0; i < kernels && count < CHANGES; i++)
            out[count++] = (change){(unsigned)__builtin_ctzll(left), kernel[i]};
    return count;
}

static void apply(zl_conversion *c, change one) { c->from.to[one.bit] ^= one.by; }

/* Applies the first change, or pair of changes, that saves a shuffle; false: none does. */
static bool step(zl_conversion *c, const change *all, unsigned count, uint32_t *rounds)
{
    uint32_t least;
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j <= i; j++) {
            apply(c, all[i]);
            if (j < i) apply(c, all[j]);
            uint32_t now = zl_shuffle_rounds(c, &least);
            if (now < *rounds) {
                *rounds = now;
                return true;
            }
            if (j < i) apply(c, all[j]);
            apply(c, all[i]);
        }
    return false;
}

void zl_holders_improve(zl_conversion *c)
{
    change all[CHANGES];
    uint32_t least, rounds = zl_shuffle_rounds(c, &least);
    if (rounds <= least) return;
    unsigned count = changes_read(all, c);
    while (rounds > least && step(c, all, count, &rounds)) continue;
}
