/* SPDX-License-Identifier: Apache-2.0 */
/* Fewest selects around shuffles of a bijection.
 *
 * Slot (x, l) reads register P x + Q l of lane D x + T l.  Behind the shuffles it takes register
 * m = x + B l, with as many selects a word as B has rank; before them the sender takes from
 * (P .. ) m + (Q + P B) T'^-1 l', with as many as Q + P B has rank, and T' = T + D B must be
 * invertible, for every lane receives.  B is a sum of terms u v, a register times a functional of
 * threads: a term adds C(u) to the columns that v names.  Each term has to take a dimension from
 * the kernel of T: v is 1 at some vector k of it, and D u is not in the image of T.  It is free
 * when it takes one from the rank of Q too: P u is in the image of Q and not 0, v vanishes where Q
 * does and is 1 at a solution of Q z = P u; k is not where Q vanishes, for C is injective, so there
 * is such a v.  A space over F2 is no union of two proper subspaces, so there is such a u unless
 * one condition alone has none. */
#include "synth/convert_word.h"

typedef struct system {
    const zl_conversion *c;
    uint64_t threads;      /* bits */
    uint64_t column[64];   /* of threads: Q and T under the terms so far */
    zl_solver t, q;        /* of their parts, with the threads that give them */
    uint64_t t_kernel;     /* a vector of threads where T is 0; 0: there is none */
    uint64_t q_kernel[64]; /* a basis of those where Q is */
    unsigned q_kernels;
} system;

static void look(system *s)
{
    uint64_t image;
    s->t.pivots = s->q.pivots = s->t_kernel = 0;
    s->q_kernels = 0;
    for (uint64_t left = s->threads; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t lane = s->column[k] & ZL_THREADS, reg = s->column[k] & ZL_REGISTERS;
        if (!zl_solver_put(&s->t, lane, zl_bit(k))) {
            zl_solver_reduce(&s->t, lane, &image);
            s->t_kernel = image ^ zl_bit(k);
        }
        if (zl_solver_put(&s->q, reg, zl_bit(k))) continue;
        zl_solver_reduce(&s->q, reg, &image);
        s->q_kernel[s->q_kernels++] = image ^ zl_bit(k);
    }
}

/* Registers whose P u is in the image of Q, or 0 where that is asked: a basis of them. */
static unsigned candidates(const system *s, uint64_t *out, bool zero)
{
    zl_solver span;
    unsigned count = 0;
    uint64_t image;
    span.pivots = 0;
    for (uint64_t left = zero ? 0 : s->q.pivots; left; left &= left - 1)
        zl_solver_put(&span, s->q.value[__builtin_ctzll(left)], 0);
    for (uint64_t left = s->c->dst.has & ZL_REGISTERS; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t reg = s->c->from.to[k] & ZL_REGISTERS;
        if (zl_solver_put(&span, reg, zl_bit(k))) continue;
        zl_solver_reduce(&span, reg, &image);
        out[count++] = image ^ zl_bit(k);
    }
    return count;
}

static bool receives(const system *s, uint64_t u)
{
    return !zl_solver_spans(&s->t, zl_bitmap_at(&s->c->from, u) & ZL_THREADS);
}

static bool sends(const system *s, uint64_t u)
{
    return zl_bitmap_at(&s->c->from, u) & ZL_REGISTERS;
}

/* A combination that is outside of both; 0: there is none. */
static uint64_t free_term(const system *s, const uint64_t *u, unsigned count)
{
    uint64_t a = 0, b = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!a && receives(s, u[i])) a = u[i];
        if (!b && sends(s, u[i])) b = u[i];
    }
    if (!a || !b) return 0;
    if (sends(s, a)) return a;
    return receives(s, b) ? b : a ^ b;
}

static uint64_t any_term(const system *s, const uint64_t *u, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (receives(s, u[i])) return u[i];
    return 0;
}

/* A functional: 0 where Q is, 1 at the kernel's vector and, where there is one, at `z`. */
static uint64_t functional(const system *s, uint64_t z)
{
    zl_solver zeros;
    uint64_t value = 0, image;
    zeros.pivots = 0;
    for (unsigned i = 0; i < s->q_kernels; i++) zl_solver_put(&zeros, s->q_kernel[i], 0);
    zl_solver_put(&zeros, s->t_kernel, 1);
    if (z) zl_solver_put(&zeros, z, 1);
    for (uint64_t left = s->threads; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        zl_solver_put(&zeros, zl_bit(k), 0);
        zl_solver_reduce(&zeros, zl_bit(k), &image);
        value |= image ? zl_bit(k) : 0;
    }
    return value;
}

static void add_term(system *s, uint64_t *behind, uint64_t u, uint64_t v)
{
    uint64_t column = zl_bitmap_at(&s->c->from, u);
    for (uint64_t left = v; left; left &= left - 1) s->column[__builtin_ctzll(left)] ^= column;
    for (uint64_t left = u; left; left &= left - 1) behind[__builtin_ctzll(left)] ^= v;
}

/* One more; false: no register helps, as of a map that is no bijection. */
static bool next_term(system *s, uint64_t *behind)
{
    uint64_t basis[64], z = 0, whole[64];
    unsigned count = candidates(s, basis, false), all = 0;
    uint64_t u = free_term(s, basis, count);
    if (u) {
        zl_solver_reduce(&s->q, zl_bitmap_at(&s->c->from, u) & ZL_REGISTERS, &z);
        add_term(s, behind, u, functional(s, z));
        return true;
    }
    count = candidates(s, basis, true);
    u = any_term(s, basis, count);
    for (uint64_t left = s->c->dst.has & ZL_REGISTERS; left; left &= left - 1)
        whole[all++] = left & -left;
    if (!u) u = any_term(s, whole, all);
    if (u) add_term(s, behind, u, functional(s, 0));
    return u;
}

bool zl_selects_choose(uint64_t *behind, const zl_conversion *c)
{
    system s = {.c = c, .threads = c->dst.has & ZL_THREADS};
    for (unsigned k = 0; k < 64; k++) behind[k] = 0;
    for (uint64_t left = s.threads; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        s.column[k] = c->from.to[k];
    }
    for (look(&s); s.t_kernel; look(&s))
        if (!next_term(&s, behind)) return false;
    return true;
}
