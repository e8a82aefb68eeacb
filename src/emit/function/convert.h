/* SPDX-License-Identifier: Apache-2.0 */
/* A conversion's plan as a function prints it. A slot is (part, word, lane, warp), the part lowest: a
 * word is a register of 32 bits and has 2^parts elements, or is half of one of 64 bits. */
#ifndef ZL_EMIT_FUNCTION_CONVERT_H
#define ZL_EMIT_FUNCTION_CONVERT_H

#include "algebra/layout/layout.h"
#include "emit/ptx/rank.h"
#include <zlay/convert.h>

/* Who waits at a barrier. */
typedef enum zl_trip_meeting { ZL_MEETS_WARP, ZL_MEETS_BLOCK, ZL_MEETS_CLUSTER } zl_trip_meeting;

/* A step. `map` takes a slot behind a step of moves to the slot where its value was, and a slot that
 * stores or loads to its byte in shared memory, with the block's rank above ZL_RANK. */
typedef struct zl_trip_step {
    int32_t op, generator; /* ZLAY_CONVERT_*, ZLAY_STEP_* or -1 */
    uint32_t width;        /* bytes of an access */
    bool transposed;       /* matrices */
    zl_trip_meeting meeting;
    uint64_t idle;         /* bits that are 0 in slots that store or load */
    uint32_t words;        /* bits of the words behind the step; of a store before it */
    zl_affine map;
} zl_trip_step;

enum { ZL_TRIP_STEPS = 16 };

typedef struct zl_trip_text {
    uint32_t parts, words, lanes, warps, blocks; /* bits; words: the most of any step */
    uint32_t from, to;                   /* bits of the words before and behind */
    uint32_t rest;                       /* bits of the only word behind that has elements; 0: all */
    uint64_t smem;
    uint32_t pieces;                     /* trips through shared memory */
    uint32_t count;
    zl_trip_step step[ZL_TRIP_STEPS];
} zl_trip_text;

/* Reads a plan whose layouts are linear over F2, with at most ZL_TRIP_STEPS steps. */
void zl_trip_text_of(zl_trip_text *out, const zlay_convert *plan);

#endif
