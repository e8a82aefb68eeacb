/* SPDX-License-Identifier: Apache-2.0 */
/* One interval, decided: is there a schedule of exactly this ii, and of at most these stages. */
#ifndef ZL_PIPE_SCHEDULE_SEARCH_H
#define ZL_PIPE_SCHEDULE_SEARCH_H

#include "pipe/schedule/loop.h"
#include "pipe/schedule/closure.h"

typedef enum zl_outcome {
    ZL_FOUND,    /* a schedule, in `start` */
    ZL_DEAD,     /* proved: there is none */
    ZL_QUOTA,    /* the quota of points ended the search */
    ZL_NO_MEMORY /* or limits.work */
} zl_outcome;

/* Decide ii with any number of stages, `stages` 0, or with at most so many. `start` has a number
 * for each node and is written where a schedule is found. */
zl_outcome zl_search(zl_looped *l, int64_t ii, int64_t stages, uint64_t quota, int64_t *start);

/* The fewest stages that edges and one operation at a time allow at this ii. */
zl_outcome zl_stages_bound(zl_looped *l, int64_t ii, int64_t *stages);

/* ---- inside -------------------------------------------------------------------- */

/* Two nodes that must not be in flight together: they share a unit that has room for one. With the
 * bounds of start(b) - start(a) and of start(a) - start(b) that were last found to be apart; up to
 * `until` b follows a with nothing of a between. */
typedef struct zl_apart {
    uint32_t a, b;
    int64_t low, back, until;
} zl_apart;

/* start(b) - start(a) >= w; or, where a is ZL_BUFFERS, value b of a copy has at most w buffers. */
typedef struct zl_branch {
    uint32_t a, b;
    int64_t w;
} zl_branch;
#define ZL_BUFFERS UINT32_MAX /* no enumerator: an int has no room */

typedef struct zl_choice_level {
    size_t steps; /* of the trail, before a branch */
    uint32_t first, count, next;
} zl_choice_level;

typedef struct zl_search_state {
    zl_looped *l;
    int64_t ii;
    int64_t stages; /* at most; 0: any number */
    bool whole;     /* all edges and uses; else those within components */
    zl_closure r;
    uint32_t origin;
    int64_t *arc;   /* of a node: cycles modulo ii */
    bool *free;     /* of a unit: its operations are placed one behind the other at the end */
    uint64_t *room; /* of a unit: arcs that fit at a time */
    zl_apart *pair;
    uint32_t pairs;
    uint32_t *crowd; /* nodes with an arc on a unit of room for more, by unit */
    uint32_t crowds;
    uint32_t *value;         /* the first use of each value */
    zl_branch *branch, *try; /* of all levels; of a conflict at hand */
    uint32_t branches, branch_room;
    zl_choice_level *level;
    uint32_t levels, level_room;
} zl_search_state;

/* What follows without a choice; false: there is no schedule, or no memory. */
bool zl_narrow(zl_search_state *s);

/* With one stage: whether each unit with room for one can end in time, if it may interrupt. */
bool zl_one_stage(zl_search_state *s);

/* The least buffers of a value of a copy that are still possible. */
int64_t zl_least_depth(const zl_search_state *s, uint32_t copy, uint32_t value);

/* A conflict of the earliest starts with the fewest ways out, which are in s->try: how many, and
 * `none` where nothing conflicts. */
uint32_t zl_conflict(zl_search_state *s, bool *none);

static inline int64_t zl_earliest(const zl_search_state *s, uint32_t node)
{
    return zl_related(&s->r, s->origin, node);
}

#endif
