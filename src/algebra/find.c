/* SPDX-License-Identifier: Apache-2.0 */
/* Recognisers: what cheapest layout a function is. */
#include "algebra/layout.h"

#include <stdio.h>

/* ---- strided, read off the values ------------------------------------------ */

typedef struct search {
    const zl_function *f;
    zl_break *where;
    zl_modes *out;
    int64_t first; /* the value at index 0 */
} search;

static bool value_at(search *s, uint64_t index, int64_t *value)
{
    bool there = s->f->at(s->f->env, index, value);
    *s->where = (zl_break){index, there ? *value : 0, !there};
    return there;
}

/* The length of the arithmetic progression that begins at index 0 in steps of `step`. */
static bool run(search *s, uint64_t step, uint64_t count, int64_t *stride, uint64_t *length)
{
    int64_t value, expected;
    if (!value_at(s, step, &value) || !zl_sub(value, s->first, stride)) return false;
    for (*length = 2; *length < count; ++*length) {
        bool there = zl_add(value, *stride, &expected);
        if (!value_at(s, step * *length, &value)) return false;
        if (!there || value != expected) return true;
    }
    return true;
}

/* The first break of the progression is the extent of the first mode in every strided form. */
static zlay_status find_mode(search *s, uint64_t step, uint64_t count)
{
    int64_t stride;
    uint64_t length;
    zlay_status status = ZLAY_OK;
    while (count > 1 && !status) {
        if (!run(s, step, count, &stride, &length) || count % length) return ZLAY_NONE;
        status = zl_modes_leaf(s->out, (int64_t)length, stride);
        step *= length;
        count /= length;
    }
    return status;
}

static zlay_status find_all(search *s, const zl_modes *box)
{
    uint64_t step = 1;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < box->count && !status; i++) {
        size_t first = s->out->count;
        uint64_t extent = (uint64_t)box->at[i].shape;
        status = extent > 1 ? find_mode(s, step, extent) : zl_modes_leaf(s->out, 1, 0);
        if (status) return status;
        if (s->out->count > first + 1) zl_modes_wrap(s->out, first);
        s->out->at[first].open += box->at[i].open;
        s->out->at[s->out->count - 1].close += box->at[i].close;
        step *= extent;
    }
    return status;
}

static bool sum_at(const zl_modes *m, uint64_t index, int64_t *value)
{
    int64_t reach;
    *value = m->offset;
    for (size_t i = 0; i < m->count; i++) {
        int64_t c = (int64_t)(index % (uint64_t)m->at[i].shape);
        if (!zl_mul(c, m->at[i].stride, &reach) || !zl_add(*value, reach, value)) return false;
        index /= (uint64_t)m->at[i].shape;
    }
    return true;
}

static zlay_status verify(search *s)
{
    int64_t value, expected;
    for (uint64_t i = 0; i < s->f->size; i++)
        if (!value_at(s, i, &value) || !sum_at(s->out, i, &expected) || value != expected)
            return ZLAY_NONE;
    return ZLAY_OK;
}

zlay_status zl_find_strided(zl_modes *out, const zl_function *f, const zl_modes *box,
                            zl_break *where)
{
    search s = {f, where, out, 0};
    if (!value_at(&s, 0, &s.first)) return ZLAY_NONE;
    out->offset = s.first;
    zlay_status status = find_all(&s, box);
    return status ? status : verify(&s);
}

/* ---- from an affine map over F2 --------------------------------------------- */

static bool is_strided(const zl_affine *map)
{
    uint64_t seen = 0;
    int64_t stride;
    for (unsigned k = 0; k < map->bits; k++) {
        if (seen & map->basis[k]) return false;
        if (!zl_sub((int64_t)(map->constant ^ map->basis[k]), (int64_t)map->constant, &stride))
            return false;
        seen |= map->basis[k];
    }
    return true;
}

static int64_t stride_of(const zl_affine *map, unsigned k)
{
    return (int64_t)((map->constant ^ map->basis[k]) - map->constant);
}

static zlay_status strided_mode(zl_modes *out, const zl_affine *map, unsigned low, unsigned bits)
{
    size_t first = out->count;
    zlay_status status = bits ? ZLAY_OK : zl_modes_leaf(out, 1, 0);
    for (unsigned k = low; k < low + bits && !status; k++) {
        int64_t stride = stride_of(map, k), next;
        zl_mode *last = out->count > first ? &out->at[out->count - 1] : NULL;
        if (last && zl_mul(last->shape, last->stride, &next) && next == stride) last->shape *= 2;
        else status = zl_modes_leaf(out, 2, stride);
    }
    if (!status && out->count > first + 1) zl_modes_wrap(out, first);
    return status;
}

static zlay_status strided_modes(zl_modes *out, const zl_affine *map, const zl_modes *box)
{
    unsigned low = 0;
    zlay_status status = ZLAY_OK;
    out->offset = (int64_t)map->constant;
    for (size_t i = 0; i < box->count && !status; i++) {
        size_t first = out->count;
        unsigned bits = (unsigned)__builtin_ctzll((uint64_t)box->at[i].shape);
        if ((status = strided_mode(out, map, low, bits))) return status;
        out->at[first].open += box->at[i].open;
        out->at[out->count - 1].close += box->at[i].close;
        low += bits;
    }
    return status;
}

static zlay_status make_strided(zlay_ctx *ctx, zlay_layout **out, const zl_affine *map,
                                const zl_modes *box, zl_swizzle s)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = strided_modes(&m, map, box);
    if (!status) status = zl_layout_strided(ctx, out, &m, s);
    zl_modes_end(&m);
    return status;
}

/* A swizzle is its own inverse: map = s o strided exactly when s o map is strided. */
static bool unswizzles(const zl_affine *map, zl_swizzle s, zl_affine *inner)
{
    inner->bits = map->bits;
    inner->constant = (uint64_t)zl_swizzle_at(s, (int64_t)map->constant);
    for (unsigned k = 0; k < map->bits; k++)
        inner->basis[k] = (uint64_t)zl_swizzle_at(s, (int64_t)map->basis[k]);
    return is_strided(inner);
}

/* The first in the order of bits, distance, base, positive shifts before negative ones. */
static bool find_swizzle(const zl_affine *map, zl_swizzle *s, zl_affine *inner)
{
    uint64_t support = zl_affine_support(map);
    int top = support ? 64 - __builtin_clzll(support) : 0;
    top = top < 62 ? top : 62;
    for (s->bits = 1; 2 * s->bits <= top; s->bits++)
        for (int d = s->bits; d + s->bits <= top; d++)
            for (s->base = 0; s->base + d + s->bits <= top; s->base++)
                for (int sign = 1; sign >= -1; sign -= 2) {
                    s->shift = sign * d;
                    if (unswizzles(map, *s, inner)) return true;
                }
    return false;
}

/* ---- f2 ---------------------------------------------------------------------- */

/* One input dimension a top-level mode of the box; its outer parentheses are no mode's. */
static size_t name_inputs(zl_dim *in, const zl_modes *box)
{
    size_t count = 0, end;
    uint32_t outer = box->at[0].open ? 1 : 0;
    for (size_t i = 0; i < box->count; i = end, count++, outer = 0) {
        end = zl_part_end(box->at, i, box->at[i].open - outer);
        snprintf(in[count].name, sizeof in[count].name, "in%zu", count);
        for (size_t leaf = i; leaf < end; leaf++)
            in[count].bits += (uint32_t)__builtin_ctzll((uint64_t)box->at[leaf].shape);
    }
    return count;
}

static zl_dim least_output(const zl_affine *map)
{
    uint64_t support = zl_affine_support(map);
    return (zl_dim){"out0", support ? 64 - (uint32_t)__builtin_clzll(support) : 0};
}

zlay_status zl_make_f2(zlay_ctx *ctx, zlay_layout **out, const zl_affine *map,
                       const zl_modes *box, const zlay_layout *names, const zl_f2 *outs)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_dim own = least_output(map);
    zl_f2 f2 = {0, outs ? outs->outs : 1, NULL, outs ? outs->out : &own, map->basis};
    zl_dim *in = zl_alloc(ctx, box->count, sizeof *in);
    if (!in) return ZLAY_ENOMEM;
    f2.in = in;
    if (names && names->kind == ZLAY_LAYOUT_F2) {
        f2.ins = names->f2.ins;
        f2.in = names->f2.in;
    } else {
        f2.ins = name_inputs(in, box);
    }
    zlay_status status = zl_layout_f2(ctx, out, &f2);
    zl_free(&alloc, in, box->count * sizeof *in);
    return status;
}

zlay_status zl_find_strided_affine(zlay_ctx *ctx, zlay_layout **out, const zl_affine *map,
                                   const zl_modes *box)
{
    return is_strided(map) ? make_strided(ctx, out, map, box, (zl_swizzle){0, 0, 0}) : ZLAY_NONE;
}

zlay_status zl_find_affine(zlay_ctx *ctx, zlay_layout **out, const zl_affine *map,
                           const zl_modes *box, const zlay_layout *names, const zl_f2 *outs)
{
    zl_swizzle s = {0, 0, 0};
    zl_affine inner;
    if (!outs || outs->outs == 1) {
        if (is_strided(map)) return make_strided(ctx, out, map, box, s);
        if (find_swizzle(map, &s, &inner)) return make_strided(ctx, out, &inner, box, s);
    }
    if (map->constant || (!outs && zl_affine_support(map) >> 63)) return ZLAY_NONE;
    return zl_make_f2(ctx, out, map, box, names, outs);
}
