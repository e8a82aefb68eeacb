/* SPDX-License-Identifier: Apache-2.0 */
/* Trip counts that each iteration has for itself, and iterations that an instance leaves out. */
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

/* Whether an instance of the role may have no rows of a tile's group: `busy` or `idle` holds; whether the role then loads less. */
bool zl_pt_tiles_spare(const zl_pipe_text *k);
bool zl_pt_tiles_spared(const zl_pipe_text *k);
/* A loop over such tiles: where an iteration begins; where it ends, whether
 * its events are printed again, for such an instance; and then which events are left out. */
void zl_pt_spare_begin(zl_pipe_text *k, const zl_event *loop);
bool zl_pt_spare_again(zl_pipe_text *k, const zl_event *loop);
bool zl_pt_spare_leaves(const zl_pipe_text *k, const zl_event *event);

#endif
