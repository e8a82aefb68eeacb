/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a verdict of the rules that is not YES into the status NONE, with the broken rule as
 * message. */
#include "synth/move/judge.h"

zlay_status zl_judged(zlay_ctx *ctx, const zlay_target *target, zlay_status status,
                      const zlay_verdict *verdict, const zlay_reason *reason)
{
    zlay_rule rule;
    if (status || verdict->answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason->rule);
    if (status) return status;
    return zl_fail(ctx, ZLAY_NONE, "%s: %s (target %s)", rule.id, rule.text,
                   zlay_target_name(target));
}
