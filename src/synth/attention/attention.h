/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of attention while it is made, and what the printer of its kernel reads. */
#ifndef ZL_SYNTH_ATTENTION_H
#define ZL_SYNTH_ATTENTION_H

#include "synth/attention/wave.h"
#include "synth/move/bound.h"
#include <zlay/attention.h>

enum { ZL_ATTENTION_COLUMNS = 64 };

/* Where the result goes: to O, or in f32 to the parts of splits. */
typedef struct zl_attention_result {
    int32_t type;
    uint32_t columns; /* of a panel, 128 bytes */
    uint64_t heads;   /* times the splits */
    zlay_attention_strides o, l;
} zl_attention_result;

struct zlay_attention_plan {
    zlay_allocator alloc;
    const zlay_target *target;
    zlay_attention ask;
    zlay_attention_summary info;
    uint32_t panels; /* of 64 elements of a row, each a buffer of its own for Q and K */
    uint32_t masked;  /* the first tiles of a block, which may hold keys that a query does not see */
    uint32_t masked_last; /* the last ones, which may hold keys before a query's window */
    uint32_t overlap; /* 1: the softmax of a tile runs beside the product of the one before */
    uint32_t split;   /* 1: each block has a part of the keys, and its results are merged */
    uint32_t merges;  /* 1: this plan merges the parts */
    uint32_t group;   /* heads of queries that are rows of one tile; `ask` then has their rows as queries of the heads of
                         keys, and a merge the heads and queries of the request */
    zl_attention_result out;
    zlay_attention_plan *merge; /* of a split one */
    zlay_pipe *pipe;
    zl_attention_wave wave; /* of targets whose matrix instructions read registers */
    zl_bound_move moves[ZL_BOUND_MOVES];
    zl_bound_operand operands[ZL_BOUND_OPERANDS];
    uint32_t moves_count, operands_count;
    uint32_t count_times, count_add; /* causal: tiles of block x are (x * times + add) / tile_n */
    uint32_t count_behind;           /* window: from (x * times + add - behind) / tile_n on */
};

enum { ZL_ATTENTION_GRANULE = 4 /* f32 of the 16 bytes that a tensor store writes whole */ };

/* Rows of the log-sum-exp of a head. */
static inline uint64_t zl_attention_lse_rows(uint64_t queries)
{
    return (queries + ZL_ATTENTION_GRANULE - 1) / ZL_ATTENTION_GRANULE * ZL_ATTENTION_GRANULE;
}

/* Queries of the request, of which each is `group` rows. */
static inline uint64_t zl_attention_queries(const zlay_attention_plan *p)
{
    return p->ask.queries / p->group;
}

/* The array of the lengths of queries, or of keys; NULL: they are equal. */
static inline const char *zl_attention_lengths(const zlay_attention *a, bool queries)
{
    static const char *const names[2][3] = {{NULL, "k_rows", "k_starts"}, {NULL, "q_rows", "q_starts"}};
    return names[queries][queries ? a->q_lengths : a->k_lengths];
}

/* Rows of the maps' dimension in which sequences of different lengths end: more than a tile, so that tiles are counted. */
static inline uint64_t zl_attention_most(const zlay_attention_plan *p, bool queries)
{
    return queries ? p->ask.queries + p->info.tile_m : p->ask.keys + p->info.tile_n;
}

/* A dimension of a map: bytes from one index to the next, and the axis of the move that counts it. */
typedef struct zl_attention_dimension {
    uint64_t extent, stride;
    uint32_t axis;
} zl_attention_dimension;

/* Makes the map of a move of (row, column) end where a sequence does, with further dimensions, the last of them that which
 * counts the rows up to the end of a sequence. */
zlay_status zl_attention_sequence(zlay_ctx *ctx, zlay_move *move, const zlay_target *target,
                                  const zl_attention_dimension *list, uint32_t count);

/* Plans the moves and operands of a plan whose tiles are chosen. */
zlay_status zl_attention_moves(zlay_ctx *ctx, zlay_attention_plan *p);

/* The text of the pipe of a plan whose moves are there; of one that merges. */
void zl_attention_pipe_put(zl_text *out, const void *plan);
void zl_attention_merge_put(zl_text *out, const void *plan);

/* Panels in which a block's result leaves; of a merge each block has one. */
static inline uint32_t zl_attention_leaves(const zlay_attention_plan *p)
{
    return p->merges ? 1 : p->ask.head / p->out.columns;
}

/* What the pipes of all targets have: the bodies; the mask and the softmax of a tile at a position. */
void zl_attention_bodies_put(zl_text *out, const zlay_attention_plan *p);
void zl_attention_softmax_put(zl_text *out, const zlay_attention_plan *p, const char *indent, const char *at);

/* What both have: moves, the buffers of results, and how those leave. */
void zl_attention_moves_put(zl_text *out, const zlay_attention_plan *p);
void zl_attention_buffers_put(zl_text *out, const zlay_attention_plan *p);
void zl_attention_result_put(zl_text *out, const zlay_attention_plan *p);

#endif
