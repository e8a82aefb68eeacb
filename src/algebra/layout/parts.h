/* SPDX-License-Identifier: Apache-2.0 */
/* The top-level modes of a profile, taken apart and put together. */
#ifndef ZL_ALGEBRA_PARTS_H
#define ZL_ALGEBRA_PARTS_H

#include "algebra/layout/layout.h"

/* How many there are; of an integer 1. */
size_t zl_parts_count(const zl_mode *modes, size_t count);

/* Append part k, or k.. on, with the parentheses that are its own. */
zlay_status zl_parts_take(zl_modes *out, const zl_mode *modes, size_t count, size_t k);
zlay_status zl_parts_from(zl_modes *out, const zl_mode *modes, size_t count, size_t k);

/* The parts without the parentheses around them; CuTe leaves those of a tuple of one. */
zlay_status zl_parts_unpack(zl_modes *out, const zl_mode *modes, size_t count);

#endif
