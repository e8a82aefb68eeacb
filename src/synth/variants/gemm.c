/* SPDX-License-Identifier: Apache-2.0 */
/* Derives the candidates of a GEMM with unknown sizes from the planner. Rows of the operands have a least
 * alignment (a profile); for each profile that a shape has, and the one that all shapes of the facts have, the
 * planner chooses tile, split_k, swap and stream_k for every shape, with rows that are aligned exactly so.
 * Each choice that occurs becomes candidates: where it is legal, and the same with a size up to that of a
 * shape. What a choice costs for another shape is the planner's modelled time with the choice fixed. */
#include "synth/gemm/plan.h"
#include "synth/variants/gemm.h"

#include <stdio.h>
#include <string.h>

enum { GRANULE = 16 /* bytes of a tensor copy */ };

/* ---- sizes ----------------------------------------------------------------------------------- */

/* A size of a shape; the fields that an order says are the rows of an operand, and what is in one. */
static uint64_t *field_of(zlay_gemm *g, int size)
{
    uint64_t *const field[] = {&g->m, &g->n, &g->k, &g->lda, &g->ldb, &g->ldd};
    return field[size];
}

static const int by_row[][2] = {{ZLAY_VARIANTS_K, ZLAY_VARIANTS_M}, {ZLAY_VARIANTS_N, ZLAY_VARIANTS_K}, {ZLAY_VARIANTS_N, ZLAY_VARIANTS_M}};

static bool is_row(const zlay_gemm *g, int operand)
{
    if (operand == ZLAY_OPERAND_B) return g->b_order == ZLAY_ORDER_ROW;
    return (operand == ZLAY_OPERAND_A ? g->a_order : g->d_order) != ZLAY_ORDER_COLUMN;
}

static int inner_of(const zlay_gemm *g, int operand) { return by_row[operand][!is_row(g, operand)]; }
static int outer_of(const zlay_gemm *g, int operand) { return by_row[operand][is_row(g, operand)]; }

bool zl_derived_has(const zl_derived *d, int size) { return d->asked->of[size] || *field_of(d->base, size); }

/* The size from one row to the next: what is in a row, where rows are dense. */
static int pitch_of(const zl_derived *d, int operand)
{
    return zl_derived_has(d, ZLAY_VARIANTS_LDA + operand) ? ZLAY_VARIANTS_LDA + operand : inner_of(d->base, operand);
}

zlay_range zl_derived_range(const zl_derived *d, int size)
{
    uint32_t of = d->asked->of[size];
    return of ? d->u->at[of - 1].range : zl_range_constant((int64_t)*field_of(d->base, size));
}

/* The request with the numbers of a shape. */
static zlay_gemm gemm_at(const zl_derived *d, uint32_t shape)
{
    zlay_gemm g = *d->base;
    const int64_t *value = d->asked->shapes.value + (size_t)shape * d->u->count;
    for (int size = 0; size < ZLAY_VARIANTS_SIZES; size++)
        if (d->asked->of[size]) *field_of(&g, size) = (uint64_t)value[d->asked->of[size] - 1];
    return g;
}

/* ---- alignments ------------------------------------------------------------------------------ */

static uint32_t aligned(uint64_t bytes)
{
    uint64_t all = bytes | GRANULE;
    return (uint32_t)(all & (~all + 1));
}

static uint64_t address_of(const zlay_gemm *g, int operand)
{
    return operand == ZLAY_OPERAND_A ? g->a_address : operand == ZLAY_OPERAND_B ? g->b_address : g->d_address;
}

/* A store writes whole rows of D, so what is in a row counts too. */
static zl_profile profile_of(const zl_derived *d, const uint64_t divisor[ZLAY_VARIANTS_SIZES])
{
    zl_profile p;
    for (int o = 0; o < ZL_OPERANDS; o++) {
        uint64_t rows = divisor[pitch_of(d, o)] | (o == ZLAY_OPERAND_D ? divisor[inner_of(d->base, o)] : 0);
        p.align[o] = aligned(rows * d->element[o] | address_of(d->base, o));
    }
    return p;
}

static zl_profile profile_at(const zl_derived *d, uint32_t shape)
{
    uint64_t value[ZLAY_VARIANTS_SIZES];
    zlay_gemm g = gemm_at(d, shape);
    for (int size = 0; size < ZLAY_VARIANTS_SIZES; size++) value[size] = *field_of(&g, size);
    return profile_of(d, value);
}

/* What the facts say of all shapes. */
static zl_profile profile_least(const zl_derived *d)
{
    uint64_t divisor[ZLAY_VARIANTS_SIZES];
    for (int size = 0; size < ZLAY_VARIANTS_SIZES; size++) divisor[size] = zl_range_divisor(zl_derived_range(d, size));
    return profile_of(d, divisor);
}

static bool profile_has(const zl_profile *shape, const zl_profile *p)
{
    for (int o = 0; o < ZL_OPERANDS; o++)
        if (shape->align[o] < p->align[o]) return false;
    return true;
}

/* The request of a shape whose rows are aligned as the profile says and no better. */
static zlay_gemm gemm_exact(const zl_derived *d, uint32_t shape, const zl_profile *p)
{
    zlay_gemm g = gemm_at(d, shape);
    zl_profile here = profile_at(d, shape);
    for (int o = 0; o < ZL_OPERANDS; o++)
        if (here.align[o] > p->align[o]) *field_of(&g, ZLAY_VARIANTS_LDA + o) = *field_of(&g, pitch_of(d, o)) + p->align[o] / d->element[o];
    return g;
}

/* ---- choices --------------------------------------------------------------------------------- */

/* What the planner takes for a request. Only tensor copies have split_k and stream-K; the planner also finds them for one row,
 * whose pitch no copy reads, and other shapes of the profile have more. */
static zlay_status choose(const zl_derived *d, zl_tiling *out, const zlay_gemm *gemm, const zl_profile *p)
{
    zlay_gemm g = *gemm;
    zlay_plan_summary info;
    uint64_t time;
    bool tensor = p->align[ZLAY_OPERAND_A] == GRANULE && p->align[ZLAY_OPERAND_B] == GRANULE;
    if (!tensor && g.stream_k == ZLAY_STREAM_AUTO) g.stream_k = ZLAY_STREAM_NEVER;
    zlay_status status = zl_gemm_weigh(d->ctx, &info, &time, d->target, &g);
    *out = (zl_tiling){.tile = {info.tile_m, info.tile_n, info.tile_k}, .splits = info.splits, .profile = *p,
                       .swap = info.d_order == ZLAY_ORDER_COLUMN, .stream = info.stream_blocks != 0};
    return status;
}

static zlay_gemm fixed(const zlay_gemm *gemm, const zl_tiling *t)
{
    zlay_gemm g = *gemm;
    g.tile_m = t->tile[0], g.tile_n = t->tile[1], g.tile_k = t->tile[2];
    g.split_k = t->splits;
    g.swap = t->swap ? ZLAY_SWAP_ALWAYS : ZLAY_SWAP_NEVER;
    g.stream_k = t->stream ? ZLAY_STREAM_ALWAYS : ZLAY_STREAM_NEVER;
    return g;
}

static bool same_tiling(const zl_tiling *a, const zl_tiling *b)
{
    return !memcmp(a->tile, b->tile, sizeof a->tile) && a->splits == b->splits && a->swap == b->swap && a->stream == b->stream &&
           !memcmp(&a->profile, &b->profile, sizeof a->profile);
}

static zlay_status put_tiling(zl_derived *d, const zl_tiling *t, uint64_t shapes)
{
    uint32_t i = 0;
    while (i < d->tilings && !same_tiling(&d->tiling[i], t)) i++;
    if (i == ZLAY_VARIANTS_CANDIDATES)
        return zl_fail(d->ctx, ZLAY_ELIMIT, "the planner chooses more than %d tilings", ZLAY_VARIANTS_CANDIDATES);
    if (i == d->tilings) d->tiling[d->tilings++] = *t, d->tiling[i].shapes = 0;
    d->tiling[i].shapes |= shapes;
    return ZLAY_OK;
}

/* The choices of the planner for all shapes whose rows are aligned at least so. */
static zlay_status put_profile(zl_derived *d, const zl_profile *p)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++) {
        zl_profile here = profile_at(d, shape);
        zl_tiling t;
        if (!profile_has(&here, p)) continue;
        zlay_gemm g = gemm_exact(d, shape, p);
        status = choose(d, &t, &g, p);
        if (!status) status = put_tiling(d, &t, (uint64_t)1 << shape);
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
        if (d->tiling[i].stream) status = put_tiling(d, &t, 0);
    }
    return status;
}

zlay_status zl_derived_tilings(zl_derived *d)
{
    zl_profile seen[ZLAY_VARIANTS_SHAPES + 1] = {profile_least(d)};
    uint32_t count = 1;
    zlay_status status = put_profile(d, &seen[0]);
    if (!status) status = put_whole(d);
    for (uint32_t shape = 0; shape < d->asked->shapes.shapes && !status; shape++) {
        uint32_t i = 0;
        seen[count] = profile_at(d, shape);
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
        zlay_gemm g = gemm_at(d, shape);
        zl_facts_list more = *guard;
        uint32_t i = 0;
        seen[count] = *field_of(&g, size);
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
        zlay_plan_summary info;
        if (!zl_variant_guard_holds(&read, d->asked->shapes.value + (size_t)shape * d->u->count)) continue;
        zlay_gemm g = gemm_exact(d, shape, &t->profile);
        g = fixed(&g, t);
        status = zl_gemm_weigh(d->ctx, &info, &costs[shape], d->target, &g);
    }
    return status;
}

zlay_status zl_derived_candidates(zl_derived *d)
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

int zl_derived_inner(const zl_derived *d, int operand) { return inner_of(d->base, operand); }
int zl_derived_outer(const zl_derived *d, int operand) { return outer_of(d->base, operand); }
int zl_derived_pitch(const zl_derived *d, int operand) { return pitch_of(d, operand); }
zl_profile zl_derived_least(const zl_derived *d) { return profile_least(d); }

/* ---- the plans of the answer ------------------------------------------------------------------- */

/* A variant's plan for the first shape that it takes is made whole, its pipe proved. */
zlay_status zl_derived_check(const zl_derived *d, const zlay_variants *v, zlay_gemm *choice)
{
    zlay_variants_item item;
    for (uint32_t i = 0; zlay_variants_nth(&item, v, i) == ZLAY_OK; i++) {
        const zl_tiling *t = &d->tiling[d->of[item.variant]];
        choice[i] = fixed(d->base, t);
        for (uint32_t shape = 0; shape < d->asked->shapes.shapes; shape++) {
            zlay_plan *plan;
            if (zlay_variants_select(v, d->asked->shapes.value + (size_t)shape * d->u->count) != (int32_t)i) continue;
            zlay_gemm g = gemm_exact(d, shape, &t->profile);
            g = fixed(&g, t);
            zlay_status status = zl_gemm_synth(d->ctx, &plan, d->target, &g);
            zlay_plan_free(plan);
            if (status) return status;
            break;
        }
    }
    return ZLAY_OK;
}
