/* SPDX-License-Identifier: Apache-2.0 */
/* Dimensions taken apart, put together, and in another order; modular layouts are closed under all
 * of it but a change of an output's size. */
#include "algebra/f2/f2.h"

#include <string.h>

/* What an operation reads and writes; `names`, `dims` and `b` as it has them. */
typedef struct shape {
    zl_f2_form f;
    const zl_f2 *a, *b;
    const char *const *names, *const *outs;
    const zlay_dim *dims;
    size_t count, out_count;
} shape;

typedef zlay_status shaper(shape *s);

static zlay_status run(zlay_ctx *ctx, zlay_layout **out, shape *s, const zlay_layout *a,
                       shaper *make, bool modular)
{
    zlay_status status = zl_f2_check(ctx, a, "the layout", modular);
    if (status) return status;
    if (s->count && !s->names && !s->dims)
        return zl_fail(ctx, ZLAY_EINVAL, "the list of dimensions is NULL");
    if (s->out_count && !s->outs) return zl_fail(ctx, ZLAY_EINVAL, "the list of outputs is NULL");
    zl_f2_form_begin(&s->f, ctx);
    s->a = &a->f2;
    status = make(s);
    return status ? status : zl_f2_form_end(&s->f, out);
}

static zlay_status enter_and_run(zlay_ctx *ctx, zlay_layout **out, shape *s, const zlay_layout *a,
                                 shaper *make, bool modular)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, run(ctx, out, s, a, make, modular));
}

static zlay_status run_part(zlay_ctx *ctx, zlay_layout **out, shape *s, const zlay_layout *a,
                            shaper *make)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, run(ctx, out, s, a, make, true));
}

static zlay_status no_dimension(const shape *s, const zl_dim *dim, size_t count, const char *name)
{
    char quoted[256];
    zl_like like = zl_like_begin(name, name ? strlen(name) : 0);
    for (size_t i = 0; i < count; i++) zl_like_offer(&like, dim[i].name);
    return zl_fail(s->f.ctx, ZLAY_EINVAL, "no dimension is called '%s'%s",
                   name ? zl_quote(quoted, name, strlen(name)) : "", like.hint);
}

/* The place of a name, SIZE_MAX with a message where there is none. */
static size_t place(const shape *s, const zl_dim *dim, size_t count, const char *name)
{
    size_t i = name ? zl_dim_find(dim, count, name) : count;
    if (i < count) return i;
    no_dimension(s, dim, count, name);
    return SIZE_MAX;
}

static void copy_bases(shape *s)
{
    memcpy(s->f.basis, s->a->basis, zl_dim_bits(s->a->in, s->a->ins) * sizeof s->f.basis[0]);
}

/* ---- transposes ---------------------------------------------------------------------------- */

static zlay_status count_names(const shape *s, size_t count)
{
    if (s->count == count) return ZLAY_OK;
    return zl_fail(s->f.ctx, ZLAY_EINVAL, "%zu names for %zu dimensions", s->count, count);
}

static zlay_status transpose_ins(shape *s)
{
    zlay_status status = count_names(s, s->a->ins);
    if (!status) status = zl_f2_form_outs(&s->f, s->a);
    for (size_t i = 0; i < s->count && !status; i++) {
        size_t from = place(s, s->a->in, s->a->ins, s->names[i]);
        if (from == SIZE_MAX) return ZLAY_EINVAL;
        unsigned low = s->f.bits;
        status = zl_f2_form_in(&s->f, &s->a->in[from]);
        if (!status)
            memcpy(s->f.basis + low, s->a->basis + zl_dim_low(s->a->in, from),
                   s->a->in[from].bits * sizeof s->f.basis[0]);
    }
    return status;
}

/* The fields of all bases, from the outputs of a to those of the form. */
static zlay_status move_fields(shape *s, const zl_f2 *a)
{
    for (unsigned k = 0; k < s->f.bits; k++) s->f.basis[k] = 0;
    for (size_t i = 0; i < s->f.outs; i++) {
        size_t from = zl_dim_find(a->out, a->outs, s->f.out[i].name);
        unsigned low = zl_dim_low(a->out, from), to = zl_dim_low(s->f.out, i);
        for (unsigned k = 0; k < s->f.bits; k++)
            s->f.basis[k] |= zl_left(zl_field(a->basis[k], low, s->f.out[i].bits), to);
    }
    return ZLAY_OK;
}

static zlay_status transpose_outs(shape *s)
{
    zlay_status status = count_names(s, s->a->outs);
    if (!status) status = zl_f2_form_ins(&s->f, s->a);
    for (size_t i = 0; i < s->count && !status; i++) {
        size_t from = place(s, s->a->out, s->a->outs, s->names[i]);
        if (from == SIZE_MAX) return ZLAY_EINVAL;
        status = zl_f2_form_out(&s->f, &s->a->out[from]);
    }
    return status ? status : move_fields(s, s->a);
}

zlay_status zl_f2_transpose_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const char *const *names, size_t count)
{
    shape s = {.names = names, .count = count};
    return run_part(ctx, out, &s, a, transpose_ins);
}

zlay_status zlay_f2_transpose_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                  const char *const *names, size_t count)
{
    shape s = {.names = names, .count = count};
    return enter_and_run(ctx, out, &s, a, transpose_ins, true);
}

zlay_status zlay_f2_transpose_outs(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                   const char *const *names, size_t count)
{
    shape s = {.names = names, .count = count};
    return enter_and_run(ctx, out, &s, a, transpose_outs, true);
}

/* ---- reshapes ------------------------------------------------------------------------------ */

static zlay_status other_product(const shape *s, unsigned bits, unsigned wanted)
{
    return zl_fail(s->f.ctx, ZLAY_EINVAL, "the sizes have the product 2^%u, not 2^%u", bits,
                   wanted);
}

static zlay_status reshape_ins(shape *s)
{
    zl_dim dim;
    unsigned bits = zl_dim_bits(s->a->in, s->a->ins);
    zlay_status status = zl_f2_form_outs(&s->f, s->a);
    for (size_t i = 0; i < s->count && !status; i++)
        if (!(status = zl_dim_in_of(s->f.ctx, &dim, &s->dims[i])))
            status = zl_f2_form_in(&s->f, &dim);
    if (!status && s->f.bits != bits) status = other_product(s, s->f.bits, bits);
    if (!status) copy_bases(s);
    return status;
}

/* Packed values are flat here, so only their fields are cut anew. */
static zlay_status reshape_outs(shape *s)
{
    zl_dim dim;
    unsigned bits = zl_dim_bits(s->a->out, s->a->outs);
    zlay_status status = zl_f2_form_ins(&s->f, s->a);
    for (size_t i = 0; i < s->count && !status; i++)
        if (!(status = zl_dim_in_of(s->f.ctx, &dim, &s->dims[i])))
            status = zl_f2_form_out(&s->f, &dim);
    if (!status && s->f.reach != bits) status = other_product(s, s->f.reach, bits);
    if (!status) copy_bases(s);
    return status;
}

zlay_status zlay_f2_reshape_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_dim *dims, size_t count)
{
    shape s = {.dims = dims, .count = count};
    return enter_and_run(ctx, out, &s, a, reshape_ins, false);
}

zlay_status zlay_f2_reshape_outs(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const zlay_dim *dims, size_t count)
{
    shape s = {.dims = dims, .count = count};
    return enter_and_run(ctx, out, &s, a, reshape_outs, false);
}

/* ---- concatenation ------------------------------------------------------------------------- */

static zlay_status same_dims(const shape *s, const zl_dim *a, size_t m, const zl_dim *b, size_t n,
                             const char *what)
{
    if (m != n) return zl_fail(s->f.ctx, ZLAY_EINVAL, "%zu %ss and %zu", m, what, n);
    for (size_t i = 0; i < m; i++)
        if (strcmp(a[i].name, b[i].name) || a[i].bits != b[i].bits || a[i].size != b[i].size)
            return zl_fail(s->f.ctx, ZLAY_EINVAL, "the %ss %s and %s differ in name or size", what,
                           a[i].name, b[i].name);
    return ZLAY_OK;
}

static zlay_status concat_ins(shape *s)
{
    unsigned bits = zl_dim_bits(s->a->in, s->a->ins);
    zlay_status status = same_dims(s, s->a->out, s->a->outs, s->b->out, s->b->outs, "output");
    if (!status) status = zl_f2_form_outs(&s->f, s->a);
    if (!status) status = zl_f2_form_ins(&s->f, s->a);
    if (!status) status = zl_f2_form_ins(&s->f, s->b);
    if (status) return status;
    copy_bases(s);
    memcpy(s->f.basis + bits, s->b->basis, (s->f.bits - bits) * sizeof s->f.basis[0]);
    return ZLAY_OK;
}

static zlay_status concat_outs(shape *s)
{
    unsigned reach = zl_dim_bits(s->a->out, s->a->outs);
    zlay_status status = same_dims(s, s->a->in, s->a->ins, s->b->in, s->b->ins, "input");
    if (!status) status = zl_f2_form_ins(&s->f, s->a);
    if (!status) status = zl_f2_form_outs(&s->f, s->a);
    if (!status) status = zl_f2_form_outs(&s->f, s->b);
    for (unsigned k = 0; k < s->f.bits && !status; k++)
        s->f.basis[k] = s->a->basis[k] | zl_left(s->b->basis[k], reach);
    return status;
}

static zlay_status concat(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b, shaper *make)
{
    shape s = {.count = 0};
    zlay_status status = zl_enter_layout(ctx, out);
    if (status) return status;
    if (!(status = zl_f2_check(ctx, b, "b", true))) {
        s.b = &b->f2;
        status = run(ctx, out, &s, a, make, true);
    }
    return zl_leave(ctx, status);
}

zlay_status zlay_f2_concat_ins(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                               const zlay_layout *b)
{
    return concat(ctx, out, a, b, concat_ins);
}

zlay_status zlay_f2_concat_outs(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    return concat(ctx, out, a, b, concat_outs);
}

/* ---- parts --------------------------------------------------------------------------------- */

static bool listed(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, names[i])) return true;
    return false;
}

static zlay_status all_there(const shape *s, const zl_dim *dim, size_t n, const char *const *names,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (place(s, dim, n, names[i]) == SIZE_MAX) return ZLAY_EINVAL;
        if (listed(names[i], names, i))
            return zl_fail(s->f.ctx, ZLAY_EINVAL, "%s stands there twice", names[i]);
    }
    return ZLAY_OK;
}

/* Inputs and outputs whose names are in the lists, or, with `without`, in neither. */
static zlay_status keep(shape *s, bool without)
{
    uint64_t kept[64];
    unsigned low = 0, bits = 0;
    zl_f2 part = *s->a;
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < s->a->ins && !status; low += s->a->in[i++].bits) {
        if (listed(s->a->in[i].name, s->names, s->count) == without) continue;
        status = zl_f2_form_in(&s->f, &s->a->in[i]);
        memcpy(kept + bits, s->a->basis + low, s->a->in[i].bits * sizeof kept[0]);
        bits += s->a->in[i].bits;
    }
    for (size_t i = 0; i < s->a->outs && !status; i++)
        if (listed(s->a->out[i].name, s->outs, s->out_count) != without)
            status = zl_f2_form_out(&s->f, &s->a->out[i]);
    part.basis = kept;
    return status ? status : move_fields(s, &part);
}

static zlay_status sublayout(shape *s)
{
    zlay_status status = all_there(s, s->a->in, s->a->ins, s->names, s->count);
    if (!status) status = all_there(s, s->a->out, s->a->outs, s->outs, s->out_count);
    return status ? status : keep(s, false);
}

zlay_status zl_f2_sublayout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const char *const *ins, size_t in_count, const char *const *outs,
                            size_t out_count)
{
    shape s = {.names = ins, .count = in_count, .outs = outs, .out_count = out_count};
    return run_part(ctx, out, &s, a, sublayout);
}

zlay_status zlay_f2_sublayout(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const char *const *ins, size_t in_count, const char *const *outs,
                              size_t out_count)
{
    shape s = {.names = ins, .count = in_count, .outs = outs, .out_count = out_count};
    return enter_and_run(ctx, out, &s, a, sublayout, true);
}

/* A bit of a named input is the same bit of the output of that name; no other bit reaches it. */
static zlay_status trivial(const shape *s, size_t i, size_t j)
{
    unsigned in = zl_dim_low(s->a->in, i), out = zl_dim_low(s->a->out, j);
    unsigned bits = zl_dim_bits(s->a->in, s->a->ins), size = s->a->in[i].bits;
    uint64_t field = zl_left(zl_ones(s->a->out[j].bits), out);
    if (s->a->out[j].bits != size || s->a->out[j].size)
        return zl_fail(s->f.ctx, ZLAY_NONE, "%s has one size as input and another as output",
                       s->a->in[i].name);
    for (unsigned k = 0; k < bits; k++) {
        bool own = k >= in && k < in + size;
        uint64_t wanted = own ? (uint64_t)1 << (out + k - in) : 0;
        if (own ? s->a->basis[k] != wanted : s->a->basis[k] & field)
            return zl_f2_none(s->f.ctx, s->a, s->a->basis[k],
                              "the layout is not the identity on %s alone: index %llu has",
                              s->a->in[i].name, 1ull << k);
    }
    return ZLAY_OK;
}

static zlay_status quotient(shape *s)
{
    zlay_status status = ZLAY_OK;
    for (size_t n = 0; n < s->count && !status; n++) {
        size_t i = place(s, s->a->in, s->a->ins, s->names[n]);
        size_t j = place(s, s->a->out, s->a->outs, s->names[n]);
        if (i == SIZE_MAX || j == SIZE_MAX) return ZLAY_NONE;
        status = trivial(s, i, j);
    }
    s->outs = s->names;
    s->out_count = s->count;
    return status ? status : keep(s, true);
}

zlay_status zlay_f2_quotient(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const char *const *names, size_t count)
{
    shape s = {.names = names, .count = count};
    return enter_and_run(ctx, out, &s, a, quotient, true);
}
