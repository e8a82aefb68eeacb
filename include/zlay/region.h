/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/region.h - ragged domains as disjoint pieces: groups of different sizes,
 *  cut into the tiles that a kernel has.
 *
 *  By hand.  Three groups have 200, 0 and 70 rows and lie one behind the other in
 *  a buffer of 270.  A kernel has tiles of 128, 64 and 16 rows.  The first group
 *  takes 128 + 64 + 16 = 208 rows, 8 more than it has: no sum of these sizes is
 *  200, and 208 is the next.  The third takes 64 + 16 = 80, which are 10 more.  In
 *  all 288 rows are computed and 270 are valid; 18 are wasted, in 5 pieces.  With
 *  tiles of 128 rows alone it is 384, 114 of them wasted, in 3 pieces.  Each valid
 *  row lies in exactly one piece, so what is stored is stored once.
 *
 *      group  row  rows  tile                  (a part a line)
 *        0      0   128   128
 *        0    128    64    64
 *        0    192     8    16   8 rows wasted: group 1 is empty, so a load of 16
 *        2    200    64    64   rows reads 8 of group 2 where it may read on
 *        2    264     6    16   10 wasted: behind row 270 there is nothing to read
 *
 *  With a second dimension each group is a rectangle, whose columns are the same
 *  for all groups or its own: a grouped product with M ragged has N columns,
 *  attention over packed sequences has the keys of each.  docs/ragged.md says what
 *  is proved of the answer.
 */
#ifndef ZLAY_REGION_H
#define ZLAY_REGION_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZLAY_REGION_TILES = 16 };

/** One dimension of all groups, in rows or in columns.  Without `lengths` and
 *  `offsets` each group has [0, extent).  48 bytes. */
typedef struct zlay_region_axis {
    const int64_t *lengths; /* of each group, 0 to 2^31 - 1; NULL: offsets[i + 1] - offsets[i] */
    const int64_t *offsets; /* where each group begins, ascending; with one entry more, the end
                              of the last group, where lengths is NULL.  NULL: one group
                              behind the other from 0 */
    uint64_t extent;   /* of the buffer, which no group passes; 0: it ends with the last group */
    uint32_t align;    /* the loads of a piece begin at a multiple; 0: 1 */
    uint32_t read_on;  /* 1: loads of a piece bring its whole tile: they may begin before its
                          group, at a multiple of align, and end behind it */
    uint64_t reserved[2]; /* 0 */
} zlay_region_axis;

/** A tile that the kernel has.  16 bytes. */
typedef struct zlay_region_tile {
    uint32_t rows;    /* 1 to 2^31 - 1, a multiple of rows.align */
    uint32_t columns; /* the same; 0: 1 */
    uint64_t cost;    /* of a piece, below 2^48; 0 in all tiles: rows * columns */
} zlay_region_tile;

/** A domain, and the tiles that cover it. */
typedef struct zlay_region_request {
    uint32_t size;  /* sizeof(zlay_region_request) */
    uint32_t tiles; /* 1 to ZLAY_REGION_TILES */
    uint64_t count; /* of groups: at least 1 */
    zlay_region_axis rows, columns; /* columns all 0: one dimension */
    const zlay_region_tile *tile;
    uint32_t depth;        /* multiply-adds of a cell: K of a product */
    uint32_t row_bytes;    /* that a piece loads for each of its rows: K elements of A */
    uint32_t column_bytes; /* and for each of its columns: of B, where columns are ragged */
    uint32_t cell_bytes;   /* and for each of its cells: of a copy */
    uint64_t reserved[4];  /* 0 */
} zlay_region_request;

/** A rectangle of one group that one tile covers in steps of its rows and
 *  columns; the last step of each may be partly valid.  64 bytes. */
typedef struct zlay_region_part {
    uint64_t group;
    int64_t row, column;    /* of the buffers: where what is valid begins */
    uint64_t rows, columns; /* that are valid: at least 1 */
    uint32_t tile;          /* number of a tile of the request */
    uint32_t reserved;      /* 0 */
    uint64_t pieces;        /* of the tile; as an input it may be 0: as many as it takes */
    uint64_t first;         /* pieces of the parts before this one; as an input: 0 */
} zlay_region_part;

/** One tile at one place. */
typedef struct zlay_region_piece {
    uint64_t group;
    int64_t row, column;           /* where its valid cells begin, */
    uint64_t rows, columns;        /* and how many there are */
    int64_t tile_row, tile_column; /* where the tile begins: before row only with align */
    uint32_t tile, reserved;
} zlay_region_piece;

/** What a cover takes, counted exactly. */
typedef struct zlay_region_summary {
    uint64_t groups, parts, pieces;
    uint64_t valid, cells;    /* of the domain; of all pieces */
    uint64_t waste;           /* cells - valid */
    uint64_t cost;            /* of all pieces */
    uint64_t lower_bound;     /* on the cost of any cover by these tiles; of
                                 zlay_region_check: 0 */
    uint64_t madds, wasted_madds; /* cells * depth, waste * depth */
    uint64_t loaded_bytes;    /* by all pieces; nothing outside the buffer is loaded */
    uint64_t wasted_bytes;    /* of these, for rows, columns and cells that are not valid */
    uint32_t optimal;         /* 1: proved of all covers, not of those by strips alone */
    uint32_t reserved;
} zlay_region_summary;

/** A cover; immutable, read by any thread. */
typedef struct zlay_region zlay_region;

/** Where a list of parts is no cover. */
typedef struct zlay_region_fault {
    uint64_t group;
    int64_t row, column; /* a cell that no part has, or that lies outside the group, */
    int64_t parts;       /* or that so many parts have: 0, 1 or more */
} zlay_region_fault;

/** Cover a domain by strips of rows that are cut into columns: the least cost, then
 *  the fewest cells, then the fewest pieces.  Without costs: the least waste, then
 *  the fewest pieces.  That parts are disjoint and cover is decided before the call
 *  returns, as zlay_region_check decides it.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL the message names the field and the entry;
 *           ZLAY_NONE a group begins at no multiple of align and loads may not
 *           begin before it; ZLAY_EOVERFLOW a sum passes 64 bits; ZLAY_ELIMIT;
 *           ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_region_free.
 *  In:      request  borrowed, not kept.
 */
ZLAY_API zlay_status zlay_region_cover(zlay_ctx *ctx, zlay_region **out,
                                       const zlay_region_request *request);

/** Decide whether parts, of any order and origin, are disjoint and cover the domain,
 *  and count what they take.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL, also for a part that has no cell, no such group
 *           or tile, or loads that begin where they may not; as zlay_region_cover.
 *  Out:     answer  ZLAY_YES or ZLAY_NO, never UNDECIDED.
 *           fault   of NO: a cell that shows it; may be NULL.
 *           out     of YES: what the parts take; may be NULL.
 *  In:      parts   `pieces` and `first` are not read.
 */
ZLAY_API zlay_status zlay_region_check(zlay_ctx *ctx, zlay_answer *answer,
                                       zlay_region_fault *fault, zlay_region_summary *out,
                                       const zlay_region_request *request,
                                       const zlay_region_part *parts, uint64_t count);

/** Read what a cover takes.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_region_info(zlay_region_summary *out, const zlay_region *region);

/** Read the i-th part; parts stand in the order of groups, rows and columns.
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_region_part_nth(zlay_region_part *out, const zlay_region *region,
                                          uint64_t i);

/** Read the i-th piece: those of a part stand one behind the other, columns first.
 *  Takes time that grows with the logarithm of the parts.
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_region_piece_nth(zlay_region_piece *out, const zlay_region *region,
                                           uint64_t i);

/** Free a cover; NULL is allowed. */
ZLAY_API void zlay_region_free(zlay_region *region);

#ifdef __cplusplus
}
#endif
#endif
