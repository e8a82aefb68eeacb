/* SPDX-License-Identifier: Apache-2.0 */
/* Two points of a symbolic layout collide where sum of stride x = 0 for some x but 0, each |x|
 * below its extent.  Of two modes with strides d and q d that is x = q in the first and -1 in the
 * second, so that |q| is the first extent or more; where every stride divides the next one, no
 * other collision is left when no pair has one. */
#include "algebra/decide/symbol_decide.h"

zlay_status zl_symbols_open(zlay_ctx *ctx, zl_symbol_equality *out, const char *why)
{
    *out = (zl_symbol_equality){.answer = ZLAY_UNDECIDED, .at = -1};
    zlay_status status = zl_symbols_unknown(ctx, why);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

/* ---- necessary, and enough for a chain ------------------------------------------------------- */

static zlay_status need_step(zl_when *w, const zl_symbol_leaf *leaf)
{
    zl_poly p = {0, {{0, {0}}}};
    zl_poly_add(&p, &leaf->stride);
    zl_when_clause(w);
    zlay_status status = zl_when_one(w, &leaf->shape);
    if (!status) status = zl_when_atom(w, ZL_NOT_ZERO, &p);
    zl_when_clause_end(w);
    return status;
}

/* |q| >= extent: by the signs that q may have. */
static zlay_status reaches(zl_when *w, zl_monomial q, const zl_monomial *extent)
{
    int sign = zl_symbols_sign(&q, w->names);
    zl_poly length = {0, {{0, {0}}}};
    zlay_status status = ZLAY_OK;
    zl_poly_add(&length, extent);
    for (int side = 1; side >= -1 && !status; side -= 2) {
        zl_poly p = {0, {{0, {0}}}};
        zl_monomial by = zl_monomial_of(side);
        if (sign == -side) continue;
        if (!zl_poly_add_product(&p, &q, &by)) return zl_symbols_overflow(w->ctx);
        status = zl_when_not_below(w, &p, &length, 0);
    }
    return status;
}

/* Where both strides are g times coprime numbers x and y that are not 0, the least collision is y
 * in the first mode and -x in the second. */
static zlay_status need_apart(zl_when *w, const zl_symbol_leaf *a, const zl_symbol_leaf *b,
                              const zl_monomial *x, const zl_monomial *y)
{
    zl_when_clause(w);
    zlay_status status = zl_when_one(w, &a->shape);
    if (!status) status = zl_when_one(w, &b->shape);
    if (!status) status = reaches(w, *y, &a->shape);
    if (!status && !zl_monomial_is(x, 1) && !zl_monomial_is(x, -1))
        status = reaches(w, *x, &b->shape);
    zl_when_clause_end(w);
    return status;
}

static int64_t gcd(int64_t a, int64_t b)
{
    while (b) {
        int64_t r = b == -1 ? 0 : a % b;
        a = b;
        b = r;
    }
    return a;
}

/* Without what both have in common; false where the rest of both has names, for they may share a
 * factor. */
static bool coprime(zl_monomial *x, zl_monomial *y, const zl_symbols *s)
{
    int64_t common = gcd(x->factor, y->factor);
    if (!common || common == INT64_MIN || common == -1) common = 1;
    x->factor /= common;
    y->factor /= common;
    for (size_t i = 0; i < s->names; i++) {
        uint8_t least = x->power[i] < y->power[i] ? x->power[i] : y->power[i];
        x->power[i] = (uint8_t)(x->power[i] - least);
        y->power[i] = (uint8_t)(y->power[i] - least);
    }
    bool one = zl_monomial_is(x, 1) || zl_monomial_is(x, -1);
    bool other = zl_monomial_is(y, 1) || zl_monomial_is(y, -1);
    return one || other || (zl_monomial_constant(x) && zl_monomial_constant(y));
}

/* Every pair that can be compared; *chain: each stride divides all longer ones, or there are
 * two. */
static zlay_status need_pairs(zl_when *w, const zl_symbols *s, bool *chain)
{
    zlay_status status = ZLAY_OK;
    *chain = true;
    for (size_t i = 0; i < s->leaves && !status; i++) status = need_step(w, &s->leaf[i]);
    for (size_t i = 0; i < s->leaves && !status; i++)
        for (size_t k = i + 1; k < s->leaves && !status; k++) {
            const zl_symbol_leaf *a = &s->leaf[i], *b = &s->leaf[k];
            zl_monomial x = a->stride, y = b->stride;
            if (!x.factor || !y.factor) continue;
            bool known = coprime(&x, &y, s);
            bool backwards = zl_monomial_is(&y, 1) || zl_monomial_is(&y, -1);
            bool divides = backwards || zl_monomial_is(&x, 1) || zl_monomial_is(&x, -1);
            *chain = *chain && known && (divides || s->leaves == 2);
            if (known && backwards) status = need_apart(w, b, a, &y, &x);
            else if (known) status = need_apart(w, a, b, &x, &y);
        }
    return status;
}

/* ---- enough: one mode after the other is longer than all others reach together --------------- */

static bool is_longest(const zl_rising *o, size_t mode, uint64_t left)
{
    zl_poly p = {0, {{0, {0}}}}, reach = p;
    zl_monomial step;
    if (!o->sign[mode] || !zl_rising_step(&step, o, mode) || !zl_poly_add(&p, &step)) return false;
    for (size_t i = 0; i < o->count; i++)
        if (i != mode && left >> i & 1 && (!o->sign[i] || !zl_rising_add_reach(&reach, o, i)))
            return false;
    return zl_poly_sub_all(&p, &reach) && zl_poly_not_below(&p, o->s, 1);
}

static bool rises(const zl_symbols *s)
{
    zl_rising o;
    if (!zl_rising_begin(&o, s)) return false;
    for (uint64_t left = ((uint64_t)1 << s->leaves) - 1; left;) {
        size_t i = 0;
        while (i < s->leaves && !(left >> i & 1 && is_longest(&o, i, left))) i++;
        if (i == s->leaves) return false;
        left &= ~((uint64_t)1 << i);
    }
    return true;
}

static zlay_status decide(zl_when *w, zl_symbol_equality *out, const zl_symbols *s)
{
    bool chain;
    zl_when_case(w);
    zlay_status status = need_pairs(w, s, &chain);
    zl_when_case_end(w);
    bool never = !status && !w->holds && !w->count;
    if (status || chain || never) return status ? status : zl_when_answer(w, out);
    *out = (zl_symbol_equality){.answer = ZLAY_YES, .at = -1};
    if (rises(s)) return ZLAY_OK;
    return zl_symbols_open(w->ctx, out, "strides whose common factors depend on names");
}

zlay_status zl_symbols_injective(zlay_ctx *ctx, zl_symbol_equality *out, zl_symbols *s)
{
    zl_when w;
    zl_when_begin(&w, ctx, s);
    zlay_status status = decide(&w, out, s);
    return status;
}
