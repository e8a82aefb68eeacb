/* SPDX-License-Identifier: Apache-2.0 */
/* Bijective, onto and contained: sums of rising steps fill an interval when no step is longer than
 * what the shorter ones reach, and more than 1.  Which order rises may depend on the names, so each
 * order in which it can is a case; where the steps do rise, its clauses are exact. */
#include "algebra/decide/symbol_decide.h"

static const char *const many = "more than 8 modes with names";

/* ---- bijective ----------------------------------------------------------------------------- */

static zlay_status is_zero(zl_when *w, const zl_poly *p)
{
    zl_when_clause(w);
    zlay_status status = zl_when_atom(w, ZL_IS_ZERO, p);
    zl_when_clause_end(w);
    return status;
}

/* The step is the number of points that the shorter ones have, or the mode is one point. */
static zlay_status compact(zl_when *w, const zl_rising *o, size_t mode, zl_monomial *points)
{
    zl_monomial step, one = zl_monomial_of(1);
    zl_poly p = {0, {{0, {0}}}};
    if (!zl_rising_step(&step, o, mode) || !zl_poly_add(&p, &step) ||
        !zl_poly_sub_product(&p, &one, points) ||
        !zl_monomial_mul(points, points, &o->s->leaf[mode].shape))
        return zl_symbols_overflow(w->ctx);
    zl_when_clause(w);
    zlay_status status = zl_when_one(w, &o->s->leaf[mode].shape);
    if (!status) status = zl_when_atom(w, ZL_IS_ZERO, &p);
    zl_when_clause_end(w);
    return status;
}

static zlay_status compact_case(zl_when *w, const zl_rising *o)
{
    zl_monomial points = zl_monomial_of(1);
    zl_poly least = {0, {{0, {0}}}};
    zlay_status status = ZLAY_OK;
    if (!zl_rising_add_least(&least, o)) return zl_symbols_overflow(w->ctx);
    zl_when_case(w);
    for (size_t i = 0; i < o->count && !status; i++) status = compact(w, o, o->at[i], &points);
    if (!status) status = is_zero(w, &least);
    zl_when_case_end(w);
    return status;
}

/* Without an offset the least value is 0 only where no mode of several points goes down. */
zlay_status zl_symbols_bijective(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *s)
{
    zl_rising o;
    zl_when w;
    zlay_status status;
    if (!zl_rising_begin(&o, s)) return zl_symbols_open(ctx, out, many);
    if (!s->offset.count) zl_rising_upwards(&o);
    zl_when_begin(&w, ctx, s);
    do status = compact_case(&w, &o);
    while (!status && zl_rising_next(&o));
    if (!status) status = zl_when_answer(&w, out);
    return status;
}

/* ---- onto ---------------------------------------------------------------------------- */

/* reach >= n - 1, an atom */
static zlay_status far_enough(zl_when *w, const zl_poly *reach, int64_t n)
{
    zl_poly none = {0, {{0, {0}}}};
    return zl_when_not_below(w, reach, &none, n - 1);
}

/* No gap before the mode, or none that matters. */
static zlay_status no_gap(zl_when *w, const zl_rising *o, size_t mode, const zl_poly *reach,
                          int64_t onto)
{
    zl_monomial step;
    zl_poly p = {0, {{0, {0}}}};
    if (!zl_rising_step(&step, o, mode) || !zl_poly_add(&p, &step))
        return zl_symbols_overflow(w->ctx);
    zl_when_clause(w);
    zlay_status status = zl_when_one(w, &o->s->leaf[mode].shape);
    if (!status) status = zl_when_not_below(w, reach, &p, -1);
    if (!status && onto) status = far_enough(w, reach, onto);
    zl_when_clause_end(w);
    return status;
}

static zlay_status far(zl_when *w, const zl_poly *reach, int64_t onto)
{
    zl_when_clause(w);
    zlay_status status = far_enough(w, reach, onto);
    zl_when_clause_end(w);
    return status;
}

/* The sums of the steps, with the offset, are [0, ..] and reach onto; 0: whatever they reach. */
static zlay_status fill_case(zl_when *w, const zl_rising *o, int64_t onto)
{
    zl_poly reach = {0, {{0, {0}}}}, least = reach;
    zlay_status status = ZLAY_OK;
    bool fits = zl_rising_add_least(&least, o);
    zl_when_case(w);
    for (size_t i = 0; i < o->count && !status && fits; i++) {
        status = no_gap(w, o, o->at[i], &reach, onto);
        fits = zl_rising_add_reach(&reach, o, o->at[i]);
    }
    if (!fits) return zl_symbols_overflow(w->ctx);
    if (!status && onto) status = is_zero(w, &least);
    if (!status && onto) status = far(w, &reach, onto);
    zl_when_case_end(w);
    return status;
}

static zlay_status fill(zl_when *w, zl_rising *o, int64_t onto)
{
    zlay_status status;
    do status = fill_case(w, o, onto);
    while (!status && zl_rising_next(o));
    return status;
}

/* The least value of every choice of signs that the strides may have is 0 or more. */
static bool starts_at_zero(const zl_symbols *s)
{
    zl_rising o;
    for (bool more = zl_rising_begin(&o, s); more; more = zl_rising_next(&o)) {
        zl_poly least = {0, {{0, {0}}}};
        if (!zl_rising_add_least(&least, &o) || !zl_poly_not_below(&least, s, 0))
            return false;
    }
    return true;
}

static bool signs_known(const zl_symbols *s)
{
    for (size_t i = 0; i < s->leaves; i++)
        if (!zl_symbols_sign(&s->leaf[i].stride, s)) return false;
    return true;
}

static zlay_status fills_for_all(zlay_ctx *ctx, bool *yes, const zl_symbols *s)
{
    zl_rising o;
    zl_when w;
    *yes = false;
    if (!zl_rising_begin(&o, s)) return ZLAY_OK;
    zl_when_begin(&w, ctx, s);
    zlay_status status = fill(&w, &o, 0);
    *yes = w.holds;
    return status;
}

/* least and greatest value, whose signs are known */
static bool extremes(zl_poly *least, zl_poly *greatest, const zl_symbols *s)
{
    zl_rising o;
    *least = (zl_poly){0, {{0, {0}}}};
    bool fits = zl_rising_begin(&o, s) && zl_rising_add_least(least, &o);
    *greatest = *least;
    for (size_t i = 0; i < s->leaves && fits; i++) fits = zl_rising_add_reach(greatest, &o, i);
    return fits;
}

/* Ends in reach of [0, onto): needed, and enough where nothing between them is missed. */
static zlay_status ends(zl_when *w, const zl_symbols *s, int64_t onto)
{
    zl_poly none = {0, {{0, {0}}}}, least, greatest;
    if (!extremes(&least, &greatest, s)) return zl_symbols_overflow(w->ctx);
    zl_when_case(w);
    zl_when_clause(w);
    zlay_status status = zl_when_not_below(w, &none, &least, 0);
    zl_when_clause_end(w);
    if (!status) status = far(w, &greatest, onto);
    zl_when_case_end(w);
    return status;
}

/* Values below 0 and above the end may leave gaps that do not matter. */
static zlay_status onto_between(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *s,
                                int64_t onto)
{
    zl_when w;
    bool filled;
    zlay_status status = fills_for_all(ctx, &filled, s);
    if (status) return status;
    if (!signs_known(s)) return zl_symbols_open(ctx, out, "the sign of a stride depends on names");
    zl_when_begin(&w, ctx, s);
    status = ends(&w, s, onto);
    bool never = !w.holds && !w.count;
    if (!status && (filled || never)) status = zl_when_answer(&w, out);
    else if (!status)
        status = zl_symbols_open(ctx, out, "values below 0, with gaps that depend on names");
    return status;
}

zlay_status zl_symbols_surjective(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *s,
                                  int64_t onto)
{
    zl_rising o;
    zl_when w;
    if (!zl_rising_begin(&o, s)) return zl_symbols_open(ctx, out, many);
    if (!starts_at_zero(s)) return onto_between(ctx, out, s, onto);
    zl_when_begin(&w, ctx, s);
    zlay_status status = fill(&w, &o, onto);
    if (!status) status = zl_when_answer(&w, out);
    return status;
}

/* ---- contained ----------------------------------------------------------------------- */

/* Both extremes of a lie between those of b: needed, and enough where b fills them. */
static zlay_status between(zl_when *w, const zl_symbols *a, const zl_symbols *b)
{
    zl_poly al, ag, bl, bg;
    if (!extremes(&al, &ag, a) || !extremes(&bl, &bg, b)) return zl_symbols_overflow(w->ctx);
    zl_when_case(w);
    zl_when_clause(w);
    zlay_status status = zl_when_not_below(w, &al, &bl, 0);
    zl_when_clause_end(w);
    zl_when_clause(w);
    if (!status) status = zl_when_not_below(w, &bg, &ag, 0);
    zl_when_clause_end(w);
    zl_when_case_end(w);
    return status;
}

static bool same_stride(const zl_symbols *a, size_t i, const zl_symbols *b, size_t k)
{
    return zl_monomial_equal(&a->leaf[i].stride, &b->leaf[k].stride);
}

static zlay_status no_longer(zl_when *w, const zl_monomial *a, const zl_monomial *b)
{
    zl_poly less = {0, {{0, {0}}}}, more = less;
    zl_poly_add(&less, a);
    zl_poly_add(&more, b);
    zl_when_clause(w);
    zlay_status status = zl_when_not_below(w, &more, &less, 0);
    zl_when_clause_end(w);
    return status;
}

/* Every mode of a has one of b's with its stride, and no more coordinates: enough. */
static zlay_status within_modes(zl_when *w, const zl_symbols *a, const zl_symbols *b, bool *alike)
{
    zlay_status status = ZLAY_OK;
    uint64_t used = 0;
    *alike = zl_poly_equal(&a->offset, &b->offset);
    zl_when_case(w);
    for (size_t i = 0; i < a->leaves && *alike && !status; i++) {
        size_t k = 0;
        if (zl_monomial_is(&a->leaf[i].shape, 1)) continue;
        while (k < b->leaves && (used >> k & 1 || !same_stride(a, i, b, k))) k++;
        *alike = k < b->leaves;
        if (*alike) used |= (uint64_t)1 << k;
        if (*alike) status = no_longer(w, &a->leaf[i].shape, &b->leaf[k].shape);
    }
    zl_when_case_end(w);
    return status;
}

/* Modes alike: enough, and needed where both have one whose stride is not 0. */
static zlay_status by_modes(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *a,
                            const zl_symbols *b, bool *decided)
{
    zl_when w;
    bool alike;
    zl_when_begin(&w, ctx, a);
    zlay_status status = within_modes(&w, a, b, &alike);
    bool one = a->leaves == 1 && b->leaves == 1 &&
               !zl_range_has(zl_monomial_range(&b->leaf[0].stride, b), 0);
    *decided = !status && alike && (w.holds || one);
    if (*decided) status = zl_when_answer(&w, out);
    return status;
}

zlay_status zl_symbols_contained(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbols *a,
                                 const zl_symbols *b)
{
    zl_when w;
    bool decided, filled;
    zlay_status status = by_modes(ctx, out, a, b, &decided);
    if (status || decided) return status;
    if (a->leaves > ZL_SYMBOL_ORDERED || b->leaves > ZL_SYMBOL_ORDERED)
        return zl_symbols_open(ctx, out, many);
    if (!signs_known(a) || !signs_known(b))
        return zl_symbols_open(ctx, out, "the sign of a stride depends on names");
    status = fills_for_all(ctx, &filled, b);
    if (status) return status;
    zl_when_begin(&w, ctx, a);
    status = between(&w, a, b);
    bool never = !w.holds && !w.count;
    if (!status && (filled || never)) status = zl_when_answer(&w, out);
    else if (!status) status = zl_symbols_open(ctx, out, "b has gaps that depend on names");
    return status;
}
