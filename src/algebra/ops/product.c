/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/ops/cute.h"
#include "algebra/ops/symbolic/ops.h"

/* complement(a, size(a) cosize(b)) o b. */
static zlay_status repeats(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                           const zlay_layout *b)
{
    zlay_layout *gaps = NULL;
    uint64_t target;
    zlay_status status = zl_cosize(ctx, &target, b);
    if (!status && !zl_umul(target, a->size, &target))
        status = zl_fail(ctx, ZLAY_EOVERFLOW, "the size of the product does not fit 64 bits");
    if (!status) status = zl_complement_of(ctx, &gaps, a, target);
    if (!status) status = zl_compose(ctx, out, gaps, b);
    zlay_layout_free(gaps);
    return status;
}

/* One is symbolic, and the other has no parameters of pieces. */
static bool is_symbolic(const zlay_layout *a, const zlay_layout *b)
{
    return (a->symbols || b->symbols) && !a->pieces.params && !b->pieces.params;
}

zlay_status zl_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b)
{
    zlay_layout *second = NULL;
    if (is_symbolic(a, b)) return zl_symbols_product(ctx, out, a, b);
    zlay_status status = repeats(ctx, &second, a, b);
    if (!status) status = zl_pair(ctx, out, a, second);
    zlay_layout_free(second);
    return status;
}

/* ---- what is under a swizzle ------------------------------------------------------------ */

static zlay_status bare(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_append(&m, a->mode, a->modes);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                           const zlay_layout *b, zlay_arrangement arrangement)
{
    zlay_layout *under = NULL;
    if (!a || !b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    bool symbolic = is_symbolic(a, b);
    if (!symbolic && (zl_parameter(a) || zl_parameter(b)))
        return zl_without_parameters(ctx, zl_parameter(a) ? a : b);
    zlay_status status = zl_check_arrangement(ctx, arrangement);
    if (status) return status;
    if (symbolic) status = zl_symbols_product(ctx, out, a, b);
    if (symbolic) return status ? status : zl_arrange_pair(ctx, out, arrangement);
    bool dressed = a->modes && !zl_is_plain(a);
    if (dressed) status = bare(ctx, &under, a);
    if (!status) status = zl_product(ctx, out, dressed ? under : a, b);
    if (!status) status = zl_arrange_pair(ctx, out, arrangement);
    if (!status && dressed) status = zl_dress(ctx, out, a);
    zlay_layout_free(under);
    return status;
}

zlay_status zlay_layout_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b, zlay_arrangement arrangement)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, product(ctx, out, a, b, arrangement));
}

static zlay_status no_modes(zlay_ctx *ctx)
{
    return zl_fail(ctx, ZLAY_NONE,
                   "the modes of this kind are no layouts of their own: its values are no sums");
}

static zlay_status product_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const char *tiler, size_t length, zlay_arrangement arrangement)
{
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (!a->symbols && zl_parameter(a)) return zl_without_parameters(ctx, a);
    if (!a->modes && !a->symbols) return no_modes(ctx);
    return zl_by_tiler(ctx, out, a, tiler, length, arrangement, zl_product);
}

zlay_status zlay_layout_product_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      const char *tiler, size_t length,
                                      zlay_arrangement arrangement)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    return zl_leave(ctx, product_tiler(ctx, out, a, tiler, length, arrangement));
}

/* ---- blocked and raked -------------------------------------------------------------------- */

/* ZLAY_NONE where the repetition is no shape and stride. */
static zlay_status zipped(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b, bool raked)
{
    zlay_layout *second = NULL;
    zl_modes m;
    zlay_status status = repeats(ctx, &second, a, b);
    bool strided = !status && zl_is_plain(second);
    zl_modes_begin(&m, ctx);
    if (strided) status = zl_zip_modes(&m, a, second, raked);
    if (strided && !status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    zlay_layout_free(second);
    return status || strided ? status : ZLAY_NONE;
}

static zlay_status paired_modes(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b, bool raked)
{
    zlay_layout *block = NULL, *tiler = NULL;
    size_t m = zl_parts_count(a->mode, a->modes), n = zl_parts_count(b->mode, b->modes);
    zlay_status status = zl_pad_rank(ctx, &block, a, m > n ? m : n);
    if (!status) status = zl_pad_rank(ctx, &tiler, b, m > n ? m : n);
    if (!status) status = zipped(ctx, out, block, tiler, raked);
    if (!status) status = zl_dress(ctx, out, a);
    zlay_layout_free(tiler);
    zlay_layout_free(block);
    return status;
}

/* ---- the same of any kinds: the product, its points taken in another order ---------------- */

/* The box as `rank` modes whose values are weight times the index. */
static zlay_status weights(zlay_ctx *ctx, zlay_layout **out, const zl_modes *box, size_t rank,
                           uint64_t weight)
{
    zl_modes m;
    zlay_layout over;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_weights(&m, box, weight);
    if (!status) status = zl_layout_over(ctx, &over, &m);
    if (!status) status = zl_pad_rank(ctx, out, &over, rank);
    zl_modes_end(&m);
    return status;
}

static zlay_status paired_order(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b, bool raked)
{
    zlay_layout *x = NULL, *y = NULL;
    zl_modes box[2], m;
    for (int i = 0; i < 2; i++) zl_modes_begin(&box[i], ctx);
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_layout_box(&box[0], a);
    if (!status) status = zl_layout_box(&box[1], b);
    if (!status) {
        size_t p = zl_parts_count(box[0].at, box[0].count);
        size_t q = zl_parts_count(box[1].at, box[1].count);
        status = weights(ctx, &x, &box[0], p > q ? p : q, 1);
        if (!status) status = weights(ctx, &y, &box[1], p > q ? p : q, a->size);
    }
    if (!status) status = zl_zip_modes(&m, x, y, raked);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    for (int i = 0; i < 2; i++) zl_modes_end(&box[i]);
    zlay_layout_free(y);
    zlay_layout_free(x);
    return status;
}

static zlay_status paired_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const zlay_layout *b, bool raked)
{
    zlay_layout *both = NULL, *order = NULL;
    zlay_status status = product(ctx, &both, a, b, ZLAY_LOGICAL);
    if (!status) status = paired_order(ctx, &order, a, b, raked);
    if (!status) status = zl_compose(ctx, out, both, order);
    zlay_layout_free(order);
    zlay_layout_free(both);
    return status;
}

static zlay_status paired(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b, bool raked)
{
    if (!a || !b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    if (is_symbolic(a, b)) return zl_symbols_paired(ctx, out, a, b, raked);
    if (zl_parameter(a) || zl_parameter(b))
        return zl_without_parameters(ctx, zl_parameter(a) ? a : b);
    bool own = a->modes && zl_is_plain(b);
    zlay_status status = own ? paired_modes(ctx, out, a, b, raked) : ZLAY_NONE;
    return status == ZLAY_NONE ? paired_values(ctx, out, a, b, raked) : status;
}

zlay_status zlay_layout_blocked_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        const zlay_layout *b)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, paired(ctx, out, a, b, false));
}

zlay_status zlay_layout_raked_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      const zlay_layout *b)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, paired(ctx, out, a, b, true));
}
