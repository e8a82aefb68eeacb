/* SPDX-License-Identifier: Apache-2.0 */
/* Which tiles a block of the grid has: in turn with other blocks, a part of them by stream-K, or one among packed sequences. */
#ifndef ZL_EMIT_PIPE_BLOCKS_H
#define ZL_EMIT_PIPE_BLOCKS_H

#include "emit/pipe/say.h"
#include "pipe/language/pipe.h"
#include <zlay/emit_pipe.h>

/* Tiles of a matrix that the blocks of a grid take in turn: block b of g takes tiles b, b + g and so on. Tiles are numbered
 * along the rows of a band, then across its columns, band by band, so that blocks that run together share rows and
 * columns in L2. */
typedef struct zl_pt_tiles {
    const char *param; /* trip count of the loop over a block's tiles, from 0 on; axes T.row and T.column are the tile's place */
    uint64_t rows, columns;
    const char *neighbours; /* "row" or "column": blocks of a cluster take neighbours there, one number; NULL: they share a tile */
    uint32_t band;          /* rows */
    uint32_t height, width; /* elements of a tile */
    const char *offsets;    /* the argument with where each of `groups` matrices begins and the last ends; NULL: one. T.group, T.begin, T.end */
    uint32_t groups, most, share; /* matrices below each other, their rows at most; a tile's of each instance */
    /* 0, or tiles have as many rows as there are, in slices that copies move each, of so many bytes of a stage, and in steps of
     * products' columns: the axis T.column counts slices, and T.row what `columns` are. */
    uint32_t slice, slice_bytes, step;
    const char *counter, *message; /* NULL, or blocks take the next tile when they are free: the argument with a word that counts tiles,
                                    * 0 before and after, and the shared buffer in which the producer tells what it took */
    uint32_t deep;   /* 0, or groups have rows of K, so many in a step, and each has `rows` of tiles; the loop over them has a count of each */
    uint32_t spared; /* bytes of part 1 of a stage, rows of the last of two instances, left out where it has none; 0: none are */
} zl_pt_tiles;

/* A place in the workspace of units, in the bytes of a block: those of the block, or of the one before. */
enum { ZL_PT_UNIT_PLACES = 4 };
typedef struct zl_pt_unit_place {
    const char *name; /* a global or a flag of the pipe */
    uint32_t at, each; /* in the bytes of a block; bytes from one instance to the next */
    bool before;
} zl_pt_unit_place;

/* Units of stream-K: the tiles of the plan are divided among blocks, also within a tile. */
typedef struct zl_pt_units {
    uint32_t steps;        /* of a tile, at least 2 */
    uint32_t blocks;       /* that have work at most, no more than tiles */
    const char *workspace; /* the argument */
    uint32_t pitch;        /* bytes of a block there */
    zl_pt_unit_place place[ZL_PT_UNIT_PLACES];
} zl_pt_units;

/* Packed sequences (sequences.c): persistent blocks claim tiles, whose sequence, head and number in it `block.z`, `block.y` and
 * `block` name. */
#define ZL_PT_NEXT_TILE "next_tile" /* the argument: the counter of claims */
typedef struct zl_pt_sequences {
    const char *queries;   /* the lengths that have where sequences begin */
    const char *steps;     /* the param that each tile has a count of */
    const char *told;      /* the mbarrier behind which roles know their tile: of the stage that is filled once for each */
    uint32_t count, heads;
    uint32_t rows, keys;   /* of all sequences together, at most */
    uint32_t height;       /* rows of a tile */
    uint32_t beside;       /* heads whose tiles are neighbours; divides `heads` */
    uint32_t low, least;   /* sequences of at least `low` rows come first, then those of a fourth, and so on; what is below `least` is 0 */
} zl_pt_sequences;

/* Tiles: registers for them, whether a param counts them, how many the block has, whether a loop is that over tiles, its
 * range, its first number and its step, and the place of the tile where an iteration begins; of groups, their search. */
void zl_pt_tiles_declare(zl_pipe_text *k);
bool zl_pt_tiles_counted(const zl_pipe_text *k, int32_t param);
void zl_pt_tiles_count(zl_pipe_text *k, const char *trips);
bool zl_pt_tiles_loop(const zl_pipe_text *k, const zl_event *loop);
zl_pt_range zl_pt_tiles_range(const zl_pipe_text *k, char room[24]);
void zl_pt_tiles_first(zl_pipe_text *k);
void zl_pt_tiles_step(zl_pipe_text *k);
void zl_pt_tiles_next(zl_pipe_text *k);
/* Whether an instance of the role may have no rows of a tile's group: `busy` or `idle` holds; whether the role then loads less. */
bool zl_pt_tiles_spare(const zl_pipe_text *k);
bool zl_pt_tiles_spared(const zl_pipe_text *k);
/* Rows of a slice, 0 where tiles have one height; rows from the tile's first to that of a copy, beside the first of its move. */
uint32_t zl_pt_tiles_slice(const zl_pipe_text *k);
/* Whether a param counts the steps of each tile of groups that have rows of K; then that number. */
bool zl_pt_tiles_counts(const zl_pipe_text *k, int32_t param);
void zl_pt_tiles_steps(zl_pipe_text *k, const char *trips);
/* Whether blocks take tiles from a counter; prints an event of the message that tells which, false: it is of another buffer. */
bool zl_pt_tiles_taken(const zl_pipe_text *k);
bool zl_pt_tiles_message(zl_pipe_text *k, const zl_event *event);
uint32_t zl_pt_tiles_behind(const zl_pipe_text *k, const zlay_pipe_move *move, const zlay_copy *first, const zlay_copy *copy);
void zl_pt_tiles_place(zl_pipe_text *k);
/* Register `to`: the first row or column of the tile, in elements, or its group, as a position of a body names it (ZL_POS_TILE_*). */
void zl_pt_tiles_at(zl_pipe_text *k, const char *to, int32_t position);
/* The register of the tile's row or column where a text begins with that axis; NULL: with none. */
const char *zl_pt_tiles_axis(const zl_pipe_text *k, const char *text, const char **rest);

/* Prints the events of a loop's body, by what prints events of the role; of a loop over tiles perhaps more than once; accumulators. */
typedef void zl_pt_events(zl_pipe_text *k, uint32_t begin, uint32_t end);
void zl_pt_loop_body(zl_pipe_text *k, const zl_event *loop, zl_pt_events *events);
void zl_pt_sums_declare(zl_pipe_text *k);
/* Whether an event of an instance without rows is left out. */
bool zl_pt_is_idle(const zl_pipe_text *k, const zl_event *event);

/* Blocks of stream-K. The pipe that is proved has a block and, as another of its cluster, all others; what is printed is the first, for
 * every block of a grid without clusters: its roles, and the blocks of the printed cluster. */
bool zl_pt_units_printed(const zl_pipe_text *k, const zl_role *role);
/* Blocks behind those that have work leave at once; a role that loops over tiles computes which are its block's. */
void zl_pt_units_declare(zl_pipe_text *k);
void zl_pt_units_leave(zl_pipe_text *k);
void zl_pt_units_begin(zl_pipe_text *k);
/* Whether a loop runs over the tiles of a unit, or a part of them; whether a param counts the steps of each; then the tile of an
 * iteration, its place, and the number of its steps. */
bool zl_pt_units_loop(const zl_pipe_text *k, const zl_event *loop);
bool zl_pt_units_counts(const zl_pipe_text *k, int32_t param);
void zl_pt_units_place(zl_pipe_text *k, const char *trips);
/* The step of a tile along K, of a step of the block's part of it, NULL of NULL; and `to`, where a global or a flag of the name lies
 * in the workspace: false where there is none. */
const char *zl_pt_units_step(zl_pipe_text *k, const char *step);
bool zl_pt_units_other(zl_pipe_text *k, const char *to, const char *name);

/* Packed sequences: registers; the search of the block's first tile; a tile's place and counts, and the claim of the next. Those are of
 * the role of one thread, which tells them before an arrival, and the others hear them behind a wait. */
void zl_pt_sequences_declare(zl_pipe_text *k);
void zl_pt_sequences_first(zl_pipe_text *k);
void zl_pt_sequences_place(zl_pipe_text *k);
void zl_pt_sequences_tell(zl_pipe_text *k, const zl_event *event);
void zl_pt_sequences_hear(zl_pipe_text *k, const zl_event *event);

#endif
