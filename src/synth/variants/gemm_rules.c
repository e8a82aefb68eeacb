/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions under which the planner of GEMMs takes a request, as facts about its unknown sizes: those of
 * every plan become facts of the request, those of a choice its guard. A product of two unknowns is bounded by
 * the range of one of them. tests/synth/variants/gemm.c draws sizes for which they hold and asks the planner. */
#include "synth/gemm/plan.h"
#include "synth/variants/gemm.h"

#include <string.h>

enum { EXTENT_MOST = INT32_MAX - 255 /* of a GEMM */, STEPS_LOG = 24 /* steps of K, for 2^8 blocks to count them in 32 bits */,
       WAVE_LOAD = 16 /* bytes */, WAVE_SIDE_LEAST = 64, WAVE_SIDE_MOST = 256 /* of a tile */, WAVE_THREADS = 256 /* of a block */ };
static const uint64_t SHARE = (uint64_t)1 << 18; /* of a side of D, at least */
static const uint64_t STRIDE_MOST = ((uint64_t)1 << 40) - 16; /* bytes, of a tensor map */

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

/* The same of a multiple. */
static zlay_status put_multiple(const zl_derived *d, zl_facts_list *out, int size, uint32_t by)
{
    const char *name = zl_derived_name(d, size);
    if (!name || zl_range_divisor(zl_derived_range(d, size)) % by == 0) return ZLAY_OK;
    return zl_facts_put(d, out, "%s %% %u == 0", name, by);
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

/* Waves load 16 bytes of a row at once; offsets in a tile of any size are below 2^31 bytes, and threads of a row of blocks
 * below 2^32. */
static zlay_status put_waves(const zl_derived *d, zl_facts_list *out)
{
    bool turned = d->base->d_order == ZLAY_ORDER_COLUMN;
    zlay_status status = put_most(d, out, turned ? ZLAY_VARIANTS_M : ZLAY_VARIANTS_N, (uint64_t)UINT32_MAX / WAVE_THREADS * WAVE_SIDE_LEAST);
    for (int o = 0; o < ZL_OPERANDS && !status; o++) {
        int pitch = zl_derived_pitch(d, o);
        uint32_t chunk = WAVE_LOAD / d->element[o];
        status = put_most(d, out, pitch, INT32_MAX / WAVE_SIDE_MOST / d->element[o]);
        if (!status && o < ZLAY_OPERAND_D) status = put_multiple(d, out, ZLAY_VARIANTS_K, chunk);
        if (!status && o < ZLAY_OPERAND_D && pitch != ZLAY_VARIANTS_K) status = put_multiple(d, out, pitch, chunk);
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
    if (!status && zl_wave_target(d->target)) status = put_waves(d, out);
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
