/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces that are being made: guards that may overlap, with the values they claim. */
#ifndef ZL_ALGEBRA_CLAIMS_H
#define ZL_ALGEBRA_CLAIMS_H

#include "algebra/layout/layout.h"
#include "algebra/presburger/quasi.h"

typedef struct zl_claim {
    zl_guard guard;
    const zl_row **value; /* one an output */
} zl_claim;

typedef struct zl_claims {
    zl_world *w;
    size_t outs, count, room;
    zl_claim *at;
} zl_claims;

/* ELIMIT past limits.pieces. */
zlay_status zl_claims_put(zl_claims *c, zl_claim claim);

/* The claims as dense rows, in memory of their world; no claim has a free variable.  Extents and
 * sizes of outputs are borrowed. */
zlay_status zl_claims_dense(zl_claims *c, zl_pieces *out, const uint64_t *extent,
                            const uint64_t *out_size);

/* The same with the divisions in the order of their making, not in that of the rows. */
zlay_status zl_claims_as_made(zl_claims *c, zl_pieces *out, const uint64_t *extent,
                              const uint64_t *out_size);

/* More claims from dense pieces; `known` has a form of c's world for each parameter and coordinate
 * of p, NULL: they are those of the world. */
zlay_status zl_claims_import(zl_claims *c, const zl_pieces *p, const zl_quasi *const *known);

/* Rows 0 <= i < extent for every extent that is not 0, where the claims do not say so. */
zlay_status zl_claims_bound(zl_claims *c, const uint64_t *extent);

/* Where the layout of claims takes its box and output sizes from; NULL, and an extent of 0: from
 * the claims. */
typedef struct zl_claims_frame {
    const uint64_t *extent, *out_size;
} zl_claims_frame;

/* Drop claims that never hold, make guards disjoint, find the box and move its least corner to 0.
 * EINVAL: two claims of one point differ (the message has the point), the domain is empty or
 * unbounded, a point is outside the frame's box; EOVERFLOW; ELIMIT. */
zlay_status zl_claims_layout(zl_claims *c, zlay_layout **out, const zl_claims_frame *frame);

/* ---- steps of it ------------------------------------------------------------------------- */

/* Whether none of the guards ever holds, by ranges, points or isl; NO has a point where one does
 * (dims integers; without parameters).  UNDECIDED has its message. */
zlay_status zl_cases_empty(zl_world *w, const zl_cases *cases, zlay_answer *answer, int64_t *at);

/* Points between the ends, UINT64_MAX for many, and one step from a point to the next of them. */
uint64_t zl_points_between(const int64_t *least, const int64_t *greatest, size_t dims);
bool zl_points_next(int64_t *at, const int64_t *least, const int64_t *greatest, size_t dims);

zlay_status zl_claims_disjoint(zl_claims *c);

/* Whether all rows are bounds of single coordinates: then the ends of its ranges are reached. */
bool zl_guard_is_box(const zl_world *w, const zl_guard *guard);

/* The ends of the values of one output: as zl_isl_range, without isl where guards are boxes and
 * values have no division. */
zlay_status zl_pieces_ends(zlay_ctx *ctx, int64_t *least, int64_t *greatest, const zl_pieces *p);

/* The ends of the domain; without parameters in guards.  ZLAY_NONE: empty;
 * EINVAL: unbounded. */
zlay_status zl_claims_hull(zl_claims *c, int64_t *least, int64_t *greatest);

/* ---- free variables that zl_solve leaves --------------------------------------------------- */

/* The claims of a claim with free variables: ZLAY_NONE where a point would have two values. */
zlay_status zl_solve_by_isl(zl_claims *to, const zl_claim *claim);

/* The relation has the coordinates of `to`, its outputs, then `frees` variables to project out. */
zlay_status zl_isl_functions(zl_claims *to, const zl_pieces *relation, size_t frees);

#endif
