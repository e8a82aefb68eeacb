/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of stream-K. The pipe that is proved has a block and, as another of its cluster, all others; what is printed is the
 * first, for every block of a grid without clusters. */
#ifndef ZL_PT_UNITS_H
#define ZL_PT_UNITS_H

#include "emit/pipe/pipe.h"

/* Whether a role is printed; blocks of the printed cluster. */
bool zl_pt_units_printed(const zl_pipe_text *k, const zl_role *role);
uint32_t zl_pt_blocks(const zl_pipe_text *k);

void zl_pt_units_declare(zl_pipe_text *k);
/* Blocks behind those that have work leave at once; a role that loops over tiles computes which are its block's. */
void zl_pt_units_leave(zl_pipe_text *k);
void zl_pt_units_begin(zl_pipe_text *k);

/* Whether a loop runs over the tiles of a unit, or a part of them; whether a param counts the steps of each. */
bool zl_pt_units_loop(const zl_pipe_text *k, const zl_event *loop);
bool zl_pt_units_counts(const zl_pipe_text *k, int32_t param);
/* The tile of an iteration, its place, and the number of its steps. */
void zl_pt_units_place(zl_pipe_text *k, const char *trips);
/* The step of a tile along K, of a step of the block's part of it; NULL stays so. */
const char *zl_pt_units_step(zl_pipe_text *k, const char *step);
/* Register `to`: where a global or a flag of the name lies in the workspace; false: there is none. */
bool zl_pt_units_other(zl_pipe_text *k, const char *to, const char *name);

#endif
