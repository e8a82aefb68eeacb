/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ZL_RUN_STATE_H
#define ZL_RUN_STATE_H

#include "pipe/runs/state/watch.h"

/* The state of a run as numbers that are equal exactly where what follows is the same but for shifts:
 * counters and indices relative to the first loop of the param in
 * each group, rings turned to it.
 *
 * First the structure, and beside it as items the values that clocks will be compared with; of the
 * structure watch->hash is left.  Then the items by their order in each component, and of each value of
 * a clock how many of them it has reached: for all that follows compares it with these or with
 * later ones, takes the greater, or makes it greater than all. */
void zl_state_write(zl_run *r, int32_t param);
/* Of each group and param, in watch->bases: the first of its instances in a loop of the param says it. */
void zl_state_bases(zl_run *r, int32_t param);
/* Where positions that grow with a param are counted from, as an instance stands: the counter of its loop of
 * that, or the counter of a loop around times the params between. */
int64_t zl_state_own_base(const zl_run *r, const zl_instance *i, int32_t param);
/* The second part behind the first; false where memory is missing. */
bool zl_state_rank(zl_run *r);

/* The most numbers, items and clocks that a state has. */
size_t zl_state_room(const zl_run *r);
size_t zl_state_items(const zl_run *r);
size_t zl_state_rows(const zl_run *r);

/* Threads that wait are given what they will know anyhow when they go on. */
void zl_state_hear(zl_run *r);

/* What all threads know that may yet ask, in watch->least; whether nobody can come upon a use that
 * is not over by this condition; to forget uses that no other can. */
void zl_state_find_least(zl_run *r);
bool zl_state_is_past(const zl_run *r, const zl_mem_access *t, zl_cond cond);
void zl_state_forget(const zl_run *r, zl_shadow *p);

/* The last phase that all know of who may yet come to a barrier, or wait there; whether all who may
 * wait know what that phase tells. */
int32_t zl_state_known_to_comers(const zl_run *r, const zl_mbar *g);
int32_t zl_state_known_to_waiters(const zl_run *r, const zl_mbar *g);
bool zl_state_is_heard(const zl_run *r, const zl_mbar *g);

/* 0: the group is over; else how many lie behind it, as far as a wait can tell. */
int32_t zl_state_behind(const zl_run *r, const zl_instance *i, int group, int32_t number);

#endif
