/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions under which the planner of GEMMs takes a request, as facts about its unknown sizes: those of
 * every plan become facts of the request, those of a choice its guard. A product of two unknowns is bounded by
 * the range of one of them. tests/synth/variants/gemm.c draws sizes for which they hold and asks the planner. */
#include "base/request.h"
#include "synth/gemm/plan.h"
#include "synth/variants/gemm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { EXTENT_MOST = INT32_MAX - 255 /* of a GEMM */, STEPS_LOG = 24 /* steps of K, for 2^8 blocks to count them in 32 bits */ };
static const uint64_t SHARE = (uint64_t)1 << 18; /* of a side of D, at least */
static const uint64_t STRIDE_MOST = ((uint64_t)1 << 40) - 16; /* bytes, of a tensor map */
static const char *const size_names[] = {"m", "n", "k", "lda", "ldb", "ldd"};

const char *zl_derived_name(const zl_derived *d, int size)
{
    uint32_t of = d->asked->of[size];
    return of ? d->u->at[of - 1].name.text : NULL;
}

zlay_status zl_facts_put(const zl_derived *d, zl_facts_list *list, const char *format, ...)
{
    enum { ROOM = 256 };
    char *text = zl_scratch(d->ctx, ROOM, 1);
    if (!text) return ZLAY_ENOMEM;
    if (list->count == ZL_DERIVED_FACTS) return zl_fail(d->ctx, ZLAY_ELIMIT, "facts: more than %d", ZL_DERIVED_FACTS);
    va_list args;
    va_start(args, format);
    vsnprintf(text, ROOM, format, args);
    va_end(args);
    list->text[list->count++] = text;
    return ZLAY_OK;
}

/* A size is at least, or at most, a number that its range does not promise. */
static zlay_status put_least(const zl_derived *d, zl_facts_list *out, int size, uint64_t least)
{
    const char *name = zl_derived_name(d, size);
    if (!name || zl_derived_range(d, size).lo >= (int64_t)least) return ZLAY_OK;
    return zl_facts_put(d, out, "%s >= %llu", name, (unsigned long long)least);
}

static zlay_status put_most(const zl_derived *d, zl_facts_list *out, int size, uint64_t most)
{
    const char *name = zl_derived_name(d, size);
    if (!name || (uint64_t)zl_derived_range(d, size).hi <= most) return ZLAY_OK;
    return zl_facts_put(d, out, "%s <= %llu", name, (unsigned long long)most);
}

/* ---- facts of every plan ----------------------------------------------------------------------- */

static zlay_status put_ranges(const zl_derived *d, zl_facts_list *out)
{
    zlay_status status = ZLAY_OK;
    for (int size = 0; size < ZLAY_VARIANTS_SIZES && !status; size++) {
        uint64_t most = size < ZLAY_VARIANTS_LDA ? EXTENT_MOST : STRIDE_MOST / d->element[size - ZLAY_VARIANTS_LDA];
        status = put_least(d, out, size, 1);
        if (!status) status = put_most(d, out, size, most);
    }
    return status;
}

/* A row fits the pitch, and all rows 64 bits of addresses. */
static zlay_status put_matrix(const zl_derived *d, zl_facts_list *out, int operand)
{
    int inner = zl_derived_inner(d, operand), outer = zl_derived_outer(d, operand), pitch = zl_derived_pitch(d, operand);
    const char *row = zl_derived_name(d, inner), *name = zl_derived_name(d, pitch);
    const uint64_t address[] = {d->base->a_address, d->base->b_address, d->base->d_address};
    uint64_t room = (UINT64_MAX - (address[operand] ? address[operand] : ZL_ADDRESS)) / d->element[operand];
    zlay_range rows = zl_derived_range(d, outer), wide = zl_derived_range(d, pitch);
    zlay_status status = ZLAY_OK;
    if (inner != pitch && row && name) status = zl_facts_put(d, out, "%s <= %s", row, name);
    else if (inner != pitch && row) status = put_most(d, out, inner, (uint64_t)wide.hi);
    else if (inner != pitch) status = put_least(d, out, pitch, (uint64_t)zl_derived_range(d, inner).lo);
    if (status) return status;
    if (name) return put_most(d, out, pitch, zl_umin(room / (uint64_t)rows.hi, STRIDE_MOST / d->element[operand]));
    return put_most(d, out, outer, room / (uint64_t)wide.hi);
}

/* The most of a size in all shapes. */
static uint64_t shapes_most(const zl_derived *d, int size)
{
    uint32_t of = d->asked->of[size];
    int64_t most = 1;
    for (uint32_t i = 0; of && i < d->asked->shapes.shapes; i++)
        most = zl_max(most, d->asked->shapes.value[(size_t)i * d->u->count + of - 1]);
    return (uint64_t)most;
}

/* The most elements of D that have fewer than 2^31 tiles, of the largest tile for the least profile. */
static uint64_t area_of(const zl_derived *d)
{
    zl_profile least = zl_derived_least(d);
    uint64_t most = 1;
    for (uint32_t i = 0; i < d->tilings; i++) {
        const zl_tiling *t = &d->tiling[i];
        if (memcmp(&t->profile, &least, sizeof least)) continue;
        most = zl_umax(most, (uint64_t)INT32_MAX / t->splits / 4 * t->tile[0] * t->tile[1]);
    }
    return most;
}

/* Bounds the sides of D; of two unknown sides each gets a share that has all shapes. Where a side ends within a tile there is
 * one more, which the fourth part of area_of has room for. */
static zlay_status put_area(const zl_derived *d, zl_facts_list *out)
{
    int side[] = {ZLAY_VARIANTS_M, ZLAY_VARIANTS_N};
    if (!zl_derived_name(d, side[0])) side[0] = ZLAY_VARIANTS_N, side[1] = ZLAY_VARIANTS_M;
    uint64_t high = (uint64_t)zl_derived_range(d, side[0]).hi, wide = (uint64_t)zl_derived_range(d, side[1]).hi, area = area_of(d);
    if (zl_umul_sat(high, wide) <= area) return ZLAY_OK;
    if (zl_derived_name(d, side[1])) wide = zl_umin(wide, zl_umax(SHARE, shapes_most(d, side[1])));
    zlay_status status = put_most(d, out, side[1], wide);
    return status ? status : put_most(d, out, side[0], area / wide);
}

static zlay_status read_ranges(zl_derived *d, const zl_facts_list *facts)
{
    zl_variant_guard domain;
    for (size_t i = 0; i < d->u->count; i++) d->u->at[i].range = zl_range_all();
    return zl_variant_guard_read(d->u, &domain, "facts", facts->text, facts->count, true);
}

zlay_status zl_derived_facts(zl_derived *d, zl_facts_list *out)
{
    const zlay_variants_request *r = &d->asked->shapes;
    if (r->facts && !r->fact) return zl_fail(d->ctx, ZLAY_EINVAL, "facts is NULL");
    zlay_status status = put_ranges(d, out);
    for (uint32_t i = 0; i < r->facts && !status; i++)
        status = r->fact[i] ? zl_facts_put(d, out, "%s", r->fact[i]) : zl_fail(d->ctx, ZLAY_EINVAL, "facts[%u] is NULL", i);
    return status ? status : read_ranges(d, out);
}

zlay_status zl_derived_products(zl_derived *d, zl_facts_list *out)
{
    zlay_status status = put_area(d, out);
    if (!status) status = read_ranges(d, out);
    for (int o = 0; o < ZL_OPERANDS && !status; o++) status = put_matrix(d, out, o);
    return status ? status : read_ranges(d, out);
}

/* ---- the guard of a choice --------------------------------------------------------------------- */

static zlay_status put_multiple(const zl_derived *d, zl_facts_list *out, int size, uint32_t by)
{
    const char *name = zl_derived_name(d, size);
    if (!name || zl_range_divisor(zl_derived_range(d, size)) % by == 0) return ZLAY_OK;
    return zl_facts_put(d, out, "%s %% %u == 0", name, by);
}

static zlay_status put_alignment(const zl_derived *d, zl_facts_list *out, const zl_profile *p)
{
    zlay_status status = ZLAY_OK;
    for (int o = 0; o < ZL_OPERANDS && !status; o++) {
        uint32_t by = p->align[o] / d->element[o];
        if (by <= 1) continue;
        int inner = zl_derived_inner(d, o), pitch = zl_derived_pitch(d, o);
        status = put_multiple(d, out, pitch, by);
        if (!status && o == ZLAY_OPERAND_D && inner != pitch) status = put_multiple(d, out, inner, by);
    }
    return status;
}

/* There are fewer than 2^31 tiles: the range of one side bounds the other. */
static zlay_status put_tiles(const zl_derived *d, zl_facts_list *out, const zl_tiling *t)
{
    bool turned = (d->base->d_order == ZLAY_ORDER_COLUMN) != t->swap;
    int rows = turned ? ZLAY_VARIANTS_N : ZLAY_VARIANTS_M, columns = turned ? ZLAY_VARIANTS_M : ZLAY_VARIANTS_N;
    bool free_rows = zl_derived_name(d, rows) != NULL;
    int side = free_rows ? rows : columns, other = free_rows ? columns : rows;
    uint64_t beside = zl_ceil_div((uint64_t)zl_derived_range(d, other).hi, t->tile[free_rows]);
    return put_most(d, out, side, INT32_MAX / t->splits / beside * t->tile[!free_rows]);
}

zlay_status zl_derived_guard(const zl_derived *d, zl_facts_list *out, const zl_tiling *t)
{
    uint64_t tile_k = t->tile[2];
    zlay_status status = put_alignment(d, out, &t->profile);
    if (!status) status = put_tiles(d, out, t);
    if (!status && t->splits > 1) status = put_least(d, out, ZLAY_VARIANTS_K, (t->splits - 1) * tile_k + 1);
    if (!status && t->stream) status = put_least(d, out, ZLAY_VARIANTS_K, tile_k + 1);
    if (!status && t->stream) status = put_most(d, out, ZLAY_VARIANTS_K, tile_k << STEPS_LOG);
    return status;
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
    bool others = zl_gemm_by_tmem(d->target) || zl_gemm_by_sync(d->target) || zl_wave_target(d->target);
    if (others) return zl_fail(d->ctx, ZLAY_ENOTSUP, "target: %s; times were measured of GEMMs by wgmma alone", zlay_target_name(d->target));
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
        if (field[size] > STRIDE_MOST) return zl_fail(d->ctx, ZLAY_EINVAL, "%s: %llu passes 2^40", size_names[size], (unsigned long long)field[size]);
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
    zlay_status status = field_check(d);
    if (!status) status = zl_variants_counts(d->ctx, &r);
    if (!status) status = zl_variant_guard_names(d->ctx, d->u, &r);
    if (!status) status = sizes_check(d);
    if (!status) status = element_sizes(d);
    if (!status) status = room_make(d);
    if (!status) status = zl_derived_facts(d, &facts);
    if (!status) status = shapes_check(d, &facts);
    if (!status) status = zl_derived_tilings(d);
    if (!status) status = zl_derived_products(d, &facts);
    if (!status) status = zl_derived_candidates(d);
    if (status) return status;
    r.fact = facts.text, r.facts = facts.count;
    r.variant = d->candidate, r.variants = d->candidates;
    status = zl_variants_choose(d->ctx, out, &r);
    return status ? status : zl_derived_check(d, *out, choice);
}

static zlay_status request_read(zlay_ctx *ctx, zlay_variants_gemm *out, zlay_gemm *gemm, const zlay_variants_gemm *in)
{
    static const zl_request_form form = {.name = "variants", .size = sizeof *out, .least = sizeof *out, .reserved = {ZL_RESERVED(zlay_variants_gemm, reserved)}};
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
