/* SPDX-License-Identifier: Apache-2.0 */
/* Exact ranges of expressions of one name with + - * floor-division, remainder, min and max: on
 * each residue class of the name modulo a common multiple of what is divided by, such an expression
 * is a polynomial (Ehrhart's quasi-polynomials), piecewise where min and max change sides; the
 * ranges of all classes are joined.  The modulus is found by trying: a quotient that is no
 * polynomial over Z multiplies it.  A sum whose parts share no name is the sum of their ranges. */
#include "algebra/facts/curve.h"
#include "algebra/facts/form.h"
#include "base/arith.h"

enum {
    CLASSES_MOST = 4096, /* of the name, beside what its facts say */
    SPLITS_MOST = 16,    /* spans of a class that wait */
    DEPTH_MOST = 24,     /* values on the stack */
    PARTS_MOST = 64,     /* of a sum */
    WORK_MOST = 1 << 18  /* steps of all classes of one expression */
};

typedef enum outcome { DONE, FAILED, UNDEFINED, REFINE, SPLIT } outcome;

/* One run of steps on one class and span. */
typedef struct run {
    const zl_linears *f;
    size_t first, last, place;
    zl_i128 base, step; /* the name is base + step t */
    zl_curve_span t;
    zl_curve stack[DEPTH_MOST];
    size_t depth;
    zl_i128 more; /* with REFINE: the factor of the step */
    zl_i128 cut;  /* with SPLIT: the last t of the first part */
} run;

/* Each coefficient but the first is a multiple of n. */
static bool divides(run *r, const zl_curve *p, zl_i128 n)
{
    zl_i128 common = 0;
    for (unsigned i = 1; i <= p->degree; i++) common = zl_gcd_128(common, p->c[i]);
    r->more = n / zl_gcd_128(n, common);
    r->more = r->more < 0 ? -r->more : r->more;
    return r->more == 1;
}

static outcome divide(run *r, zl_curve *a, const zl_curve *b, bool remainder)
{
    zl_i128 n = b->c[0];
    if (b->degree) return FAILED;
    if (!n) return UNDEFINED;
    if (!divides(r, a, n)) return REFINE;
    if (remainder) *a = zl_curve_of(a->c[0] - n * zl_floor_div_128(a->c[0], n));
    for (unsigned i = 0; !remainder && i <= a->degree; i++) a->c[i] = zl_floor_div_128(a->c[i], n);
    return DONE;
}

static outcome extreme(run *r, zl_curve *a, const zl_curve *b, bool greatest)
{
    zl_curve apart;
    int sign;
    if (!zl_curve_add(&apart, a, b, -1) || !zl_curve_sign(&sign, &r->cut, &apart, &r->t))
        return FAILED;
    if (!sign) return SPLIT;
    if ((sign > 0) != greatest) *a = *b;
    return DONE;
}

static outcome apply(run *r, int op, zl_curve *a, const zl_curve *b)
{
    switch (op) {
    case ZL_LINEAR_ADD: return zl_curve_add(a, a, b, 1) ? DONE : FAILED;
    case ZL_LINEAR_SUB: return zl_curve_add(a, a, b, -1) ? DONE : FAILED;
    case ZL_LINEAR_MUL: return zl_curve_mul(a, a, b) ? DONE : FAILED;
    case ZL_LINEAR_DIV: return divide(r, a, b, false);
    case ZL_LINEAR_MOD: return divide(r, a, b, true);
    case ZL_LINEAR_MIN: return extreme(r, a, b, false);
    case ZL_LINEAR_MAX: return extreme(r, a, b, true);
    default: return FAILED;
    }
}

static outcome take(run *r, const zl_linear_step *s)
{
    zl_curve minus = zl_curve_of(-1);
    if (s->op == ZL_LINEAR_NEG) {
        zl_curve *top = &r->stack[r->depth - 1];
        return zl_curve_mul(top, top, &minus) ? DONE : FAILED;
    }
    if (s->op >= 0) {
        r->depth--;
        return apply(r, s->op, &r->stack[r->depth - 1], &r->stack[r->depth]);
    }
    if (r->depth == DEPTH_MOST) return FAILED;
    zl_curve *new = &r->stack[r->depth++];
    *new = zl_curve_of(s->op == ZL_STEP_NUMBER ? s->number : r->base);
    if (s->op == ZL_STEP_NAME) new->c[1] = r->step, new->degree = 1;
    return DONE;
}

static outcome steps(run *r)
{
    outcome done = DONE;
    r->depth = 0;
    for (size_t i = r->first; i <= r->last && done == DONE; i++) done = take(r, &r->f->step[i]);
    return done;
}

/* ---- classes ----------------------------------------------------------------------- */

/* What the parts of a sum have in one class: values on spans are joined, spans are split. */
typedef struct sum {
    const zl_linears *f;
    const size_t *end; /* the last steps of the parts */
    const int *sign;
    size_t count, work;
    zlay_range range;
} sum;

static outcome add_parts(sum *s, run *r, zl_curve *total)
{
    *total = zl_curve_of(0);
    for (size_t i = 0; i < s->count; i++) {
        r->last = s->end[i];
        r->first = s->f->step[r->last].first;
        s->work += r->last - r->first + 1;
        if (zl_charge(s->f->u->ctx, 4 * (r->last - r->first + 1))) return FAILED;
        outcome done = steps(r);
        if (done != DONE) return done;
        if (!zl_curve_add(total, total, &r->stack[0], s->sign[i])) return FAILED;
    }
    return s->work > WORK_MOST ? FAILED : DONE;
}

static outcome one_class(sum *s, run *r, zl_curve_span t)
{
    zl_curve_span wait[SPLITS_MOST];
    size_t count = 1;
    zl_curve total;
    zlay_range range;
    for (wait[0] = t; count;) {
        r->t = wait[--count];
        outcome done = add_parts(s, r, &total);
        if (done == FAILED || done == REFINE) return done;
        if (done == SPLIT) {
            zl_curve_span left = r->t, right = r->t;
            if (count + 2 > SPLITS_MOST) return FAILED;
            left.no_hi = right.no_lo = false;
            left.hi = r->cut;
            right.lo = r->cut + 1;
            wait[count++] = left;
            wait[count++] = right;
        } else if (done == DONE) {
            if (!zl_curve_range(&range, &total, &r->t)) return FAILED;
            s->range = zl_range_join(s->range, range);
        }
    }
    return DONE;
}

/* The t with lo <= base + step t <= hi; false: none. */
static bool span_of(zl_curve_span *t, const run *r, zlay_range x)
{
    *t = (zl_curve_span){0, 0, x.mod && x.lo == INT64_MIN, x.mod && x.hi == INT64_MAX};
    if (!t->no_lo) t->lo = -zl_floor_div_128(r->base - x.lo, r->step);
    if (!t->no_hi) t->hi = zl_floor_div_128(x.hi - r->base, r->step);
    return t->no_lo || t->no_hi || t->lo <= t->hi;
}

static outcome all_classes(sum *s, run *r, zlay_range x)
{
    zl_i128 mod = x.mod ? x.mod : 1;
    outcome done = DONE;
    s->range = zl_range_empty();
    for (zl_i128 base = x.rem; base < x.rem + r->step && done == DONE; base += mod) {
        zl_curve_span t;
        r->base = base;
        if (span_of(&t, r, x)) done = one_class(s, r, t);
    }
    return done;
}

/* The sum of parts that have the one name `place`. */
static bool sum_of_one(sum *s, size_t place)
{
    zlay_range x = s->f->u->at[place].range;
    zl_i128 mod = x.mod ? x.mod : 1;
    run r = {.f = s->f, .place = place, .step = mod};
    outcome done = REFINE;
    while (done == REFINE && r.step / mod <= CLASSES_MOST) {
        done = all_classes(s, &r, x);
        if (done == REFINE) r.step *= r.more;
        if (r.more > CLASSES_MOST) return false;
    }
    return done == DONE;
}

/* ---- sums --------------------------------------------------------------------------- */

/* The parts of a sum: its last step, its sign. */
typedef struct parts {
    size_t count, end[PARTS_MOST];
    int sign[PARTS_MOST];
} parts;

/* A sum, difference or negation becomes its operands. */
static bool part_open(parts *p, const zl_linears *f, size_t i)
{
    size_t end = p->end[i];
    int op = f->step[end].op, sign = p->sign[i];
    if (op == ZL_LINEAR_NEG) {
        p->end[i] = end - 1;
        p->sign[i] = -sign;
        return true;
    }
    if ((op != ZL_LINEAR_ADD && op != ZL_LINEAR_SUB) || p->count == PARTS_MOST) return false;
    p->end[i] = f->step[end - 1].first - 1;
    p->end[p->count] = end - 1;
    p->sign[p->count++] = op == ZL_LINEAR_SUB ? -sign : sign;
    return true;
}

static bool is_single(uint64_t names) { return names && !(names & (names - 1)); }

/* Parts with the names of `names`, and those that share a name with them, moved to the front of
 * those from `first` on; returns one past the last. */
static size_t gather(parts *p, const zl_linears *f, size_t first, uint64_t *names)
{
    size_t end = first + 1;
    *names = f->step[p->end[first]].names;
    for (size_t i = end; i < p->count; i++) {
        size_t held = p->end[i];
        int sign = p->sign[i];
        if (!(f->step[held].names & *names)) continue;
        *names |= f->step[held].names;
        p->end[i] = p->end[end], p->sign[i] = p->sign[end];
        p->end[end] = held, p->sign[end] = sign;
        i = end++;
    }
    return end;
}

static zlay_range group_range(const parts *p, const zl_linears *f, size_t first, size_t end,
                              uint64_t names)
{
    sum s = {.f = f, .end = p->end + first, .sign = p->sign + first, .count = end - first};
    zlay_range range = zl_range_constant(0);
    if (is_single(names) && sum_of_one(&s, (size_t)__builtin_ctzll(names))) return s.range;
    for (size_t i = first; i < end; i++)
        range = zl_range_add(range, zl_range_scale(f->step[p->end[i]].range, p->sign[i]));
    return range;
}

zlay_range zl_linear_exact(const zl_linears *f)
{
    parts p = {1, {f->steps - 1}, {1}};
    zlay_range range = zl_range_constant(0);
    uint64_t names;
    if (!f->whole || !f->steps) return zl_range_all();
    for (size_t i = 0; i < p.count;)
        if (!part_open(&p, f, i)) i++;
    for (size_t first = 0, end; first < p.count; first = end) {
        end = gather(&p, f, first, &names);
        zlay_range part = group_range(&p, f, first, end, names);
        if (zl_range_is_empty(part)) return part;
        range = zl_range_add(range, part);
    }
    return range;
}

zlay_range zl_step_exact(const zl_linears *f, size_t last)
{
    static const int plus = 1;
    sum s = {.f = f, .end = &last, .sign = &plus, .count = 1};
    uint64_t names = f->step[last].names;
    bool known = is_single(names) && sum_of_one(&s, (size_t)__builtin_ctzll(names));
    return known ? s.range : zl_range_all();
}
