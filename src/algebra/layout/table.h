/* SPDX-License-Identifier: Apache-2.0 */
/* A function written out: one value a point of a box, and which points have none. A table has at
 * most limits.points points. */
#ifndef ZL_ALGEBRA_TABLE_H
#define ZL_ALGEBRA_TABLE_H

#include "algebra/layout/function.h"
#include "algebra/layout/layout.h"

typedef struct zl_table {
    zlay_ctx *ctx;
    zl_mark mark;             /* before it in zl_scratch */
    uint64_t size, undefined; /* points; how many of them have no value */
    int64_t *value;           /* flat, the first output fastest */
    uint8_t *there;           /* 1: defined */
} zl_table;

/* A table of `size` points, all undefined: ELIMIT above limits.points, ENOMEM.  It is working
 * memory, and its end gives back all that was taken of zl_scratch since it was made: tables end in
 * the reverse of the order in which they were made.  One that was refused, or is {0}, may end. */
zlay_status zl_table_new(zlay_ctx *ctx, zl_table *out, uint64_t size);
void zl_table_free(zl_table *t);

static inline void zl_table_set(zl_table *t, uint64_t index, int64_t value)
{
    t->undefined -= !t->there[index];
    t->there[index] = 1;
    t->value[index] = value;
}

/* The table as a function for recognisers; undefined points have no value. */
zl_function zl_table_function(const zl_table *t);

#endif
