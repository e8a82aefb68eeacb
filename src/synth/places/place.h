/* SPDX-License-Identifier: Apache-2.0 */
/* A tile program on a target while its places are found: the problem as it was read, the state of
 * the fixed point, and a choice.  Places are numbered in the order of their bits. */
#ifndef ZL_PLACE_H
#define ZL_PLACE_H

#include "base/base.h"
#include "synth/tmem/tmem_pack.h"
#include "target/target.h"

#include <zlay/machine.h>
#include <zlay/places.h>

enum {
    ZL_REGISTER,
    ZL_SHARED,
    ZL_CLUSTER,
    ZL_TENSOR,
    ZL_GLOBAL,
    ZL_PLACES = ZLAY_PLACE_KINDS,
    ZL_PLACE_SETS = 1 << ZL_PLACES,
    ZL_NOWHERE = UINT8_MAX,
    ZL_OPERANDS = 5,   /* that a row of forms.def lists */
    ZL_PLACE_UNIT = 128, /* bytes in which shared memory is packed */
    ZL_TREES_MOST = 1024
};

/* A row of forms.def. */
typedef struct zl_place_form {
    const char *name, *kind;
    uint32_t tier, needs, least;
    uint8_t operand[ZL_OPERANDS], rest; /* sets of places */
    int32_t sum;                        /* -1: none */
    uint8_t result;                     /* one place, as a bit */
    bool in_place;
} zl_place_form;

/* A row of moves.def; `by` NULL: there is no such move. */
typedef struct zl_place_move {
    const char *by;
    uint32_t path;    /* passes of the data path of shared memory and L1 */
    uint32_t carried; /* 2 by threads, 1 by an engine */
} zl_place_move;

/* A cost, then a number of moves, of which those count twice that threads carry: choices are
 * compared in this order. */
typedef struct zl_place_cost {
    uint64_t cost;
    uint32_t moves;
} zl_place_cost;

static inline bool zl_cost_less(zl_place_cost a, zl_place_cost b)
{
    return a.cost != b.cost ? a.cost < b.cost : a.moves < b.moves;
}

static inline zl_place_cost zl_cost_sum(zl_place_cost a, zl_place_cost b)
{
    return (zl_place_cost){a.cost + b.cost, a.moves + b.moves};
}

static inline zl_place_cost zl_cost_less_by(zl_place_cost a, zl_place_cost b)
{
    return (zl_place_cost){a.cost - b.cost, a.moves - b.moves};
}

/* Moves of a value: by place the one that it is brought from, itself at home, ZL_NOWHERE where it
 * is not. */
typedef struct zl_place_tree {
    uint8_t source[ZL_PLACES], home, has, leaves; /* leaves: places that no move reads */
} zl_place_tree;

/* A use of a value: operand `i` of an operation, or what is wanted at the end. */
typedef struct zl_place_reader {
    uint8_t op, i; /* op: the number of operations at the end */
} zl_place_reader;

enum { ZL_READERS_MOST = ZLAY_PLACES_OPERATIONS * ZLAY_PLACES_READS + 1 };

typedef struct zl_place_value {
    uint64_t bytes, weight; /* of one tile; of all that a block makes */
    uint32_t fits, may;     /* places that have room for it; the fixed point */
    uint32_t homes;         /* of these, where it may be made */
    uint32_t writer;        /* UINT32_MAX: it is there at the beginning */
    uint32_t depth;
    uint32_t room[ZL_PLACES]; /* of one tile: units of shared memory, registers, columns */
    uint32_t group;           /* blocks that a copy to shared memory serves */
    uint32_t readers;
    zl_place_reader reader[ZL_READERS_MOST];
} zl_place_value;

typedef struct zl_place_program {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_places_request r;
    uint32_t moves[ZL_PLACES];    /* by source, the places that a move goes to */
    zl_place_move move[ZL_PLACES][ZL_PLACES];
    uint64_t cost[ZL_PLACES];     /* of a byte */
    uint32_t capacity[ZL_PLACES]; /* in the units of `room` */
    uint32_t open;                /* places that there are in the shape that is tried: the cluster
                                     where it has several blocks */
    uint32_t rows[ZLAY_PLACES_OPERATIONS];  /* that an operation asks for, as bits */
    uint32_t forms[ZLAY_PLACES_OPERATIONS]; /* of these, the fixed point */
    uint64_t runs[ZLAY_PLACES_OPERATIONS];  /* how often each is done */
    zl_place_value value[ZLAY_PLACES_VALUES];
    uint32_t trees;
    zl_place_tree tree[ZL_TREES_MOST]; /* of all homes */
} zl_place_program;

/* What a search decides: form, operand's places, homes, wanted places and trees. */
typedef struct zl_place_choice {
    uint8_t form[ZLAY_PLACES_OPERATIONS];
    uint8_t read[ZLAY_PLACES_OPERATIONS + 1][ZLAY_PLACES_VALUES]; /* the last row: at the end, by
                                                                     value */
    zl_place_tree tree[ZLAY_PLACES_VALUES];
} zl_place_choice;

/* ---- rows ---------------------------------------------------------------------------------- */

const zl_place_form *zl_place_form_at(uint32_t i); /* NULL past the last */

/* The rows that a program's word means on a target, as bits; 0: none there; *known: on any. */
uint32_t zl_place_forms(const zlay_target *target, const char *word, bool *known);
zl_place_move zl_place_move_of(const zlay_target *target, uint32_t from, uint32_t to);
const char *zl_place_name_of(uint32_t place);
uint64_t zl_place_byte(const zlay_machine *machine, uint32_t place); /* its cost, in millionths
                                                                        of a cycle */

/* The places in which a form takes its operand; 0: it takes no such operand. */
uint32_t zl_place_operand(const zl_place_form *form, uint32_t i);

/* "'NAME'", or the number of a value without a name; `out` has room for 96 bytes. */
const char *zl_place_value_name(char *out, const zl_place_program *p, uint32_t v);

/* "shared or registers": names of a set; `out` has room for 96 bytes. */
const char *zl_place_set_name(char *out, uint32_t set);

/* ---- parts --------------------------------------------------------------------------------- */

zlay_status zl_place_read(zl_place_program *p, const zlay_target *target,
                            const zlay_places_request *request);

/* The units that a capacity of the request's comes to. */
void zl_place_capacity(zl_place_program *p);

/* The fixed point under the capacities, into `fits`, `may`, `homes` and `forms`; NONE names the
 * value without a place. */
zlay_status zl_place_fixed(zl_place_program *p);
uint32_t zl_place_reach(const zl_place_program *p, uint32_t v, uint32_t homes);
uint32_t zl_place_readable(const zl_place_program *p, uint32_t v, const zl_place_reader *reader);

/* All trees of moves that a target has. */
void zl_place_trees(zl_place_program *p);
zl_place_cost zl_place_move_cost(const zl_place_program *p, uint32_t v, uint32_t from, uint32_t to);
zl_place_cost zl_place_tree_cost(const zl_place_program *p, uint32_t v, const zl_place_tree *tree);
zl_place_cost zl_place_read_cost(const zl_place_program *p, uint32_t v,
                                 const zl_place_reader *reader, uint32_t place);
zl_place_cost zl_place_write_cost(const zl_place_program *p, uint32_t v, uint32_t home);

/* When a value gets to each place, and the steps, as bits, in which it is there. */
typedef struct zl_place_lives {
    uint32_t from[ZL_PLACES]; /* a step */
    uint32_t tiles[ZL_PLACES];
    uint64_t own[ZL_PLACES]; /* by what it is read for */
    uint64_t all[ZL_PLACES]; /* the entire loop where that is kept */
} zl_place_lives;
void zl_place_live(const zl_place_program *p, const zl_place_choice *choice, uint32_t v,
                   zl_place_lives *out);

/* Whether the rounds of a loop read one tile of a sum that an operation adds to where it lies: the
 * first round would take it from the others. */
bool zl_place_added_again(const zl_place_program *p, uint32_t sum, uint32_t o);

/* What a choice takes of each kind of memory. */
typedef struct zl_place_room {
    uint32_t peak[ZL_PLACES];              /* most that is alive in one step, in units */
    uint32_t used[ZL_PLACES];              /* after packing */
    uint32_t at[ZL_PLACES][ZLAY_PLACES_VALUES]; /* where each lies */
} zl_place_room;

/* Whether the values of `which` fit in every step; with room packed too.  OK; NONE; ELIMIT: the
 * packing's search was ended. */
zlay_status zl_place_fit(const zl_place_program *p, const zl_place_choice *choice, uint64_t which,
                         zl_place_room *room);

/* The best choice under the groups of all values that is below *best; NONE: there is none. */
typedef struct zl_place_search {
    zl_place_program *p;
    zl_place_cost best, bound; /* bound: of all choices, proved */
    zl_place_choice choice;          /* the best */
    bool found, cut, any;      /* cut: a limit ended a part; any: the first is enough */
    uint64_t tried, most;
} zl_place_search;
zlay_status zl_place_best(zl_place_search *s);

/* The same over all shapes of a cluster. */
zlay_status zl_place_shapes(zl_place_search *s, uint32_t *cluster);
uint32_t zl_place_group(const zlay_places_value *value, const uint32_t *cluster);
bool zl_place_clusters(const zl_place_program *p); /* whether some shape has several blocks */

/* NONE, with the least capacity that would do. */
zlay_status zl_place_least(zl_place_search *s);

#endif
