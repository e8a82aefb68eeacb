/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over unknowns, and the texts of facts. */
#ifndef ZL_ALGEBRA_FACTS_FORM_H
#define ZL_ALGEBRA_FACTS_FORM_H

#include "algebra/facts/facts.h"

/* ---- expressions: linear in the unknowns, with a range for the rest ---------------- */

typedef struct zl_linear {
    int64_t *coefficient; /* one an unknown */
    zlay_range rest;
    bool linear; /* the rest is one integer, though it may not fit 64 bits */
} zl_linear;

/* In working memory of the call. */
typedef struct zl_unknowns {
    zlay_ctx *ctx;
    zl_unknown *at;
    size_t count, room;
} zl_unknowns;

void zl_unknowns_begin(zl_unknowns *u, zlay_ctx *ctx);

/* The place of a name, added with every integer where it is new; ELIMIT past limits.dims. */
zlay_status zl_unknowns_add(zl_unknowns *u, size_t *place, const char *name, size_t length);

/* All names of a text. */
zlay_status zl_unknowns_scan(zl_unknowns *u, const char *text, size_t length);

/* An expression in postfix order: a number, a name or an operator a step. */
enum { ZL_STEP_NUMBER = -2, ZL_STEP_NAME = -1, ZL_STEPS_MOST = 128 };

typedef struct zl_linear_step {
    int op; /* ZL_LINEAR_*, or one of the two above */
    int64_t number;
    size_t first;   /* where the operands of this step begin */
    uint64_t names; /* one bit a name */
    zlay_range range;
} zl_linear_step;

/* Working memory for expressions over the names that `u` has at zl_linears_begin; all 0 before the
 * first. */
typedef struct zl_linears {
    const zl_unknowns *u;
    size_t room; /* of coefficients in each form */
    zl_linear *at;
    zl_linear_step *step; /* of the last expression, where `whole` says that all of it is there */
    size_t steps;
    bool whole;
} zl_linears;

/* One more step: an integer that has to fit or the name at `place`; an operator. */
void zl_step_operand(zl_linears *f, zlay_range range, size_t place, bool name);
void zl_step_operator(zl_linears *f, int op);

/* What the steps show: every integer where they are not whole. */
zlay_range zl_linear_exact(const zl_linears *f);

/* The range of what ends at a step, if it has one name; else every integer. */
zlay_range zl_step_exact(const zl_linears *f, size_t last);

zlay_status zl_linears_begin(zl_linears *f, const zl_unknowns *u);

/* How an expression ended, for the one who asks for it to stop before a `mod` or `%` outside of
 * parentheses. */
typedef struct zl_ending {
    bool sum; /* it has a + or - outside of parentheses */
    bool mod; /* it stopped there */
} zl_ending;

/* Read an expression into f->at[0]; `ending` may be NULL. */
zlay_status zl_linear_parse(zl_cursor *c, zl_linears *f, zl_ending *ending);
zlay_range zl_linear_range(const zl_linear *form, const zl_unknown *at, size_t names);

/* ---- facts ------------------------------------------------------------------------- */

typedef struct zl_constraint {
    size_t fact, place; /* which text, about which unknown */
    zlay_range range;
    bool whole; /* false: a number did not fit 64 bits, and the range has more than the text */
} zl_constraint;

/* In working memory of the call, as are the two sides of what is read. */
typedef struct zl_constraints {
    zlay_ctx *ctx;
    zl_constraint *at;
    size_t count, room;
    zl_relation_fact *relation;
    size_t relations, relation_room;
    zl_linears left, right;
} zl_constraints;

zlay_status zl_relations_add(zl_constraints *c, const zl_relation_fact *what);

/* What relations say of each name; false: *empty is one that leaves a name no value. */
bool zl_relations_tighten(zl_unknown *at, const zl_relation_fact *r, size_t count, size_t *empty);

/* What they say of a form, met with *out. */
zlay_status zl_relations_of(zlay_ctx *ctx, zlay_range *out, const zlay_facts *facts,
                            const zl_linear *form, const zl_unknowns *u);

zlay_status zl_constraints_add(zl_constraints *c, zl_constraint what);

/* What one text says, whose names are all in `u`; a fact that never holds is EINVAL. */
zlay_status zl_fact_parse(zl_cursor *c, const zl_unknowns *u, zl_constraints *out, size_t fact);

/* ---- operators --------------------------------------------------------------------- */

/* In the order of how tightly they bind; the last four are what parentheses open. */
enum {
    ZL_LINEAR_ADD,
    ZL_LINEAR_SUB,
    ZL_LINEAR_MUL,
    ZL_LINEAR_DIV,
    ZL_LINEAR_MOD,
    ZL_LINEAR_NEG,
    ZL_LINEAR_OPEN,
    ZL_LINEAR_MIN,
    ZL_LINEAR_MAX,
    ZL_LINEAR_CEIL
};

/* a = a op b; b is spent. */
void zl_linear_apply(int op, zl_linear *a, zl_linear *b, const zl_unknowns *u);
void zl_linear_negate(zl_linear *a, const zl_unknowns *u);

/* Whether a name has a coefficient. */
bool zl_linear_names(const zl_linear *a, const zl_unknowns *u);

/* How many names have a coefficient, and the place of the last of them. */
size_t zl_linear_name(const zl_linear *a, const zl_unknowns *u, size_t *count);

#endif
