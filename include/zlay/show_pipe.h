/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/show_pipe.h - pictures of pipes: who does what when.
 *
 *  By hand: a ring of one stage.  The producer copies to A in step 0, and A is full
 *  from step 1 on; the consumer reads it in step 2, where it is known to be full.
 */
#ifndef ZLAY_SHOW_PIPE_H
#define ZLAY_SHOW_PIPE_H

#include <zlay/pipe.h>
#include <zlay/show.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What zlay_show_pipe and zlay_show_tmem read. */
typedef struct zlay_show_pipe_request {
    uint32_t size;        /* sizeof(zlay_show_pipe_request) */
    uint32_t steps;       /* no more are shown of a run without a fault; 0: 64 */
    uint64_t trips;       /* of each param that allows as many, else its nearest; 0: 3, or what
                             the run with the fault has */
    uint64_t reserved[4]; /* 0 */
} zlay_show_pipe_request;

/** Show a run of a pipe: a row for each role's instance, each stage of memory, each
 *  allocation of tensor memory and each mbarrier, a column for each step.
 *
 *  Of a pipe that zlay_pipe_verify refuses it is the run of zlay_pipe_trace, or with `trips`
 *  the one that has so many, where that breaks a rule too: one event a step, with all that
 *  other roles do where its events can not run without that; the event that breaks the rule
 *  is marked, and each that stands where the run can not go on.  Of another pipe, and of
 *  trips that break no rule, it is the run in which each instance runs one event a step, as
 *  soon as it can; a wait lasts until then.  What is asynchronous is over at once, so steps
 *  say what may be first, not how long it takes.  A stage is written until the write is
 *  known to be over, full until it is read, read until that is known to be over.  The key of
 *  a box is the index in its ring.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_ELIMIT the picture has more cells than
 *           limits.points, or the run needs more than the limits; ZLAY_ENOMEM.
 *  Out:     out      free it with zlay_picture_free.
 *  In:      request  NULL: zeros.
 */
ZLAY_API zlay_status zlay_show_pipe(zlay_ctx *ctx, zlay_picture **out, const zlay_pipe *pipe,
                                    const zlay_show_pipe_request *request);

/** Show the rows of tensor memory alone: each allocation with all its columns, as long as it
 *  lasts, and each stage with its columns of it.
 *
 *  Returns: as zlay_show_pipe; ZLAY_EINVAL also for a pipe without tensor memory.
 */
ZLAY_API zlay_status zlay_show_tmem(zlay_ctx *ctx, zlay_picture **out, const zlay_pipe *pipe,
                                    const zlay_show_pipe_request *request);

#ifdef __cplusplus
}
#endif
#endif
