/* SPDX-License-Identifier: Apache-2.0 */
/* Values of many indices, for kinds whose value is one integer in closed form. */
#ifndef ZL_ALGEBRA_EVAL_MANY_H
#define ZL_ALGEBRA_EVAL_MANY_H

#include "algebra/layout/layout.h"

enum { ZL_MANY_MODES = 64 }; /* layouts of more modes go point by point */

/* All values through a swizzle. */
void zl_swizzle_many(uint64_t *values, size_t count, zl_swizzle s);

/* The values of first, first + 1, ...: `count` of them, at least 1, all inside the layout.  False:
 * it has more than ZL_MANY_MODES modes. */
bool zl_strided_range(int64_t *values, const zlay_layout *a, uint64_t first, size_t count);

#endif
