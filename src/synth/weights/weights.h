/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of a product with weights of 4 or 8 bits while it is made, and what the printer of its kernel reads. */
#ifndef ZL_SYNTH_WEIGHTS_H
#define ZL_SYNTH_WEIGHTS_H

#include "synth/move/bound.h"
#include <zlay/mma.h>
#include <zlay/target.h>
#include <zlay/type.h>
#include <zlay/weights.h>

enum {
    ZL_WEIGHTS_N = 64,     /* rows of B of a tile: those of wgmma's first factor */
    ZL_WEIGHTS_K = 128,    /* of a tile, and of a group of whole numbers */
    ZL_WEIGHTS_ELEMENTS = ZL_WEIGHTS_N * ZL_WEIGHTS_K,
    ZL_WEIGHTS_GROUPS = 4, /* most warpgroups that share the steps */
    ZL_WEIGHTS_M = 128,    /* rows of A of a tile by tcgen05: lanes of tensor memory */
    ZL_WEIGHTS_HALF = 64,  /* of a step: the elements of A in a row of 128 bytes */
};

/* Sets of registers of a kernel of waves, in the order of their names. */
enum {
    ZL_WW_SUMS,    /* of all groups so far, f32: 16 x 16 sums in 4 registers, those of the upper rows behind the lower */
    ZL_WW_LOADED,  /* packed weights of a step */
    ZL_WW_ZEROS,   /* of the lane's two rows: as loaded, and in f32 */
    ZL_WW_VECTORS, /* rows of A: of each 16 rows 16 registers */
    ZL_WW_SCALES,  /* of the lane's eight sums: as loaded, and in f32 */
    ZL_WW_WEIGHTS, /* of a step as numbers: of each 16 of k four registers */
    ZL_WW_GROUP,   /* sums of the present group */
    ZL_WW_RESULT,
    ZL_WW_SETS
};
enum { ZL_WW_FIRST = 16 /* registers before the sets */ };
extern const char *const zl_weights_sets[ZL_WW_SETS];

/* What a kernel of waves has; `waves` 0: the plan is none. */
typedef struct zl_weights_wave {
    zlay_mma mma;
    uint32_t waves, blocks; /* of a block; 16 rows of A in a tile */
    uint32_t registers, set[ZL_WW_SETS];
    int32_t acc[ZL_WW_SETS]; /* of the pipe; -1: it has no such set */
} zl_weights_wave;

struct zlay_weights_plan {
    zlay_allocator alloc;
    const zlay_target *target;
    zlay_weights ask;
    int32_t scales;        /* their type */
    zlay_weights_summary info;
    zlay_pipe *pipe;
    zl_weights_wave wave;
    bool tmem; /* the target has tcgen05 */
    zl_bound_move moves[ZL_BOUND_MOVES];
    zl_bound_operand operands[ZL_BOUND_OPERANDS];
    uint32_t moves_count, operands_count;
};

static inline uint64_t zl_weights_tiles(uint64_t extent, uint64_t tile)
{
    return (extent + tile - 1) / tile;
}

/* The scales of a row in a step. */
static inline uint32_t zl_weights_scales(const zlay_weights_plan *p)
{
    return ZL_WEIGHTS_K / p->ask.group;
}

/* Whether scales are multiplied before the product: those of blocks are, for a product of one block has few steps of k. */
static inline bool zl_weights_blocks(const zlay_weights_plan *p)
{
    return p->ask.group < ZL_WEIGHTS_K;
}

/* The halves of a step of K that have elements. */
static inline uint32_t zl_weights_halves(const zlay_weights_plan *p)
{
    return p->ask.k > ZL_WEIGHTS_HALF ? 2 : 1;
}

/* The bytes of a tile. */
static inline uint32_t zl_weights_bytes(int32_t type)
{
    return ZL_WEIGHTS_ELEMENTS * zlay_type_bits(type) / 8;
}

/* Whether plans have weights of a type. */
bool zl_weights_are(int32_t type);
/* The bytes of packed weights; EOVERFLOW past 2^62. */
zlay_status zl_weights_packed(uint64_t *out, int32_t type, uint64_t n, uint64_t k);
/* The layout of so many tiles along rows and along k. */
zlay_status zl_weights_order(zlay_ctx *ctx, zlay_layout **out, int32_t type, uint64_t rows, uint64_t columns);

/* Refuses what plans for the target do not have. */
static inline zlay_status zl_weights_refuse(zlay_ctx *ctx, const zlay_weights_plan *p, const char *field, const char *value,
                                            const char *nearest)
{
    return zl_fail(ctx, ZLAY_ENOTSUP, "%s %s: not planned on %s; the nearest that works is %s", field, value,
                   zlay_target_name(p->target), nearest);
}

/* Whether a target has plans of waves; what such a plan holds, with its proved pipe. */
bool zl_weights_by_waves(const zlay_target *target);
zlay_status zl_weights_wave_make(zlay_ctx *ctx, zlay_weights_plan *p);

/* Plans the moves and operands of a plan whose tiles are chosen. */
zlay_status zl_weights_moves(zlay_ctx *ctx, zlay_weights_plan *p);

/* The text of the pipe of a plan whose moves are there, by wgmma and by tcgen05. Of both are: stages of what is copied, the
 * copies of a step with their barriers, bodies. */
void zl_weights_pipe_put(zl_text *out, const void *plan);
void zl_weights_tmem_pipe_put(zl_text *out, const void *plan);
void zl_weights_memory_put(zl_text *out, const zlay_weights_plan *p);
void zl_weights_copies_put(zl_text *out, const zlay_weights_plan *p, uint32_t rank);
void zl_weights_zero_put(zl_text *out, const zlay_weights_plan *p);
void zl_weights_dequant_put(zl_text *out, const zlay_weights_plan *p, uint32_t half);

#endif
