/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/decide/decide.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/layout/layout.h"
#include "algebra/f2/modular.h"
#include "algebra/decide/contained.h"
#include "algebra/decide/symbol_ask.h"
#include "algebra/find/table.h"

typedef struct work {
    zl_question q;
    zl_manner manner;
    uint64_t witness;
    zl_budget budget;
} work;

static zlay_status lacks(work *w, uint64_t index)
{
    w->q.answer = ZLAY_NO;
    w->witness = index;
    return ZLAY_OK;
}

/* ---- F2: the spans, and the difference of the constants ------------------------------------ */

static zlay_status affine(work *w, bool *decided)
{
    zl_affine a, b;
    zl_f2_span span;
    *decided = zl_affine_pair(&a, &b, w->manner, w->q.a, w->q.b);
    if (!*decided) return ZLAY_OK;
    zl_span_of(&span, &b);
    if (!zl_span_has(&span, a.constant ^ b.constant)) return lacks(w, 0);
    for (unsigned k = 0; k < a.bits; k++)
        if (!zl_span_has(&span, a.basis[k])) return lacks(w, (uint64_t)1 << k);
    return ZLAY_OK;
}

/* ---- strided ------------------------------------------------------------------------------- */

static bool one_swizzle(const zlay_layout *a, const zlay_layout *b)
{
    const zl_swizzle *s = &a->swizzle, *t = &b->swizzle;
    return s->bits == t->bits && s->base == t->base && s->shift == t->shift;
}

static zlay_status strided(work *w, bool *decided)
{
    zl_sum a, b;
    uint64_t x[ZL_TERMS_MOST] = {0};
    *decided = false;
    if (!w->q.a->modes || !w->q.b->modes || !one_swizzle(w->q.a, w->q.b)) return ZLAY_OK;
    zl_sum_of(&a, w->q.a);
    zl_sum_of(&b, w->q.b);
    zl_found found = zl_sum_lacks(x, &a, &b, &w->budget);
    *decided = found != ZL_TOO_MANY;
    if (found != ZL_FOUND) return ZLAY_OK;
    lacks(w, zl_sum_index(&a, x));
    return zl_sum_lacks_first(&w->witness, &a, &b, &w->budget) ? ZLAY_OK
                                                               : zl_decide_not_least(w->q.ctx);
}

/* Under swizzles that differ, into an interval: only the blocks at its ends can be left. */
static zlay_status blocks(work *w, bool *decided)
{
    zl_sum a, b;
    uint64_t x[ZL_TERMS_MOST] = {0};
    *decided = false;
    if (!w->q.a->modes || !w->q.b->modes) return ZLAY_OK;
    zl_sum_of(&b, w->q.b);
    if (!zl_sum_fills(&b)) return ZLAY_OK;
    zl_sum_of(&a, w->q.a);
    zl_swizzled_pair pair = {w->q.a->swizzle, w->q.b->swizzle, &b};
    zl_found found = zl_swizzled_lacks(&pair, x, &a, &w->budget);
    *decided = found != ZL_TOO_MANY;
    if (found != ZL_FOUND) return ZLAY_OK;
    lacks(w, zl_sum_index(&a, x));
    bool least = zl_lacks_first(&w->witness, &a, zl_swizzled_lacks, &pair, &w->budget);
    return least ? ZLAY_OK : zl_decide_not_least(w->q.ctx);
}

/* ---- by points ----------------------------------------------------------------------------- */

/* How a value is looked up in b. */
typedef struct lookup {
    const zlay_layout *b;
    zl_value_reader a; /* what is looked up, as integers */
    zl_sum sum;
    zl_affine map;
    zl_f2_span span;
    zl_values values;
    zl_residues residues;
    zl_found (*has)(struct lookup *l, int64_t value, zl_budget *budget);
} lookup;

static zl_found in_span(lookup *l, int64_t value, zl_budget *budget)
{
    (void)budget;
    return zl_span_has(&l->span, (uint64_t)value ^ l->map.constant) ? ZL_FOUND : ZL_NOT_FOUND;
}

static zl_found in_sum(lookup *l, int64_t value, zl_budget *budget)
{
    return zl_sum_has(&l->sum, zl_swizzle_at(l->b->swizzle, value), budget);
}

static zl_found in_values(lookup *l, int64_t value, zl_budget *budget)
{
    (void)budget;
    return zl_values_has(&l->values, value) ? ZL_FOUND : ZL_NOT_FOUND;
}

static zl_found in_residues(lookup *l, int64_t value, zl_budget *budget)
{
    uint64_t index;
    (void)budget;
    return zl_residues_index(&l->residues, (uint64_t)value, &index) ? ZL_FOUND : ZL_NOT_FOUND;
}

/* Residues where a layout is modular and has few; else none. */
static zlay_status count_residues(zlay_ctx *ctx, zl_residues *r, const zlay_layout *a)
{
    *r = (zl_residues){.last = NULL};
    if (a->kind != ZLAY_LAYOUT_MODULAR) return ZLAY_OK;
    return zl_unless_limit(ctx, zl_residues_of(ctx, r, a));
}

static zlay_status fill_values(work *w, lookup *l)
{
    zl_value_reader b;
    zlay_status status = zl_values_new(w->q.ctx, &l->values, l->b->size);
    if (status) return status;
    status = zl_reader_begin(w->q.ctx, &b, l->b);
    for (uint64_t i = 0; !status && i < l->b->size; i++) {
        int64_t value;
        uint64_t index = i;
        if (zl_reader_value(&b, i, &value)) zl_values_add(&l->values, value, &index);
    }
    zl_reader_end(&b);
    l->has = in_values;
    return status;
}

/* `has` stays NULL where b has no closed form and too many points. */
static zlay_status lookup_begin(work *w, lookup *l)
{
    const zlay_layout *b = l->b = w->q.b;
    l->a = (zl_value_reader){w->q.a, {0}};
    zlay_status status = count_residues(w->q.ctx, &l->residues, b);
    if (!status && w->manner == ZL_AS_INTEGERS)
        status = zl_reader_begin(w->q.ctx, &l->a, w->q.a);
    l->has = l->residues.last ? in_residues : NULL;
    if (status || l->has) return status;
    if (zl_affine_of(&l->map, b)) {
        zl_span_of(&l->span, &l->map);
        l->has = in_span;
    } else if (b->size <= zl_limits(w->q.ctx)->points) return fill_values(w, l);
    else if (b->modes) {
        zl_sum_of(&l->sum, b);
        l->has = in_sum;
    }
    return ZLAY_OK;
}

enum { OUTS_MOST = 64 };

/* The value of a at a point as a flat value of b; false: undefined.  `*outside`: b has no such.
 * A size of 2^64 is 0 here; every other output beside it has the size 1. */
static bool as_value_of_b(const work *w, const zl_value_reader *a, uint64_t i, int64_t *value,
                          bool *outside)
{
    int64_t tuple[OUTS_MOST];
    uint64_t sizes[OUTS_MOST], flat = 0;
    *outside = false;
    if (w->manner == ZL_AS_INTEGERS) return zl_reader_value(a, i, value);
    if (w->q.a->table->tuple(w->q.a, i, tuple)) return false;
    size_t outs = zlay_layout_out_sizes(sizes, OUTS_MOST, w->q.b);
    *outside = w->manner == ZL_NEVER;
    for (size_t d = outs; d-- > 0 && !*outside;) {
        *outside = sizes[d] && (tuple[d] < 0 || (uint64_t)tuple[d] >= sizes[d]);
        flat = flat * sizes[d] + (uint64_t)tuple[d];
    }
    *value = (int64_t)flat;
    return true;
}

/* The n-th point to look up: of a modular layout one for each value that it has. */
static bool point_of(const zl_residues *r, uint64_t n, uint64_t *i)
{
    *i = n;
    return !r->last || zl_residues_index(r, n, i);
}

static zl_found has_point(work *w, lookup *l, uint64_t i)
{
    int64_t value;
    bool outside;
    if (!as_value_of_b(w, &l->a, i, &value, &outside)) return ZL_FOUND;
    return outside ? ZL_NOT_FOUND : l->has(l, value, &w->budget);
}

/* NOT_FOUND: *index is the least whose value b lacks.  Residues come in the order of values, so
 * that all of them are asked. */
static zl_found first_lack(work *w, lookup *l, const zl_residues *own, uint64_t *index)
{
    zl_found found = ZL_FOUND;
    uint64_t count = own->last ? own->count : w->q.a->size, i;
    *index = UINT64_MAX;
    for (uint64_t n = 0; n < count && found != ZL_TOO_MANY; n++) {
        if (zl_reader_charge(w->q.ctx, &l->a, n)) return ZL_TOO_MANY;
        if (!point_of(own, n, &i) || i >= *index) continue;
        zl_found here = has_point(w, l, i);
        if (here == ZL_FOUND) continue;
        found = here;
        *index = i;
        if (!own->last) return found;
    }
    return found;
}

static bool has_sizes(const zlay_layout *b)
{
    for (size_t d = 0; d < b->pieces.outs && b->pieces.outs > 1; d++)
        if (!b->pieces.out_size[d]) return false;
    return true;
}

static zlay_status look_up(work *w, const zl_residues *own, bool *decided)
{
    lookup l;
    uint64_t index = 0;
    zl_mark mark = zl_scratch_mark(w->q.ctx);
    zlay_status status = lookup_begin(w, &l);
    zl_found found = !status && l.has ? first_lack(w, &l, own, &index) : ZL_TOO_MANY;
    *decided = found != ZL_TOO_MANY;
    zl_reader_end(&l.a);
    zl_scratch_release(w->q.ctx, mark);
    return !status && found == ZL_NOT_FOUND ? lacks(w, index) : status;
}

static zlay_status points(work *w, bool *decided)
{
    zl_residues own;
    *decided = false;
    if (!has_sizes(w->q.b) || zlay_layout_out_count(w->q.a) > OUTS_MOST ||
        zlay_layout_out_count(w->q.b) > OUTS_MOST)
        return ZLAY_OK;
    zlay_status status = count_residues(w->q.ctx, &own, w->q.a);
    bool few = own.last || w->q.a->size <= zl_limits(w->q.ctx)->points;
    return !status && few ? look_up(w, &own, decided) : status;
}

/* ---- pieces that are sums ------------------------------------------------------------------ */

/* `any`: a point that shows a NO is an answer though a lesser one may show it too. */
static zlay_status sums(work *w, bool *decided, bool any)
{
    zl_sums a = {.ctx = w->q.ctx}, b = {.ctx = w->q.ctx};
    zlay_answer answer = ZLAY_UNDECIDED;
    zl_budget budget = {zl_limits(w->q.ctx)->points, w->q.ctx};
    uint64_t index = 0;
    bool least = true;
    *decided = false;
    if (w->manner != ZL_AS_INTEGERS || !(zl_is_pieces(w->q.a) || zl_is_pieces(w->q.b)))
        return ZLAY_OK;
    zl_mark mark = zl_scratch_mark(w->q.ctx);
    zlay_status status = zl_sums_of(w->q.ctx, &a, w->q.a);
    if (!status) status = zl_sums_of(w->q.ctx, &b, w->q.b);
    if (!status) status = zl_sums_contained(&answer, &index, &least, &a, &b, &budget);
    zl_scratch_release(w->q.ctx, mark);
    *decided = answer != ZLAY_UNDECIDED && (least || any);
    if (answer == ZLAY_NO && *decided) lacks(w, index);
    if (status == ZLAY_NONE) return ZLAY_OK;
    return status || least || !any ? status : zl_decide_not_least(w->q.ctx);
}

static zlay_status sums_with_least(work *w, bool *decided) { return sums(w, decided, false); }
static zlay_status sums_with_any(work *w, bool *decided) { return sums(w, decided, true); }

/* ---- the methods, tried in order ----------------------------------------------------------- */

static zlay_status found_by_engine(work *w, const zl_isl_point *where)
{
    lacks(w, where->index);
    return where->least ? ZLAY_OK : zl_decide_not_least(w->q.ctx);
}

static zlay_status engine(work *w, bool *decided)
{
    zl_isl_point where;
    zlay_layout *made_a, *made_b = NULL;
    const zl_pieces *a, *b = NULL;
    *decided = false;
    if (zl_is_long(w->q.a) || zl_is_long(w->q.b)) return ZLAY_OK;
    zlay_status status = zl_as_pieces(w->q.ctx, &a, &made_a, w->q.a);
    if (!status) status = zl_as_pieces(w->q.ctx, &b, &made_b, w->q.b);
    *decided = !status && a && b && a->outs == b->outs;
    if (*decided) status = zl_isl_contained(w->q.ctx, &w->q.answer, &where, a, b);
    if (*decided && !status && w->q.answer == ZLAY_NO) status = found_by_engine(w, &where);
    zlay_layout_free(made_a);
    zlay_layout_free(made_b);
    return status;
}

static zlay_status give_up(work *w, bool *decided)
{
    uint64_t a = w->q.a->size, b = w->q.b->size;
    *decided = true;
    return zl_decide_limit(&w->q, "points", zl_limits(w->q.ctx)->points, a > b ? a : b);
}

static zlay_status (*const methods[])(work *w, bool *decided) = {
    affine, strided, blocks, sums_with_least, points, sums_with_any, engine, give_up};

static zlay_status climb(work *w)
{
    bool decided = false;
    zlay_status status = zl_without_parameters(w->q.ctx, w->q.a);
    if (!status) status = zl_without_parameters(w->q.ctx, w->q.b);
    if (!status) status = zl_comparison(w->q.ctx, &w->manner, w->q.a, w->q.b);
    for (size_t i = 0; i < ZL_COUNT(methods) && !decided && !status; i++)
        status = methods[i](w, &decided);
    return status;
}

/* The witness of layouts with names is that of their samples. */
static zlay_status names(work *w)
{
    zlay_layout *shown[2];
    work sample = {.q = {w->q.ctx, NULL, NULL, ZLAY_YES}, .budget = w->budget,
                   .witness = UINT64_MAX};
    zl_symbol_question q = {ZL_ASK_CONTAINED, w->q.a, w->q.b, 0};
    zlay_status status = zl_symbols_decide(w->q.ctx, &w->q.answer, shown, &q);
    sample.q.a = shown[0];
    sample.q.b = shown[1];
    if (!status && shown[0] && shown[1]) status = climb(&sample);
    w->witness = sample.witness;
    zlay_layout_free(shown[0]);
    zlay_layout_free(shown[1]);
    return status;
}

static zlay_status decide(work *w)
{
    bool symbolic = w->q.a && w->q.b && (w->q.a->symbols || w->q.b->symbols);
    return symbolic ? names(w) : climb(w);
}

static zlay_status answer_of(zlay_ctx *ctx, zlay_answer *answer, uint64_t *witness,
                             const zlay_layout *a, const zlay_layout *b)
{
    work w = {.q = {ctx, a, b, ZLAY_YES}, .budget = {zl_limits(ctx)->points, ctx}};
    zlay_status status = decide(&w);
    if (!status) *answer = w.q.answer;
    if (!status && witness && w.q.answer == ZLAY_NO) *witness = w.witness;
    return status;
}

zlay_status zl_layout_contained(zlay_ctx *ctx, zlay_answer *answer, uint64_t *witness,
                                const zlay_layout *a, const zlay_layout *b)
{
    zl_mark mark = zl_enter_part(ctx);
    return zl_leave_part_answer(ctx, mark, answer_of(ctx, answer, witness, a, b), answer);
}

zlay_status zlay_layout_contained(zlay_ctx *ctx, zlay_answer *answer, uint64_t *witness,
                                  const zlay_layout *a, const zlay_layout *b)
{
    if (!answer) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave_answer(ctx, answer_of(ctx, answer, witness, a, b), answer);
}
