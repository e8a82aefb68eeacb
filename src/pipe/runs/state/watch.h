/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrence of states: which were seen at loop heads, how rings turn, and which loops move
 * together. docs/internals/proof.md, "Every trip count", has the argument. */
#ifndef ZL_RUN_WATCH_H
#define ZL_RUN_WATCH_H

#include "pipe/runs/run.h"

/* The param that says how often a loop runs; -1: a number; -2: something else. */
int32_t zl_loop_param(const zl_event *loop);

enum { ZL_STATES = 80 };
/* Values of zl_watch.parents: a param multiplies no counter, counters of several loops, or that of
 * a loop at depth d which no param bounds (ZL_PARENT_LOOP - d). */
enum { ZL_NO_PARENT = -1, ZL_PARENTS = -2, ZL_PARENT_LOOP = -3 };
enum { ZL_MIXED = -2 }; /* a ring whose indices grow with several params */

/* A state that was seen. Its structure is written only where its outline had been met before,
 * and its numbers are kept only where its structure may have been. */
typedef struct zl_seen {
    uint64_t outline, hash; /* of its structure; 0: not written */
    size_t at, count; /* in zl_watch_param.kept; count 0: not kept */
} zl_seen;

/* States seen since a loop of this param last began or ended. */
typedef struct zl_watch_param {
    zl_seen *seen;  /* ZL_STATES; NULL while no head was looked at */
    int64_t *bases; /* of each and of each group */
    int64_t *led;   /* per group: where its leader was last */
    uint32_t count;
    uint32_t filled; /* zl_watch.filled in the last of them */
    int32_t *kept;
    size_t kept_count, kept_room;
    bool failed;    /* a loop has ended without a recurrence */
    bool shown;     /* a loop has ended: a param that ends none shows nothing */
    int64_t period; /* least common multiple of the recurrences found */
} zl_watch_param;

typedef struct zl_watch {
    zl_watch_param *params;
    int32_t *rings;     /* per bar, smem, tmem, other: the param whose loops it turns with; -1: none; then
                           the param that its indices are counted with */
    int32_t *parents;   /* per param: the param of the loop whose counter it multiplies; ZL_NO_PARENT .. */
    int32_t *origins;   /* of the same in one role: the loop that it was used in last */
    int32_t *outer;     /* per event: the outermost loop around it, counted in its role; -1: none */
    uint32_t *stretch;  /* per instance: the first of its stretches, an outermost loop each */
    uint32_t stretches;
    uint16_t *group;    /* per stretch: those that share rings move together */
    uint16_t *ring_group; /* per ring and block */
    uint32_t groups;
    int64_t *bases;     /* per group and param: where positions are counted from in a state */
    int32_t *state;     /* being written: room for the greatest */
    uint64_t hash;      /* of its structure */
    uint32_t filled;    /* stages that have been written so far */
    size_t size, room;
    zl_cond *items;     /* values that clocks are compared with, by component */
    size_t items_count, items_room;
    int32_t *order;     /* components in canonical order */
    int32_t *column;    /* and the reverse */
    zl_tick *levels;    /* distinct values of items, in rows of components */
    uint32_t levels_room;
    uint16_t *counts;   /* of the levels of each component */
    uint16_t *heights;  /* the most in each vector of components */
    zl_tick *turned;    /* a clock in canonical order */
    uint32_t *waits, *names; /* per role and bar: from these events on it does so no more */
    uint32_t *asks;     /* per role: from this event on it checks nothing */
    bool *comers;       /* bars x blocks x instances: those that arrive there */
    zl_tick *least;     /* the meet of the clocks of all threads that may still ask */
} zl_watch;

static inline uint32_t zl_rings(const zlay_pipe *p)
{
    return p->bars_count + p->smems_count + p->tmems_count + p->others_count;
}

/* The common period of two: their least common multiple. */
static inline int64_t zl_period(int64_t a, int64_t b)
{
    return a / (int64_t)zl_gcd((uint64_t)a, (uint64_t)b) * b;
}

void zl_watch_find_stretches(zl_run *r);
void zl_watch_find_rings(zl_run *r);
void zl_watch_find_groups(zl_run *r);
/* Finds which roles may still wait at, arrive at, or ask anything, and until where. */
void zl_watch_find_asks(zl_run *r);
/* The group of the loop that an instance is in. */
static inline uint32_t zl_watch_group(const zl_run *r, const zl_instance *i)
{
    const zl_watch *w = r->watch;
    uint32_t stretch = w->stretch[i - r->instances] + (uint32_t)w->outer[i->loop[0]];
    return w->group[stretch];
}

zlay_status zl_watch_new(zl_run *r);
void zl_watch_reset(zl_run *r);
void zl_watch_begin(zl_run *r, zl_instance *i);
void zl_watch_head(zl_run *r, zl_instance *i);
void zl_watch_end(zl_run *r, zl_instance *i, uint32_t depth);
void zl_watch_empty(zl_run *r, const zl_event *loop);

#endif
