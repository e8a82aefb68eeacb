/* SPDX-License-Identifier: Apache-2.0 */
/* Difference constraints start(b) - start(a) >= w, closed: at[a][b] is the greatest w that follows
 * from all of them, a longest path. Every change is on a trail and can be undone. */
#ifndef ZL_PIPE_SCHEDULE_RELATION_H
#define ZL_PIPE_SCHEDULE_RELATION_H

#include "base/base.h"

/* No path; sums of few are still below every real one. */
#define ZL_UNRELATED (-((int64_t)1 << 61))

typedef struct zl_relation_step {
    uint32_t at;
    int64_t before;
} zl_relation_step;

typedef struct zl_relation {
    zlay_ctx *ctx;
    uint32_t n, more; /* nodes; numbers behind the matrix that are on the trail too */
    int64_t *at;
    zl_relation_step *step;
    size_t steps, room;
    bool no_memory;
} zl_relation;

/* Nothing is related; the numbers behind the matrix are 0. */
zlay_status zl_relation_new(zl_relation *out, zlay_ctx *ctx, uint32_t n, uint32_t more);

/* A constraint before zl_relation_close, which closes all; false: a cycle is positive. */
void zl_relation_give(zl_relation *r, uint32_t a, uint32_t b, int64_t w);
bool zl_relation_close(zl_relation *r);

/* A constraint more, of closed ones; false: a cycle is positive, or no memory. */
bool zl_relate(zl_relation *r, uint32_t a, uint32_t b, int64_t w);

/* Write a number behind the matrix. */
bool zl_relation_set(zl_relation *r, uint32_t i, int64_t number);

void zl_relation_undo(zl_relation *r, size_t steps);

static inline int64_t zl_related(const zl_relation *r, uint32_t a, uint32_t b)
{
    return r->at[(size_t)a * r->n + b];
}

#endif
