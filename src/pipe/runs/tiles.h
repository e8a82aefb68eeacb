/* SPDX-License-Identifier: Apache-2.0 */
/* The search where each iteration of a loop has a trip count of its own. */
#ifndef ZL_RUN_TILES_H
#define ZL_RUN_TILES_H

#include "pipe/runs/state/search.h"
#include "pipe/runs/verify.h"

/* Room for the counts of a param that each iteration of another has for itself, in r->tiles; false where memory is missing. */
bool zl_tiles_make(zl_run *r, int32_t count);
/* Decides by the graph of states at the frontier; the fault, or the limit, is in s->run. */
void zl_tiles_search(zl_pipe_search *s);
/* The graph as a proof, of the zl_pipe_search that `value` is. */
void zl_tiles_write(zl_text *out, const void *value);
/* The counts of the run that has the fault. */
void zl_tiles_note(const zl_pipe_search *s, zl_verdict *verdict);

#endif
