/* SPDX-License-Identifier: Apache-2.0 */
/* Quotients of names in symbolic layouts.  `M/64` is an integer, so that 64 divides M; `ceil(M/64)`
 * is M/64 rounded up.  Each is a name of its own to the polynomials; zl_symbols_unify keeps one
 * name for all exact quotients of M (M itself becomes 64 times M/64), so that identities hold, and
 * makes a rounded quotient exact where the facts do. */
#include "algebra/symbolic/symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names that are quotients ---------------------------------------------------------- */

void zl_quotient_read(zl_quotient *q, const char *text)
{
    *q = (zl_quotient){.times = 1, .by = 1};
    q->up = !strncmp(text, "ceil(", 5);
    if (q->up) text += 5;
    char *end = NULL;
    if (zl_is_digit(*text)) {
        q->times = strtoll(text, &end, 10);
        text = end + 1;
    }
    size_t length = strcspn(text, "/");
    memcpy(q->base.text, text, length < sizeof q->base.text ? length : sizeof q->base.text - 1);
    if (text[length]) q->by = strtoll(text + length + 1, NULL, 10);
}

/* Without a common factor; false: the name would be longer than a name may be. */
static bool text_of(zl_name *out, const zl_quotient *q)
{
    char made[128];
    const char *base = q->base.text;
    int length = 0;
    if (q->by == 1) length = snprintf(made, sizeof made, "%s", base);
    else if (!q->up) length = snprintf(made, sizeof made, "%s/%" PRId64, base, q->by);
    else if (q->times == 1)
        length = snprintf(made, sizeof made, "ceil(%s/%" PRId64 ")", base, q->by);
    else
        length = snprintf(made, sizeof made, "ceil(%" PRId64 "*%s/%" PRId64 ")", q->times, base,
                          q->by);
    if (length < 0 || (size_t)length >= sizeof out->text) return false;
    memset(out, 0, sizeof *out);
    memcpy(out->text, made, (size_t)length);
    return true;
}

zlay_status zl_symbols_quotient(zlay_ctx *ctx, zl_symbols *s, zl_monomial *out,
                                const zl_quotient *what)
{
    zl_quotient q = *what;
    int64_t common = (int64_t)zl_gcd((uint64_t)q.times, (uint64_t)q.by);
    zl_name name;
    size_t place;
    q.times /= common;
    q.by /= common;
    int64_t factor = q.by == 1 || !q.up ? q.times : 1;
    if (!text_of(&name, &q))
        return zl_fail(ctx, ZLAY_ELIMIT, "a quotient has more than %d characters",
                       (int)sizeof name.text - 1);
    zlay_status status = zl_symbols_name(ctx, s, &place, name.text, strlen(name.text));
    if (status) return status;
    *out = zl_monomial_of(factor);
    out->power[place] = 1;
    return ZLAY_OK;
}

/* times x / by, rounded up. */
static zlay_range rounded(zlay_range x, int64_t times, int64_t by)
{
    zlay_range minus = zl_range_scale(zl_range_scale(x, times), -1);
    return zl_range_scale(zl_range_floor_div(minus, zl_range_constant(by)), -1);
}

/* The x with by x in a range. */
static zlay_range divided(zlay_range x, int64_t by)
{
    zlay_range multiples = zl_range_meet(x, zl_range_congruent(0, by));
    if (zl_range_is_empty(multiples)) return multiples;
    return zl_range_floor_div(multiples, zl_range_constant(by));
}

zlay_range zl_symbol_facts(const zlay_facts *facts, const char *text)
{
    zl_quotient q;
    zl_quotient_read(&q, text);
    zlay_range base = zl_facts_range(facts, q.base.text);
    return q.up ? rounded(base, q.times, q.by) : divided(base, q.by);
}

bool zl_symbol_value(int64_t *out, const char *text, int64_t base)
{
    zl_quotient q;
    zl_quotient_read(&q, text);
    zl_i128 value = (zl_i128)base * q.times, down = value / q.by;
    if (!q.up && value % q.by) return false;
    if (value % q.by && value > 0) down++;
    *out = (int64_t)down;
    return (zl_i128)*out == down;
}

/* ---- one name for all quotients of a name ------------------------------------------------ */

static bool scale(int64_t *factor, int64_t by, unsigned power)
{
    for (; power; power--)
        if (!zl_mul(*factor, by, factor)) return false;
    return true;
}

/* x at place `from` becomes by times x at place `to`, wherever it stands. */
static bool replace(zl_symbols *s, size_t from, size_t to, int64_t by)
{
    zl_monomial *m;
    for (size_t i = 0; (m = zl_symbols_monomial(s, i)); i++) {
        unsigned power = m->power[from];
        if (!power) continue;
        if (!scale(&m->factor, by, power)) return false;
        m->power[from] = 0;
        if (m->power[to] + power > UINT8_MAX) return false;
        m->power[to] = (uint8_t)(m->power[to] + power);
    }
    return true;
}

/* The exact quotient at a place is named and known by `by` times what it was. */
static bool refine(zl_symbols *s, size_t place, int64_t by)
{
    zl_quotient q;
    zl_unknown *name = &s->name[place];
    zl_quotient_read(&q, name->name.text);
    if (!zl_mul(q.by, by, &q.by) || !text_of(&name->name, &q)) return false;
    name->range = divided(name->range, by);
    return replace(s, place, place, by);
}

static bool is_same_base(const zl_quotient *a, const zl_quotient *b)
{
    return !strcmp(a->base.text, b->base.text);
}

/* Exact quotients of one name at i and k: that at k is part of that at i. */
static bool merge_exact(zl_symbols *s, size_t i, size_t k, bool *merged)
{
    zl_quotient a, b;
    int64_t whole;
    zl_quotient_read(&a, s->name[i].name.text);
    zl_quotient_read(&b, s->name[k].name.text);
    *merged = !a.up && !b.up && is_same_base(&a, &b);
    if (!*merged) return true;
    int64_t common = (int64_t)zl_gcd((uint64_t)a.by, (uint64_t)b.by);
    if (!zl_mul(a.by / common, b.by, &whole)) return false;
    if (whole != a.by && !refine(s, i, whole / a.by)) return false;
    zlay_range other = divided(s->name[k].range, whole / b.by);
    s->name[i].range = zl_range_meet(s->name[i].range, other);
    return replace(s, k, i, whole / b.by);
}

/* A rounded quotient of the exact quotient at `place` is exact by itself, or by its range. */
static bool round_exactly(zl_symbols *s, size_t up, size_t place, bool *exact)
{
    zl_quotient q, base;
    int64_t times;
    zl_quotient_read(&q, s->name[up].name.text);
    zl_quotient_read(&base, s->name[place].name.text);
    *exact = false;
    if (base.up || !is_same_base(&q, &base)) return true;
    if (!zl_mul(q.times, base.by, &times)) return false;
    int64_t lacks = q.by / (int64_t)zl_gcd((uint64_t)times, (uint64_t)q.by);
    *exact = zl_range_divisor(s->name[place].range) % (uint64_t)lacks == 0;
    if (*exact) {
        if (lacks > 1 && !refine(s, place, lacks)) return false;
        return zl_mul(times, lacks, &times) && replace(s, up, place, times / q.by);
    }
    s->name[up].range = zl_range_meet(s->name[up].range,
                                      rounded(s->name[place].range, times, q.by));
    return true;
}

static bool is_rounded(const zl_symbols *s, size_t i)
{
    zl_quotient q;
    zl_quotient_read(&q, s->name[i].name.text);
    return q.up;
}

bool zl_symbols_unify(zl_symbols *s)
{
    for (size_t i = 0; i < s->names; i++)
        for (size_t k = i + 1; k < s->names;) {
            bool merged;
            if (!merge_exact(s, i, k, &merged)) return false;
            if (merged) zl_symbols_forget(s, k);
            else k++;
        }
    for (size_t i = 0; i < s->names;) {
        bool exact = false;
        for (size_t k = 0; is_rounded(s, i) && k < s->names && !exact; k++)
            if (!round_exactly(s, i, k, &exact)) return false;
        if (exact) zl_symbols_forget(s, i);
        else i++;
    }
    return true;
}

/* The base names of all, in order. */
void zl_symbols_params(zl_symbols *s)
{
    zl_quotient q;
    s->params = 0;
    for (size_t i = 0; i < s->names; i++) {
        size_t k = 0;
        zl_quotient_read(&q, s->name[i].name.text);
        while (k < s->params && strcmp(s->param[k].text, q.base.text) < 0) k++;
        if (k < s->params && !strcmp(s->param[k].text, q.base.text)) continue;
        memmove(&s->param[k + 1], &s->param[k], (s->params++ - k) * sizeof s->param[0]);
        s->param[k] = q.base;
    }
}

/* The factor that the extent lacks to be a multiple of n becomes part of its names, as far as their
 * ranges have it: where 64 divides M, M becomes 64 times M/64. */
bool zl_symbols_divide_names(zl_symbols *s, const zl_monomial *extent, int64_t n)
{
    int64_t lacks = n / (int64_t)zl_gcd((uint64_t)n, (uint64_t)extent->factor);
    for (size_t i = 0; i < s->names && lacks > 1; i++) {
        zl_quotient q;
        zl_quotient_read(&q, s->name[i].name.text);
        int64_t has = (int64_t)zl_gcd((uint64_t)lacks, zl_range_divisor(s->name[i].range));
        if (!extent->power[i] || q.up || has < 2) continue;
        if (!refine(s, i, has)) return false;
        for (unsigned k = 0; k < extent->power[i]; k++)
            lacks /= (int64_t)zl_gcd((uint64_t)lacks, (uint64_t)has);
    }
    return true;
}
