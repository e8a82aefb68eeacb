/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/show_schedule.h - pictures of modulo schedules: which unit works on what when.
 *
 *  By hand: the loop of zlay/schedule.h, an interval of 6 cycles.  The load has cycles 0
 *  to 3 of the interval, so the row of `copy` has a box of four columns.  The product of
 *  six cycles starts at cycle 10, which is cycle 4 of the second interval, so the row of
 *  `tensor` has a box in columns 4 and 5, and one in columns 0 to 3, where it goes on.
 */
#ifndef ZLAY_SHOW_SCHEDULE_H
#define ZLAY_SHOW_SCHEDULE_H

#include <zlay/schedule.h>
#include <zlay/show.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What zlay_show_schedule reads beside the loop. */
typedef struct zlay_show_schedule_request {
    uint32_t size;        /* sizeof(zlay_show_schedule_request) */
    uint32_t columns;     /* of a panel, at most 4096: cycles are scaled where there are more;
                             0: 64 */
    uint32_t iterations;  /* that are shown, at most 256; 0: one more than there are stages, of
                             at most 8 */
    uint32_t reserved32;  /* 0 */
    uint64_t reserved[4]; /* 0 */
} zlay_show_schedule_request;

/** Show the schedule that zlay_schedule_synth finds, in two panels: the cycles of one
 *  interval, and the first iterations with the stretches in which the pipeline fills
 *  (prologue), is full (steady) and drains (epilogue).
 *
 *  Rows are units; operations that are in flight at a time have rows of their own, as do
 *  those that share a column where cycles are scaled.  In the interval the shade is that of
 *  stage and copy, and the key the operation's number in its body; of iterations shade and
 *  key are the iteration.  Tips have the exact cycles.  Operations without cycles are in no
 *  row, since they take no unit.
 *
 *  Returns: as zlay_schedule_synth; ZLAY_EINVAL also a loop that takes no unit; ZLAY_ELIMIT
 *           also a picture of more than 65536 boxes, or more cells than limits.points.
 *  Out:     out   free it with zlay_picture_free.
 *  In:      loop  borrowed.
 *           request  NULL: zeros.
 */
ZLAY_API zlay_status zlay_show_schedule(zlay_ctx *ctx, zlay_picture **out,
                                        const zlay_schedule_request *loop,
                                        const zlay_show_schedule_request *request);

#ifdef __cplusplus
}
#endif
#endif
