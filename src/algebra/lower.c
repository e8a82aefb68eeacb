/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout.h"

static zlay_status not_linear(zlay_ctx *ctx, const zlay_layout *a, uint64_t i, uint64_t j)
{
    return zl_fail(ctx, ZLAY_NONE,
                   "value(%llu ^ %llu) is %lld, not value(%llu) ^ value(%llu), %lld",
                   (unsigned long long)i, (unsigned long long)j, (long long)zl_at(a, i ^ j),
                   (unsigned long long)i, (unsigned long long)j,
                   (long long)(zl_at(a, i) ^ zl_at(a, j)));
}

/* The carry that makes a layout of power-of-two extents no affine map: two bits whose steps,
 * seen from the value at 0, share a bit. */
static zlay_status carry(zlay_ctx *ctx, const zlay_layout *a)
{
    for (uint64_t j = 1; j < a->size; j <<= 1)
        for (uint64_t i = 1; i < j; i <<= 1)
            if (zl_at(a, i ^ j) != (zl_at(a, i) ^ zl_at(a, j))) return not_linear(ctx, a, i, j);
    return zl_fail(ctx, ZLAY_EINTERNAL, "a carry has no witness");
}

static zlay_status extents(zlay_ctx *ctx, const zlay_layout *a)
{
    for (size_t i = 0; i < a->modes; i++)
        if (a->mode[i].shape & (a->mode[i].shape - 1))
            return zl_fail(ctx, ZLAY_NONE, "the extent %lld of mode %zu is no power of two",
                           (long long)a->mode[i].shape, i);
    return ZLAY_OK;
}

static zlay_status check_linear(zlay_ctx *ctx, const zlay_layout *a, zl_affine *map)
{
    zlay_status status = extents(ctx, a);
    if (status) return status;
    if (zl_at(a, 0)) return not_linear(ctx, a, 0, 0);
    if (!zl_affine_of(map, a)) return carry(ctx, a);
    for (unsigned k = 0; k < map->bits; k++)
        if (map->basis[k] >> 63)
            return zl_fail(ctx, ZLAY_NONE, "value(%llu) is %lld, and no output holds it",
                           1ull << k, (long long)map->basis[k]);
    return ZLAY_OK;
}

static zlay_status lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_affine map;
    zl_modes box;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (!a->modes) return zl_layout_copy(ctx, out, a);
    zlay_status status = check_linear(ctx, a, &map);
    if (status) return status;
    zl_modes_begin(&box, ctx);
    status = zl_layout_box(&box, a);
    if (!status) status = zl_make_f2(ctx, out, &map, &box, NULL, NULL);
    zl_modes_end(&box);
    return status;
}

zlay_status zlay_layout_lower(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, lower(ctx, out, a));
}
