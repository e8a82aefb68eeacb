/* SPDX-License-Identifier: Apache-2.0 */
/* The entrance to the checker of proofs by runs (src/pipe/replay), for recheck.c and for tests that
 * try one run. */
#ifndef ZL_RECHECK_RUNS_H
#define ZL_RECHECK_RUNS_H

#include "pipe/language/pipe.h"

/* ZLAY_OK with YES; NO and a message that names the line of the proof; UNDECIDED and a message that
 * names the limit.  ZLAY_ENOMEM. */
zlay_status zl_rc_runs(zlay_ctx *ctx, zlay_answer *answer, const zlay_pipe *pipe, const char *proof,
                       size_t length);

/* One run with these values of the params, in a call of its own: the rule that it breaks, 0 none. */
zlay_status zl_rc_try(zlay_ctx *ctx, int32_t *rule, const zlay_pipe *pipe, const int64_t *values);

#endif
