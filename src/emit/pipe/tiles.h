/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles that blocks take in turn, and of groups the rows that a tile has. */
#ifndef ZL_EMIT_PIPE_TILES_H
#define ZL_EMIT_PIPE_TILES_H

#include "emit/pipe/pipe.h"

/* Tiles: registers for them, whether a param counts them, how many the block has, whether a loop is that over tiles, its
 * range, its first number and its step, and the place of the tile where an iteration begins; of groups, their search, and
 * whether an instance has products only where `busy` holds. */
void zl_pt_tiles_declare(zl_pipe_text *k);
bool zl_pt_tiles_counted(const zl_pipe_text *k, int32_t param);
void zl_pt_tiles_count(zl_pipe_text *k, const char *trips);
bool zl_pt_tiles_loop(const zl_pipe_text *k, const zl_event *loop);
zl_pt_range zl_pt_tiles_range(const zl_pipe_text *k, char room[24]);
void zl_pt_tiles_first(zl_pipe_text *k);
void zl_pt_tiles_step(zl_pipe_text *k);
void zl_pt_tiles_next(zl_pipe_text *k);
bool zl_pt_tiles_spare(const zl_pipe_text *k);
/* Rows of a slice, 0 where tiles have one height; rows from the tile's first to that of a copy, beside the first of its move. */
uint32_t zl_pt_tiles_slice(const zl_pipe_text *k);
/* Whether the loop's body is printed once for each width of its products: then k->width is the one at hand. */
bool zl_pt_tiles_widths(const zl_pipe_text *k, const zl_event *loop);
/* Prints an event of the message; false: it is of another buffer. */
bool zl_pt_tiles_message(zl_pipe_text *k, const zl_event *event);
uint32_t zl_pt_tiles_behind(const zl_pipe_text *k, const zlay_pipe_move *move, const zlay_copy *first, const zlay_copy *copy);
void zl_pt_tiles_place(zl_pipe_text *k);
/* Register `to`: the first row or column of the tile, in elements. */
void zl_pt_tiles_first_of(zl_pipe_text *k, const char *to, bool column);
/* The register of the tile's row or column where a text begins with that axis; NULL: with none. */
const char *zl_pt_tiles_axis(const zl_pipe_text *k, const char *text, const char **rest);

#endif
