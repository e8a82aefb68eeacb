/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/pipe_fences.h - the fewest fences that make a pipe correct.
 *
 *  By hand.  Threads write a stage, arrive, and a product reads it by the async
 *  proxy:
 *
 *      write A[i % 2] 64
 *      arrive full[i % 2] threads
 *
 *  zlay_pipe_verify answers NO, rule proxy.  One fence is missing, and the last
 *  place that helps is right before the arrival: `fence proxy.async` there, and
 *  the pipe is correct.
 */
#ifndef ZLAY_PIPE_FENCES_H
#define ZLAY_PIPE_FENCES_H

#include <zlay/pipe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A fence that was inserted. */
typedef struct zlay_pipe_fence {
    uint32_t line;        /* of the new text, from 1 */
    uint32_t reserved;    /* 0 */
    const char *way;      /* static: proxy.async, wgmma, tcgen05.after, .. */
} zlay_pipe_fence;

/** Insert the fewest fences with which zlay_pipe_verify answers YES.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE with a fence at every place the answer is still
 *           NO: the message has the rule and the line; ZLAY_EINVAL; ZLAY_ENOMEM;
 *           ZLAY_ELIMIT it is UNDECIDED there, or more than 2048 questions were
 *           asked of zlay_pipe_verify, or more than 1024 places.
 *  Out:     out     the pipe with its fences, which parse(print) leaves as it is;
 *                   free it with zlay_pipe_free.
 *           fences  the first `room`, by line; `*count` counts all.
 *  In:      pipe    fences that it has stay where they are.
 */
ZLAY_API zlay_status zlay_pipe_fences(zlay_ctx *ctx, zlay_pipe **out, zlay_pipe_fence *fences,
                                      size_t room, size_t *count, const zlay_pipe *pipe);

#ifdef __cplusplus
}
#endif
#endif
