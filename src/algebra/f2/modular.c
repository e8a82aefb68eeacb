/* SPDX-License-Identifier: Apache-2.0 */
/* Values of modular layouts as elements of the group of their outputs, and equality of any size. */
#include "algebra/f2/modular.h"
#include "algebra/f2/f2.h"

static uint64_t add(const zl_dim *out, uint64_t a, uint64_t b)
{
    if (!out->size) return a ^ b;
    return a >= out->size - b ? a - (out->size - b) : a + b;
}

static uint64_t negative(const zl_dim *out, uint64_t a)
{
    return out->size && a ? out->size - a : a;
}

uint64_t zl_modular_add(const zl_f2 *f2, uint64_t a, uint64_t b)
{
    uint64_t result = 0;
    unsigned low = 0;
    for (size_t i = 0; i < f2->outs; low += f2->out[i++].bits) {
        unsigned bits = f2->out[i].bits;
        uint64_t sum = add(&f2->out[i], zl_field(a, low, bits), zl_field(b, low, bits));
        result |= zl_left(sum, low);
    }
    return result;
}

uint64_t zl_modular_subtract(const zl_f2 *f2, uint64_t a, uint64_t b)
{
    uint64_t result = 0;
    unsigned low = 0;
    for (size_t i = 0; i < f2->outs; low += f2->out[i++].bits)
        result |= zl_left(negative(&f2->out[i], zl_field(b, low, f2->out[i].bits)), low);
    return zl_modular_add(f2, a, result);
}

uint64_t zl_modular_flat(const zl_f2 *f2, uint64_t packed)
{
    uint64_t flat = 0, step = 1;
    unsigned low = 0;
    for (size_t i = 0; i < f2->outs; low += f2->out[i++].bits) {
        flat += step * zl_field(packed, low, f2->out[i].bits);
        step *= zl_dim_size(&f2->out[i]);
    }
    return flat;
}

uint64_t zl_modular_packed(const zl_f2 *f2, uint64_t flat)
{
    uint64_t packed = 0;
    unsigned low = 0;
    for (size_t i = 0; i < f2->outs; low += f2->out[i++].bits) {
        uint64_t size = zl_dim_size(&f2->out[i]);
        packed |= zl_left(size ? flat % size : flat, low);
        flat = size ? flat / size : 0;
    }
    return packed;
}

uint64_t zl_modular_group(const zl_f2 *f2)
{
    uint64_t count = 1;
    for (size_t i = 0; i < f2->outs; i++) {
        uint64_t size = zl_dim_size(&f2->out[i]);
        count = size ? zl_umul_sat(count, size) : UINT64_MAX;
    }
    return count;
}

uint64_t zl_modular_at(const zl_f2 *f2, uint64_t index)
{
    uint64_t value = 0;
    for (; index; index &= index - 1)
        value = zl_modular_add(f2, value, f2->basis[__builtin_ctzll(index)]);
    return value;
}

/* ---- equality ------------------------------------------------------------------------------ */

/* Sums modulo m and modulo n > m of the same bases are equal until the first that reaches m, where
 * they differ, for it is below 2m; and 0 is where one has wrapped and the other has not. */
static bool part_ways(const zl_f2 *a, size_t out, unsigned bits, uint64_t least, uint64_t *index)
{
    unsigned low = zl_dim_low(a->out, out);
    uint64_t sum = 0;
    *index = 0;
    for (unsigned k = 0; k < bits; k++) {
        uint64_t field = zl_field(a->basis[k], low, a->out[out].bits);
        if (!field) continue;
        *index |= (uint64_t)1 << k;
        if (field >= least - sum) return true;
        sum += field;
    }
    return false;
}

static zlay_answer output_equal(const zl_f2 *a, const zl_f2 *b, size_t i, unsigned bits,
                                uint64_t *index)
{
    const zl_dim *x = &a->out[i], *y = &b->out[i];
    if (!x->size != !y->size) return ZLAY_UNDECIDED;
    if (x->size == y->size) return ZLAY_YES;
    uint64_t least = x->size < y->size ? x->size : y->size;
    return part_ways(a, i, bits, least, index) ? ZLAY_NO : ZLAY_YES;
}

static bool fields_equal(const zl_f2 *a, const zl_f2 *b, unsigned k)
{
    for (size_t i = 0; i < a->outs; i++)
        if (zl_field(a->basis[k], zl_dim_low(a->out, i), a->out[i].bits) !=
            zl_field(b->basis[k], zl_dim_low(b->out, i), b->out[i].bits))
            return false;
    return true;
}

zlay_answer zl_modular_equal(const zlay_layout *a, const zlay_layout *b, uint64_t *index)
{
    unsigned bits = zl_dim_bits(a->f2.in, a->f2.ins);
    zlay_answer all = ZLAY_YES;
    if (a->f2.outs != b->f2.outs || bits != zl_dim_bits(b->f2.in, b->f2.ins)) return ZLAY_UNDECIDED;
    for (unsigned k = 0; k < bits; k++) {
        *index = (uint64_t)1 << k;
        if (!fields_equal(&a->f2, &b->f2, k)) return ZLAY_NO;
    }
    for (size_t i = 0; i < a->f2.outs; i++) {
        zlay_answer one = output_equal(&a->f2, &b->f2, i, bits, index);
        if (one == ZLAY_NO) return one;
        if (one == ZLAY_UNDECIDED) all = one;
    }
    return all;
}
