/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ZL_RUN_STATE_H
#define ZL_RUN_STATE_H

#include "pipe/run.h"

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
