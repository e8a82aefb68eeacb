/* SPDX-License-Identifier: Apache-2.0 */
/* What rules speak of, as functions of a subject. Products saturate: a hostile map is NO, never an
 * overflow. */
#include "legality/rule.h"

enum {
    PACKED8 = ZLAY_TMAP_U4_ALIGN8,
    PACKED16_FIRST = ZLAY_TMAP_U4_ALIGN16,
    U6 = ZLAY_TMAP_U6_ALIGN16
};

static const uint8_t type_bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};

uint32_t zlay_tensormap_type_bits(int32_t type)
{
    return type >= 0 && (size_t)type < ZL_COUNT(type_bits) ? type_bits[type] : 0;
}

static const zlay_tensormap *map_of(const zl_subject *s)
{
    return s->kind == ZL_SUBJECT_COPY ? ((const zl_issue *)s->value)->map : s->value;
}

static uint32_t rank_of(const zl_subject *s)
{
    uint32_t rank = map_of(s)->rank;
    return rank < 5 ? rank : 5;
}

/* Packed types lie in shared memory with their gaps: 16 bytes for 16 values. */
uint32_t zl_smem_bits(int32_t type)
{
    return type == PACKED16_FIRST || type == U6 ? 8 : zlay_tensormap_type_bits(type);
}

static uint64_t inner_bytes(const zlay_tensormap *map)
{
    return (uint64_t)map->box[0] * zl_smem_bits(map->type) / 8;
}

static uint64_t span_of(const zlay_tensormap *map)
{
    if (map->swizzle <= 0) return inner_bytes(map);
    uint64_t span = map->swizzle >= 3 ? 128 : (uint64_t)16 << map->swizzle;
    return inner_bytes(map) > span ? inner_bytes(map) : span;
}

uint64_t zl_box_smem(const zlay_tensormap *map)
{
    uint64_t bytes = span_of(map);
    for (uint32_t i = 1; i < (map->rank < 5 ? map->rank : 5); i++) {
        uint64_t step = map->step[i] ? map->step[i] : 1;
        bytes = zl_umul_sat(bytes, (map->box[i] + step - 1) / step);
    }
    return bytes;
}

static uint64_t footprint(const zlay_tensormap *map, uint32_t rank)
{
    uint64_t bits = zlay_tensormap_type_bits(map->type);
    for (uint32_t i = 0; i < rank; i++)
        bits = zl_umul_sat(bits, map->step[i] ? map->box[i] / map->step[i] : 0);
    return bits == UINT64_MAX ? bits : bits / 8;
}

static uint64_t packed_swizzle(const zlay_tensormap *map)
{
    return map->swizzle == 0 || map->swizzle == 3 || map->swizzle == 4 || map->swizzle == 6;
}

/* Negative enumerators saturate, so that a range refuses them. */
static uint64_t number(int32_t value) { return value < 0 ? UINT64_MAX : (uint64_t)value; }

static uint64_t map_value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_tensormap *m = s->value;
    switch (q) {
    case ZL_Q_HAS_TMAP: return s->target->cls != ZL_CLASS_NONE;
    case ZL_Q_MODE: return number(m->mode);
    case ZL_Q_TYPE: return number(m->type);
    case ZL_Q_RANK: return m->rank;
    case ZL_Q_ADDRESS: return m->address;
    case ZL_Q_EXTENT: return m->extent[i];
    case ZL_Q_EXTENT0: return m->extent[0];
    case ZL_Q_STRIDE: return m->stride[i];
    case ZL_Q_BOX: return m->box[i];
    case ZL_Q_BOX0: return m->box[0];
    case ZL_Q_BOX0_BYTES: return inner_bytes(m);
    case ZL_Q_STEP: return m->step[i];
    case ZL_Q_FOOTPRINT: return footprint(m, rank_of(s));
    case ZL_Q_INTERLEAVE: return number(m->interleave);
    case ZL_Q_SWIZZLE: return number(m->swizzle);
    case ZL_Q_L2: return number(m->l2);
    case ZL_Q_OOB: return number(m->oob);
    case ZL_Q_PACKED_SWIZZLE: return packed_swizzle(m);
    default: return zl_box_smem(m);
    }
}

static uint64_t desc_value(zl_quantity q, const zlay_smemdesc *d)
{
    switch (q) {
    case ZL_Q_START: return d->start;
    case ZL_Q_LBO: return d->lbo;
    case ZL_Q_SBO: return d->sbo;
    case ZL_Q_BASE_OFFSET: return d->base_offset;
    default: return number(d->swizzle);
    }
}

static uint64_t mma_value(zl_quantity q, const zlay_mma *m)
{
    switch (q) {
    case ZL_Q_MMA_M: return m->m;
    case ZL_Q_MMA_N: return m->n;
    case ZL_Q_MMA_K: return m->k;
    case ZL_Q_MMA_A: return number(m->a);
    case ZL_Q_MMA_B: return number(m->b);
    case ZL_Q_MMA_D: return number(m->d);
    case ZL_Q_MMA_A_MAJOR: return number(m->a_major);
    default: return number(m->b_major);
    }
}

static uint64_t copy_value(zl_quantity q, const zl_issue *issue)
{
    const zlay_tensormap *m = issue->map;
    uint64_t bytes = zlay_tensormap_type_bits(m->type) / 8;
    uint64_t x = (uint64_t)(int64_t)issue->copy->coordinate[0] * bytes, more = 0;
    for (int axis = 0; axis < 3; axis++)
        more |= (uint64_t)(int64_t)issue->copy->advance[0][axis] * bytes;
    switch (q) {
    case ZL_Q_COPY_X_BYTES: return x | more;
    case ZL_Q_COPY_SMEM: return issue->copy->smem;
    case ZL_Q_COPY_ROW_BYTES: return zl_umul_sat(m->extent[0], bytes);
    case ZL_Q_COPY_PITCH: return m->stride[0];
    case ZL_Q_COPY_ADDRESS: return m->address;
    case ZL_Q_EXPECT: return issue->expect;
    default: return issue->count;
    }
}

uint64_t zl_quantity_value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    if (q == ZL_Q_HAS_WGMMA) return (uint64_t)s->target->wgmma;
    switch (s->kind) {
    case ZL_SUBJECT_TMAP: return map_value(q, s, i);
    case ZL_SUBJECT_DESC: return desc_value(q, s->value);
    case ZL_SUBJECT_MMA: return mma_value(q, s->value);
    case ZL_SUBJECT_SMEM: return *(const uint64_t *)s->value;
    default: return copy_value(q, s->value);
    }
}

bool zl_quantity_indexed(zl_quantity q)
{
    return q == ZL_Q_EXTENT || q == ZL_Q_STRIDE || q == ZL_Q_BOX || q == ZL_Q_STEP ||
           q == ZL_Q_EXTENT0 || q == ZL_Q_BOX0 || q == ZL_Q_BOX0_BYTES;
}

uint32_t zl_quantity_count(zl_quantity q, const zl_subject *s)
{
    switch (q) {
    case ZL_Q_EXTENT:
    case ZL_Q_BOX:
    case ZL_Q_STEP: return rank_of(s);
    case ZL_Q_STRIDE: return rank_of(s) ? rank_of(s) - 1 : 0;
    case ZL_Q_NO_FIELD: return 0;
    case ZL_Q_COUNT:
    case ZL_Q_EXPECT: return ((const zl_issue *)s->value)->count > 0;
    default: return 1;
    }
}

bool zl_guard_holds(zl_guard guard, const zl_subject *s)
{
    if (guard == ZL_G_ALWAYS) return true;
    const zlay_tensormap *m = map_of(s);
    bool packed16 = m->type == PACKED16_FIRST || m->type == U6;
    int32_t kind = s->kind == ZL_SUBJECT_COPY ? ((const zl_issue *)s->value)->copy->kind : 0;
    bool tensor = kind == ZLAY_COPY_TENSOR_LOAD || kind == ZLAY_COPY_TENSOR_STORE;
    switch (guard) {
    case ZL_G_INTERLEAVED: return m->interleave != 0;
    case ZL_G_COARSE: return m->interleave == 2 || packed16;
    case ZL_G_PACKED16: return packed16;
    case ZL_G_PACKED8: return m->type == PACKED8;
    case ZL_G_SWIZZLE_32: return m->interleave == 0 && m->swizzle == 1;
    case ZL_G_SWIZZLE_64: return m->interleave == 0 && m->swizzle == 2;
    case ZL_G_SWIZZLE_128: return m->interleave == 0 && m->swizzle >= 3 && m->swizzle <= 6;
    case ZL_G_FILLS_NAN: return m->oob == 1;
    case ZL_G_INTERLEAVE_32: return m->interleave == 2;
    case ZL_G_TYPE_U6: return m->type == U6;
    case ZL_G_TENSOR: return tensor;
    case ZL_G_STORES: return kind == ZLAY_COPY_TENSOR_STORE;
    default: return !tensor && ((const zl_issue *)s->value)->copy->width > 0;
    }
}
