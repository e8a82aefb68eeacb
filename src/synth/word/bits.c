/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a layout as an affine map over F2: from its basis where its kind has one, otherwise point
 * by point up to limits.points. For a layout that is not affine, the message names the first
 * index whose value does not follow from the powers of two below it. */
#include "algebra/layout/function.h"
#include "synth/word/bits.h"

static bool value_at(const void *layout, uint64_t index, int64_t *value)
{
    return zl_value(layout, index, value);
}

static zlay_status by_points(zlay_ctx *ctx, zl_affine *out, const zlay_layout *layout,
                             const char *name)
{
    const zl_function f = {value_at, layout, layout->size};
    uint64_t limit = zl_limits(ctx)->points;
    zl_break where;
    if (layout->size > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and %s has %llu",
                       (unsigned long long)limit, name, (unsigned long long)layout->size);
    if (layout->size & (layout->size - 1))
        return zl_fail(ctx, ZLAY_NONE, "%s is not affine over F2: it has %llu points", name,
                       (unsigned long long)layout->size);
    if (zl_affine_of_function(out, &f, &where)) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_NONE,
                   "%s is not affine over F2: index %llu has not the value that the powers of two "
                   "below it ask for",
                   name, (unsigned long long)where.index);
}

zlay_status zl_bits_of(zlay_ctx *ctx, zl_affine *out, const zlay_layout *layout, const char *name)
{
    if (zl_parameter(layout))
        return zl_fail(ctx, ZLAY_ENOTSUP, "%s has the parameter %s", name, zl_parameter(layout));
    return zl_affine_of(out, layout) ? ZLAY_OK : by_points(ctx, out, layout, name);
}
