/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/io.h - the tile, and the order of tiles, with the fewest bytes from global
 *  memory and from the L2 cache: of a GEMM, of attention, of two products in a chain.
 *
 *  By hand.  D of 512 x 512 bf16, K = 512, tiles of 128 x 256: 4 rows of 2 tiles.  A
 *  tile reads 128 rows of A and 256 columns of B, so all tiles read A twice and B four
 *  times from L2: 2 * 524288 + 4 * 524288 bytes.  Tiles of 256 x 128 would read the same,
 *  tiles of 128 x 128 read 4 + 4 times.
 *
 *      order, band of 1:   0 1     order, band of 2:   0 2
 *                          2 3                         1 3
 *                          4 5                         4 6
 *                          6 7                         5 7
 *
 *  With two processors at work a wave is two tiles.  A band of 1 has a row of A and both
 *  columns of B in each wave; a band of 2 has two rows of A and one column of B.  If L2
 *  holds a wave and not two, then the first order reads B from global memory in each of
 *  four waves, and A once: 5 times 524288 bytes.  The second order reads the rows of A
 *  that a band has in both of its waves, and a column of B in each wave: A twice, and B
 *  twice, 4 times 524288 bytes.
 *
 *  docs/io.md has the model of the cache, and the proofs of the lower bounds.
 */
#ifndef ZLAY_IO_H
#define ZLAY_IO_H

#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The machine as the model has it; 0: the target's own (zlay/machine.h), and a rate of L2
 *  that is not known is twice that of global memory. */
typedef struct zlay_io_machine {
    uint64_t l2;         /* bytes of L2 that hold operands; default five eighths of it */
    uint64_t hbm_rate;   /* bytes of global memory in 1000 cycles */
    uint64_t l2_rate;    /* bytes between L2 and all processors in 1000 cycles */
    uint64_t flop_rate;  /* of a chain: products and sums of all processors in 1000 cycles; 0
                            where it is not known: they cost nothing */
    uint32_t processors; /* blocks at work at a time */
    uint32_t smem;       /* bytes of shared memory of a block */
    uint32_t spread;     /* thousandths by which the slowest processor is behind the fastest;
                            default 10 */
    uint32_t reserved;   /* 0 */
} zlay_io_machine;

/** D = A B, with A of m x k, B of k x n, D of m x n elements.  0 means the default, or
 *  that the plan chooses. */
typedef struct zlay_io_gemm {
    uint32_t size; /* sizeof(zlay_io_gemm); a shorter one reads as zeros */
    int32_t type;  /* ZLAY_TYPE_*; default bf16 */
    uint64_t m, n, k;
    int32_t a_type, b_type, d_type;  /* default: type */
    uint32_t tile_m, tile_n, tile_k; /* tile_k: default 128 bytes of A */
    uint32_t band;                   /* rows of tiles that are visited together */
    uint32_t stages;                 /* of the ring, at least; default 2 */
    uint32_t front;                  /* 1: the whole front is found, else what costs least */
    zlay_io_machine machine;
    uint64_t reserved[2]; /* 0 */
} zlay_io_gemm;

/** O = softmax(Q K^T) V for each head of each batch. */
typedef struct zlay_io_attention {
    uint32_t size; /* sizeof(zlay_io_attention) */
    int32_t type;  /* of Q, K, V and O; default bf16 */
    uint64_t batch, heads, kv_heads; /* 1; 1; `heads`, of which it is a divisor */
    uint64_t queries, keys;
    uint32_t head;   /* elements of a row, a multiple of 8 up to 256 */
    uint32_t causal; /* 1: query i sees keys 0 to i + keys - queries; keys >= queries */
    uint32_t tile_m, tile_n; /* queries of a block, keys of a stage */
    uint32_t band; /* tiles of queries of a head that are visited together; all of them
                      is a head after the other */
    uint32_t stages, front;
    uint32_t reserved0; /* 0 */
    zlay_io_machine machine;
    uint64_t reserved[2]; /* 0 */
} zlay_io_attention;

/** E = G C, with G = A B, or gated G = act(A B1) * (A B2): A of m x k, B1 and B2 of k x h,
 *  C of h x n. */
typedef struct zlay_io_chain {
    uint32_t size; /* sizeof(zlay_io_chain) */
    int32_t type;  /* of all tensors; default bf16 */
    uint64_t m, k, h, n;
    uint32_t gated; /* 1: two products, G has the elements of one */
    uint32_t fused; /* ZLAY_IO_*: what is planned */
    uint32_t stages, front;
    uint32_t crossover; /* 1: for other m, too; see `fused_at` */
    uint32_t reserved0; /* 0 */
    zlay_io_machine machine;
    uint64_t reserved[2]; /* 0 */
} zlay_io_chain;

/** Two kernels, with G in global memory or what L2 holds of it; one, with G in shared
 *  memory: each block computes the rows of G that it needs, again in each column of tiles
 *  of E.  BEST: what costs less. */
enum { ZLAY_IO_BEST = 0, ZLAY_IO_SEPARATE = 1, ZLAY_IO_FUSED = 2 };

enum { ZLAY_IO_TENSORS = 6, ZLAY_IO_FRONT = 32 };

/** What one tensor moves, bytes. */
typedef struct zlay_io_tensor {
    char name[8];     /* "A" and the like */
    uint64_t bytes;   /* of the tensor */
    uint64_t read;    /* from global memory */
    uint64_t written; /* to global memory, `left` included */
    uint64_t left;    /* of `written`: still in L2 when the last tile ends */
    uint64_t l2;      /* between L2 and the processors, both ways */
} zlay_io_tensor;

/** A tile, an order, and what they move. */
typedef struct zlay_io_choice {
    uint32_t tile_m, tile_n, tile_k; /* of a chain: tile_n of E, tile_k of the first product */
    uint32_t tile_h; /* of a chain: columns of G of a block at a time; else 0 */
    uint32_t band;   /* of a chain of two kernels: of both */
    uint32_t reserved; /* 0 */
    uint32_t fused;  /* of a chain: ZLAY_IO_SEPARATE or ZLAY_IO_FUSED; else 0 */
    uint32_t held;   /* of a fused chain: 1: a block keeps its rows of A in shared memory */
    uint32_t smem;   /* bytes of a block: stages, operands that stay, the result */
    uint32_t sums;   /* bytes of sums of a block, in registers or tensor memory */
    uint64_t tiles;  /* blocks of work, of both kernels */
    uint64_t flops;  /* products and sums, those done again included */
    uint64_t hbm, l2;  /* bytes of all tensors */
    uint64_t left;     /* of hbm: still in L2 when the last tile ends */
    uint64_t cost;     /* thousandths of a cycle: the longest of three, each at its rate: hbm; l2
                          and, of a chain, flops, which a kernel of fewer tiles than processors
                          has the share of its tiles of, each kernel's rounded up, one behind
                          the other */
} zlay_io_choice;

/** By which argument there is nothing less (docs/io.md). */
enum {
    ZLAY_IO_COMPULSORY = 1, /* each tensor moves once */
    ZLAY_IO_SUMS,           /* the sums of a block, wherever its tile ends */
    ZLAY_IO_CAPACITY,       /* Loomis and Whitney: what all memories of the chip hold */
    ZLAY_IO_QUERIES         /* of attention: the queries of a block, which use a key together */
};

/** An answer, by value. */
typedef struct zlay_io_answer {
    zlay_io_choice best;
    zlay_io_machine machine;  /* as it was taken */
    uint32_t tensors_count;
    uint32_t front_count;     /* choices that no other equals or beats in both, ascending in
                                 hbm; the first ZLAY_IO_FRONT are in `front`.  Without the
                                 request's `front` of those that had to be run */
    uint32_t hbm_by, l2_by;   /* ZLAY_IO_COMPULSORY and so on */
    uint64_t hbm_bound, l2_bound; /* no plan moves less of hbm, whatever its tiles and order; no
                                     tiles of any shape less of l2, in plans whose blocks each
                                     read for themselves, and keep no operand from one tile to
                                     the next */
    uint64_t l2_block; /* l2_bound is of blocks that have so many sums (ZLAY_IO_SUMS), or queries
                          of one head (ZLAY_IO_QUERIES), or fewer; 0: of all */
    uint64_t grid;            /* tiles and orders that are legal */
    uint64_t run;             /* of these, run through the model; the others were excluded */
    zlay_io_choice other;     /* of a chain: the best of the other kind; tiles is 0: none fits */
    uint64_t fused_at;        /* of a chain whose request says `crossover`: bit e: with m = 2^e
                                 and k, h, n as they are one kernel costs less; bits 0 to 13 */
    zlay_io_tensor tensor[ZLAY_IO_TENSORS]; /* of `best` */
    zlay_io_choice front[ZLAY_IO_FRONT];
} zlay_io_answer;

/** Find the tile and order of a GEMM with the least cost, of all that are legal; of equal
 *  cost the least bytes of global memory, then of L2, then the tile and band that are
 *  first in ascending order.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no tile fits, the message has the least shared memory that
 *           would do; ZLAY_EINVAL the message names the field; ZLAY_ENOTSUP a target whose
 *           tiles are not known; ZLAY_EOVERFLOW; ZLAY_ELIMIT not all were tried; ZLAY_ENOMEM.
 *  Out:     out  the choice, what it moves, and the bounds.
 */
ZLAY_API zlay_status zlay_io_gemm_plan(zlay_ctx *ctx, zlay_io_answer *out,
                                       const zlay_target *target, const zlay_io_gemm *request);

/** The same of attention.  Returns, Out as zlay_io_gemm_plan. */
ZLAY_API zlay_status zlay_io_attention_plan(zlay_ctx *ctx, zlay_io_answer *out,
                                            const zlay_target *target,
                                            const zlay_io_attention *request);

/** The same of a chain, by one kernel or by two.  Returns, Out as zlay_io_gemm_plan. */
ZLAY_API zlay_status zlay_io_chain_plan(zlay_ctx *ctx, zlay_io_answer *out,
                                        const zlay_target *target,
                                        const zlay_io_chain *request);

/** Print an answer as a table of megabytes, 10^6 bytes.  Returns ZLAY_OK, ZLAY_EROOM
 *  (zlay_buf), ZLAY_EINVAL a NULL, or an answer that no call gave.  Pure. */
ZLAY_API zlay_status zlay_io_print(zlay_buf *out, const zlay_io_answer *answer);

#ifdef __cplusplus
}
#endif
#endif
