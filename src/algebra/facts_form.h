/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of expressions. */
#ifndef ZL_ALGEBRA_FACTS_FORM_H
#define ZL_ALGEBRA_FACTS_FORM_H

#include "algebra/facts.h"

/* In the order of how tightly they bind; the last three are what parentheses open. */
enum {
    ZL_FORM_ADD,
    ZL_FORM_SUB,
    ZL_FORM_MUL,
    ZL_FORM_DIV,
    ZL_FORM_MOD,
    ZL_FORM_NEG,
    ZL_FORM_OPEN,
    ZL_FORM_MIN,
    ZL_FORM_MAX
};

/* a = a op b; b is spent. */
void zl_form_apply(int op, zl_form *a, zl_form *b, const zl_unknowns *u);
void zl_form_negate(zl_form *a, const zl_unknowns *u);

/* How many names have a coefficient, and the place of the last of them. */
size_t zl_form_name(const zl_form *a, const zl_unknowns *u, size_t *count);

#endif
