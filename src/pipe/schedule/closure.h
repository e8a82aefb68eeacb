/* SPDX-License-Identifier: Apache-2.0 */
/* Difference constraints start(b) - start(a) >= w, closed: at[a][b] is the greatest w that follows
 * from all of them, a longest path. Every change is on a trail and can be undone. */
#ifndef ZL_PIPE_SCHEDULE_CLOSURE_H
#define ZL_PIPE_SCHEDULE_CLOSURE_H

#include "base/base.h"

/* No path; sums of few are still below every real one. */
#define ZL_UNRELATED (-((int64_t)1 << 61))

typedef struct zl_closure_step {
    uint32_t at;
    int64_t before;
} zl_closure_step;

typedef struct zl_closure {
    zlay_ctx *ctx;
    uint32_t n, more; /* nodes; numbers behind the matrix that are on the trail too */
    int64_t *at;
    zl_closure_step *step;
    size_t steps, room;
    bool no_memory;
} zl_closure;

/* Nothing is related; the numbers behind the matrix are 0. */
zlay_status zl_closure_new(zl_closure *out, zlay_ctx *ctx, uint32_t n, uint32_t more);

/* A constraint before zl_closure_close, which closes all; false: a cycle is positive. */
void zl_closure_give(zl_closure *r, uint32_t a, uint32_t b, int64_t w);
bool zl_closure_close(zl_closure *r);

/* A constraint more, of closed ones; false: a cycle is positive, or no memory. */
bool zl_relate(zl_closure *r, uint32_t a, uint32_t b, int64_t w);

/* Write a number behind the matrix. */
bool zl_closure_set(zl_closure *r, uint32_t i, int64_t number);

void zl_closure_undo(zl_closure *r, size_t steps);

static inline int64_t zl_related(const zl_closure *r, uint32_t a, uint32_t b)
{
    return r->at[(size_t)a * r->n + b];
}

#endif
