/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the proof; docs/pipe.md, "What is proved". */
#ifndef ZL_VERIFY_H
#define ZL_VERIFY_H

#include "pipe/trace.h"

#define ZL_NODES 64
#define ZL_FAR (INT32_MAX / 4) /* no path */

/* A class of event instances, one an index q of its ring. */
typedef enum zl_node_kind {
    ZL_NODE_PHASE,  /* the phase of index q of a barrier is complete */
    ZL_NODE_WAIT,   /* a wait for index q, or with `flip` for index q - stages, is over */
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
    int32_t role;     /* -1: PHASE */
    int32_t object;   /* barrier, or smem of the last four */
    int32_t flip;     /* WAIT */
    int32_t scope;    /* ARRIVE: the weakest of its events; WROTE..DONE: who may publish it */
    uint32_t line;    /* of its first event */
    bool async;       /* READ, DONE: by the async proxy; WRITE: a copy */
    int32_t bar;      /* WRITE by copy: the barrier that it signals */
    int32_t *first, *last, *synced; /* per q in the trace at hand, -1 absent; synced: after a sync of the role */
} zl_node;

typedef struct zl_order {
    zl_node nodes[ZL_NODES];
    uint32_t count;
    int32_t always[ZL_NODES][ZL_NODES]; /* least d such that u(q) is before v(q + d), for every q; ZL_FAR */
    int32_t via[ZL_NODES][ZL_NODES];    /* next node of the shortest path of `always` */
} zl_order;

typedef struct zl_obligation {
    int32_t rule;
    uint32_t from, last, to; /* path from .. last, then the step last -> to; last == to: the path ends there */
    int32_t bound;
    uint32_t line, other;
} zl_obligation;

/* A schedule: event `site` of position p runs at slope * p + time, after all that it cannot be without. */
typedef struct zl_site {
    uint32_t event;
    int32_t time;
    int32_t from; /* the site that set the time last; -1 */
} zl_site;

typedef struct zl_verify {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    zl_shape shape;
    zl_order order;
    zlay_pipe_reason *reasons;
    size_t room, count;
    uint32_t undecided; /* a line, 0: none */
    int64_t q_end;      /* positions of the trace at hand */
    zl_trace *traces;   /* one a role */
    int32_t *memory;    /* of the nodes' arrays */
    size_t memory_room;
    zl_obligation *obligations;
    uint32_t obligations_count, obligations_room;
    zl_site *sites;
    uint32_t sites_count, sites_room;
    int32_t slope;
} zl_verify;

void zl_report(zl_verify *v, int32_t rule, uint32_t line, uint32_t other, int64_t found, int64_t wanted);

/* Who arrives: how many of the role's threads an event of this scope stands for, all instances together. */
int64_t zl_weight(const zl_role *role, int32_t scope);
uint32_t zl_threads(const zl_role *role); /* of one instance that run the role's text */

/* The step at which what began at `at` is over: groups of wgmma, cp.async and bulk stores; -1 never. */
int32_t zl_done_at(const zl_trace *trace, uint32_t at);
int32_t zl_next_at(const zl_trace *trace, int32_t from, zl_event_kind kind, int32_t scope);

/* What one role can break by itself. */
void zl_check_setup(zl_verify *v);
void zl_check_static(zl_verify *v, const zl_role *role);
void zl_check_role(zl_verify *v, int32_t role);

/* Sums of every index: arrivals, bytes, stages filled and read. */
void zl_check_sums(zl_verify *v);

/* The classes and their order. */
zlay_status zl_order_fill(zl_verify *v);
void zl_order_observe(zl_verify *v);
zlay_status zl_order_check(zl_verify *v);
int32_t zl_step_weight(const zl_verify *v, uint32_t from, uint32_t to);

/* Progress: a schedule, or the cycle of waits that has none. */
zlay_status zl_progress_check(zl_verify *v);

bool zl_smem_is_private(const zlay_pipe *pipe, int32_t smem);

void zl_proof_write(zl_text *out, const void *verify);

#endif
