/* SPDX-License-Identifier: Apache-2.0 */
/* A conversion's plan as a function prints it. A slot is (part, word, lane, warp), the part lowest: a
 * word is a register of 32 bits and has 2^parts elements, or is half of one of 64 bits. */
#ifndef ZL_EMIT_FUNCTION_CONVERT_H
#define ZL_EMIT_FUNCTION_CONVERT_H

#include "emit/function/layout.h"
#include "emit/ptx/rank.h"
#include <zlay/convert.h>

/* Which threads wait at a barrier. */
typedef enum zl_trip_meeting { ZL_MEETS_WARP, ZL_MEETS_BLOCK, ZL_MEETS_CLUSTER } zl_trip_meeting;

/* A word behind a step of moves or an access, as expressions of the thread's number. */
typedef struct zl_point_move {
    uint32_t word, part; /* of an access the first */
    uint32_t from;       /* the word before a move */
    bool shuffled;       /* which is in another lane */
    zl_vertex at, there; /* the byte of an access, or the lane; the condition that there is one */
    uint32_t offset;     /* behind the byte */
} zl_point_move;

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
    uint32_t count;        /* of layouts that are not linear over F2: the moves instead */
    zl_point_move *move;
} zl_trip_step;

enum { ZL_TRIP_STEPS = 16 };

typedef struct zl_trip_text {
    uint32_t parts, words, lanes, warps, blocks; /* bits; words: the most of any step */
    uint32_t from, to;                   /* words before and behind */
    uint32_t rest;                       /* bits of the last word behind that elements fill; 0: all */
    uint64_t smem;
    uint32_t pieces;                     /* trips through shared memory */
    uint32_t count;
    zl_trip_step step[ZL_TRIP_STEPS];
    bool points;              /* layouts that are not linear over F2: */
    zl_graph graph;
    uint64_t warps_all, blocks_all;
} zl_trip_text;

/* The arguments of the graph: lane, warp and block of a side, which are in its extents, and of any
 * thread that calls the function. */
enum { ZL_POINT_SIDE = 3, ZL_POINT_ANY = 6, ZL_POINT_ARGUMENTS = 9 };

/* Reads a plan: ENOTSUP where a function has not enough registers or threads. */
zlay_status zl_trip_text_of(zlay_ctx *ctx, zl_trip_text *out, const zlay_convert *plan);

/* The same of layouts that are not linear over F2, where the extents and steps are read. */
zlay_status zl_points_text_of(zlay_ctx *ctx, zl_trip_text *out, const zlay_convert *plan);

#endif
