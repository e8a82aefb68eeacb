/* SPDX-License-Identifier: Apache-2.0 */
/* Two symbolic layouts are cut into modes of the same extents, the fastest first; they are equal
 * where their offsets are, and the strides of every mode with more than one coordinate. */
#include "algebra/decide/equal.h"
#include "algebra/decide/symbol_decide.h"

#include <string.h>

/* One side of the walk: what is left of the mode that comes next. */
typedef struct side {
    zl_symbols s;
    size_t next;
    zl_monomial shape, stride;
    bool there;
} side;

typedef struct walk {
    zlay_ctx *ctx;
    side a, b;
    int64_t at; /* the index of coordinate 1 of the next modes; 0: of the offsets; -1: unknown */
    const zlay_facts *facts;
    size_t equations;
    zl_equation equation[ZL_SLACKS_MOST];
    zl_when needs;
    zl_symbol_equality *out;
} walk;

static zlay_status undecided(walk *w, const char *why)
{
    w->out->answer = ZLAY_UNDECIDED;
    zlay_status status = zl_symbols_unknown(w->ctx, why);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

static bool is_undecided(const walk *w) { return w->out->answer == ZLAY_UNDECIDED; }

/* ---- needs --------------------------------------------------------------------------- */

static bool is_no(const walk *w) { return w->out->answer == ZLAY_NO; }

static void differ(walk *w, bool sizes)
{
    if (is_no(w)) return;
    w->out->answer = ZLAY_NO;
    w->out->at = w->at;
    w->out->sizes = sizes;
}

/* By its range, or because facts about several names keep it above or below 0. */
static bool is_never_zero(const zl_poly *p, const zl_symbols *names)
{
    zl_poly minus = {0, {{0, {0}}}};
    if (!zl_range_has(zl_poly_range(p, names), 0)) return true;
    if (!names->slacks) return false;
    return zl_poly_not_below(p, names, 1) ||
           (zl_poly_sub_all(&minus, p) && zl_poly_not_below(&minus, names, 1));
}

/* Where the extent is not 1, zero == 0; an extent of 0 is more than 1. */
static zlay_status need(walk *w, const zl_monomial *extent, zl_poly *zero)
{
    zl_poly one = {1, {*extent}};
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < w->equations; i++)
        if (!zl_poly_substitute(zero, &w->equation[i])) break;
    if (!zero->count) return ZLAY_OK;
    bool several = extent->factor != 1 || zl_monomial_range(extent, &w->a.s).lo > 1;
    bool never = is_never_zero(zero, &w->a.s);
    if (never && several) differ(w, false);
    zl_when_clause(&w->needs);
    if (!several) status = zl_when_put(&w->needs, ZL_IS_ONE, &one);
    if (!status) status = zl_when_put(&w->needs, never ? ZL_NEVER_ZERO : ZL_IS_ZERO, zero);
    zl_when_clause_once(&w->needs);
    return status;
}

/* Where the extent is not 1, stride a == b. */
static zlay_status need_equal(walk *w, zl_monomial extent, const zl_monomial *a,
                              const zl_monomial *b)
{
    zl_poly zero = {0, {{0, {0}}}};
    zl_monomial one = zl_monomial_of(1);
    if (!zl_poly_add(&zero, a) || !zl_poly_sub_product(&zero, &one, b))
        return zl_symbols_overflow(w->ctx);
    return need(w, &extent, &zero);
}

static zlay_status need_offsets(walk *w)
{
    zl_monomial always = zl_monomial_of(0);
    zl_poly zero = w->a.s.offset;
    return zl_poly_sub_all(&zero, &w->b.s.offset) ? need(w, &always, &zero)
                                                  : zl_symbols_overflow(w->ctx);
}

/* What one side has more is 1. */
static zlay_status need_one(walk *w, const zl_monomial *extent)
{
    zl_monomial one = zl_monomial_of(1);
    if (extent->factor > 1 || zl_monomial_range(extent, &w->a.s).lo > 1) differ(w, true);
    return need_equal(w, zl_monomial_of(0), extent, &one);
}

/* ---- the walk -------------------------------------------------------------------------- */

static void step(side *s)
{
    s->there = false;
    while (!s->there && s->next < s->s.leaves) {
        const zl_symbol_leaf *leaf = &s->s.leaf[s->next++];
        s->shape = leaf->shape;
        s->stride = leaf->stride;
        s->there = !zl_monomial_is(&leaf->shape, 1);
    }
}

static void pass(walk *w, const zl_monomial *extent)
{
    if (w->at > 0 && (!zl_monomial_constant(extent) || !zl_mul(w->at, extent->factor, &w->at)))
        w->at = -1;
}

/* The shorter mode is the first part of the longer one, which goes on by `quotient`. */
static zlay_status split(walk *w, side *whole, side *part, const zl_monomial *quotient)
{
    zlay_status status = need_equal(w, part->shape, &whole->stride, &part->stride);
    if (status) return status;
    if (!zl_monomial_mul(&whole->stride, &whole->stride, &part->shape))
        return zl_symbols_overflow(w->ctx);
    pass(w, &part->shape);
    whole->shape = *quotient;
    if (zl_monomial_is(quotient, 1)) step(whole);
    step(part);
    return ZLAY_OK;
}

/* Numbers neither of which divides the other: the lesser mode and the one behind it are one
 * progression, for the greater passes their border. */
static zlay_status join(walk *w, side *lesser, const side *greater)
{
    zl_monomial shape = lesser->shape, stride = lesser->stride, border;
    zlay_status status = need_equal(w, zl_monomial_of(0), &stride, &greater->stride);
    if (!status && !zl_monomial_mul(&border, &shape, &stride)) status = zl_symbols_overflow(w->ctx);
    if (status) return status;
    step(lesser);
    if (!lesser->there) {
        differ(w, true);
        return ZLAY_OK;
    }
    int64_t at = w->at;
    pass(w, &shape);
    status = need_equal(w, lesser->shape, &lesser->stride, &border);
    w->at = at;
    if (!status && !zl_monomial_mul(&lesser->shape, &lesser->shape, &shape))
        status = zl_symbols_overflow(w->ctx);
    lesser->stride = stride;
    return status;
}

static zlay_status walk_modes(walk *w)
{
    side *a = &w->a, *b = &w->b;
    zl_monomial quotient;
    if (zl_monomial_div(&quotient, &a->shape, &b->shape)) return split(w, a, b, &quotient);
    if (zl_monomial_div(&quotient, &b->shape, &a->shape)) return split(w, b, a, &quotient);
    if (!zl_monomial_constant(&a->shape) || !zl_monomial_constant(&b->shape))
        return undecided(w, "extents are names, and neither divides the other");
    return a->shape.factor < b->shape.factor ? join(w, a, b) : join(w, b, a);
}

static zlay_status walk_all(walk *w)
{
    zlay_status status = need_offsets(w);
    w->at = w->needs.count ? -1 : 1;
    step(&w->a);
    step(&w->b);
    while (!status && !is_undecided(w) && w->a.there && w->b.there) status = walk_modes(w);
    for (int i = 0; i < 2; i++)
        for (side *s = i ? &w->b : &w->a; !status && !is_undecided(w) && s->there; step(s))
            status = need_one(w, &s->shape);
    return status;
}

static zlay_status conclude(walk *w)
{
    bool depends = !is_undecided(w) && !is_no(w) && w->needs.count;
    return depends ? zl_when_answer(&w->needs, w->out) : ZLAY_OK;
}

/* What the facts of the call and of both layouts say together; one number is put in. */
static zlay_status know(walk *w, zl_unknown *name, size_t place)
{
    zlay_range *range = &name->range;
    *range = zl_range_meet(*range, zl_symbol_facts(w->facts, name->name.text));
    if (zl_range_is_empty(*range))
        return zl_fail(w->ctx, ZLAY_EINVAL, "the facts leave no value for %s", name->name.text);
    if (!zl_range_is_constant(*range)) return ZLAY_OK;
    bool fits = zl_symbols_put(&w->a.s, place, range->lo) &&
                zl_symbols_put(&w->b.s, place, range->lo);
    return fits ? ZLAY_OK : zl_symbols_overflow(w->ctx);
}

/* Facts that are equations: in both layouts and in later equations, else kept for sums. */
static void unify(walk *w)
{
    zl_symbols *a = &w->a.s, *b = &w->b.s;
    zl_equation *e = w->equation;
    w->equations = zl_equations_of(e, a);
    for (size_t i = 0; i < w->equations; i++) {
        zl_symbols_substitute(a, &e[i]);
        zl_symbols_substitute(b, &e[i]);
        for (size_t k = i + 1; k < w->equations;)
            if (zl_poly_substitute(&e[k].is, &e[i]) && e[k].name != e[i].name) k++;
            else e[k] = e[--w->equations];
    }
}

static zlay_status compare(walk *w, const zlay_layout *a, const zlay_layout *b)
{
    zlay_status status = zl_symbols_of(w->ctx, &w->a.s, a);
    if (!status) status = zl_symbols_of(w->ctx, &w->b.s, b);
    if (status == ZLAY_NONE) return undecided(w, "one layout is symbolic, the other not strided");
    if (!status) zl_symbols_relate(w->ctx, &w->a.s, w->facts);
    if (!status) status = zl_symbols_share(w->ctx, &w->a.s, &w->b.s);
    if (!status) zl_slacks_assume(&w->a.s, w->facts);
    if (!status) unify(w);
    for (size_t k = 0; !status && k < w->a.s.names; k++) status = know(w, &w->a.s.name[k], k);
    if (!status) status = walk_all(w);
    return status ? status : conclude(w);
}

/* The same formula under the same ranges, whatever the parentheses. */
static bool is_same(const zl_symbols *a, const zl_symbols *b)
{
    if (!a || !b || a->names != b->names || a->leaves != b->leaves || a->edges != b->edges ||
        !zl_poly_equal(&a->offset, &b->offset))
        return false;
    for (size_t i = 0; i < a->names; i++)
        if (strcmp(a->name[i].name.text, b->name[i].name.text) != 0 ||
            memcmp(&a->name[i].range, &b->name[i].range, sizeof a->name[i].range) != 0)
            return false;
    for (size_t i = 0; i < a->leaves; i++)
        if (!zl_monomial_equal(&a->leaf[i].shape, &b->leaf[i].shape) ||
            !zl_monomial_equal(&a->leaf[i].stride, &b->leaf[i].stride))
            return false;
    for (size_t i = 0; i < a->edges; i++)
        if (!zl_monomial_equal(&a->edge[i].bound, &b->edge[i].bound) ||
            memcmp(a->edge[i].weight, b->edge[i].weight, sizeof a->edge[i].weight) != 0)
            return false;
    return true;
}

/* Ragged edges: equal where they are written alike, else not known. */
static zlay_status ragged(zlay_ctx *ctx, zl_symbol_equality *out, const zlay_layout *a,
                          const zlay_layout *b)
{
    if (is_same(a->symbols, b->symbols)) return ZLAY_OK;
    out->answer = ZLAY_UNDECIDED;
    zlay_status status = zl_symbols_ragged(ctx);
    return status == ZLAY_ELIMIT ? ZLAY_OK : status;
}

zlay_status zl_symbols_equal(zlay_ctx *ctx, zl_symbol_equality *out, const zlay_layout *a,
                             const zlay_layout *b, const zlay_facts *facts)
{
    zl_mark mark = zl_scratch_mark(ctx);
    *out = (zl_symbol_equality){.answer = ZLAY_YES};
    if (!facts && is_same(a->symbols, b->symbols)) return ZLAY_OK;
    if ((a->symbols && a->symbols->edges) || (b->symbols && b->symbols->edges))
        return ragged(ctx, out, a, b);
    walk *w = zl_scratch(ctx, 1, sizeof *w);
    if (!w) return ZLAY_ENOMEM;
    w->ctx = ctx;
    w->facts = facts;
    w->out = out;
    zl_when_begin(&w->needs, ctx, &w->a.s);
    zlay_status status = compare(w, a, b);
    zl_scratch_release(ctx, mark);
    return status;
}

/* The guard of DEPENDS is the message. */
zlay_status zl_equal_symbols(zl_pair *p)
{
    zlay_allocator alloc = zl_allocator(p->ctx);
    zl_symbol_equality e;
    zlay_status status = zl_symbols_equal(p->ctx, &e, p->a, p->b, p->facts);
    if (status) return status;
    p->answer = e.answer;
    if (e.answer == ZLAY_NO)
        p->witness = (zlay_witness){.size_a = p->a->size, .size_b = p->b->size,
                                    .index = e.at < 0 ? 0 : (uint64_t)e.at};
    if (e.guard) status = zl_fail(p->ctx, ZLAY_OK, "equal exactly where %s", e.guard);
    zl_free(&alloc, e.guard, e.length + 1);
    return status;
}
