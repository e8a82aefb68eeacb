/* SPDX-License-Identifier: Apache-2.0 */
/* Vector width under facts. */
#ifndef ZL_ALGEBRA_VECTOR_WIDTH_H
#define ZL_ALGEBRA_VECTOR_WIDTH_H

#include "algebra/facts/facts.h"
#include "algebra/layout/layout.h"

/* Whether accesses of v > 1 elements along a dimension are legal for all parameters that the facts
 * allow.  ENOTSUP, with the parameter, where the pieces are more than one affine form on a box. */
zlay_status zl_vector_of_pieces(zlay_ctx *ctx, bool *out, const zl_pieces *p,
                                const zlay_facts *facts, size_t dim, uint64_t v);

/* The profile of a symbolic layout, with one point a leaf. */
zlay_status zl_vector_profile(zl_modes *box, const zlay_layout *a);

/* The same of a symbolic layout, for the leaves from leaves[0] up to leaves[1]. */
zlay_status zl_vector_of_symbols(zlay_ctx *ctx, bool *out, const zlay_layout *a,
                                 const zlay_facts *facts, const size_t leaves[2], uint64_t v);

/* zlay_layout_vector_width as a part of a call (zl_enter_part). */
zlay_status zl_layout_vector_width(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout,
                                   const zlay_vector_request *request, const zlay_facts *facts);

#endif
