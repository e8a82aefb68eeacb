/* SPDX-License-Identifier: Apache-2.0 */
/* Composition: the forms that a few values rule out.
 *
 * The recognisers of zl_cheaper read a function value by value and stop where it leaves their form.
 * Beside powers of two that is soon, so here they ask a(b(i)) where they need it and no table of
 * all points is made.  What they do not rule out within a number of values is left to the table.
 * A range of the values, which comes from the strides, bounds the swizzles that are tried. */
#include "algebra/layout/function.h"
#include "algebra/ops/compose.h"
#include "algebra/image/sum.h"
#include "algebra/presburger/draft.h"
#include "algebra/find/table.h"

enum { FEW_POINTS = 256, VALUES_MOST = 1 << 15, SPLITS = 128 };

/* ---- a range of the values ----------------------------------------------------------------- */

/* The ends of the blocks of the swizzle, which it permutes. */
static void to_blocks(zl_range *r, zl_swizzle s)
{
    int64_t block = (int64_t)zl_blocks_of(s, s).block;
    r->least &= -block;
    r->greatest |= block - 1;
}

static bool range_of(zl_range *r, const zlay_layout *b)
{
    zl_affine map;
    if (!b->modes) {
        if (!zl_affine_of(&map, b)) return false;
        zl_affine_range(&map, &r->least, &r->greatest);
        return true;
    }
    if (!zl_modes_range(b->mode, b->modes, b->offset, &r->least, &r->greatest)) return false;
    to_blocks(r, b->swizzle);
    return true;
}

/* What a adds to its offset at indices from -last to last: at most this in magnitude.  Its last
 * mode goes on past its extent. */
static zl_u128 reach_of(const zlay_layout *a, uint64_t last)
{
    zl_u128 reach = 0;
    for (size_t i = 0; i < a->modes; i++) {
        int64_t stride = a->mode[i].stride;
        uint64_t most = (uint64_t)a->mode[i].shape - 1;
        if (i + 1 == a->modes || last < most) most = last;
        reach += (zl_u128)most * zl_magnitude(stride);
        last /= (uint64_t)a->mode[i].shape;
    }
    return reach;
}

static bool goes_down(const zlay_layout *a)
{
    for (size_t i = 0; i < a->modes; i++)
        if (a->mode[i].stride < 0) return true;
    return a->offset < 0;
}

/* The bits below *top, and those above it copies of a sign, make every value; false where a value
 * or a sum on its way may not fit 61 bits. */
static bool bits_of(const zl_work *w, int *top)
{
    zl_range r;
    if (!range_of(&r, w->b) || r.least == INT64_MIN) return false;
    bool minus = r.least < 0 || goes_down(w->a);
    int64_t last = -r.least > r.greatest ? -r.least : r.greatest;
    int64_t offset = w->a->offset < 0 ? -(w->a->offset + 1) : w->a->offset;
    zl_u128 most = reach_of(w->a, (uint64_t)last) + (uint64_t)offset + 1;
    if (most >> 61) return false;
    most |= zl_blocks_of(w->a->swizzle, w->a->swizzle).block - 1;
    *top = most >> 61 ? 64 : 64 - __builtin_clzll((uint64_t)most | 1) + minus;
    return *top <= 61;
}

/* ---- the recognisers, on values that are asked for ------------------------------------------- */

typedef struct samples {
    const zl_work *w;
    uint64_t *left; /* values that may still be asked for */
} samples;

static bool sample(const void *env, uint64_t index, int64_t *value)
{
    const samples *s = env;
    if (!*s->left) return false;
    --*s->left;
    return zl_work_at(s->w, index, value);
}

static bool not_strided(const zl_work *w, const zl_function *f)
{
    zl_break where;
    zl_modes m;
    if (zl_breaks_sums(f, &w->box)) return true;
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_find_strided(&m, f, &w->box, &where);
    zl_modes_end(&m);
    return status == ZLAY_NONE;
}

/* The values at 0, at some i, at the low bits of i and at its others. */
typedef struct split {
    int64_t zero, whole, low, high;
} split;

static bool split_at(split *v, const zl_function *f, unsigned t, uint64_t *seed)
{
    t %= (unsigned)__builtin_ctzll(f->size);
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t i = (*seed >> 16) % f->size, low = i & (((uint64_t)1 << t) - 1);
    return f->at(f->env, 0, &v->zero) && f->at(f->env, i, &v->whole) &&
           f->at(f->env, low, &v->low) && f->at(f->env, i - low, &v->high);
}

/* An affine map over F2 has f(low) ^ f(high) = f(0) ^ f(i). */
static bool breaks_bits(const zl_function *f)
{
    uint64_t seed = 88172645463325252u;
    split v;
    for (unsigned t = 0; t < SPLITS && split_at(&v, f, t, &seed); t++)
        if (v.low ^ v.high ^ v.whole ^ v.zero) return true;
    return false;
}

/* Sums of bases modulo n have f(0) = 0 and f(low) + f(high) - f(i) = 0 or n. */
static bool breaks_modulus(const zl_function *f)
{
    uint64_t seed = 88172645463325252u;
    int64_t modulus = 0;
    split v;
    for (unsigned t = 0; t < SPLITS && split_at(&v, f, t, &seed); t++) {
        int64_t over = v.low + v.high - v.whole;
        if (v.zero || over < 0 || (over && modulus && over != modulus)) return true;
        modulus = over ? over : modulus;
    }
    return false;
}

static bool not_affine(const zl_function *f)
{
    zl_affine map;
    zl_break where;
    if (f->size & (f->size - 1)) return true;
    return breaks_bits(f) || !zl_affine_of_function(&map, f, &where);
}

static bool not_swizzled(const zl_work *w, const zl_function *f, int top)
{
    zl_swizzle s;
    zl_modes m;
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_find_swizzled_below(&m, &s, f, &w->box, UINT64_MAX, top);
    zl_modes_end(&m);
    return status == ZLAY_NONE;
}

static bool not_modular(const zl_work *w, const zl_function *f)
{
    zlay_layout *made = NULL;
    if (f->size & (f->size - 1)) return true;
    if (breaks_modulus(f)) return true;
    const zlay_layout *names = w->b->f2.outs ? w->b : NULL;
    zlay_status status = zl_find_modular(w->ctx, &made, f, &w->box, names, NULL);
    zlay_layout_free(made);
    return status == ZLAY_NONE;
}

/* One value of 64 bits a point, and every point has one. */
static bool is_total(const zl_work *w)
{
    if (!w->a->modes || w->b->partial || zlay_layout_out_count(w->b) > 1) return false;
    return w->b->modes || w->b->kind == ZLAY_LAYOUT_F2;
}

bool zl_compose_ruled_out(const zl_work *w)
{
    uint64_t left = VALUES_MOST;
    samples s = {w, &left};
    zl_function f = {sample, &s, w->b->size};
    int top;
    if (w->b->size <= FEW_POINTS || !is_total(w) || !bits_of(w, &top)) return false;
    return not_strided(w, &f) && not_affine(&f) && not_swizzled(w, &f, top) &&
           not_modular(w, &f) && left;
}
