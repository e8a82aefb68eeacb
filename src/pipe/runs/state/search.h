/* SPDX-License-Identifier: Apache-2.0 */
/* The search over param values that verify.c, params.c and table.c share: how each param is
 * treated, and what the runs have shown. */
#ifndef ZL_RUN_SEARCH_H
#define ZL_RUN_SEARCH_H

#include "pipe/runs/state/watch.h"

enum { ZL_SEARCH_PARAMS = 3 }; /* but the endless one */

typedef struct zl_trips {
    int32_t param;
    int64_t value, repeated; /* how many successive values repeated */
    int64_t period;
    bool repeats, shown;     /* so far at this value: no loop ended without repeating, and some loop ended */
} zl_trips;

/* What the runs with one choice of values of all params but the endless one have shown. */
typedef struct zl_shown {
    int64_t value[ZL_SEARCH_PARAMS], period[ZL_SEARCH_PARAMS]; /* period 0: not looked for, or
                                                                  not found */
    int64_t seen, again;                   /* of the endless one: trip counts run, period */
} zl_shown;

/* Where each count of a next iteration leads from a state. */
typedef struct zl_tile_way {
    uint32_t *to, counts; /* nodes, of the counts from the least on; none is behind the last iteration */
    int64_t period;       /* of the last of them, which stand for all greater ones; 0: there are no greater ones */
} zl_tile_way;

/* A state at the frontier (zl_tiles). The next iteration may be one before the tail, or one of the tail: the last iterations, which
 * parts of the loops have for themselves. */
enum { ZL_BEFORE_TAIL, ZL_OF_TAIL, ZL_TILE_WAYS };
typedef struct zl_tile_node {
    uint32_t former;    /* the node that it was met from first, by this count */
    int64_t count, iterations;
    int64_t tail;       /* how many of the iterations are of the tail; 0: it is not known how many follow */
    char *kept;         /* the run */
    int32_t *state;
    size_t size;
    uint64_t hash;
    zl_tile_way way[ZL_TILE_WAYS];
    bool ends;          /* that the loops end here was run */
} zl_tile_node;

typedef struct zl_tile_graph {
    zl_tile_node *nodes;
    uint32_t count, room;
} zl_tile_graph;

typedef struct zl_pipe_search {
    zl_run *run;
    zl_watch *watches[2];    /* of the endless run, and of those that branch off it */
    zl_trips param[ZL_SEARCH_PARAMS];     /* but the endless one */
    uint32_t count;
    int32_t endless;
    int32_t tile;            /* a param that each iteration of another has for itself; -1: none */
    zl_tile_graph *graph;
    uint32_t runs;
    int64_t near;            /* far params are run from this value on, and what repeats stands for their own values; 0: they are not */
    zl_shown *table;
    uint32_t table_count, table_room;
} zl_pipe_search;

/* Every param that an event names becomes the endless one or one of the others. */
void zl_search_params(zl_pipe_search *s, const zlay_pipe *p);
/* One more of the others; a limit where they are too many. */
void zl_search_add(zl_pipe_search *s, int32_t param);
/* A limit is reached at the first event that names the param. */
void zl_search_halt(zl_pipe_search *s, int32_t param, const char *because);

/* Adds a row for the run that has just ended; false where memory is missing. */
bool zl_search_note(zl_pipe_search *s);
/* The proof: all rows, of the zl_pipe_search that `value` is. */
void zl_search_write(zl_text *out, const void *value);

#endif
