/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/places.h - where the values of a tile program lie: registers, shared
 *  memory, another block's shared memory, tensor memory, global memory.
 *
 *  A tile program is what one block does with tiles: values, and operations in
 *  order.  A form says in which places an operation takes its operands and
 *  leaves its results; a move brings a value from one place to another.  Forms
 *  and moves are rows of data by target (docs/places.md).
 *
 *  By hand.  One product on sm_90a: A and B begin in global memory, D is wanted
 *  there.  wgmma takes A from registers or shared memory, B from shared memory,
 *  and leaves D in registers.  So B moves to shared memory.  A costs as much in
 *  either place: threads' loads pass the path of shared memory too.  It goes to
 *  shared memory, for there an engine brings it.  D has two ways back, straight
 *  or through shared memory; the straight one moves fewer bytes.
 *
 *  The lattice.  A state gives each value a set of places and each operation a
 *  set of forms; states are ordered by inclusion.  Three functions make sets
 *  smaller: a value is in a place that a form leaves it in or a move from such
 *  a place reaches, and that has room for it; a form stays only where each of
 *  its operands and results may be in a place that it names; a form leaves a
 *  result only where every use of that result can be reached from.  Each is
 *  monotone, so there is one greatest fixed point, and the order in which the
 *  functions are applied does not matter.
 */
#ifndef ZLAY_PLACES_H
#define ZLAY_PLACES_H

#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Places, as bits of a set. */
enum {
    ZLAY_PLACE_REGISTER = 1,
    ZLAY_PLACE_SHARED = 2,  /* shared memory of the block */
    ZLAY_PLACE_CLUSTER = 4, /* that of another block of the cluster */
    ZLAY_PLACE_TENSOR = 8,  /* tensor memory */
    ZLAY_PLACE_GLOBAL = 16,
    ZLAY_PLACE_KINDS = 5
};

enum {
    ZLAY_PLACES_VALUES = 32,
    ZLAY_PLACES_OPERATIONS = 24,
    ZLAY_PLACES_READS = 6,
    ZLAY_PLACES_WRITES = 3
};

/** A tile of a block. */
typedef struct zlay_places_value {
    const char *name;       /* for messages and text; at most 64 bytes */
    uint32_t rows, columns; /* at least 1 */
    uint32_t bits;          /* of an element, 1 to 64 */
    uint32_t depth;         /* how many are kept at a time where it is made or comes from
                               global memory: stages of a ring; 0: 1 */
    uint64_t times;         /* how many of them a block makes; 0: 1 */
    uint32_t from;          /* the place where it is at the beginning; 0: an operation
                               writes it */
    uint32_t to;            /* places, in one of which it is wanted at the end; 0: none */
    uint32_t same;          /* bit d: blocks along dimension d of the grid read the same
                               tile.  Of values from global memory. */
    uint32_t reserved;      /* 0 */
} zlay_places_value;

/** What is done with tiles. */
typedef struct zlay_places_operation {
    const char *form; /* "wgmma"; or a kind: "product" is the target's own form */
    uint32_t reads, writes;
    uint32_t read[ZLAY_PLACES_READS];   /* numbers of values, as the form orders them */
    uint32_t write[ZLAY_PLACES_WRITES];
    uint32_t reserved; /* 0 */
} zlay_places_operation;

/** What zlay_places_find reads. */
typedef struct zlay_places_request {
    uint32_t size; /* sizeof(zlay_places_request) */
    uint32_t values, operations;
    uint32_t loop_first, loop_count; /* operations that are repeated; count 0: none */
    uint32_t threads;   /* that hold values in registers; 0: 128 */
    uint32_t registers; /* of 32 bits that a thread has for them; 0: the target's most */
    uint32_t tmem;      /* columns, a power of two from 32 to 512; 0: 512 */
    uint64_t smem;      /* bytes; 0: the target's most */
    uint64_t grid[3];   /* blocks; all 0: nothing is known of them */
    uint32_t cluster;   /* most blocks of a cluster; 0: what every such device runs */
    uint32_t has_cost;  /* 1: cost is the caller's */
    uint32_t cost[ZLAY_PLACE_KINDS]; /* of a byte read from or written to each place,
                           in the order of their bits: millionths of a cycle, below 2^20;
                           has_cost 0: those of the machine (zlay/machine.h) */
    uint32_t pad;       /* 0 */
    const zlay_places_value *value;
    const zlay_places_operation *operation;
    uint64_t reserved[4]; /* 0 */
} zlay_places_request;

/** A value in the answer. */
typedef struct zlay_places_home {
    uint32_t may;  /* the fixed point: places that it may have */
    uint32_t home; /* where it is made, or begins */
    uint32_t has;  /* the places that it has, home among them */
    uint32_t end;  /* the one of `to` in which it is at the end; 0 */
    uint32_t source[ZLAY_PLACE_KINDS]; /* by place: the one from which a move brings it; 0 */
    uint32_t blocks; /* a copy from global to shared memory serves so many blocks */
    uint64_t bytes;  /* of one tile */
    uint32_t smem;   /* its first byte of shared memory; UINT32_MAX: it has none */
    uint32_t remote; /* its first byte in another block; UINT32_MAX: it has none */
    uint32_t column; /* its first column of tensor memory; UINT32_MAX: it has none */
} zlay_places_home;

/** An operation in the answer. */
typedef struct zlay_places_use {
    uint32_t form; /* number of a row, see zlay_places_form_name */
    uint32_t read[ZLAY_PLACES_READS];   /* the place of each operand ... */
    uint32_t write[ZLAY_PLACES_WRITES]; /* ... and result */
} zlay_places_use;

/** Places, by value. */
typedef struct zlay_places {
    uint32_t values, operations;
    uint64_t cost;        /* millionths of a cycle of a processor */
    uint64_t lower_bound; /* proved: no choice costs less */
    uint32_t optimal;     /* 1: cost == lower_bound, and no choice of that cost has
                             fewer moves */
    uint32_t moves;       /* of all values */
    uint64_t moved[ZLAY_PLACE_KINDS]; /* bytes read from and written to each place */
    uint64_t smem;        /* bytes that are packed */
    uint32_t registers;   /* of a thread, in the step that has most */
    uint32_t tmem;        /* columns of one allocation; 0: none */
    uint32_t cluster[3];  /* blocks */
    uint32_t pad;
    uint64_t global_read; /* bytes that all blocks of the grid read from L2 ... */
    uint64_t global_alone; /* ... and would without copies for several blocks */
    uint64_t tried;       /* nodes of the search */
    zlay_places_home value[ZLAY_PLACES_VALUES];
    zlay_places_use operation[ZLAY_PLACES_OPERATIONS];
} zlay_places;

/** Find the places of every value: of all choices that fit into shared memory,
 *  tensor memory and registers, and of all shapes of a cluster, the one whose
 *  operations and moves read and write at least cost, then in fewest moves, of
 *  which those that threads carry count twice, then in the smallest cluster.
 *  A move reads each byte of a value's tiles in one place and writes it in
 *  another; an operation, done as often as there are tiles of the value of which
 *  it has most, reads its operands each time, and writes each tile once.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the message names the value that has no place,
 *           or the capacity that does not do and the least that would;
 *           ZLAY_EINVAL the message names the field; ZLAY_EOVERFLOW bytes times
 *           `times` pass 2^36; ZLAY_ELIMIT nothing was found in limits.points
 *           nodes; ZLAY_ENOMEM.
 *  Out:     out  `optimal` is 0 where limits.points ended the search.
 *  In:      request  borrowed.  A value is read where it is alive: behind the
 *                operation that writes it, or, in a loop, before it, the one of
 *                the round before.
 */
ZLAY_API zlay_status zlay_places_find(zlay_ctx *ctx, zlay_places *out,
                                      const zlay_target *target,
                                      const zlay_places_request *request);

/** The mask of blocks that a block's copy of a value goes to.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE the block issues no copy of it for others: another
 *           block does, or each copies for itself; ZLAY_EINVAL.
 *  Out:     mask  bit r: the block of rank r, x the fastest.
 *           rows  that the copy brings, from row *first on; NULL: not asked.
 *  In:      request  the one that the places answer; value, rank below their numbers.
 */
ZLAY_API zlay_status zlay_places_mask(uint32_t *mask, uint32_t *first, uint32_t *rows,
                                      const zlay_places *places,
                                      const zlay_places_request *request, uint32_t value,
                                      uint32_t rank);

/** Print what was chosen as a table.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM; ZLAY_EINVAL.
 *  In:      places, request  the answer and its question.
 */
ZLAY_API zlay_status zlay_places_print(zlay_buf *buf, const zlay_places *places,
                                       const zlay_target *target,
                                       const zlay_places_request *request);

/** The name of a place, one bit, as "shared"; NULL: it is none. */
ZLAY_API const char *zlay_place_name(uint32_t place);

/** The name of a form's row, as "wgmma"; NULL past the last. */
ZLAY_API const char *zlay_places_form_name(uint32_t form);

/** The name of what moves a value on a target; NULL: there is no such move. */
ZLAY_API const char *zlay_places_move_name(const zlay_target *target, uint32_t from,
                                           uint32_t to);

#ifdef __cplusplus
}
#endif
#endif
