/* SPDX-License-Identifier: Apache-2.0 */
/* An order of tiles as the model of L2 runs it, and the search over what is legal. Sizes are in bits, for elements have 4. */
#ifndef ZL_SYNTH_IO_H
#define ZL_SYNTH_IO_H

#include "base/base.h"
#include <zlay/io.h>

/* ---- the cache ------------------------------------------------------------------------------- */

/* A part of a tensor that comes, and leaves, whole. */
typedef struct zl_io_slice {
    uint32_t newer, older; /* slices in the order of their last use; 0: the ends of the list */
    uint32_t stamp;        /* of the list in which it was last put */
    uint8_t tensor, in, dirty;
    uint64_t bits;
} zl_io_slice;

/* What L2 holds: the slices that were used last, as many as fit. */
typedef struct zl_io_cache {
    zl_io_slice *slice; /* entry 0 is the list's head */
    uint64_t capacity, held;
    uint64_t read[ZLAY_IO_TENSORS], written[ZLAY_IO_TENSORS];
    uint64_t moved; /* the sum of both */
} zl_io_cache;

/* Uses a slice; a write leaves it to be written when it has to go. */
void zl_io_use(zl_io_cache *c, uint32_t slice, uint32_t tensor, uint64_t bits, bool write);

/* Bits of a tensor that are still to be written. */
uint64_t zl_io_left(const zl_io_cache *c, uint32_t tensor);

/* ---- an order of tiles ------------------------------------------------------------------------- */

enum { ZL_IO_ROW = 1, ZL_IO_COLUMN = 2, ZL_IO_OPERANDS = 4 };

/* What a tile reads, or writes at its end. Its panels have the numbers of the tile's row, or column, or both. */
typedef struct zl_io_operand {
    uint32_t tensor;
    uint32_t by;     /* ZL_IO_ROW | ZL_IO_COLUMN */
    uint64_t unit;   /* bits for each row of a panel by rows, column of one by columns, and index of a slice's depth */
    uint64_t share;  /* so many columns have one panel */
    bool sliced;     /* a step reads its slice; else each step reads the panel */
    bool once;       /* not sliced: the first step alone reads it */
    uint32_t base;   /* its first slice */
} zl_io_operand;

/* Tiles of one kernel. Processors take tiles in their order and go on step by step, all at one pace. */
typedef struct zl_io_kernel {
    uint64_t rows, columns, depth; /* extents */
    uint64_t tile_m, tile_n, step;
    uint64_t band;    /* rows of tiles that are visited together, column by column */
    bool persistent;  /* a processor takes every P-th tile; else the next when it is free */
    bool down;        /* steps begin with the last */
    bool causal;      /* a row of tiles has the steps up to its last row + skew; the last row of tiles comes first */
    uint64_t skew;
    uint64_t flops;   /* products and sums that count in its cost */
    uint32_t operands_count;
    zl_io_operand operand[ZL_IO_OPERANDS], result;
} zl_io_kernel;

static inline uint64_t zl_io_rows(const zl_io_kernel *k) { return zl_ceil_div(k->rows, k->tile_m); }
static inline uint64_t zl_io_columns(const zl_io_kernel *k) { return zl_ceil_div(k->columns, k->tile_n); }
static inline uint64_t zl_io_steps(const zl_io_kernel *k) { return zl_ceil_div(k->depth, k->step); }

/* Steps of a row of tiles. */
uint64_t zl_io_steps_of(const zl_io_kernel *k, uint64_t row);

/* Slices that an operand has. EOVERFLOW as UINT64_MAX. */
uint64_t zl_io_slices(const zl_io_kernel *k, const zl_io_operand *o);

/* Runs a kernel with a cache of so many slices; stops where more than `most` bits have moved. ENOMEM. */
zlay_status zl_io_run(zlay_ctx *ctx, zl_io_cache *cache, const zl_io_kernel *kernel, const zlay_io_machine *machine, uint64_t most);

/* Bits between L2 and the processors, of an operand, or of the result. */
uint64_t zl_io_l2(const zl_io_kernel *k, const zl_io_operand *o);

/* ---- the search -------------------------------------------------------------------------------- */

enum { ZL_IO_KERNELS = 2 };

/* One tile and order: one or two kernels, run one behind the other with one cache. */
typedef struct zl_io_way {
    zlay_io_choice choice; /* all but the bytes */
    uint32_t kernels;
    zl_io_kernel kernel[ZL_IO_KERNELS];
} zl_io_way;

/* A problem: its tensors, and its ways by number. */
typedef struct zl_io_problem {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_io_machine machine;
    uint32_t tensors;
    const char *name[ZLAY_IO_TENSORS];
    uint64_t bits[ZLAY_IO_TENSORS]; /* of the whole tensor; 0: it moves as often as the way says */
    uint64_t flop_rate; /* 0: products and sums cost nothing */
    bool front;      /* whether the whole front is wanted */
    uint64_t ways;
    void (*way)(zl_io_way *out, const void *of, uint64_t i);
    const void *of;
} zl_io_problem;

/* Finds the best of the ways: *out but for the bounds. NONE where there is none, without a message. */
zlay_status zl_io_search(const zl_io_problem *p, zlay_io_answer *out);

/* Whether a choice costs less than another, or of that cost moves less from global memory, then from L2. */
bool zl_io_better(const zlay_io_choice *a, const zlay_io_choice *b);

/* Bands that are tried for so many rows of tiles: 2^i and 3 * 2^i below it, and itself; `i` counts from 0. 0: no more. */
uint64_t zl_io_band(uint64_t rows, uint32_t i);

/* A tile that is tried, and the number of its first way. */
typedef struct zl_io_shape {
    uint32_t m, n;
    uint64_t first;
} zl_io_shape;

/* ---- what is legal ------------------------------------------------------------------------------ */

/* Tiles of a target's matrix instruction. */
typedef struct zl_io_tiles {
    uint32_t m_least, m_most, m_step, n_least, n_most, n_step;
    uint32_t sums;    /* elements of f32 that the sums of a block may have, two tiles of tcgen05 */
    uint32_t fused;   /* the same of a kernel of two products */
    uint32_t pairs;   /* 1: n is a power of two */
    uint32_t on_chip; /* bytes of sums that a processor has for all */
} zl_io_tiles;

/* ENOTSUP where they are not known. */
zlay_status zl_io_tiles_of(zlay_ctx *ctx, zl_io_tiles *out, const zlay_target *target);

/* Fills in what the request leaves open. ENOTSUP: one is not known. */
zlay_status zl_io_machine_of(zlay_ctx *ctx, zlay_io_machine *out, const zlay_target *target, const zlay_io_machine *request);

/* Bytes that all of L2 holds, of which operands have a part in the model: the request's, or the target's. */
uint64_t zl_io_l2_whole(const zlay_target *target, const zlay_io_machine *request);

/* ---- bounds -------------------------------------------------------------------------------------- */

/* A product of m x n x k, by elements of so many bits. */
typedef struct zl_io_product {
    uint64_t m, n, k;
    uint32_t a_bits, b_bits, d_bits;
} zl_io_product;

/* Bits that A and B move from L2 at least, where a block's sums are at most `sums` elements. */
uint64_t zl_io_sums_bound(const zl_io_product *p, uint64_t sums);

/* Elements that move from global memory at least, where all memories of the chip hold so many. */
uint64_t zl_io_capacity_bound(uint64_t m, uint64_t n, uint64_t k, uint64_t elements);

#endif
