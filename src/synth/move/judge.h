/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a plan where a verdict of the rules is not YES. */
#ifndef ZL_SYNTH_JUDGE_H
#define ZL_SYNTH_JUDGE_H

#include "base/base.h"
#include <zlay/rule.h>

/* The status of a check, and ZLAY_NONE with the rule where the answer is not yes. */
zlay_status zl_judged(zlay_ctx *ctx, const zlay_target *target, zlay_status status,
                      const zlay_verdict *verdict, const zlay_reason *reason);

#endif
