/* SPDX-License-Identifier: Apache-2.0 */
/* A GEMM that is refused, whatever its target. */
#ifndef TEST_PLANS_REFUSED_H
#define TEST_PLANS_REFUSED_H

#include "group_ctx.h"

#include <string.h>
#include <zlay/plan.h>

/* A request that has no plan: the status, and a word of the message. */
static inline void gemm_refused(const char *target, const zlay_gemm *request, zlay_status status, const char *word)
{
    const zlay_target *on;
    zlay_plan *plan;
    zlay_gemm q = *request;
    q.size = sizeof q;
    assert_int_equal(zlay_target_find(&on, target, strlen(target)), ZLAY_OK);
    zlay_status was = zlay_gemm_synth(ctx, &plan, on, &q);
    if (was != status || !strstr(zlay_ctx_message(ctx), word)) fail_msg("\"%s\": %d, %s", word, was, zlay_ctx_message(ctx));
    assert_null(plan);
}

#endif
