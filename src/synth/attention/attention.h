/* SPDX-License-Identifier: Apache-2.0 */
/* A plan of attention while it is made, and what the printer of its kernel reads. */
#ifndef ZL_SYNTH_ATTENTION_H
#define ZL_SYNTH_ATTENTION_H

#include "synth/attention/wave.h"
#include "synth/move/bound.h"
#include <zlay/attention.h>

enum { ZL_ATTENTION_COLUMNS = 64, ZL_ATTENTION_THREADS = 128 /* of a warpgroup, and of a producer */, ZL_ATTENTION_EXTENT = 1 << 30,
       ZL_ATTENTION_TMEM_ROWS = 128 /* of a tile of queries in tensor memory */ };

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
    uint32_t panels; /* of a row, of `columns` elements, each a buffer of its own for Q and K */
    uint32_t columns; /* 64; of e4m3 128, or those of the head */
    uint32_t masked;  /* the first tiles of a block, which may hold keys that a query does not see */
    uint32_t masked_last; /* the last ones, which may hold keys before a query's window */
    uint32_t tmem;    /* 1: scores, weights and the result stand in tensor memory (tmem_pipe.c) */
    uint32_t rows;    /* of the result that a buffer holds: those of a warpgroup */
    uint32_t overlap; /* 1: the softmax of a tile runs beside the product of the one before */
    uint32_t same;    /* 1: packed sequences of as many keys as queries, whose beginnings one array says */
    uint32_t split;   /* 1: each block has a part of the keys, and its results are merged */
    uint32_t merges;  /* 1: this plan merges the parts */
    uint32_t processors; /* of the machine, whose waves the model counts */
    uint64_t dram_ns;    /* its tensors through the machine's DRAM, each once; 0: lengths that the device alone knows */
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

/* Elements of a byte: the second product reads V across, and weights of columns that lie in other places. */
static inline bool zl_attention_bytes(const zlay_attention *a)
{
    return a->type == ZLAY_TYPE_E4M3;
}

enum { ZL_ATTENTION_PEAK = 8 /* of e4m3 the greatest weight is 2 to that power, of at most 448 */ };

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
static inline const char *zl_attention_lengths(const zlay_attention_plan *p, bool queries)
{
    static const char *const names[2][3] = {{NULL, "k_rows", "k_starts"}, {NULL, "q_rows", "q_starts"}};
    return names[queries || p->same][queries ? p->ask.q_lengths : p->ask.k_lengths];
}

/* Whether sequences have lengths of their own. */
static inline bool zl_attention_differ(const zlay_attention *a)
{
    return a->q_lengths || a->k_lengths;
}

/* Rows of a sequence, on the average where all sequences have so many. */
static inline uint64_t zl_attention_mean(const zlay_attention *a, uint64_t rows)
{
    return a->sequences ? (rows + a->sequences - 1) / a->sequences : rows;
}

/* Rows of the maps' dimension in which sequences of different lengths end: more than a tile, so that tiles are counted. */
static inline uint64_t zl_attention_most(const zlay_attention_plan *p, bool queries)
{
    uint32_t m = p->info.tile_m, n = p->info.tile_n;
    if (p->same) return p->ask.queries + (m > n ? m : n); /* one dimension serves both */
    return queries ? p->ask.queries + m : p->ask.keys + n;
}

/* A dimension of a map: bytes from one index to the next, and the axis of the move that counts it. */
typedef struct zl_attention_dimension {
    uint64_t extent, stride;
    uint32_t axis;
} zl_attention_dimension;

/* What a plan chooses: queries of a block, keys of a stage, stages, and whether the softmax runs beside the product before. */
typedef struct zl_attention_form {
    uint32_t tile_m, tile_n, stages, overlap;
} zl_attention_form;
enum { ZL_ATTENTION_FORMS = 3 * 13 * 3 * 2 /* of all targets */ };

/* Registers of a thread by the number of consumer warpgroups: at launch, and a consumer's. */
typedef struct zl_attention_budget {
    uint32_t launch, consumer;
} zl_attention_budget;
extern const zl_attention_budget zl_attention_budgets[4];

/* The forms that fit and that the request allows, the first as the planner chooses it, the others by modelled time; what one takes:
 * bytes of shared memory, registers of a consumer's thread, modelled nanoseconds. */
uint32_t zl_attention_forms(const zlay_attention_plan *p, zl_attention_form *out /* ZL_ATTENTION_FORMS + 1 */);
uint64_t zl_attention_form_smem(const zlay_attention_plan *p, const zl_attention_form *f);
uint32_t zl_attention_form_registers(const zlay_attention_plan *p, const zl_attention_form *f);
uint64_t zl_attention_form_time(const zlay_attention_plan *p, const zl_attention_form *f);
uint64_t zl_attention_form_terms(zlay_attention_terms *out, const zlay_attention_plan *p, const zl_attention_form *f); /* the same, and what it is made of */
uint64_t zl_attention_form_blocks(const zlay_attention_plan *p, const zl_attention_form *f);
/* The same as a list that has one at least, or the reason why there is none, with its field. */
zlay_status zl_attention_forms_that_fit(zlay_ctx *ctx, const zlay_attention_plan *p, zl_attention_form *out, size_t *count);
/* The form that was measured for requests like this one, or counted (tiles.c). */
zl_attention_form zl_attention_form_known(const zlay_attention_plan *p);

/* Counts what a request whose sizes are known computes and reads; finds the processors, and what DRAM takes, of a plan whose request
 * is read (machine.c). */
void zl_attention_amounts(zlay_roofline *out, const zlay_attention *a);
void zl_attention_machine(zlay_attention_plan *p);
/* Chooses the tiles of a plan whose request is read; and takes a form. */
zlay_status zl_attention_tiles(zlay_ctx *ctx, zlay_attention_plan *p);
void zl_attention_form_take(zlay_attention_plan *p, const zl_attention_form *f);
/* Reads a request as far as its forms depend on it; *out is freed by the caller, whatever the status. */
/* The public call as a part of a call. */
zlay_status zl_attention_candidates(zlay_ctx *ctx, zlay_attention_candidate *out, size_t room, size_t *count, const zlay_target *target,
                                    const zlay_attention *attention);
/* The plan of a target whose matrix instructions read registers. */
zlay_status zl_attention_waves_make(zlay_ctx *ctx, zlay_attention_plan *p);
/* Of few queries, lets the heads that share a head of keys be rows of a tile. */
void zl_attention_heads_pack(zlay_attention_plan *p);
zlay_status zl_attention_read(zlay_ctx *ctx, zlay_attention_plan **out, const zlay_target *target, const zlay_attention *request);
/* Whether both panels of a result leave together, from a buffer each, so that the warpgroup begins its next tile sooner: where
 * shared memory has room beside the tiles of keys. */
static inline bool zl_attention_at_once(const zlay_attention_plan *p, uint32_t tile_n)
{
    return p->ask.sequences && p->ask.head == 2 * ZL_ATTENTION_COLUMNS && tile_n <= 2 * ZL_ATTENTION_COLUMNS;
}

/* Makes the map of a move of (row, column) end where a sequence does, with further dimensions, the last of them that which
 * counts the rows up to the end of a sequence. */
zlay_status zl_attention_sequence(zlay_ctx *ctx, zlay_move *move, const zlay_target *target,
                                  const zl_attention_dimension *list, uint32_t count);

/* Checks a changed map by the rules but those of the address. */
zlay_status zl_attention_map_check(zlay_ctx *ctx, const zlay_target *target, const zlay_tensormap *map, const char *what);

/* Makes of a move of pairs of rows, which is half a tile, one of both halves: the second is `bytes` further in the tensor. */
zlay_status zl_attention_halves(zlay_ctx *ctx, zl_bound_move *bound, uint64_t rows, uint64_t bytes);

/* Plans the moves and operands of a plan whose tiles are chosen. */
zlay_status zl_attention_moves(zlay_ctx *ctx, zlay_attention_plan *p);

/* The text of the pipe of a plan whose moves are there: of wgmma, of tcgen05, of one that merges. */
void zl_attention_pipe_put(zl_text *out, const void *plan);
void zl_attention_tmem_pipe_put(zl_text *out, const void *plan);
void zl_attention_merge_put(zl_text *out, const void *plan);

/* Panels in which a block's result leaves; of a merge each block has one. */
static inline uint32_t zl_attention_leaves(const zlay_attention_plan *p)
{
    return p->merges ? 1 : p->ask.head / p->out.columns;
}

/* What the pipes of all targets have: the bodies, and what is done to the scores of the tile at a position, by which they
 * become weights in f32. */
void zl_attention_bodies_put(zl_text *out, const zlay_attention_plan *p);
void zl_attention_softmax_put(zl_text *out, const zlay_attention_plan *p, const char *indent, const char *at);

/* What both have: moves, the buffers of results, and how those leave. */
void zl_attention_moves_put(zl_text *out, const zlay_attention_plan *p);
void zl_attention_buffers_put(zl_text *out, const zlay_attention_plan *p);
void zl_attention_result_put(zl_text *out, const zlay_attention_plan *p);

/* Panel c of the result leaves, from these registers; with the first the log-sum-exp. */
void zl_attention_panel_put(zl_text *out, const zlay_attention_plan *p, const char *from, uint32_t c);

/* What the pipes of wgmma and tcgen05 have: the stages of Q, K and V, and the copies. */
void zl_attention_memory_put(zl_text *out, const zlay_attention_plan *p);
void zl_attention_copies_put(zl_text *out, const zlay_attention_plan *p);
/* The operands of the body `finish`, behind the matrix. */
void zl_attention_finish_put(zl_text *out, const zlay_attention_plan *p);

#endif
