/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/ops/cute.h"
#include "algebra/ops/symbolic/ops.h"

/* (b, complement(b, size)): what a is composed with. */
static zlay_status tile_and_rest(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b,
                                 uint64_t size)
{
    zlay_layout *rest = NULL;
    zlay_status status = zl_complement_of(ctx, &rest, b, size);
    if (!status) status = zl_pair(ctx, out, b, rest);
    zlay_layout_free(rest);
    return status;
}

/* The same of modes alone, which takes no memory; ZLAY_ENOTSUP where they interleave. */
static zlay_status modes_and_rest(zl_modes *m, const zlay_layout *b, uint64_t size)
{
    zl_modes rest;
    zl_modes_begin(&rest, m->ctx);
    zlay_status status = zl_modes_append(m, b->mode, b->modes);
    if (!status) status = zl_complement(&rest, b, size);
    if (!status) status = zl_modes_append(m, rest.at, rest.count);
    zl_modes_wrap(m, 0);
    zl_modes_end(&rest);
    return status;
}

static zlay_status divide_plain(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    zlay_layout both;
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = modes_and_rest(&m, b, a->size);
    if (!status) status = zl_layout_over(ctx, &both, &m);
    if (!status) status = zl_compose(ctx, out, a, &both);
    zl_modes_end(&m);
    return status;
}

zlay_status zl_divide_any(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b)
{
    zlay_layout *both = NULL;
    if (zl_parameter(b)) return zl_without_parameters(ctx, b);
    if (a->symbols && !a->size) return zl_symbols_divide(ctx, out, a, b);
    zlay_status status = zl_is_plain(b) ? divide_plain(ctx, out, a, b) : ZLAY_ENOTSUP;
    if (status != ZLAY_ENOTSUP) return status;
    status = tile_and_rest(ctx, &both, b, a->size);
    if (!status) status = zl_compose(ctx, out, a, both);
    zlay_layout_free(both);
    return status;
}

/* ---- by a layout ------------------------------------------------------------------------ */

/* A layout without modes of its own is divided along its index, and takes the modes from there. */
static zlay_status divide_index(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b, zlay_arrangement arrangement)
{
    zlay_layout *both = NULL;
    zlay_status status = tile_and_rest(ctx, &both, b, a->size);
    if (!status) status = zl_arrange_pair(ctx, &both, arrangement);
    if (!status) status = zl_compose(ctx, out, a, both);
    zlay_layout_free(both);
    return status;
}

static zlay_status divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b, zlay_arrangement arrangement)
{
    if (!a || !b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    zlay_status status = zl_check_arrangement(ctx, arrangement);
    if (status) return status;
    if (!a->symbols && !a->size && zl_parameter(a)) return zl_without_parameters(ctx, a);
    if (!a->modes && !a->symbols) return divide_index(ctx, out, a, b, arrangement);
    status = zl_divide_any(ctx, out, a, b);
    return status ? status : zl_arrange_pair(ctx, out, arrangement);
}

zlay_status zlay_layout_divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b, zlay_arrangement arrangement)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, divide(ctx, out, a, b, arrangement));
}

/* ---- by a tiler, mode by mode -------------------------------------------------------------- */

/* The box of a as a compact layout: the index of each coordinate. */
static zlay_status index_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_modes m;
    int64_t stride = 1;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_layout_box(&m, a);
    for (size_t i = 0; i < m.count && !status; i++) {
        m.at[i].stride = stride;
        if (!zl_mul(stride, m.at[i].shape, &stride) && i + 1 < m.count)
            status = zl_fail(ctx, ZLAY_EOVERFLOW, "an index does not fit 64 bits");
    }
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

/* As many points as the mode: its tile and rest cover it, and nothing else. */
static zlay_status divide_inside(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *mode,
                                 const zlay_layout *tile)
{
    zlay_status status = zl_divide_any(ctx, out, mode, tile);
    if (status || (*out)->size == mode->size) return status;
    zlay_layout_free(*out);
    *out = NULL;
    return zl_fail(ctx, ZLAY_NONE, "a tile does not divide its mode of %llu points",
                   (unsigned long long)mode->size);
}

static zlay_status divide_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const char *tiler, size_t length, zlay_arrangement arrangement)
{
    zlay_layout *index = NULL, *divided = NULL;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (a->modes || a->symbols)
        return zl_by_tiler(ctx, out, a, tiler, length, arrangement, zl_divide_any);
    zlay_status status = index_layout(ctx, &index, a);
    if (!status)
        status = zl_by_tiler(ctx, &divided, index, tiler, length, arrangement, divide_inside);
    if (!status) status = zl_compose(ctx, out, a, divided);
    zlay_layout_free(divided);
    zlay_layout_free(index);
    return status;
}

zlay_status zlay_layout_divide_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                     const char *tiler, size_t length,
                                     zlay_arrangement arrangement)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    return zl_leave(ctx, divide_tiler(ctx, out, a, tiler, length, arrangement));
}
