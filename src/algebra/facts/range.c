/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals times congruences: the reduced product, and arithmetic on it.
 *
 * Ends are computed in 128 bits, where every product of two 64-bit ends fits and "no bound" is a
 * number beyond all of them; an end that does not fit 64 bits afterwards is none. */
#include "algebra/facts/facts.h"
#include "base/arith.h"

typedef zl_i128 wide;

#define NONE_LO (-((wide)1 << 126))
#define NONE_HI ((wide)1 << 126)

static wide lo_of(zlay_range a) { return a.mod && a.lo == INT64_MIN ? NONE_LO : a.lo; }
static wide hi_of(zlay_range a) { return a.mod && a.hi == INT64_MAX ? NONE_HI : a.hi; }

static wide least(wide a, wide b) { return a < b ? a : b; }
static wide greatest(wide a, wide b) { return a > b ? a : b; }

/* ---- making ------------------------------------------------------------------------ */

zlay_range zl_range_all(void) { return (zlay_range){INT64_MIN, INT64_MAX, 1, 0}; }
zlay_range zl_range_empty(void) { return (zlay_range){1, 0, 1, 0}; }
zlay_range zl_range_constant(int64_t value) { return (zlay_range){value, value, 0, value}; }

/* A modulus that does not fit 64 bits gives way to its power of two: that is an alignment. */
static wide fit(wide mod)
{
    wide two = mod & -mod;
    if (mod <= INT64_MAX) return mod;
    return two < (wide)1 << 62 ? two : (wide)1 << 62;
}

/* Ends at members of the congruence; one member is a constant.  mod 0 says that rem is the value,
 * of which a congruence stays where the value does not fit. */
static zlay_range reduced(wide lo, wide hi, wide mod, wide rem)
{
    if (!mod) lo = greatest(lo, rem), hi = least(hi, rem), mod = (wide)1 << 62;
    mod = fit(mod);
    rem = zl_floor_mod_128(rem, mod);
    if (lo > NONE_LO) lo += zl_floor_mod_128(rem - lo, mod);
    if (hi < NONE_HI) hi -= zl_floor_mod_128(hi - rem, mod);
    if (lo > hi) return zl_range_empty();
    if (lo == hi && lo >= INT64_MIN && lo <= INT64_MAX) return zl_range_constant((int64_t)lo);
    zlay_range out = {INT64_MIN, INT64_MAX, (int64_t)mod, (int64_t)rem};
    if (lo > INT64_MIN) out.lo = lo > INT64_MAX ? INT64_MAX : (int64_t)lo;
    if (hi < INT64_MAX) out.hi = hi < INT64_MIN ? INT64_MIN : (int64_t)hi;
    return out;
}

zlay_range zl_range_wide(wide lo, wide hi, wide mod, wide rem) { return reduced(lo, hi, mod, rem); }

zlay_range zl_range_between(int64_t lo, int64_t hi)
{
    return reduced(lo == INT64_MIN ? NONE_LO : lo, hi == INT64_MAX ? NONE_HI : hi, 1, 0);
}

zlay_range zl_range_congruent(int64_t rem, int64_t mod)
{
    return reduced(NONE_LO, NONE_HI, mod, rem);
}

bool zl_range_has(zlay_range a, int64_t value)
{
    if (value < a.lo || value > a.hi) return false;
    return a.mod ? zl_floor_mod_128(value, a.mod) == a.rem : value == a.rem;
}

/* ---- lattice ----------------------------------------------------------------------- */

/* Both congruences, by the Chinese remainder theorem; where the common modulus does not fit, the
 * greater of the two is kept. */
static zlay_range both(wide lo, wide hi, zlay_range a, zlay_range b)
{
    wide g = zl_gcd_128(a.mod, b.mod), n = b.mod / g;
    if (zl_floor_mod_128((wide)a.rem - b.rem, g)) return zl_range_empty();
    if (a.mod * n > INT64_MAX) {
        zlay_range c = a.mod > b.mod ? a : b;
        return reduced(lo, hi, c.mod, c.rem);
    }
    wide t = zl_floor_mod_128(
        zl_floor_mod_128(((wide)b.rem - a.rem) / g, n) * zl_inverse_modulo(a.mod / g, n), n);
    return reduced(lo, hi, a.mod * n, a.rem + a.mod * t);
}

zlay_range zl_range_meet(zlay_range a, zlay_range b)
{
    if (zl_range_is_empty(a) || zl_range_is_empty(b)) return zl_range_empty();
    if (!a.mod) return zl_range_has(b, a.rem) ? a : zl_range_empty();
    if (!b.mod) return zl_range_has(a, b.rem) ? b : zl_range_empty();
    return both(greatest(lo_of(a), lo_of(b)), least(hi_of(a), hi_of(b)), a, b);
}

static zlay_range joined(wide lo, wide hi, zlay_range a, zlay_range b)
{
    return reduced(lo, hi, zl_gcd_128(zl_gcd_128(a.mod, b.mod), (wide)a.rem - b.rem), a.rem);
}

zlay_range zl_range_join(zlay_range a, zlay_range b)
{
    if (zl_range_is_empty(a)) return b;
    if (zl_range_is_empty(b)) return a;
    return joined(least(lo_of(a), lo_of(b)), greatest(hi_of(a), hi_of(b)), a, b);
}

/* ---- arithmetic -------------------------------------------------------------------- */

static wide add_ends(wide a, wide b, wide none)
{
    return a == none || b == none ? none : a + b;
}

zlay_range zl_range_add(zlay_range a, zlay_range b)
{
    return reduced(add_ends(lo_of(a), lo_of(b), NONE_LO), add_ends(hi_of(a), hi_of(b), NONE_HI),
                   zl_gcd_128(a.mod, b.mod), (wide)a.rem + b.rem);
}

static bool is_end(wide a) { return a > NONE_LO && a < NONE_HI; }

/* No bound times 0 is 0. */
static wide times(wide a, wide b)
{
    if (!a || !b) return 0;
    if (is_end(a) && is_end(b)) return a * b;
    return (a < 0) == (b < 0) ? NONE_HI : NONE_LO;
}

typedef wide corner(wide a, wide b);

/* The extremes of what is monotone in each operand. */
static void corners(wide ends[2], corner *at, zlay_range a, wide b_lo, wide b_hi)
{
    wide x = at(lo_of(a), b_lo), y = at(lo_of(a), b_hi);
    wide z = at(hi_of(a), b_lo), w = at(hi_of(a), b_hi);
    ends[0] = least(least(x, y), least(z, w));
    ends[1] = greatest(greatest(x, y), greatest(z, w));
}

/* (r + m k)(s + n l) = r s + r n l + s m k + m n k l. */
zlay_range zl_range_mul(zlay_range a, zlay_range b)
{
    wide ends[2];
    wide g = zl_gcd_128(zl_gcd_128((wide)a.rem * b.mod, (wide)b.rem * a.mod), (wide)a.mod * b.mod);
    corners(ends, times, a, lo_of(b), hi_of(b));
    return reduced(ends[0], ends[1], g, (wide)a.rem * b.rem);
}

zlay_range zl_range_scale(zlay_range a, int64_t factor)
{
    return zl_range_mul(a, zl_range_constant(factor));
}

zlay_range zl_range_min(zlay_range a, zlay_range b)
{
    if (hi_of(a) <= lo_of(b)) return a;
    if (hi_of(b) <= lo_of(a)) return b;
    return joined(least(lo_of(a), lo_of(b)), least(hi_of(a), hi_of(b)), a, b);
}

zlay_range zl_range_max(zlay_range a, zlay_range b)
{
    if (hi_of(a) <= lo_of(b)) return b;
    if (hi_of(b) <= lo_of(a)) return a;
    return joined(greatest(lo_of(a), lo_of(b)), greatest(hi_of(a), hi_of(b)), a, b);
}

/* ---- division ---------------------------------------------------------------------- */

static wide quotient(wide a, wide b)
{
    return is_end(a) ? zl_floor_div_128(a, b) : (a < 0) == (b < 0) ? NONE_HI : NONE_LO;
}

/* floor((r + m k) / n) = floor(r / n) + (m / n) k where n divides m. */
static zlay_range divide_by(zlay_range a, wide lo, wide hi)
{
    wide ends[2], mod = 1, rem = 0;
    corners(ends, quotient, a, lo, hi);
    if (lo == hi && a.mod % lo == 0) {
        mod = a.mod / lo;
        rem = zl_floor_div_128(a.rem, lo);
    }
    return reduced(ends[0], ends[1], mod < 0 ? -mod : mod, rem);
}

zlay_range zl_range_floor_div(zlay_range a, zlay_range b)
{
    zlay_range out = zl_range_empty();
    wide lo = lo_of(b), hi = hi_of(b);
    if (hi > 0) out = divide_by(a, greatest(lo, 1), hi);
    if (lo < 0) out = zl_range_join(out, divide_by(a, lo, least(hi, -1)));
    return out;
}

/* a mod b = a - b floor(a / b): the residues that a has modulo every b, and its own interval where
 * no multiple of a constant b lies inside. */
static zlay_range residues(zlay_range a, zlay_range b, wide lo, wide hi)
{
    wide g = zl_gcd_128(a.mod, zl_gcd_128(b.mod, b.rem));
    bool one = !b.mod && is_end(lo_of(a)) && is_end(hi_of(a));
    if (one && zl_floor_div_128(lo_of(a), b.rem) == zl_floor_div_128(hi_of(a), b.rem)) {
        wide shift = b.rem * zl_floor_div_128(lo_of(a), b.rem);
        return reduced(lo_of(a) - shift, hi_of(a) - shift, a.mod, a.rem - shift);
    }
    return reduced(lo, hi, g, a.rem);
}

zlay_range zl_range_mod(zlay_range a, zlay_range b)
{
    wide lo = lo_of(b), hi = hi_of(b);
    if (!lo && !hi) return zl_range_empty();
    if (lo > 0 && lo_of(a) >= 0) {
        if (hi_of(a) < lo) return a;
        return residues(a, b, 0, least(hi - 1, hi_of(a)));
    }
    return residues(a, b, least(lo + 1, 0), greatest(hi - 1, 0));
}

/* ---- equations and inequalities of one unknown ------------------------------------- */

static zlay_range at_most(wide factor, wide bound)
{
    if (bound >= NONE_HI) return zl_range_all();
    if (factor > 0) return reduced(NONE_LO, zl_floor_div_128(bound, factor), 1, 0);
    return reduced(-zl_floor_div_128(bound, -factor), NONE_HI, 1, 0);
}

zlay_range zl_range_solve_least(int64_t factor, zlay_range rest)
{
    return at_most(factor, -lo_of(rest));
}

zlay_range zl_range_solve_zero(int64_t factor, zlay_range rest)
{
    if (!rest.mod && (wide)rest.rem % factor) return zl_range_empty();
    if (!rest.mod) return reduced(NONE_LO, NONE_HI, 0, -(wide)rest.rem / factor);
    return zl_range_meet(at_most(factor, -lo_of(rest)), at_most(-(wide)factor, hi_of(rest)));
}

zlay_range zl_range_solve_mod(int64_t factor, int64_t rest, int64_t mod)
{
    wide g = zl_gcd_128(factor, mod), n = mod / g;
    if (rest % g) return zl_range_empty();
    return reduced(NONE_LO, NONE_HI, n,
                   zl_floor_mod_128(-(wide)rest / g, n) * zl_inverse_modulo(factor / g, n));
}
