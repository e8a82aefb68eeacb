/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the pipe of a plan: the text that the planner writes is parsed and proved. A planner whose pipe is refused is
 * wrong, so that is an internal error, which names the rule and the line. */
#include "pipe/language/parse.h"
#include "pipe/order/verify.h"

static zlay_status prove(zlay_ctx *ctx, const zlay_pipe *pipe)
{
    zlay_answer answer;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    zlay_status status = zl_verify_part(ctx, &answer, &reason, 1, &count, NULL, pipe);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    return zl_fail(ctx, ZLAY_EINTERNAL,
                   "the plan's pipe breaks %s in its line %u; please report this request",
                   zlay_pipe_rule_name(reason.rule), reason.line);
}

zlay_status zl_pipe_proved(zlay_ctx *ctx, zlay_pipe **out, zl_writer *write, const void *value)
{
    size_t length;
    const char *text = zl_print_scratch(ctx, &length, write, value);
    if (!text) return ZLAY_ENOMEM;
    zlay_status status = zl_pipe_parse(ctx, out, text, length);
    return status ? status : prove(ctx, *out);
}
