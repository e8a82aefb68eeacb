/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of a product with weights of 4 bits while it is made, and what the printer of its kernel reads. */
#ifndef ZL_SYNTH_WEIGHTS_H
#define ZL_SYNTH_WEIGHTS_H

#include "synth/move/bound.h"
#include <zlay/weights.h>

enum {
    ZL_WEIGHTS_N = 64,     /* rows of B of a tile: those of wgmma's first factor */
    ZL_WEIGHTS_K = 128,    /* of a tile, and of a group */
    ZL_WEIGHTS_BITS = 4,
    ZL_WEIGHTS_TILE = ZL_WEIGHTS_N * ZL_WEIGHTS_K * ZL_WEIGHTS_BITS / 8, /* bytes */
    ZL_WEIGHTS_GROUPS = 4, /* most warpgroups that share the steps */
    ZL_WEIGHTS_PANEL = 64, /* elements of A in a row of 128 bytes */
    ZL_WEIGHTS_MOVES = 6,
    ZL_WEIGHTS_OPERANDS = 5 + ZL_WEIGHTS_GROUPS
};

/* Modes of (row, k) in a tile, and what they add to the place of a weight: a thread 4 g + c + 32 w has rows g + 8 h + 16 w and
 * k of 2 c + p + 8 j + 16 s, of which s = 4 u + v is the step. */
#define ZL_WEIGHTS_ROWS "8,2,4"
#define ZL_WEIGHTS_ROW_STRIDES "128,1,1024"
#define ZL_WEIGHTS_COLUMNS "2,4,2,4,2"
#define ZL_WEIGHTS_COLUMN_STRIDES "4,32,2,8,4096"

struct zlay_weights_plan {
    zlay_allocator alloc;
    const zlay_target *target;
    zlay_weights ask;
    zlay_weights_summary info;
    zlay_pipe *pipe;
    zl_bound_move moves[ZL_WEIGHTS_MOVES];
    zl_bound_operand operands[ZL_WEIGHTS_OPERANDS];
    uint32_t moves_count, operands_count;
};

static inline uint64_t zl_weights_tiles(uint64_t extent, uint64_t tile)
{
    return (extent + tile - 1) / tile;
}

/* The bytes of packed weights; EOVERFLOW past 2^63. */
zlay_status zl_weights_packed(uint64_t *out, uint64_t n, uint64_t k);

/* Plans the moves and operands of a plan whose tiles are chosen. */
zlay_status zl_weights_moves(zlay_ctx *ctx, zlay_weights_plan *p);

/* The text of the pipe of a plan whose moves are there. */
void zl_weights_pipe_put(zl_text *out, const void *plan);

#endif
