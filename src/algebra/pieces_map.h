/* SPDX-License-Identifier: Apache-2.0 */
/* isl's notation as layouts. */
#ifndef ZL_ALGEBRA_PIECES_MAP_H
#define ZL_ALGEBRA_PIECES_MAP_H

#include "algebra/cursor.h"
#include "algebra/layout.h"

/* A text that begins with `{` or `[`. */
zlay_status zl_pieces_parse(zl_cursor *c, zlay_layout **out);

#endif
