/* SPDX-License-Identifier: Apache-2.0 */
/* What no schedule's interval can be below, and the two reasons why there is none at all that need
 * no search. */
#ifndef ZL_PIPE_SCHEDULE_BOUND_H
#define ZL_PIPE_SCHEDULE_BOUND_H

#include "pipe/schedule/loop.h"

/* The least ii by units, and by cycles of edges. NONE: *why has a used unit of count 0, or a
 * cycle of edges of distance 0 and positive latency, and the message says it. */
zlay_status zl_loop_bounds(zl_looped *l, int64_t *by_units, int64_t *by_cycles,
                           zlay_schedule_reason *why);

#endif
