/* SPDX-License-Identifier: Apache-2.0 */
/* What rules speak of, as functions of a subject. Products saturate: a hostile map is NO, never an
 * overflow. */
#include "legality/rule.h"

enum { DIMS = 5, AXES = 3, NO_TYPE_BITS = 0 };

typedef enum entries { NEVER, ONE, FIRST, EACH, STRIDES, STARTS, BARRIER } entries;

static const struct {
    zl_subject_kind subject;
    int32_t field;
    entries entries;
} quantities[] = {
#define QUANTITY(name, subject, field, entries)                                                    \
    {ZL_SUBJECT_##subject, ZLAY_FIELD_##field, entries},
#include "legality/quantities.def"
#undef QUANTITY
};

static const uint8_t type_bits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};

uint32_t zlay_tensormap_type_bits(int32_t type)
{
    return type >= 0 && (size_t)type < ZL_COUNT(type_bits) ? type_bits[type] : NO_TYPE_BITS;
}

/* Packed types lie in shared memory with their gaps: 16 bytes for 16 values. */
uint32_t zl_smem_bits(int32_t type)
{
    bool gaps = type == ZLAY_TMAP_U4_ALIGN16 || type == ZLAY_TMAP_U6_ALIGN16;
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
    case ZL_Q_EXTENT0:
    case ZL_Q_EXTENT: return m->extent[i];
    case ZL_Q_STRIDE: return m->stride[i];
    case ZL_Q_BOX0:
    case ZL_Q_BOX: return m->box[i];
    case ZL_Q_BOX0_BYTES: return inner_bytes(m);
    case ZL_Q_STEP: return m->step[i];
    case ZL_Q_FOOTPRINT: return footprint(m);
    case ZL_Q_INTERLEAVE: return number(m->interleave);
    case ZL_Q_SWIZZLE: return number(m->swizzle);
    case ZL_Q_PACKED_SWIZZLE: return packed_swizzle(m);
    case ZL_Q_L2: return number(m->l2);
    case ZL_Q_OOB: return number(m->oob);
    default: return zl_box_smem(m);
    }
}

static uint64_t desc_value(zl_quantity q, const zl_subject *s)
{
    const zlay_smemdesc *d = s->value;
    switch (q) {
    case ZL_Q_DESC_WGMMA: return (uint64_t)s->target->wgmma;
    case ZL_Q_START: return d->start;
    case ZL_Q_LBO: return d->lbo;
    case ZL_Q_SBO: return d->sbo;
    case ZL_Q_BASE_OFFSET: return d->base_offset;
    default: return number(d->swizzle);
    }
}

static uint64_t mma_value(zl_quantity q, const zl_subject *s)
{
    const zlay_mma *m = s->value;
    switch (q) {
    case ZL_Q_MMA_WGMMA: return (uint64_t)s->target->wgmma;
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

/* Where the first box starts in its row, then what the i-th tile axis that moves it adds. */
static uint64_t start_bytes(const zl_issue *issue, uint32_t i)
{
    const int32_t *advance = issue->copy->advance[0];
    int64_t x = issue->copy->coordinate[0];
    for (uint32_t axis = 0; axis < AXES && i > 0; axis++) {
        if (!advance[axis]) continue;
        x = advance[axis];
        i--;
    }
    return (uint64_t)x * (zlay_tensormap_type_bits(issue->map->type) / 8);
}

static uint64_t copy_value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zl_issue *issue = s->value;
    const zlay_tensormap *m = issue->map;
    switch (q) {
    case ZL_Q_COPY_X_BYTES: return start_bytes(issue, i);
    case ZL_Q_COPY_AT: return number(issue->copy->coordinate[i]);
    case ZL_Q_COPY_BYTES: return issue->copy->bytes;
    case ZL_Q_COPY_SMEM: return issue->copy->smem;
    case ZL_Q_COPY_ROW_BYTES:
        return zl_umul_sat(m->extent[0], zlay_tensormap_type_bits(m->type)) / 8;
    case ZL_Q_COPY_PITCH: return m->stride[0];
    case ZL_Q_COPY_ADDRESS: return m->address;
    case ZL_Q_COPY_WIDTH: return issue->copy->width;
    case ZL_Q_EXPECT: return issue->expect;
    default: return issue->count;
    }
}

uint64_t zl_quantity_value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    switch (s->kind) {
    case ZL_SUBJECT_TMAP: return map_value(q, s, i);
    case ZL_SUBJECT_DESC: return desc_value(q, s);
    case ZL_SUBJECT_MMA: return mma_value(q, s);
    case ZL_SUBJECT_SMEM: return *(const uint64_t *)s->value;
    default: return copy_value(q, s, i);
    }
}

/* The least power of two from `least` to 16 that is no less than a width. */
static uint64_t width_from(uint64_t least, uint32_t width)
{
    while (least < 16 && least < width) least *= 2;
    return least;
}

uint64_t zl_bound(uint64_t bound, const zl_subject *s, uint32_t i)
{
    const zl_issue *issue = s->kind == ZL_SUBJECT_COPY ? s->value : NULL;
    switch (bound) {
    case ZL_BOUND_SMEM: return s->target->smem;
    case ZL_BOUND_EXTENT: return ((const zlay_tensormap *)s->value)->extent[i];
    case ZL_BOUND_WIDTH: return issue->copy->width;
    case ZL_BOUND_BOX_BYTES: return zl_box_bytes(issue->map);
    case ZL_BOUND_CP_WIDTH: return width_from(4, issue->copy->width);
    case ZL_BOUND_LD_WIDTH: return width_from(1, issue->copy->width);
    default: return bound;
    }
}

zl_subject_kind zl_quantity_subject(zl_quantity q) { return quantities[q].subject; }
int32_t zl_quantity_field(zl_quantity q) { return quantities[q].field; }

bool zl_quantity_indexed(zl_quantity q)
{
    entries e = quantities[q].entries;
    return e == FIRST || e == EACH || e == STRIDES;
}

static uint32_t starts_count(const zl_issue *issue)
{
    uint32_t count = 1;
    for (uint32_t axis = 0; axis < AXES; axis++) count += issue->copy->advance[0][axis] != 0;
    return count;
}

uint32_t zl_quantity_count(zl_quantity q, const zl_subject *s)
{
    const zl_issue *issue = s->kind == ZL_SUBJECT_COPY ? s->value : NULL;
    const zlay_tensormap *map = issue ? issue->map : s->value;
    switch (quantities[q].entries) {
    case NEVER: return 0;
    case FIRST: return map->rank > 0;
    case EACH: return zl_dims(map);
    case STRIDES: return zl_dims(map) ? zl_dims(map) - 1 : 0;
    case STARTS: return starts_count(issue);
    case BARRIER: return issue->count > 0;
    default: return 1;
    }
}
