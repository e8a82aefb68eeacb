/* SPDX-License-Identifier: Apache-2.0 */
/* Which tensor maps serve a ragged tensor: each family is tried on the rules, and those that fit are compared by
 * the times of times.def. What does not fit keeps the message of the rule. */
#include "base/arith.h"
#include "base/request.h"
#include "synth/move/judge.h"
#include "synth/ragged/ragged.h"

#include <stdio.h>
#include <zlay/choose.h>
#include <zlay/replace.h>

enum { USUAL_BOXES = 4 };

enum {
#define RAGGED_TIME(name, ns, measured, what) NS_##name = ns,
#include "synth/ragged/times.def"
};

enum {
    ALL_MEASURED = 1
#define RAGGED_TIME(name, ns, measured, what) && measured
#include "synth/ragged/times.def"
};

typedef struct family_choice {
    zlay_ctx *ctx;
    zlay_choice *out;
    const zlay_target *target;
    zlay_choose_request r;
} family_choice;

/* NONE is an answer about a family, with the message as its reason; every other failure is the call's. */
static zlay_status answered(const family_choice *c, zlay_family *f, zlay_status status)
{
    if (status != ZLAY_NONE) return status;
    f->fits = 0;
    snprintf(f->why, sizeof f->why, "%s", zlay_ctx_message(c->ctx));
    return ZLAY_OK;
}

static uint64_t copies_ns(uint64_t count) { return zl_umul_sat(count, NS_COPY); }

static zlay_status wrap(const family_choice *c)
{
    zlay_family *f = &c->out->of[ZLAY_FAMILY_WRAP];
    zlay_ragged_map map;
    zlay_status status = zl_ragged_map_make(c->ctx, &map, c->target, c->r.tensor);
    if (status) return answered(c, f, status);
    *f = (zlay_family){.fits = 1, .maps = 1, .ns = zl_uadd_sat(NS_FETCH, copies_ns(c->r.count))};
    return ZLAY_OK;
}

/* ---- a pool ------------------------------------------------------------------------------------ */

/* Each map of the pool has its height as its box. */
static zlay_status heights_check(const family_choice *c, const zlay_pool *pool, uint32_t unit)
{
    zlay_ragged_map map;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < pool->maps && !status; i++)
        status = zl_ragged_plain(c->ctx, &map, c->target, c->r.tensor, pool->height[i] * unit);
    return status;
}

/* Tails of a tile of so many units, all alike often. */
static zlay_status pool_find(const family_choice *c, zlay_pool *pool, uint32_t units, uint32_t skip)
{
    uint32_t tail[ZLAY_POOL_TAIL];
    const zlay_pool_request r = {.size = sizeof r, .tails = units - 1, .tail = tail, .unit = skip,
                                 .boxes = c->r.boxes ? c->r.boxes : USUAL_BOXES};
    if (units > ZLAY_POOL_TAIL + 1) return zl_fail(c->ctx, ZLAY_NONE, "box: a tail has more than 255 units");
    for (uint32_t i = 0; i + 1 < units; i++) tail[i] = i + 1;
    return units > 1 ? zl_pool_make(c->ctx, pool, &r) : ZLAY_OK;
}

/* Copies beside the tiles' own: of a tail in the mean, rounded up, times the groups. */
static uint64_t more_copies(const zlay_pool *pool, uint32_t units, uint64_t groups)
{
    uint32_t height[ZLAY_POOL_TAIL], boxes, more = 0;
    for (uint32_t t = 1; t < units; t++)
        if (!zlay_pool_cut(height, &boxes, pool, t)) more += boxes - 1;
    return zl_umul_sat(groups, more) / units + (more && groups);
}

static zlay_status pool(const family_choice *c)
{
    zlay_family *f = &c->out->of[ZLAY_FAMILY_POOL];
    zlay_pool *p = &c->out->pool;
    zlay_ragged_map plain;
    uint32_t dim = c->r.tensor->dim;
    zlay_status status = zl_ragged_plain(c->ctx, &plain, c->target, c->r.tensor, c->r.tensor->box[dim]);
    uint32_t units = status ? 1 : plain.box / plain.unit;
    if (!status) status = pool_find(c, p, units, plain.skip_unit / plain.unit);
    if (!status) status = heights_check(c, p, plain.unit);
    if (status) {
        *p = (zlay_pool){0};
        return answered(c, f, status);
    }
    uint64_t count = zl_uadd_sat(c->r.count, more_copies(p, units, c->r.groups));
    *f = (zlay_family){.fits = 1, .maps = p->maps + 1,
                       .ns = zl_uadd_sat((p->maps + 1) * (uint64_t)NS_FETCH, copies_ns(count))};
    return ZLAY_OK;
}

/* ---- an edit ----------------------------------------------------------------------------------- */

static zlay_status edit_allowed(const family_choice *c)
{
    const zlay_replace r = {.field = ZLAY_REPLACE_GLOBAL_ADDRESS};
    zlay_verdict v;
    zlay_reason reason = {0};
    zlay_status status = zlay_replace_check(&v, &reason, 1, c->target, &r);
    return zl_judged(c->ctx, c->target, status, &v, &reason);
}

static zlay_status edit(const family_choice *c)
{
    zlay_family *f = &c->out->of[ZLAY_FAMILY_EDIT];
    zlay_ragged_map plain;
    zlay_status status = zl_ragged_plain(c->ctx, &plain, c->target, c->r.tensor,
                                         c->r.tensor->box[c->r.tensor->dim]);
    if (!status) status = edit_allowed(c);
    if (status) return answered(c, f, status);
    *f = (zlay_family){.fits = 1, .maps = 1,
                       .ns = zl_uadd_sat(zl_umul_sat(c->r.groups, NS_EDIT), copies_ns(c->r.count))};
    return ZLAY_OK;
}

/* ---- the choice -------------------------------------------------------------------------------- */

static zlay_status choose(family_choice *c, const zlay_choose_request *request)
{
    static const zl_request_form form = {"zlay_choose_request", sizeof(zlay_choose_request),
                                         sizeof(zlay_choose_request), {{0}}};
    zlay_status status = zl_request_read(c->ctx, &c->r, request, &form);
    if (!status && !c->r.tensor) status = zl_fail(c->ctx, ZLAY_EINVAL, "tensor: it is NULL");
    if (!status && c->r.count < c->r.groups)
        status = zl_fail(c->ctx, ZLAY_EINVAL, "count: %llu tiles are fewer than the groups", (unsigned long long)c->r.count);
    if (!status) status = wrap(c);
    if (!status) status = pool(c);
    if (!status) status = edit(c);
    c->out->family = -1;
    c->out->basis = ALL_MEASURED ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED;
    for (int32_t i = 0; i < ZLAY_FAMILIES; i++) {
        int32_t best = c->out->family;
        if (c->out->of[i].fits && (best < 0 || c->out->of[i].ns < c->out->of[best].ns)) c->out->family = i;
    }
    return status;
}

zlay_status zlay_ragged_choose(zlay_ctx *ctx, zlay_choice *out, const zlay_target *target,
                               const zlay_choose_request *request)
{
    zlay_choice choice = {0};
    family_choice c = {.ctx = ctx, .out = &choice, .target = target};
    if (!out || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, choose(&c, request));
    if (!status) *out = choice;
    return status;
}
