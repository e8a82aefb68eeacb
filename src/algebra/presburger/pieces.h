/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces: guarded quasi-affine forms over a box.
 *
 * Variables are numbered: the parameters, the coordinates of the box, then the floor divisions.  A
 * row is an affine form of them, the constant first: row[0] + sum of row[1 + v] * variable v.
 * Division q is floor(div[q] / den[q]) and its row has variables before it only.  So x mod n is
 * x - n floor(x / n), bit k of x is floor(x / 2^k) - 2 floor(x / 2^(k+1)), and a congruence is an
 * equality.  A point of the box is defined where one guard holds; no two hold anywhere.
 *
 * As text they are isl's: `{ [i0] -> [2i0] : 0 <= i0 < 3; ... }`.  Its box is the hull of its
 * domain, the least corner coordinate 0; where cells without a value lie at the border (a padded
 * layout), the text ends in `# box 10,4`, a comment to isl, and the coordinates are those of that
 * box.
 *
 * The example `{ [i] -> [2i] : i < 3; [i] -> [i mod 2] : i >= 3 }` on a box of 5:
 *   dims 1, divs 1, extent {5}, div {0, 1, 0}, den {2}, a row is {constant, i, floor(i / 2)},
 *   piece 0: guard 2 - i >= 0, value {0, 2, 0}; piece 1: guard i - 3 >= 0, value {0, 1, -2}. */
#ifndef ZL_ALGEBRA_PIECES_H
#define ZL_ALGEBRA_PIECES_H

#include "base/base.h"
#include <zlay/algebra.h>

typedef struct zl_name {
    char text[68]; /* at most 64 and a final 0 */
} zl_name;

typedef struct zl_piece {
    size_t equals, leasts; /* rows of the guard: row == 0 first, then row >= 0 */
    const int64_t *guard;
    const int64_t *value;  /* a row an output */
} zl_piece;

typedef struct zl_pieces {
    size_t params, dims, divs, outs, count;
    const zl_name *param;
    const uint64_t *extent; /* of the box, a dim each, the first fastest; 0: needs the parameters */
    const uint64_t *out_size; /* an output each; 0: not known, or a value is negative */
    const int64_t *div, *den; /* den >= 2 */
    const zl_piece *piece;
} zl_pieces;

enum { ZL_PIECE_VARIABLES = 256 }; /* parameters, dims and divisions of one layout */

/* Entries of a row. */
static inline size_t zl_pieces_width(const zl_pieces *p)
{
    return 1 + p->params + p->dims + p->divs;
}

/* Copy pieces into one block.  Checks that there are no more than limits.pieces pieces,
 * limits.dims dims and ZL_PIECE_VARIABLES variables; without parameters also that the box has
 * points and that no row leaves 64 bits on it: EINVAL, ELIMIT, EOVERFLOW, ENOMEM.  That guards are
 * disjoint is the caller's to know.  `partial` says that a point of the box may be undefined. */
zlay_status zl_layout_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_pieces *p, bool partial);

/* Steps of limits.work that zl_pieces_at takes at most. */
uint64_t zl_pieces_steps(const zl_pieces *p);

/* The values at a coordinate (dims entries), with values for the parameters; both may be NULL where
 * there are none.  ZLAY_NONE: undefined there; ZLAY_EOVERFLOW with parameters only. */
zlay_status zl_pieces_at(const zl_pieces *p, const int64_t *params, const int64_t *coordinate,
                         int64_t *values);

#endif
