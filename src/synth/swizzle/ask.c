/* SPDX-License-Identifier: Apache-2.0 */
/* Derives what an access demands of a layout over F2: the span of a phase, the units of a vector
 * and the spans of the vectors' starts.  It reads them from the access's map over F2 and from the
 * phases in the bank tables. */
#include "synth/swizzle/swizzle.h"
#include "base/arith.h"

#include <string.h>

/* Moves each lane of a set to lane ^ step, by swapping the halves of blocks of bits. */
uint64_t zl_set_moved(uint64_t set, uint32_t step)
{
    static const uint64_t low[ZL_LANE_BITS] = {0x5555555555555555, 0x3333333333333333,
                                               0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff,
                                               0x0000ffff0000ffff, 0x00000000ffffffff};
    for (uint32_t b = 0; b < ZL_LANE_BITS; b++)
        if (step >> b & 1) set = (set & low[b]) << (1u << b) | (set >> (1u << b) & low[b]);
    return set;
}

/* Finds lanes that span a set which contains lane 0; returns whether the set is a subspace. */
static bool lanes_basis(uint32_t *basis, uint32_t *count, uint64_t set)
{
    uint64_t span = 1;
    *count = 0;
    for (uint32_t b = 0; b < ZL_LANE_BITS; b++) {
        uint64_t mine = set & ((UINT64_C(1) << (1u << b)) - 1) << (1u << b);
        if (!mine) continue;
        uint32_t lane = (uint32_t)__builtin_ctzll(mine);
        basis[(*count)++] = lane;
        span |= zl_set_moved(span, lane);
    }
    return span == set;
}

/* The phases that are served as one: 2 where the access serves pairs of lanes and the two lanes of
 * each pair have the same address, else 1. */
static uint32_t phase_step(const zl_bank_model *m, const zl_affine *map)
{
    return m->serves == ZL_SERVES_PAIRS && (!map->basis[0] || !map->basis[1]) ? 2 : 1;
}

/* Counts the phases that have an active lane and reads the span of one; false: they are not one
 * subspace and its translates. */
static bool phases_read(zl_bank_ask *out, const zl_bank_model *m, const zl_affine *map,
                        uint64_t active)
{
    uint32_t step = phase_step(m, map), basis[ZL_LANE_BITS];
    uint64_t first = (m->phases[0] | m->phases[step - 1]) & active;
    if (!lanes_basis(basis, &out->together, first)) return false;
    for (uint32_t i = 0; i < m->count; i += step) {
        uint64_t here = (m->phases[i] | m->phases[i + step - 1]) & active;
        if (!here) continue;
        if (here != zl_set_moved(first, (uint32_t)__builtin_ctzll(here))) return false;
        out->phases++;
    }
    for (uint32_t i = 0; i < out->together; i++) out->phase[i] = zl_xor_of(map->basis, basis[i]);
    return true;
}

/* Appends a start, unless those before it span it. */
static void start_put(zl_bank_ask *out, uint64_t *reduced, uint64_t index)
{
    uint64_t rest = index;
    for (uint32_t i = 0; i < out->starts; i++)
        if (rest & (reduced[i] & (0 - reduced[i]))) rest ^= reduced[i];
    if (!rest || out->starts == ZL_COUNT(out->start)) return;
    reduced[out->starts] = rest;
    out->start[out->starts++] = index;
}

static void starts_read(zl_bank_ask *out, const zl_affine *map, uint32_t lanes)
{
    uint64_t reduced[ZL_TILE_BITS + 1];
    for (uint32_t i = 0; i < map->bits; i++)
        if (i < lanes || i >= lanes + out->vector) start_put(out, reduced, map->basis[i]);
    start_put(out, reduced, map->constant);
}

zlay_status zl_bank_ask_of(zl_bank_ask *out, const zl_banked *banked, uint32_t elem_bits,
                           const zl_affine *map)
{
    const zl_bank_access *a = banked->access;
    uint32_t rows = a->rows ? a->rows : banked->lanes;
    uint32_t lanes = (uint32_t)__builtin_ctz(rows), elements = a->bytes * 8 / elem_bits;
    if (!banked->model || a->parts != 1) return ZLAY_ENOTSUP;
    if (!zl_is_power_of_two(elements) || elements * elem_bits != a->bytes * 8) return ZLAY_NONE;
    if (map->bits > ZL_TILE_BITS) return ZLAY_NONE;
    memset(out, 0, sizeof *out);
    out->vector = (uint32_t)__builtin_ctz(elements);
    out->banks = (uint32_t)__builtin_ctz(banked->model->banks);
    out->apart = banked->model->serves == ZL_SERVES_LANES;
    if (map->bits < lanes + out->vector) return ZLAY_EINVAL;
    out->repeats = map->bits - lanes - out->vector;
    for (uint32_t i = 0; i < out->vector; i++) out->unit[i] = map->basis[lanes + i];
    if (!phases_read(out, banked->model, map, UINT64_MAX >> (64 - rows))) return ZLAY_NONE;
    starts_read(out, map, lanes);
    return ZLAY_OK;
}
