/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tmem_pack.h - tensor memory shared by buffers that live at different
 *  times, in the fewest columns.
 *
 *  By hand.  An accumulator of 256 columns lives in steps 0 and 1, one of 128
 *  in steps 1 and 2, one of 256 in steps 2 and 3.  In steps 1 and 2 there are
 *  384 columns alive, so no fewer do.  One allocation has a power of two: 512,
 *  offsets 0, 256, 0.  Two allocations have 256 + 128 = 384 columns, and leave
 *  128 to another block: the first and the third buffer in the first, the
 *  second in the second, all at offset 0.
 *
 *  Four allocations for buffers of 384, 4, 4 and 4 columns would be 512 + 32 +
 *  32 + 32 = 608 columns, which no block gets; packed they are 396 of 512.
 */
#ifndef ZLAY_TMEM_PACK_H
#define ZLAY_TMEM_PACK_H

#include <zlay/layout.h>
#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZLAY_TMEM_BUFFERS = 64, ZLAY_TMEM_ALLOCATIONS = 4 };

/** What wants columns, and when.  32 bytes. */
typedef struct zlay_tmem_buffer {
    uint32_t columns;     /* of 32 bits, all lanes; at least 1 */
    uint32_t first, last; /* steps in which it is alive, both included */
    uint32_t align;       /* its offset is a multiple of so many columns: 1, 2, 4,
                             .. 32; 0: 1.  The ISA asks for none; of scale factors
                             4 is practice (rule TMEM_SCALE_ALIGN). */
    uint32_t fixed;       /* 1: it lies at `offset` of the first allocation */
    uint32_t offset;      /* columns; 0 unless fixed */
    uint32_t reserved[2]; /* 0 */
} zlay_tmem_buffer;

/** What zlay_tmem_pack reads. */
typedef struct zlay_tmem_pack_request {
    uint32_t size;        /* sizeof(zlay_tmem_pack_request) */
    uint32_t count;       /* of buffers, 1 to ZLAY_TMEM_BUFFERS */
    uint32_t allocations; /* at most so many; 0: 1 */
    uint32_t cta_group;   /* 2: a pair of blocks allocates alike; 0: 1 */
    const zlay_tmem_buffer *buffers;
    uint64_t reserved[4]; /* 0 */
} zlay_tmem_pack_request;

/** A packing, by value. */
typedef struct zlay_tmem_packing {
    uint32_t columns;     /* of all allocations */
    uint32_t allocations; /* used: at most ZLAY_TMEM_ALLOCATIONS */
    uint32_t allocation[ZLAY_TMEM_ALLOCATIONS]; /* columns of each, in the order in
                             which they are allocated: the largest first */
    uint32_t alive;       /* most columns alive in one step */
    uint32_t least;       /* columns that so many allocations must have: proved */
    uint32_t optimal;     /* 1: columns == least */
    uint32_t count;       /* of buffers */
    uint64_t tried;       /* placements that the search tried */
    uint32_t in[ZLAY_TMEM_BUFFERS];     /* the allocation of each buffer ... */
    uint32_t offset[ZLAY_TMEM_BUFFERS]; /* ... and its first column there */
} zlay_tmem_packing;

/** Pack buffers into allocations that all live from the first step to the last:
 *  the fewest columns, then the fewest allocations.  Buffers that live in one
 *  step share no column.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE proved that no block has room: the message has
 *           the rule and the step; ZLAY_EINVAL the message names the field;
 *           ZLAY_ELIMIT nothing was found in limits.points placements a size;
 *           ZLAY_ENOMEM.
 *  Out:     out  `optimal` is 0 where limits.points ended the search in a
 *                smaller size.
 */
ZLAY_API zlay_status zlay_tmem_pack(zlay_ctx *ctx, zlay_tmem_packing *out,
                                    const zlay_target *target,
                                    const zlay_tmem_pack_request *request);

/** Who owns a cell: (cell of all allocations one behind the other, start of a
 *  buffer) -> 512 * buffer + its column, asked of the buffers from the first on
 *  and from the last on.  They are equal where no cell has two owners.  A cell
 *  is as many columns as every place and size is a multiple of, a power of two;
 *  the second coordinate counts the steps in which buffers begin to live.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ELIMIT; ZLAY_ENOMEM.
 *  Out:     a, b  are yours.
 *  In:      request  the one that the packing answers.
 */
ZLAY_API zlay_status zlay_tmem_packing_certificate(zlay_ctx *ctx, zlay_layout **a,
                                                   zlay_layout **b,
                                                   const zlay_tmem_packing *packing,
                                                   const zlay_tmem_pack_request *request);

#ifdef __cplusplus
}
#endif
#endif
