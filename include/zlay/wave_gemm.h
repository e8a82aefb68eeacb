/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/wave_gemm.h - the GEMM of targets whose matrix instructions read registers.
 *
 *  By hand: m = n = 256, k = 64 on gfx942.  A block of 256 threads, four waves,
 *  computes 128 x 128 elements of D, K in steps of 32.  A row of a stage has 64
 *  bytes, four chunks of 16.  Loads: thread t brings in its load j chunk t % 4 of
 *  row t / 4 + 64 j, to byte 16 t + 4096 j of the stage.  Reads: lane l of a wave
 *  takes 16 bytes of row l % 32.  Rows are 64 bytes apart, so rows r and r + 2
 *  lie in the same banks; with chunk c of row r at place c ^ (r / 2 % 4) of its
 *  row the eight lanes that are served together are in eight groups of banks:
 *  swizzle_rows = 2, swizzle_bits = 2.  One read has 8 elements of K, two
 *  instructions 32x32x8: lane l holds elements 8 (l / 32) .. + 7 of 16, and
 *  instruction p multiplies 4 p .. 4 p + 3 of them in the place of its own
 *  4 (l / 32) .. + 3: A and B alike, so the sum has the same terms.
 */
#ifndef ZLAY_WAVE_GEMM_H
#define ZLAY_WAVE_GEMM_H

#include <zlay/synth.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What is not known. */
#define ZLAY_WAVE_GEMM_UNKNOWN UINT32_MAX

/** How a block of waves multiplies.  96 bytes.  D = A B is computed as
 *  D^T = B^T A^T: the first operand of the instructions has columns of B. */
typedef struct zlay_wave_gemm {
    uint32_t lanes;          /* of a wave */
    uint32_t waves_m, waves_n; /* of a block, along M and along N */
    uint32_t blocks_m, blocks_n; /* results of instructions that a wave holds */
    uint32_t reads;          /* of 16 bytes that a lane makes of its row in a stage */
    uint32_t read_products;  /* instructions along K that one read serves */
    uint32_t loads_a, loads_b; /* of 16 bytes, of a thread in a stage */
    uint32_t direct;         /* 1: loads write shared memory, 0: registers, then
                                the thread does */
    uint32_t ahead;          /* stages loaded before the one that is multiplied */
    uint32_t row_bytes;      /* of a row of a stage */
    uint32_t swizzle_bits;   /* chunk c of row r lies at place */
    uint32_t swizzle_rows;   /* c ^ (r / swizzle_rows % 2^swizzle_bits) */
    uint32_t store_bytes;    /* of one store of D: 8, 4 or 2 */
    uint32_t stores;         /* of a lane */
    uint32_t registers;      /* of a lane, of 32 bits */
    uint32_t accumulators;   /* of a lane, of 32 bits, beside them */
    uint32_t scalars;        /* registers of a wave */
    uint32_t read_wavefronts; /* of one read of 16 bytes; ZLAY_WAVE_GEMM_UNKNOWN: its
                                 phases are not known */
    uint32_t read_ideal;     /* the least; the same */
    uint32_t reserved[3];    /* 0 */
} zlay_wave_gemm;

/** Read how a plan's block multiplies.  Its certificates (zlay_plan_certificate)
 *  are, for A as 0 and 1 and for B as 2 and 3, the element of the matrix that
 *  each load brings and the element of the stage that each read takes, as
 *  zlay_wave_synth plans them, against the offsets that the kernel computes; 4,
 *  the sums that a lane holds against where the kernel stores them; and from 5 on
 *  those of zlay_wave_synth, two of A, then two of B.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the plan is one of warpgroups, zlay_plan_desc has
 *           what it reads; ZLAY_EINVAL a NULL.
 *  Out:     out  as above.
 */
ZLAY_API zlay_status zlay_plan_wave(zlay_wave_gemm *out, const zlay_plan *plan);

/** What a launch of the kernel that zlay_emit_assembly prints needs.  64 bytes. */
typedef struct zlay_wave_launch {
    uint64_t grid[3];        /* blocks: tiles along N, along M, 1 */
    uint32_t threads;        /* of a block, along x */
    uint32_t smem;           /* bytes of a block, all static: a launch asks for 0 */
    uint32_t arguments;      /* addresses of A, B and D of the planned product, which
                                `swapped` of zlay_plan_info interchanges */
    uint32_t argument_bytes; /* of all of them, one behind the other, each 8 */
    uint32_t align_ab;       /* bytes that A and B are multiples of */
    uint32_t align_d;        /* the same of D */
    uint64_t reserved[2];    /* 0 */
} zlay_wave_launch;

/** Read what a launch of a plan's kernel needs.
 *
 *  Returns: as zlay_plan_wave.
 *  Out:     out  as above.
 */
ZLAY_API zlay_status zlay_plan_launch(zlay_wave_launch *out, const zlay_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
