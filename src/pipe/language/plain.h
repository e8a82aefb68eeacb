/* SPDX-License-Identifier: Apache-2.0 */
/* A pipe in the form that verifiers run: numbers that bound loops or scale positions are
 * params of one value. */
#ifndef ZL_PLAIN_H
#define ZL_PLAIN_H

#include "pipe/language/pipe.h"

/* A loop over more positions than this is not run through: what repeats in shorter trips stands for it. */
enum { ZL_FAR_TRIPS = 256 };

static inline bool zl_param_is_far(const zl_param *param) { return param->least > ZL_FAR_TRIPS; }

/* *out: the same pipe, or one in zl_scratch memory that shares everything with it but its params
 * and events, which keep their indices and lines.
 * ZLAY_ELIMIT: more params than a pipe may have; ZLAY_ENOMEM. */
zlay_status zl_pipe_plain(zlay_ctx *ctx, const zlay_pipe **out, const zlay_pipe *pipe);

#endif
