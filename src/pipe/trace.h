/* SPDX-License-Identifier: Apache-2.0 */
/* What a role does, step by step, for given trip counts; and the small model of trip counts that stands for all.
 *
 * Positions are linear: t*N + k. The order of two events whose positions differ by at most `window` depends only on where
 * tiles begin within `window` of them. Tiles begin N apart, so an N above the window shows at most one beginning, as
 * N = window + 1 does already: the N up to there, with enough tiles, show every order that any N shows. */
#ifndef ZL_TRACE_H
#define ZL_TRACE_H

#include "pipe/pipe.h"

typedef struct zl_step {
    const zl_event *event;
    int64_t bar_q; /* value of bar_at */
    int64_t q[2];  /* of at[] */
} zl_step;

typedef struct zl_trace {
    zl_step *steps;
    uint32_t count, room;
} zl_trace;

/* Which params are what, and how far events reach. */
typedef struct zl_shape {
    int32_t inner;    /* param of positions: N of t*N + k, or the bound of a lone loop */
    int32_t outer;    /* param of tiles; -1: loops over positions stand alone */
    int64_t window;   /* largest distance of two positions that one body names */
    uint32_t stages;  /* most of any ring */
    const zl_event *unfit; /* an event of a form that the proof does not cover; NULL: none */
} zl_shape;

void zl_shape_of(zl_shape *shape, const zlay_pipe *pipe);

/* Trip counts of the small model: the i-th pair; false past the end. */
bool zl_shape_trips(const zl_shape *shape, const zlay_pipe *pipe, uint32_t i, int64_t *outer, int64_t *inner);

/* All steps of a role. The trace is the caller's: zl_trace_free. */
zlay_status zl_trace_make(zlay_ctx *ctx, zl_trace *out, const zlay_pipe *pipe, const zl_shape *shape,
                          const zl_role *role, int64_t outer, int64_t inner);
void zl_trace_free(zlay_ctx *ctx, zl_trace *trace);

#endif
