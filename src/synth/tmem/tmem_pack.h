/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers with lifetimes, and the question whether they fit into given
 * allocations of tensor memory. */
#ifndef ZL_TMEM_PACK_H
#define ZL_TMEM_PACK_H

#include "base/base.h"
#include <zlay/tmem_pack.h>

/* Bit t of `life`: alive in the t-th step in which some buffer begins to
 * live. */
typedef struct zl_packed {
    uint32_t columns, align, offset;
    bool fixed;
    uint64_t life;
} zl_packed;

/* The problem: buffers, and consecutive allocations, each a power of two of
 * columns, the largest first. */
typedef struct zl_pack {
    uint32_t count, steps;
    zl_packed item[ZLAY_TMEM_BUFFERS];
    uint32_t allocations, size[ZLAY_TMEM_ALLOCATIONS], columns;
    uint64_t most, tried;              /* placements */
    uint32_t place[ZLAY_TMEM_BUFFERS]; /* the answer: first columns */
} zl_pack;

/* Whether two buffers can be exchanged in every packing. */
static inline bool zl_packed_alike(const zl_packed *a, const zl_packed *b)
{
    return a->columns == b->columns && a->align == b->align && a->life == b->life && !a->fixed &&
           !b->fixed;
}

/* Decides whether the buffers fit. ZLAY_OK: `place` has a packing; ZLAY_NONE:
 * it is proved that there is none; ZLAY_ELIMIT: `most` placements were
 * tried. */
zlay_status zl_pack_search(zl_pack *pack);

#endif
