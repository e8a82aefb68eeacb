/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the axes of a tile and the shared layout at their common bounds into digits, a mixed-radix
 * refinement of both, and merges digits of a box that continue each other. A shared layout that is
 * F2-linear is read as modes of 2 before one of the tensor map's swizzles. Digits whose steps do
 * not nest, so that shared order is not the order of the digits, are ZLAY_NONE. */
#include "synth/tensormap/tensormap.h"
#include "base/arith.h"

#include <string.h>

/* ---- the shared layout -------------------------------------------------------------- */

typedef struct strides {
    zl_mode mode[ZL_TM_DIGITS];
    size_t count;
    int64_t offset;
} strides;

/* The base, in bytes, of each of the tensor map's swizzles is scaled down to elements. */
zl_swizzle zl_tm_swizzle(int32_t swizzle, uint32_t element)
{
    static const zl_swizzle bytes[ZL_SWIZZLES] = {{0, 0, 0}, {1, 4, 3}, {2, 4, 3}, {3, 4, 3},
                                                  {2, 5, 2}, {0, 0, 0}, {1, 6, 1}};
    zl_swizzle s = bytes[swizzle];
    for (; s.bits && element > 1; element /= 2) s.base--;
    return s;
}

static bool swizzle_of(int32_t *out, zl_swizzle s, uint32_t element)
{
    for (*out = ZLAY_SWIZZLE_NONE; *out < ZL_SWIZZLES; ++*out) {
        zl_swizzle one = zl_tm_swizzle(*out, element);
        if (s.bits == one.bits && (!s.bits || (s.base == one.base && s.shift == one.shift)))
            return true;
    }
    return false;
}

/* Undoes a swizzle on the bases of an affine map; false: a base is then no single bit, so that it
 * is no mode of 2. */
static bool unswizzled(strides *out, const zl_affine *map, int32_t swizzle, uint32_t element)
{
    out->count = 0;
    out->offset = (int64_t)map->constant;
    for (unsigned i = 0; i < map->bits; i++) {
        uint64_t at = map->basis[i] * element;
        uint64_t line = at / ZL_LINE;
        at ^= zl_tm_flip(swizzle, line) * ZL_CHUNK + (zl_tm_swaps(swizzle, line) ? ZL_HALF : 0);
        if (!zl_is_power_of_two(at) || at % element) return false;
        out->mode[out->count++] = (zl_mode){2, (int64_t)(at / element), 0, 0};
    }
    return true;
}

static bool bits_of(zl_tm *t, strides *out, const zlay_layout *smem)
{
    zl_affine map;
    if (!zl_is_power_of_two(t->element) || !zl_affine_of(&map, smem) || map.constant) return false;
    for (int32_t z = ZLAY_SWIZZLE_NONE; z < ZL_SWIZZLES; z++) {
        t->swizzle = z;
        if (unswizzled(out, &map, z, t->element)) return true;
    }
    return false;
}

static bool strides_of(zl_tm *t, strides *out, const zlay_layout *smem)
{
    if (!smem->modes || !swizzle_of(&t->swizzle, smem->swizzle, t->element) ||
        smem->modes > ZL_TM_DIGITS)
        return bits_of(t, out, smem);
    out->count = 0;
    out->offset = smem->offset;
    for (size_t i = 0; i < smem->modes; i++)
        if (smem->mode[i].shape > 1) out->mode[out->count++] = smem->mode[i];
    return true;
}

/* ---- common bounds -------------------------------------------------------------------- */

static bool digit_put(zl_tm *t, uint32_t axis, uint64_t extent, uint64_t unit, int64_t shared)
{
    zl_tm_digit d = {.extent = extent, .axis = (int32_t)axis, .unit = unit, .per = 1};
    if (t->digits == ZL_TM_DIGITS || !zl_mul(shared, t->element, &d.shared) ||
        !zl_mul(t->axis[axis].stride, (int64_t)unit, &d.global))
        return false;
    t->digit[t->digits++] = d;
    return true;
}

/* Refines axes and shared modes to common digits; false: of two extents neither divides the
 * other. */
static bool refine(zl_tm *t, const strides *s)
{
    size_t k = 0;
    uint64_t left = 0;
    int64_t stride = 0;
    for (uint32_t i = 0; i < t->axes; i++)
        for (uint64_t unit = 1, need = t->axis[i].tile; need > 1;) {
            if (left <= 1) {
                if (k == s->count) return false;
                left = (uint64_t)s->mode[k].shape;
                stride = s->mode[k++].stride;
            }
            uint64_t part = need < left ? need : left;
            if (need % part || left % part || !digit_put(t, i, part, unit, stride)) return false;
            unit *= part;
            need /= part;
            left /= part;
            if (!zl_mul(stride, (int64_t)part, &stride)) return false;
        }
    return left <= 1 && k == s->count;
}

/* Sorts digits by their shared steps, by insertion, because they are few and mostly in order. */
static void sort(zl_tm_digit *d, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        zl_tm_digit one = d[i];
        uint32_t k = i;
        for (; k && d[k - 1].shared > one.shared; k--) d[k] = d[k - 1];
        d[k] = one;
    }
}

/* Whether the step of each digit is beyond what the digits below it reach.  Then no place is taken
 * twice, and the order of shared memory is that of the digits. */
static bool nested(const zl_tm *t)
{
    int64_t reach = t->element, most;
    for (uint32_t i = 0; i < t->digits; i++) {
        const zl_tm_digit *d = &t->digit[i];
        if (d->shared < reach || !zl_mul(d->shared, (int64_t)d->extent, &most)) return false;
        reach = most - d->shared + reach;
    }
    return true;
}

/* Replaces a negative step in shared memory by the positive one from the other end. */
static bool turn(zl_tm *t, zl_tm_digit *d, int64_t *offset)
{
    int64_t shared, global, last = (int64_t)d->extent - 1;
    if (d->shared >= 0) return true;
    if (t->axis[d->axis].clipped || !zl_mul(d->shared, last, &shared) ||
        !zl_mul(d->global, last, &global) || !zl_add(*offset, shared, offset) ||
        !zl_add(t->base, global, &t->base))
        return false;
    d->shared = -d->shared;
    d->global = -d->global;
    return true;
}

/* Adapts the digit of an axis whose cells are counted from the other end (`down`). */
static bool mirror(zl_tm *t, zl_tm_digit *d, int64_t *offset)
{
    int64_t shared;
    if (!t->axis[d->axis].down) return true;
    if (!zl_mul(d->shared, (int64_t)d->extent - 1, &shared) || !zl_add(*offset, shared, offset))
        return false;
    d->shared = -d->shared;
    return true;
}

zlay_status zl_tm_digits(zl_tm *t)
{
    strides s;
    t->digits = 0;
    if (!strides_of(t, &s, t->request.smem) || !refine(t, &s)) return ZLAY_NONE;
    if (!zl_mul(s.offset, t->element, &t->shared)) return ZLAY_NONE;
    for (uint32_t i = 0; i < t->digits; i++)
        if (!mirror(t, &t->digit[i], &t->shared) || !turn(t, &t->digit[i], &t->shared))
            return ZLAY_NONE;
    sort(t->digit, t->digits);
    return nested(t) && t->shared >= 0 ? ZLAY_OK : ZLAY_NONE;
}

void zl_tm_whole(const zl_tm *t, zl_tm_box *box)
{
    box->digits = t->digits;
    memcpy(box->digit, t->digit, t->digits * sizeof *t->digit);
    memset(box->cell, 0, sizeof box->cell);
    box->swizzle = t->swizzle;
    box->interleave = 0;
    box->pixels = 0;
    box->global = t->base;
    box->shared = t->shared;
}

/* ---- merging ---------------------------------------------------------------------------- */

bool zl_tm_clips(const zl_tm *t, const zl_tm_digit *d)
{
    if (d->axis == ZL_TM_NO_AXIS || !t->axis[d->axis].clipped) return false;
    return t->axis[d->axis].granule % (d->unit * (d->extent / d->per));
}

bool zl_tm_any_clips(const zl_tm *t)
{
    for (uint32_t i = 0; i < t->axes; i++)
        if (t->axis[i].clipped) return true;
    return false;
}

/* Whether digit b of an axis continues digit a. */
static bool continues(const zl_tm_digit *a, const zl_tm_digit *b)
{
    return a->axis == b->axis && a->axis != ZL_TM_NO_AXIS && b->per == 1 &&
           b->unit * a->per == a->extent * a->unit;
}

/* Merges b into a where both memories continue and no edge is lost. */
static bool merge(const zl_tm *t, zl_tm_digit *a, const zl_tm_digit *b)
{
    int64_t global, shared, extent = (int64_t)a->extent;
    if (!zl_mul(a->global, extent, &global) || !zl_mul(a->shared, extent, &shared) ||
        global != b->global || shared != b->shared)
        return false;
    bool on = continues(a, b);
    if (!on && zl_tm_clips(t, a)) return false;
    if (!on) {
        a->axis = b->axis;
        a->unit = b->unit;
        a->per = a->extent * b->per;
    }
    a->extent *= b->extent;
    return true;
}

void zl_tm_merge(const zl_tm *t, zl_tm_box *box)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < box->digits; i++)
        if (!n || !merge(t, &box->digit[n - 1], &box->digit[i])) box->digit[n++] = box->digit[i];
    box->digits = n;
}
