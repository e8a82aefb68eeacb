/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of sums as expressions of C. */
#ifndef ZL_ALGEBRA_SYMBOL_GUARD_H
#define ZL_ALGEBRA_SYMBOL_GUARD_H

#include "algebra/symbolic/symbol.h"

/* A sum beside 0, the negative terms on the right; `relation` is ==, != or >=.  It neither
 * overflows int64_t, nor __int128 where casts say so, when zl_poly_prints says that it fits. */
bool zl_poly_prints(const zl_poly *zero, const zl_symbols *names);
void zl_relation_print(zl_text *out, const zl_poly *zero, const char *relation,
                       const zl_symbols *names);

/* A product of names that are 1 or more is 1: each of them is; several stand in parentheses where
 * they are `enclosed`. */
void zl_ones_print(zl_text *out, const zl_monomial *product, const zl_symbols *names,
                   bool enclosed);

#endif
