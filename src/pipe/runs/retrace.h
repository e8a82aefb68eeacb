/* SPDX-License-Identifier: Apache-2.0 */
/* A run made again, event by event, for others to see. */
#ifndef ZL_RUN_RETRACE_H
#define ZL_RUN_RETRACE_H

#include "pipe/runs/verify.h"

/* Hears of an event when it has run, of which the instance still has the counters, and with NULL of
 * a round's end; `r->teller` is its own. */
typedef void zl_run_told(zl_run *r, const zl_instance *i);

/* A run of a plain pipe with the values of a verdict. */
typedef struct zl_retrace {
    zl_run *run;
    int32_t *known; /* per instance: its last event that the fault depends on */
    zl_fault fault; /* rule 0: none */
    uint32_t by;    /* the instance that breaks the rule */
    bool whole;     /* the run that is seen has all events up to the fault, not only its past */
} zl_retrace;

/* Makes the run, in zl_scratch; of a verdict with a fault it finds the events on which the fault
 * depends. */
zlay_status zl_retrace_begin(zl_retrace *t, zlay_ctx *ctx, const zlay_pipe *plain,
                             const zl_verdict *verdict);

/* Looks for a fault in a run that began without one, within limits.points events; where there is one,
 * finds the events on which it depends. */
void zl_retrace_find(zl_retrace *t);

/* Runs from the beginning to the fault, and tells of the events on which it depends. */
void zl_retrace_tell(zl_retrace *t, zl_run_told *told, void *teller);

/* Runs from the beginning, and tells of each event that runs: of a run with a fault those on which
 * it depends, and no others; else round by round: each instance that can runs one event in each. */
void zl_retrace_show(zl_retrace *t, zl_run_told *told, void *teller);

/* `N = 3`, or the counts of each iteration. */
void zl_retrace_put_value(zl_text *out, const zl_run *r, uint32_t param);

/* The clock of all that some thread knows, or learns as soon as it waits at an mbarrier. */
void zl_retrace_known(const zl_run *r, zl_tick *known);

#endif
