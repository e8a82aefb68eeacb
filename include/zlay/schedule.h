/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/schedule.h - modulo schedules: when each operation of a loop starts, so that a
 *  new iteration begins every `ii` cycles, the fewest that are possible.
 *
 *  By hand.  A loop loads a tile (unit `copy`, 4 cycles, the tile is there after 10),
 *  multiplies it (unit `tensor`, 6 cycles, 8 to the result) and adds the result to a
 *  sum (unit `alu`, 3 cycles, 3), which the next iteration adds to.  The tensor unit
 *  is taken for 6 cycles by each iteration, so ii is at least 6; the sum's recurrence
 *  wants 3 cycles for a distance of 1.  With ii = 6 the starts 0, 10 and 18 will do:
 *
 *      cycle   0     6     12    18    24
 *      copy    AAAA  BBBB  CCCC  DDDD  EEEE
 *      tensor            AAAAAABBBBBBCCCCCC
 *      alu                       AAA   BBB
 *
 *  The last start, 18, lies in the fourth interval: 4 stages.  The tile of A lives from
 *  its load at 0 to the end of its product at 16, 16 cycles, so ceil(16 / 6) = 3 buffers
 *  are filled in turn.
 *
 *  What a schedule is.  Operation i of iteration k starts at start(i) + k ii, start(i) >= 0.
 *   - Units: an operation is in flight on its unit for `cycles` from its start.  At each
 *     cycle modulo ii the operations in flight are at most the unit's count; one of more
 *     than ii cycles counts once for each iteration that overlaps.
 *   - Edges: start(to) + distance ii >= start(from) + latency.
 *   - Values: a value is live from the start of `def` until `def` and every use have left
 *     their units: a use u ends at start(u) + distance ii + cycles(u), with the greatest
 *     distance of the edges from def to u, or 0 without one.  A unit reads its operands
 *     while the operation is in flight on it, so the buffer may be filled again then,
 *     though the result of the use may take longer.  The value has ceil(live / ii) buffers,
 *     at least one, and the buffers of all values of a space are at most its capacity.
 *     Registers are such a space.
 *   - Copies: `copies` bodies are interleaved in one interval.  They share units and
 *     capacities; each has edges and values of its own.
 *  The least ii counts first, then the least stages = floor(max start / ii) + 1.
 *  docs/schedule.md says how it is found and what is proved.
 */
#ifndef ZLAY_SCHEDULE_H
#define ZLAY_SCHEDULE_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The most operations of all copies, edges of one body, and values of one body. */
enum { ZLAY_SCHEDULE_OPS = 256, ZLAY_SCHEDULE_EDGES = 4096, ZLAY_SCHEDULE_VALUES = 256 };

/** An operation of the body. */
typedef struct zlay_schedule_op {
    const char *name;  /* ends with 0; no two operations have the same */
    uint32_t unit;     /* number of a unit of the request */
    uint32_t reserved; /* 0 */
    uint64_t cycles;   /* that it is in flight on the unit; 0: it takes no unit */
    int64_t latency;   /* of its edges that have none of their own */
} zlay_schedule_op;

/** A dependence: start(to) + distance ii >= start(from) + latency. */
typedef struct zlay_schedule_edge {
    uint32_t from, to;  /* numbers of operations */
    uint64_t distance;  /* iterations from `from` to `to` */
    int64_t latency;    /* may be negative */
    uint32_t latency_of_op; /* 1: the latency is that of `from`, and `latency` is 0 */
    uint32_t reserved;      /* 0 */
} zlay_schedule_edge;

/** Units of one kind. */
typedef struct zlay_schedule_unit {
    const char *name;
    uint64_t count; /* operations that may be in flight at a time */
} zlay_schedule_unit;

/** Where values live: shared memory, registers, tensor memory. */
typedef struct zlay_schedule_space {
    const char *name;
    uint64_t bytes; /* its capacity */
} zlay_schedule_space;

/** A value: one buffer of it is filled by `def` in each iteration. */
typedef struct zlay_schedule_value {
    uint32_t def;         /* number of an operation */
    uint32_t space;       /* number of a space */
    const uint32_t *uses; /* numbers of operations; NULL where use_count is 0 */
    uint64_t use_count;   /* at most ZLAY_SCHEDULE_EDGES */
    uint64_t bytes;       /* of one buffer */
} zlay_schedule_value;

/** A loop body and what it runs on; counts may be 0, their pointers then NULL. */
typedef struct zlay_schedule_request {
    uint32_t size;   /* sizeof(zlay_schedule_request) */
    uint32_t copies; /* bodies interleaved; 0: 1 */
    const zlay_schedule_op *op;
    const zlay_schedule_edge *edge;
    const zlay_schedule_unit *unit;
    const zlay_schedule_value *value;
    const zlay_schedule_space *space;
    uint32_t ops, edges, units, values, spaces;
    uint32_t reserved32;  /* 0 */
    uint64_t reserved[4]; /* 0 */
} zlay_schedule_request;

/** A schedule; immutable, read by any thread. */
typedef struct zlay_schedule zlay_schedule;

/** What a schedule is. */
typedef struct zlay_schedule_summary {
    uint64_t ii;           /* cycles from an iteration to the next; of no ops 1 */
    uint64_t stages;       /* of no ops 0 */
    uint64_t bound;        /* no schedule has a smaller ii: proved */
    uint64_t unit_bound;   /* of `bound`, what the units alone want */
    uint64_t cycle_bound;  /* and what the cycles of edges alone want */
    uint64_t stages_bound; /* no schedule of this ii has fewer stages: proved */
    uint64_t points;       /* of limits.points; four pairs of operations each */
    uint32_t optimal;      /* 1: ii is bound, and stages is stages_bound */
    uint32_t ops, values, copies;
    uint64_t reserved[4];  /* 0 */
} zlay_schedule_summary;

/** Why there is no schedule. */
enum {
    ZLAY_SCHEDULE_CYCLE = 1, /* edges of distance 0 make a cycle of positive latency */
    ZLAY_SCHEDULE_UNIT,      /* a unit of count 0 is used */
    ZLAY_SCHEDULE_CAPACITY,  /* the values of a space do not fit, whatever ii is */
    ZLAY_SCHEDULE_RIGID      /* edges fix operations of units at the same time, in every ii */
};

/** The witness that there is none. */
typedef struct zlay_schedule_reason {
    int32_t reason;      /* ZLAY_SCHEDULE_CYCLE .. ZLAY_SCHEDULE_RIGID; 0: there is a schedule */
    uint32_t unit;       /* of UNIT: its number; of RIGID: that of one whose operations do not
                            fit by themselves; UINT32_MAX: it takes several, or
                            is not decided */
    uint32_t space;      /* of CAPACITY: its number */
    uint32_t count;      /* of CYCLE: how many edges `edge` has */
    uint64_t least;      /* of CAPACITY: the least that will do, the other spaces as they
                            are; 0: not known, or no capacity of this space alone will do */
    int64_t latency;     /* of CYCLE: the sum */
    uint32_t edge[ZLAY_SCHEDULE_OPS]; /* of CYCLE: numbers of edges, each from where the last
                                         one leads, the first from where the last leads */
    uint64_t reserved[2]; /* 0 */
} zlay_schedule_reason;

/** What a schedule breaks. */
enum {
    ZLAY_SCHEDULE_FAULT_EDGE = 1, /* an edge: `edge`, `copy` */
    ZLAY_SCHEDULE_FAULT_UNIT,     /* a unit at a cycle modulo ii: `unit`, `at` */
    ZLAY_SCHEDULE_FAULT_SPACE     /* the capacity of a space: `space` */
};

/** The first fault: the numbers that it needs, the others 0. */
typedef struct zlay_schedule_fault {
    int32_t fault; /* ZLAY_SCHEDULE_FAULT_EDGE .. _SPACE; 0: none */
    uint32_t edge, copy, unit, space, reserved;
    uint64_t at;             /* cycle modulo ii */
    int64_t found, wanted;   /* start(to) + distance ii - start(from) and the latency; in flight
                                and count; bytes and capacity */
} zlay_schedule_fault;

/** Find the schedule of least ii, and of those one of least stages.  The starts are decided
 *  once more, as zlay_schedule_check decides them, before the call returns.
 *
 *  Returns: ZLAY_OK, also where limits.points ended the search and `optimal` is 0;
 *           ZLAY_NONE proved that there is none, *why has the witness; ZLAY_EINVAL the
 *           message names the field: an unknown unit, two equal names, a name of a copy
 *           (NAME.1) that is another operation's; ZLAY_EOVERFLOW cycles, latencies and
 *           distances whose sums may pass 2^60; ZLAY_ENOTSUP more operations, edges or
 *           values than the numbers above; ZLAY_ELIMIT a limit ended the search before a
 *           schedule was found; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_schedule_free.
 *           why  of NONE the witness, else zeros; may be NULL.
 *  In:      request  borrowed, not kept.
 */
ZLAY_API zlay_status zlay_schedule_synth(zlay_ctx *ctx, zlay_schedule **out,
                                         zlay_schedule_reason *why,
                                         const zlay_schedule_request *request);

/** Decide whether starts, of any origin, are a schedule of this ii.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL also for ii 0 or a negative start; ZLAY_EOVERFLOW;
 *           ZLAY_ENOMEM.
 *  Out:     answer  ZLAY_YES or ZLAY_NO, never UNDECIDED.
 *           fault   of NO the first fault, else zeros; may be NULL.
 *  In:      start  one a copy and operation: start[copy * ops + op].
 */
ZLAY_API zlay_status zlay_schedule_check(zlay_ctx *ctx, zlay_answer *answer,
                                         zlay_schedule_fault *fault,
                                         const zlay_schedule_request *request, uint64_t ii,
                                         const int64_t *start);

/** Read what a schedule is.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_schedule_info(zlay_schedule_summary *out,
                                        const zlay_schedule *schedule);

/** The start of an operation of a copy, both from 0.
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_schedule_start_nth(int64_t *out, const zlay_schedule *schedule,
                                             uint32_t copy, uint32_t op);

/** How many buffers a value of a copy has.
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_schedule_depth_nth(uint64_t *out, const zlay_schedule *schedule,
                                             uint32_t copy, uint32_t value);

/** Free a schedule; NULL is allowed. */
ZLAY_API void zlay_schedule_free(zlay_schedule *schedule);

#ifdef __cplusplus
}
#endif
#endif
