/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on names under which two symbolic layouts are equal. */
#ifndef ZL_ALGEBRA_SYMBOL_GUARD_H
#define ZL_ALGEBRA_SYMBOL_GUARD_H

#include "algebra/symbolic/symbol.h"

/* extent == 1 or zero == 0. */
typedef struct zl_need {
    zl_monomial extent; /* 0: it is more than 1 */
    zl_poly zero;
    bool never; /* zero is never 0, so that the extent is 1 */
} zl_need;

enum { ZL_NEEDS_MOST = 2 * ZL_SYMBOL_LEAVES + 2 };

typedef struct zl_needs {
    const zl_symbols *names;
    size_t count;
    zl_need at[ZL_NEEDS_MOST];
} zl_needs;

/* A sum beside 0, the negative terms on the right; `relation` is ==, != or >=.  It neither
 * overflows int64_t, nor __int128 where casts say so, when zl_poly_prints says that it fits. */
bool zl_poly_prints(const zl_poly *zero, const zl_symbols *names);
void zl_relation_print(zl_text *out, const zl_poly *zero, const char *relation,
                       const zl_symbols *names);

/* Printed needs neither overflow int64_t, nor __int128 where casts say so. */
bool zl_needs_fit(const zl_needs *needs);
zl_writer zl_needs_print;

#endif
