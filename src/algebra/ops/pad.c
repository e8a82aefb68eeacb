/* SPDX-License-Identifier: Apache-2.0 */
/* Cells before and behind a mode: without a value, with 0, or with those of the mode again. */
#include "algebra/symbolic/symbol.h"
#include "algebra/ops/reshape.h"

typedef struct padded {
    const zlay_layout *a;
    zlay_pad by;
    uint64_t extent, all; /* before and with the cells */
} padded;

/* A box that depends on parameters is the hull of what is defined, so cells without a value would
 * not be there. */
static zlay_status unknown_check(zlay_ctx *ctx, padded *p)
{
    p->all = 0;
    if (p->by.before > INT32_MAX || p->by.after > INT32_MAX)
        return zl_fail(ctx, ZLAY_EOVERFLOW, "the extent does not fit 64 bits");
    if (p->by.fill == ZLAY_PAD_ZERO) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_ENOTSUP,
                   "undefined cells around mode %u, whose extent depends on parameter %s",
                   (unsigned)p->by.mode, zl_parameter(p->a));
}

static zlay_status check(zlay_ctx *ctx, padded *p)
{
    if (p->by.fill < ZLAY_PAD_UNDEFINED || p->by.fill > ZLAY_PAD_ZERO)
        return zl_fail(ctx, ZLAY_EINVAL, "no filling has the number %d", (int)p->by.fill);
    if (p->by.reserved) return zl_fail(ctx, ZLAY_EINVAL, "a reserved word is not 0");
    zlay_status status = p->by.fill == ZLAY_PAD_REPEAT
        ? zl_mode_extent(ctx, &p->extent, p->a, p->by.mode)
        : zl_mode_extent_or_0(ctx, &p->extent, p->a, p->by.mode);
    if (status) return status;
    if (!p->extent) return unknown_check(ctx, p);
    if (!zl_uadd(p->extent, p->by.before, &p->all) || !zl_uadd(p->all, p->by.after, &p->all) ||
        p->all > INT64_MAX)
        return zl_fail(ctx, ZLAY_EOVERFLOW, "the extent does not fit 64 bits");
    return ZLAY_OK;
}

static zlay_status zeros(zl_draft *d, const zl_quasi *where)
{
    bool dead = false;
    size_t before = d->guards.count;
    zl_quasi value[ZL_PIECE_VARIABLES > 64 ? 64 : ZL_PIECE_VARIABLES];
    if (d->claims.outs > 64)
        return zl_fail(d->w.ctx, ZLAY_ELIMIT, "%zu outputs; 64 at most", d->claims.outs);
    for (size_t i = 0; i < d->claims.outs; i++) zl_quasi_set(&value[i], 0);
    zlay_status status = zl_draft_guard(d, where, false, &dead);
    if (!status && !dead) status = zl_draft_piece(d, value);
    d->guards.count = before;
    return status;
}

/* Where the box does not, guards bound the cells. */
static zlay_status bound(zl_draft *d, const padded *p, const zl_quasi *coordinate, zl_quasi *last)
{
    bool dead = false;
    zl_quasi end = *last;
    if (p->extent) return ZLAY_OK;
    end.constant += (int64_t)(p->by.before + p->by.after);
    zlay_status status = zl_quasi_add(&d->w, &end, coordinate, -1);
    if (!status) status = zl_draft_guard(d, coordinate, false, &dead);
    return status ? status : zl_draft_guard(d, &end, false, &dead);
}

static zlay_status around(zl_draft *d, const padded *p, const zl_quasi *coordinate)
{
    zl_quasi where, last;
    zlay_status status = zl_draft_last(d, &last, p->a, p->by.mode);
    if (!status) status = bound(d, p, coordinate, &last);
    zl_quasi_set(&where, (int64_t)p->by.before - 1);
    if (!status) status = zl_quasi_add(&d->w, &where, coordinate, -1);
    if (!status) status = zeros(d, &where);
    where = *coordinate;
    where.constant -= (int64_t)p->by.before + 1;
    if (!status) status = zl_quasi_add(&d->w, &where, &last, -1);
    return status ? status : zeros(d, &where);
}

/* Inside the mode, c - before; repeated, that modulo the extent. */
static zlay_status fill(zl_draft *d, zl_quasi *at, size_t count, const void *env)
{
    const padded *p = env;
    bool dead = false;
    size_t before = d->guards.count;
    zl_quasi *c = &at[p->by.mode], old = *c;
    zlay_status status = p->by.fill == ZLAY_PAD_ZERO ? around(d, p, c) : ZLAY_OK;
    old.constant -= (int64_t)p->by.before;
    if (!status && p->by.fill == ZLAY_PAD_REPEAT)
        status = zl_draft_mod(d, &old, &old, (int64_t)p->extent);
    if (!status && p->extent) status = zl_draft_inside(d, &old, p->extent, &dead);
    *c = old;
    if (!status && !dead) status = zl_draft_apply(d, p->a, at, count);
    d->guards.count = before;
    return status;
}

static zlay_status pad(zlay_ctx *ctx, zlay_layout **out, padded *p)
{
    zl_modes box;
    if (!p->a) return zl_fail(ctx, ZLAY_EINVAL, "the layout is NULL");
    zlay_status status = zl_without_symbols(ctx, p->a);
    if (!status) status = check(ctx, p);
    if (status) return status;
    bool partial = p->a->partial || (p->by.fill == ZLAY_PAD_UNDEFINED && p->all > p->extent);
    zl_filling filling = {p->a, NULL, &box, false, partial, fill, p};
    zl_modes_begin(&box, ctx);
    if (p->all == p->extent) status = zl_layout_box(&box, p->a);
    else status = zl_box_with(&box, p->a, p->by.mode, p->all);
    if (!status) status = zl_fill(ctx, out, &filling);
    zl_modes_end(&box);
    return status;
}

zlay_status zlay_layout_pad(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_pad *by)
{
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    if (!by) return zl_leave(ctx, zl_fail(ctx, ZLAY_EINVAL, "the padding is NULL"));
    padded p = {a, *by, 0, 0};
    return zl_leave(ctx, pad(ctx, out, &p));
}
