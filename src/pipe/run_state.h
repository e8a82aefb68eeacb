/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ZL_RUN_STATE_H
#define ZL_RUN_STATE_H

#include "pipe/run.h"

/* A state is its structure, then its conditions, then the clocks; of the last two each value is
 * replaced by its rank among those of its component. */
enum { ZL_BASES = 64 };
typedef struct zl_state {
    zl_run *r;
    const zlay_pipe *pipe;
    int32_t *out;
    size_t room, need;
    bool conds;          /* conditions are being written, not the structure */
    int64_t base[ZL_BASES]; /* per param: where its positions are counted from */
} zl_state;

void zl_state_push(zl_state *w, int64_t value);
/* The slot of the position that a ring is counted from. */
uint32_t zl_state_slot(const zl_state *w, int32_t ring, uint32_t stages);
/* 0: the group is over; else how many lie behind it, as far as a wait can tell. */
int32_t zl_state_behind(const zl_run *r, const zl_instance *i, int group, int32_t number);

/* Components in canonical order, gates turned with their rings. */
void zl_state_order(zl_state *w);
/* Replace the values of the conditions from `first` on, and write those of the clocks; as
 * zl_state_write. */
size_t zl_state_rank(zl_state *w, size_t first);

/* Write the state of a run as numbers that are equal exactly where what follows is the same but for
 * shifts: counters and indices relative to the loop of `leader`, rings turned to it, and of the
 * values of each component of the clocks their order alone.
 *
 * Without `whole` the structure alone, of which watch->hash is left.
 * Returns how many numbers that takes; written are those that watch->room holds, and watch->size is
 * their count. */
/* Most clocks that a state has. */
size_t zl_state_rows(const zl_run *r);

size_t zl_state_write(zl_run *r, int32_t param, const zl_instance *leader, bool whole);

#endif
