/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the maps of a sample back as expressions. A stride is a number times a product of unknowns
 * that occurs in the source: the greatest product that divides it. An address is a sum of such
 * terms, which are subtracted greatest first. An extent is a multiple or a quotient of an axis's
 * extent. The result is a guess that identity.c or generators.c proves. */
#include "synth/tensormap/symbolic/symbolic.h"

enum { FACTOR_MOST = 1 << 20 };

/* Reads a number as a factor times the greatest product that divides it, or times 1. */
static void number_read(uint32_t *product, int64_t *factor, const zl_tm_symbolic *g, int64_t value)
{
    *product = ZL_TM_NUMBER;
    *factor = value;
    for (uint32_t i = 1; value && i < g->products; i++) {
        if (value % g->worth[i] || value / g->worth[i] > FACTOR_MOST) continue;
        if (*product != ZL_TM_NUMBER && g->worth[i] < g->worth[*product]) continue;
        *product = i;
        *factor = value / g->worth[i];
    }
}

static int64_t rounded(int64_t a, int64_t b)
{
    int64_t q = a / b, r = a % b;
    if (2 * (r < 0 ? -r : r) > b) q += a < 0 ? -1 : 1;
    return q;
}

/* Reads a number as a sum: subtracts multiples of products, the greatest product first. */
static void sum_read(zl_tm_sum *out, const zl_tm_symbolic *g, int64_t rest)
{
    bool taken[ZL_TM_PRODUCTS] = {true};
    for (uint32_t n = 1; n < g->products; n++) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < g->products; i++)
            if (!taken[i] && (!most || g->worth[i] > g->worth[most])) most = i;
        taken[most] = true;
        int64_t times = rounded(rest, g->worth[most]);
        if (times > FACTOR_MOST || times < -FACTOR_MOST) continue;
        out->of[most] += times;
        rest -= times * g->worth[most];
    }
    out->of[ZL_TM_NUMBER] += rest;
}

static bool address_read(zl_tm_read *out, const zl_tm_symbolic *g, const zlay_tensormap *map)
{
    int64_t rest = (int64_t)map->address, part;
    out->address = g->offset;
    for (uint32_t i = 0; i < g->products; i++)
        if (!zl_mul(g->offset.of[i], g->worth[i], &part) || !zl_sub(rest, part, &rest))
            return false;
    sum_read(&out->address, g, rest);
    return true;
}

/* Reads an extent as times / part of a leaf's extent; false: it is no multiple, and no quotient
 * for all values. */
static bool extent_of_leaf(int64_t *times, int64_t *part, const zl_tm_symbolic *g, size_t k,
                           int64_t extent)
{
    const zl_monomial *shape = &g->s->leaf[k].shape;
    int64_t cells;
    if (zl_monomial_constant(shape) || !zl_tm_monomial_at(&cells, g, shape)) return false;
    *times = extent % cells ? 1 : extent / cells;
    *part = extent % cells ? cells / extent : 1;
    if (extent % cells && cells % extent) return false;
    return zl_range_divisor(zl_monomial_range(shape, g->s)) % (uint64_t)*part == 0;
}

/* Finds the leaf of whose extent an extent is the simplest multiple or quotient. */
static void extent_read(zl_tm_read *out, const zl_tm_symbolic *g, uint32_t i, int64_t extent)
{
    int64_t times, part, least = INT64_MAX;
    out->leaf[i] = ZL_TM_NO_LEAF;
    out->times[i] = out->part[i] = 1;
    for (size_t k = 0; k < g->s->leaves; k++) {
        if (!extent_of_leaf(&times, &part, g, k, extent) || times > FACTOR_MOST ||
            times * part >= least)
            continue;
        least = times * part;
        out->leaf[i] = (int32_t)k;
        out->times[i] = times;
        out->part[i] = part;
    }
}

zlay_status zl_tm_read_maps(zl_tm_symbolic *g)
{
    for (uint32_t m = 0; m < g->move->info.maps; m++) {
        const zlay_tensormap *map = &g->move->maps[m];
        zl_tm_read *r = &g->read[m];
        if (map->mode || map->interleave)
            return zl_symbols_unknown(g->ctx, "im2col and interleaved maps are read as numbers");
        if (!address_read(r, g, map))
            return zl_fail(g->ctx, ZLAY_EOVERFLOW, "source: its offset in bytes passes 2^63");
        r->product[0] = ZL_TM_NUMBER;
        r->factor[0] = (int64_t)zlay_tensormap_type_bits(map->type) / 8;
        for (uint32_t i = 0; i < map->rank; i++) {
            if (i) number_read(&r->product[i], &r->factor[i], g, (int64_t)map->stride[i - 1]);
            extent_read(r, g, i, (int64_t)map->extent[i]);
        }
    }
    return ZLAY_OK;
}
