/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/pipe.h - when: barriers, bytes, phases, proxies, proved for every trip
 *  count.
 *
 *  A pipe is a program of asynchronous events.  Its text form, with a two-stage
 *  ring worked by hand, is docs/pipe.md.
 */
#ifndef ZLAY_PIPE_H
#define ZLAY_PIPE_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable pipe; read by any thread. */
typedef struct zlay_pipe zlay_pipe;

/** Read a pipe from its text.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (the message names the line), ZLAY_ELIMIT,
 *           ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_pipe_parse(zlay_ctx *ctx, zlay_pipe **out, const char *text,
                                     size_t length);

/** Print the canonical text; parse(print(x)) is x.  Returns ZLAY_OK,
 *  ZLAY_EROOM, ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_pipe_print(zlay_buf *out, const zlay_pipe *pipe);

/** Free a pipe; NULL is allowed. */
ZLAY_API void zlay_pipe_free(zlay_pipe *pipe);

/** One broken rule of a pipe. */
typedef struct zlay_pipe_reason {
    int32_t rule;      /* ZLAY_PIPE_*, below */
    uint32_t line;     /* of the text, from 1: where it breaks */
    uint32_t other;    /* the line it conflicts with, 0: none */
    uint32_t steps;    /* entries of `trace` in use */
    uint32_t trace[8]; /* lines, in an order that reaches the fault */
    int64_t found, wanted; /* bytes, arrivals or phases, where the rule counts */
} zlay_pipe_reason;

/** The closed list of rules. */
enum {
    ZLAY_PIPE_INIT = 1,   /* a barrier used before its init is visible, or initialised twice */
    ZLAY_PIPE_COUNT,      /* arrivals of a phase are not the barrier's count */
    ZLAY_PIPE_BYTES,      /* expected bytes of a phase are not those copied, or come too late */
    ZLAY_PIPE_PARITY,     /* a wait tests a parity that no proof fits */
    ZLAY_PIPE_LOST_PHASE, /* a barrier may pass a waiter by a whole phase */
    ZLAY_PIPE_OVERRUN,    /* an arrival may fall into an earlier phase than its own */
    ZLAY_PIPE_DEADLOCK,   /* a cycle of waits */
    ZLAY_PIPE_READ_BEFORE_FULL, /* a stage is read before its data is known to be there */
    ZLAY_PIPE_OVERWRITE,        /* a stage is written while a reader may still read it */
    ZLAY_PIPE_PROXY,            /* a generic write is read by the async proxy without a fence */
    ZLAY_PIPE_GROUP,      /* something in a group is used before its wait, or never committed */
    ZLAY_PIPE_FENCE,      /* wgmma without its fence, or its accumulators accessed in flight */
    ZLAY_PIPE_COLLECTIVE, /* a collective event that not all its warps reach alike */
    ZLAY_PIPE_EXIT,       /* work still in flight, or data that was not read, when a role ends */
    ZLAY_PIPE_STAGE, /* a stage not filled and drained exactly once; sums begun or used wrongly */
    ZLAY_PIPE_PEER,  /* a peer's memory or barrier used before it runs or after it may have ended */
    ZLAY_PIPE_TMEM_ALLOC,   /* allocated twice, after relinquish, by no whole warp; freed twice */
    ZLAY_PIPE_TMEM_COLUMNS, /* columns that cannot be allocated, or lie outside of what is */
    ZLAY_PIPE_TMEM_LANES,   /* lanes that the warps of the role do not reach */
    ZLAY_PIPE_TMEM_USE,     /* used before it is allocated, after it is freed, or in flight */
    ZLAY_PIPE_TMEM_LEAK,    /* not freed when the block ends */
    ZLAY_PIPE_TCGEN05,      /* ordered by no commit, or without the fences of tcgen05 */
    ZLAY_PIPE_REGISTERS,    /* setmaxnreg by no whole warpgroup, or of more than there are */
    ZLAY_PIPE_GRID,         /* global memory of the grid before, without griddep wait */
    ZLAY_PIPE_MAP           /* a tensor map changed while in use, or used without its fence */
};

/** A rule of pipes. */
typedef struct zlay_pipe_rule {
    const char *name;   /* as "lost-phase" */
    const char *text;   /* what breaks it */
    const char *source; /* who says so: sections of PTX ISA 9.1 */
} zlay_pipe_rule;

/** The name of a rule; NULL for a number that is none. */
ZLAY_API const char *zlay_pipe_rule_name(int32_t rule);

/** How many rules there are: 1 to that. */
ZLAY_API int32_t zlay_pipe_rule_count(void);

/** Read a rule.  Returns ZLAY_OK; ZLAY_NONE no such rule; ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_pipe_rule_info(zlay_pipe_rule *out, int32_t rule);

/** Decide whether a pipe is correct for every trip count its parameters allow.
 *
 *  Returns: ZLAY_OK the question is answered; ZLAY_EINVAL; ZLAY_ENOMEM.
 *  Out:     answer   ZLAY_YES; ZLAY_NO with reasons; ZLAY_UNDECIDED when the
 *                    pipe has a form that this version proves nothing about
 *                    (the message names it).
 *           reasons  the first `room`; `*count` counts all.
 *           proof    with ZLAY_YES its text: of a ring in one block barriers'
 *                    arrivals, bytes and phases as functions of the loop
 *                    counters, a schedule, and a path for every ordering used;
 *                    of other pipes ("by runs") the trip counts that were run,
 *                    after how many more all is repeated, and how many events
 *                    that are; NULL: not asked.
 */
ZLAY_API zlay_status zlay_pipe_verify(zlay_ctx *ctx, zlay_answer *answer,
                                      zlay_pipe_reason *reasons, size_t room, size_t *count,
                                      zlay_buf *proof, const zlay_pipe *pipe);

/** Print a run that ends in the fault of a pipe.
 *
 *  The first lines are the trip counts; then one a line the events, `ROLE line
 *  L COUNTER VALUE ..`, in an order in which they may happen; then the rule.  Of
 *  two events in conflict the run has all that the later one waits for, the
 *  later one, and not the other.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no run has a fault; ZLAY_ELIMIT runs do not
 *           decide it; ZLAY_EINVAL; ZLAY_EROOM; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_pipe_trace(zlay_ctx *ctx, zlay_buf *out, const zlay_pipe *pipe);

/** Check a proof again, by code that shares nothing with the verifier but the
 *  pipe.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ENOMEM.
 *  Out:     answer  ZLAY_YES; ZLAY_NO, and the message names the line of the
 *                   proof that fails; ZLAY_UNDECIDED where a run needs more
 *                   than the limits allow, or no repetition that the proof
 *                   claims is seen (the message names which).
 */
ZLAY_API zlay_status zlay_pipe_recheck(zlay_ctx *ctx, zlay_answer *answer, const zlay_pipe *pipe,
                                       const char *proof, size_t length);

#ifdef __cplusplus
}
#endif
#endif
