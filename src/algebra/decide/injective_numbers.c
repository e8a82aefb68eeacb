/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a layout without unknown names has no value twice: by bases over F2, by differences of
 * sums (a subset-sum search), by modular sums, by all points, by sums of pieces, by isl. */
#include "algebra/decide/decide.h"
#include "algebra/presburger/isl/isl.h"
#include "algebra/f2/modular.h"
#include "algebra/image/sums.h"
#include "algebra/find/table.h"

typedef struct work {
    zl_question q;
    uint64_t i, j; /* of one value, where the answer is NO */
} work;

static void collide(work *w, uint64_t i, uint64_t j)
{
    w->q.answer = ZLAY_NO;
    w->i = i < j ? i : j;
    w->j = i < j ? j : i;
}

/* ---- F2: injective exactly when the bases are independent ------------------------------ */

static zlay_status affine(work *w, bool *decided)
{
    zl_affine map;
    zl_f2_span span;
    *decided = zl_affine_of(&map, w->q.a);
    if (!*decided) return ZLAY_OK;
    zl_span_begin(&span);
    w->q.answer = ZLAY_YES;
    for (unsigned k = 0; k < map.bits && w->q.answer; k++) {
        uint64_t from = (uint64_t)1 << k;
        if (!zl_span_add(&span, map.basis[k], &from)) collide(w, 0, from);
    }
    return ZLAY_OK;
}

/* ---- strided: no difference vector d but 0 with sum of step * d = 0, |d| <= most --------- */

/* d of the sum's term `of` is scale * d of this one. */
typedef struct part {
    zl_term term;
    uint64_t scale;
    size_t of;
} part;

typedef struct core {
    size_t count;
    part part[ZL_TERMS_MOST];
} core;

/* Each step is longer than all lesser ones reach: no sum is met twice. */
static bool nests(const zl_sum *s)
{
    uint64_t reach = 0;
    for (size_t i = 0; i < s->count; reach += s->term[i].step * s->term[i].most, i++)
        if (s->term[i].step <= reach) return false;
    return true;
}

static void drop(core *c, size_t k)
{
    c->count--;
    for (; k < c->count; k++) c->part[k] = c->part[k + 1];
}

/* The others' sums are multiples of their gcd, so d is one of m, and they have a reach, which a
 * longer step cannot balance. */
static bool shrink(core *c, size_t k)
{
    uint64_t others = 0;
    zl_u128 reach = 0;
    for (size_t j = 0; j < c->count; j++) {
        if (j == k) continue;
        others = zl_gcd(others, c->part[j].term.step);
        reach += (zl_u128)c->part[j].term.step * c->part[j].term.most;
    }
    zl_term *t = &c->part[k].term;
    uint64_t m = others ? others / zl_gcd(others, t->step) : 0;
    if (!m || m > t->most || (zl_u128)t->step * m > reach) return drop(c, k), true;
    t->most /= m;
    t->step *= m;
    c->part[k].scale *= m;
    return m > 1;
}

static void sort(core *c)
{
    for (size_t i = 1; i < c->count; i++)
        for (size_t j = i; j && c->part[j].term.step < c->part[j - 1].term.step; j--) {
            part held = c->part[j];
            c->part[j] = c->part[j - 1];
            c->part[j - 1] = held;
        }
}

static void core_of(core *c, const zl_sum *s)
{
    bool again = true;
    c->count = s->count;
    for (size_t i = 0; i < s->count; i++) c->part[i] = (part){s->term[i], 1, i};
    while (again) {
        again = false;
        for (size_t k = c->count; k-- > 0;) again = shrink(c, k) || again;
    }
    sort(c);
}

/* With d of term `lead` at least 1 and those above it 0, shifted to coordinates from 0. */
static zl_found balance(const core *c, size_t lead, uint64_t *x, zl_budget *budget)
{
    zl_term term[ZL_TERMS_MOST];
    zl_i128 target = -(zl_i128)c->part[lead].term.step;
    for (size_t j = 0; j <= lead; j++) {
        term[j] = c->part[j].term;
        if (j == lead) term[j].most -= 1;
        else {
            target += (zl_i128)term[j].step * (zl_i128)term[j].most;
            term[j].most *= 2;
        }
    }
    return zl_sum_solve(x, term, lead + 1, target, budget);
}

/* d as two points: its positive and its negative part. */
static void collide_at(work *w, const zl_sum *s, const core *c, size_t lead, const uint64_t *x)
{
    uint64_t p[ZL_TERMS_MOST] = {0}, q[ZL_TERMS_MOST] = {0};
    for (size_t j = 0; j <= lead; j++) {
        uint64_t zero = j == lead ? 0 : c->part[j].term.most, at = j == lead ? x[j] + 1 : x[j];
        if (at > zero) p[c->part[j].of] = (at - zero) * c->part[j].scale;
        else q[c->part[j].of] = (zero - at) * c->part[j].scale;
    }
    collide(w, zl_sum_index(s, p), zl_sum_index(s, q));
}

static bool search(work *w, const zl_sum *s)
{
    zl_budget budget = {zl_limits(w->q.ctx)->points, w->q.ctx};
    uint64_t x[ZL_TERMS_MOST];
    core c;
    core_of(&c, s);
    w->q.answer = ZLAY_YES;
    for (size_t lead = 1; lead < c.count; lead++) {
        zl_found found = balance(&c, lead, x, &budget);
        if (found == ZL_TOO_MANY) return false;
        if (found == ZL_FOUND) return collide_at(w, s, &c, lead, x), true;
    }
    return true;
}

static zlay_status strided(work *w, bool *decided)
{
    zl_sum s;
    *decided = false;
    if (!w->q.a->modes) return ZLAY_OK;
    zl_sum_of(&s, w->q.a);
    *decided = true;
    w->q.answer = ZLAY_YES;
    if (s.still) collide(w, 0, s.still);
    else if (!nests(&s)) *decided = search(w, &s);
    return ZLAY_OK;
}

/* ---- modular: subset sums ------------------------------------------------------------------ */

static zlay_status modular(work *w, bool *decided)
{
    uint64_t pair[2] = {0, 0};
    *decided = w->q.a->kind == ZLAY_LAYOUT_MODULAR;
    if (!*decided) return ZLAY_OK;
    zlay_status status = zl_modular_injective(w->q.ctx, &w->q.answer, pair, w->q.a);
    *decided = !status;
    if (*decided && w->q.answer == ZLAY_NO) collide(w, pair[0], pair[1]);
    return zl_unless_limit(w->q.ctx, status);
}

/* ---- by points ----------------------------------------------------------------------------- */

/* More points than values within the span have two of one value among the first span + 2. */
static uint64_t points_of(const zlay_layout *a)
{
    zl_sum s;
    if (!a->modes) return a->size;
    zl_sum_of(&s, a);
    uint64_t span = zl_sum_span(&s);
    return span < a->size - 1 ? span + 2 : a->size;
}

static zlay_status points(work *w, bool *decided)
{
    const zlay_layout *a = w->q.a;
    uint64_t count = points_of(a);
    zl_values seen;
    zl_value_reader reader;
    *decided = false;
    if (count > zl_limits(w->q.ctx)->points) return ZLAY_OK;
    zlay_status status = zl_values_new(w->q.ctx, &seen, count);
    if (status) return status;
    status = zl_reader_begin(w->q.ctx, &reader, a);
    *decided = true;
    w->q.answer = ZLAY_YES;
    for (uint64_t i = 0; i < count && w->q.answer && !status; i++) {
        int64_t value;
        uint64_t first = i;
        status = zl_reader_charge(w->q.ctx, &reader, i);
        if (zl_reader_value(&reader, i, &value) && !zl_values_add(&seen, value, &first))
            collide(w, first, i);
    }
    zl_reader_end(&reader);
    return status;
}

/* ---- pieces that are sums: each by itself, then each with each ------------------------------- */

static bool one_sum(work *w, const zl_sums_part *p)
{
    bool decided = true;
    w->q.answer = ZLAY_YES;
    if (p->sum.still) collide(w, 0, p->sum.still);
    else if (!nests(&p->sum)) decided = search(w, &p->sum);
    w->i += p->first;
    w->j += p->first;
    return decided;
}

static bool two_sums(work *w, const zl_sums_part *p, const zl_sums_part *q, zl_budget *budget)
{
    uint64_t x[ZL_TERMS_MOST], y[ZL_TERMS_MOST];
    if (p->greatest < q->sum.least || q->greatest < p->sum.least) return true;
    zl_found found = zl_sums_meet(x, y, &p->sum, &q->sum, budget);
    if (found == ZL_FOUND) collide(w, zl_sums_index(p, x), zl_sums_index(q, y));
    return found != ZL_TOO_MANY;
}

/* In the order of least values, those from where one begins to where it ends can meet it. */
static bool all_sums(work *w, const zl_sums *s, const size_t *order)
{
    zl_budget budget = {zl_limits(w->q.ctx)->points, w->q.ctx};
    bool decided = true;
    w->q.answer = ZLAY_YES;
    for (size_t i = 0; i < s->count && decided && w->q.answer; i++)
        decided = one_sum(w, &s->part[i]);
    for (size_t i = 0; i < s->count && decided && w->q.answer; i++) {
        const zl_sums_part *p = &s->part[order[i]];
        for (size_t j = i + 1; j < s->count && decided && w->q.answer; j++) {
            if (s->part[order[j]].sum.least > p->greatest) break;
            decided = two_sums(w, p, &s->part[order[j]], &budget);
        }
    }
    return decided;
}

static zlay_status in_order(work *w, const zl_sums *s, bool *decided)
{
    size_t *order = zl_scratch(w->q.ctx, s->count, sizeof *order);
    if (!order) return ZLAY_ENOMEM;
    zl_sums_by_value(s, order);
    *decided = all_sums(w, s, order);
    return ZLAY_OK;
}

static zlay_status sums(work *w, bool *decided)
{
    zl_sums s;
    *decided = false;
    if (!zl_is_pieces(w->q.a)) return ZLAY_OK;
    zl_mark mark = zl_scratch_mark(w->q.ctx);
    zlay_status status = zl_sums_of(w->q.ctx, &s, w->q.a);
    if (!status) status = in_order(w, &s, decided);
    zl_scratch_release(w->q.ctx, mark);
    return status == ZLAY_NONE ? ZLAY_OK : status;
}

static zlay_status engine(work *w, bool *decided)
{
    zl_isl_point where[2];
    zlay_layout *made;
    const zl_pieces *p;
    *decided = false;
    if (zl_is_long(w->q.a)) return ZLAY_OK;
    zlay_status status = zl_as_pieces(w->q.ctx, &p, &made, w->q.a);
    *decided = !status && p;
    if (*decided) status = zl_isl_injective(w->q.ctx, &w->q.answer, where, p);
    if (*decided && !status && w->q.answer == ZLAY_NO) collide(w, where[0].index, where[1].index);
    zlay_layout_free(made);
    return status;
}

static zlay_status give_up(work *w, bool *decided)
{
    *decided = true;
    return zl_decide_limit(&w->q, "points", zl_limits(w->q.ctx)->points, points_of(w->q.a));
}

static zlay_status (*const methods[])(work *w, bool *decided) = {modular, points, sums, engine,
                                                                 give_up};

static zlay_status search_values(work *w)
{
    bool decided = false;
    zlay_status status = ZLAY_OK;
    zl_mark mark = zl_scratch_mark(w->q.ctx);
    for (size_t i = 0; i < ZL_COUNT(methods) && !decided && !status; i++)
        status = methods[i](w, &decided);
    zl_scratch_release(w->q.ctx, mark);
    return status;
}

/* The first two take no memory. */
static zlay_status climb(work *w)
{
    bool decided = false;
    zlay_status status = zl_without_parameters(w->q.ctx, w->q.a);
    if (!status) status = affine(w, &decided);
    if (!status && !decided) status = strided(w, &decided);
    return status || decided ? status : search_values(w);
}

zlay_status zl_injective_numbers(zlay_ctx *ctx, zlay_answer *answer, uint64_t witness[2],
                                 const zlay_layout *a)
{
    work w = {.q = {.ctx = ctx, .a = a}};
    zlay_status status = climb(&w);
    if (status) return status;
    *answer = w.q.answer;
    witness[0] = w.i;
    witness[1] = w.j;
    return ZLAY_OK;
}
