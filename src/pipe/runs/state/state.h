/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and compares states of a run. A state is a list of integers; two are equal exactly
 * where all that follows is the same up to whole iterations. */
#ifndef ZL_RUN_STATE_H
#define ZL_RUN_STATE_H

#include "pipe/runs/state/watch.h"

/* Begins a state: finds the bases, drops what no later event can ask about, notes in
 * watch->filled how many stages have been written, and returns the hash of a few sums. States
 * whose outlines differ are not equal. */
uint64_t zl_state_outline(zl_run *r, int32_t param);
/* Behind the outline, writes the structure: counters and indices relative to their group's
 * base, rings turned to it, and completion conditions as items, the values that clocks will be
 * compared with. watch->hash is its hash. zl_state_rank writes the second part: items and clocks
 * by rank, because all that follows compares a clock value with these items or later ones,
 * takes the greater of two, or makes it greater than all. */
void zl_state_write(zl_run *r, int32_t param);
/* Fills watch->bases for each group and param, from the group's first instance in a loop of
 * the param. */
void zl_state_bases(zl_run *r, int32_t param);
/* The base of a param's positions as one instance stands: the counter of its loop of the
 * param, or the counter of an enclosing loop times the params in between. */
int64_t zl_state_own_base(const zl_run *r, const zl_instance *i, int32_t param);
/* Writes the second part behind the first; false where memory is missing. */
bool zl_state_rank(zl_run *r);

/* The most numbers, items and clocks that a state has. */
size_t zl_state_room(const zl_run *r);
size_t zl_state_items(const zl_run *r);
size_t zl_state_rows(const zl_run *r);

/* Gives waiting threads what they will know anyhow when they go on. */
void zl_state_hear(zl_run *r);

/* zl_state_find_least: what all threads know that may still ask, in watch->least.
 * zl_state_is_past: whether none of them can find this condition not yet true.
 * zl_state_forget: drops accesses that none can conflict with. */
void zl_state_find_least(zl_run *r);
bool zl_state_is_past(const zl_run *r, const zl_mem_access *t, zl_cond cond);
void zl_state_forget(const zl_run *r, zl_shadow *p);

/* The last phase that all possible arrivers, or waiters, know of; whether all possible waiters
 * know the clock of the last phase. */
int32_t zl_state_known_to_comers(const zl_run *r, const zl_mbar *g);
int32_t zl_state_known_to_waiters(const zl_run *r, const zl_mbar *g);
bool zl_state_is_heard(const zl_run *r, const zl_mbar *g);

/* 0: the group is complete; else how many were committed after it, as far as a wait can tell. */
int32_t zl_state_behind(const zl_run *r, const zl_instance *i, int group, int32_t number);

#endif
