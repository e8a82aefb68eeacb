/* SPDX-License-Identifier: Apache-2.0 */
/* Trip counts that each iteration has for itself. */
#ifndef ZL_PT_ITERATION_H
#define ZL_PT_ITERATION_H

#include "emit/pipe/pipe.h"

/* Counts of each iteration (`param N 0.. of T`): a role has that of the iteration it is in, in trips_N, and the sum of those
 * before it, in begun_N. They come from an array, the argument counts_N, unless the request has a count for the param. */
bool zl_pt_listed(const zl_pipe_text *k, int32_t param);
void zl_pt_iterations_declare(zl_pipe_text *k);
/* Before a loop, where an iteration begins, and where it ends. */
void zl_pt_iterations_begin(zl_pipe_text *k, const zl_event *loop);
void zl_pt_iteration_begin(zl_pipe_text *k, const zl_event *loop);
void zl_pt_iteration_end(zl_pipe_text *k, const zl_event *loop);

/* A loop over the tiles of a block: its range; its first tile; the place of a tile where its iteration begins; the next tile. */
zl_pt_range zl_pt_turns_range(zl_pipe_text *k, char room[24]);
void zl_pt_turns_first(zl_pipe_text *k);
void zl_pt_turns_place(zl_pipe_text *k);
void zl_pt_turns_next(zl_pipe_text *k);

#endif
