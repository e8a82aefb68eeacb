/* SPDX-License-Identifier: Apache-2.0 */
/* From the operations of a tile program to a proved pipe: reads the program, finds starts and the interval, parts the operations
 * into roles, finds the barriers between them, writes the pipe and proves it. */
#include "synth/roles/roles.h"
#include "pipe/language/parse.h"
#include "pipe/order/verify.h"
#include "target/target.h"

#include <stdio.h>
#include <string.h>

struct zlay_roles {
    zlay_allocator alloc;
    zlay_pipe *pipe;
    zlay_roles_summary info;
    zlay_role role[ZLAY_ROLES_MOST];
};

/* ---- the pipe -------------------------------------------------------------------------------------- */

/* Instances take turns where there are two, and something to compute beside the other's products. */
static void turns_decide(zl_tp *p)
{
    bool products = false, uses = false;
    for (uint32_t o = 0; o < p->ops; o++) {
        if (p->op[o].section != ZL_TP_LOOP) continue;
        products |= p->op[o].kind == ZL_TP_MMA;
        uses |= p->op[o].kind == ZL_TP_USE;
    }
    p->turns = !p->tmem && !p->no_turns && !p->turnless && p->instances == 2 && products && uses;
}

/* A sum begins before anything is added to it. */
static zlay_status sums_check(const zl_tp *p)
{
    for (uint32_t o = 0; o < p->ops; o++) {
        bool begun = p->op[o].kind != ZL_TP_MMA || p->op[o].fresh;
        for (uint32_t x = 0; x < o && !begun; x++) begun = zl_tp_access(&p->op[x], zl_tp_sum(&p->op[o])) & ZL_TP_WRITES;
        if (!begun) return zl_fail(p->ctx, ZLAY_EINVAL, "line %u: nothing begins the sum of '%s'; write `fresh`, or `fresh first` where iterations add to it", p->op[o].line, p->value[zl_tp_sum(&p->op[o])].name);
    }
    return ZLAY_OK;
}

static zlay_status plan(zl_tp *p, const char *text, size_t length)
{
    zlay_status status = zl_tp_read(p, text, length);
    if (!status) status = sums_check(p);
    if (status) return status;
    for (uint32_t v = 0; v < p->values; v++)
        if (p->fewer[v]) p->value[v].most = p->fewer[v];
    zl_tp_parts(p);
    status = zl_tp_times(p);
    if (!status) status = zl_tp_assign(p);
    if (!status) status = zl_tp_epochs(p);
    turns_decide(p);
    return status ? status : zl_tp_order(p);
}

/* What no barrier orders, as a sum that nothing reads between two beginnings, is refused with the rule that it breaks. */
static zlay_status prove(zl_tp *p, zlay_roles *roles)
{
    zlay_answer answer;
    zlay_pipe_reason reason = {0};
    size_t length, count = 0;
    const char *text = zl_print_scratch(p->ctx, &length, zl_tp_put, p);
    if (!text) return ZLAY_ENOMEM;
    zlay_status status = zl_pipe_parse(p->ctx, &roles->pipe, text, length);
    if (status) return zl_tp_unread(p, status, text, length);
    status = zl_verify_part(p->ctx, &answer, &reason, 1, &count, NULL, roles->pipe);
    if (status || answer == ZLAY_YES) return status;
    if (answer == ZLAY_UNDECIDED) return ZLAY_ELIMIT;
    return zl_tp_refuse(p, text, length, &reason);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void role_fill(zlay_role *out, const zl_tp *p, uint32_t r)
{
    const zl_tp_role *role = &p->role[r];
    *out = (zlay_role){.kind = role->kind + 1, .first_warp = role->first_warp, .warps = role->warps, .stages = (uint32_t)role->stages + (role->items > 0)};
    memcpy(out->name, role->name, sizeof out->name);
    out->instances = role->kind == ZL_TP_COMPUTES ? role->warps / 4 : 1;
    for (uint32_t o = 0; o < p->ops; o++) out->operations += p->op[o].role == (int32_t)r;
}

static void info_fill(zlay_roles *out, const zl_tp *p)
{
    out->info = (zlay_roles_summary){.roles = p->roles, .warps = p->warps, .interval = (uint64_t)p->ii, .bound = (uint64_t)p->bound, .turns = p->turns, .smem = p->smem, .columns = p->columns};
    for (uint32_t r = 0; r < p->roles; r++) {
        role_fill(&out->role[r], p, r);
        if (p->role[r].peel > out->info.peeled) out->info.peeled = p->role[r].peel;
    }
}

/* ---- rings that do not fit ------------------------------------------------------------------------- */

static void again(zl_tp *p, const uint32_t *fewer, bool turnless)
{
    *p = (zl_tp){.ctx = p->ctx, .target = p->target, .tmem = p->tmem, .turnless = turnless};
    memcpy(p->fewer, fewer, sizeof p->fewer);
}

static bool is_too_much(const zl_tp *p, zlay_status status)
{
    return status == ZLAY_NONE && (p->smem > p->target->smem || p->columns > ZLAY_TMEM_COLUMNS);
}

/* Stages of a ring that has one less, of tensor memory half as many; 0: the program says how many it has, its memory is not what lacks,
 * or it cannot have fewer. */
static uint32_t one_fewer(const zl_tp *p, uint32_t value, const uint32_t *fewer)
{
    const zl_tp_value *x = &p->value[value];
    const uint32_t depth = p->group[x->group].depth;
    if (x->most && !fewer[value]) return 0;
    if (x->space == ZL_TP_SHARED) return p->smem > p->target->smem ? depth - 1 : 0;
    return x->space == ZL_TP_TMEM && p->columns > ZLAY_TMEM_COLUMNS && depth / 2 * x->columns >= 32 ? depth / 2 : 0;
}

/* Takes a stage from each ring in turn and keeps the loss that costs the least interval, then that of the deepest ring; false: no ring
 * that the program leaves open has two. */
static bool stage_take(zl_tp *p, uint32_t *fewer, const char *text, size_t length)
{
    uint32_t tried[ZL_TP_VALUES], best[ZL_TP_VALUES], next[ZL_TP_VALUES];
    int64_t least = INT64_MAX;
    uint64_t smem = UINT64_MAX;
    uint32_t values = p->values, deepest = 0;
    int32_t group[ZL_TP_VALUES];
    bool found = false;
    for (uint32_t v = 0; v < values; v++) group[v] = p->value[v].group, next[v] = one_fewer(p, v, fewer);
    for (uint32_t v = 0; v < values; v++) {
        if (!next[v] || group[v] != (int32_t)v) continue;
        memcpy(tried, fewer, sizeof tried);
        for (uint32_t w = 0; w < values; w++)
            if (group[w] == (int32_t)v) tried[w] = next[v];
        again(p, tried, p->turnless);
        zlay_status status = plan(p, text, length);
        bool less = p->ii < least || (p->ii == least && (next[v] > deepest || (next[v] == deepest && p->smem < smem)));
        if ((status && !is_too_much(p, status)) || !less) continue;
        found = true, least = p->ii, deepest = next[v], smem = p->smem;
        memcpy(best, tried, sizeof best);
    }
    if (found) memcpy(fewer, best, sizeof best);
    return found;
}

/* A ring that would be too deep is as deep as it can be. */
static void depth_cut(const zl_tp *p, uint32_t *fewer)
{
    for (uint32_t v = 0; v < p->values; v++)
        if (p->value[v].group == (int32_t)p->deep - 1) fewer[v] = ZL_TP_DEPTH;
}

/* Plans; where the stages that the times want do not fit, with fewer, one at a time. The bound is that of all stages, for other losses
 * may cost less. */
static zlay_status plan_fitting(zl_tp *p, const char *text, size_t length)
{
    uint32_t fewer[ZL_TP_VALUES] = {0};
    zlay_status status = plan(p, text, length);
    const int64_t bound = p->bound;
    for (bool less = true; less && (is_too_much(p, status) || p->deep);) {
        if (p->deep) depth_cut(p, fewer);
        else less = stage_take(p, fewer, text, length);
        again(p, fewer, p->turnless);
        status = plan(p, text, length);
        p->bound = bound;
    }
    return status;
}

/* Plans and proves; turns that a pipe does not allow, as with one stage for both instances, are left out. */
static zlay_status attempt(zl_tp *p, zlay_roles *out, const char *text, size_t length)
{
    zlay_status status = plan_fitting(p, text, length);
    return status ? status : prove(p, out);
}

static zlay_status make(zlay_ctx *ctx, zlay_roles *out, const zlay_target *target, const char *text, size_t length)
{
    bool tmem = (target->features & ZL_HAS_TCGEN05) != 0;
    zl_tp *p = zl_scratch(ctx, 1, sizeof *p);
    if (!p) return ZLAY_ENOMEM;
    if (!tmem && !(target->features & ZL_HAS_WGMMA)) return zl_fail(ctx, ZLAY_ENOTSUP, "target: %s has neither wgmma nor tcgen05", target->name);
    *p = (zl_tp){.ctx = ctx, .target = target, .tmem = tmem};
    zlay_status status = attempt(p, out, text, length);
    if (status == ZLAY_ENOTSUP && p->turns) {
        zlay_pipe_free(out->pipe);
        out->pipe = NULL;
        *p = (zl_tp){.ctx = ctx, .target = target, .tmem = tmem, .turnless = true};
        status = attempt(p, out, text, length);
    }
    if (!status) info_fill(out, p);
    return status;
}

zlay_status zlay_roles_synth(zlay_ctx *ctx, zlay_roles **out, const zlay_target *target, const char *text, size_t length)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !target) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_roles *roles = zl_alloc(ctx, 1, sizeof *roles);
    if (!roles) return zl_leave(ctx, ZLAY_ENOMEM);
    roles->alloc = zl_allocator(ctx);
    status = make(ctx, roles, target, text, length);
    status = zl_leave(ctx, status);
    if (status) zlay_roles_free(roles);
    else *out = roles;
    return status;
}

zlay_status zlay_roles_info(zlay_roles_summary *out, const zlay_roles *roles)
{
    if (!out || !roles) return ZLAY_EINVAL;
    *out = roles->info;
    return ZLAY_OK;
}

zlay_status zlay_roles_nth(zlay_role *out, const zlay_roles *roles, uint32_t i)
{
    if (!out || !roles) return ZLAY_EINVAL;
    if (i >= roles->info.roles) return ZLAY_NONE;
    *out = roles->role[i];
    return ZLAY_OK;
}

const zlay_pipe *zlay_roles_pipe(const zlay_roles *roles) { return roles ? roles->pipe : NULL; }

void zlay_roles_free(zlay_roles *roles)
{
    if (!roles) return;
    zlay_pipe_free(roles->pipe);
    zlay_allocator alloc = roles->alloc;
    zl_free(&alloc, roles, sizeof *roles);
}
