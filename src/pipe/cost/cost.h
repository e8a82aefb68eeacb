/* SPDX-License-Identifier: Apache-2.0 */
/* A run with a clock. Times are in thousandths of a cycle of the processor. */
#ifndef ZL_PIPE_COST_H
#define ZL_PIPE_COST_H

#include "pipe/runs/retrace.h"
#include "pipe/runs/timed.h"
#include <zlay/pipe_cost.h>

enum { ZL_COST_MILLI = 1000, ZL_COST_GROUPS = 64 /* of a kind, whose times are kept */ };

#define ZL_COST_CYCLES ((int64_t)1 << 40) /* the longest latency */
#define ZL_COST_TIME (INT64_MAX / 4)      /* the latest time, in thousandths */

/* A unit of one block: when it has served all that was asked, and how long it has served. */
typedef struct zl_unit {
    int64_t free, busy;
} zl_unit;

/* An mbarrier slot, or a place where threads meet: the time of what has come to the phase at hand,
 * and of the last two complete ones. */
typedef struct zl_gathering {
    int64_t sum, done[2];
    int32_t phase;
} zl_gathering;

/* What an instance has under way. */
typedef struct zl_under_way {
    int64_t open[ZL_GROUPS];                 /* when the open group is over */
    int64_t over[ZL_GROUPS][ZL_COST_GROUPS]; /* closed ones, by number */
    int32_t generation;                      /* of the meeting that it waits for */
    int32_t joined;                          /* of the cluster's meeting, where it has arrived */
} zl_under_way;

/* Warp instructions of a body, by op, of one warp. */
typedef struct zl_body_count {
    int64_t of[ZLAY_MACHINE_OPS];
} zl_body_count;

typedef struct zl_cost {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    const zlay_pipe_cost_request *ask;
    zl_retrace again;
    zl_timed timed;
    zl_unit *units; /* blocks x kinds */
    zl_gathering *slots, *meetings;
    int64_t *flags;      /* of others: the last raise */
    zl_under_way *under; /* per instance */
    int64_t *ready;      /* instances x accs: when the registers have their values */
    uint32_t *elements;  /* per acc: that a thread has; 0: not known */
    uint32_t *rows;
    zl_body_count *counts; /* per event of a use, made when it runs first */
    bool *counted;
    int64_t last;        /* the latest time of all */
    uint64_t facts, ops; /* used and not measured */
    zlay_status status;  /* the first failure */
} zl_cost;

/* zlay_pipe_cycles inside a call, of a request that is whole. */
zlay_status zl_pipe_cycles(zlay_ctx *ctx, zlay_pipe_cost *out, const zlay_pipe *pipe,
                           const zlay_pipe_cost_request *ask);

/* ---- the machine: a number that is not there ends the run ---------------- */

int64_t zl_cost_fact(zl_cost *c, int32_t fact);
int64_t zl_cost_latency(zl_cost *c, int32_t fact); /* in thousandths of a cycle */
bool zl_cost_form(zl_cost *c, zlay_machine_form *out, int32_t op, int32_t type, int32_t m,
                  int32_t n, int32_t k);
void zl_cost_fail(zl_cost *c, zlay_status status, const char *format, ...) ZL_PRINTF(3, 4);

/* Thousandths of a cycle that bytes take at a rate in bytes per 1000 cycles; rounded up. */
int64_t zl_cost_bytes(zl_cost *c, int64_t bytes, int64_t kilocycle);

/* Asks a unit of a block for `work` from a time on; when it is over. */
int64_t zl_cost_serve(zl_cost *c, int32_t block, int32_t unit, int64_t from, int64_t work);

/* The work of instructions on the units of their kind, spread over all that the processor has. */
int64_t zl_cost_work(zl_cost *c, const zlay_machine_form *form, int64_t instructions);

/* ---- products and bodies ------------------------------------------------- */

/* The entry of a product's sums; NULL and a failure: there is none. */
const zlay_pipe_product *zl_cost_product(zl_cost *c, const zl_event *e);

/* Finds how many elements of each name of registers a thread has. */
void zl_cost_elements(zl_cost *c);

/* Instructions of the body of a use. */
void zl_cost_body(zl_cost *c, zl_body_count *out, const zl_event *e);

/* ---- events ---------------------------------------------------------------- */

/* Sets the time of an instance's next event, behind one that has run. */
void zl_cost_event(zl_cost *c, zl_run *r, const zl_instance *i);
/* Notes when an instance came to an event at which it waits. */
void zl_cost_tried(zl_run *r, const zl_instance *i);

#endif
