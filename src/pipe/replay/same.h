/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded states of a run, recurrences in it, and the longer trips that run beside it. A claim of
 * the proof says that loops of a param repeat every `period` iterations; its longer trip has one
 * period more than the run. */
#ifndef ZL_REPLAY_SAME_H
#define ZL_REPLAY_SAME_H

#include "pipe/replay/replay.h"

zl_rp_meeting *zl_rp_meeting_of(zl_replay *c, const zl_rp_instance *i, const zl_event *e);
/* Whether a thread of the block knows of an operation that the block owes. */
bool zl_rp_is_paid(const zl_replay *c, uint32_t block, const zl_rp_debt *d);
void zl_rp_state(zl_replay *c, zl_rp_encoding *w);
/* Drops accesses that no later access can conflict with (past.c). */
void zl_rp_drop_past(const zl_replay *c, zl_rp_shadow *p);
/* Whether an instance may still access memory, barriers or flags. */
bool zl_rp_asks(const zl_replay *c, uint32_t instance);
/* Whether all who may still do this at the slot know of the last phase (with `before`: of it
 * or the one before); whether all who may still wait know what the last phase makes known. */
bool zl_rp_all_know(const zl_replay *c, const zl_rp_mbar *g, uint8_t near, bool before);
bool zl_rp_is_heard(const zl_replay *c, const zl_rp_mbar *g);
/* Waiting threads learn now what they will know in any case when they go on. */
void zl_rp_hear(zl_replay *c);
void zl_rp_find_growth(zl_replay *c);
/* Notes that the longer trip of a claim does not do the same as the run. */
void zl_rp_fail(zl_replay *c, uint32_t claim, const char *why);
/* Growth of a ring's indices, or of a loop's counter, when the loops of a claim go on by `by`;
 * `longer`: in the longer trip of that claim, -1 in the run itself. */
int64_t zl_rp_ring_turn(zl_replay *c, uint32_t claim, uint32_t ring, int64_t by, int32_t longer);
int64_t zl_rp_loop_turn(zl_replay *c, uint32_t claim, uint32_t loop, int64_t by, int32_t longer);
bool zl_rp_is_loop(const zl_replay *c, uint32_t claim, uint32_t loop);
/* The rings that an event names; how many. */
uint32_t zl_rp_rings_of(const zl_replay *c, const zl_event *e, zl_rp_named out[ZL_RP_RINGS]);
static inline int64_t *zl_rp_turned(const zl_replay *c, uint32_t claim, uint32_t ring,
                                    uint32_t block)
{
    return &c->turned[(claim * c->rings_count + ring) * c->blocks + block];
}
/* Finds which instances move together, as they stand now. */
void zl_rp_find_groups(zl_replay *c, uint32_t claim);
/* The depth at which an instance is in a loop of the claim; -1. */
int zl_rp_inside(const zl_replay *c, const zl_rp_instance *i, uint32_t claim);
/* The counter of that loop, in the run or the longer trip of a claim; 0 where it is in none. */
int64_t zl_rp_counter(const zl_replay *c, uint32_t claim, uint32_t instance, int32_t longer);
/* At the beginning of an iteration; where loops of a claim begin or end. */
void zl_rp_head(zl_replay *c, zl_rp_instance *i);
void zl_rp_edge(zl_replay *c, uint32_t loop);
/* Before a step beside longer trips: whether a repetition begins or ends here. */
void zl_rp_turn(zl_replay *c);
/* The value of a position in the longer trip of a claim. */
int64_t zl_rp_twin(zl_replay *c, const zl_rp_instance *i, const zl_pos *pos, uint32_t claim);
/* Whether a loop goes on; the longer trip does not end before. */
bool zl_rp_goes_on(zl_replay *c, const zl_rp_instance *i, const zl_event *loop, int64_t counter,
                   const int64_t *twin);

#endif
