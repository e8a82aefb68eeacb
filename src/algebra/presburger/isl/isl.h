/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of the last method of a decision: isl, asked about checked pieces, never about text.
 *
 * Each call has an isl_ctx of its own under limits.isl_ops operations, and refuses beforehand what
 * would need more than limits.big_bytes of coefficients.  An extent of 0 is no bound: parameters
 * and such coordinates range over all integers.  Deciders answer ZLAY_OK and write ZLAY_YES,
 * ZLAY_NO or ZLAY_UNDECIDED with the limit in the message; a build without engines is always
 * undecided.  Two layouts of a question have the same parameters, or those that share a name share
 * its value. */
#ifndef ZL_ALGEBRA_ISL_H
#define ZL_ALGEBRA_ISL_H

#include "algebra/presburger/pieces.h"

/* A point that shows a NO.  Without parameters it is the least index, unless finding that one would
 * have passed the limit; with parameters it is any, and their values are those of the first
 * layout's parameters, then of those that only the second one has. */
typedef struct zl_isl_point {
    bool least;
    uint64_t index; /* colexicographic; 0 where an extent is 0 */
    size_t params;
    int64_t at[ZL_PIECE_VARIABLES], param[ZL_PIECE_VARIABLES];
} zl_isl_point;

/* The same points, and the same values there: boxes that differ compare by index, a side of one
 * output compares with the flat value of the other.  Both need extents where their boxes differ. */
zlay_status zl_isl_equal(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a, const zl_pieces *b);

/* No two points have one value; NO has two, the first with the least index. */
zlay_status zl_isl_injective(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point where[2],
                             const zl_pieces *a);

/* Every tuple of [0, onto[0]) x ... is a value; NO has a tuple that is none. */
zlay_status zl_isl_surjective(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                              const zl_pieces *a, const uint64_t *onto);

/* Every value of a is one of b, which has as many outputs; NO has a point of a. */
zlay_status zl_isl_contained(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                             const zl_pieces *a, const zl_pieces *b);

/* No point is defined; NO has one. */
zlay_status zl_isl_empty(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a);

/* Every point of the box is defined; NO has one that is not.  All extents are known. */
zlay_status zl_isl_total(zlay_ctx *ctx, zlay_answer *answer, zl_isl_point *where,
                         const zl_pieces *a);

/* The least and greatest coordinate that is defined, dims integers each, or the least and greatest
 * value, outs integers each: ZLAY_NONE nothing is defined; ZLAY_EINVAL there is no bound;
 * ZLAY_EOVERFLOW; ZLAY_ELIMIT.  Without parameters. */
zlay_status zl_isl_hull(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *a);
zlay_status zl_isl_range(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *a);

/* The layout of pieces in the pieces that isl merges it to; its text may have more rows. */
zlay_status zl_isl_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

#endif
