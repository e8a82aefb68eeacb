/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the candidates of a GEMM: each orientation, way and shape that the request leaves open becomes a request with all of
 * these fixed, and is kept where it is laid out, which asks every rule but the pipe's. They are sorted by what choose.c compares,
 * so that the first is the planner's choice. */
#include "base/request.h"
#include "synth/gemm/choose.h"
#include "synth/gemm/groups.h"

#include <stdlib.h>
#include <string.h>
#include <zlay/candidates.h>

enum { CANDIDATES = 2 * ZL_GEMM_WAYS * ZL_TILE_SHAPES, PERCENT = 100, SIDE_ERROR = 3 /* per cent */ };

typedef struct weighed {
    zlay_gemm_candidate candidate;
    uint64_t rank;
    uint32_t other, place; /* 1: of the orientation that the planner does not take; of equal ranks the first listed */
} weighed;

typedef struct listing {
    zlay_ctx *ctx;
    const zlay_target *target;
    weighed *list;
    uint32_t count, other;
    zlay_status first; /* of those that were not laid out */
} listing;

static int compare(const void *left, const void *right)
{
    const weighed *a = left, *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Whether a failure says that this candidate is none, and no more. */
static bool is_refusal(zlay_status status)
{
    return status == ZLAY_NONE || status == ZLAY_ENOTSUP || status == ZLAY_EINVAL;
}

/* Weighs a request and adds it where it is laid out. */
static zlay_status candidate_add(listing *l, const zlay_gemm *fixed, uint64_t rank)
{
    zl_gemm_weight weight;
    zlay_status status = zl_gemm_weigh(l->ctx, &weight, l->target, fixed);
    const zlay_plan_summary info = weight.info;
    if (is_refusal(status)) {
        if (!l->first) l->first = status;
        return ZLAY_OK;
    }
    if (status) return status;
    weighed *r = &l->list[l->count];
    *r = (weighed){.candidate = {*fixed, info.stages, info.smem, zl_umul_sat(info.clusters, info.cluster), weight.time, weight.terms},
                  .rank = l->other ? rank / PERCENT * (PERCENT + SIDE_ERROR) : rank, .other = l->other, .place = l->count};
    r->candidate.gemm.tile_m = info.tile_m;
    r->candidate.gemm.tile_n = info.tile_n;
    r->candidate.gemm.tile_k = info.tile_k;
    if (zl_stream(&info)) r->candidate.blocks = info.stream_blocks;
    if (!info.clusters) r->candidate.blocks = zl_umul_sat(info.tiles_m, info.tiles_n); /* plans of waves have none */
    l->count++;
    return ZLAY_OK;
}

/* What a way makes of the choices that the request leaves open. */
static void way_fix(zlay_gemm *g, const zlay_plan *plan, const zlay_plan *before)
{
    static const int32_t by_request[2] = {ZLAY_MULTICAST_B, ZLAY_MULTICAST_A};
    bool shared = zl_multicast(&plan->info) && !zl_multicast(&before->info);
    if (g->multicast == ZLAY_MULTICAST_AUTO)
        g->multicast = shared ? by_request[plan->info.swapped] : ZLAY_MULTICAST_NONE;
    if (g->stream_k == ZLAY_STREAM_AUTO) g->stream_k = zl_stream(&plan->info) ? ZLAY_STREAM_ALWAYS : ZLAY_STREAM_NEVER;
    if (g->split_k == ZLAY_SPLIT_AUTO) g->split_k = plan->info.splits;
}

/* The shapes of all ways of a plan whose operands are read, with nothing decided. */
static zlay_status ways_list(listing *l, const zlay_plan *plan, const zlay_gemm *gemm)
{
    zl_tile_shape shapes[ZL_TILE_SHAPES], whole = zl_tile_cheapest(plan, gemm);
    zlay_status status = ZLAY_OK;
    for (zl_gemm_way way = ZL_GEMM_WHOLE; way < ZL_GEMM_WAYS && !status; way++) {
        zlay_plan other = *plan;
        zlay_gemm fixed = *gemm;
        if (!zl_gemm_way_take(&other, gemm, way)) continue;
        way_fix(&fixed, &other, plan);
        uint32_t count = zl_tile_shapes(&other, gemm, shapes);
        for (uint32_t i = 0; i < count && !status; i++) {
            fixed.tile_m = shapes[i].m;
            fixed.tile_n = shapes[i].n;
            status = candidate_add(l, &fixed, zl_gemm_way_rank(&shapes[i], way, &whole));
        }
    }
    return status;
}

/* The candidates of one orientation. */
static zlay_status side_list(listing *l, zlay_plan *plan, const zlay_gemm *gemm)
{
    plan->alloc = zl_allocator(l->ctx);
    plan->info.target = l->target;
    zlay_status status = zl_gemm_prepare(l->ctx, plan, gemm);
    if (!status && zl_wave_target(l->target)) return candidate_add(l, gemm, 0);
    if (!status) zl_gemm_instruction(plan);
    return status ? status : ways_list(l, plan, gemm);
}

/* Lists one orientation; refused, it has no candidates, and the first refusal is kept. */
static zlay_status side_add(listing *l, const zlay_gemm *gemm)
{
    zlay_plan *plan = zl_alloc(l->ctx, 1, sizeof *plan);
    if (!plan) return ZLAY_ENOMEM;
    zlay_status status = side_list(l, plan, gemm);
    zlay_plan_free(plan);
    if (!is_refusal(status)) return status;
    if (!l->first) l->first = status;
    return ZLAY_OK;
}

static zlay_status sides_list(listing *l, const zlay_gemm *gemm, bool swapped)
{
    zlay_gemm side = *gemm;
    zlay_status status = ZLAY_OK;
    if (gemm->swap != ZLAY_SWAP_AUTO || gemm->groups) return side_add(l, gemm);
    for (uint32_t i = 0; i < 2 && !status; i++) {
        l->other = i;
        side.swap = swapped != (i == 1) ? ZLAY_SWAP_ALWAYS : ZLAY_SWAP_NEVER;
        status = side_add(l, &side);
    }
    return status;
}

/* Whether a candidate is the plan that the planner makes. */
static bool is_chosen(const weighed *r, const zlay_plan_summary *info)
{
    const zlay_gemm *g = &r->candidate.gemm;
    bool stream = g->stream_k == ZLAY_STREAM_ALWAYS, shares = g->multicast != ZLAY_MULTICAST_NONE;
    return !r->other && g->tile_m == info->tile_m && g->tile_n == info->tile_n && (g->split_k ? g->split_k : 1) == info->splits &&
           stream == zl_stream(info) && shares == zl_multicast(info);
}

/* Puts the planner's choice first: its orientation is chosen by a rule, and where it repacks, each candidate decides by its own time what is repacked, and another may
 * come before it. */
static void chosen_first(listing *l, const zlay_plan_summary *info)
{
    uint32_t i = 0;
    while (i < l->count && !is_chosen(&l->list[i], info)) i++;
    if (i == l->count) return;
    weighed first = l->list[i];
    memmove(l->list + 1, l->list, i * sizeof first);
    l->list[0] = first;
}

static zlay_status candidates_list(zlay_ctx *ctx, zlay_gemm_candidate *out, size_t room, size_t *count, listing *l, const zlay_gemm *gemm)
{
    static const zl_request_form form = {
        "zlay_gemm", sizeof(zlay_gemm), sizeof gemm->size, {ZL_RESERVED(zlay_gemm, reserved0), ZL_RESERVED(zlay_gemm, reserved1)}};
    zlay_gemm g;
    zl_gemm_weight weight;
    zlay_status status = zl_request_read(ctx, &g, gemm, &form);
    g.size = sizeof g;
    if (!status) status = zl_gemm_weigh(ctx, &weight, l->target, &g);
    if (!status) status = sides_list(l, &g, weight.info.d_order == ZLAY_ORDER_COLUMN);
    if (status) return status;
    if (!l->count) return l->first;
    qsort(l->list, l->count, sizeof *l->list, compare);
    chosen_first(l, &weight.info);
    *count = l->count;
    for (size_t i = 0; i < room && i < l->count; i++) out[i] = l->list[i].candidate;
    return ZLAY_OK;
}

zlay_status zl_gemm_candidates(zlay_ctx *ctx, zlay_gemm_candidate *out, size_t room, size_t *count, const zlay_target *target, const zlay_gemm *gemm)
{
    listing l = {.ctx = ctx, .target = target, .list = zl_alloc(ctx, CANDIDATES, sizeof *l.list)};
    zlay_allocator alloc = zl_allocator(ctx);
    zlay_status status = l.list ? candidates_list(ctx, out, room, count, &l, gemm) : ZLAY_ENOMEM;
    zl_free(&alloc, l.list, CANDIDATES * sizeof *l.list);
    return status;
}

zlay_status zlay_gemm_candidates(zlay_ctx *ctx, zlay_gemm_candidate *out, size_t room, size_t *count,
                                 const zlay_target *target, const zlay_gemm *gemm)
{
    if (count) *count = 0;
    if ((!out && room) || !count || !target || !gemm) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, zl_whole(ctx, zl_gemm_candidates(ctx, out, room, count, target, gemm)));
}
