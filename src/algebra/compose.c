/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/compose.h"

bool zl_work_at(const void *work, uint64_t index, int64_t *value)
{
    const zl_work *w = work;
    return zl_at_integer(w->a, zl_at(w->b, index), value);
}

/* ---- the box of an f2 layout is not left ------------------------------------------- */

static bool stays_inside(const zlay_layout *a, const zlay_layout *b)
{
    int64_t least, greatest;
    zl_affine map;
    if (zl_affine_of(&map, b)) zl_affine_range(&map, &least, &greatest);
    else if (b->swizzle.bits) return false;
    else zl_modes_range(b->mode, b->modes, b->offset, &least, &greatest);
    return least >= 0 && (uint64_t)greatest < a->size;
}

static zlay_status check_inside(zl_work *w)
{
    uint64_t limit = zl_limits(w->ctx)->points, i;
    int64_t value;
    if (w->a->modes || stays_inside(w->a, w->b)) return ZLAY_OK;
    for (i = 0; i < w->b->size && i < limit; i++)
        if (!zl_work_at(w, i, &value))
            return zl_fail(w->ctx, ZLAY_NONE,
                           "index %llu: b has %lld, outside the %llu points of a",
                           (unsigned long long)i, (long long)zl_at(w->b, i),
                           (unsigned long long)w->a->size);
    if (i == w->b->size) return ZLAY_OK;
    return zl_fail(w->ctx, ZLAY_ELIMIT, "limits.points is %llu and b has %llu",
                   (unsigned long long)limit, (unsigned long long)w->b->size);
}

/* ---- roads, the cheapest first; each answers ZLAY_NONE where it does not lead ------- */

static zlay_status by_cute(zl_work *w, zlay_layout **out, zl_swizzle s)
{
    zlay_layout a = *w->a, b = *w->b;
    zl_work inner = {.ctx = w->ctx, .a = &a, .b = &b};
    zl_modes m;
    a.swizzle = b.swizzle = (zl_swizzle){0, 0, 0};
    zl_modes_begin(&inner.flat, w->ctx);
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_coalesce_modes(&inner.flat, a.mode, a.modes, true);
    if (!status) status = zl_compose_cute(&inner, &m);
    if (!status) status = zl_layout_strided(w->ctx, out, &m, s);
    zl_modes_end(&m);
    zl_modes_end(&inner.flat);
    return status ? status : zl_simplify(w->ctx, out);
}

/* 2^k Sw<B,M,S>(x) = Sw<B,M+k,S>(2^k x). */
static bool scales(const zlay_layout *a, int32_t *log)
{
    int64_t stride = a->mode[0].stride;
    if (a->modes != 1 || a->offset || a->swizzle.bits || stride < 1 || (stride & (stride - 1)))
        return false;
    *log = __builtin_ctzll((uint64_t)stride);
    return true;
}

static zlay_status by_form(zl_work *w, zlay_layout **out)
{
    zl_swizzle s = w->b->swizzle;
    int32_t log;
    if (!w->a->modes || !w->b->modes) return ZLAY_NONE;
    if (!s.bits) return by_cute(w, out, w->a->swizzle);
    if (!scales(w->a, &log)) return ZLAY_NONE;
    s.base += log;
    int32_t distance = s.shift < 0 ? -s.shift : s.shift;
    return s.bits + s.base + distance > 62 ? ZLAY_NONE : by_cute(w, out, s);
}

/* The bits that b's values take; false where one is negative: there a is mirrored, not linear. */
static bool bits_of(const zl_affine *b, unsigned *bits)
{
    uint64_t support = zl_affine_support(b);
    *bits = support ? 64 - (unsigned)__builtin_clzll(support) : 0;
    return *bits < 64;
}

static zlay_status by_affine(zl_work *w, zlay_layout **out)
{
    zl_affine a, b, map;
    const zl_f2 *outs = w->a->f2.outs ? &w->a->f2 : NULL;
    unsigned bits;
    if (!zl_affine_of(&b, w->b) || !bits_of(&b, &bits)) return ZLAY_NONE;
    if (!zl_affine_of_integers(&a, w->a, bits)) return ZLAY_NONE;
    if (!zl_affine_compose(&map, &a, &b)) return ZLAY_NONE;
    return zl_find_affine(w->ctx, out, &map, &w->box, w->b, outs);
}

static zlay_status strided_by_values(zl_work *w, zlay_layout **out, const zl_function *f,
                                     zl_break *where)
{
    zl_modes m;
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_find_strided(&m, f, &w->box, where);
    if (!status) status = zl_layout_strided(w->ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status swizzled_by_values(zl_work *w, zlay_layout **out, const zl_function *f)
{
    zl_swizzle s;
    zl_modes m;
    zl_modes_begin(&m, w->ctx);
    zlay_status status = zl_find_swizzled(&m, &s, f, &w->box);
    if (!status) status = zl_layout_strided(w->ctx, out, &m, s);
    zl_modes_end(&m);
    return status;
}

static zlay_status affine_by_values(zl_work *w, zlay_layout **out, const zl_function *f)
{
    zl_affine map;
    zl_break where;
    const zl_f2 *outs = w->a->f2.outs ? &w->a->f2 : NULL;
    if (zl_affine_of_function(&map, f, &where))
        return zl_find_affine(w->ctx, out, &map, &w->box, w->b, outs);
    return zlay_layout_outs(w->a) == 1 ? swizzled_by_values(w, out, f) : ZLAY_NONE;
}

static zlay_status no_form(zl_work *w, const zl_break *where)
{
    if (where->overflow)
        return zl_fail(w->ctx, ZLAY_EOVERFLOW, "index %llu: the value does not fit 64 bits",
                       (unsigned long long)where->index);
    return zl_fail(w->ctx, ZLAY_ENOTSUP,
                   "not strided, from index %llu, value %lld, nor f2, and no swizzle was found",
                   (unsigned long long)where->index, (long long)where->value);
}

static zlay_status by_values(zl_work *w, zlay_layout **out)
{
    zl_function f = {zl_work_at, w, w->b->size};
    zl_break where;
    uint64_t limit = zl_limits(w->ctx)->points;
    if (f.size > limit)
        return zl_fail(w->ctx, ZLAY_ELIMIT, "limits.points is %llu and the composition has %llu",
                       (unsigned long long)limit, (unsigned long long)f.size);
    zlay_status status = ZLAY_NONE;
    if (zlay_layout_outs(w->a) == 1) status = strided_by_values(w, out, &f, &where);
    else where = (zl_break){0, zl_at(w->a, 0), false};
    if (status == ZLAY_NONE && !where.overflow) status = affine_by_values(w, out, &f);
    return status == ZLAY_NONE ? no_form(w, &where) : status;
}

static zlay_status compose(zl_work *w, zlay_layout **out)
{
    zlay_status status = zl_layout_box(&w->box, w->b);
    if (!status) status = check_inside(w);
    if (status) return status;
    status = by_form(w, out);
    if (status == ZLAY_NONE) status = by_affine(w, out);
    return status == ZLAY_NONE ? by_values(w, out) : status;
}

zlay_status zl_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b)
{
    zl_work w = {.ctx = ctx, .a = a, .b = b};
    zl_modes_begin(&w.box, ctx);
    zlay_status status = compose(&w, out);
    zl_modes_end(&w.box);
    return status;
}

zlay_status zlay_layout_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (!a || !b) status = zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    else status = zl_compose(ctx, out, a, b);
    return zl_leave(ctx, status);
}
