/* SPDX-License-Identifier: Apache-2.0 */
/* One dimension of another size or name. */
#include "algebra/f2/f2.h"

#include <string.h>

typedef struct change {
    zl_f2_form f;
    const zl_f2 *a;
    size_t at;
    zl_dim dim; /* what stands there */
} change;

static zlay_status find(zlay_ctx *ctx, size_t *at, const zl_dim *dim, size_t count,
                        const char *name)
{
    char quoted[256];
    *at = name ? zl_dim_find(dim, count, name) : count;
    if (*at < count) return ZLAY_OK;
    zl_like like = zl_like_begin(name, name ? strlen(name) : 0);
    for (size_t i = 0; i < count; i++) zl_like_offer(&like, dim[i].name);
    return zl_fail(ctx, ZLAY_EINVAL, "no dimension is called '%s'%s",
                   name ? zl_quote(quoted, name, strlen(name)) : "", like.hint);
}

static zlay_status replace(change *c, bool input)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < c->a->ins && !status; i++)
        status = zl_f2_form_in(&c->f, input && i == c->at ? &c->dim : &c->a->in[i]);
    for (size_t i = 0; i < c->a->outs && !status; i++)
        status = zl_f2_form_out(&c->f, !input && i == c->at ? &c->dim : &c->a->out[i]);
    return status;
}

/* The bases of input `at` as far as it has bits now; what is new is 0. */
static void refill_in(change *c)
{
    unsigned low = zl_dim_low(c->a->in, c->at), old = c->a->in[c->at].bits, now = c->dim.bits;
    unsigned rest = zl_dim_bits(c->a->in, c->a->ins) - low - old;
    const uint64_t *from = c->a->basis;
    memcpy(c->f.basis, from, low * sizeof *from);
    for (unsigned k = 0; k < now; k++) c->f.basis[low + k] = k < old ? from[low + k] : 0;
    memcpy(c->f.basis + low + now, from + low + old, rest * sizeof *from);
}

static void refill_out(change *c)
{
    unsigned low = zl_dim_low(c->a->out, c->at), old = c->a->out[c->at].bits, now = c->dim.bits;
    for (unsigned k = 0; k < c->f.bits; k++) {
        uint64_t value = c->a->basis[k], field = zl_field(value, low, old);
        if (field & ~zl_ones(now)) field = 0;
        c->f.basis[k] = (value & zl_ones(low)) | zl_left(field, low) |
                        zl_left(zl_right(value, low + old), low + now);
    }
}

/* ---- the operations --------------------------------------------------------------------- */

static zlay_status begin(change *c, zlay_ctx *ctx, const zlay_layout *a, bool modular)
{
    zlay_status status = zl_f2_check(ctx, a, "the layout", modular);
    if (status) return status;
    zl_f2_form_begin(&c->f, ctx);
    c->a = &a->f2;
    return ZLAY_OK;
}

static zlay_status resize(change *c, zlay_layout **out, const zlay_dim *dim, bool input)
{
    const zl_dim *old = input ? c->a->in : c->a->out;
    zlay_status status = zl_dim_in_of(c->f.ctx, &c->dim, dim);
    if (!status)
        status = find(c->f.ctx, &c->at, old, input ? c->a->ins : c->a->outs, c->dim.name);
    if (!status) status = replace(c, input);
    if (status) return status;
    if (input) refill_in(c);
    else refill_out(c);
    return zl_f2_form_end(&c->f, out);
}

static zlay_status resize_call(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_dim *dim, bool input)
{
    change c;
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    status = begin(&c, ctx, a, input);
    return zl_leave(ctx, status ? status : resize(&c, out, dim, input));
}

zlay_status zlay_f2_resize_in(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_dim *dim)
{
    return resize_call(ctx, out, a, dim, true);
}

zlay_status zlay_f2_resize_out(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_dim *dim)
{
    return resize_call(ctx, out, a, dim, false);
}

static zlay_status rename_dim(change *c, zlay_layout **out, const char *name, const char *by,
                              bool input)
{
    zlay_dim named = {.size = 1};
    zl_dim checked;
    const zl_dim *old = input ? c->a->in : c->a->out;
    zlay_status status = find(c->f.ctx, &c->at, old, input ? c->a->ins : c->a->outs, name);
    size_t length = by ? strlen(by) : 0;
    if (by) memcpy(named.name, by, length < sizeof named.name ? length : sizeof named.name);
    if (!status) status = zl_dim_of(c->f.ctx, &checked, &named);
    if (status) return status;
    c->dim = old[c->at];
    memcpy(c->dim.name, checked.name, sizeof checked.name);
    if ((status = replace(c, input))) return status;
    memcpy(c->f.basis, c->a->basis, c->f.bits * sizeof c->f.basis[0]);
    return zl_f2_form_end(&c->f, out);
}

static zlay_status rename_call(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const char *name, const char *by, bool input)
{
    change c;
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    status = begin(&c, ctx, a, true);
    return zl_leave(ctx, status ? status : rename_dim(&c, out, name, by, input));
}

zlay_status zlay_f2_rename_in(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const char *name, const char *by)
{
    return rename_call(ctx, out, a, name, by, true);
}

zlay_status zlay_f2_rename_out(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const char *name, const char *by)
{
    return rename_call(ctx, out, a, name, by, false);
}

static zlay_status remove_zeros(change *c, zlay_layout **out, const char *name)
{
    unsigned bits = zl_dim_bits(c->a->in, c->a->ins), low, kept = 0;
    zlay_status status = find(c->f.ctx, &c->at, c->a->in, c->a->ins, name);
    if (status) return status;
    low = zl_dim_low(c->a->in, c->at);
    c->dim = c->a->in[c->at];
    for (unsigned k = 0; k < bits; k++) {
        bool own = k >= low && k < low + c->a->in[c->at].bits;
        if (own && !c->a->basis[k]) c->dim.bits--;
        else c->f.basis[kept++] = c->a->basis[k];
    }
    status = replace(c, true);
    return status ? status : zl_f2_form_end(&c->f, out);
}

zlay_status zlay_f2_remove_zero_bases(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      const char *name)
{
    change c;
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    status = begin(&c, ctx, a, true);
    return zl_leave(ctx, status ? status : remove_zeros(&c, out, name));
}
