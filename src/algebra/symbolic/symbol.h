/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolic layouts: extents and strides are monomials, an integer times a product of names, and
 * the offset is a sum of such.  What is said of them holds for all integers that the ranges of the
 * names allow; every name of an extent is at least 1.
 *
 * A struct of fixed size serves as the layout's own memory and on the way: names are sorted, the
 * powers of a monomial are in the order of the names, and terms of a sum are sorted by powers. */
#ifndef ZL_ALGEBRA_SYMBOL_H
#define ZL_ALGEBRA_SYMBOL_H

#include "base/scan.h"
#include "algebra/facts/facts.h"
#include "algebra/layout/layout.h"
#include <zlay/symbol.h>

enum { ZL_SYMBOLS_MOST = 16, ZL_SYMBOL_LEAVES = 64, ZL_SYMBOL_TERMS = 64 };

typedef struct zl_monomial {
    int64_t factor; /* 0: all powers are 0 */
    uint8_t power[ZL_SYMBOLS_MOST];
} zl_monomial;

typedef struct zl_poly {
    size_t count;
    zl_monomial term[ZL_SYMBOL_TERMS];
} zl_poly;

typedef struct zl_symbol_leaf {
    zl_monomial shape, stride;
    uint32_t open, close;
} zl_symbol_leaf;

/* A linear fact about several names: the sum of the terms is 0 or more; terms may be 0. */
enum { ZL_SLACK_TERMS = ZL_FACT_NAMES + 1, ZL_SLACKS_MOST = 8 };

typedef struct zl_slack {
    zl_monomial term[ZL_SLACK_TERMS];
} zl_slack;

/* The sum of weight i over the coordinates i of all leaves is below a bound: a ragged edge, past
 * which the layout is undefined. */
enum { ZL_SYMBOL_EDGES = 8 };

typedef struct zl_symbol_edge {
    zl_monomial bound;
    int64_t weight[ZL_SYMBOL_LEAVES]; /* 0 or more */
} zl_symbol_edge;

/* `param` has the names that are in `name`, of quotients their numerators. */
typedef struct zl_symbols {
    size_t names, leaves, slacks, edges, params;
    zl_name param[ZL_SYMBOLS_MOST];
    zl_symbol_edge edge[ZL_SYMBOL_EDGES];
    zl_unknown name[ZL_SYMBOLS_MOST];
    zl_slack slack[ZL_SLACKS_MOST];
    zl_symbol_leaf leaf[ZL_SYMBOL_LEAVES];
    zl_poly offset;
} zl_symbols;

/* ---- monomials and sums: false when something does not fit ------------------------ */

zl_monomial zl_monomial_of(int64_t value);
bool zl_monomial_constant(const zl_monomial *m);
bool zl_monomial_is(const zl_monomial *m, int64_t value);
bool zl_monomial_equal(const zl_monomial *a, const zl_monomial *b);
bool zl_monomial_mul(zl_monomial *out, const zl_monomial *a, const zl_monomial *b);

/* b divides a, as polynomials over Z; b is not 0. */
bool zl_monomial_div(zl_monomial *out, const zl_monomial *a, const zl_monomial *b);

bool zl_poly_add(zl_poly *p, const zl_monomial *m);
bool zl_poly_equal(const zl_poly *a, const zl_poly *b);

/* Terms in their order again, after powers have changed. */
bool zl_poly_sort(zl_poly *p);

/* p + q, p - q */
bool zl_poly_add_all(zl_poly *p, const zl_poly *q);
bool zl_poly_sub_all(zl_poly *p, const zl_poly *q);

/* Without a common factor, the first term positive unless `sided`; as it is where a coefficient is
 * -2^63. */
zl_poly zl_poly_reduced(const zl_poly *p, bool sided);

/* p + a b, p - a b */
bool zl_poly_add_product(zl_poly *p, const zl_monomial *a, const zl_monomial *b);
bool zl_poly_sub_product(zl_poly *p, const zl_monomial *a, const zl_monomial *b);

/* What the ranges of the names say. */
zlay_range zl_poly_range(const zl_poly *p, const zl_symbols *names);
zlay_range zl_monomial_range(const zl_monomial *m, const zl_symbols *names);

/* A lower bound, where one is found that the range may lack; false: none. */
bool zl_poly_least(int64_t *out, const zl_poly *p, const zl_symbols *names);

/* What facts about several names say of numbers: false where one does not hold. */
bool zl_slacks_hold(const zl_symbols *s);

/* The ranges of the names that they leave; one may be empty. */
void zl_slacks_tighten(zl_symbols *s);

/* Those facts whose names the layout has. */
void zl_slacks_assume(zl_symbols *s, const zlay_facts *facts);

/* A name that facts make equal to a sum without it. */
typedef struct zl_equation {
    size_t name;
    zl_poly is;
} zl_equation;

/* At most ZL_SLACKS_MOST, of the facts of s; false: something does not fit, or, of a layout, the
 * sum is no monomial that an extent may be. */
size_t zl_equations_of(zl_equation *out, const zl_symbols *s);
bool zl_poly_substitute(zl_poly *p, const zl_equation *e);
bool zl_symbols_substitute(zl_symbols *s, const zl_equation *e);

/* The names that facts tie to others become names of s, as far as there is room. */
void zl_symbols_relate(zlay_ctx *ctx, zl_symbols *s, const zlay_facts *facts);

/* Proved by either, or by either of what is left when multiples of slacks are taken away. */
bool zl_poly_not_below(const zl_poly *p, const zl_symbols *names, int64_t least);

void zl_monomial_print(zl_text *out, const zl_monomial *m, const zl_symbols *names);
/* As C: rounded quotients are expressions. */
void zl_monomial_print_code(zl_text *out, const zl_monomial *m, const zl_symbols *names);
void zl_poly_print(zl_text *out, const zl_poly *p, const zl_symbols *names);

/* ---- quotients of names ---------------------------------------------------------------- */

/* times base / by, rounded up or exact; of what is no quotient `by` is 1. */
typedef struct zl_quotient {
    bool up;
    int64_t times, by;
    zl_name base;
} zl_quotient;

void zl_quotient_read(zl_quotient *q, const char *name);

/* A name for it, new or old. */
zlay_status zl_symbols_quotient(zlay_ctx *ctx, zl_symbols *s, zl_monomial *out,
                                const zl_quotient *what);

/* What facts say of a name that may be a quotient; its value of that of its numerator. */
zlay_range zl_symbol_facts(const zlay_facts *facts, const char *name);
bool zl_symbol_value(int64_t *out, const char *name, int64_t base);

/* Names in order; `drop`: those that nothing but facts has are forgotten, with the facts. */
void zl_symbols_sort(zl_symbols *s, bool drop);

/* The last name takes the place of one that nothing has. */
void zl_symbols_forget(zl_symbols *s, size_t name);

/* One name for all exact quotients of a name; false: something does not fit. */
bool zl_symbols_unify(zl_symbols *s);
void zl_symbols_params(zl_symbols *s);
bool zl_symbols_divide_names(zl_symbols *s, const zl_monomial *extent, int64_t n);

/* The i-th monomial of all extents, strides, offset, bounds and facts; NULL at the end. */
zl_monomial *zl_symbols_monomial(zl_symbols *s, size_t i);

/* ---- ragged edges ------------------------------------------------------------------------ */

/* Edges that no coordinate reaches go. */
void zl_edges_drop(zl_symbols *s);

/* Numbers and edges, as pieces. */
zlay_status zl_edges_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s);

/* ---- layouts ------------------------------------------------------------------------- */

/* ELIMIT: a list of fixed size is full, and `what` says of what. */
zlay_status zl_symbols_full(zlay_ctx *ctx, const char *what);
zlay_status zl_symbols_overflow(zlay_ctx *ctx);

/* ELIMIT symbolic-stride: an operation whose result is no shape:stride for every value. */
zlay_status zl_symbols_unknown(zlay_ctx *ctx, const char *why);

/* ELIMIT for an operation that no ragged edge takes. */
zlay_status zl_symbols_ragged(zlay_ctx *ctx);

/* The place of a name, which is added where it is new; not sorted. */
zlay_status zl_symbols_name(zlay_ctx *ctx, zl_symbols *s, size_t *place, const char *name,
                            size_t length);

/* Names in order; extents are positive; a name that is one number is put in. */
zlay_status zl_symbols_settle(zlay_ctx *ctx, zl_symbols *s);

/* The settled layout: strided where no name is left. */
zlay_status zl_symbols_layout(zlay_ctx *ctx, zlay_layout **out, const zl_symbols *s);

/* A symbolic or strided layout as symbols; ZLAY_NONE for any other. */
zlay_status zl_symbols_of(zlay_ctx *ctx, zl_symbols *out, const zlay_layout *a);

/* The names of both, in both. */
zlay_status zl_symbols_share(zlay_ctx *ctx, zl_symbols *a, zl_symbols *b);

/* Put a number in the place of a name, which stays in the list unused. */
bool zl_symbols_put(zl_symbols *s, size_t place, int64_t value);

/* Coalesce by polynomial identities.  `unbounded` keeps the function where the last mode goes on
 * for ever: it stays although its extent is 1. */
void zl_symbols_merge(zl_symbols *s, bool unbounded);

/* ---- equality -------------------------------------------------------------------------- */

/* How two layouts compare for all values of their names. */
typedef struct zl_symbol_equality {
    zlay_answer answer;
    int64_t at;    /* with ZLAY_NO: an index where they differ for all values; -1: none is known */
    bool sizes;    /* with ZLAY_NO: their sizes differ for all values */
    char *guard;   /* with ZLAY_DEPENDS, as C: zl_free(.., length + 1) */
    size_t length;
} zl_symbol_equality;

/* ---- the kind ---------------------------------------------------------------------------- */

void zl_symbols_print(zl_text *out, const zlay_layout *a);

/* One past the last leaf of the part that opens `depth` parentheses at leaf i. */
size_t zl_symbols_part_end(const zl_symbols *s, size_t i, uint32_t depth);

/* A strided text with a name in it. */
bool zl_symbols_in(const zl_cursor *c);
zlay_status zl_symbols_parse(zl_cursor *c, zlay_layout **out);

/* ENOTSUP for a layout with a quotient or an edge. */
zlay_status zl_symbols_plain(zlay_ctx *ctx, const zlay_layout *a);

/* ELIMIT symbolic-stride for what would need symbols inside pieces. */
zlay_status zl_without_symbols(zlay_ctx *ctx, const zlay_layout *a);

/* zlay_layout_assume as a part of a call (zl_enter_part). */
zlay_status zl_layout_assume(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                             const zlay_facts *facts);

#endif
