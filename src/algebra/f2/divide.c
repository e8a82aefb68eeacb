/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of products: b * c = a has the bits of b below those of c, c * b = a above. */
#include "algebra/f2/f2.h"

typedef struct quotient {
    zl_f2_form f;
    const zl_f2 *a, *b;
    bool left;
} quotient;

static unsigned bits_in(const zl_dim *dim, size_t count, const char *name)
{
    size_t i = zl_dim_find(dim, count, name);
    return i < count ? dim[i].bits : 0;
}

static zlay_status too_small(const quotient *q, const char *what, const char *name)
{
    return zl_fail(q->f.ctx, ZLAY_NONE, "b has more of the %s %s than a", what, name);
}

static zlay_status dims(const quotient *q, const char *what, const zl_dim *a, size_t m,
                        const zl_dim *b, size_t n)
{
    for (size_t i = 0, at = 0, last = 0; i < n; i++, last = at) {
        at = zl_dim_find(a, m, b[i].name);
        if (at == m || a[at].bits < b[i].bits) return too_small(q, what, b[i].name);
        if (at < last)
            return zl_fail(q->f.ctx, ZLAY_NONE, "a has its %ss %s and %s in another order than b",
                           what, b[i - 1].name, b[i].name);
    }
    return ZLAY_OK;
}

static zlay_status shrink(quotient *q)
{
    const zl_f2 *a = q->a, *b = q->b;
    zl_dim dim;
    zlay_status status = dims(q, "input", a->in, a->ins, b->in, b->ins);
    if (!status) status = dims(q, "output", a->out, a->outs, b->out, b->outs);
    for (size_t i = 0; i < a->ins && !status; i++) {
        dim = a->in[i];
        dim.bits -= bits_in(b->in, b->ins, dim.name);
        status = zl_f2_form_in(&q->f, &dim);
    }
    for (size_t i = 0; i < a->outs && !status; i++) {
        dim = a->out[i];
        dim.bits -= bits_in(b->out, b->outs, dim.name);
        status = zl_f2_form_out(&q->f, &dim);
    }
    return status;
}

static zlay_status misfit(const quotient *q, const char *in, unsigned bit, const char *out)
{
    return zl_fail(q->f.ctx, ZLAY_NONE, "the basis of %s %llu in a is not that of a product, at %s",
                   in, 1ull << bit, out);
}

/* A basis of a as its two parts in each output: what the factor b has there, and what c has. */
static zlay_status split(const quotient *q, uint64_t value, bool of_b, uint64_t expected,
                         uint64_t *c, const char **where)
{
    unsigned low_a = 0, low_c = 0;
    *c = 0;
    for (size_t i = 0; i < q->a->outs; i++) {
        const char *name = q->a->out[i].name;
        size_t j = zl_dim_find(q->b->out, q->b->outs, name);
        unsigned bits = q->f.out[i].bits, in_b = q->a->out[i].bits - bits;
        uint64_t part_b = zl_field(value, low_a + (q->left ? 0 : bits), in_b);
        uint64_t part_c = zl_field(value, low_a + (q->left ? in_b : 0), bits);
        uint64_t want = of_b && in_b ? zl_field(expected, zl_dim_low(q->b->out, j), in_b) : 0;
        *where = name;
        if (part_b != want || (of_b && part_c)) return ZLAY_NONE;
        *c |= zl_left(part_c, low_c);
        low_a += q->a->out[i].bits;
        low_c += bits;
    }
    return ZLAY_OK;
}

static zlay_status input(quotient *q, size_t i, unsigned low_a, unsigned low_c)
{
    const zl_dim *in = &q->a->in[i];
    size_t j = zl_dim_find(q->b->in, q->b->ins, in->name);
    unsigned of_c = q->f.in[i].bits, of_b = in->bits - of_c;
    const uint64_t *expected = q->b->basis + (of_b ? zl_dim_low(q->b->in, j) : 0);
    for (unsigned k = 0; k < in->bits; k++) {
        bool in_b = q->left ? k < of_b : k >= of_c;
        uint64_t c, want = in_b ? expected[q->left ? k : k - of_c] : 0;
        const char *where = "";
        if (split(q, q->a->basis[low_a + k], in_b, want, &c, &where))
            return misfit(q, in->name, k, where);
        if (!in_b) q->f.basis[low_c++] = c;
    }
    return ZLAY_OK;
}

static zlay_status make(quotient *q, zlay_layout **out)
{
    unsigned low_a = 0, low_c = 0;
    zlay_status status = shrink(q);
    for (size_t i = 0; i < q->a->ins && !status; i++) {
        status = input(q, i, low_a, low_c);
        low_a += q->a->in[i].bits;
        low_c += q->f.in[i].bits;
    }
    return status ? status : zl_f2_form_end(&q->f, out);
}

static zlay_status divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b, bool left)
{
    quotient q;
    zlay_status status = zl_f2_check(ctx, a, "a", false);
    if (!status) status = zl_f2_check(ctx, b, "b", false);
    if (status) return status;
    zl_f2_form_begin(&q.f, ctx);
    q.a = &a->f2;
    q.b = &b->f2;
    q.left = left;
    return make(&q, out);
}

zlay_status zlay_f2_divide_left(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                const zlay_layout *b)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, divide(ctx, out, a, b, true));
}

zlay_status zlay_f2_divide_right(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                 const zlay_layout *b)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, divide(ctx, out, a, b, false));
}
