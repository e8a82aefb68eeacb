/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/move.h - a move: how one tile gets from where it lies to where it is
 *  wanted, by tensor copies or by threads, and the certificate that it does.
 *
 *  A move by hand.  Rows of 4096 bf16 lie 8192 bytes apart, and tiles of 64 x 64
 *  are wanted in shared memory as Sw<3,3,3> o 0 o (64,64):(64,1).  One map of
 *  rank 2 (box 64 x 64, 128-byte swizzle) and one copy of 8192 bytes do it; the
 *  next tile down adds 64 to coordinate 1, the next one across 64 to
 *  coordinate 0.
 */
#ifndef ZLAY_MOVE_H
#define ZLAY_MOVE_H

#include <zlay/algebra.h>
#include <zlay/copy.h>
#include <zlay/legality.h>
#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable move; read by any thread. */
typedef struct zlay_move zlay_move;

/** By what a move is done. */
enum {
    ZLAY_PATH_TENSOR = 1, /* tensor copies */
    ZLAY_PATH_BULK,       /* cp.async.bulk of contiguous runs */
    ZLAY_PATH_CP_ASYNC,   /* cp.async of 4, 8 or 16 bytes a thread */
    ZLAY_PATH_THREADS,    /* loads and stores */
    ZLAY_PATH_REALIGN,    /* aligned loads, a shift by bytes, aligned stores */
    ZLAY_PATH_MATRIX      /* ldmatrix, stmatrix */
};

/** What is right after a move whose tile leaves the tensor. */
enum {
    ZLAY_EDGE_DEFAULT = 0, /* strong */
    ZLAY_EDGE_WEAK,        /* every element of the tensor */
    ZLAY_EDGE_STRONG       /* and every other cell of the tile holds the fill */
};

/** What a move holds, by value. */
typedef struct zlay_move_info {
    const zlay_target *target;
    int32_t path;         /* ZLAY_PATH_* */
    int32_t edge;         /* ZLAY_EDGE_* that holds */
    uint32_t maps, copies;
    uint64_t bytes;       /* that a tile's barrier must expect */
    uint64_t reserved_bytes; /* of shared memory that must be free */
    uint32_t threads;     /* that take part; 0 for tensor copies */
    uint32_t width;       /* bytes of one store of a thread */
    uint32_t source_width; /* bytes of one load of a thread */
    uint32_t accesses;    /* of a thread, each way */
    uint64_t instructions; /* of a warp, in all */
    uint64_t sectors;     /* of 32 bytes of global memory that a tile touches */
    uint64_t wavefronts_load, wavefronts_store; /* of shared memory, a tile */
    uint64_t reserved[8]; /* 0 */
} zlay_move_info;

/** Free a move; NULL is allowed. */
ZLAY_API void zlay_move_free(zlay_move *move);

/** Read what a move holds.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_move_get(zlay_move_info *out, const zlay_move *move);

/** The i-th map of a move.  Returns: ZLAY_OK; ZLAY_NONE past the last;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_move_map(zlay_tensormap *out, const zlay_move *move,
                                   uint32_t i);

/** The i-th copy of a move.  Returns as zlay_move_map. */
ZLAY_API zlay_status zlay_move_copy(zlay_copy *out, const zlay_move *move,
                                    uint32_t i);

/** Where the tile lies afterwards: tile coordinate -> element offset; lives as
 *  long as the move. */
ZLAY_API const zlay_layout *zlay_move_smem(const zlay_move *move);

/** What threads still have to permute after the copies have landed: slot ->
 *  slot; NULL: nothing.  Lives as long as the move. */
ZLAY_API const zlay_layout *zlay_move_residual(const zlay_move *move);

/** Who moves what on a path by threads: (value, thread, access) -> index into
 *  the tile; NULL for tensor copies.  Lives as long as the move. */
ZLAY_API const zlay_layout *zlay_move_threads(const zlay_move *move);

/** Two layouts whose equality zlay_layout_equal decides again: `a` rebuilt from
 *  the maps and copies, or from the threads' accesses, alone; `b` from the
 *  request.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.
 *  Out:     a, b  live as long as the move.
 */
ZLAY_API zlay_status zlay_move_certificate(const zlay_layout **a,
                                           const zlay_layout **b,
                                           const zlay_move *move);

#ifdef __cplusplus
}
#endif
#endif
