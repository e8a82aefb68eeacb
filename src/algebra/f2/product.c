/* SPDX-License-Identifier: Apache-2.0 */
/* Products: dimensions of one name are joined, those of the inner factor minor. */
#include "algebra/f2/f2.h"

typedef struct product {
    zl_f2_form f;
    const zl_f2 *inner, *outer;
    uint64_t from_outer; /* bits of the index */
} product;

/* ---- dimensions of both in one order ---------------------------------------------------- */

typedef zlay_status joiner(product *p, const zl_dim *a, const zl_dim *b);

static zlay_status crossed(zlay_ctx *ctx, const zl_dim *a, const zl_dim *b)
{
    return zl_fail(ctx, ZLAY_EINVAL, "%s and %s stand in one order in one factor and in the other "
                   "in the other", a->name, b->name);
}

static zlay_status merge(product *p, const zl_dim *a, size_t m, const zl_dim *b, size_t n,
                         joiner *join)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0, j = 0; (i < m || j < n) && !status;) {
        size_t in_b = i < m ? zl_dim_find(b, n, a[i].name) : 0;
        size_t in_a = j < n ? zl_dim_find(a, m, b[j].name) : 0;
        if (i < m && in_b == n) status = join(p, &a[i++], NULL);
        else if (j < n && in_a == m) status = join(p, NULL, &b[j++]);
        else if (in_b != j) status = crossed(p->f.ctx, &a[i], &b[j]);
        else status = join(p, &a[i++], &b[j++]);
    }
    return status;
}

static zlay_status join_in(product *p, const zl_dim *a, const zl_dim *b)
{
    zl_dim dim = a ? *a : *b;
    unsigned low = p->f.bits + (a ? a->bits : 0);
    if (a && b) dim.bits += b->bits;
    zlay_status status = zl_f2_form_in(&p->f, &dim);
    if (!status && b) p->from_outer |= zl_left(zl_ones(b->bits), low);
    return status;
}

static zlay_status join_out(product *p, const zl_dim *a, const zl_dim *b)
{
    zl_dim dim = a ? *a : *b;
    uint64_t size;
    if (!a || !b) return zl_f2_form_out(&p->f, &dim);
    if (!a->size && !b->size) {
        dim.bits += b->bits;
        return zl_f2_form_out(&p->f, &dim);
    }
    if (!zl_dim_size(a) || !zl_dim_size(b) || !zl_umul(zl_dim_size(a), zl_dim_size(b), &size))
        return zl_fail(p->f.ctx, ZLAY_EOVERFLOW, "the size of %s does not fit 64 bits", a->name);
    zl_dim_sized(&dim, size);
    return zl_f2_form_out(&p->f, &dim);
}

/* ---- bases ------------------------------------------------------------------------------- */

/* A value of one factor among the outputs of the product; above what the inner factor has there. */
static uint64_t place(const product *p, bool major, uint64_t value)
{
    const zl_f2 *factor = major ? p->outer : p->inner;
    uint64_t result = 0;
    unsigned low = 0, at;
    for (size_t i = 0; i < factor->outs; low += factor->out[i++].bits) {
        const char *name = factor->out[i].name;
        size_t j = zl_dim_find(p->inner->out, p->inner->outs, name);
        uint64_t field = zl_field(value, low, factor->out[i].bits);
        if (major && j < p->inner->outs) field *= zl_dim_size(&p->inner->out[j]);
        at = zl_dim_low(p->f.out, zl_dim_find(p->f.out, p->f.outs, name));
        result |= zl_left(field, at);
    }
    return result;
}

static const uint64_t *bases_of(const zl_f2 *factor, const char *name)
{
    size_t i = zl_dim_find(factor->in, factor->ins, name);
    return factor->basis + (i < factor->ins ? zl_dim_low(factor->in, i) : 0);
}

static void write_bases(product *p)
{
    unsigned k = 0;
    for (size_t i = 0; i < p->f.ins; i++) {
        const uint64_t *inner = bases_of(p->inner, p->f.in[i].name);
        const uint64_t *outer = bases_of(p->outer, p->f.in[i].name);
        for (unsigned b = 0; b < p->f.in[i].bits; b++, k++) {
            bool major = p->from_outer >> k & 1;
            p->f.basis[k] = place(p, major, major ? *outer++ : *inner++);
        }
    }
}

/* ---- where sizes are no powers of two: is it still a sum of bases? -------------------------
 *
 * With a of n points below b of m >= 2, a(x) + n b(y) is a sum of bases modulo n m exactly when a
 * never wraps: a sum of bases below n grows by less than n, so the first that wraps differs by n.
 * Where a adds by XOR, no two of its bases share a bit; where b does and n m is no power of two,
 * two bases share its highest bit at most, for twice what they share has to be 0 modulo m. */

static zlay_status no_sum(const product *p, size_t out, uint64_t i, uint64_t j)
{
    return zl_fail(p->f.ctx, ZLAY_NONE,
                   "%s: value(%llu + %llu) is not value(%llu) + value(%llu) modulo %llu",
                   p->f.out[out].name, (unsigned long long)i, (unsigned long long)j,
                   (unsigned long long)i, (unsigned long long)j,
                   (unsigned long long)zl_dim_size(&p->f.out[out]));
}

static uint64_t at(const product *p, size_t out, unsigned k)
{
    return zl_field(p->f.basis[k], zl_dim_low(p->f.out, out), p->f.out[out].bits);
}

static zlay_status no_wrap(const product *p, size_t out, uint64_t size)
{
    uint64_t sum = 0, index = 0;
    for (unsigned k = 0; k < p->f.bits; k++) {
        uint64_t field = at(p, out, k);
        if (p->from_outer >> k & 1 || !field) continue;
        if (field >= size - sum) return no_sum(p, out, index, (uint64_t)1 << k);
        sum += field;
        index |= (uint64_t)1 << k;
    }
    return ZLAY_OK;
}

static zlay_status share(const product *p, size_t out, bool major, uint64_t step, uint64_t allowed)
{
    for (unsigned k = 0; k < p->f.bits; k++)
        for (unsigned i = 0; i < k; i++) {
            bool both = (p->from_outer >> k & 1) == major && (p->from_outer >> i & 1) == major;
            if (both && at(p, out, k) / step & at(p, out, i) / step & ~allowed)
                return no_sum(p, out, (uint64_t)1 << i, (uint64_t)1 << k);
        }
    return ZLAY_OK;
}

static zlay_status check_output(const product *p, size_t out)
{
    const zl_f2 *a = p->inner, *b = p->outer;
    size_t i = zl_dim_find(a->out, a->outs, p->f.out[out].name);
    size_t j = zl_dim_find(b->out, b->outs, p->f.out[out].name);
    if (!p->f.out[out].size || i == a->outs || j == b->outs) return ZLAY_OK;
    uint64_t n = zl_dim_size(&a->out[i]), m = zl_dim_size(&b->out[j]);
    if (n == 1 || m == 1) return ZLAY_OK;
    zlay_status status = a->out[i].size ? no_wrap(p, out, n) : share(p, out, false, 1, 0);
    if (status || b->out[j].size) return status;
    return share(p, out, true, n, m >> 1);
}

/* ---- the operation ------------------------------------------------------------------------- */

static zlay_status make(product *p, zlay_layout **out)
{
    const zl_f2 *a = p->inner, *b = p->outer;
    zlay_status status = merge(p, a->in, a->ins, b->in, b->ins, join_in);
    if (!status) status = merge(p, a->out, a->outs, b->out, b->outs, join_out);
    if (status) return status;
    write_bases(p);
    for (size_t i = 0; i < p->f.outs && !status; i++) status = check_output(p, i);
    return status ? status : zl_f2_form_end(&p->f, out);
}

static zlay_status checked(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *inner,
                           const zlay_layout *outer)
{
    product p;
    zlay_status status = zl_f2_check(ctx, inner, "inner", true);
    if (!status) status = zl_f2_check(ctx, outer, "outer", true);
    if (status) return status;
    zl_f2_form_begin(&p.f, ctx);
    p.inner = &inner->f2;
    p.outer = &outer->f2;
    p.from_outer = 0;
    return make(&p, out);
}

zlay_status zlay_f2_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *inner,
                            const zlay_layout *outer)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, checked(ctx, out, inner, outer));
}
