/* SPDX-License-Identifier: Apache-2.0 */
/* convert.synth: finds the level at which the conversion has to move elements (register, lane,
 * warp, block), takes the cheapest plan that serves it, and makes its certificate. */
#include "algebra/decide/certificate.h"
#include "base/request.h"
#include "synth/convert/convert.h"

#include <string.h>

#include <zlay/decide.h>

/* ---- the request ------------------------------------------------------------------------- */

static zlay_status request_read(zlay_ctx *ctx, zlay_convert_request *r,
                                const zlay_convert_request *request)
{
    static const zl_request_form form = {"zlay_convert_request",
                                         sizeof(zlay_convert_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_convert_request, reserved)}};
    zlay_status status = zl_request_read(ctx, r, request, &form);
    if (status) return status;
    if (r->elem_bits != 8 && r->elem_bits != 16 && r->elem_bits != 32 && r->elem_bits != 64)
        return zl_fail(ctx, ZLAY_EINVAL, "elem_bits: %u is not 8, 16, 32 or 64", r->elem_bits);
    return ZLAY_OK;
}

/* Fills in a conversion that has its context, its target and the request that was read. */
static zlay_status conversion_begin(zl_conversion *c)
{
    c->bits = c->request->elem_bits;
    c->word = c->bits == 8 ? 2 : c->bits == 16;
    c->words = c->bits == 64 ? 2 : 1;
    zlay_status status = zlay_target_info(&c->machine, c->target);
    return status ? status : zl_conversion_read(c);
}

/* ---- plans ------------------------------------------------------------------------------- */

/* Plans with shuffles: a word (a product of generators) where the map is a bijection, else one
 * exchange; or shuffles alone where these cost less. */
static zlay_status shuffled_by(const zl_conversion *c, zlay_convert *plan, bool *shuffled)
{
    zlay_convert_summary *info = &plan->info;
    uint32_t direct = zl_direct_rounds(c) * ZL_COST_SHFL;
    zlay_status status = zl_convert_by_word(c, plan, shuffled);
    if (status) return status;
    if (*shuffled) info->optimal = info->rounds == info->rounds_least;
    else *shuffled = zl_convert_by_shuffles(c, plan);
    if (!direct || (*shuffled && zl_plan_cost(plan) <= direct)) return ZLAY_OK;
    plan->info.steps = 0;
    zl_convert_directly(c, plan);
    *shuffled = true;
    return ZLAY_OK;
}

/* Plans a round trip through shared memory that costs less than `most`.  Where it fails, *out stays
 * as it was and the status says why. */
static zlay_status shared_by(const zl_conversion *c, zlay_convert **out, uint32_t most)
{
    zlay_convert *plan = NULL;
    zlay_status status = zl_convert_by_shared(c, &plan, most);
    if (status) zlay_convert_free(plan);
    else *out = plan;
    return status;
}

static void replace(zlay_convert **plan, zlay_convert *with)
{
    with->info.rounds_least = (*plan)->info.rounds_least;
    zlay_convert_free(*plan);
    *plan = with;
}

/* Plans a conversion inside warps: shuffles or shared memory, whichever costs less, and shuffles
 * where they cost the same.  The method with the smaller lower bound is planned first; the other is
 * planned only where its bound is below the cost found. */
static zlay_status in_warp(zl_conversion *c, zlay_convert **plan)
{
    zlay_convert *shared = NULL;
    bool shuffled = false;
    zl_holders_improve(c);
    zl_shuffle_rounds(c, &(*plan)->info.rounds_least);
    uint32_t floor = zl_word_floor(c), least = zl_shared_floor(c);
    zlay_status status = floor > least ? shared_by(c, &shared, UINT32_MAX) : ZLAY_OK;
    if (status == ZLAY_ENOMEM) return status;
    if (!shared || zl_plan_cost(shared) >= floor) {
        status = shuffled_by(c, *plan, &shuffled);
        if (!status && !shared && (!shuffled || zl_plan_cost(*plan) > least))
            status = shared_by(c, &shared, shuffled ? zl_plan_cost(*plan) : UINT32_MAX);
    }
    bool better = shared && (!shuffled || zl_plan_cost(shared) < zl_plan_cost(*plan));
    if (better) replace(plan, shared);
    else zlay_convert_free(shared);
    return (shuffled || better) && status != ZLAY_ENOMEM ? ZLAY_OK : status;
}

static zlay_status in_lane(const zl_conversion *c, zlay_convert *plan)
{
    bool served;
    zlay_status status = zl_convert_by_word(c, plan, &served);
    if (!status && !served) zl_step_in_lane(c, plan, &c->from, c->src.has);
    return status;
}

static zlay_status by_bits(zl_conversion *c, zlay_convert **plan)
{
    zlay_status status = zl_holders_find(c);
    if (status) return status;
    zlay_convert_summary *info = &(*plan)->info;
    info->optimal = c->level <= ZLAY_CONVERT_REGISTER;
    if (c->level == ZLAY_CONVERT_NOWHERE)
        zl_step_add(*plan, ZLAY_CONVERT_NOP, &c->from, c->src.has);
    else if (c->level == ZLAY_CONVERT_REGISTER)
        status = in_lane(c, *plan);
    else if (c->level == ZLAY_CONVERT_LANE)
        status = in_warp(c, plan);
    else
        status = zl_convert_by_shared(c, plan, UINT32_MAX);
    return status;
}

/* Makes the certificate: the elements that the composed steps bring to each slot of dst, beside
 * dst. */
static zlay_status certify_bits(const zl_conversion *c, zlay_convert *plan)
{
    zl_bitmap from, inverse;
    zlay_status status = zl_plan_compose(plan, c, &from);
    if (status) return zl_fail(c->ctx, status, "steps do not compose; please report this request");
    plan->info.bijective = zl_bitmap_invert(&inverse, &c->from, c->src.has) &&
                           zl_bitmap_rank(&c->src) == (unsigned)__builtin_popcountll(c->src.has);
    for (uint64_t left = from.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        from.to[k] = zl_bitmap_at(&c->src, from.to[k]);
    }
    status = zl_conversion_image(c, &plan->certificate[0], &from);
    return status ? status : zl_layout_copy(c->ctx, &plan->certificate[1], c->request->dst);
}

static zlay_status by_bits_certified(zl_conversion *c, zlay_convert **plan)
{
    zlay_status status = by_bits(c, plan);
    return status ? status : certify_bits(c, *plan);
}

static void info_fill(const zl_conversion *c, zlay_convert *plan)
{
    plan->info.target = c->target;
    plan->info.elem_bits = c->bits;
    plan->info.level = c->level;
    plan->info.cost = zl_plan_cost(plan);
    plan->shown = c->shown;
    for (int side = ZL_SRC; side <= ZL_DST; side++) {
        zl_plan_side *s = &plan->side[side];
        s->dims = c->dims[side];
        memcpy(s->extent, c->extent[side], sizeof s->extent);
        memcpy(s->order, c->order[side], sizeof s->order);
    }
}

/* Makes the whole plan where both layouts are linear over F2; otherwise *plan is a plan without
 * steps, and *linear is false. */
static zlay_status synth(zl_conversion *c, zlay_convert **plan, bool *linear)
{
    zlay_status status = conversion_begin(c);
    if (!status) status = zl_conversion_bits(c, linear);
    if (status) return status;
    if (!(*plan = zl_convert_new(c->ctx))) return ZLAY_ENOMEM;
    return *linear ? by_bits_certified(c, plan) : ZLAY_OK;
}

zlay_status zlay_convert_synth(zlay_ctx *ctx, zlay_convert **out, const zlay_target *target,
                               const zlay_convert_request *request)
{
    zlay_convert_request r;
    zl_conversion c = {.ctx = ctx, .target = target, .request = &r};
    zlay_convert *plan = NULL;
    bool linear = false;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = request_read(ctx, &r, request);
    if (!status) status = synth(&c, &plan, &linear);
    if (!status && !linear) status = zl_convert_points(&c, plan);
    if (!status) info_fill(&c, plan);
    if (!status) status = zl_certificate_equal(ctx, plan->certificate[0], plan->certificate[1], 0);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_convert_free(plan);
    else *out = plan;
    return status;
}
