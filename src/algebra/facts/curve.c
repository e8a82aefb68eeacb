/* SPDX-License-Identifier: Apache-2.0 */
/* The least interval and congruence of an integer polynomial on an interval, exactly.  A polynomial
 * rises or falls between the sign changes of its first difference, which is one degree lower; so
 * the turning points come from the highest difference down, each by bisection.  Without an end the
 * search stops at Cauchy's bound on the roots.  All values are congruent modulo the gcd of the
 * differences at one point (Newton's series), and modulo no more. */
#include "algebra/facts/curve.h"
#include "base/arith.h"

enum { CUTS_MOST = 64 };

#define ABSENT ((zl_i128)1 << 126) /* no bound, as in facts_range.c */

static zl_i128 magnitude(zl_i128 a) { return a < 0 ? -a : a; }

zl_curve zl_curve_of(zl_i128 value) { return (zl_curve){0, {value}}; }

/* Small enough that sums of a few do not overflow. */
static bool fits(zl_i128 a) { return magnitude(a) < ABSENT; }

static bool settle(zl_curve *p)
{
    p->degree = ZL_CURVE_DEGREE;
    while (p->degree && !p->c[p->degree]) p->degree--;
    for (unsigned i = 0; i <= p->degree; i++)
        if (!fits(p->c[i])) return false;
    return true;
}

bool zl_curve_add(zl_curve *out, const zl_curve *a, const zl_curve *b, int sign)
{
    zl_curve made = *a;
    for (unsigned i = 0; i <= b->degree; i++) made.c[i] += sign * b->c[i];
    *out = made;
    return settle(out);
}

static bool times(zl_i128 *out, zl_i128 a, zl_i128 b)
{
    return !__builtin_mul_overflow(a, b, out) && fits(*out);
}

bool zl_curve_mul(zl_curve *out, const zl_curve *a, const zl_curve *b)
{
    zl_curve made = zl_curve_of(0);
    zl_i128 product;
    if (a->degree + b->degree > ZL_CURVE_DEGREE) return false;
    for (unsigned i = 0; i <= a->degree; i++)
        for (unsigned k = 0; k <= b->degree; k++) {
            if (!times(&product, a->c[i], b->c[k])) return false;
            made.c[i + k] += product;
            if (!fits(made.c[i + k])) return false;
        }
    *out = made;
    return settle(out);
}

static bool value_at(zl_i128 *out, const zl_curve *p, zl_i128 t)
{
    *out = p->c[p->degree];
    for (unsigned i = p->degree; i-- > 0;) {
        if (!times(out, *out, t)) return false;
        *out += p->c[i];
    }
    return fits(*out);
}

/* p(t + 1) - p(t) */
static bool difference(zl_curve *out, const zl_curve *p)
{
    zl_curve made = zl_curve_of(0);
    for (unsigned i = 1; i <= p->degree; i++) {
        zl_i128 choose = 1, term;
        for (unsigned k = 0; k < i; k++) {
            if (!times(&term, choose, p->c[i])) return false;
            made.c[k] += term;
            if (!fits(made.c[k])) return false;
            choose = choose * (i - k) / (k + 1);
        }
    }
    *out = made;
    return settle(out);
}

/* ---- turning points ---------------------------------------------------------------- */

/* p and its differences, the last of which is constant. */
typedef struct family {
    zl_curve of[ZL_CURVE_DEGREE + 1];
    zl_curve_span t; /* with ends, between which all signs change */
    zl_i128 cut[CUTS_MOST];
    size_t cuts;
} family;

/* Beyond 1 + max |c| no difference has a root: the leading coefficient is 1 or more. */
static bool bounded(family *f)
{
    zl_i128 most = 0;
    for (unsigned k = 0; k <= f->of[0].degree; k++)
        for (unsigned i = 0; i <= f->of[k].degree; i++)
            if (magnitude(f->of[k].c[i]) > most) most = magnitude(f->of[k].c[i]);
    most += 2;
    if (f->t.no_lo) f->t.lo = !f->t.no_hi && f->t.hi < -most ? f->t.hi : -most;
    if (f->t.no_hi) f->t.hi = f->t.lo > most ? f->t.lo : most;
    return fits(f->t.lo) && fits(f->t.hi);
}

static bool family_of(family *f, const zl_curve *p, const zl_curve_span *t)
{
    f->of[0] = *p;
    f->t = *t;
    for (unsigned k = 1; k <= p->degree; k++)
        if (!difference(&f->of[k], &f->of[k - 1])) return false;
    return bounded(f);
}

/* The first t behind lo whose sign is not that of lo, where p rises or falls up to hi. */
static bool flip(zl_i128 *out, const zl_curve *p, zl_i128 lo, zl_i128 hi, bool *found)
{
    zl_i128 first, last, now;
    if (!value_at(&first, p, lo) || !value_at(&last, p, hi)) return false;
    *found = (first < 0) != (last < 0);
    while (*found && hi - lo > 1) {
        zl_i128 middle = lo + (hi - lo) / 2;
        if (!value_at(&now, p, middle)) return false;
        if ((now < 0) == (first < 0)) lo = middle;
        else hi = middle;
    }
    *out = hi;
    return true;
}

/* The cuts between which of[k + 1] has one sign become those of of[k]. */
static bool refine(family *f, unsigned k)
{
    zl_i128 made[CUTS_MOST];
    size_t count = 0;
    for (size_t i = 0; i + 1 < f->cuts; i++) {
        bool found;
        if (count + 3 > CUTS_MOST) return false;
        made[count++] = f->cut[i];
        if (!flip(&made[count], &f->of[k], f->cut[i], f->cut[i + 1], &found)) return false;
        count += found && made[count] < f->cut[i + 1];
    }
    made[count++] = f->cut[f->cuts - 1];
    for (size_t i = 0; i < count; i++) f->cut[i] = made[i];
    f->cuts = count;
    return true;
}

/* Cuts between which of[k] has one sign, but for the last of all. */
static bool cuts_of(family *f, unsigned k)
{
    f->cut[0] = f->t.lo;
    f->cut[1] = f->t.hi;
    f->cuts = 2;
    for (unsigned i = f->of[0].degree; i-- > k;)
        if (!refine(f, i)) return false;
    return true;
}

/* ---- ranges and signs --------------------------------------------------------------- */

/* What all values are congruent modulo; 0: there is one. */
static bool modulus(zl_i128 *out, const family *f, const zl_curve_span *t)
{
    zl_i128 last = t->no_lo || t->no_hi ? ABSENT : t->hi - t->lo, value;
    zl_i128 at = t->no_lo ? f->t.hi : f->t.lo;
    *out = 0;
    for (unsigned k = 1; k <= f->of[0].degree && (zl_i128)k <= last; k++) {
        if (!value_at(&value, &f->of[k], at)) return false;
        *out = zl_gcd_128(*out, value);
    }
    return true;
}

/* Where an end is absent: the way the values go there. */
static void open_ends(zl_i128 *lo, zl_i128 *hi, const zl_curve *p, const zl_curve_span *t)
{
    bool up = p->c[p->degree] > 0, odd = p->degree % 2;
    if (!p->degree) return;
    if (t->no_hi) *(up ? hi : lo) = up ? ABSENT : -ABSENT;
    if (t->no_lo) *(up != odd ? hi : lo) = up != odd ? ABSENT : -ABSENT;
}

bool zl_curve_range(zlay_range *out, const zl_curve *p, const zl_curve_span *t)
{
    family f;
    zl_i128 lo = ABSENT, hi = -ABSENT, value = 0, mod;
    if (!family_of(&f, p, t) || !cuts_of(&f, 1) || !modulus(&mod, &f, t)) return false;
    for (size_t i = 0; i < f.cuts; i++) {
        if (!value_at(&value, p, f.cut[i])) return false;
        lo = value < lo ? value : lo;
        hi = value > hi ? value : hi;
    }
    open_ends(&lo, &hi, p, t);
    *out = zl_range_wide(lo, hi, mod, value);
    return true;
}

bool zl_curve_sign(int *sign, zl_i128 *at, const zl_curve *p, const zl_curve_span *t)
{
    family f;
    zl_i128 first, last;
    if (!family_of(&f, p, t) || !cuts_of(&f, 0) || !value_at(&first, p, f.t.lo)) return false;
    *sign = first < 0 ? -1 : 1;
    for (size_t i = 1; i < f.cuts; i++) {
        if (!value_at(&last, p, f.cut[i])) return false;
        if ((last < 0) == (first < 0)) continue;
        *sign = 0;
        *at = f.cut[i] - 1;
        return true;
    }
    return true;
}
