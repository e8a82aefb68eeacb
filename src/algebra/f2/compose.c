/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/f2/f2.h"

static uint64_t image(const zl_f2 *outer, uint64_t index)
{
    uint64_t value = 0;
    for (; index; index &= index - 1) value ^= outer->basis[__builtin_ctzll(index)];
    return value;
}

static zlay_status compose(zl_f2_form *f, zlay_layout **out, const zl_f2 *inner, const zl_f2 *outer)
{
    zl_dim_order order;
    uint64_t index;
    zlay_status status =
        zl_order_of(f->ctx, &order, inner->out, inner->outs, outer->in, outer->ins);
    if (!status) status = zl_f2_form_ins(f, inner);
    if (!status) status = zl_f2_form_outs(f, outer);
    for (unsigned k = 0; k < f->bits && !status; k++) {
        if (!zl_order_apply(&order, inner->basis[k], &index))
            status = zl_f2_none(f->ctx, inner, inner->basis[k], "index %llu leaves outer:",
                                1ull << k);
        else f->basis[k] = image(outer, index);
    }
    return status ? status : zl_f2_form_end(f, out);
}

static zlay_status checked(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *inner,
                           const zlay_layout *outer)
{
    zl_f2_form f;
    zlay_status status = zl_f2_check(ctx, inner, "inner", false);
    if (!status) status = zl_f2_check(ctx, outer, "outer", false);
    if (status) return status;
    zl_f2_form_begin(&f, ctx);
    return compose(&f, out, &inner->f2, &outer->f2);
}

zlay_status zl_f2_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *outer,
                              const zlay_layout *inner)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, checked(ctx, out, inner, outer));
}

zlay_status zlay_f2_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *outer,
                                const zlay_layout *inner)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, checked(ctx, out, inner, outer));
}
