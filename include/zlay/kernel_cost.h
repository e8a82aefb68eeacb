/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/kernel_cost.h - how long the kernel of a plan runs, from the numbers of a
 *  machine.
 *
 *  Blocks come in waves, as many at once as the device has processors.  A block
 *  takes what zlay_pipe_cycles says of its pipe, with the processor's share of
 *  L2; the kernel takes the waves, but at least the time in which DRAM sends
 *  each operand once, one latency of DRAM and a launch.
 *
 *  By hand.  8192 x 8192 x 8192 of bf16 on 132 processors has 2048 tiles of
 *  128 x 256, so a persistent block computes 16 of them at most, of 128 K steps
 *  each.  A step is 8 wgmma of 128 cycles, 1024, on the same tensor cores: 16 *
 *  128 * 1024 = 2.1e6 cycles, 1.2 ms at 1.755 GHz, is the least that it takes.
 */
#ifndef ZLAY_KERNEL_COST_H
#define ZLAY_KERNEL_COST_H

#include <zlay/attention.h>
#include <zlay/machine.h>
#include <zlay/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How long, and of what. */
typedef struct zlay_kernel_cost {
    int64_t ns;          /* of a launch in a graph, rounded up */
    int64_t cycles;      /* of the kernel, without the launch */
    int64_t waves;       /* tiles of the block that has most */
    int64_t tile_cycles; /* what a tile more takes a block */
    int64_t trip_cycles; /* what a trip of its inner loop takes */
    int64_t dram_cycles; /* in which DRAM sends every operand once */
    int32_t bound;       /* the zlay_machine_unit that bounds a trip; -1: DRAM bounds the kernel */
    uint32_t reserved;   /* 0 */
    uint64_t facts, ops; /* used and not measured, as in zlay_pipe_cost */
} zlay_kernel_cost;

/** Reckon how long the kernel of a GEMM's plan runs.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the machine lacks a number; ZLAY_ENOTSUP the plan
 *           has groups, stream-K or a repacked operand; ZLAY_ELIMIT;
 *           ZLAY_EINVAL a NULL; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_gemm_cycles(zlay_ctx *ctx, zlay_kernel_cost *out,
                                      const zlay_machine *machine, const zlay_plan *plan);

/** Reckon how long the kernel of a plan of attention runs.
 *
 *  Returns: as zlay_gemm_cycles; ZLAY_ENOTSUP the plan has splits or sequences
 *           of different lengths, or no pipe with tensor copies.
 */
ZLAY_API zlay_status zlay_attention_cycles(zlay_ctx *ctx, zlay_kernel_cost *out,
                                           const zlay_machine *machine,
                                           const zlay_attention_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
