/* SPDX-License-Identifier: Apache-2.0 */
/* Classes of events, the order between them, and the schedule, as the checker of proofs by order
 * tries them: on programs written out for finitely many trip counts. A weight starts at 0 and is
 * raised by every program that contradicts it. */
#ifndef ZL_RECHECK_ORDER_H
#define ZL_RECHECK_ORDER_H

#include "pipe/replay/recheck/recheck.h"

/* zl_rc_class.kind, in the order of the names in recheck.c. */
enum {
    ZL_RC_PHASE, ZL_RC_WAIT, ZL_RC_PASSED, ZL_RC_ARRIVE, ZL_RC_EXPECT, ZL_RC_ISSUE,
    ZL_RC_WRITE, ZL_RC_WROTE, ZL_RC_FENCED, ZL_RC_READ, ZL_RC_DONE, ZL_RC_KINDS
};

int32_t zl_rc_turned(const zlay_pipe *pipe, const zl_event *wait);
bool zl_rc_is_of(const zl_recheck *r, const zl_rc_class *c, const zl_event *e, int *j);

/* The barrier that copies of a class signal. */
int32_t zl_rc_signalled(const zl_recheck *r, const zl_rc_class *write);

/* The list of classes is complete, and no wait tests another index than its class says. */
bool zl_rc_classes(zl_recheck *r);

/* Stages are filled in one way, and waited for; totals are known by now. */
bool zl_rc_uses(zl_recheck *r);

/* Raise weights and totals by what the programs at hand show. */
bool zl_rc_weights(zl_recheck *r);

/* The weight of one edge; INT64_MAX: none. */
int64_t zl_rc_edge(const zl_recheck *r, uint32_t from, uint32_t to);

/* Every pair of events that needs an order has it in time. */
bool zl_rc_schedule(zl_recheck *r);

#endif
