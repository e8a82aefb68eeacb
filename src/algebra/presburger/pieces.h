/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of pieces: how they are made, and their values. */
#ifndef ZL_ALGEBRA_PIECES_H
#define ZL_ALGEBRA_PIECES_H

#include "algebra/layout/table.h"

#include <string.h>

extern const zl_layout_kind zl_pieces_kind;

/* The place of a name; the count where it is none. */
static inline size_t zl_param_find(const zl_name *param, size_t count, const char *name)
{
    size_t i = 0;
    while (i < count && strcmp(param[i].text, name)) i++;
    return i;
}

/* Parts of the kind in files of their own. */
bool zl_pieces_range(int64_t *values, const zlay_layout *a, uint64_t first, size_t count);
bool zl_pieces_affine(zl_affine *out, const zlay_layout *a);
void zl_pieces_print(zl_text *out, const zlay_layout *a);
zlay_status zl_pieces_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                           const char *const *name, const int64_t *value);

/* Copy pieces into one block.  Checks that there are no more than limits.pieces pieces,
 * limits.dims dims and ZL_PIECE_VARIABLES variables; without parameters also that the box has
 * points and that no row leaves 64 bits on it: EINVAL, ELIMIT, EOVERFLOW, ENOMEM.  That guards are
 * disjoint is the caller's to know.  `partial` says that a point of the box may be undefined. */
zlay_status zl_layout_pieces(zlay_ctx *ctx, zlay_layout **out, const zl_pieces *p, bool partial);

/* zlay_layout_new_pieces as a part of a call (zl_enter_part). */
zlay_status zl_layout_new_pieces(zlay_ctx *ctx, zlay_layout **out, size_t dims,
                                 const uint64_t *box, size_t outs, size_t count,
                                 const zlay_piece *piece);

/* Steps of limits.work that zl_pieces_at takes at most. */
uint64_t zl_pieces_steps(const zl_pieces *p);

/* The values at a coordinate (dims entries), with values for the parameters; both may be NULL where
 * there are none.  ZLAY_NONE: undefined there; ZLAY_EOVERFLOW with parameters only. */
zlay_status zl_pieces_at(const zl_pieces *p, const int64_t *params, const int64_t *coordinate,
                         int64_t *values);

/* All values of flat pieces without parameters, into a table of their size: ENOMEM. */
zlay_status zl_pieces_table(zl_table *out, const zlay_layout *a);

#endif
