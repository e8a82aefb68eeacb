/* SPDX-License-Identifier: Apache-2.0 */
/* See by_hand.h. */
#include "by_hand.h"

#define HAND(name, at)                                                                           \
    void name(int64_t *values, const uint64_t *index, uint64_t first, size_t count)       \
    {                                                                                            \
        if (index)                                                                               \
            for (size_t i = 0; i < count; i++) values[i] = at(index[i]);                         \
        else                                                                                     \
            for (size_t i = 0; i < count; i++) values[i] = at(first + i);                        \
    }

/* (6,10,14,9):(7,45,460,1): extents that are no powers of two. */
static int64_t rank4(uint64_t i)
{
    return (int64_t)(i % 6 * 7 + i / 6 % 10 * 45 + i / 60 % 14 * 460 + i / 840);
}

HAND(rank4_by_hand, rank4)

/* Sw<3,3,3> o 0 o (64,(8,16)):(8,(1,512)), with shifts and masks. */
static int64_t swizzled(uint64_t i)
{
    uint64_t v = (i & 63) * 8 + (i >> 6 & 7) + (i >> 9) * 512;
    return (int64_t)(v ^ (v >> 3 & 56));
}

HAND(swizzled_by_hand, swizzled)

/* f2 of 13 bits; each basis where its bit is set. */
static const uint64_t basis[13] = {17, 2, 4, 520, 33, 64, 3, 256, 1025, 8, 4100, 2048, 4224};

static int64_t f2(uint64_t i)
{
    uint64_t v = 0;
    for (int k = 0; k < 13; k++) v ^= (0 - (i >> k & 1)) & basis[k];
    return (int64_t)v;
}

HAND(f2_by_hand, f2)
