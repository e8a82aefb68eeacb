/* SPDX-License-Identifier: Apache-2.0 */
/* What two layouts have in common: the prefix of values that stand at the same indices. */
#include "algebra/ops/cute.h"

/* a o R is strided: values go on as its first mode does, when that has stride 1. */
static uint64_t strided_prefix(zlay_ctx *ctx, const zlay_layout *common, zlay_status *status)
{
    zl_modes flat;
    uint64_t count = 1;
    zl_modes_begin(&flat, ctx);
    *status = zl_coalesce_modes(&flat, common->mode, common->modes, false);
    if (!*status && flat.at[0].stride == 1) count = (uint64_t)flat.at[0].shape;
    zl_modes_end(&flat);
    return count;
}

static uint64_t values_prefix(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *inverse,
                              zlay_status *status)
{
    uint64_t limit = zl_limits(ctx)->points, count = 0;
    int64_t index, value;
    *status = ZLAY_OK;
    while (count < inverse->size && count < limit && zl_value(inverse, count, &index)) {
        *status = zl_charge_block(ctx, inverse, count);
        if (!*status) *status = zl_charge_block(ctx, a, count);
        if (*status) return 0;
        if (!zl_at_integer(a, index, &value) || value != (int64_t)count) break;
        count++;
    }
    if (count == limit && count < inverse->size)
        *status = zl_fail(ctx, ZLAY_ELIMIT, "limits.points is %llu and more values are common",
                          (unsigned long long)limit);
    return count;
}

/* As compose has it, a strided or swizzled a goes on past its box. */
static zlay_status prefix(zlay_ctx *ctx, uint64_t *count, const zlay_layout *a,
                          const zlay_layout *inverse)
{
    zlay_layout *common = NULL;
    zlay_status status = ZLAY_OK;
    if (zl_is_plain(a) && zl_is_plain(inverse))
        status = zl_compose(ctx, &common, a, inverse);
    if (common && zl_is_plain(common)) *count = strided_prefix(ctx, common, &status);
    else if (status >= ZLAY_OK) *count = values_prefix(ctx, a, inverse, &status);
    zlay_layout_free(common);
    return status;
}

static zlay_status first_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *inverse,
                                uint64_t count)
{
    zlay_layout *line = NULL;
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_leaf(&m, (int64_t)count, count > 1);
    if (!status) status = zl_layout_strided(ctx, &line, &m, (zl_swizzle){0, 0, 0});
    if (!status) status = zl_compose(ctx, out, inverse, line);
    zl_modes_end(&m);
    zlay_layout_free(line);
    return status;
}

static zlay_status common(zlay_ctx *ctx, zlay_layout **out, uint64_t *count, const zlay_layout *a,
                          const zlay_layout *b)
{
    zlay_layout *inverse = NULL;
    *count = 0;
    if (!a || !b) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    if (zl_parameter(a)) return zl_without_parameters(ctx, a);
    zlay_status status = zl_right_inverse(ctx, &inverse, b);
    if (!status) status = prefix(ctx, count, a, inverse);
    if (status == ZLAY_NONE) *count = 0, status = ZLAY_OK;
    if (!status && out)
        status = *count ? first_values(ctx, out, inverse, *count) : zl_layout_point(ctx, out);
    zlay_layout_free(inverse);
    return status;
}

zlay_status zlay_layout_max_common_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                          const zlay_layout *b)
{
    uint64_t count;
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, common(ctx, out, &count, a, b));
}

zlay_status zlay_layout_max_common_vector(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a,
                                          const zlay_layout *b)
{
    uint64_t count;
    if (!out) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = common(ctx, NULL, &count, a, b);
    if (!status) *out = count ? count : 1;
    return zl_leave(ctx, status);
}
