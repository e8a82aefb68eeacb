/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a GEMM's pipe that the pipes of wgmma, tcgen05 and mma.sync share. Each prints lines. */
#ifndef ZL_GEMM_PIPE_H
#define ZL_GEMM_PIPE_H

#include "synth/gemm/plan.h"

/* Stages of a ring. */
static inline uint32_t zl_gemm_stages(const zlay_plan *plan) { return plan->info.stages / zl_gemm_rings(plan); }

/* Moves and shared buffers; the barriers of the ring; the bodies. */
void zl_gemm_put_memory(zl_text *out, const zlay_plan *plan);
void zl_gemm_put_ring(zl_text *out, const zlay_plan *plan);
void zl_gemm_put_bodies(zl_text *out, const zlay_plan *plan);

/* The loads of a stage by threads, of those operands that no tensor copy moves. */
void zl_gemm_thread_loads(zl_text *out, const zlay_plan *plan, uint32_t ring, const char *at);

/* The producer's loops over tiles and steps, by one thread or by 128. */
void zl_gemm_produce(zl_text *out, const zlay_plan *plan);
/* Whether one thread produces. */
static inline bool zl_gemm_produces_alone(const zlay_plan *plan) { return plan->info.full_count == 1; }

/* Registers of threads, one of each warpgroup: all that a block may have, in eights; of the producer, by what loads stages. */
enum { ZL_GEMM_REGISTERS = 512, ZL_GEMM_BY_TENSOR = 40, ZL_GEMM_BY_FOUR = 32, ZL_GEMM_BY_THREADS = 56 };
/* Whether the producer gives registers to the consumers: with two of them, sums take 128; what it keeps, what a thread has at
 * launch, and what one of a consumer has then. */
static inline bool zl_gemm_gives_registers(const zlay_plan *plan) { return plan->info.consumers > 1; }
static inline uint32_t zl_gemm_kept(const zlay_plan *plan)
{
    if (!zl_gemm_produces_alone(plan)) return ZL_GEMM_BY_THREADS;
    return plan->info.consumers > 2 ? ZL_GEMM_BY_FOUR : ZL_GEMM_BY_TENSOR;
}
static inline uint32_t zl_gemm_launched(const zlay_plan *plan) { return ZL_GEMM_REGISTERS / (1 + plan->info.consumers) / 8 * 8; }
static inline uint32_t zl_gemm_taken(const zlay_plan *plan)
{
    uint32_t all = zl_gemm_launched(plan) * (1 + plan->info.consumers);
    return (all - zl_gemm_kept(plan)) / plan->info.consumers / 8 * 8;
}

/* Whether a body makes D's elements of the sums, in other registers; and the uses of bodies on the sums of a pass, or of all,
 * which are pass 0. */
bool zl_gemm_converts(const zlay_plan *plan);
void zl_gemm_convert(zl_text *out, const zlay_plan *plan, const char *sums, const char *elements, uint32_t pass);

/* How many operands of a sort the epilogue has. */
uint32_t zl_gemm_epilogue_has(const zlay_plan *plan, int32_t sort);

/* The roles of the consumers, by wgmma. */
void zl_gemm_consume(zl_text *out, const zlay_plan *plan);

/* Stores a pass of D from registers through shared memory; and what stands behind the last. */
void zl_gemm_store(zl_text *out, const zlay_plan *plan, const char *elements, uint32_t pass);
void zl_gemm_stored(zl_text *out, const zlay_plan *plan);

#endif
