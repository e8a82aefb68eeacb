/* SPDX-License-Identifier: Apache-2.0 */
/* isl's notation as layouts. */
#ifndef ZL_ALGEBRA_PIECES_MAP_H
#define ZL_ALGEBRA_PIECES_MAP_H

#include "base/scan.h"
#include "algebra/layout/layout.h"

/* A text that begins with `{` or `[`. */
zlay_status zl_pieces_parse(zl_cursor *c, zlay_layout **out);

/* A condition over x0, x1, ... of a box: the layout that is 0 where it holds and undefined where it
 * does not, nowhere defined where it never holds. */
zlay_status zl_condition_parse(zlay_ctx *ctx, zlay_layout **out, size_t dims, const uint64_t *box,
                               const char *text, size_t length);

#endif
