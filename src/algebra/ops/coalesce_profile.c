/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/find/find.h"
#include "algebra/ops/cute.h"
#include "algebra/text/format.h"

typedef struct shape {
    const zl_mode *mode;
    size_t count;
} shape;

/* One step of the walk: a part of the layout and a part of the profile.  As deep as the profile's
 * text, which limits.nesting bounds. */
static zlay_status walk(zl_modes *out, shape a, shape profile);

static zlay_status walk_part(zl_modes *out, shape a, shape profile, size_t k)
{
    zl_modes part, under;
    zl_modes_begin(&part, out->ctx);
    zl_modes_begin(&under, out->ctx);
    zlay_status status = zl_parts_take(&part, a.mode, a.count, k);
    if (!status) status = zl_parts_take(&under, profile.mode, profile.count, k);
    if (!status)
        status = walk(out, (shape){part.at, part.count}, (shape){under.at, under.count});
    zl_modes_end(&under);
    zl_modes_end(&part);
    return status;
}

static zlay_status walk(zl_modes *out, shape a, shape profile)
{
    size_t first = out->count, parts = zl_parts_count(profile.mode, profile.count);
    zlay_status status = ZLAY_OK;
    if (!profile.mode[0].open) {
        zl_modes flat;
        zl_modes_begin(&flat, out->ctx);
        status = zl_coalesce_modes(&flat, a.mode, a.count, false);
        if (flat.count > 1) zl_modes_wrap(&flat, 0);
        if (!status) status = zl_modes_append(out, flat.at, flat.count);
        zl_modes_end(&flat);
        return status;
    }
    if (parts > zl_parts_count(a.mode, a.count))
        return zl_fail(out->ctx, ZLAY_EINVAL, "the profile has more modes than the layout");
    for (size_t k = 0; k < parts && !status; k++) status = walk_part(out, a, profile, k);
    if (!status) status = zl_parts_from(out, a.mode, a.count, parts);
    zl_modes_wrap(out, first);
    return status;
}

/* Integers in one pair of parentheses. */
static bool is_flat(const zlay_layout *profile)
{
    for (size_t i = 1; i < profile->modes; i++)
        if (profile->mode[i].open) return false;
    return profile->mode[0].open == 1;
}

/* The dimensions of a kind without modes are as few as they are: a tuple of integers leaves them.
 */
static zlay_status by_box(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *profile)
{
    if (!profile->mode[0].open) return zl_coalesce(ctx, out, a);
    if (!is_flat(profile) || profile->modes > zlay_layout_box(NULL, 0, a))
        return zl_fail(ctx, ZLAY_EINVAL, "the profile has more modes than the layout");
    return zl_layout_copy(ctx, out, a);
}

static zlay_status by_modes(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_layout *profile)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status =
        walk(&m, (shape){a->mode, a->modes}, (shape){profile->mode, profile->modes});
    m.offset = a->offset;
    if (!status) status = zl_layout_strided(ctx, out, &m, a->swizzle);
    zl_modes_end(&m);
    return status ? status : zl_simplify(ctx, out);
}

static zlay_status coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const char *text, size_t length)
{
    zlay_layout *profile = NULL;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (a->symbols) return zl_without_parameters(ctx, a);
    zlay_status status = zl_parse(ctx, &profile, text, length, 0);
    if (!status && !profile->modes)
        status = zl_fail(ctx, ZLAY_EINVAL, "a profile is nested integers");
    if (!status)
        status = a->modes ? by_modes(ctx, out, a, profile) : by_box(ctx, out, a, profile);
    zlay_layout_free(profile);
    return status;
}

zlay_status zlay_layout_coalesce_profile(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                         const char *profile, size_t length)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, coalesce(ctx, out, a, profile, length));
}
