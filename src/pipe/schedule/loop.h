/* SPDX-License-Identifier: Apache-2.0 */
/* A request of a schedule, read: nodes are the operations of all copies, edges have their
 * latencies, and each value has its uses with their distances. */
#ifndef ZL_PIPE_SCHEDULE_LOOP_H
#define ZL_PIPE_SCHEDULE_LOOP_H

#include "base/base.h"
#include <zlay/schedule.h>

typedef struct zl_loop_edge {
    uint32_t from, to; /* operations */
    int64_t distance, latency;
} zl_loop_edge;

/* One of what a value waits for until its buffer is free: start(op) + distance ii + cycles(op). */
typedef struct zl_loop_use {
    uint32_t value, op;
    int64_t distance;
} zl_loop_use;

typedef struct zl_looped {
    zlay_ctx *ctx;
    const zlay_schedule_request *request;
    uint32_t ops, copies, nodes, edges, uses; /* nodes: copies x ops, a copy after the other */
    const zl_loop_edge *edge;                 /* of one body */
    const zl_loop_use *use;    /* of one body, by value; the first of each is its def */
    const uint32_t *component; /* of an operation: the first that is bound to it both ways */
    const uint64_t *capacity;  /* of each space */
    int64_t most;              /* where no schedule has this ii, none has a greater one */
    int64_t reach;             /* starts of one body need not pass reach + reach_rounds ii */
    int64_t reach_rounds;
    bool monotone;   /* no latency is negative: what fits ii fits each greater one */
    uint64_t pairs;  /* of operations, examined so far */
} zl_looped;

/* The pairs that limits.points lets all questions examine together: four to a point. */
enum { ZL_POINT_PAIRS = 4 };
static inline uint64_t zl_loop_limit(const zl_looped *l) { return ZL_POINT_PAIRS * zl_limits(l->ctx)->points; }

/* Read and check a request, into working memory of the call. */
zlay_status zl_loop_read(zl_looped *out, zlay_ctx *ctx, const zlay_schedule_request *request);

static inline const zlay_schedule_op *zl_loop_op(const zl_looped *l, uint32_t node)
{
    return &l->request->op[node % l->ops];
}

static inline int64_t zl_loop_cycles(const zl_looped *l, uint32_t node)
{
    return (int64_t)zl_loop_op(l, node)->cycles;
}

/* The buffers of bytes of a value, cut to what a sum of all values holds. */
static inline zl_u128 zl_loop_bytes(uint64_t bytes, int64_t depth)
{
    const zl_u128 most = (zl_u128)1 << 108;
    zl_u128 taken = (zl_u128)bytes * (uint64_t)depth;
    return taken < most ? taken : most;
}

/* How many buffers a value of a copy has: its uses, or those within its component alone. */
int64_t zl_loop_depth(const zl_looped *l, int64_t ii, const int64_t *start, uint32_t copy,
                      uint32_t first_use, bool within);

/* Whether starts are a schedule; the first fault. */
bool zl_loop_holds(const zl_looped *l, int64_t ii, const int64_t *start,
                   zlay_schedule_fault *fault);

#endif
