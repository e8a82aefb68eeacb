/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/transfer.h - a whole copy in global memory as one kernel: every element
 *  of a source layout goes to where a destination layout wants it.
 *
 *  A transfer by hand.  3 rows of 21 bf16 lie 21 elements apart, (21,3):(1,21),
 *  and are wanted 24 apart, (21,3):(1,24).  Rows of the destination start at
 *  multiples of 48 bytes, those of the source at 42, so a row of the source is
 *  off 16 bytes by 0, 10 and 4.  No access wider than 2 bytes is aligned on all
 *  of them; path REALIGN loads the two aligned 16 bytes that hold a chunk,
 *  shifts them by the row's bytes and stores 16: 3 chunks a row, of which the last
 *  holds 5 elements and is stored one by one.  9 threads move all of it.
 */
#ifndef ZLAY_TRANSFER_H
#define ZLAY_TRANSFER_H

#include <zlay/layout.h>
#include <zlay/target.h>
#include <zlay/move.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is to be copied, and how. */
typedef struct zlay_transfer_request {
    uint32_t size;              /* sizeof(zlay_transfer_request) */
    uint32_t elem_bits;         /* 8, 16, 32, 64 or 128 */
    const zlay_layout *source;  /* index -> element offset from the source */
    const zlay_layout *dest;    /* index -> element offset from the destination */
    uint32_t source_align, dest_align; /* of the two pointers, bytes, a power of
                                   two; 0: an element's */
    int32_t path;               /* ZLAY_PATH_*; 0: the first that is legal of
                                   16-byte THREADS, REALIGN, MATRIX, TRANSPOSE,
                                   THREADS */
    uint32_t threads;           /* of a block, a multiple of 32; 0: 128; what the
                                   tile has on MATRIX and TRANSPOSE, 32 on BULK */
    uint64_t reserved[4];       /* 0 */
} zlay_transfer_request;

/** An immutable transfer; read by any thread. */
typedef struct zlay_transfer zlay_transfer;

/** Plan a transfer.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the path that is asked for cannot do it, or two
 *           elements have one destination: the message names the rule or the
 *           two indices, or an index has no element; ZLAY_EINVAL the message
 *           names the field; ZLAY_ENOTSUP names in a layout, or more than 2^31 - 1
 *           blocks; ZLAY_ELIMIT, also a modular layout or pieces of more than
 *           limits.points; ZLAY_EOVERFLOW, ZLAY_ENOMEM.  F2 layouts, modes
 *           without a common refinement, and what has to be listed go by elements
 *           on path THREADS.
 *  Out:     out  the transfer; free it with zlay_transfer_free.
 */
ZLAY_API zlay_status zlay_transfer_synth(zlay_ctx *ctx, zlay_transfer **out,
                                         const zlay_target *target,
                                         const zlay_transfer_request *request);

/** Free a transfer; NULL is allowed. */
ZLAY_API void zlay_transfer_free(zlay_transfer *transfer);

/** What a transfer holds, by value. */
typedef struct zlay_transfer_summary {
    const zlay_target *target;
    int32_t path;           /* ZLAY_PATH_* */
    uint32_t elem_bits;
    uint32_t source_width;  /* bytes of one load of global memory */
    uint32_t width;         /* bytes of one store */
    uint32_t threads;       /* of a block */
    uint32_t accesses;      /* of a thread, each way, at most */
    uint64_t blocks;        /* of the grid, along x */
    uint32_t smem;          /* static shared memory of a block, bytes */
    uint32_t rank;          /* modes after merging */
    uint32_t tile[2];       /* of a block along the destination's contiguous mode,
                               then the source's, elements; else 0 */
    uint32_t pitch;         /* of a tile's row in shared memory, bytes; else 0 */
    uint32_t wavefronts_store, wavefronts_load; /* of a warp's access to it */
    uint32_t reserved0;     /* 0 */
    uint64_t items;         /* vectors, runs or tiles that are moved */
    uint64_t bytes;         /* that are moved, each way */
    uint64_t reserved[6];   /* 0 */
} zlay_transfer_summary;

/** Read what a transfer holds.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_transfer_info(zlay_transfer_summary *out, const zlay_transfer *transfer);

/** The order in which a transfer goes through its elements: a bijection of
 *  [0, size) to the request's indices; lives as long as the transfer. */
ZLAY_API const zlay_layout *zlay_transfer_order(const zlay_transfer *transfer);

/** The i-th certificate: side 0 the source, side 1 the destination.  Where the
 *  kernel's loops put the n-th element, against the request's layout at the
 *  n-th index of the order; zlay_layout_equal decides again.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the end; ZLAY_EINVAL a NULL.
 *  Out:     a, b  live as long as the transfer.
 */
ZLAY_API zlay_status zlay_transfer_certificate(const zlay_layout **a,
                                               const zlay_layout **b,
                                               const zlay_transfer *transfer,
                                               uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
