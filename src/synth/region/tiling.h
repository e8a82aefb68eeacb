/* SPDX-License-Identifier: Apache-2.0 */
/* A domain of rows of different widths that was read, and the search of one block of it. */
#ifndef ZL_SYNTH_TILING_H
#define ZL_SYNTH_TILING_H

#include "synth/region/knapsack.h"
#include "synth/region/region.h"

#include <zlay/tiling.h>

/* Of a group: its rows are those from `first` on of all. */
typedef struct zl_tiling_group {
    uint64_t first, rows;
    int64_t width; /* no row ends behind */
} zl_tiling_group;

/* Tiles have steps and a cost. */
typedef struct zl_tiling_domain {
    zlay_tiling_request request;
    uint64_t groups;
    zl_tiling_group *group;
    int64_t *low, *high; /* the columns of each row */
    zlay_tiling_tile tile[ZLAY_REGION_TILES];
    bool costs;
} zl_tiling_domain;

/* Reads a request into scratch memory.  EINVAL names the field and the entry. */
zlay_status zl_tiling_read(zlay_ctx *ctx, zl_tiling_domain *out, const zlay_tiling_request *request);

static inline uint64_t zl_tiling_edge(const zlay_tiling_tile *tile, int axis)
{
    return axis == ZL_REGION_ROWS ? tile->rows : tile->columns;
}
static inline uint64_t zl_tiling_step(const zlay_tiling_tile *tile, int axis)
{
    return axis == ZL_REGION_ROWS ? tile->row_step : tile->column_step;
}

/* Decides whether pieces overlap nowhere and cover the domain.  ENOMEM. */
zlay_status zl_tiling_decide(zlay_ctx *ctx, zlay_answer *answer, zlay_region_fault *fault,
                             const zl_tiling_domain *d, const zlay_tiling_piece *pieces,
                             uint64_t count);

/* Counts what pieces that cover the domain take.  EOVERFLOW, ENOMEM. */
zlay_status zl_tiling_count(zlay_ctx *ctx, zlay_region_summary *out, const zl_tiling_domain *d,
                            const zlay_tiling_piece *pieces, uint64_t count);

/* ---- a block --------------------------------------------------------------------------------- */

enum { ZL_BLOCK_SIDE = 64, ZL_BLOCK_CELLS = ZL_BLOCK_SIDE * ZL_BLOCK_SIDE };

/* A tile in units, and what one of it takes. */
typedef struct zl_block_tile {
    uint32_t edge[ZL_REGION_AXES], step[ZL_REGION_AXES];
    zl_region_value value;
    uint32_t number; /* of the request */
} zl_block_tile;

typedef struct zl_block_place {
    uint16_t row, column, tile; /* in units; number of a tile of the search */
} zl_block_place;

/* What is to be covered, and the answer. */
typedef struct zl_tiling_block {
    uint32_t edge[ZL_REGION_AXES]; /* in units, at most ZL_BLOCK_SIDE */
    bool open[ZL_REGION_AXES];     /* tiles may end behind it */
    uint64_t need[ZL_BLOCK_SIDE];  /* a bit a unit */
    bool found, exact;
    zl_region_value value; /* the least that was found */
    uint32_t count;
    zl_block_place *place; /* in memory of the search */
} zl_tiling_block;

typedef struct zl_block_search zl_block_search;

/* A search for blocks of at most so many units, by tiles whose best stand first.  ENOMEM. */
zlay_status zl_block_begin(zlay_ctx *ctx, zl_block_search **out, const zl_block_tile *tile,
                           uint32_t count, uint64_t unit_cells, const uint32_t *edge);

/* Covers a block; `exact` where every cover was tried or excluded.  ENOMEM. */
zlay_status zl_block_solve(zlay_ctx *ctx, zl_block_search *s, zl_tiling_block *block);

/* No cover of so many units costs less. */
zl_region_value zl_block_bound(const zl_block_tile *tile, uint32_t count, uint64_t unit_cells,
                               uint64_t units);

#endif
