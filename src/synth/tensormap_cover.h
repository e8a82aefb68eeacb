/* SPDX-License-Identifier: Apache-2.0 */
/* A tile as a sequence of chunks of 16 bytes in shared memory, and copies as intervals of it.
 *
 * A copy writes whole chunks from whole chunks, at addresses that begin on 128 bytes: in the order
 * of shared memory before the swizzle it is an interval that begins with a line of eight.  Where a
 * chunk comes from is its key: the chunk of global memory, and its place along each axis that has
 * edges.  An interval is a box where its keys are those of a nested loop. */
#ifndef ZL_SYNTH_TENSORMAP_COVER_H
#define ZL_SYNTH_TENSORMAP_COVER_H

#include "synth/tensormap_dims.h"

enum { ZL_LINE_CHUNKS = ZL_LINE / ZL_CHUNK };

typedef struct zl_chunks {
    const zl_tm *t;
    uint64_t cells;       /* of the tile */
    uint64_t count;       /* chunks, in whole lines */
    uint64_t wanted;      /* of them those that the tile wants */
    uint32_t width;       /* numbers of a key: the global chunk, then a place an axis of `axis` */
    uint32_t axis[ZL_TM_AXES]; /* axes with edges */
    int64_t *key;
    uint8_t *there;       /* 1: the tile wants it */
    int64_t *global, *shared; /* elements, of each cell */
} zl_chunks;

/* All chunks of a tile: ZLAY_NONE with the first byte that no copy brings; ELIMIT, ENOMEM. */
zlay_status zl_chunks_make(zl_chunks *out, const zl_tm *t);
void zl_chunks_free(zl_chunks *c);

/* The least cover: `*box` is the caller's to free, `*boxes` of them. */
zlay_status zl_chunks_cover(const zl_chunks *c, zl_tm_box **box, uint32_t *boxes);

/* The certificate of a move of several copies. */
zlay_status zl_chunks_certify(const zl_chunks *c, zlay_move *move);

#endif
