/* SPDX-License-Identifier: Apache-2.0 */
/* The values of pieces that are sums among those of others.
 *
 * Where every piece of b fills an arithmetic progression of one common step d, b is a set of runs:
 * sorted by residue modulo d and by value, merged where they meet.  A piece of a is then decided
 * exactly, by one search for the run of its least value and one for a value in each gap that
 * its span crosses: n log n for pieces that cross few.  Elsewhere a piece of a must lie inside one
 * piece of b, which is looked for among those whose span holds it, in the order of least values. */
#include "algebra/decide/contained.h"
#include "base/arith.h"

/* low to high, times d, plus the residue */
typedef struct run {
    int64_t residue, low, high;
} run;

enum { TRIES_MOST = 1 << 22 };

typedef struct compare {
    const zl_sums *a, *b;
    zl_budget *budget;
    zl_budget tries; /* gaps and pieces of b that may still be looked at */
    int64_t step;   /* d; 0: b is no set of runs */
    size_t count;   /* of runs */
    run *run;
    size_t *order;  /* parts of b by their least values ... */
    int64_t *reach; /* ... and the greatest value up to each */
} compare;

/* ---- runs ------------------------------------------------------------------------------------ */

/* The values are least + d * [0, count]: d is the gcd of the steps, 0 for one value. */
static bool is_progression(const zl_sum *s, uint64_t *d)
{
    uint64_t reach = 0;
    *d = 0;
    for (size_t i = 0; i < s->count; i++) *d = zl_gcd(*d, s->term[i].step);
    for (size_t i = 0; i < s->count; reach += s->term[i].step * s->term[i].most, i++)
        if (s->term[i].step - *d > reach) return false;
    return true;
}

/* The step of all progressions of b; 0 where they have several, or a part is none. */
static int64_t common_step(const zl_sums *b)
{
    uint64_t common = 0, d;
    for (size_t j = 0; j < b->count; j++) {
        if (!is_progression(&b->part[j].sum, &d)) return 0;
        if (d && common && d != common) return 0;
        common = d ? d : common;
    }
    return common > INT64_MAX ? 0 : common ? (int64_t)common : 1;
}

static run run_of(const zl_sums_part *p, int64_t d)
{
    int64_t low = zl_floor_div(p->sum.least, d);
    int64_t high = (int64_t)((uint64_t)low + zl_sum_span(&p->sum) / (uint64_t)d);
    return (run){zl_floor_mod(p->sum.least, d), low, high};
}

static bool precedes(const run *p, const run *q)
{
    return p->residue < q->residue || (p->residue == q->residue && p->low < q->low);
}

static void sift(run *at, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        run held = at[root];
        if (child + 1 < count && precedes(&at[child], &at[child + 1])) child++;
        if (!precedes(&held, &at[child])) return;
        at[root] = at[child];
        at[child] = held;
    }
}

static void sort(run *at, size_t count)
{
    for (size_t root = count / 2; root-- > 0;) sift(at, root, count);
    while (count > 1) {
        run greatest = at[0];
        at[0] = at[--count];
        at[count] = greatest;
        sift(at, 0, count);
    }
}

static bool meets(const run *p, const run *next)
{
    return p->residue == next->residue && (next->low <= p->high || next->low - 1 == p->high);
}

static void find_runs(compare *c)
{
    size_t last = 0;
    for (size_t j = 0; j < c->b->count; j++) c->run[j] = run_of(&c->b->part[j], c->step);
    sort(c->run, c->b->count);
    for (size_t j = 1; j < c->b->count; j++) {
        run *at = &c->run[last], *next = &c->run[j];
        if (!meets(at, next)) c->run[++last] = *next;
        else if (next->high > at->high) at->high = next->high;
    }
    c->count = last + 1;
}

/* ---- a piece of a among the runs -------------------------------------------------------- */

typedef struct line {
    compare *c;
    int64_t residue;
} line;

/* How many runs begin at (residue, low) or before. */
static size_t runs_to(const compare *c, int64_t residue, int64_t low)
{
    run at = {residue, low, low};
    size_t first = 0, end = c->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (precedes(&at, &c->run[middle])) end = middle;
        else first = middle + 1;
    }
    return first;
}

/* A point of s in [low, high]. */
static zl_found point_in(uint64_t *x, const zl_sum *s, int64_t low, int64_t high, zl_budget *budget)
{
    int64_t v;
    zl_found found = zl_sum_any_in(&v, s, low, high, budget);
    if (found != ZL_FOUND) return found;
    return zl_sum_solve(x, s->term, s->count, (zl_i128)v - s->least, budget);
}

/* A point of s, which counts in steps of d, outside the runs of its residue: its first one where no
 * run has that, else one in a gap. */
static zl_found lacks_line(const void *env, uint64_t *x, const zl_sum *s, zl_budget *budget)
{
    const line *l = env;
    compare *c = l->c;
    int64_t high = (int64_t)((uint64_t)s->least + zl_sum_span(s));
    size_t k = runs_to(c, l->residue, s->least);
    if (!k || c->run[k - 1].residue != l->residue || c->run[k - 1].high < s->least) return ZL_FOUND;
    for (; c->run[k - 1].high < high; k++) {
        bool last = k == c->count || c->run[k].residue != l->residue || c->run[k].low > high;
        if (!zl_budget_take(&c->tries)) return ZL_TOO_MANY;
        zl_found found = point_in(x, s, c->run[k - 1].high + 1, last ? high : c->run[k].low - 1,
                                  budget);
        if (found != ZL_NOT_FOUND || last) return found;
    }
    return ZL_NOT_FOUND;
}

/* s in steps of d; false: it has several residues. */
static bool divided(zl_sum *out, const zl_sum *s, int64_t d)
{
    *out = *s;
    out->least = zl_floor_div(s->least, d);
    for (size_t i = 0; i < s->count; i++) {
        if (s->term[i].step % (uint64_t)d) return false;
        out->term[i].step /= (uint64_t)d;
    }
    return true;
}

/* FOUND: *index of a point whose value b lacks; *least: no lesser one of the piece does. */
static zl_found lacks_runs(compare *c, const zl_sums_part *p, uint64_t *index, bool *least)
{
    uint64_t x[ZL_TERMS_MOST] = {0};
    line l = {c, zl_floor_mod(p->sum.least, c->step)};
    zl_sum s;
    if (!divided(&s, &p->sum, c->step)) return ZL_TOO_MANY;
    zl_found found = lacks_line(&l, x, &s, c->budget);
    if (found != ZL_FOUND) return found;
    *index = zl_sum_index(&s, x);
    *least = zl_lacks_first(index, &s, lacks_line, &l, c->budget);
    *index += p->first;
    return found;
}

/* ---- a piece of a in one of b's --------------------------------------------------------- */

static void find_order(compare *c)
{
    zl_sums_by_value(c->b, c->order);
    for (size_t j = 0; j < c->b->count; j++) {
        int64_t greatest = c->b->part[c->order[j]].greatest;
        c->reach[j] = j && c->reach[j - 1] > greatest ? c->reach[j - 1] : greatest;
    }
}

/* How many parts of b begin at the value or before. */
static size_t parts_to(const compare *c, int64_t value)
{
    size_t first = 0, end = c->b->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (c->b->part[c->order[middle]].sum.least > value) end = middle;
        else first = middle + 1;
    }
    return first;
}

/* The piece of b that has all values of p; where b has one piece, FOUND is its answer too. */
static zl_found lacks_parts(compare *c, const zl_sums_part *p, uint64_t *index, bool *least)
{
    bool one = c->b->count == 1;
    uint64_t x[ZL_TERMS_MOST];
    for (size_t j = one ? 1 : parts_to(c, p->sum.least); j-- > 0;) {
        const zl_sums_part *q = &c->b->part[c->order[j]];
        if (!one && c->reach[j] < p->greatest) break;
        if (!one && q->greatest < p->greatest) continue;
        if (!zl_budget_take(&c->tries)) return ZL_TOO_MANY;
        for (size_t i = 0; i < p->sum.count; i++) x[i] = 0;
        zl_found found = zl_sum_lacks(x, &p->sum, &q->sum, c->budget);
        if (found == ZL_FOUND && !one) continue;
        if (found != ZL_FOUND) return found;
        *index = zl_sum_index(&p->sum, x);
        *least = zl_sum_lacks_first(index, &p->sum, &q->sum, c->budget);
        *index += p->first;
        return found;
    }
    return ZL_TOO_MANY;
}

/* ---- all pieces of a -------------------------------------------------------------------- */

static zl_found lacks_piece(compare *c, const zl_sums_part *p, uint64_t *index, bool *least)
{
    zl_found found = c->step ? lacks_runs(c, p, index, least) : ZL_TOO_MANY;
    return found == ZL_TOO_MANY ? lacks_parts(c, p, index, least) : found;
}

/* A value that b lacks is an answer, whatever is known of the other pieces; their points may be
 * lesser ones. */
static zlay_answer compare_all(compare *c, uint64_t *witness, bool *least)
{
    bool decided = true, lacks = false;
    for (size_t i = 0; i < c->a->count; i++) {
        uint64_t index = 0;
        bool first = true;
        zl_found found = lacks_piece(c, &c->a->part[i], &index, &first);
        decided = decided && found != ZL_TOO_MANY;
        if (found != ZL_FOUND) continue;
        if (!lacks || index < *witness) *witness = index;
        *least = *least && first;
        lacks = true;
    }
    *least = *least && decided;
    return lacks ? ZLAY_NO : decided ? ZLAY_YES : ZLAY_UNDECIDED;
}

zlay_status zl_sums_contained(zlay_answer *answer, uint64_t *witness, bool *least,
                              const zl_sums *a, const zl_sums *b, zl_budget *budget)
{
    zlay_ctx *ctx = a->ctx;
    compare c = {.a = a, .b = b, .budget = budget, .tries = {TRIES_MOST, ctx}};
    *answer = ZLAY_UNDECIDED;
    *least = true;
    if (!b->count) return ZLAY_OK;
    c.run = zl_scratch(ctx, b->count, sizeof *c.run);
    c.order = zl_scratch(ctx, b->count, sizeof *c.order);
    c.reach = zl_scratch(ctx, b->count, sizeof *c.reach);
    if (!c.run || !c.order || !c.reach) return ZLAY_ENOMEM;
    find_order(&c);
    if ((c.step = common_step(b))) find_runs(&c);
    *answer = compare_all(&c, witness, least);
    return zl_charge(ctx, a->count + b->count);
}
