/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps as a subject of rules. Products saturate: a hostile map is NO, never an overflow. */
#include "legality/rule.h"

enum { DIMS = 5 };

uint32_t zlay_tensormap_type_bits(int32_t type)
{
    return type <= ZLAY_TYPE_U6_ALIGN16 ? zlay_type_bits(type) : 0;
}

/* Packed types lie in shared memory with their gaps: 16 bytes for 16 values. */
uint32_t zl_smem_bits(int32_t type)
{
    bool gaps = type == ZLAY_TYPE_U4_ALIGN16 || type == ZLAY_TYPE_U6_ALIGN16;
    return gaps ? 8 : zlay_tensormap_type_bits(type);
}

uint32_t zl_dims(const zlay_tensormap *map) { return map->rank < DIMS ? map->rank : DIMS; }

static uint64_t inner_bytes(const zlay_tensormap *map)
{
    return (uint64_t)map->box[0] * zl_smem_bits(map->type) / 8;
}

uint64_t zl_span(int32_t swizzle)
{
    if (swizzle <= 0) return 0;
    return swizzle >= ZLAY_SWIZZLE_128B ? 128 : (uint64_t)16 << swizzle;
}

/* Without interleave the step of dimension 0 is ignored (measured). */
uint64_t zl_box_elements(const zlay_tensormap *map, uint32_t i)
{
    uint64_t step = map->step[i] && (i || map->interleave) ? map->step[i] : 1;
    return (map->box[i] + step - 1) / step;
}

static uint64_t rows(const zlay_tensormap *map)
{
    uint64_t count = 1;
    for (uint32_t i = 1; i < zl_dims(map); i++) count = zl_umul_sat(count, zl_box_elements(map, i));
    return count;
}

uint64_t zl_box_bytes(const zlay_tensormap *map)
{
    return zl_umul_sat(rows(map), zl_box_elements(map, 0) * zl_smem_bits(map->type) / 8);
}

uint64_t zl_box_smem(const zlay_tensormap *map)
{
    uint64_t bytes = zl_box_elements(map, 0) * zl_smem_bits(map->type) / 8;
    uint64_t span = map->interleave ? 0 : zl_span(map->swizzle);
    return zl_umul_sat(rows(map), bytes > span ? bytes : span);
}

static uint64_t footprint(const zlay_tensormap *map)
{
    uint64_t bits = zlay_tensormap_type_bits(map->type);
    for (uint32_t i = 0; i < zl_dims(map); i++)
        bits = zl_umul_sat(bits, map->step[i] ? map->box[i] / map->step[i] : 0);
    return bits == UINT64_MAX ? bits : bits / 8;
}

/* No swizzle, 128 bytes, and its 32- and 64-byte atoms without the flip. */
static uint64_t packed_swizzle(const zlay_tensormap *map)
{
    return map->swizzle == 0 || map->swizzle == 3 || map->swizzle == 4 || map->swizzle == 6;
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_tensormap *m = s->value;
    switch (q) {
    case ZL_Q_HAS_TMAP: return (s->target->features & ZL_HAS_TMA) != 0;
    case ZL_Q_MODE: return zl_number(m->mode);
    case ZL_Q_TYPE: return zl_number(m->type);
    case ZL_Q_RANK: return m->rank;
    case ZL_Q_ADDRESS: return m->address;
    case ZL_Q_EXTENT0:
    case ZL_Q_EXTENT: return m->extent[i];
    case ZL_Q_STRIDE: return m->stride[i];
    case ZL_Q_BOX0:
    case ZL_Q_BOX: return m->box[i];
    case ZL_Q_BOX0_BYTES: return inner_bytes(m);
    case ZL_Q_STEP: return m->step[i];
    case ZL_Q_FOOTPRINT: return footprint(m);
    case ZL_Q_INTERLEAVE: return zl_number(m->interleave);
    case ZL_Q_SWIZZLE: return zl_number(m->swizzle);
    case ZL_Q_PACKED_SWIZZLE: return packed_swizzle(m);
    case ZL_Q_L2: return zl_number(m->l2);
    case ZL_Q_OOB: return zl_number(m->oob);
    default: return zl_box_smem(m);
    }
}

static uint32_t count(zl_entries entries, const zl_subject *s)
{
    const zlay_tensormap *map = s->value;
    switch (entries) {
    case ZL_ENTRIES_FIRST: return map->rank > 0;
    case ZL_ENTRIES_EACH: return zl_dims(map);
    case ZL_ENTRIES_STRIDES: return zl_dims(map) ? zl_dims(map) - 1 : 0;
    default: return 1;
    }
}

static bool guard(zl_guard g, const zl_subject *s)
{
    const zlay_tensormap *m = s->value;
    bool packed16 = m->type == ZLAY_TYPE_U4_ALIGN16 || m->type == ZLAY_TYPE_U6_ALIGN16;
    switch (g) {
    case ZL_G_PLAIN: return m->interleave == 0;
    case ZL_G_INTERLEAVED: return m->interleave != 0;
    case ZL_G_COARSE: return m->interleave == 2 || packed16;
    case ZL_G_PACKED16: return packed16;
    case ZL_G_PACKED8: return m->type == ZLAY_TYPE_U4_ALIGN8;
    case ZL_G_SWIZZLED: return m->swizzle != ZLAY_SWIZZLE_NONE;
    case ZL_G_SWIZZLE_32: return m->interleave == 0 && m->swizzle == ZLAY_SWIZZLE_32B;
    case ZL_G_SWIZZLE_64: return m->interleave == 0 && m->swizzle == ZLAY_SWIZZLE_64B;
    case ZL_G_SWIZZLE_128: return m->interleave == 0 && m->swizzle >= 3 && m->swizzle <= 6;
    case ZL_G_FILLS_NAN: return m->oob == 1;
    case ZL_G_INTERLEAVE_32: return m->interleave == 2;
    default: return m->type == ZLAY_TYPE_U6_ALIGN16;
    }
}

static uint64_t bound(uint64_t b, const zl_subject *s, uint32_t i)
{
    return b == ZL_BOUND_EXTENT ? ((const zlay_tensormap *)s->value)->extent[i] : b;
}

const zl_subject_form zl_tensormap_form = {value, count, guard, bound, zl_tensormap_fix};

zlay_status zlay_tensormap_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                 const zlay_target *target, const zlay_tensormap *map)
{
    if (!out || !target || !map || (room && !reasons) ||
        !zl_all_zero(map->reserved, ZL_COUNT(map->reserved)))
        return ZLAY_EINVAL;
    if (map->mode == 1 || map->mode == 2) return ZLAY_ENOTSUP;
    zl_subject s = {ZL_SUBJECT_TMAP, target, map};
    return zl_check(out, reasons, room, &s, true);
}
