/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel of waves as text: what is in flight while it is printed, and its scalar registers. */
#ifndef ZL_EMIT_WAVE_H
#define ZL_EMIT_WAVE_H

#include "base/base.h"
#include "synth/plan.h"

/* Scalar registers by number.  A resource is four of them, from a multiple of four on. */
enum {
    ZL_S_ARGUMENTS = 0,
    ZL_S_TILE_N = 2,
    ZL_S_TILE_M = 3,
    ZL_S_POINTER = 4, /* pairs of A, B, D */
    ZL_S_WAVE = 10,
    ZL_S_RESOURCE = 12, /* of A, B, D */
    ZL_S_READ = 24,     /* the stage that is multiplied, bytes */
    ZL_S_NEXT,          /* the one behind it */
    ZL_S_LOAD,          /* the one that is loaded, with the wave's own part of each load */
    ZL_S_LOAD_FIRST, ZL_S_LOAD_END,
    ZL_S_LEFT,          /* rounds of the loop */
    ZL_S_COLUMNS,       /* of D from the tile's first on */
    ZL_S_ROUND, ZL_S_PAIR, /* constants of the rounding to bf16 */
    ZL_S_SCRATCH        /* two */
};

enum { ZL_QUEUE = 64 };

/* A queue of what retires in order: how many were issued, and which was the last of something that is
 * waited for later. */
typedef struct zl_wave_text {
    zl_text *out;
    const zlay_plan *plan;
    const zlay_wave_gemm *w;
    const zl_wave_registers *r;
    const char *name;
    size_t name_length;
    uint32_t printed;             /* instructions and wait states so far */
    uint32_t product;             /* the number of the last product */
    uint32_t global, shared;      /* issued so far */
    uint32_t read_last[2];        /* of each set of fragments, in `shared` */
    uint32_t load_last[ZL_QUEUE]; /* through registers: of each load; else of each tile in turn */
    uint32_t tile_first, tiles;   /* of tiles on their way to shared memory */
    uint32_t label;
    uint64_t loaded;              /* tiles of K whose loads were printed, of the loop one */
} zl_wave_text;

void zl_wave_line(zl_wave_text *t, const char *format, ...) ZL_PRINTF(2, 3);

/* Wait until at most so many of the global, or shared, queue are in flight. */
void zl_wave_wait_global(zl_wave_text *t, uint32_t last);
void zl_wave_wait_shared(zl_wave_text *t, uint32_t last);

/* The wait states that an instruction yet to be printed owes to the one that was the `at`-th. */
void zl_wave_hold(zl_wave_text *t, uint32_t first, uint32_t then, uint32_t at);

/* Addresses, resources, constants; then the first stages on their way. */
void zl_wave_setup(zl_wave_text *t);

void zl_wave_multiply(zl_wave_text *t);
void zl_wave_store(zl_wave_text *t);

#endif
