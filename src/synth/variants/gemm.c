/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the candidates of a GEMM with unknown sizes from the planner. Rows of the operands have a least
 * alignment (a profile); for each profile that a shape has, and the one that all shapes of the facts have, the
 * planner chooses tile, split_k, swap and stream_k for every shape, with rows that are aligned exactly so.
 * Each choice that occurs becomes candidates: where it is legal, and the same with a size up to that of a
 * shape. What a choice costs for another shape is the planner's modelled time with the choice fixed. */
#include "base/request.h"
#include "synth/gemm/plan.h"
#include "synth/variants/gemm.h"

#include <string.h>

static const char *const size_names[] = {"m", "n", "k", "lda", "ldb", "ldd"};

enum { GRANULE = 16 /* bytes of a tensor copy */ };
static const uint64_t SIZE_MOST = (uint64_t)1 << 40;

/* ---- choices --------------------------------------------------------------------------------- */

/* What the planner takes for a request. Only tensor copies have split_k and stream-K; the planner also finds them for one row,
 * whose pitch no copy reads, and other shapes of the profile have more. */
static zlay_status choose(const zl_derived *d, zl_tiling *out, const zlay_gemm *gemm, const zl_profile *p)
{
    zlay_gemm g = *gemm;
    zl_gemm_weight weight;
    bool tensor = p->align[ZLAY_OPERAND_A] == GRANULE && p->align[ZLAY_OPERAND_B] == GRANULE;
    if (!tensor && g.stream_k == ZLAY_STREAM_AUTO) g.stream_k = ZLAY_STREAM_NEVER;
    zlay_status status = zl_gemm_weigh(d->ctx, &weight, d->target, &g);
    const zlay_plan_summary info = weight.info;
    *out = (zl_tiling){.tile = {info.tile_m, info.tile_n, info.tile_k}, .splits = info.splits, .profile = *p,
                       .swap = info.d_order == ZLAY_ORDER_COLUMN, .stream = info.stream_blocks != 0};
    return status;
}

/* The choices of the planner for all shapes whose rows are aligned at least so. */
static zlay_status put_profile(zl_derived *d, const zl_profile *p)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++) {
        zl_profile here = zl_derived_profile(d, shape);
        zl_tiling t;
        if (!zl_profile_has(&here, p)) continue;
        zlay_gemm g = zl_derived_exact(d, shape, p);
        status = choose(d, &t, &g, p);
        if (!status) status = zl_derived_put(d, &t, (uint64_t)1 << shape);
    }
    return status;
}

/* Where no choice for the least profile takes every K, the same without stream-K does. */
static zlay_status put_whole(zl_derived *d)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0, count = d->tilings; i < count && !status && d->base->stream_k == ZLAY_STREAM_AUTO; i++) {
        zl_tiling t = d->tiling[i];
        t.stream = false;
        if (d->tiling[i].stream) status = zl_derived_put(d, &t, 0);
    }
    return status;
}

static zlay_status derive_tilings(zl_derived *d)
{
    zl_profile seen[ZLAY_VARIANTS_SHAPES + 1] = {zl_derived_least(d)};
    uint32_t count = 1;
    zlay_status status = put_profile(d, &seen[0]);
    if (!status) status = put_whole(d);
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++) {
        uint32_t i = 0;
        seen[count] = zl_derived_profile(d, shape);
        while (memcmp(&seen[i], &seen[count], sizeof *seen)) i++;
        if (i == count) status = put_profile(d, &seen[count++]);
    }
    return status;
}

/* ---- candidates ------------------------------------------------------------------------------ */

static zlay_status put_candidate(zl_derived *d, uint32_t tiling, const zl_facts_list *guard, const uint64_t *costs)
{
    uint32_t i = d->candidates;
    if (i == ZLAY_VARIANTS_CANDIDATES)
        return zl_fail(d->ctx, ZLAY_ELIMIT, "the planner's choices and the sizes of shapes make more than %d candidates", ZLAY_VARIANTS_CANDIDATES);
    const char **text = zl_scratch(d->ctx, guard->count + 1, sizeof *text);
    if (!text) return ZLAY_ENOMEM;
    for (uint32_t t = 0; t < guard->count; t++) text[t] = guard->text[t];
    d->candidate[i] = (zlay_variant){.guard = text, .guards = guard->count, .costs = costs};
    d->of[i] = tiling;
    d->candidates++;
    return ZLAY_OK;
}

/* The same guard with a size up to that of each shape for which the planner took the choice. */
static zlay_status put_thresholds(zl_derived *d, uint32_t tiling, const zl_facts_list *guard, const uint64_t *costs, int size)
{
    uint64_t seen[ZLAY_VARIANTS_SHAPES];
    uint32_t count = 0;
    zlay_status status = ZLAY_OK;
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++) {
        zlay_gemm g = zl_derived_at(d, shape);
        zl_facts_list more = *guard;
        uint32_t i = 0;
        seen[count] = *zl_derived_field(&g, size);
        while (seen[i] != seen[count]) i++;
        if (!(d->tiling[tiling].shapes >> shape & 1) || i < count) continue;
        status = zl_facts_put(d, &more, "%s <= %llu", zl_derived_name(d, size), (unsigned long long)seen[count++]);
        if (!status) status = put_candidate(d, tiling, &more, costs);
    }
    return status;
}

static zlay_status costs_of(zl_derived *d, uint64_t *costs, const zl_tiling *t, const zl_facts_list *guard)
{
    zl_variant_guard read;
    zlay_status status = zl_variant_guard_read(d->u, &read, "guard", guard->text, guard->count, false);
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++) {
        zl_gemm_weight weight;
        if (!zl_variant_guard_holds(&read, d->asked->shapes.value + (size_t)shape * d->u->count)) continue;
        zlay_gemm g = zl_derived_exact(d, shape, &t->profile);
        g = zl_derived_fixed(d, &g, t);
        status = zl_gemm_weigh(d->ctx, &weight, d->target, &g);
        costs[shape] = d->asked->cost == ZLAY_VARIANTS_WASTE ? zl_derived_waste(d, shape, &weight.info) : weight.time;
    }
    return status;
}

static zlay_status derive_candidates(zl_derived *d)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < d->tilings && !status; i++) {
        uint64_t *costs = zl_scratch(d->ctx, ZLAY_VARIANTS_SHAPES, sizeof *costs);
        zl_facts_list guard = {0};
        if (!costs) return ZLAY_ENOMEM;
        status = zl_derived_guard(d, &guard, &d->tiling[i]);
        if (!status) status = costs_of(d, costs, &d->tiling[i], &guard);
        if (!status) status = put_candidate(d, i, &guard, costs);
        for (int size = ZLAY_VARIANTS_M; size <= ZLAY_VARIANTS_K && !status; size++)
            if (d->asked->of[size]) status = put_thresholds(d, i, &guard, costs, size);
    }
    return status;
}

/* ---- the plans of the answer ------------------------------------------------------------------- */

/* A variant's plan for the first shape that it takes is made whole, its pipe proved. */
static zlay_status derive_check(const zl_derived *d, const zlay_variants *v, zlay_gemm *choice)
{
    zlay_variants_item item;
    for (uint32_t i = 0; zlay_variants_nth(&item, v, i) == ZLAY_OK; i++) {
        const zl_tiling *t = &d->tiling[d->of[item.variant]];
        choice[i] = zl_derived_fixed(d, d->base, t);
        for (uint32_t shape = 0; shape < d->asked->shapes.shapes; shape++) {
            zlay_plan *plan;
            if (zlay_variants_select(v, d->asked->shapes.value + (size_t)shape * d->u->count) != (int32_t)i) continue;
            zlay_gemm g = zl_derived_exact(d, shape, &t->profile);
            g = zl_derived_fixed(d, &g, t);
            zlay_status status = zl_gemm_synth(d->ctx, &plan, d->target, &g);
            zlay_plan_free(plan);
            if (status) return status;
            break;
        }
    }
    return ZLAY_OK;
}

/* ---- the call ---------------------------------------------------------------------------------- */

static zlay_status field_check(const zl_derived *d)
{
    const zlay_gemm *g = d->base;
    const char *field = g->a_scales    ? "a_scales"
                        : g->b_scales  ? "b_scales"
                        : g->d_scales  ? "d_scales"
                        : g->groups    ? "groups"
                        : g->repack    ? "repack"
                        : g->multicast ? "multicast"
                                       : NULL;
    if (field) return zl_fail(d->ctx, ZLAY_ENOTSUP, "%s: variants of GEMMs have none", field);
    int32_t cost = d->asked->cost;
    if (cost != ZLAY_VARIANTS_TIME && cost != ZLAY_VARIANTS_WASTE) return zl_fail(d->ctx, ZLAY_EINVAL, "cost: %d is neither time nor waste", (int)cost);
    if (cost == ZLAY_VARIANTS_TIME && !(d->target->features & ZL_HAS_WGMMA))
        return zl_fail(d->ctx, ZLAY_ENOTSUP, "target: %s; times were measured of GEMMs by wgmma alone, and waste is known of all", zlay_target_name(d->target));
    return ZLAY_OK;
}

static zlay_status sizes_check(const zl_derived *d)
{
    const uint64_t field[] = {d->base->m, d->base->n, d->base->k, d->base->lda, d->base->ldb, d->base->ldd};
    for (int size = 0; size < ZLAY_VARIANTS_SIZES; size++) {
        uint32_t of = d->asked->of[size];
        if (of > d->u->count) return zl_fail(d->ctx, ZLAY_EINVAL, "%s: there is no unknown %u", size_names[size], of);
        if (of && field[size]) return zl_fail(d->ctx, ZLAY_EINVAL, "%s: it is a number and an unknown", size_names[size]);
        if (!of && !field[size] && size < ZLAY_VARIANTS_LDA) return zl_fail(d->ctx, ZLAY_EINVAL, "%s: it is 0", size_names[size]);
        if (field[size] > SIZE_MOST) return zl_fail(d->ctx, ZLAY_EINVAL, "%s: %llu passes 2^40", size_names[size], (unsigned long long)field[size]);
    }
    return ZLAY_OK;
}

static zlay_status element_sizes(zl_derived *d)
{
    int32_t type[ZL_OPERANDS];
    zlay_status status = zl_gemm_types(d->ctx, type, d->target, d->base);
    for (int o = 0; o < ZL_OPERANDS && !status; o++) d->element[o] = zlay_type_bits(type[o]) / 8;
    return status;
}

static zlay_status room_make(zl_derived *d)
{
    size_t count = ZLAY_VARIANTS_CANDIDATES;
    d->tiling = zl_scratch(d->ctx, count, sizeof *d->tiling);
    d->candidate = zl_scratch(d->ctx, count, sizeof *d->candidate);
    d->of = zl_scratch(d->ctx, count, sizeof *d->of);
    return d->tiling && d->candidate && d->of ? ZLAY_OK : ZLAY_ENOMEM;
}

/* Shapes of which the facts do not hold are no requests of the planner. */
static zlay_status shapes_check(const zl_derived *d, const zl_facts_list *facts)
{
    zl_unknowns u = *d->u;
    zl_variant_guard domain;
    zlay_status status = zl_variant_guard_read(&u, &domain, "facts", facts->text, facts->count, true);
    for (uint32_t i = 0; i < d->asked->shapes.shapes && !status; i++)
        if (!zl_variant_guard_holds(&domain, d->asked->shapes.value + (size_t)i * u.count))
            return zl_fail(d->ctx, ZLAY_EINVAL, "shapes[%u]: the facts do not hold of it, or no plan takes it", i);
    return status;
}

static zlay_status derive(zl_derived *d, zlay_variants **out, zlay_gemm *choice)
{
    zlay_variants_request r = d->asked->shapes;
    zl_facts_list facts = {0};
    bool waste = d->asked->cost == ZLAY_VARIANTS_WASTE;
    zlay_status status = field_check(d);
    if (!status) status = zl_variants_counts(d->ctx, &r);
    if (!status) status = zl_variant_guard_names(d->ctx, d->u, &r);
    if (!status) status = sizes_check(d);
    if (!status) status = element_sizes(d);
    if (!status) status = room_make(d);
    if (!status) status = zl_derived_facts(d, &facts);
    if (!status) status = shapes_check(d, &facts);
    if (!status) status = waste ? zl_derived_tiles(d) : derive_tilings(d);
    if (!status) status = zl_derived_products(d, &facts);
    if (!status) status = derive_candidates(d);
    if (status) return status;
    r.fact = facts.text, r.facts = facts.count;
    r.variant = d->candidate, r.variants = d->candidates;
    status = zl_variants_choose(d->ctx, out, &r);
    if (!status) (*out)->summary.unit = waste ? ZLAY_VARIANTS_MADDS : ZLAY_VARIANTS_NS;
    return status ? status : derive_check(d, *out, choice);
}

static zlay_status request_read(zlay_ctx *ctx, zlay_variants_gemm *out, zlay_gemm *gemm, const zlay_variants_gemm *in)
{
    static const zl_request_form form = {.name = "variants", .size = sizeof *out, .least = sizeof *out};
    zlay_status status = zl_request_read(ctx, out, in, &form);
    if (status) return status;
    if (!out->gemm || out->gemm->size < sizeof out->gemm->size || out->gemm->size > sizeof *gemm)
        return zl_fail(ctx, ZLAY_EINVAL, "gemm: it is NULL, or its size is none of a zlay_gemm");
    if (out->shapes.variants) return zl_fail(ctx, ZLAY_EINVAL, "variants: candidates come from the planner");
    *gemm = (zlay_gemm){0};
    memcpy(gemm, out->gemm, out->gemm->size);
    gemm->size = sizeof *gemm;
    return ZLAY_OK;
}

zlay_status zlay_variants_gemm_choose(zlay_ctx *ctx, zlay_variants **out, zlay_gemm *choice, const zlay_target *target,
                                      const zlay_variants_gemm *request)
{
    zlay_variants_gemm asked;
    zlay_gemm base;
    zl_unknowns u;
    zlay_variants *variants = NULL;
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!ctx || !choice || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zl_derived d = {.ctx = ctx, .target = target, .asked = &asked, .base = &base, .u = &u};
    status = request_read(ctx, &asked, &base, request);
    if (!status) status = derive(&d, &variants, choice);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_variants_free(variants);
    else *out = variants;
    return status;
}
