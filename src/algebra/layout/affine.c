/* SPDX-License-Identifier: Apache-2.0 */
/* Affine maps over F2: composed, their range by elimination, and read off a function of values. */
#include "algebra/layout/function.h"
#include "algebra/layout/layout.h"
#include "base/arith.h"

bool zl_affine_compose(zl_affine *out, const zl_affine *outer, const zl_affine *b)
{
    uint64_t support = zl_affine_support(b);
    if (outer->bits < 64 && support >> outer->bits) return false;
    out->bits = b->bits;
    out->constant = outer->constant ^ zl_xor_of(outer->basis, b->constant);
    for (unsigned k = 0; k < b->bits; k++) out->basis[k] = zl_xor_of(outer->basis, b->basis[k]);
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
