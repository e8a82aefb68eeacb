/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/kind.h"
#include "base/arith.h"

/* Sums do not carry exactly when the bases, taken by XOR with the constant, share no bit:
 * a bit shared by two of them makes the second difference of the values odd there. */
static bool disjoint(const zl_affine *a)
{
    uint64_t seen = 0;
    for (unsigned k = 0; k < a->bits; k++) {
        if (seen & a->basis[k]) return false;
        seen |= a->basis[k];
    }
    return true;
}

static void put_mode(zl_affine *a, const zl_mode *m, unsigned bits)
{
    uint64_t step = (uint64_t)m->stride;
    for (; bits--; step <<= 1) a->basis[a->bits++] = (a->constant + step) ^ a->constant;
}

static void swizzle_all(zl_affine *a, zl_swizzle s)
{
    a->constant = (uint64_t)zl_swizzle_at(s, (int64_t)a->constant);
    for (unsigned k = 0; k < a->bits; k++)
        a->basis[k] = (uint64_t)zl_swizzle_at(s, (int64_t)a->basis[k]);
}

bool zl_f2_affine(zl_affine *out, const zlay_layout *a)
{
    out->bits = zl_dim_bits(a->f2.in, a->f2.ins);
    out->constant = 0;
    for (unsigned k = 0; k < out->bits; k++) out->basis[k] = a->f2.basis[k];
    return true;
}

bool zl_strided_affine(zl_affine *out, const zlay_layout *a)
{
    out->bits = 0;
    out->constant = (uint64_t)a->offset;
    if (!zl_is_power_of_two(a->size)) return false;
    for (size_t i = 0; i < a->modes; i++)
        put_mode(out, &a->mode[i], (unsigned)__builtin_ctzll((uint64_t)a->mode[i].shape));
    if (!disjoint(out)) return false;
    swizzle_all(out, a->swizzle);
    return true;
}

static bool fits(int64_t offset, int64_t stride, unsigned bits)
{
    int64_t reach;
    if (bits > 63) return false;
    return zl_mul((int64_t)(((uint64_t)1 << bits) - 1), stride, &reach) &&
           zl_add(offset, reach, &reach);
}

bool zl_f2_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    return zl_f2_affine(out, a) && out->bits >= bits;
}

bool zl_strided_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    out->bits = 0;
    out->constant = (uint64_t)a->offset;
    for (size_t i = 0; i < a->modes && out->bits < bits; i++) {
        bool last = i + 1 == a->modes;
        if (!last && !zl_is_power_of_two((uint64_t)a->mode[i].shape)) return false;
        unsigned left = bits - out->bits;
        unsigned here = last ? left : (unsigned)__builtin_ctzll((uint64_t)a->mode[i].shape);
        here = here < left ? here : left;
        if (!fits(a->offset, a->mode[i].stride, here)) return false;
        put_mode(out, &a->mode[i], here);
    }
    if (!disjoint(out)) return false;
    swizzle_all(out, a->swizzle);
    return true;
}

static uint64_t image(const zl_affine *a, uint64_t value)
{
    uint64_t result = 0;
    for (; value; value &= value - 1) result ^= a->basis[__builtin_ctzll(value)];
    return result;
}

bool zl_affine_compose(zl_affine *out, const zl_affine *outer, const zl_affine *b)
{
    uint64_t support = zl_affine_support(b);
    if (outer->bits < 64 && support >> outer->bits) return false;
    out->bits = b->bits;
    out->constant = outer->constant ^ image(outer, b->constant);
    for (unsigned k = 0; k < b->bits; k++) out->basis[k] = image(outer, b->basis[k]);
    return true;
}

uint64_t zl_affine_support(const zl_affine *a)
{
    uint64_t support = a->constant;
    for (unsigned k = 0; k < a->bits; k++) support |= a->basis[k];
    return support;
}

/* Gaussian elimination: pivot[p] has p as its highest bit. */
static void eliminate(const zl_affine *a, uint64_t pivot[64])
{
    for (int p = 0; p < 64; p++) pivot[p] = 0;
    for (unsigned k = 0; k < a->bits; k++) {
        uint64_t v = a->basis[k];
        while (v && pivot[63 - __builtin_clzll(v)]) v ^= pivot[63 - __builtin_clzll(v)];
        if (v) pivot[63 - __builtin_clzll(v)] = v;
    }
}

static uint64_t extreme(const uint64_t pivot[64], uint64_t value, bool greatest)
{
    for (int p = 63; p >= 0; p--) {
        bool set = value >> p & 1, wanted = (p == 63) != greatest;
        if (pivot[p] && set != wanted) value ^= pivot[p];
    }
    return value;
}

void zl_affine_range(const zl_affine *a, int64_t *least, int64_t *greatest)
{
    uint64_t pivot[64];
    eliminate(a, pivot);
    *least = (int64_t)extreme(pivot, a->constant, false);
    *greatest = (int64_t)extreme(pivot, a->constant, true);
}

static bool verify(const zl_affine *a, const zl_function *f, zl_break *where)
{
    uint64_t gray = 0, expected = a->constant;
    for (uint64_t i = 1; i < f->size; i++) {
        unsigned k = (unsigned)__builtin_ctzll(i);
        gray ^= (uint64_t)1 << k;
        expected ^= a->basis[k];
        where->index = gray;
        where->overflow = !f->at(f->env, gray, &where->value);
        if (where->overflow || (uint64_t)where->value != expected) return false;
    }
    return true;
}

bool zl_affine_of_function(zl_affine *out, const zl_function *f, zl_break *where)
{
    *where = (zl_break){0, 0, false};
    out->bits = 0;
    if (!zl_is_power_of_two(f->size)) return false;
    where->overflow = !f->at(f->env, 0, &where->value);
    if (where->overflow) return false;
    out->constant = (uint64_t)where->value;
    for (uint64_t step = 1; step < f->size; step <<= 1) {
        where->index = step;
        where->overflow = !f->at(f->env, step, &where->value);
        if (where->overflow) return false;
        out->basis[out->bits++] = (uint64_t)where->value ^ out->constant;
    }
    return verify(out, f, where);
}
