/* SPDX-License-Identifier: Apache-2.0 */
/* A conversion's plan as a function prints it. A slot is (part, word, lane, warp), the part lowest: a
 * word is a register of 32 bits and has 2^parts elements, or is half of one of 64 bits. */
#ifndef ZL_EMIT_FUNCTION_CONVERT_H
#define ZL_EMIT_FUNCTION_CONVERT_H

#include "algebra/layout/layout.h"
#include <zlay/convert.h>

/* A step. `map` takes a slot behind a step of moves to the slot where its value was, and a slot that
 * stores or loads to its byte in shared memory. */
typedef struct zl_trip_step {
    int32_t op, generator; /* ZLAY_CONVERT_*, ZLAY_STEP_* or -1 */
    uint32_t width;        /* bytes of an access */
    bool transposed, block; /* matrices; a barrier of the block, not of a warp */
    uint64_t idle;         /* bits of slots that store which are 0 */
    uint32_t words;        /* bits of the words behind the step; of a store before it */
    zl_affine map;
} zl_trip_step;

enum { ZL_TRIP_STEPS = 16 };

typedef struct zl_trip_text {
    uint32_t parts, words, lanes, warps; /* bits; words: the most of any step */
    uint32_t from, to;                   /* bits of the words before and behind */
    uint64_t smem;
    uint32_t count;
    zl_trip_step step[ZL_TRIP_STEPS];
} zl_trip_text;

/* Reads a plan: ENOTSUP where no function has its steps. */
zlay_status zl_trip_text_of(zlay_ctx *ctx, zl_trip_text *out, const zlay_convert *plan);

#endif
