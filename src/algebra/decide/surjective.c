/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/decide/decide.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/layout/layout.h"
#include "algebra/f2/modular.h"
#include "algebra/image/sums.h"
#include "algebra/decide/symbol_ask.h"
#include "algebra/find/table.h"

/* The box is `count` sizes; one of them is compared with flat values. */
typedef struct work {
    zl_question q;
    const uint64_t *onto;
    size_t count;
    uint64_t points; /* of the box, 2^64 - 1 at most */
    uint64_t missed;
    zl_budget budget;
} work;

static zlay_status miss(work *w, uint64_t value)
{
    w->q.answer = ZLAY_NO;
    w->missed = value;
    return ZLAY_OK;
}

static bool is_flat(const work *w) { return w->count == 1; }

/* ---- F2 ------------------------------------------------------------------------------------ */

/* The span has every value below n exactly when it has every power of two below n, and the least
 * that it lacks is one of them. */
static void powers(work *w, const zl_f2_span *span, size_t d, unsigned low, unsigned bits,
                   uint64_t weight)
{
    for (unsigned j = 0; j < 64 && w->q.answer && (w->onto[d] - 1) >> j; j++)
        if (j >= bits || !zl_span_has(span, (uint64_t)1 << (low + j)))
            miss(w, ((uint64_t)1 << j) * weight);
}

static zlay_status affine(work *w, bool *decided)
{
    zl_affine map;
    zl_f2_span span;
    unsigned low = 0;
    uint64_t weight = 1;
    *decided = zl_affine_of(&map, w->q.a);
    if (!*decided) return ZLAY_OK;
    zl_span_of(&span, &map);
    if (!zl_span_has(&span, map.constant)) return miss(w, 0);
    for (size_t d = 0; d < w->count && w->q.answer; d++) {
        unsigned bits = is_flat(w) ? 64 : w->q.a->f2.out[d].bits;
        powers(w, &span, d, low, bits, weight);
        low += bits;
        weight *= w->onto[d];
    }
    return ZLAY_OK;
}

/* ---- strided ------------------------------------------------------------------------------- */

/* With the steps rising, sums fill [0, *reach] up to the first step that leaves a gap, and no later
 * one is short enough to fill it.  Answers how many steps were taken. */
static size_t fill(const zl_sum *s, uint64_t *reach)
{
    size_t k = 0;
    *reach = 0;
    for (; k < s->count && s->term[k].step - 1 <= *reach; k++)
        *reach += s->term[k].step * s->term[k].most;
    return k;
}

/* Below 0 as well: from -least on, each sum of the longer steps is followed by the filled run. */
static zl_found first_gap(work *w, const zl_sum *s, zl_u128 begin, zl_u128 end, zl_u128 *gap)
{
    uint64_t reach, span = zl_sum_span(s), below;
    size_t k = fill(s, &reach);
    for (*gap = begin; *gap < end && *gap <= span; *gap = (zl_u128)below + reach + 1) {
        if (span - *gap <= reach) below = span - reach;
        else if (*gap <= reach) below = 0;
        else if (zl_sum_below(&below, s->term + k, s->count - k, (uint64_t)*gap, &w->budget))
            return ZL_TOO_MANY;
        if (*gap - below > reach) return ZL_FOUND;
    }
    return *gap < end ? ZL_FOUND : ZL_NOT_FOUND;
}

/* The least value in [0, n) that the sum lacks. */
static zl_found missed_below(work *w, const zl_sum *s, uint64_t n, uint64_t *missed)
{
    zl_u128 begin = 0 - (uint64_t)s->least, gap;
    *missed = 0;
    if (s->least > 0) return n ? ZL_FOUND : ZL_NOT_FOUND;
    zl_found found = first_gap(w, s, begin, begin + n, &gap);
    if (found == ZL_FOUND) *missed = (uint64_t)(gap - begin);
    return found;
}

/* A swizzle permutes each block of its bits, and is its own inverse. */
static zl_found swizzled(work *w, const zl_sum *s, uint64_t n)
{
    zl_swizzle swizzle = w->q.a->swizzle;
    uint64_t block = zl_blocks_of(swizzle, swizzle).block, v = n & ~(block - 1), first;
    zl_found found = missed_below(w, s, v, &first);
    if (found == ZL_TOO_MANY) return found;
    if (found == ZL_FOUND) v = first & ~(block - 1);
    found = zl_swizzled_missed(&first, s, swizzle, v, n, &w->budget);
    if (found == ZL_FOUND) miss(w, first);
    return found;
}

static zlay_status strided(work *w, bool *decided)
{
    zl_sum s;
    uint64_t missed = 0;
    *decided = false;
    if (!w->q.a->modes) return ZLAY_OK;
    zl_sum_of(&s, w->q.a);
    zl_found found = w->q.a->swizzle.bits ? swizzled(w, &s, w->points)
                                          : missed_below(w, &s, w->points, &missed);
    *decided = found != ZL_TOO_MANY;
    if (found == ZL_FOUND && !w->q.a->swizzle.bits) miss(w, missed);
    return ZLAY_OK;
}

/* ---- modular: subset sums ------------------------------------------------------------------ */

/* The flat value of a tuple of the box; false: an output has no such. */
static bool flat_of(const work *w, uint64_t at, uint64_t *flat)
{
    uint64_t sizes[64], step = 1, digit;
    *flat = at;
    if (is_flat(w)) return true;
    zlay_layout_out_sizes(sizes, ZL_COUNT(sizes), w->q.a);
    *flat = 0;
    for (size_t d = 0; d < w->count; d++, step *= sizes[d - 1]) {
        digit = at % w->onto[d];
        if (digit >= sizes[d]) return false;
        *flat += digit * step;
        at /= w->onto[d];
    }
    return true;
}

static zlay_status modular(work *w, bool *decided)
{
    zl_residues r;
    uint64_t at = 0, flat, index;
    *decided = w->q.a->kind == ZLAY_LAYOUT_MODULAR;
    if (!*decided) return ZLAY_OK;
    zlay_status status = zl_residues_of(w->q.ctx, &r, w->q.a);
    *decided = !status;
    while (*decided && at < w->points && flat_of(w, at, &flat) &&
           zl_residues_index(&r, flat, &index))
        at++;
    if (*decided && at < w->points) miss(w, at);
    return zl_unless_limit(w->q.ctx, status);
}

/* ---- by points ----------------------------------------------------------------------------- */

/* The index in the box of the value at a point; false: undefined there, or outside the box. */
static bool place(const work *w, const zl_value_reader *a, uint64_t i, uint64_t *at)
{
    int64_t values[64], flat;
    *at = 0;
    if (is_flat(w)) {
        if (!zl_reader_value(a, i, &flat) || flat < 0) return false;
        *at = (uint64_t)flat;
        return *at < w->points;
    }
    if (w->q.a->table->tuple(w->q.a, i, values)) return false;
    for (size_t d = w->count; d-- > 0;) {
        if (values[d] < 0 || (uint64_t)values[d] >= w->onto[d]) return false;
        *at = *at * w->onto[d] + (uint64_t)values[d];
    }
    return true;
}

/* As many values as points at most, so one of the first size + 1 is missed if any is. */
static zlay_status points(work *w, bool *decided)
{
    uint64_t size = w->q.a->size, room = w->points <= size ? w->points : size + 1, at = 0;
    *decided = false;
    if (size > zl_limits(w->q.ctx)->points || w->count > 64) return ZLAY_OK;
    uint8_t *seen = zl_scratch(w->q.ctx, room, 1);
    if (!seen) return ZLAY_ENOMEM;
    zl_value_reader a = {w->q.a, {0}};
    zlay_status status = is_flat(w) ? zl_reader_begin(w->q.ctx, &a, w->q.a) : ZLAY_OK;
    *decided = true;
    for (uint64_t i = 0; i < size && !status; i++) {
        status = zl_reader_charge(w->q.ctx, &a, i);
        if (place(w, &a, i, &at) && at < room) seen[at] = 1;
    }
    for (at = 0; at < room && seen[at];) at++;
    if (at < room) miss(w, at);
    zl_reader_end(&a);
    return status;
}

/* ---- pieces that are sums: as many values inside the box as it has points -------------------- */

/* Points of the sums whose values all lie in the box; false where a sum lies on its border. */
static bool inside(const work *w, const zl_sums *s, uint64_t *points, bool *zero)
{
    *points = 0;
    *zero = false;
    for (size_t i = 0; i < s->count; i++) {
        const zl_sums_part *p = &s->part[i];
        bool below = p->greatest < 0,
             above = p->sum.least >= 0 && (uint64_t)p->sum.least >= w->points;
        *zero = *zero || p->sum.least <= 0;
        if (below || above) continue;
        if (p->sum.least < 0 || (uint64_t)p->greatest >= w->points) return false;
        *points += p->points;
    }
    return true;
}

static zl_found has_value(work *w, const zl_sums *s, uint64_t value)
{
    zl_found found = ZL_NOT_FOUND;
    for (size_t i = 0; i < s->count && found == ZL_NOT_FOUND; i++)
        found = zl_sum_has(&s->part[i].sum, (int64_t)value, &w->budget);
    return found;
}

/* The values from 0 on, one by one, as long as the budget lasts: a first gap is seldom far. */
static void first_missed(work *w, const zl_sums *s, bool *decided)
{
    zl_found found = ZL_FOUND;
    uint64_t v = 0;
    while (found == ZL_FOUND && v < w->points && v <= INT64_MAX) {
        if (!zl_budget_take(&w->budget)) return;
        found = has_value(w, s, v);
        v += found == ZL_FOUND;
    }
    *decided = found != ZL_TOO_MANY && (found == ZL_NOT_FOUND || v == w->points);
    if (*decided && v < w->points) miss(w, v);
}

static zlay_status count_sums(work *w, const zl_sums *s, bool *decided)
{
    uint64_t points, pair[2];
    zlay_answer injective = ZLAY_UNDECIDED;
    bool zero, whole = inside(w, s, &points, &zero);
    *decided = whole && !zero;
    if (*decided) return miss(w, 0);
    if (!whole || points != w->points) return first_missed(w, s, decided), ZLAY_OK;
    zlay_status status = zl_is_injective(w->q.ctx, &injective, pair, w->q.a);
    *decided = injective == ZLAY_YES;
    if (!status && !*decided) first_missed(w, s, decided);
    return status;
}

static zlay_status sums(work *w, bool *decided)
{
    zl_sums s;
    *decided = false;
    if (!is_flat(w) || !zl_is_pieces(w->q.a)) return ZLAY_OK;
    zl_mark mark = zl_scratch_mark(w->q.ctx);
    zlay_status status = zl_sums_of(w->q.ctx, &s, w->q.a);
    if (!status) status = count_sums(w, &s, decided);
    zl_scratch_release(w->q.ctx, mark);
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

/* ---- the methods, tried in order ----------------------------------------------------------- */

static zlay_status ask_engine(work *w, const zl_pieces *p)
{
    zl_isl_point where;
    zlay_status status = zl_isl_surjective(w->q.ctx, &w->q.answer, &where, p, w->onto);
    if (status || w->q.answer != ZLAY_NO) return status;
    miss(w, where.index);
    return where.least ? ZLAY_OK : zl_decide_not_least(w->q.ctx);
}

static zlay_status engine(work *w, bool *decided)
{
    zlay_layout *made;
    const zl_pieces *p;
    *decided = false;
    if (zl_is_long(w->q.a)) return ZLAY_OK;
    zlay_status status = zl_as_pieces(w->q.ctx, &p, &made, w->q.a);
    *decided = !status && p && p->outs == w->count && w->count <= ZL_PIECE_VARIABLES;
    if (*decided) status = ask_engine(w, p);
    zlay_layout_free(made);
    return status;
}

static zlay_status give_up(work *w, bool *decided)
{
    *decided = true;
    return zl_decide_limit(&w->q, "points", zl_limits(w->q.ctx)->points, w->q.a->size);
}

static zlay_status (*const methods[])(work *w, bool *decided) = {
    affine, strided, modular, points, sums, engine, give_up};

static zlay_status ask(work *w)
{
    size_t outs = zlay_layout_out_count(w->q.a);
    zl_u128 points = 1, most = (zl_u128)UINT64_MAX + (outs > 1);
    for (size_t d = 0; d < w->count; d++, points *= w->onto[d - 1])
        if (!w->onto[d] || points > most / w->onto[d])
            return zl_fail(w->q.ctx, ZLAY_EINVAL, "onto: size %zu is 0, or too many points", d);
    w->points = points > UINT64_MAX ? UINT64_MAX : (uint64_t)points;
    if (w->count == 0 || (w->count > 1 && outs > 1 && outs != w->count))
        return zl_fail(w->q.ctx, ZLAY_EINVAL, "onto: %zu sizes for %zu outputs", w->count, outs);
    if (w->count == 1 && zl_lacks_sizes(w->q.a))
        return zl_fail(w->q.ctx, ZLAY_EINVAL, "onto: the %zu outputs have no sizes to count in",
                       outs);
    if (outs == 1) {
        w->onto = &w->points;
        w->count = 1;
    }
    return ZLAY_OK;
}

/* What a layout with names misses is what its sample does. */
static zlay_status of_names(zlay_ctx *ctx, zlay_answer *answer, uint64_t *missed,
                            const zlay_layout *a, uint64_t onto)
{
    zlay_layout *shown[2];
    zlay_answer again;
    zl_symbol_question q = {ZL_ASK_SURJECTIVE, a, NULL, (int64_t)onto};
    if (!onto || onto > INT64_MAX)
        return zl_fail(ctx, ZLAY_EINVAL, "onto: a size of a layout with names is in [1, 2^63)");
    zlay_status status = zl_symbols_decide(ctx, answer, shown, &q);
    *missed = UINT64_MAX;
    if (!status && shown[0]) status = zl_is_surjective(ctx, &again, missed, shown[0], &onto, 1);
    zlay_layout_free(shown[0]);
    return status;
}

static zlay_status flat_onto(zlay_ctx *ctx, uint64_t *out, const uint64_t *onto, size_t count)
{
    *out = 1;
    for (size_t d = 0; d < count; d++)
        if (!zl_umul(*out, onto[d], out))
            return zl_fail(ctx, ZLAY_EINVAL, "onto: too many points");
    return ZLAY_OK;
}

zlay_status zl_is_surjective(zlay_ctx *ctx, zlay_answer *answer, uint64_t *missed,
                             const zlay_layout *a, const uint64_t *onto, size_t count)
{
    uint64_t flat;
    if (a && a->symbols) {
        zlay_status refused = flat_onto(ctx, &flat, onto, count);
        return refused ? refused : of_names(ctx, answer, missed, a, flat);
    }
    work w = {.q = {ctx, a, NULL, ZLAY_YES}, .onto = onto, .count = count,
              .budget = {zl_limits(ctx)->points, ctx}};
    bool decided = false;
    zlay_status status = zl_without_parameters(ctx, a);
    zl_mark mark = zl_scratch_mark(ctx);
    if (!status) status = ask(&w);
    for (size_t i = 0; i < ZL_COUNT(methods) && !decided && !status; i++)
        status = methods[i](&w, &decided);
    zl_scratch_release(ctx, mark);
    if (status) return status;
    *answer = w.q.answer;
    *missed = w.missed;
    return ZLAY_OK;
}

zlay_status zlay_layout_is_surjective(zlay_ctx *ctx, zlay_answer *answer, uint64_t *missed,
                                      const zlay_layout *layout, const uint64_t *onto,
                                      size_t count)
{
    uint64_t least;
    if (!answer || !onto) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_is_surjective(ctx, answer, &least, layout, onto, count);
    if (!status && missed && *answer == ZLAY_NO) *missed = least;
    return zl_leave_answer(ctx, status, answer);
}
