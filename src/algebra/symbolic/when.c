/* SPDX-License-Identifier: Apache-2.0 */
#include "algebra/symbolic/when.h"
#include "algebra/symbolic/guard.h"

#include <string.h>

enum { ROOM = 8, ATOMS_MOST = 512 };

void zl_when_begin(zl_when *w, zlay_ctx *ctx, const zl_symbols *names)
{
    *w = (zl_when){.ctx = ctx, .names = names};
}

static zlay_status grow(zl_when *w)
{
    size_t room = w->room ? 2 * w->room : ROOM;
    if (w->count == ATOMS_MOST) return zl_symbols_full(w->ctx, "512 comparisons in its guard");
    zl_atom *at = zl_scratch(w->ctx, room, sizeof *at);
    if (!at) return ZLAY_ENOMEM;
    if (w->count) memcpy(at, w->at, w->count * sizeof *at);
    w->at = at;
    w->room = room;
    return ZLAY_OK;
}

/* ---- atoms ------------------------------------------------------------------------------ */

static zlay_answer decided_side(const zl_when *w, const zl_poly *sum)
{
    zl_poly below = {0, {{0, {0}}}};
    if (zl_poly_not_below(sum, w->names, 0)) return ZLAY_YES;
    bool no = zl_poly_sub_all(&below, sum) && zl_poly_not_below(&below, w->names, 1);
    return no ? ZLAY_NO : ZLAY_DEPENDS;
}

static zlay_answer decided_opposite(const zl_when *w, const zl_poly *sum)
{
    zl_poly opposite = {0, {{0, {0}}}};
    return zl_poly_sub_all(&opposite, sum) ? decided_side(w, &opposite) : ZLAY_DEPENDS;
}

static zlay_answer decided(const zl_when *w, zl_relation relation, const zl_poly *sum)
{
    zlay_range r = zl_poly_range(sum, w->names);
    bool zero = zl_range_is_constant(r) && !r.rem, never = !zl_range_has(r, 0);
    if (relation == ZL_NOT_BELOW) return decided_side(w, sum);
    if (!zero && !never) {
        zlay_answer least = decided_side(w, sum), most = decided_opposite(w, sum);
        zero = least == ZLAY_YES && most == ZLAY_YES;
        never = least == ZLAY_NO || most == ZLAY_NO;
    }
    if (!zero && !never) return ZLAY_DEPENDS;
    return zero == (relation == ZL_IS_ZERO) ? ZLAY_YES : ZLAY_NO;
}

static bool same_atom(const zl_atom *a, const zl_atom *b)
{
    return a->relation == b->relation && zl_poly_equal(&a->sum, &b->sum);
}

static bool is_there(const zl_when *w, zl_relation relation, const zl_poly *sum)
{
    for (size_t i = w->clause_first; i < w->count; i++)
        if (w->at[i].relation == relation && zl_poly_equal(&w->at[i].sum, sum)) return true;
    return false;
}

zlay_status zl_when_put(zl_when *w, zl_relation relation, const zl_poly *sum)
{
    zlay_status status = w->count == w->room ? grow(w) : ZLAY_OK;
    if (!status) w->at[w->count++] = (zl_atom){w->in_case, w->clause, relation, *sum};
    return status;
}

zlay_status zl_when_atom(zl_when *w, zl_relation relation, const zl_poly *sum)
{
    if (w->holds || w->case_false || w->clause_true) return ZLAY_OK;
    zlay_answer answer = decided(w, relation, sum);
    if (answer == ZLAY_YES) w->clause_true = true;
    if (answer != ZLAY_DEPENDS || is_there(w, relation, sum)) return ZLAY_OK;
    return zl_when_put(w, relation, sum);
}

/* Positive monomials, each known to be 1 or more: their product is 1 when each is. */
zlay_status zl_when_one(zl_when *w, const zl_monomial *extent)
{
    zl_poly p = {0, {{0, {0}}}};
    zl_monomial minus = zl_monomial_of(-1);
    if (!zl_poly_add(&p, extent) || !zl_poly_add(&p, &minus)) return zl_symbols_overflow(w->ctx);
    return zl_when_atom(w, ZL_IS_ZERO, &p);
}

zlay_status zl_when_not_below(zl_when *w, const zl_poly *a, const zl_poly *b, int64_t least)
{
    zl_poly p = *a;
    zl_monomial rest = zl_monomial_of(-least);
    bool fits = zl_poly_add(&p, &rest) && zl_poly_sub_all(&p, b);
    return fits ? zl_when_atom(w, ZL_NOT_BELOW, &p) : zl_symbols_overflow(w->ctx);
}

/* ---- clauses and cases -------------------------------------------------------------------- */

void zl_when_case(zl_when *w)
{
    w->case_first = w->count;
    w->case_false = false;
    w->in_case++;
}

void zl_when_clause(zl_when *w)
{
    w->clause_first = w->count;
    w->clause_true = false;
    w->clause++;
}

/* Every atom of [first, end) is one of [in, in_end). */
static bool is_part(const zl_when *w, size_t first, size_t end, size_t in, size_t in_end)
{
    for (size_t i = first; i < end; i++) {
        size_t k = in;
        while (k < in_end && !same_atom(&w->at[i], &w->at[k])) k++;
        if (k == in_end) return false;
    }
    return true;
}

static size_t clause_end_at(const zl_when *w, size_t i)
{
    size_t end = i;
    while (end < w->count && w->at[end].clause == w->at[i].clause) end++;
    return end;
}

/* An older clause of the case says as much. */
static bool follows(const zl_when *w)
{
    for (size_t i = w->case_first, end; i < w->clause_first; i = end) {
        end = clause_end_at(w, i);
        if (is_part(w, i, end, w->clause_first, w->count)) return true;
    }
    return false;
}

static void drop(zl_when *w, size_t i, size_t end)
{
    memmove(&w->at[i], &w->at[end], (w->count - end) * sizeof *w->at);
    w->count -= end - i;
    w->clause_first -= end - i;
}

/* Older clauses that say less. */
static void drop_weaker(zl_when *w)
{
    for (size_t i = w->case_first; i < w->clause_first;) {
        size_t end = clause_end_at(w, i);
        if (is_part(w, w->clause_first, w->count, i, end)) drop(w, i, end);
        else i = end;
    }
}

void zl_when_clause_end(zl_when *w)
{
    if (w->holds || w->case_false) return;
    bool none = w->count == w->clause_first;
    if (none && !w->clause_true) {
        w->case_false = true;
        w->count = w->case_first;
    } else if (w->clause_true || follows(w)) w->count = w->clause_first;
    else drop_weaker(w);
}

void zl_when_clause_once(zl_when *w)
{
    for (size_t i = 0, end; i < w->clause_first; i = end) {
        end = clause_end_at(w, i);
        if (end - i == w->count - w->clause_first && is_part(w, i, end, w->clause_first, w->count))
            w->count = w->clause_first;
    }
}

/* Atom by atom, with clauses that begin at the same places. */
static bool same_case(const zl_when *w, size_t i, size_t k, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        if (!same_atom(&w->at[i + n], &w->at[k + n])) return false;
        if (n && (w->at[i + n].clause == w->at[i + n - 1].clause) !=
                     (w->at[k + n].clause == w->at[k + n - 1].clause))
            return false;
    }
    return true;
}

static bool same_case_before(const zl_when *w)
{
    for (size_t i = 0, end; i < w->case_first; i = end) {
        for (end = i; end < w->case_first && w->at[end].in_case == w->at[i].in_case;) end++;
        if (end - i == w->count - w->case_first && same_case(w, i, w->case_first, end - i))
            return true;
    }
    return false;
}

void zl_when_case_end(zl_when *w)
{
    if (w->holds || w->case_false) return;
    if (w->count == w->case_first) w->holds = true;
    else if (same_case_before(w)) w->count = w->case_first;
}

/* ---- text ----------------------------------------------------------------------------------- */

static size_t clauses_from(const zl_when *w, size_t i)
{
    size_t count = 1;
    for (size_t k = i + 1; k < w->count && w->at[k].in_case == w->at[i].in_case; k++)
        count += w->at[k].clause != w->at[k - 1].clause;
    return count;
}

static void print_clause(zl_text *out, const zl_when *w, size_t i, size_t end, bool enclosed)
{
    static const char *const relation[] = {"==", "!=", ">="};
    end -= w->at[end - 1].relation == ZL_NEVER_ZERO;
    enclosed = enclosed && end - i > 1;
    zl_puts(out, enclosed ? "(" : "");
    for (size_t k = i; k < end; k++) {
        zl_puts(out, k > i ? " || " : "");
        if (w->at[k].relation == ZL_IS_ONE)
            zl_ones_print(out, &w->at[k].sum.term[0], w->names, end - i > 1);
        else zl_relation_print(out, &w->at[k].sum, relation[w->at[k].relation], w->names);
    }
    zl_puts(out, enclosed ? ")" : "");
}

static void print(zl_text *out, const void *value)
{
    const zl_when *w = value;
    bool cases = w->count && w->at[0].in_case != w->at[w->count - 1].in_case;
    for (size_t i = 0; i < w->count;) {
        uint32_t now = w->at[i].in_case;
        size_t clauses = clauses_from(w, i);
        zl_puts(out, i ? " || " : "");
        zl_puts(out, cases && clauses > 1 ? "(" : "");
        for (size_t first = i; i < w->count && w->at[i].in_case == now; i = clause_end_at(w, i)) {
            zl_puts(out, i > first ? " && " : "");
            print_clause(out, w, i, clause_end_at(w, i), clauses > 1);
        }
        zl_puts(out, cases && clauses > 1 ? ")" : "");
    }
}

static bool is_wide(const zl_when *w)
{
    bool wide = false;
    for (size_t i = 0; i < w->count && !wide; i++)
        wide = w->at[i].relation != ZL_IS_ONE && !zl_poly_prints(&w->at[i].sum, w->names);
    return wide;
}

zlay_status zl_when_answer(zl_when *w, zl_symbol_equality *out)
{
    *out = (zl_symbol_equality){.answer = w->holds ? ZLAY_YES : ZLAY_NO, .at = -1};
    if (w->holds || !w->count) return ZLAY_OK;
    if (is_wide(w)) {
        out->answer = ZLAY_UNDECIDED;
        zlay_status status =
            zl_symbols_unknown(w->ctx, "the guard has integers of more than 126 bits");
        return status == ZLAY_ELIMIT ? ZLAY_OK : status;
    }
    out->answer = ZLAY_DEPENDS;
    return zl_print_alloc(w->ctx, &out->guard, &out->length, print, w);
}
