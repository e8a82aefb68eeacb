/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/candidates.h - all that the planner of GEMMs chooses from: each way to plan a request
 *  that is legal, with its modelled time.  Those of attention are in zlay/attention.h.
 *
 *  By hand: a GEMM of 4096 x 4096 x 4096 bf16 on sm_90a whose request leaves tile, multicast
 *  and stream_k open.  A tile of 128 x 256 is 32 x 16 = 512 tiles, four waves of 132
 *  processors; with stream-K 512 / 132 = 3.88 waves.  The model has a time for each, and the
 *  planner takes the least: candidate 0.
 */
#ifndef ZLAY_CANDIDATES_H
#define ZLAY_CANDIDATES_H

#include <zlay/machine.h>
#include <zlay/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Nanoseconds below which nothing computes a request, by the rates of a machine alone. */
typedef struct zlay_roofline {
    uint64_t products;    /* multiplications of the request, each with its addition */
    uint64_t exponents;   /* of attention; else 0 */
    uint64_t bytes;       /* of its matrices, each once */
    uint64_t products_ns; /* by all tensor cores */
    uint64_t exponents_ns; /* by all special function units */
    uint64_t bytes_ns;    /* through DRAM */
    uint64_t ns;          /* the greatest of these: the bound */
} zlay_roofline;

/** What the modelled time of a GEMM is made of (docs/tuning.md): counts, ps of a K step, ns; 0 is
 *  a term that its model has not.  Of whole tiles blocks_ns is waves * (steps * step_ps / 1000 +
 *  ends_ns). */
typedef struct zlay_gemm_terms {
    uint64_t waves;       /* in which blocks, or clusters, run one behind the other */
    uint64_t at_once;     /* blocks, or clusters, of a wave */
    uint64_t last;        /* of the last wave */
    uint64_t steps;       /* K steps of a block in a tile, 128 bytes of K each */
    uint64_t step_ps;     /* of one, by those that follow */
    uint64_t products_ps; /* its matrix instructions */
    uint64_t arrival_ps;  /* its share of the time in which stages ahead of it arrive */
    uint64_t l2_ps;       /* what all blocks ask of L2 in a step, at the rate of L2 */
    uint64_t outside_ps;  /* zeros of rows outside of A and B */
    uint64_t beside_ps;   /* rows that begin beside sectors of L2 */
    uint64_t ends_ns;     /* of a tile beside its steps: its fill and the way of D */
    uint64_t exchange_ns; /* of ends_ns: sums that blocks send each other, of split_k */
    uint64_t stream_ns;   /* of stream_k: its beginning, and the sums of divided tiles */
    uint64_t blocks_ns;   /* of all waves */
    uint64_t power_ns;    /* all products at the rate that the board's power sustains */
    uint64_t dram_bytes;  /* panels of A and B that a wave reads, once each; and D */
    uint64_t dram_ns;     /* of these */
    uint64_t start_ns;    /* of a launch */
} zlay_gemm_terms;

/** A way to plan a GEMM. */
typedef struct zlay_gemm_candidate {
    zlay_gemm gemm;   /* the request with tile, multicast, swap, stream_k and split_k fixed;
                         its epilogue is the caller's */
    uint32_t stages;  /* of the plan, where the request leaves them open */
    uint32_t smem;    /* of a block, bytes */
    uint64_t blocks;  /* that have work: tiles of D, or blocks of all clusters */
    uint64_t ns;      /* modelled nanoseconds; 0: this target has no model */
    zlay_gemm_terms terms; /* of `ns`, without copies that repack operands */
} zlay_gemm_candidate;

/** List the candidates of a GEMM: what the request leaves open takes each of its values
 *  (tile_m and tile_n of 0; multicast, swap and stream_k of AUTO; split_k of
 *  ZLAY_SPLIT_AUTO), and what is planned so is a candidate.  Columns of tiles are multiples
 *  of 16, and 8.
 *
 *  Candidate 0 is what zlay_gemm_synth plans.  The others follow by the time that the
 *  planner compares, which is modelled and, where that rests on more than was measured, is
 *  more by the model's error: 6 % of stream-K by another tile than whole tiles have, 15 %
 *  of split_k, which is of 2, 4 or 8 blocks here, 1 % of tiles whose columns are more than 64
 *  and no multiple of it, and 3 % of the orientation that the planner does not take where
 *  `swap` is AUTO.
 *  Certificates and pipes are not made; zlay_gemm_synth of a candidate's `gemm` makes
 *  them.  A plan of waves has one candidate.
 *
 *  Returns: as zlay_gemm_synth.
 *  Out:     out    the first `room` candidates; may be NULL where `room` is 0.
 *           count  how many there are.
 */
ZLAY_API zlay_status zlay_gemm_candidates(zlay_ctx *ctx, zlay_gemm_candidate *out, size_t room,
                                          size_t *count, const zlay_target *target,
                                          const zlay_gemm *gemm);

/** The bound of a GEMM: products at the machine's highest clock, and the rate of its DRAM.
 *
 *  Returns: as zlay_gemm_synth; ZLAY_NONE also a machine without these rates, and groups,
 *           whose rows the device alone knows; ZLAY_EINVAL also a machine with such a number
 *           below 1.
 *  Out:     out      zeros where the status is not ZLAY_OK.
 *  In:      machine  of the target (zlay_machine_find), or one of the caller's.
 */
ZLAY_API zlay_status zlay_gemm_bound(zlay_ctx *ctx, zlay_roofline *out, const zlay_machine *machine,
                                     const zlay_gemm *gemm);

#ifdef __cplusplus
}
#endif
#endif
