/* SPDX-License-Identifier: Apache-2.0 */
/* Open conditions as an expression of C that does not overflow: remainders are taken before they
 * are added, bounds on one name are solved for it, sums over several that may pass 64 bits are
 * taken in 128, and products come last, behind the bounds of their factors. */
#include "rules/symbolic/given.h"

#include <inttypes.h>

static int64_t floor_of(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static size_t names_in(const zl_given *g, size_t *only)
{
    size_t count = 0;
    for (size_t i = 0; i < g->names.count; i++)
        if (g->line[i]) *only = i, count++;
    return count;
}

/* Whether every partial sum stays within 64 bits for all that the facts allow. */
static bool is_short(const zl_given *g)
{
    int64_t sum = 0;
    for (size_t i = 0; i <= g->names.count; i++) {
        zlay_range r = i < g->names.count ? g->names.at[i].range : zl_range_constant(1);
        int64_t far = r.lo < -INT64_MAX || r.hi > -r.lo ? r.hi : -r.lo, part;
        if (!g->line[i]) continue;
        if (r.lo == INT64_MIN || r.hi == INT64_MAX || g->line[i] == INT64_MIN) return false;
        if (!zl_mul(g->line[i] < 0 ? -g->line[i] : g->line[i], far, &part)) return false;
        if (!zl_add(sum, part, &sum)) return false;
    }
    return true;
}

static void put_rest(zl_text *out, int64_t rest, bool first)
{
    if (first) zl_putf(out, "%" PRId64, rest);
    else if (rest > 0) zl_putf(out, " + %" PRId64, rest);
    else if (rest < 0) zl_putf(out, " - %" PRIu64, 0 - (uint64_t)rest);
}

static void put_sum(zl_text *out, const zl_given *g, const char *wide)
{
    bool first = true;
    for (size_t i = 0; i < g->names.count; i++) {
        int64_t factor = g->line[i];
        if (!factor) continue;
        zl_puts(out, first ? "" : " + ");
        if (factor != 1) zl_putf(out, "%s%" PRId64 " * ", wide, factor);
        else if (*wide) zl_puts(out, wide);
        zl_puts(out, g->names.at[i].name.text);
        first = false;
    }
    put_rest(out, g->line[g->names.count], first);
}

/* One name stands behind its own bounds. */
static void put_line(zl_text *out, const zl_given *g)
{
    size_t only = 0;
    put_sum(out, g, names_in(g, &only) < 2 || is_short(g) ? "" : "(__int128)");
}

static bool put_bound(zl_text *out, const char *name, const char *how, int64_t bound, bool behind)
{
    zl_putf(out, "%s%s %s %" PRId64, behind ? " && " : "", name, how, bound);
    return true;
}

/* lo <= factor x + rest <= hi, for x; bounds that no int64_t can miss are left out. */
static void put_solved(zl_text *out, const zl_given *g, size_t only, int64_t lo, int64_t hi)
{
    int64_t factor = g->line[only], rest = g->line[g->names.count], low = 0, high = 0;
    const char *name = g->names.at[only].name.text;
    bool has_low = lo > INT64_MIN && zl_sub(lo, rest, &low) && low > INT64_MIN;
    bool has_high = hi < INT64_MAX && zl_sub(hi, rest, &high) && high > INT64_MIN, put = false;
    if (has_low) low = factor > 0 ? -floor_of(-low, factor) : floor_of(low, factor);
    if (has_high) high = factor > 0 ? floor_of(high, factor) : -floor_of(-high, factor);
    if (has_low) put = put_bound(out, name, factor > 0 ? ">=" : "<=", low, false);
    if (has_high) put = put_bound(out, name, factor > 0 ? "<=" : ">=", high, put);
    if (!put) zl_puts(out, "1");
}

static void put_range(zl_text *out, const zl_given *g, int64_t lo, int64_t hi)
{
    size_t only = 0;
    zl_linear form = {g->line, zl_range_constant(g->line[g->names.count]), true};
    zlay_range known = zl_linear_range(&form, g->names.at, g->names.count);
    if (known.lo >= lo) lo = INT64_MIN;
    if (known.hi <= hi) hi = INT64_MAX;
    if (names_in(g, &only) == 1 && g->line[only] > -INT64_MAX) {
        put_solved(out, g, only, lo, hi);
        return;
    }
    if (lo > INT64_MIN) put_line(out, g), zl_putf(out, " >= %" PRId64, lo);
    if (lo > INT64_MIN && hi < INT64_MAX) zl_puts(out, " && ");
    if (hi < INT64_MAX) put_line(out, g), zl_putf(out, " <= %" PRId64, hi);
    if (lo == INT64_MIN && hi == INT64_MAX) zl_puts(out, "1");
}

/* sum factor x + rest is a multiple of unit: what the facts say of a term is in the rest. */
typedef struct multiple {
    int64_t unit, rest; /* 0 <= rest < unit */
    size_t names, only; /* how many have a factor, and the last of them */
} multiple;

/* A name that the facts fix modulo the unit becomes a number; g->line keeps factors in [0, unit). */
static multiple multiple_of(const zl_given *g, int64_t unit)
{
    multiple m = {unit, zl_floor_mod(g->line[g->names.count], unit), 0, 0};
    uint64_t common = (uint64_t)unit;
    for (size_t i = 0; i < g->names.count; i++) {
        zlay_range term = zl_range_mod(zl_range_scale(g->names.at[i].range, g->line[i]),
                                       zl_range_constant(unit));
        g->line[i] = zl_range_is_constant(term) ? 0 : zl_floor_mod(g->line[i], unit);
        if (zl_range_is_constant(term)) m.rest = (m.rest + term.rem) % unit;
        else if (g->line[i]) m.names++, m.only = i;
        common = zl_gcd(common, (uint64_t)g->line[i]);
    }
    if (!m.names || m.rest % (int64_t)common) return m;
    m.unit /= (int64_t)common;
    m.rest /= (int64_t)common;
    for (size_t i = 0; i < g->names.count; i++) g->line[i] /= (int64_t)common;
    return m;
}

/* One name whose factor has an inverse: its residue. */
static bool put_residue(zl_text *out, const zl_given *g, const multiple *m)
{
    if (m->names != 1) return false;
    zlay_range x = zl_range_solve_mod(g->line[m->only], m->rest, m->unit);
    if (x.mod != m->unit) return false;
    bool plain = !x.rem || g->names.at[m->only].range.lo >= 0;
    zl_putf(out, plain ? "%s %% %" PRId64 : "(%s %% %" PRId64, g->names.at[m->only].name.text, x.mod);
    if (plain) zl_putf(out, " == %" PRId64, x.rem);
    else zl_putf(out, " - %" PRId64 ") %% %" PRId64 " == 0", x.rem, x.mod);
    return true;
}

static bool put_terms(zl_text *out, const zl_given *g, int64_t whole, int64_t rest)
{
    bool sum = false;
    for (size_t i = 0; i < g->names.count; i++) {
        int64_t factor = g->line[i] % whole;
        if (!factor) continue;
        zl_putf(out, "%s%s %% %" PRId64, sum ? " + " : "", g->names.at[i].name.text, whole);
        if (factor != 1) zl_putf(out, " * %" PRId64, factor);
        sum = true;
    }
    if (rest || !sum) zl_putf(out, "%s%" PRId64, sum ? " + " : "", rest);
    return sum;
}

/* Of floor(form / divisor), which a box of 4-bit values alone has: its bytes are never negative. */
static void put_halves(zl_text *out, const zl_given *g, int64_t divisor, int64_t unit)
{
    int64_t whole = divisor * unit;
    zl_puts(out, "((");
    put_terms(out, g, whole, g->line[g->names.count] % whole);
    zl_putf(out, ") %% %" PRId64 " + %" PRId64 ") %% %" PRId64 " / %" PRId64 " == 0", whole, whole,
            whole, divisor);
}

static bool all_divided(const zl_given *g, int64_t divisor)
{
    bool all = true;
    for (size_t i = 0; i <= g->names.count; i++) all = all && g->line[i] % divisor == 0;
    for (size_t i = 0; all && i <= g->names.count; i++) g->line[i] /= divisor;
    return all;
}

static void put_multiple(zl_text *out, const zl_given *g, int64_t divisor, int64_t unit)
{
    if (divisor > 1 && !all_divided(g, divisor)) {
        put_halves(out, g, divisor, unit);
        return;
    }
    multiple m = multiple_of(g, unit);
    if (put_residue(out, g, &m)) return;
    zl_puts(out, "(");
    put_terms(out, g, m.unit, m.rest);
    zl_putf(out, ") %% %" PRId64 " == 0", m.unit);
}

/* The factors that are texts; what the numbers make is returned. */
static uint64_t put_factors(zl_text *out, const zl_given *g, const zl_condition *c)
{
    uint64_t number = g->form->box->unit(g, c);
    bool first = true;
    for (uint32_t i = 0; i < g->form->box->factors(g); i++) {
        zl_factor f = g->form->box->factor(g, c, i);
        zl_condition form = {.a = f.text, .b = ZL_GIVEN_NONE, .scale = 1,
                             .offset = f.up ? (int64_t)f.step - 1 : 0};
        if (f.text == ZL_GIVEN_NONE) {
            uint64_t up = f.up ? f.step - 1 : 0;
            number = zl_umul_sat(number, f.step ? (f.number + up) / f.step : 0);
            continue;
        }
        zl_puts(out, first ? "((" : " * ((");
        first = false;
        if (zl_condition_line(g, &form)) put_line(out, g);
        if (f.step > 1) zl_putf(out, ") / %" PRIu32 ")", f.step);
        else zl_puts(out, "))");
    }
    return number;
}

static void put_product(zl_text *out, const zl_given *g, const zl_condition *c)
{
    uint64_t number = put_factors(out, g, c);
    zl_putf(out, " <= %" PRIu64, number ? ((uint64_t)c->hi * 8 + 7) / number : UINT64_MAX >> 1);
}

/* The form and the bytes of a box: in 128 bits, as the form may have all of 64. */
static void put_box(zl_text *out, const zl_given *g, const zl_condition *c)
{
    uint64_t times = (uint64_t)(c->times < 0 ? -c->times : c->times);
    zl_condition_line(g, c);
    put_sum(out, g, is_short(g) ? "" : "(__int128)");
    zl_putf(out, " %s (__int128)", c->times < 0 ? "-" : "+");
    uint64_t number = put_factors(out, g, c);
    zl_putf(out, " * %" PRIu64 " / 8", zl_umul_sat(number, times));
}

static void put_with_box(zl_text *out, const zl_given *g, const zl_condition *c)
{
    bool low = c->lo > INT64_MIN, high = c->hi < INT64_MAX;
    if (low) put_box(out, g, c), zl_putf(out, " >= %" PRId64, c->lo);
    if (low && high) zl_puts(out, " && ");
    if (high) put_box(out, g, c), zl_putf(out, " <= %" PRId64, c->hi);
}

static void put_condition(zl_text *out, const zl_given *g, const zl_condition *c)
{
    if (c->asks >= ZL_ASKS_FOOTPRINT) {
        (c->asks >= ZL_ASKS_COPIED ? put_with_box : put_product)(out, g, c);
        return;
    }
    zl_condition_line(g, c);
    switch (c->asks) {
    case ZL_ASKS_MULTIPLE: put_multiple(out, g, c->divisor, c->lo); return;
    case ZL_ASKS_EQUAL: put_range(out, g, c->lo, c->lo); return;
    case ZL_ASKS_WRAPPED:
        zl_puts(out, "(int32_t)(uint32_t)(");
        put_line(out, g);
        zl_putf(out, ") >= %" PRId64, c->lo);
        return;
    default:
        put_range(out, g, c->divisor > 1 ? c->lo * c->divisor : c->lo,
                  c->divisor > 1 && c->hi < INT64_MAX ? c->hi * c->divisor + c->divisor - 1
                                                      : c->hi);
    }
}

void zl_guard_write(zl_text *out, const void *given)
{
    const zl_given *g = given;
    bool behind = false;
    for (int products = 0; products < 2; products++)
        for (uint32_t i = 0; i < g->opened; i++) {
            if ((g->open[i].asks >= ZL_ASKS_FOOTPRINT) != products) continue;
            zl_puts(out, behind ? " && " : "");
            put_condition(out, g, &g->open[i]);
            behind = true;
        }
}
