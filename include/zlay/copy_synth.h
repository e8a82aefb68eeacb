/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/copy_synth.h - plan the copy of a tile by threads.
 *
 *  The move that it makes is read with zlay/move.h.
 */
#ifndef ZLAY_COPY_SYNTH_H
#define ZLAY_COPY_SYNTH_H

#include <zlay/facts.h>
#include <zlay/layout.h>
#include <zlay/move.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One side of a copy. */
typedef struct zlay_copy_side {
    const zlay_layout *layout; /* tile coordinate -> element offset */
    int32_t space;             /* ZLAY_MOVE_* */
    uint32_t reserved;         /* 0 */
    uint64_t align;            /* bytes that divide the address of offset 0; 0: 16 */
} zlay_copy_side;

/** What zlay_copy_synth reads. */
typedef struct zlay_copy_request {
    uint32_t size;       /* sizeof(zlay_copy_request); a shorter one reads as zeros */
    uint32_t elem_bits;  /* of an element: 1, 2, 4, .., 128 */
    uint32_t threads;    /* of the block that take part at most; 0: 128 */
    int32_t path;        /* ZLAY_PATH_*; 0: the one that costs least */
    zlay_copy_side source, dest;
    uint32_t registers;  /* elements of a thread, where a side is fragments; else 0 */
    uint32_t signal;     /* 1: the destination is a peer's, whose barrier counts every byte, as
                            zlay_move_summary.bytes says: by BULK and STORE_ASYNC alone */
    const zlay_facts *facts; /* about names in the layouts; NULL: nothing is known */
    uint64_t reserved[4]; /* 0 */
    uint64_t tile[ZLAY_TILE_AXES]; /* cells of a tile along each mode of a tensor */
    uint32_t axes;       /* entries of tile; 0: both layouts are one tile */
    uint32_t reserved1;  /* 0 */
} zlay_copy_request;

/** Plan the copy of a tile by threads.
 *
 *  With `tile` a side of more cells than a tile is a *tensor*, whose extents may
 *  have names: the plan is of one tile, advances say where the next one begins,
 *  and what lies past an edge of the tensor is neither read nor written.  Every
 *  access lies inside the tensor or outside of it as a whole.  By hand: of
 *  (M,K):(ld,1) under 8 | ld and 8 | K, tiles of 128 x 64 bf16 go to shared
 *  memory by 16 bytes; there are M / 128 + (M % 128 != 0) of them down, each
 *  128*ld elements further, and row c of tile t0 is there where t0 * 128 + c < M.
 *
 *  By hand: 64 rows of 64 bf16, 8192 bytes apart in global memory and 128 in
 *  shared memory, by 128 threads of sm_80.  Along a row both sides are
 *  contiguous, and 16 bytes divide all other steps: cp.async of 8 elements, eight
 *  lanes a row, four rows a warp, four accesses a thread.  That is 16 accesses of
 *  warps, each of 16 sectors and 4 wavefronts.
 *
 *  Least in cost over the family of docs/synthesis.md; ties go to the path that
 *  ZLAY_PATH_* lists first, then to the wider access.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no access moves these elements, or they do not
 *           fit the target's shared memory: the message has the rule and the
 *           point; ZLAY_EINVAL the message names the field, also for a
 *           destination that two points share; ZLAY_ENOTSUP; ZLAY_ELIMIT,
 *           ZLAY_EOVERFLOW, ZLAY_ENOMEM.
 *  Out:     out  the move; free it with zlay_move_free.  Counts are those of
 *                bases that are multiples of 128 bytes.
 */
ZLAY_API zlay_status zlay_copy_synth(zlay_ctx *ctx, zlay_move **out,
                                     const zlay_target *target,
                                     const zlay_copy_request *request);

#ifdef __cplusplus
}
#endif
#endif
