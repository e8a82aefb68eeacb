/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the two distributed layouts of a conversion as affine maps over F2 on the bits of a slot,
 * and makes layouts from such maps again.  Layouts that are not linear over F2 go to points.c. */
#include "algebra/find/find.h"
#include "algebra/f2/f2.h"
#include "synth/convert/convert.h"

#include <string.h>

static const char *const names[] = {"register", "lane", "warp", "block"};
static const char *const fields[] = {"src", "dst"};

/* The level of each input dimension: by its name where all dimensions have one of these names, else
 * by its position. */
static zlay_status levels_of(const zl_conversion *c, const zlay_layout *a, int side,
                             zl_level *level, size_t count)
{
    bool named = zl_is_bits(a);
    for (size_t i = 0; i < count && named; i++) {
        level[i] = ZL_REGISTER;
        while (level[i] < ZL_LEVELS && strcmp(a->f2.in[i].name, names[level[i]])) level[i]++;
        named = level[i] < ZL_LEVELS;
    }
    if (named) return ZLAY_OK;
    if (count > ZL_LEVELS)
        return zl_fail(c->ctx, ZLAY_EINVAL,
                       "%s: %zu input dimensions, and there are register, lane, warp and block",
                       fields[side], count);
    for (size_t i = 0; i < count; i++) level[i] = (zl_level)i;
    return ZLAY_OK;
}

static zlay_status extents_check(const zl_conversion *c, int side)
{
    const uint64_t *extent = c->extent[side];
    uint64_t lanes = c->machine.lanes, threads = zl_umul_sat(lanes, extent[ZL_WARP]);
    if (extent[ZL_LANE] > lanes)
        return zl_fail(c->ctx, ZLAY_EINVAL, "%s: %llu lanes, and a warp of %s has %llu",
                       fields[side], (unsigned long long)extent[ZL_LANE],
                       zlay_target_name(c->target), (unsigned long long)lanes);
    if (c->machine.threads && threads > c->machine.threads)
        return zl_fail(c->ctx, ZLAY_EINVAL, "%s: %llu warps, and a block of %s has %u threads",
                       fields[side], (unsigned long long)extent[ZL_WARP],
                       zlay_target_name(c->target), c->machine.threads);
    if (extent[ZL_BLOCK] > 1 && extent[ZL_BLOCK] > c->machine.cluster_most)
        return zl_fail(c->ctx, ZLAY_EINVAL, "%s: %llu blocks, and a cluster of %s has %u at most",
                       fields[side], (unsigned long long)extent[ZL_BLOCK],
                       zlay_target_name(c->target), c->machine.cluster_most);
    if (extent[ZL_REGISTER] > (uint64_t)1 << zl_level_low[ZL_LANE])
        return zl_fail(c->ctx, ZLAY_EINVAL, "%s: %llu registers, and 2^24 are the most",
                       fields[side], (unsigned long long)extent[ZL_REGISTER]);
    return ZLAY_OK;
}

static zlay_status read_side(zl_conversion *c, const zlay_layout *a, int side)
{
    uint64_t extent[ZL_F2_DIMS];
    zl_level level[ZL_F2_DIMS];
    if (!a) return zl_fail(c->ctx, ZLAY_EINVAL, "%s: is NULL", fields[side]);
    if (zl_parameter(a))
        return zl_fail(c->ctx, ZLAY_ENOTSUP, "%s: has the parameter %s", fields[side],
                       zl_parameter(a));
    size_t count = zlay_layout_box(extent, ZL_F2_DIMS, a);
    if (count > ZL_F2_DIMS) count = ZL_F2_DIMS + 1;
    zlay_status status = levels_of(c, a, side, level, count);
    for (zl_level l = ZL_REGISTER; l < ZL_LEVELS; l++) c->extent[side][l] = 1;
    c->dims[side] = count;
    for (size_t i = 0; i < count && !status; i++) {
        c->order[side][i] = level[i];
        c->extent[side][level[i]] = extent[i];
        c->shown |= 1u << level[i];
    }
    return status ? status : extents_check(c, side);
}

/* Checks that both tensors have the same sizes, because values are compared as flat indices.  Where
 * the output names differ in order only, dst's outputs are put in src's order later. */
static zlay_status outs_check(const zl_conversion *c)
{
    const zlay_layout *a = c->request->src, *b = c->request->dst;
    size_t outs = zlay_layout_out_count(a);
    bool same = zlay_layout_out_count(b) == outs;
    if (outs == 1 && same) return ZLAY_OK;
    if (!zl_is_bits(a) || !zl_is_bits(b))
        return same ? ZLAY_OK
                    : zl_fail(c->ctx, ZLAY_EINVAL, "dst: has %zu outputs, and src has %zu",
                              zlay_layout_out_count(b), outs);
    for (size_t i = 0; i < outs && same; i++) {
        size_t k = zl_dim_find(b->f2.out, outs, a->f2.out[i].name);
        same = k < outs && b->f2.out[k].bits == a->f2.out[i].bits &&
               b->f2.out[k].size == a->f2.out[i].size;
    }
    if (same) return ZLAY_OK;
    return zl_fail(c->ctx, ZLAY_EINVAL, "dst: its outputs are not those of src, name and size");
}

zlay_status zl_conversion_read(zl_conversion *c)
{
    c->shown = 1u << ZL_REGISTER;
    zlay_status status = read_side(c, c->request->src, ZL_SRC);
    if (!status) status = read_side(c, c->request->dst, ZL_DST);
    return status ? status : outs_check(c);
}

/* ---- bits -------------------------------------------------------------------------------- */

/* The slot bit of each bit of a layout's index, from the lowest. */
static void places_of(const zl_conversion *c, int side, unsigned *place)
{
    unsigned bit = 0;
    for (size_t i = 0; i < c->dims[side]; i++) {
        zl_level level = c->order[side][i];
        for (unsigned k = 0; (uint64_t)1 << k < c->extent[side][level]; k++)
            place[bit++] = zl_level_low[level] + k;
    }
}

/* Moves the bits of values from one side's order of outputs to the other's. */
static zlay_status reorder(const zl_conversion *c, zl_bitmap *map, const zlay_layout *from,
                           const zlay_layout *to)
{
    zl_dim_order order;
    if (!zl_is_bits(from) || !zl_is_bits(to) || from->f2.outs == 1) return ZLAY_OK;
    zlay_status status =
        zl_order_of(c->ctx, &order, from->f2.out, from->f2.outs, to->f2.out, to->f2.outs);
    for (uint64_t left = status || order.same ? 0 : map->has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_order_apply(&order, map->to[k], &map->to[k]);
    }
    return status;
}

/* Reads a side as an affine map; false: it is none, or its values need 2^44 or more. */
static bool side_bits(const zl_conversion *c, const zlay_layout *a, int side, zl_bitmap *out,
                      uint64_t *constant)
{
    zl_affine map;
    unsigned place[64];
    if (a->kind == ZLAY_LAYOUT_MODULAR || a->partial || !zl_affine_of(&map, a)) return false;
    places_of(c, side, place);
    out->has = 0;
    for (unsigned k = 0; k < map.bits; k++) zl_bitmap_put(out, place[k], map.basis[k]);
    *constant = map.constant;
    return !(zl_affine_support(&map) >> zl_level_low[ZL_BLOCK]);
}

zlay_status zl_conversion_bits(zl_conversion *c, bool *linear)
{
    uint64_t constant = 0;
    const zlay_layout *src = c->request->src, *dst = c->request->dst;
    *linear = side_bits(c, src, ZL_SRC, &c->src, &c->constant) &&
              side_bits(c, dst, ZL_DST, &c->dst, &constant) && constant == c->constant;
    return *linear ? reorder(c, &c->dst, dst, src) : ZLAY_OK;
}

static zlay_status image_over(const zl_conversion *c, zlay_layout **out, const zl_affine *map)
{
    const zlay_layout *dst = c->request->dst;
    zl_modes box;
    zl_modes_begin(&box, c->ctx);
    zlay_status status = zl_layout_box(&box, dst);
    if (!status)
        status = zl_is_bits(dst) ? zl_make_f2(c->ctx, out, map, &box, dst, &dst->f2)
                                 : zl_find_affine(c->ctx, out, map, &box, NULL, NULL);
    zl_modes_end(&box);
    return status == ZLAY_NONE ? ZLAY_EINTERNAL : status;
}

zlay_status zl_conversion_image(const zl_conversion *c, zlay_layout **out, const zl_bitmap *values)
{
    const zlay_layout *dst = c->request->dst;
    zl_bitmap ordered = *values;
    zl_affine map = {.constant = c->constant};
    unsigned place[64];
    zlay_status status = reorder(c, &ordered, c->request->src, dst);
    if (status) return status;
    places_of(c, ZL_DST, place);
    map.bits = (unsigned)__builtin_popcountll(values->has);
    for (unsigned k = 0; k < map.bits; k++) map.basis[k] = ordered.to[place[k]];
    return image_over(c, out, &map);
}
