/* SPDX-License-Identifier: Apache-2.0 */
/* The order proof's view of one role: its steps for given trip counts (zl_trace), the form of
 * its loops (zl_loop_shape), and the small model, a finite set of trip counts that stands for all.
 * The argument for the small model: an event at position p (tile t, step p - t*N of it) names
 * indices p + c, and its work is waited for at most as many positions later as groups may stay
 * in flight. `window` exceeds both, so two events farther apart than the window cannot affect
 * each other. Tiles begin N positions apart, so an N above the window shows at most one tile
 * boundary between two such events, as N = window + 1 already does. A dependence that ties an
 * event to both ends of its tile has length N: N = 2 * window + 3 shows it out of the window,
 * where it stays for every greater N. */
#ifndef ZL_TRACE_H
#define ZL_TRACE_H

#include "pipe/language/pipe.h"

/* One event of a role at given loop counters. */
typedef struct zl_trace_step {
    const zl_event *event;
    int64_t bar_q; /* value of bar_at */
    int64_t q[2];  /* of at[] */
    int32_t done;  /* the step at which what begins here is over: a wait for its group, or this one;
                      -1 never */
    int32_t fence; /* the next proxy fence, -1 none */
    int32_t sync;  /* the next sync of the role */
    int32_t warp;  /* the next step that all lanes of a warp take together */
    int32_t group; /* commits before it */
} zl_trace_step;

/* All steps of a role, in program order. */
typedef struct zl_trace {
    zl_trace_step *steps;
    uint32_t count, room;
} zl_trace;

/* The loop form that all roles of a pipe share. */
typedef struct zl_loop_shape {
    int32_t inner;    /* param of positions: N of t*N + k, or the bound of a lone loop; -1 none */
    int32_t outer;    /* param of tiles; -1: loops over positions stand alone */
    int64_t window;
    const zl_event *unfit; /* the first loop of a form that the proof does not cover; NULL: none */
    const zl_event *
        loose; /* the first event whose index is not its position plus a constant, or loop that does
                * not end with its tile: what is wrong is found, but nothing proved; NULL: none */
} zl_loop_shape;

enum { ZL_WINDOW = 256 }; /* a wider one is not decided */

/* Where an event stands: before the loop of tiles, in a tile before, in and behind its loop of
 * positions, behind all. */
typedef enum zl_section { ZL_BEFORE, ZL_PRE, ZL_LOOP, ZL_POST, ZL_AFTER } zl_section;

void zl_shape_of(zl_loop_shape *shape, const zlay_pipe *pipe);

/* The section of what follows events[begin .. i). */
zl_section zl_section_at(const zlay_pipe *pipe, const zl_loop_shape *shape, const zl_role *role,
                         uint32_t i);

/* An index is position + add + ends * N; false when it is none. */
bool zl_place(const zl_loop_shape *shape, zl_section section, const zl_pos *pos, int64_t *add,
              int64_t *ends);

/* Trip counts of the small model: the i-th pair; false past the end. */
bool zl_shape_trips(const zl_loop_shape *shape, const zlay_pipe *pipe, uint32_t i, int64_t *outer,
                    int64_t *inner);

/* Writes all steps of a role into a trace. A trace that held another role's steps keeps its memory
 * (zl_scratch), which grows by half where it is too small. */
zlay_status zl_trace_make(zlay_ctx *ctx, zl_trace *out, const zlay_pipe *pipe,
                          const zl_loop_shape *shape, const zl_role *role, int64_t outer,
                          int64_t inner);

#endif
