/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's coalesce of every kind: strided layouts by their modes, others composed with one mode, the
 * line of all indices. */
#include "algebra/f2/f2.h"
#include "algebra/find/find.h"
#include "algebra/layout/layout.h"
#include "algebra/ops/symbolic/ops.h"
#include "algebra/ops/cute.h"

static zlay_status flatten(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_modes m;
    zl_modes_begin(&m, ctx);
    m.offset = a->offset;
    zlay_status status = zl_coalesce_modes(&m, a->mode, a->modes, false);
    if (m.count > 1) zl_modes_wrap(&m, 0);
    if (!status) status = zl_layout_strided(ctx, out, &m, a->swizzle);
    zl_modes_end(&m);
    return status;
}

/* A domain past 62 bits has no mode: its dimensions become one. */
static zlay_status one_input(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zl_dim line = {.name = "in0", .bits = zl_dim_bits(a->f2.in, a->f2.ins)};
    zl_f2 f2 = {1, a->f2.outs, &line, a->f2.out, a->f2.basis};
    return zl_layout_f2(ctx, out, &f2);
}

/* A kind without modes is flat on one dimension: its function of the index. */
static zlay_status by_index(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_layout *line = NULL;
    zl_modes m;
    if (a->size > INT64_MAX && zl_is_bits(a)) return one_input(ctx, out, a);
    if (a->size > INT64_MAX)
        return zl_fail(ctx, ZLAY_EOVERFLOW, "an index of the layout does not fit 63 bits");
    zl_modes_begin(&m, ctx);
    zlay_status status = zl_modes_leaf(&m, (int64_t)a->size, 1);
    if (!status) status = zl_layout_strided(ctx, &line, &m, (zl_swizzle){0, 0, 0});
    zl_modes_end(&m);
    if (!status) status = zl_compose(ctx, out, a, line);
    zlay_layout_free(line);
    return status;
}

/* A swizzle that turns out to be strided is so by mode, and is flattened once more. */
zlay_status zl_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_layout *flat = NULL;
    if (!a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    if (a->symbols) return zl_symbols_coalesce(ctx, out, a);
    if (a->modes && !a->swizzle.bits) return flatten(ctx, out, a);
    zlay_status status = a->modes ? flatten(ctx, &flat, a) : by_index(ctx, &flat, a);
    if (!status && a->modes) status = zl_simplify(ctx, &flat);
    if (!status && flat->modes) status = flatten(ctx, out, flat);
    if (!status && *out) zlay_layout_free(flat);
    else if (!status) *out = flat;
    else zlay_layout_free(flat);
    return status;
}

zlay_status zlay_layout_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, zl_coalesce(ctx, out, a));
}
