/* SPDX-License-Identifier: Apache-2.0 */
/* Equality: the question that its methods take in turn, and the methods in files of their own. */
#ifndef ZL_ALGEBRA_EQUAL_H
#define ZL_ALGEBRA_EQUAL_H

#include "algebra/decide/decide.h"
#include <zlay/facts.h>

typedef struct zl_pair {
    zlay_ctx *ctx;
    const zlay_layout *a, *b;
    zl_manner manner;
    zlay_answer answer;
    zlay_witness witness;
    const zlay_facts *facts; /* about parameters; NULL: none */
    int64_t *values; /* of parameters: the first `room` */
    size_t room;
} zl_pair;

/* NO, with the values at the index as the witness. */
void zl_differ(zl_pair *p, uint64_t index);

/* Any two layouts. */
zlay_status zl_equal_climb(zl_pair *p);

/* Two layouts without unknown names. */
zlay_status zl_equal_numbers(zl_pair *p);

/* For layouts with parameters the engine alone: there are no points to count. */
zlay_status zl_equal_parameters(zl_pair *p);

/* Both with the parameters of both, and undefined where the facts do not hold. */
zlay_status zl_given(zlay_ctx *ctx, zlay_layout **a_made, zlay_layout **b_made, const zl_pieces *a,
                     const zl_pieces *b, const zlay_facts *facts);
/* One side symbolic or both. */
zlay_status zl_equal_symbols(zl_pair *p);

/* Both strided under one swizzle: the coalesced forms, which are unique. */
zlay_status zl_equal_coalesced(zl_pair *p, bool *decided);

/* A strided layout whose sums carry is no affine map over F2: where it leaves the other, which is.
 */
zlay_status zl_equal_carry(zl_pair *p, bool *decided);

/* Two strided layouts under different swizzles, whose boxes have a common refinement: one period of
 * each of its modes. */
zlay_status zl_equal_period(zl_pair *p, bool *decided);

/* Pieces that are sums, or one side strided, on one box. */
zlay_status zl_equal_sums(zl_pair *p, bool *decided);

/* One side modular, the other too, or f2, or strided of a power of two. */
zlay_status zl_equal_bits(zl_pair *p, bool *decided);

#endif
