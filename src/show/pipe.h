/* SPDX-License-Identifier: Apache-2.0 */
/* The view of a pipe's run: what it says of events, and rows beside those of the instances. */
#ifndef ZL_SHOW_PIPE_H
#define ZL_SHOW_PIPE_H

#include "pipe/runs/retrace.h"
#include "show/picture.h"

/* ---- names ----------------------------------------------------------- */

/* `producer[1] cta 0`, as far as there are others. */
void zl_put_instance(zl_text *out, const zl_run *r, const zl_instance *i);

/* `wait full`: the word of an event, and what it is about. */
void zl_put_event_label(zl_text *out, const zlay_pipe *pipe, const zl_event *e);

/* Its line as the text has it, the counters, and the stage or the phase. */
void zl_put_event_tip(zl_text *out, const zl_run *r, const zlay_pipe *pipe, const zl_instance *i);

/* The index in the ring of the memory or the mbarrier that an event is about; -1: it has none. */
int64_t zl_event_ring_index(const zl_run *r, const zl_instance *i, const zl_event *e);

/* ---- rows ------------------------------------------------------------ */

/* A row of a stage, of an allocation of tensor memory or of an mbarrier, and what stands there
 * since a step: ZL_STAGE_*, whether it is allocated, or the phase. */
typedef struct zl_track {
    bool used;
    uint32_t row, since;
    int64_t state, index; /* index: of a stage's content */
} zl_track;

typedef struct zl_pipe_view {
    zl_sketch *s; /* NULL while steps are counted */
    zlay_ctx *ctx;
    const zlay_pipe *pipe; /* as its text is */
    zl_retrace again;
    bool tmem; /* rows of tensor memory alone */
    zlay_answer answer;
    zl_fault fault;
    zl_fault other; /* of the verifier's run, where the one with the trips that are asked has none */
    uint32_t steps, most;
    uint64_t told, count; /* events so far, and all */
    uint32_t last;        /* the event that runs last */
    bool more;            /* another event breaks the rule: one more step shows where it is */
    uint32_t setup;       /* the row of the setup, where an event of it breaks the rule */
    bool moved, cut;
    uint32_t *next;   /* per instance: the step behind its last event */
    zl_track *tracks; /* stages, then allocations, then mbarriers */
    uint32_t stages, allocations, tracks_count;
    zl_tick *known; /* when the last step ended */
} zl_pipe_view;

/* Counts the rows, and makes room for them.  ENOMEM. */
zlay_status zl_tracks_make(zl_pipe_view *v);

/* Gives a row to each track that is used, behind the rows of instances; how many rows there are. */
uint32_t zl_tracks_begin(zl_pipe_view *v);
void zl_tracks_name(zl_pipe_view *v);

/* Ends a bar where something has changed in the step. */
void zl_tracks_look(zl_pipe_view *v);
void zl_tracks_end(zl_pipe_view *v);

/* A box from a step to the one that is at hand. */
zlay_box zl_pipe_box(const zl_pipe_view *v, uint32_t row, uint32_t from, int64_t key);

#endif
