/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/layout/function.h"
#include "algebra/layout/layout.h"
#include "algebra/find/find.h"

/* No value has a bit that the swizzle takes. */
static bool is_idle(const zlay_layout *a)
{
    int64_t least, greatest;
    int source = a->swizzle.base + (a->swizzle.shift > 0 ? a->swizzle.shift : 0);
    zl_modes_range(a->mode, a->modes, a->offset, &least, &greatest);
    return least >= 0 && greatest >> source == 0;
}

static bool value_at(const void *env, uint64_t index, int64_t *value)
{
    *value = zl_at(env, index);
    return true;
}

static zlay_status by_values(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zl_modes *box)
{
    zl_function f = {value_at, a, a->size};
    zl_break where;
    zl_modes m;
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_find_strided(&m, &f, box, &where);
    if (!status) status = zl_layout_strided(ctx, out, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    return status;
}

static zlay_status cheaper(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, zl_modes *box)
{
    zl_affine map;
    box->offset = a->offset;
    zlay_status status = zl_layout_box(box, a);
    if (status) return status;
    if (is_idle(a)) return zl_layout_strided(ctx, out, box, (zl_swizzle){0, 0, 0});
    if (zl_affine_of(&map, a)) return zl_find_strided_affine(ctx, out, &map, box);
    if (a->size > zl_limits(ctx)->points) return ZLAY_NONE;
    return by_values(ctx, out, a, box);
}

zlay_status zl_simplify(zlay_ctx *ctx, zlay_layout **layout)
{
    zlay_layout *better = NULL, *a = *layout;
    zl_modes box;
    if (!a->swizzle.bits) return ZLAY_OK;
    zl_modes_begin(&box, ctx);
    zlay_status status = cheaper(ctx, &better, a, &box);
    zl_modes_end(&box);
    if (status == ZLAY_NONE || status == ZLAY_ELIMIT) return zl_unless_limit(ctx, ZLAY_ELIMIT);
    zlay_layout_free(a);
    *layout = status ? NULL : better;
    return status;
}
