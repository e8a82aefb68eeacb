/* SPDX-License-Identifier: Apache-2.0 */
/* Equality where one side or both are strided, under swizzles or not: closed forms of any size. */
#include "algebra/decide/equal.h"
#include "base/arith.h"

static bool one_swizzle(const zl_swizzle *s, const zl_swizzle *t)
{
    return s->bits == t->bits && s->base == t->base && s->shift == t->shift;
}

/* ---- one swizzle --------------------------------------------------------------------------- */

/* The first index where two coalesced layouts part.  The coalesced form is unique: each extent is
 * where the progression of its stride first breaks. */
static bool first_break(const zl_modes *a, const zl_modes *b, uint64_t *index)
{
    uint64_t step = 1;
    *index = 0;
    if (a->offset != b->offset) return true;
    for (size_t i = 0; i < a->count && i < b->count; i++) {
        int64_t m = a->at[i].shape, n = b->at[i].shape;
        *index = step;
        if (a->at[i].stride != b->at[i].stride) return true;
        *index = step * (uint64_t)(m < n ? m : n);
        if (m != n) return true;
        step *= (uint64_t)m;
    }
    return false;
}

/* One bijection after both changes nothing, so layouts of one swizzle compare as strided.  Extents
 * whose product passes 2^63 stay apart when modes are merged, and where such ones end nothing has
 * to differ. */
zlay_status zl_equal_coalesced(zl_pair *p, bool *decided)
{
    zl_modes a, b;
    uint64_t index;
    *decided = false;
    if (!p->a->modes || !p->b->modes) return ZLAY_OK;
    if (!one_swizzle(&p->a->swizzle, &p->b->swizzle)) return ZLAY_OK;
    zl_modes_begin(&a, p->ctx);
    zl_modes_begin(&b, p->ctx);
    a.offset = p->a->offset;
    b.offset = p->b->offset;
    zlay_status status = zl_coalesce_modes(&a, p->a->mode, p->a->modes, false);
    if (!status) status = zl_coalesce_modes(&b, p->b->mode, p->b->modes, false);
    *decided = !status;
    bool breaks = *decided && first_break(&a, &b, &index);
    if (breaks && zl_at(p->a, index) == zl_at(p->b, index)) *decided = false;
    else if (breaks) zl_differ(p, index);
    zl_modes_end(&b);
    zl_modes_end(&a);
    return zl_unless_limit(p->ctx, status);
}

/* ---- sums that carry, against a map without carries ---------------------------------------- */

/* What the bit's stride changes in the value at 0; false past the last bit. */
static bool base_of(const zlay_layout *a, unsigned bit, uint64_t *base)
{
    for (size_t i = 0; i < a->modes; i++) {
        unsigned bits = (unsigned)__builtin_ctzll((uint64_t)a->mode[i].shape);
        uint64_t at = (uint64_t)a->offset;
        if (bit < bits) return *base = (at + ((uint64_t)a->mode[i].stride << bit)) ^ at, true;
        bit -= bits;
    }
    return false;
}

/* Bases that differ show it at 2^k; else the first two bases, taken by XOR with the offset, that
 * share a bit carry where both are added, and no lesser index has two such. */
static bool first_carry(const zlay_layout *a, const zl_affine *map, uint64_t *index)
{
    uint64_t base[64];
    *index = 0;
    if ((uint64_t)a->offset != map->constant) return true;
    for (unsigned k = 0; base_of(a, k, &base[k]); k++) {
        *index = (uint64_t)1 << k;
        if (base[k] != map->basis[k]) return true;
        for (unsigned j = 0; j < k; j++)
            if (base[j] & base[k]) return *index += (uint64_t)1 << j, true;
    }
    return false;
}

/* A swizzle is its own inverse, so it is taken from the strided side to the other. */
zlay_status zl_equal_carry(zl_pair *p, bool *decided)
{
    zl_affine map;
    uint64_t index;
    const zlay_layout *a = p->a, *b = p->b;
    *decided = false;
    if (p->manner != ZL_AS_INTEGERS || !zl_is_power_of_two(a->size)) return ZLAY_OK;
    if (!zl_affine_of(&map, b)) {
        b = a;
        a = p->b;
        if (!zl_affine_of(&map, b)) return ZLAY_OK;
    }
    if (!a->modes) return ZLAY_OK;
    *decided = true;
    zl_affine_swizzle(&map, a->swizzle);
    if (first_carry(a, &map, &index)) zl_differ(p, index);
    return ZLAY_OK;
}

/* ---- two swizzles -------------------------------------------------------------------------- */

typedef struct common {
    uint64_t extent, at;
    uint64_t weight;     /* of the coordinate in the index */
    uint64_t a, b;       /* strides, modulo 2^64 as values are */
} common;

typedef struct refinement {
    size_t count;
    common mode[ZL_TERMS_MOST];
} refinement;

typedef struct reader {
    const zl_mode *mode, *end;
    uint64_t left, step; /* of the mode: what is left of its extent, and its stride so far */
} reader;

static void next_mode(reader *r)
{
    while (r->left == 1 && r->mode + 1 < r->end) {
        r->mode++;
        r->left = (uint64_t)r->mode->shape;
        r->step = (uint64_t)r->mode->stride;
    }
}

static reader read_modes(const zlay_layout *a)
{
    reader r = {a->mode, a->mode + a->modes, (uint64_t)a->mode->shape, (uint64_t)a->mode->stride};
    next_mode(&r);
    return r;
}

static void take(reader *r, uint64_t extent)
{
    r->left /= extent;
    r->step *= extent;
    next_mode(r);
}

/* Modes that cut the index as both boxes do; false when neither extent divides the other. */
static bool refine(refinement *out, const zlay_layout *a, const zlay_layout *b)
{
    reader r = read_modes(a), s = read_modes(b);
    uint64_t weight = 1;
    out->count = 0;
    while (r.left > 1 && s.left > 1) {
        uint64_t extent = r.left < s.left ? r.left : s.left;
        if (r.left % extent || s.left % extent) return false;
        out->mode[out->count++] = (common){extent, 0, weight, r.step, s.step};
        weight *= extent;
        take(&r, extent);
        take(&s, extent);
    }
    return true;
}

/* Both values have moved by multiples of 2^top after a period of a mode, which the swizzles leave
 * alone: the first difference is within one, or at its end, where the strides differ. */
static bool cut(refinement *m, unsigned top, uint64_t limit)
{
    uint64_t points = 1;
    for (size_t i = 0; i < m->count; i++) {
        common *c = &m->mode[i];
        uint64_t both = c->a | c->b | (uint64_t)1 << top;
        uint64_t period = (uint64_t)1 << (top - (unsigned)__builtin_ctzll(both));
        if (c->extent > period + 1) c->extent = period + 1;
        points = zl_umul_sat(points, c->extent);
    }
    return points <= limit;
}

static bool step(refinement *m, uint64_t *a, uint64_t *b, uint64_t *index)
{
    for (size_t i = 0; i < m->count; i++) {
        common *c = &m->mode[i];
        if (++c->at < c->extent) {
            *a += c->a;
            *b += c->b;
            *index += c->weight;
            return true;
        }
        *a -= c->a * (c->extent - 1);
        *b -= c->b * (c->extent - 1);
        *index -= c->weight * (c->extent - 1);
        c->at = 0;
    }
    return false;
}

zlay_status zl_equal_period(zl_pair *p, bool *decided)
{
    refinement m;
    *decided = false;
    if (!p->a->modes || !p->b->modes || !refine(&m, p->a, p->b)) return ZLAY_OK;
    zl_swizzle s = p->a->swizzle, t = p->b->swizzle;
    unsigned top = zl_swizzle_top(s) > zl_swizzle_top(t) ? zl_swizzle_top(s) : zl_swizzle_top(t);
    *decided = cut(&m, top, zl_limits(p->ctx)->points);
    if (!*decided) return ZLAY_OK;
    uint64_t a = (uint64_t)p->a->offset, b = (uint64_t)p->b->offset, index = 0;
    do
        if (zl_swizzle_at(s, (int64_t)a) != zl_swizzle_at(t, (int64_t)b))
            return zl_differ(p, index), ZLAY_OK;
    while (step(&m, &a, &b, &index));
    return ZLAY_OK;
}
