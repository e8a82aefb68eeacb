/* SPDX-License-Identifier: Apache-2.0 */
/* a(X(x)) = b(x) over F2, and the inverses that are such equations. */
#include "algebra/f2/f2.h"

#include <string.h>

/* The columns of a in the order of their elimination, and the right-hand sides in a's outputs. */
typedef struct system {
    zlay_ctx *ctx;
    const zl_f2 *a, *b;
    const char *a_name, *b_name;
    uint64_t kept; /* bits of b that go to themselves: `to` has where */
    uint64_t last; /* columns of a that are taken only where the others do not do */
    unsigned b_bits, a_bits;
    uint64_t side[64], to[64];
} system;

static zlay_status not_reached(const system *s, unsigned k)
{
    return zl_f2_none(s->ctx, s->b, s->b->basis[k], "index %llu of %s has what %s does not reach:",
                      1ull << k, s->b_name, s->a_name);
}

static zlay_status sides(system *s)
{
    zl_dim_order order;
    zlay_status status = zl_order_of(s->ctx, &order, s->b->out, s->b->outs, s->a->out, s->a->outs);
    s->a_bits = zl_dim_bits(s->a->in, s->a->ins);
    s->b_bits = zl_dim_bits(s->b->in, s->b->ins);
    for (unsigned k = 0; k < s->b_bits && !status; k++)
        if (!zl_order_apply(&order, s->b->basis[k], &s->side[k])) status = not_reached(s, k);
    return status;
}

static void put_columns(const system *s, zl_echelon *e, bool last)
{
    for (unsigned k = 0; k < s->a_bits; k++)
        if ((s->last >> k & 1) == last) zl_echelon_put(e, s->a->basis[k], k);
}

static zlay_status solve(system *s)
{
    zl_echelon e;
    e.pivots = 0;
    put_columns(s, &e, false);
    put_columns(s, &e, true);
    for (unsigned k = 0; k < s->b_bits; k++) {
        if (s->kept >> k & 1) continue;
        if (zl_echelon_reduce(&e, s->side[k], &s->to[k])) return not_reached(s, k);
    }
    return ZLAY_OK;
}

static zlay_status end(const system *s, zlay_layout **out)
{
    zl_f2_form f;
    zl_f2_form_begin(&f, s->ctx);
    zlay_status status = zl_f2_form_ins(&f, s->b);
    for (size_t i = 0; i < s->a->ins && !status; i++) status = zl_f2_form_out(&f, &s->a->in[i]);
    memcpy(f.basis, s->to, s->b_bits * sizeof s->to[0]);
    return status ? status : zl_f2_form_end(&f, out);
}

/* ---- inputs that go to themselves -------------------------------------------------- */

static bool agrees(const system *s, size_t i, size_t j, unsigned low_a, unsigned low_b)
{
    unsigned bits = s->b->in[j].bits;
    return s->a->in[i].bits == bits &&
           !memcmp(s->a->basis + low_a, s->side + low_b, bits * sizeof s->side[0]);
}

static void keep(system *s, unsigned bits, unsigned low_a, unsigned low_b)
{
    for (unsigned k = 0; k < bits; k++) s->to[low_b + k] = (uint64_t)1 << (low_a + k);
    s->kept |= zl_left(zl_ones(bits), low_b);
    s->last |= zl_left(zl_ones(bits), low_a);
}

static void keep_inputs(system *s)
{
    unsigned low_b = 0;
    for (size_t j = 0; j < s->b->ins; low_b += s->b->in[j++].bits) {
        size_t i = zl_dim_find(s->a->in, s->a->ins, s->b->in[j].name);
        if (i == s->a->ins) continue;
        unsigned low_a = zl_dim_low(s->a->in, i);
        if (agrees(s, i, j, low_a, low_b)) keep(s, s->b->in[j].bits, low_a, low_b);
    }
}

static zlay_status run(system *s, zlay_layout **out, bool keeps)
{
    zlay_status status = sides(s);
    if (!status && keeps) keep_inputs(s);
    if (!status) status = solve(s);
    return status ? status : end(s, out);
}

/* ---- equations ------------------------------------------------------------------------ */

static void system_of(system *s, zlay_ctx *ctx, const zl_f2 *a, const zl_f2 *b)
{
    s->ctx = ctx;
    s->a = a;
    s->b = b;
    s->a_name = "a";
    s->b_name = "b";
    s->kept = s->last = 0;
}

static zlay_status lstsq(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                         const zlay_layout *b)
{
    system s;
    zlay_status status = zl_f2_check(ctx, a, "a", false);
    if (!status) status = zl_f2_check(ctx, b, "b", false);
    if (status) return status;
    system_of(&s, ctx, &a->f2, &b->f2);
    return run(&s, out, false);
}

zlay_status zl_f2_lstsq(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                        const zlay_layout *b)
{
    zl_mark mark = zl_enter_part(ctx);
    *out = NULL;
    return zl_leave_part(ctx, mark, lstsq(ctx, out, a, b));
}

zlay_status zlay_f2_lstsq(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, lstsq(ctx, out, a, b));
}

static zlay_status inverse_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *self,
                                       const zlay_layout *outer)
{
    system s;
    zlay_status status = zl_f2_check(ctx, self, "this", false);
    if (!status) status = zl_f2_check(ctx, outer, "outer", false);
    if (status) return status;
    system_of(&s, ctx, &outer->f2, &self->f2);
    s.a_name = "outer";
    s.b_name = "this";
    return run(&s, out, true);
}

zlay_status zlay_f2_inverse_composition(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *outer,
                                        const zlay_layout *self)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, inverse_composition(ctx, out, self, outer));
}

/* ---- inverses --------------------------------------------------------------------------- */

/* The least value that a subspace lacks is a power of two: any other is the XOR of smaller ones. */
static zlay_status check_onto(zlay_ctx *ctx, const zl_f2 *a)
{
    zl_echelon e;
    uint64_t from;
    zl_echelon_of(&e, a);
    unsigned reach = zl_dim_bits(a->out, a->outs);
    for (unsigned k = 0; k < reach; k++)
        if (zl_echelon_reduce(&e, (uint64_t)1 << k, &from))
            return zl_f2_none(ctx, a, (uint64_t)1 << k, "not reached:");
    return ZLAY_OK;
}

/* The least index besides 0 of value 0: the first free bit, and what it depends on. */
static zlay_status check_one_to_one(zlay_ctx *ctx, const zl_f2 *a)
{
    zl_echelon e;
    uint64_t from, unused = zl_echelon_of(&e, a);
    if (!unused) return ZLAY_OK;
    unsigned k = (unsigned)__builtin_ctzll(unused);
    zl_echelon_reduce(&e, a->basis[k], &from);
    return zl_fail(ctx, ZLAY_NONE, "indices 0 and %llu have one value, 0",
                   (unsigned long long)(from | (uint64_t)1 << k));
}

/* Triton's: the identity on the outputs, by inverse_composition, names and all. */
static zlay_status right_inverse(zlay_ctx *ctx, zlay_layout **out, const zl_f2 *a)
{
    system s;
    uint64_t unit[64];
    for (unsigned k = 0; k < 64; k++) unit[k] = (uint64_t)1 << k;
    zl_f2 identity = {a->outs, a->outs, a->out, a->out, unit};
    system_of(&s, ctx, a, &identity);
    return run(&s, out, true);
}

/* One to one between as many bits is onto. */
static zlay_status pseudoinvert(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, bool exact)
{
    zlay_status status = zl_f2_check(ctx, a, "the layout", false);
    if (!status && exact) status = check_one_to_one(ctx, &a->f2);
    if (status) return status;
    bool square = zl_dim_bits(a->f2.in, a->f2.ins) == zl_dim_bits(a->f2.out, a->f2.outs);
    if (!exact || !square) status = check_onto(ctx, &a->f2);
    return status ? status : right_inverse(ctx, out, &a->f2);
}

zlay_status zlay_f2_invert(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, pseudoinvert(ctx, out, a, true));
}

zlay_status zlay_f2_pseudoinvert(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    zlay_status status = zl_enter_layout(ctx, out);
    return status ? status : zl_leave(ctx, pseudoinvert(ctx, out, a, false));
}
