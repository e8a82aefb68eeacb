/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of bits applied to forms: an output bit is the sum modulo 2 of the input bits that reach
 * it, and an added output the sum of its bases modulo its size. */
#include "algebra/f2/f2.h"
#include "algebra/presburger/draft.h"

typedef struct bits {
    zl_draft *d;
    const zl_f2 *f2;
    uint64_t constant; /* added to the value, bit by bit */
    zl_quasi *bit, *value; /* one an input bit, one an output */
    size_t count;
} bits;

/* The bits of one form inside [0, 2^count), which past 62 bits holds all that is not negative; the
 * last is what is left. */
static zlay_status split(bits *b, const zl_quasi *form, unsigned count, bool *dead)
{
    zl_quasi rest, quotient;
    uint64_t points = count < 63 ? (uint64_t)1 << count : UINT64_MAX;
    zlay_status status = zl_draft_inside(b->d, form, points, dead);
    zl_quasi_copy(&rest, form);
    for (unsigned k = 0; k < count && !status && !*dead; k++) {
        zl_quasi *out = &b->bit[b->count++];
        zl_quasi_copy(out, &rest);
        if (k + 1 == count) break;
        status = zl_draft_div(b->d, &quotient, &rest, 2);
        if (!status) status = zl_quasi_add(&b->d->w, out, &quotient, -2);
        if (!status) zl_quasi_copy(&rest, &quotient);
    }
    return status;
}

static zlay_status split_all(bits *b, const zl_quasi *at, size_t count, bool *dead)
{
    const zl_f2 *f2 = b->f2;
    zlay_status status = ZLAY_OK;
    if (count == 1 || count != f2->ins) return split(b, at, zl_dim_bits(f2->in, f2->ins), dead);
    for (size_t i = 0; i < count && !status && !*dead; i++)
        status = split(b, &at[i], f2->in[i].bits, dead);
    return status;
}

/* The sum of the inputs of an output bit and of the constant's; where two or more of them may
 * be 1, that sum modulo 2. */
static zlay_status add_bit(bits *b, zl_quasi *value, unsigned flat, unsigned bit)
{
    int64_t one = (int64_t)(b->constant >> flat & 1);
    zl_quasi sum;
    size_t terms = 0;
    zlay_status status = ZLAY_OK;
    zl_quasi_set(&sum, one);
    for (size_t k = 0; k < b->count && !status; k++)
        if (b->f2->basis[k] >> flat & 1) {
            status = zl_quasi_add(&b->d->w, &sum, &b->bit[k], terms || !one ? 1 : -1);
            terms++;
        }
    if (!status && terms > 1) status = zl_draft_mod(b->d, &sum, &sum, 2);
    if (!terms && !one) return status;
    if (!status && bit == 63) status = zl_fail(b->d->w.ctx, ZLAY_EOVERFLOW, "an output of 64 bits");
    return status ? status : zl_quasi_add(&b->d->w, value, &sum, (int64_t)1 << bit);
}

/* An output that adds modulo its size: so many of each input bit, modulo the size. */
static zlay_status add_sum(bits *b, zl_quasi *value, unsigned low, const zl_dim *out)
{
    zlay_status status = ZLAY_OK;
    if (out->size > INT64_MAX) return zl_fail(b->d->w.ctx, ZLAY_EOVERFLOW, "an output of 64 bits");
    for (size_t k = 0; k < b->count && !status; k++) {
        uint64_t times = zl_field(b->f2->basis[k], low, out->bits);
        if (times) status = zl_quasi_add(&b->d->w, value, &b->bit[k], (int64_t)times);
    }
    return status ? status : zl_draft_mod(b->d, value, value, (int64_t)out->size);
}

static zlay_status outputs(bits *b)
{
    const zl_f2 *f2 = b->f2;
    unsigned flat = 0;
    zlay_status status = ZLAY_OK;
    for (size_t j = 0; j < f2->outs && !status; flat += f2->out[j++].bits) {
        zl_quasi_set(&b->value[j], 0);
        if (f2->out[j].size) status = add_sum(b, &b->value[j], flat, &f2->out[j]);
        else
            for (unsigned bit = 0; bit < f2->out[j].bits && !status; bit++)
                status = add_bit(b, &b->value[j], flat + bit, bit);
    }
    return status;
}

static zlay_status walk(bits *b, const zl_quasi *at, size_t count, zl_visit *visit, void *env)
{
    bool dead = false;
    size_t before = b->d->guards.count;
    zlay_status status = split_all(b, at, count, &dead);
    if (!status && !dead) status = outputs(b);
    if (!status && !dead) status = visit(b->d, b->value, env);
    b->d->guards.count = before;
    return status;
}

zlay_status zl_bits_walk(zl_draft *d, const zl_f2 *f2, uint64_t constant, const zl_quasi *at,
                         size_t count, zl_visit *visit, void *env)
{
    zlay_allocator alloc = zl_allocator(d->w.ctx);
    unsigned inputs = zl_dim_bits(f2->in, f2->ins);
    size_t forms = inputs + f2->outs;
    bits b = {.d = d, .f2 = f2, .constant = constant};
    if (!(b.bit = zl_alloc(d->w.ctx, forms, sizeof *b.bit))) return ZLAY_ENOMEM;
    b.value = b.bit + inputs;
    zlay_status status = walk(&b, at, count, visit, env);
    zl_free(&alloc, b.bit, forms * sizeof *b.bit);
    return status;
}
