/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the proof by order. A class is a set of event instances, one for each index of a
 * ring; between classes stand weights ("u(q) happens before v(q + d)"), and each rule becomes an
 * obligation on a shortest path. Sites are the events of the schedule that proves progress.
 * docs/internals/proof.md, "What is proved", has the argument. */
#ifndef ZL_VERIFY_H
#define ZL_VERIFY_H

#include "pipe/runs/trace.h"

#define ZL_NODES 64
#define ZL_USES 4              /* classes that one event belongs to */
#define ZL_FAR (INT32_MAX / 4) /* no path */

/* A class of event instances, one an index q of its ring. */
typedef enum zl_node_kind {
    ZL_NODE_PHASE,  /* the phase of index q of a barrier is complete */
    ZL_NODE_WAIT,   /* in a thread: its wait for index q, or with `variant` for index q - stages, is
                       over */
    ZL_NODE_PASSED, /* in every thread of the role */
    ZL_NODE_ARRIVE,
    ZL_NODE_EXPECT,
    ZL_NODE_ISSUE,  /* a copy that signals the barrier is issued */
    ZL_NODE_WRITE,  /* a stage begins to be written */
    ZL_NODE_WROTE,  /* generic writes of a stage are done, seen by the writing thread */
    ZL_NODE_FENCED, /* and by the async proxy */
    ZL_NODE_READ,   /* a stage begins to be read */
    ZL_NODE_DONE    /* and is no longer read */
} zl_node_kind;

typedef struct zl_node {
    zl_node_kind kind;
    int32_t role;    /* -1: PHASE */
    int32_t object;  /* barrier, or smem from WRITE on */
    int32_t variant; /* WAIT, PASSED: as above; WRITE, READ, DONE: 1 by the async proxy */
    int32_t scope;   /* ARRIVE: the fewest threads of its events */
    uint32_t line;   /* of its first event */
    int32_t bar;     /* WRITE by copy: the barrier that it signals */
    bool total;      /* has an instance at every index */
    int32_t *first, *last; /* per q in the trace at hand, -1 absent: its first step, and when the
                              last is over */
    int32_t *reach;         /* per step: the greatest index begun by then */
} zl_node;

/* A class that an event belongs to, by a row of order.c; -1 none. */
typedef struct zl_use {
    int8_t node, row;
} zl_use;

typedef struct zl_proof_order {
    zl_node nodes[ZL_NODES];
    uint32_t count;
    bool full; /* a class had no room */
    int32_t within[ZL_NODES][ZL_NODES]; /* one role: least d >= 0 such that u(q) is before v(q + d)
                                           for every q */
    int32_t via[ZL_NODES][ZL_NODES];    /* next node of the shortest path */
} zl_proof_order;

enum { ZL_OBLIGATIONS = 256 };
typedef struct zl_obligation {
    int32_t rule;
    uint32_t from, last, to; /* path from .. last; with `step` one more edge, last -> to */
    int32_t bound;
    bool step;
} zl_obligation;

/* A schedule: event `site` of position p runs at slope * p + time, after all that it cannot be
 * without. */
typedef struct zl_site {
    int32_t event;   /* -1: where a section begins */
    int32_t role;
    zl_section section;
    int64_t time;
    int32_t from;    /* the site that set the time last; -1 */
} zl_site;

typedef struct zl_verify {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    zl_loop_shape shape;
    zl_proof_order order;
    zlay_pipe_reason *reasons;
    size_t room, count;
    uint32_t undecided;  /* a line, 0: none */
    const char *because;
    bool by_runs;        /* decided by runs, not by order */
    int64_t q_end;       /* positions of the trace at hand */
    zl_trace *traces;    /* one a role */
    zl_use (*uses)[ZL_USES]; /* per event, in the order of the rows of order.c */
    int8_t *own;         /* per smem: written and read by one instance of a role */
    zl_obligation obligations[ZL_OBLIGATIONS];
    uint32_t obligations_count;
    zl_site *sites;
    uint32_t sites_count;
    int64_t slope;
} zl_verify;

void zl_report(zl_verify *v, int32_t rule, uint32_t line, uint32_t other, int64_t found,
               int64_t wanted);
void zl_undecided(zl_verify *v, uint32_t line, const char *because);

/* How many arrivals an event of this scope makes, in all instances of the role together. */
int64_t zl_weight(const zl_role *role, int32_t scope);
bool zl_is_single(const zl_role *role); /* one thread runs an instance's text */
static inline bool zl_is_write(const zl_event *e)
{
    return e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE;
}

/* Whole turns of the ring by which a wait's parity names an earlier phase than its slot's own: 0
 * or 1. */
int32_t zl_turned(const zlay_pipe *pipe, const zl_event *wait);

/* Undecided unless every role sets its registers at most once, before all else, and the block has
 * enough for all. */
void zl_check_registers(zl_verify *v);

/* Checks what one role can break by itself. */
void zl_check_form(zl_verify *v);
void zl_check_role(zl_verify *v, int32_t role);

/* Sums of every index: arrivals, bytes, stages filled and drained. */
zlay_status zl_check_sums(zl_verify *v);
/* Some role reads each stage that is filled. */
void zl_check_taken(zl_verify *v);

/* The classes, and their order as one trace shows it. */
void zl_order_begin(zl_verify *v);
zlay_status zl_order_observe(zl_verify *v);

/* Shortest paths over the classes, and what must hold of them. */
zlay_status zl_order_check(zl_verify *v);
int32_t zl_order_step(const zl_verify *v, uint32_t from, uint32_t to);

/* Progress: a schedule, or where the roles get stuck. */
zlay_status zl_progress_check(zl_verify *v);
zlay_status zl_stuck_check(zl_verify *v);

/* Traces of all roles for these trip counts. */
zlay_status zl_traces_make(zl_verify *v, int64_t outer, int64_t inner);

void zl_proof_write(zl_text *out, const void *verify);

/* zlay_pipe_verify inside a call, which zl_verify_leave ends: a call that a limit ended is
 * UNDECIDED and has no reasons. */
zlay_status zl_verify_pipe(zlay_ctx *ctx, zlay_answer *answer, zlay_pipe_reason *reasons,
                           size_t room, size_t *count, zlay_buf *proof, const zlay_pipe *pipe);
zlay_status zl_verify_leave(zlay_ctx *ctx, zlay_status status, zlay_answer *answer, size_t *count);

/* zlay_pipe_verify as a part of a call (zl_enter_part). */
zlay_status zl_verify_part(zlay_ctx *ctx, zlay_answer *answer, zlay_pipe_reason *reasons,
                           size_t room, size_t *count, zlay_buf *proof, const zlay_pipe *pipe);

/* NONE, with rule and line, where a pipe is not correct; ELIMIT where that is not decided. */
zlay_status zl_verify_yes(zlay_ctx *ctx, const zlay_pipe *pipe);

/* The pipe of a plan, from the text that `write` prints, proved; yours also where that fails. */
zlay_status zl_pipe_proved(zlay_ctx *ctx, zlay_pipe **out, zl_writer *write, const void *value);

#endif
