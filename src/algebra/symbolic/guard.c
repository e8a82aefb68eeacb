/* SPDX-License-Identifier: Apache-2.0 */
/* Guards as expressions of C that cannot overflow: sums with their positive terms on the left and
 * the others on the right, in int64_t where the facts bound both sides, else in __int128. */
#include "algebra/symbolic/guard.h"
#include "base/arith.h"

/* ---- bounds ------------------------------------------------------------------------- */

static unsigned name_bits(zlay_range range)
{
    uint64_t lo = zl_magnitude(range.lo), hi = zl_magnitude(range.hi);
    return zl_log2_up(lo > hi ? lo : hi);
}

static unsigned term_bits(const zl_monomial *m, const zl_symbols *names)
{
    unsigned bits = zl_log2_up(zl_magnitude(m->factor));
    for (size_t i = 0; i < names->names; i++) bits += m->power[i] * name_bits(names->name[i].range);
    return bits;
}

/* Each side of the equation, and each part of it, is at most 2 to this. */
static unsigned poly_bits(const zl_poly *p, const zl_symbols *names)
{
    unsigned most = 0;
    size_t side[2] = {0, 0};
    for (size_t i = 0; i < p->count; i++) {
        unsigned bits = term_bits(&p->term[i], names);
        most = bits > most ? bits : most;
        side[p->term[i].factor < 0]++;
    }
    return most + zl_log2_up(side[0] > side[1] ? side[0] : side[1]);
}

/* A side that is one name or one number is no arithmetic. */
static bool is_plain(const zl_poly *p, const zl_symbols *names)
{
    for (size_t i = 0; i < p->count; i++) {
        unsigned degree = 0;
        int64_t factor = p->term[i].factor;
        for (size_t k = 0; k < names->names; k++) degree += p->term[i].power[k];
        if (degree > 1 || (degree == 1 && factor != 1 && factor != -1)) return false;
    }
    return p->count == 1 ||
           (p->count == 2 && (p->term[0].factor < 0) != (p->term[1].factor < 0));
}

/* ---- equations ------------------------------------------------------------------------ */

bool zl_poly_prints(const zl_poly *zero, const zl_symbols *names)
{
    zl_poly p = zl_poly_reduced(zero, true);
    if (poly_bits(&p, names) > 126) return false;
    for (size_t k = 0; k < p.count; k++)
        if (p.term[k].factor == INT64_MIN) return false;
    return true;
}

static void print_side(zl_text *out, const zl_poly *p, const zl_symbols *names, bool left,
                       const char *cast)
{
    const char *between = "";
    for (size_t i = 0; i < p->count; i++) {
        zl_monomial m = p->term[i];
        if ((m.factor > 0) != left) continue;
        zl_puts(out, between);
        if (!left) m.factor = -m.factor;
        zl_puts(out, cast);
        zl_monomial_print_code(out, &m, names);
        between = " + ";
    }
    if (!*between) zl_puts(out, "0");
}

void zl_relation_print(zl_text *out, const zl_poly *zero, const char *relation,
                       const zl_symbols *names)
{
    zl_poly p = zl_poly_reduced(zero, *relation == '>');
    bool narrow = is_plain(&p, names) || poly_bits(&p, names) <= 62;
    const char *cast = narrow ? "" : "(__int128)";
    print_side(out, &p, names, true, cast);
    zl_putf(out, " %s ", relation);
    print_side(out, &p, names, false, cast);
}

void zl_ones_print(zl_text *out, const zl_monomial *product, const zl_symbols *names, bool enclosed)
{
    size_t count = 0;
    const char *between = "";
    for (size_t i = 0; i < names->names; i++) count += product->power[i] > 0;
    enclosed = enclosed && count > 1;
    zl_puts(out, enclosed ? "(" : "");
    for (size_t i = 0; i < names->names; i++) {
        if (!product->power[i]) continue;
        zl_monomial name = zl_monomial_of(1);
        name.power[i] = 1;
        zl_puts(out, between);
        zl_monomial_print_code(out, &name, names);
        zl_puts(out, " == 1");
        between = " && ";
    }
    zl_puts(out, enclosed ? ")" : "");
}
