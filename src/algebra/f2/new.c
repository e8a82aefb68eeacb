/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts from arrays, and back. */
#include "algebra/f2/f2.h"

#include <string.h>

static zlay_status pack(zl_f2_form *f, const uint64_t *row, unsigned k)
{
    unsigned low = 0;
    f->basis[k] = 0;
    for (size_t i = 0; i < f->outs; low += f->out[i++].bits) {
        const zl_dim *out = &f->out[i];
        if (row[i] & ~zl_ones(out->bits) || (out->size && row[i] >= out->size))
            return zl_fail(f->ctx, ZLAY_EINVAL, "basis %u: %llu is not below the size of %s", k,
                           (unsigned long long)row[i], out->name);
        f->basis[k] |= zl_left(row[i], low);
    }
    return ZLAY_OK;
}

static zlay_status dims(zl_f2_form *f, const zlay_f2_bases *b)
{
    zl_dim dim;
    zlay_status status = ZLAY_OK;
    if ((b->ins && !b->in) || (b->outs && !b->out))
        return zl_fail(f->ctx, ZLAY_EINVAL, "a list of dimensions is NULL");
    for (size_t i = 0; i < b->ins && !status; i++)
        if (!(status = zl_dim_in_of(f->ctx, &dim, &b->in[i]))) status = zl_f2_form_in(f, &dim);
    for (size_t i = 0; i < b->outs && !status; i++)
        if (!(status = zl_dim_of(f->ctx, &dim, &b->out[i]))) status = zl_f2_form_out(f, &dim);
    return status;
}

static zlay_status from_bases(zl_f2_form *f, zlay_layout **out, const zlay_f2_bases *b)
{
    if (!b || b->size != sizeof *b || b->reserved)
        return zl_fail(f->ctx, ZLAY_EINVAL, "bases: NULL, another size, or a reserved word not 0");
    zlay_status status = dims(f, b);
    if (!status && f->bits && f->outs && !b->basis)
        return zl_fail(f->ctx, ZLAY_EINVAL, "the bases are NULL");
    for (unsigned k = 0; k < f->bits && !status; k++) status = pack(f, b->basis + k * f->outs, k);
    return status ? status : zl_f2_form_end(f, out);
}

zlay_status zl_f2_new(zlay_ctx *ctx, zlay_layout **out, const zlay_f2_bases *bases)
{
    zl_f2_form f;
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    zl_f2_form_begin(&f, ctx);
    return zl_leave_part(ctx, mark, from_bases(&f, out, bases));
}

zlay_status zlay_f2_new(zlay_ctx *ctx, zlay_layout **out, const zlay_f2_bases *bases)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, zl_f2_new(ctx, out, bases));
}

static zlay_status strided(zl_f2_form *f, zlay_layout **out, const zl_dim *in, const zl_dim *to,
                           uint64_t stride)
{
    unsigned shift = stride ? (unsigned)__builtin_ctzll(stride) : 0;
    if (stride & (stride - 1))
        return zl_fail(f->ctx, ZLAY_EINVAL, "the stride %llu is neither 0 nor a power of two",
                       (unsigned long long)stride);
    if (stride && in->bits && in->bits + shift > to->bits)
        return zl_fail(f->ctx, ZLAY_EINVAL, "basis %u is not below the size of %s",
                       to->bits > shift ? to->bits - shift : 0, to->name);
    zlay_status status = zl_f2_form_in(f, in);
    if (!status) status = zl_f2_form_out(f, to);
    for (unsigned k = 0; k < f->bits; k++) f->basis[k] = stride ? (uint64_t)1 << (k + shift) : 0;
    return status ? status : zl_f2_form_end(f, out);
}

zlay_status zlay_f2_strided(zlay_ctx *ctx, zlay_layout **out, const zlay_dim *in,
                            const zlay_dim *to, uint64_t stride)
{
    zl_f2_form f;
    zl_dim from, onto;
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    zl_f2_form_begin(&f, ctx);
    status = zl_dim_in_of(ctx, &from, in);
    if (!status) status = zl_dim_in_of(ctx, &onto, to);
    if (!status) status = strided(&f, out, &from, &onto, stride);
    return zl_leave(ctx, status);
}

/* ---- back ---------------------------------------------------------------------------------- */

static const zl_f2 *of(const zlay_layout *layout)
{
    int32_t kind = zlay_layout_kind(layout);
    return kind == ZLAY_LAYOUT_F2 || kind == ZLAY_LAYOUT_MODULAR ? &layout->f2 : NULL;
}

size_t zlay_f2_in_count(const zlay_layout *layout)
{
    return of(layout) ? layout->f2.ins : 0;
}

static void tell(zlay_dim *out, const zl_dim *dim)
{
    memset(out, 0, sizeof *out);
    memcpy(out->name, dim->name, sizeof dim->name);
    out->size = dim->size ? dim->size : zl_left(1, dim->bits);
}

zlay_status zlay_f2_in_nth(zlay_dim *out, const zlay_layout *layout, size_t i)
{
    if (!out || i >= zlay_f2_in_count(layout)) return ZLAY_EINVAL;
    tell(out, &layout->f2.in[i]);
    return ZLAY_OK;
}

zlay_status zlay_f2_out_nth(zlay_dim *out, const zlay_layout *layout, size_t i)
{
    if (!out || !of(layout) || i >= layout->f2.outs) return ZLAY_EINVAL;
    tell(out, &layout->f2.out[i]);
    return ZLAY_OK;
}

uint32_t zlay_f2_bits(const zlay_layout *layout)
{
    return of(layout) ? zl_dim_bits(layout->f2.in, layout->f2.ins) : 0;
}

zlay_status zlay_f2_basis(uint64_t *values, size_t room, const zlay_layout *layout, uint32_t bit)
{
    const zl_f2 *a = of(layout);
    unsigned low = 0;
    if (bit >= zlay_f2_bits(layout) || room < a->outs || (!values && a->outs)) return ZLAY_EINVAL;
    for (size_t i = 0; i < a->outs; low += a->out[i++].bits)
        values[i] = zl_field(a->basis[bit], low, a->out[i].bits);
    return ZLAY_OK;
}
