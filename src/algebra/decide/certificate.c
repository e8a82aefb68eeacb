/* SPDX-License-Identifier: Apache-2.0 */
/* Decides the certificate of a plan: a claim about layouts, as a rule that two of them are equal.
 * A planner that cannot show its claim gives no plan: the status says whether a limit or the
 * planner is the cause. */
#include "algebra/decide/certificate.h"
#include "algebra/decide/decide.h"
#include "base/base.h"

/* An answer that no limit of the ctx left open has a message of its own only where a decider
 * stopped early. */
static zlay_status undecided(zlay_ctx *ctx, int i)
{
    if (*zlay_ctx_message(ctx)) return ZLAY_ELIMIT;
    return zl_fail(ctx, ZLAY_ELIMIT, "certificate %d is undecided", i);
}

zlay_status zl_certificate_claim(zlay_ctx *ctx, zlay_status status, zlay_answer answer, int i)
{
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_UNDECIDED) return undecided(ctx, i);
    return zl_fail(ctx, ZLAY_EINTERNAL, "certificate %d does not hold; please report this request",
                   i);
}

zlay_status zl_certificate_equal(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b, int i)
{
    zlay_answer answer = ZLAY_NO;
    zlay_status status = zl_layout_equal(ctx, &answer, NULL, a, b);
    return zl_certificate_claim(ctx, status, answer, i);
}
