/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/kind.h"
#include <zlay/f2.h>

int64_t zl_strided_at(const zlay_layout *a, uint64_t index)
{
    int64_t value = a->offset;
    for (size_t i = 0; i < a->modes; i++) {
        uint64_t extent = (uint64_t)a->mode[i].shape;
        value += (int64_t)(index % extent) * a->mode[i].stride;
        index /= extent;
    }
    return zl_swizzle_at(a->swizzle, value);
}

int64_t zl_f2_at(const zlay_layout *a, uint64_t index)
{
    uint64_t value = 0;
    for (; index; index &= index - 1) value ^= a->f2.basis[__builtin_ctzll(index)];
    return (int64_t)value;
}

static bool step(int64_t coordinate, int64_t stride, int64_t *value)
{
    int64_t reach;
    return zl_mul(coordinate, stride, &reach) && zl_add(*value, reach, value);
}

bool zl_strided_at_integer(const zlay_layout *a, int64_t index, int64_t *out)
{
    int64_t value = a->offset;
    for (size_t i = 0; i + 1 < a->modes; i++) {
        if (!step(index % a->mode[i].shape, a->mode[i].stride, &value)) return false;
        index /= a->mode[i].shape;
    }
    if (!step(index, a->mode[a->modes - 1].stride, &value)) return false;
    *out = zl_swizzle_at(a->swizzle, value);
    return true;
}

/* Inputs of 64 bits take every word. */
bool zl_f2_at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    if (zl_dim_bits(a->f2.in, a->f2.ins) < 64 && (uint64_t)value >= a->size) return false;
    *out = zl_f2_at(a, (uint64_t)value);
    return true;
}

zlay_status zl_strided_tuple(const zlay_layout *a, uint64_t index, int64_t *values)
{
    values[0] = zl_strided_at(a, index);
    return ZLAY_OK;
}

zlay_status zl_f2_tuple(const zlay_layout *a, uint64_t index, int64_t *values)
{
    uint64_t flat = (uint64_t)zl_f2_at(a, index);
    zl_f2_fields(&a->f2, flat, values);
    return ZLAY_OK;
}

void zl_f2_fields(const zl_f2 *f2, uint64_t packed, int64_t *values)
{
    for (size_t i = 0; i < f2->outs; i++) {
        unsigned bits = f2->out[i].bits;
        values[i] = (int64_t)(bits < 64 ? packed & (((uint64_t)1 << bits) - 1) : packed);
        packed = bits < 64 ? packed >> bits : 0;
    }
}

/* 64 bits have one point more than their size says. */
static bool is_inside(const zlay_layout *a, uint64_t index)
{
    return index < a->size || zlay_f2_bits(a) == 64;
}

zlay_status zlay_layout_eval(int64_t *values, size_t room, const zlay_layout *layout,
                             uint64_t index)
{
    if (!values || !layout || !is_inside(layout, index)) return ZLAY_EINVAL;
    if (room < zlay_layout_outs(layout)) return ZLAY_EINVAL;
    return zl_kind_of(layout)->tuple(layout, index, values);
}
