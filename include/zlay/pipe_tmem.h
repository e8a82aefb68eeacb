/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/pipe_tmem.h - tensor memory as something that a pipe owns: who allocates
 *  it, who may access it, and that it is given back.
 *
 *  By hand.  In a pipe of one warp
 *
 *      pipe leak
 *      tmem C[3] 128
 *      alloc C
 *      sync cta
 *      role r warps 2..2
 *      tld C[0] lanes 0..31 -> R
 *      use R
 *      end
 *
 *  the allocation has 384 columns, no power of two (TMEM_ALLOC_POWER); warp 2
 *  reaches lanes 64 to 95 alone (TMEM_WARP_LANES); R is read before the load is
 *  over (TMEM_USE_UNWAITED) and nothing ever waits for it (TMEM_NEVER_WAITED);
 *  and C is never freed (TMEM_LEAK).
 */
#ifndef ZLAY_PIPE_TMEM_H
#define ZLAY_PIPE_TMEM_H

#include <zlay/pipe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why a pipe's use of tensor memory is wrong. */
typedef struct zlay_tmem_fault {
    zlay_pipe_reason reason;
    uint32_t row;         /* of zlay_tmem_row_info; 0: the reason is zlay_pipe_verify's */
    uint32_t reserved;    /* 0 */
} zlay_tmem_fault;

/** Decide whether a pipe uses tensor memory correctly, for every trip count:
 *  first what needs no order between roles (columns, lanes, counts of what is
 *  allocated and freed, waits of a warp for itself), then zlay_pipe_verify.
 *
 *  Returns: ZLAY_OK the question is answered; ZLAY_EINVAL; ZLAY_ENOMEM.
 *  Out:     answer  ZLAY_YES; ZLAY_NO with faults; ZLAY_UNDECIDED as
 *                   zlay_pipe_verify, when none of the first is broken.
 *           faults  the first `room`; `*count` counts all.
 */
ZLAY_API zlay_status zlay_pipe_tmem_check(zlay_ctx *ctx, zlay_answer *answer,
                                          zlay_tmem_fault *faults, size_t room, size_t *count,
                                          const zlay_pipe *pipe);

/** A row of what is asked of tensor memory. */
typedef struct zlay_tmem_row {
    const char *id;       /* as TMEM_ALLOC_POWER */
    const char *text;     /* what holds of a correct pipe */
    const char *source;   /* who says so */
    int32_t rule;         /* ZLAY_PIPE_* */
    uint32_t reserved;    /* 0 */
} zlay_tmem_row;

/** How many rows there are: 1 to that. */
ZLAY_API uint32_t zlay_tmem_row_count(void);

/** Read a row.  Returns ZLAY_OK; ZLAY_NONE no such row; ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_tmem_row_info(zlay_tmem_row *out, uint32_t row);

#ifdef __cplusplus
}
#endif
#endif
