/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a plan for targets whose matrix instructions read registers: the
 * shape of tile and waves, and which registers of a lane hold what. */
#ifndef ZL_WAVE_GEMM_H
#define ZL_WAVE_GEMM_H

#include <zlay/wave.h>
#include <zlay/plan.h>

/* Registers of a lane, by number. */
typedef struct zl_wave_registers {
    uint32_t write;            /* address of its 16 bytes in a stage, and now */
    uint32_t offset;           /* of each load in global memory */
    uint32_t key, nowhere;     /* first K of its loads; offset out of bounds */
    uint32_t read[2], at[2];   /* A and B: address of a read in a stage; now */
    uint32_t fragment, loaded; /* two sets of fragments; values of loads */
    uint32_t count;
} zl_wave_registers;

/* What an accumulator of the plan's pipe stands for: fragments of operand A or
 * B, the sums (operand D), or values of a load before they are put into shared
 * memory. */
typedef struct zl_wave_set {
    int32_t operand; /* ZLAY_OPERAND_*, or ZL_WAVE_LOADED */
    uint32_t number; /* among the sets of its operand; of the load */
} zl_wave_set;

enum { ZL_WAVE_LOADED = 3, ZL_WAVE_SETS = 64 };

typedef struct zl_wave_sets {
    zl_wave_set at[ZL_WAVE_SETS]; /* by accumulator of the pipe */
    uint32_t count;
} zl_wave_sets;

typedef struct zl_wave_gemm {
    zlay_wave_gemm shape;
    zl_wave_registers registers;
    zl_wave_sets sets;
    zlay_wave *operand[2]; /* A, B */
} zl_wave_gemm;

static inline uint32_t zl_wave_loads(const zlay_wave_gemm *w) { return w->loads_a + w->loads_b; }

#endif
