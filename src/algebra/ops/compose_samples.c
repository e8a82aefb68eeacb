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
#include "algebra/find/find.h"

enum { FEW_POINTS = 256, VALUES_MOST = 1 << 15, SPLITS = 128 };

/* ---- a range of the values ----------------------------------------------------------------- */

/* The ends of the blocks of the swizzle, which it permutes. */
static void to_blocks(zl_value_range *r, zl_swizzle s)
{
    int64_t block = (int64_t)zl_blocks_of(s, s).block;
    r->least &= -block;
    r->greatest |= block - 1;
}

static bool range_of(zl_value_range *r, const zlay_layout *b)
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
    zl_value_range r;
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

/* What some values show of a function on 2^n points. */
typedef struct broken {
    bool bits;    /* it is no affine map over F2 */
    bool modulus; /* it is no sum of bases modulo a number */
} broken;

/* The values at i, at the low bits of i and at its others. */
typedef struct split {
    int64_t whole, low, high;
} split;

static bool split_at(split *v, const zl_function *f, unsigned t, uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t i = (*seed >> 16) % f->size, low = i & (((uint64_t)1 << t) - 1);
    return f->at(f->env, i, &v->whole) && f->at(f->env, low, &v->low) &&
           f->at(f->env, i - low, &v->high);
}

/* An affine map over F2 has f(low) ^ f(high) = f(0) ^ f(i); sums of bases modulo n have f(0) = 0
 * and f(low) + f(high) - f(i) = 0 or n. */
static broken try_splits(const zl_function *f)
{
    uint64_t seed = 88172645463325252u;
    unsigned bits = (unsigned)__builtin_ctzll(f->size);
    int64_t zero, modulus = 0;
    split v;
    if (!f->at(f->env, 0, &zero)) return (broken){false, false};
    broken found = {false, zero != 0};
    for (unsigned t = 0; t < SPLITS && !(found.bits && found.modulus); t++) {
        if (!split_at(&v, f, (bits / 2 + t) % bits, &seed)) break;
        int64_t over = v.low + v.high - v.whole;
        if (v.low ^ v.high ^ v.whole ^ zero) found.bits = true;
        if (over < 0 || (over && modulus && over != modulus)) found.modulus = true;
        modulus = over ? over : modulus;
    }
    return found;
}

static bool not_affine(const zl_function *f)
{
    zl_affine map;
    zl_break where;
    return !zl_affine_of_function(&map, f, &where);
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
    broken by = {true, true};
    if (!not_strided(w, &f)) return false;
    if (zl_is_power_of_two(f.size)) by = try_splits(&f);
    return (by.bits || not_affine(&f)) && not_swizzled(w, &f, top) &&
           (by.modulus || not_modular(w, &f)) && left;
}
