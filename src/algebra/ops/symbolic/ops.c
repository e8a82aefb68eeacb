/* SPDX-License-Identifier: Apache-2.0 */
/* Coalesce, flip and slice of symbolic layouts. */
#include "algebra/ops/symbolic/ops.h"

/* ---- coalesce ------------------------------------------------------------------------ */

static void wrap(zl_symbols *s, size_t first)
{
    s->leaf[first].open++;
    s->leaf[s->leaves - 1].close++;
}

zlay_status zl_symbols_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_symbols s = *a->symbols;
    if (s.edges) return zl_symbols_ragged(ctx);
    zl_symbols_merge(&s, false);
    if (s.leaves > 1) wrap(&s, 0);
    return zl_symbols_layout(ctx, out, &s);
}

/* ---- along a mode ----------------------------------------------------------------------- */

typedef struct along {
    size_t first, end;
} along;

/* The leaves of a top-level mode. */
static zlay_status mode_leaves(zlay_ctx *ctx, along *out, const zl_symbols *s, uint64_t mode)
{
    uint32_t outer = s->leaf[0].open ? 1 : 0;
    size_t end = 0, count = 0;
    for (size_t i = 0; i < s->leaves; i = end, count++, outer = 0) {
        end = zl_symbols_part_end(s, i, s->leaf[i].open - outer);
        if (count != mode) continue;
        *out = (along){i, end};
        return ZLAY_OK;
    }
    return zl_fail(ctx, ZLAY_EINVAL, "mode %llu of a layout of %zu modes",
                   (unsigned long long)mode, count);
}

/* Coordinate c becomes extent - 1 - c. */
static bool flip_leaf(zl_symbols *s, zl_symbol_leaf *leaf)
{
    zl_monomial one = zl_monomial_of(1), minus = zl_monomial_of(-1);
    return zl_poly_add_product(&s->offset, &leaf->shape, &leaf->stride) &&
           zl_poly_sub_product(&s->offset, &one, &leaf->stride) &&
           zl_monomial_mul(&leaf->stride, &leaf->stride, &minus);
}

zlay_status zl_symbols_flip(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t mode)
{
    zl_symbols s = *a->symbols;
    along at = {0, 0};
    if (s.edges) return zl_symbols_ragged(ctx);
    zlay_status status = mode_leaves(ctx, &at, &s, mode);
    for (size_t i = at.first; i < at.end && !status; i++)
        if (!flip_leaf(&s, &s.leaf[i])) status = zl_symbols_overflow(ctx);
    return status ? status : zl_symbols_layout(ctx, out, &s);
}

/* begin, begin + step, ..., all proved to lie in the mode; their number. */
static zlay_status count_slice(zlay_ctx *ctx, int64_t *count, const zl_symbols *s,
                               const zl_symbol_leaf *leaf, const zlay_slice *by)
{
    zlay_range extent = zl_monomial_range(&leaf->shape, s);
    bool up = by->step > 0;
    if (!by->step || by->step == INT64_MIN)
        return zl_fail(ctx, ZLAY_EINVAL, "a slice in steps of %lld", (long long)by->step);
    if (by->begin < 0 || (up ? by->end <= by->begin : by->end < -1 || by->end >= by->begin))
        return zl_fail(ctx, ZLAY_EINVAL, "no coordinate lies from %lld to %lld in steps of %lld",
                       (long long)by->begin, (long long)by->end, (long long)by->step);
    int64_t greatest = up ? by->end : by->begin + 1;
    if (by->begin == INT64_MAX || greatest > extent.hi)
        return zl_fail(ctx, ZLAY_EINVAL, "the slice leaves the mode, whose extent is at most %lld",
                       (long long)extent.hi);
    if (greatest > extent.lo)
        return zl_fail(ctx, ZLAY_ENOTSUP,
                       "the extent depends on the parameter %s: no fact says it is %lld or more",
                       s->name[0].name.text, (long long)greatest);
    uint64_t span = up ? (uint64_t)by->end - (uint64_t)by->begin
                       : (uint64_t)by->begin - (uint64_t)by->end;
    *count = (int64_t)((span - 1) / (uint64_t)(up ? by->step : -by->step) + 1);
    return ZLAY_OK;
}

static zlay_status slice_leaf(zlay_ctx *ctx, zl_symbols *s, zl_symbol_leaf *leaf,
                              const zlay_slice *by)
{
    int64_t count = 0;
    zl_monomial begin = zl_monomial_of(by->begin), step = zl_monomial_of(by->step);
    zlay_status status = count_slice(ctx, &count, s, leaf, by);
    if (status) return status;
    if (count == 1) step = zl_monomial_of(0);
    if (!zl_poly_add_product(&s->offset, &begin, &leaf->stride) ||
        !zl_monomial_mul(&leaf->stride, &leaf->stride, &step))
        return zl_symbols_overflow(ctx);
    leaf->shape = zl_monomial_of(count);
    return ZLAY_OK;
}

zlay_status zl_symbols_slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_slice *by)
{
    zl_symbols s = *a->symbols;
    along at = {0, 0};
    if (s.edges) return zl_symbols_ragged(ctx);
    zlay_status status = mode_leaves(ctx, &at, &s, by->mode);
    if (!status && at.end != at.first + 1)
        status = zl_fail(ctx, ZLAY_ENOTSUP, "a slice of a nested mode, with the parameter %s",
                         s.name[0].name.text);
    if (!status) status = slice_leaf(ctx, &s, &s.leaf[at.first], by);
    return status ? status : zl_symbols_layout(ctx, out, &s);
}
