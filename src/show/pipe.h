/* SPDX-License-Identifier: Apache-2.0 */
/* What the view of a pipe's run says of events and of rows. */
#ifndef ZL_SHOW_PIPE_H
#define ZL_SHOW_PIPE_H

#include "pipe/runs/run.h"

/* A stage of memory, or an mbarrier. */
typedef struct zl_ring_slot {
    const char *name;
    uint32_t slot, stages;
    int32_t number, cta; /* of the instance and the block whose it is; -1: there is only one */
} zl_ring_slot;

/* Stages of shared and of tensor memory come first in a run's places. */
uint32_t zl_stages_count(const zl_run *r);
zl_ring_slot zl_stage_slot(const zl_run *r, uint32_t place);
zl_ring_slot zl_mbar_slot(const zl_run *r, uint32_t mbar);
void zl_put_ring_slot(zl_text *out, const zl_ring_slot *slot);

/* `producer[1] cta 0`, as far as there are others. */
void zl_put_instance(zl_text *out, const zl_run *r, const zl_instance *i);

/* `wait full`: the word of an event, and what it is about. */
void zl_put_event_label(zl_text *out, const zlay_pipe *pipe, const zl_event *e);

/* Its line as the text has it, the counters, and the stage or the phase. */
void zl_put_event_tip(zl_text *out, const zl_run *r, const zlay_pipe *pipe, const zl_instance *i);

/* The index in the ring of the memory or the mbarrier that an event is about; -1: it has none. */
int64_t zl_event_ring_index(const zl_run *r, const zl_instance *i, const zl_event *e);

#endif
