/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts, sums and monomials as text.  A factor and a quotient that have a common divisor
 * are shown without it, so that 64 times M/64 is M; as C a rounded quotient is an expression. */
#include "algebra/symbolic/symbol.h"

#include <inttypes.h>

/* What the number has of a quotient's divisor is cancelled: 64 times M/64 is M. */
static int64_t cancel(int64_t *factor, int64_t by)
{
    uint64_t number = zl_magnitude(*factor);
    int64_t common = (int64_t)zl_gcd(number, (uint64_t)by);
    *factor /= common;
    return by / common;
}

static void put_quotient(zl_text *out, const char *name, int64_t by, bool first, bool code)
{
    zl_quotient q;
    zl_quotient_read(&q, name);
    const char *base = q.base.text;
    long long times = (long long)q.times, over = (long long)by;
    if (!q.up && by == 1) zl_puts(out, base);
    else if (!q.up) zl_putf(out, first ? "%s/%lld" : "(%s/%lld)", base, over);
    else if (!code) zl_puts(out, name);
    else if (times == 1) zl_putf(out, "(%s / %lld + (%s %% %lld != 0))", base, over, base, over);
    else
        zl_putf(out, "(int64_t)(((__int128)%s * %lld + %lld) / %lld)", base, times, over - 1,
                over);
}

static void print_monomial(zl_text *out, const zl_monomial *m, const zl_symbols *names, bool code)
{
    int64_t factor = m->factor, by[ZL_SYMBOLS_MOST * 4];
    size_t count = 0, at = 0;
    for (size_t i = 0; i < names->names; i++) {
        zl_quotient q;
        zl_quotient_read(&q, names->name[i].name.text);
        for (unsigned k = 0; k < m->power[i] && count < ZL_COUNT(by); k++)
            by[count++] = q.up ? q.by : cancel(&factor, q.by);
    }
    bool number = zl_monomial_constant(m) || (factor != 1 && factor != -1);
    const char *between = number ? "*" : "";
    if (number) zl_putf(out, "%lld", (long long)factor);
    else if (factor < 0) zl_puts(out, "-");
    for (size_t i = 0; i < names->names; i++)
        for (unsigned k = 0; k < m->power[i]; k++, between = "*", at++) {
            zl_puts(out, between);
            put_quotient(out, names->name[i].name.text, at < count ? by[at] : 1,
                         !*between && factor > 0, code);
        }
}

void zl_monomial_print(zl_text *out, const zl_monomial *m, const zl_symbols *names)
{
    print_monomial(out, m, names, false);
}

void zl_monomial_print_code(zl_text *out, const zl_monomial *m, const zl_symbols *names)
{
    print_monomial(out, m, names, true);
}

void zl_poly_print(zl_text *out, const zl_poly *p, const zl_symbols *names)
{
    if (!p->count) zl_puts(out, "0");
    for (size_t i = 0; i < p->count; i++) {
        zl_monomial m = p->term[i];
        bool minus = i && m.factor < 0 && m.factor != INT64_MIN;
        if (minus) m.factor = -m.factor;
        zl_puts(out, minus ? " - " : i ? " + " : "");
        zl_monomial_print(out, &m, names);
    }
}

/* ---- layouts ------------------------------------------------------------------------- */

static void put_sum(zl_text *out, const zl_symbols *s, const zl_symbol_edge *e)
{
    const char *between = "";
    for (size_t i = 0; i < s->leaves; i++) {
        if (!e->weight[i]) continue;
        zl_puts(out, between);
        if (e->weight[i] > 1) zl_putf(out, "%" PRId64 "*", e->weight[i]);
        zl_putf(out, "i%zu", i);
        between = " + ";
    }
}

static void print_edges(zl_text *out, const zl_symbols *s)
{
    for (size_t i = 0; i < s->edges; i++) {
        zl_puts(out, i ? " and " : " if ");
        put_sum(out, s, &s->edge[i]);
        zl_puts(out, " < ");
        zl_monomial_print(out, &s->edge[i].bound, s);
    }
}

static void print_tuple(zl_text *out, const zl_symbols *s, bool strides)
{
    for (size_t i = 0; i < s->leaves; i++) {
        const zl_symbol_leaf *leaf = &s->leaf[i];
        zl_puts(out, i ? "," : "");
        zl_put_times(out, "(", leaf->open);
        zl_monomial_print(out, strides ? &leaf->stride : &leaf->shape, s);
        zl_put_times(out, ")", leaf->close);
    }
}

void zl_symbols_print(zl_text *out, const zlay_layout *a)
{
    const zl_symbols *s = a->symbols;
    if (s->offset.count) {
        zl_poly_print(out, &s->offset, s);
        zl_puts(out, " o ");
    }
    print_tuple(out, s, false);
    zl_puts(out, ":");
    print_tuple(out, s, true);
    print_edges(out, s);
}
