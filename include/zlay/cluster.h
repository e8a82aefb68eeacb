/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/cluster.h - what the blocks of a cluster do for each other: a tile that
 *  several share, and registers that change blocks.
 *
 *  A multicast by hand.  Blocks 0 to 3 want one tile of 64 x 64 bf16, 8192
 *  bytes in rows of 128.  Four slices of 64 x 16 divide it; block r loads rows
 *  16 r to 16 r + 15 to shared offset 2048 r of all four, and the barrier of
 *  each expects 8192 bytes, for all four slices land there.
 *
 *  An exchange by hand.  Two blocks hold one element a thread of two threads:
 *  block b, thread t has element 2 b + t, and wants 2 t + b.  Elements 0 and 3
 *  are where they are wanted; 1 goes from block 0 to 1 and 2 from block 1 to 0,
 *  so 2 elements cross and no plan moves fewer.
 */
#ifndef ZLAY_CLUSTER_H
#define ZLAY_CLUSTER_H

#include <zlay/layout.h>
#include <zlay/copy.h>
#include <zlay/target.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- a tile for several blocks ------------------------------------------- */

/** Which blocks want which tile. */
typedef struct zlay_multicast_request {
    uint32_t size;         /* sizeof(zlay_multicast_request) */
    uint32_t cluster;      /* blocks of the cluster */
    uint32_t cta_mask;     /* bit i: block i receives the tile, and may issue */
    uint32_t smem;         /* where it starts in each, shared address */
    const zlay_tensormap *map; /* whose box is the tile */
    int32_t coordinate[5]; /* of the tile, elements, dimension 0 innermost */
    uint32_t barrier;      /* shared address, the same in each block */
    uint64_t reserved[4];  /* 0 */
} zlay_multicast_request;

/** One map and one copy a block, by value. */
typedef struct zlay_multicast {
    zlay_tensormap map;    /* its box is a slice */
    uint32_t box[5];       /* of the tile, elements */
    int32_t coordinate[5]; /* of slice 0 */
    uint32_t slices;       /* copies in all; block i of the mask issues the i-th */
    uint32_t dim;          /* the dimension that slices divide; those beyond it they
                              take one by one */
    uint32_t cluster, cta_mask;
    uint32_t smem, barrier;
    uint32_t slice_bytes;  /* of a slice, and between two */
    uint32_t expect;       /* bytes that the barrier of each block must be told */
    uint32_t slice_count;  /* bytes that one slice counts there */
    uint32_t reserved[7];  /* 0 */
} zlay_multicast;

/** Divide a tile among the blocks that share it: into the most equal boxes of
 *  one map that lie one behind the other in shared memory, at most one a block,
 *  each legal as zlay_copy_check says.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the map or the tile as a whole is not legal: the
 *           message has the rule; ZLAY_EINVAL; ZLAY_ENOTSUP a map that is not
 *           tiled, for pixels are no boxes; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_multicast_synth(zlay_ctx *ctx, zlay_multicast *out,
                                          const zlay_target *target,
                                          const zlay_multicast_request *request);

/** The i-th copy, with the rank of the block that issues it.  Returns: ZLAY_OK;
 *  ZLAY_NONE past the last; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_multicast_issue(zlay_issue *out,
                                          const zlay_multicast *multicast, uint32_t i);

/** Where the slices put an element of the tile, against where the whole box
 *  would: (coordinates in the box) -> shared byte offset of its row's start
 *  and place in it, before the swizzle.  Both are the caller's.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_multicast_certificate(zlay_ctx *ctx, zlay_layout **a, zlay_layout **b,
                                                const zlay_multicast *multicast);

/* ---- registers that change blocks ---------------------------------------- */

/** An immutable exchange; read by any thread. */
typedef struct zlay_exchange zlay_exchange;

/** Find where each slot of a distributed layout gets its element from.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE source does not have an element that dest
 *           wants: the message has it; ZLAY_EINVAL layouts that are no F2
 *           layouts, without an input `block` of one size, or with other
 *           outputs; ZLAY_EOVERFLOW, ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_exchange_free.
 *  In:      source, dest  slots -> tensor, inputs as register, lane, warp and
 *                         block, of which `block` alone has to be there.
 */
ZLAY_API zlay_status zlay_exchange_synth(zlay_ctx *ctx, zlay_exchange **out,
                                         const zlay_layout *source,
                                         const zlay_layout *dest);

/** Free an exchange; NULL is allowed. */
ZLAY_API void zlay_exchange_free(zlay_exchange *exchange);

/** What an exchange moves. */
typedef struct zlay_exchange_summary {
    uint32_t blocks;
    uint32_t partners;  /* bit i: block b gets elements from block b XOR i */
    uint64_t wanted;    /* pairs of an element and a block that wants it */
    uint64_t crossing;  /* pairs whose element no slot of the block holds: each
                           crosses once, and no plan lets fewer cross */
    uint64_t smem;      /* bytes of a block's shared memory, for elements of 4 bytes:
                           what it holds, what it wants, a barrier */
    uint64_t reserved[3]; /* 0 */
} zlay_exchange_summary;

/** Read what an exchange moves.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_exchange_info(zlay_exchange_summary *out, const zlay_exchange *exchange);

/** A slot of dest -> the slot of source that it is served from, of its own
 *  block wherever that has one; F2, lives as long as the exchange. */
ZLAY_API const zlay_layout *zlay_exchange_route(const zlay_exchange *exchange);

/** source after the route, against dest; zlay_layout_equal decides again.
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.
 *  Out:     a, b  live as long as the exchange. */
ZLAY_API zlay_status zlay_exchange_certificate(const zlay_layout **a,
                                               const zlay_layout **b,
                                               const zlay_exchange *exchange);

#ifdef __cplusplus
}
#endif
#endif
