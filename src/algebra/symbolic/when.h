/* SPDX-License-Identifier: Apache-2.0 */
/* When something holds of a symbolic layout: cases, one of which holds; a case is clauses, all of
 * which hold; a clause is atoms, one of which holds; an atom compares a sum with 0.  What the
 * ranges of the names decide is left out while it is written, so that the rest is the guard. */
#ifndef ZL_ALGEBRA_SYMBOL_WHEN_H
#define ZL_ALGEBRA_SYMBOL_WHEN_H

#include "algebra/symbolic/symbol.h"

/* ZL_IS_ONE: the sum is one product of names that are 1 or more, and each of them is 1.
 * ZL_NEVER_ZERO: known not to hold; the last atom of its clause, which is not printed. */
typedef enum zl_relation {
    ZL_IS_ZERO,
    ZL_NOT_ZERO,
    ZL_NOT_BELOW,
    ZL_IS_ONE,
    ZL_NEVER_ZERO
} zl_relation;

typedef struct zl_atom {
    uint32_t in_case, clause;
    zl_relation relation;
    zl_poly sum;
} zl_atom;

typedef struct zl_when {
    zlay_ctx *ctx;
    const zl_symbols *names;
    zl_atom *at;
    size_t count, room;
    uint32_t in_case, clause; /* that are being written */
    size_t case_first, clause_first;
    bool clause_true, case_false, holds;
} zl_when;

/* In working memory of the call. */
void zl_when_begin(zl_when *w, zlay_ctx *ctx, const zl_symbols *names);

/* A case, its clauses, their atoms, in that order; a case without clauses holds. */
void zl_when_case(zl_when *w);
void zl_when_clause(zl_when *w);
zlay_status zl_when_atom(zl_when *w, zl_relation relation, const zl_poly *sum);
void zl_when_clause_end(zl_when *w);

/* The same without deciding anything: an atom as it is, a clause unless it stands there already. */
zlay_status zl_when_put(zl_when *w, zl_relation relation, const zl_poly *sum);
void zl_when_clause_once(zl_when *w);
void zl_when_case_end(zl_when *w);

/* extent == 1; a == b; a - b >= least */
zlay_status zl_when_one(zl_when *w, const zl_monomial *extent);
zlay_status zl_when_not_below(zl_when *w, const zl_poly *a, const zl_poly *b, int64_t least);

/* YES, NO, or DEPENDS; UNDECIDED, with the message, where the guard cannot be printed. */
zlay_status zl_when_answer(zl_when *w, zl_symbol_equality *out);

#endif
