/* SPDX-License-Identifier: Apache-2.0 */
/* Single edits of a pipe: which are right and why, which rules the others can break. */
#ifndef TEST_MUTANTS_H
#define TEST_MUTANTS_H

#include "pipe/language/pipe.h"

enum { ANY = -1 };
typedef enum edit { DROP, DOUBLE, MOVE, CHANGE, EDITS } edit;
static const char *const edits[EDITS] = {"drop", "double", "move", "change"};

static const struct right {
    edit edit;
    zl_event_kind event;
    int32_t scope;
    const char *because;
} rights[] = {
    {DROP, ZL_EV_FENCE, ZL_FENCE_WGMMA,
     "products of one shape into one sum are ordered without a fence"},
    {DOUBLE, ZL_EV_WAIT, ANY, "the phase stays complete: the next one needs this role"},
    {DOUBLE, ZL_EV_FENCE, ANY, "what is ordered stays ordered"},
    {DOUBLE, ZL_EV_COMMIT, ANY, "a group without members: waits that leave n groups end more"},
    {DOUBLE, ZL_EV_WAITGROUP, ANY, "the groups are over already"},
    {DOUBLE, ZL_EV_SYNC, ANY, "the threads meet twice"},
    {DOUBLE, ZL_EV_STORE, ANY, "stores the same bytes again, in the same group"},
    {DOUBLE, ZL_EV_CPASYNC, ANY, "writes the same bytes again before they are published"},
    {DOUBLE, ZL_EV_WRITE, ANY, "writes the same bytes again before they are published"},
    {DOUBLE, ZL_EV_READ, ANY, "reads the same bytes again before they are released"},
    {MOVE, ZL_EV_INIT, ANY, "barriers are initialised in any order"},
    {MOVE, ZL_EV_EXPECT, ANY,
     "the thread expects its bytes before it arrives, so the phase is not complete before"},
    {MOVE, ZL_EV_ARRIVE, ANY, "arrives later, and nothing that it waits for itself depends on it"},
    {MOVE, ZL_EV_COPY, ANY, "copies of one phase land in any order, before or behind the arrival"},
    {MOVE, ZL_EV_CPASYNC, ANY, "copies of one group land in any order"},
    {MOVE, ZL_EV_WRITE, ANY, "writes of one stage come in any order, before it is published"},
    {MOVE, ZL_EV_MMA, ANY, "still behind its wait; the fence in between is not needed there"},
    {MOVE, ZL_EV_WAIT, ANY, "only what touches no stage lies between"},
    {MOVE, ZL_EV_FENCE, ZL_FENCE_WGMMA,
     "still before the first product of a tile, or not needed there"},
    {MOVE, ZL_EV_FENCE, ZL_FENCE_PROXY,
     "still between the writes that the next arrival publishes and that arrival"},
    {MOVE, ZL_EV_SYNC, ZL_SYNC_ROLE,
     "still between the last use of the staging memory and its next write"},
    {MOVE, ZL_EV_WAITGROUP, ZL_GROUP_BULK_READ,
     "still between a store and the meeting before the next write"},
    {MOVE, ZL_EV_WAITGROUP, ZL_GROUP_BULK, "waits at the end of every tile, so of the last"},
    {CHANGE, ZL_EV_WAITGROUP, ANY, "waits for more groups than needed"},
    {CHANGE, ZL_EV_COPY, ANY,
     "the number of a part tells copies of one stage apart, and it is the only one"},
    {CHANGE, ZL_EV_ARRIVE, ZL_BY_WARPS, "a role of one warp: its warps are one"},
};

/* The rules that an edit of an event can break; 0: of a declaration. */
#define RULE(name) (1u << ZLAY_PIPE_##name)
#define ORDER (RULE(READ_BEFORE_FULL) | RULE(OVERWRITE))
static const uint32_t breaks[] = {
    [0] = RULE(COUNT) | RULE(BYTES) | RULE(STAGE),
    [ZL_EV_FOR] = RULE(COUNT) | RULE(BYTES) | RULE(STAGE) | RULE(PARITY) | RULE(DEADLOCK) | RULE(EXIT) |
                  RULE(LOST_PHASE) | RULE(OVERRUN),
    [ZL_EV_EXPECT] = RULE(BYTES) | RULE(OVERRUN),
    [ZL_EV_ARRIVE] = RULE(COUNT) | RULE(BYTES) | RULE(OVERRUN) | RULE(LOST_PHASE) | RULE(DEADLOCK) |
                     RULE(COLLECTIVE) | RULE(PROXY) | ORDER,
    [ZL_EV_WAIT] =
        RULE(PARITY) | RULE(LOST_PHASE) | RULE(OVERRUN) | RULE(DEADLOCK) | RULE(EXIT) | ORDER,
    [ZL_EV_COPY] = RULE(BYTES) | RULE(COUNT) | RULE(STAGE) | RULE(OVERRUN) | RULE(DEADLOCK) | ORDER,
    [ZL_EV_CPASYNC] = RULE(GROUP) | RULE(STAGE) | RULE(EXIT) | ORDER,
    [ZL_EV_STORE] = RULE(BYTES) | RULE(GROUP) | RULE(STAGE) | RULE(EXIT) | RULE(PROXY) | ORDER,
    [ZL_EV_COMMIT] = RULE(GROUP) | RULE(EXIT) | RULE(FENCE) | ORDER,
    [ZL_EV_WAITGROUP] = RULE(EXIT) | RULE(FENCE) | RULE(PROXY) | ORDER,
    [ZL_EV_READ] = RULE(STAGE) | RULE(EXIT) | ORDER,
    [ZL_EV_WRITE] = RULE(STAGE) | RULE(EXIT) | RULE(FENCE) | RULE(PROXY) | ORDER,
    [ZL_EV_FENCE] = RULE(FENCE) | RULE(PROXY) | RULE(INIT),
    [ZL_EV_MMA] = RULE(STAGE) | RULE(FENCE) | RULE(GROUP) | ORDER,
    [ZL_EV_SYNC] = RULE(INIT) | RULE(PROXY) | ORDER,
    [ZL_EV_INIT] = RULE(INIT),
};

#endif
