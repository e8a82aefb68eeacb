/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles that blocks take in turn, and of groups the rows that a tile has. */
#ifndef ZL_EMIT_PIPE_TILES_H
#define ZL_EMIT_PIPE_TILES_H

#include "emit/pipe/pipe.h"

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
/* Prints an event of the message; false: it is of another buffer. */
bool zl_pt_tiles_message(zl_pipe_text *k, const zl_event *event);
uint32_t zl_pt_tiles_behind(const zl_pipe_text *k, const zlay_pipe_move *move, const zlay_copy *first, const zlay_copy *copy);
void zl_pt_tiles_place(zl_pipe_text *k);
/* Register `to`: the first row or column of the tile, in elements, or its group, as a position of a body names it (ZL_POS_TILE_*). */
void zl_pt_tiles_at(zl_pipe_text *k, const char *to, int32_t position);
/* The register of the tile's row or column where a text begins with that axis; NULL: with none. */
const char *zl_pt_tiles_axis(const zl_pipe_text *k, const char *text, const char **rest);

/* Prints events of the role, loops with them (kernel.c); those in a loop, of a loop over tiles perhaps more than once; accumulators. */
void zl_pt_events(zl_pipe_text *k, uint32_t begin, uint32_t end);
void zl_pt_loop_body(zl_pipe_text *k, const zl_event *loop);
void zl_pt_sums_declare(zl_pipe_text *k);
/* Whether an event of an instance without rows is left out. */
bool zl_pt_is_idle(const zl_pipe_text *k, const zl_event *event);

#endif
