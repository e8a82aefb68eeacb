/* SPDX-License-Identifier: Apache-2.0 */
/* The text of F2 layouts. */
#ifndef ZL_ALGEBRA_F2_H
#define ZL_ALGEBRA_F2_H

#include "algebra/cursor.h"
#include "algebra/layout.h"

/* What follows the word f2. */
zlay_status zl_f2_parse(zl_cursor *c, zlay_layout **out);

#endif
