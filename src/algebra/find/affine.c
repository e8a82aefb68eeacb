/* SPDX-License-Identifier: Apache-2.0 */
/* What cheapest layout an affine map over F2 is. */
#include "algebra/f2/f2.h"
#include "algebra/find/find.h"
#include "algebra/layout/layout.h"

#include <stdio.h>

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

static bool find_swizzle(const zl_affine *map, zl_swizzle *s, zl_affine *inner)
{
    uint64_t support = zl_affine_support(map);
    int top = (int)zl_bit_length(support);
    *s = (zl_swizzle){0, 0, 0};
    while (zl_swizzle_next(s, top))
        if (zl_swizzle_ends(*s, support) && unswizzles(map, *s, inner)) return true;
    return false;
}

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
    return (zl_dim){"out0", zl_bit_length(support), 0};
}

/* An output that adds modulo its size gives a map over F2 its name alone. */
static zl_dim named_output(const zl_affine *map, const zl_f2 *outs)
{
    zl_dim dim = outs->out[0];
    dim.size = 0;
    dim.bits = least_output(map).bits;
    return dim;
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
    if (names && zl_is_bits(names)) {
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
    if (!zl_has_modulus(outs)) return zl_make_f2(ctx, out, map, box, names, outs);
    if (outs->outs > 1) return ZLAY_NONE;
    zl_dim dim = named_output(map, outs);
    zl_f2 one = {0, 1, NULL, &dim, NULL};
    return zl_make_f2(ctx, out, map, box, names, &one);
}
