/* SPDX-License-Identifier: Apache-2.0 */
/* The longest line of points on which the first output rises by one and the others stand. */
#ifndef ZL_ALGEBRA_STRUCTURE_RUN_H
#define ZL_ALGEBRA_STRUCTURE_RUN_H

#include "algebra/decide/decide.h"

/* a is m x n, last[j] the greatest coordinate of j. */
typedef struct zl_run_question {
    const int64_t *a;
    size_t m, n;
    const uint64_t *last;
} zl_run_question;

/* A direction d, n entries, of a line of `length` points or more, length >= 2: a d is one in output
 * 0 and 0 in the others, and |d_j| is at most last_j / (length - 1).  With outputs as digits of one
 * number that is one equation over a box.  TOO_MANY also where that number passes 64 bits. */
zl_found zl_run_of_length(int64_t *d, const zl_run_question *q, uint64_t length, zl_budget *budget);

#endif
