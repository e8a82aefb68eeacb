/* SPDX-License-Identifier: Apache-2.0 */
/* Is every value of one layout a value of another: the same asked of one sum, and of pieces that
 * are sums. */
#ifndef ZL_ALGEBRA_CONTAINED_H
#define ZL_ALGEBRA_CONTAINED_H

#include "algebra/image/sums.h"
#include <zlay/decide.h>

/* A point x of a (0 before) whose value b lacks: FOUND; NOT_FOUND where b has all. */
zl_found zl_sum_lacks(uint64_t *x, const zl_sum *a, const zl_sum *b, zl_budget *budget);

/* Where b lacks a value of a, and *index is a point that shows it: the least index of all that do;
 * false where the budget ends the search, with the least that was proved to show it. */
bool zl_sum_lacks_first(uint64_t *index, const zl_sum *a, const zl_sum *b, zl_budget *budget);

/* The same by another decider: `lacks` answers of a sum like a what zl_sum_lacks does. */
typedef zl_found zl_lacks(const void *env, uint64_t *x, const zl_sum *a, zl_budget *budget);
bool zl_lacks_first(uint64_t *index, const zl_sum *a, zl_lacks *lacks, const void *env,
                    zl_budget *budget);

/* Is every value of a one of b?  UNDECIDED: not by this; NO: a point of a with another value, and
 * whether it is the least.  ENOMEM. */
zlay_status zl_sums_contained(zlay_answer *answer, uint64_t *witness, bool *least,
                              const zl_sums *a, const zl_sums *b, zl_budget *budget);

#endif
