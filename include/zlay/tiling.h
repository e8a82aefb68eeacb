/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tiling.h - domains whose rows differ in width, covered by tiles of several
 *  shapes: a causal mask, a window, rows that have a length each.
 *
 *  By hand.  A row of queries sees the keys up to itself: of 4 rows, row r has the
 *  columns 0 to r.  A kernel has tiles of 2 x 2 and of 1 x 1, each at multiples of its
 *  own size.
 *
 *      A . . .     A 2 x 2 lies whole below the diagonal.  On the diagonal another one
 *      B C . .     would have a cell that no row has, so single cells cover it: A to C
 *      D D E .     and E to G.  10 cells are computed and 10 are valid, in 7 pieces.
 *      D D F G     With tiles of 2 x 2 alone it is 12, 2 of them wasted, in 3 pieces.
 *
 *  Tiles do not overlap, anywhere, and every valid cell lies in one: a piece stores
 *  the cells of its tile that the mask has.  Tiles lie anywhere that their steps
 *  allow; no cut has to go through from side to side.
 *  docs/ragged.md says what is proved of the answer.
 */
#ifndef ZLAY_TILING_H
#define ZLAY_TILING_H

#include <zlay/region.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Rows of one group, one below the other: row i has the columns begin + i begin_step
 *  to below end + i end_step, cut to those from 0 to below `columns`.  56 bytes. */
typedef struct zlay_tiling_band {
    uint64_t group; /* ascends; a group's bands lie one below the other, from its row 0 */
    uint64_t rows;  /* 1 to 2^31 - 1, of all bands of a group */
    int64_t begin, end;           /* -2^31 to 2^31 - 1 */
    int64_t begin_step, end_step; /* the same */
    uint64_t columns; /* to 2^31 - 1; 0: 2^31 - 1 */
} zlay_tiling_band;

/** A tile that the kernel has, and where it may lie.  24 bytes. */
typedef struct zlay_tiling_tile {
    uint32_t rows, columns;         /* 1 to 2^20 */
    uint32_t row_step, column_step; /* it begins at multiples; 0: of its own rows, columns */
    uint64_t cost; /* of a piece, below 2^48; 0 in all tiles: rows * columns */
} zlay_tiling_tile;

/** A domain, and the tiles that cover it. */
typedef struct zlay_tiling_request {
    uint32_t size;  /* sizeof(zlay_tiling_request) */
    uint32_t tiles; /* 1 to ZLAY_REGION_TILES */
    uint64_t bands; /* at least 1 */
    const zlay_tiling_band *band;
    const zlay_tiling_tile *tile;
    uint32_t depth;        /* multiply-adds of a cell */
    uint32_t row_bytes;    /* that a piece loads for each row of its tile, */
    uint32_t column_bytes; /* for each column, */
    uint32_t cell_bytes;   /* and for each cell */
    uint64_t reserved[4];  /* 0 */
} zlay_tiling_request;

/** One tile at one place of its group; it may end behind the group.  32 bytes. */
typedef struct zlay_tiling_piece {
    uint64_t group, row, column; /* where the tile begins */
    uint32_t tile, reserved;     /* number of a tile of the request; 0 */
} zlay_tiling_piece;

/** A cover; immutable, read by any thread. */
typedef struct zlay_tiling zlay_tiling;

/** Cover a domain by tiles that do not overlap: the least cost, then the fewest cells,
 *  then the fewest pieces.  Without costs: the least waste, then the fewest pieces.
 *  The search is exact where docs/ragged.md says it; else `optimal` is 0 and
 *  `lower_bound` holds.  That tiles are disjoint and cover is decided before the call
 *  returns, as zlay_tiling_check decides it.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no set of tiles at their places is a cover, proved;
 *           ZLAY_EINVAL the message names the field and the entry; ZLAY_ENOTSUP the
 *           places of tiles repeat too late; ZLAY_EOVERFLOW a sum passes 64 bits;
 *           ZLAY_ELIMIT, also where the search ended without a cover; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_tiling_free.
 *  In:      request  borrowed, not kept.
 */
ZLAY_API zlay_status zlay_tiling_cover(zlay_ctx *ctx, zlay_tiling **out,
                                       const zlay_tiling_request *request);

/** Decide whether pieces, of any order and origin, overlap nowhere and cover the domain,
 *  and count what they take.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL, also for a piece of no such group or tile, or at a
 *           place that its steps do not have; as zlay_tiling_cover.
 *  Out:     answer  ZLAY_YES or ZLAY_NO, never UNDECIDED.
 *           fault   of NO: a cell in no tile (`parts` is 0), or in two or more (2); may
 *                   be NULL.
 *           out     of YES: what the pieces take; may be NULL.
 */
ZLAY_API zlay_status zlay_tiling_check(zlay_ctx *ctx, zlay_answer *answer,
                                       zlay_region_fault *fault, zlay_region_summary *out,
                                       const zlay_tiling_request *request,
                                       const zlay_tiling_piece *pieces, uint64_t count);

/** Read what a cover takes; a piece loads its whole tile, and those bytes are wasted that
 *  belong to rows, columns and cells of the tile without a valid cell.
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_tiling_info(zlay_region_summary *out, const zlay_tiling *tiling);

/** Read the i-th piece; groups ascend.
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_tiling_piece_nth(zlay_tiling_piece *out, const zlay_tiling *tiling,
                                           uint64_t i);

/** Free a cover; NULL is allowed. */
ZLAY_API void zlay_tiling_free(zlay_tiling *tiling);

#ifdef __cplusplus
}
#endif
#endif
