/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a plan for targets whose matrix instructions read registers: the
 * shape of tile and waves, and which registers of a lane hold what. */
#ifndef ZL_WAVE_GEMM_H
#define ZL_WAVE_GEMM_H

#include <stdbool.h>
#include <zlay/wave.h>
#include <zlay/plan.h>

/* Registers of a lane, by number. */
typedef struct zl_wave_registers {
    uint32_t write;            /* address of its 16 bytes in a stage, and now */
    uint32_t offset;           /* of each load in global memory */
    uint32_t key, nowhere;     /* first K of its loads; offset out of bounds */
    uint32_t read[2], at[2];   /* A and B: address of a read in a stage; now */
    uint32_t fragment, loaded; /* two sets of fragments; values of loads */
    uint32_t total, place[2];  /* with scales: sums of all steps; places of A's and B's scales of the next step */
    uint32_t scales, scales_count; /* values of the bodies that add them */
    uint32_t count;
} zl_wave_registers;

/* What an accumulator of the plan's pipe stands for: fragments of operand A or
 * B, the sums (operand D), or values of a load before they are put into shared
 * memory. */
typedef struct zl_wave_set {
    int32_t operand; /* ZLAY_OPERAND_*, or ZL_WAVE_* */
    uint32_t number; /* among the sets of its operand; of the load */
} zl_wave_set;

enum { ZL_WAVE_LOADED = 3, ZL_WAVE_RESULT /* what the body makes of the sums */, ZL_WAVE_TOTAL /* sums with scales */,
       ZL_WAVE_PLACE_A /* of scales, of A and of B */, ZL_WAVE_PLACE_B, ZL_WAVE_SETS = 64 };

/* The first of the scalar registers that hold addresses of a body's arrays, and behind them its masks;
 * registers of a lane that every body has beside its values: scratch, constants and addresses of D. */
enum { ZL_WAVE_ARRAYS = 38, ZL_WAVE_SCALARS = 48, ZL_WAVE_BODY_OWN = 12 };

typedef struct zl_wave_sets {
    zl_wave_set at[ZL_WAVE_SETS]; /* by accumulator of the pipe */
    uint32_t count;
} zl_wave_sets;

typedef struct zl_wave_gemm {
    zlay_wave_gemm shape;
    zl_wave_registers registers;
    zl_wave_sets sets;
    zlay_wave *operand[2]; /* A, B */
    zlay_body *narrow;     /* the body where the request has none, or where D has scales, behind its lines */
    uint32_t body_registers; /* of the body's values */
    uint32_t body_masks;     /* scalar register of the first mask */
    uint32_t body_rows;    /* of the tile that a lane holds elements of */
} zl_wave_gemm;

/* An argument of the kernel: an address of 8 bytes, or a scalar of 4. */
typedef struct zl_wave_argument {
    char name[80];
    bool scalar, written;
    int32_t type;  /* ZLAY_TYPE_* of a scalar, and of an array's elements; else 0 */
    uint32_t bytes, at; /* at: where it begins */
} zl_wave_argument;

static inline uint32_t zl_wave_loads(const zlay_wave_gemm *w) { return w->loads_a + w->loads_b; }

#endif
