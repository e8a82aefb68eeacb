/* SPDX-License-Identifier: Apache-2.0 */
/* swizzle.synth and swizzle.decide: finds a layout of a tile in shared memory with the fewest bank
 * wavefronts over all accesses.  It searches layouts over F2 where the request is linear, and the
 * families of families.def where that does not reach the lower bound. */
#include "synth/swizzle/swizzle.h"
#include "synth/swizzle/ask.h"

#include <string.h>

/* Searches over F2; ZLAY_NONE: the request is not linear, or no such layout has the vectors. */
static zlay_status synth_f2(zlay_swizzle *s, const zl_asked *a)
{
    zl_asked_f2 f;
    zl_swizzle_found found;
    if (!zl_asked_linear(&f, a)) return ZLAY_NONE;
    zlay_status status = zl_swizzle_find(&found, &f.problem);
    return status ? status : zl_swizzle_lay(s, a, &f, &found);
}

static zlay_status synth(zlay_swizzle **out, zl_asked *a, const zlay_target *target,
                         const zlay_swizzle_request *request)
{
    zlay_status status = zl_asked_read(a, target, request);
    zlay_swizzle *s = status ? NULL : zl_alloc(a->ctx, 1, sizeof *s);
    if (!s) return status ? status : ZLAY_ENOMEM;
    s->alloc = zl_allocator(a->ctx);
    s->info.target = target;
    s->info.accesses = a->count;
    status = synth_f2(s, a);
    if (status == ZLAY_NONE || (!status && !s->info.optimal)) status = zl_swizzle_family(s, a);
    if (status) zlay_swizzle_free(s);
    else *out = s;
    return status;
}

zlay_status zl_swizzle_plan(zlay_ctx *ctx, zlay_swizzle **out, const zlay_target *target,
                            const zlay_swizzle_request *request)
{
    zl_asked a = {.ctx = ctx};
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, synth(out, &a, target, request));
}

zlay_status zlay_swizzle_synth(zlay_ctx *ctx, zlay_swizzle **out, const zlay_target *target,
                               const zlay_swizzle_request *request)
{
    if (out) *out = NULL;
    if (!ctx || !out || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_swizzle_plan(ctx, out, target, request));
}

void zlay_swizzle_free(zlay_swizzle *swizzle)
{
    if (!swizzle) return;
    zlay_allocator alloc = swizzle->alloc;
    zlay_layout_free(swizzle->layout);
    zl_free(&alloc, swizzle, sizeof *swizzle);
}

zlay_status zlay_swizzle_info(zlay_swizzle_summary *out, const zlay_swizzle *swizzle)
{
    if (!out || !swizzle) return ZLAY_EINVAL;
    *out = swizzle->info;
    return ZLAY_OK;
}

zlay_status zlay_swizzle_cost_nth(zlay_swizzle_cost *out, const zlay_swizzle *swizzle, uint32_t i)
{
    if (!out || !swizzle) return ZLAY_EINVAL;
    if (i >= swizzle->info.accesses) return ZLAY_NONE;
    *out = swizzle->cost[i];
    return ZLAY_OK;
}

const zlay_layout *zlay_swizzle_layout(const zlay_swizzle *swizzle)
{
    return swizzle ? swizzle->layout : NULL;
}

static zlay_status decide(zlay_answer *answer, zl_asked *a, const zlay_target *target,
                          const zlay_swizzle_request *request)
{
    zl_asked_f2 f;
    zlay_status status = zl_asked_read(a, target, request);
    if (status) return status;
    if (!zl_asked_linear(&f, a))
        return zl_fail(a->ctx, ZLAY_ENOTSUP, "the request is not linear over F2");
    *answer = zl_swizzle_decide(&f.problem);
    if (*answer == ZLAY_UNDECIDED)
        zl_fail(a->ctx, ZLAY_OK, "points: the search ends at limits.points = %llu steps",
                (unsigned long long)zl_limits(a->ctx)->points);
    return ZLAY_OK;
}

zlay_status zlay_swizzle_decide(zlay_ctx *ctx, zlay_answer *answer, const zlay_target *target,
                                const zlay_swizzle_request *request)
{
    if (!ctx || !answer || !target || !request) return ZLAY_EINVAL;
    zl_asked a = {.ctx = ctx};
    zlay_answer found;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave_answer(ctx, decide(&found, &a, target, request), &found);
    if (!status) *answer = found;
    return status;
}
