/* SPDX-License-Identifier: Apache-2.0 */
/* Modular layouts: subset sums of bases, an output of size 2^k by XOR, any other modulo its size.
 *
 * The flat values are a finite group of as many elements as the output sizes have points, and every
 * question about the layout is one about which elements are sums of a subset of the bases: dynamic
 * programming over the elements, a basis at a time, exact up to ZL_RESIDUES elements.
 *
 * f2{x: (1) (2) (4) -> y: 6}: after 1 the elements 0 1 are reached, after 2 also 2 3, after 4 also
 * 4 5; adding 4 to 2 finds 0 again, so index 6 = 2 + 4 has the value of index 0. */
#ifndef ZL_ALGEBRA_MODULAR_H
#define ZL_ALGEBRA_MODULAR_H

#include "algebra/layout/layout.h"

enum { ZL_RESIDUES = 1 << 20 };

/* Two packed values added, output by output. */
uint64_t zl_modular_add(const zl_f2 *f2, uint64_t a, uint64_t b);
uint64_t zl_modular_subtract(const zl_f2 *f2, uint64_t a, uint64_t b);

/* The packed value at an index: the sum of the bases of its bits. */
uint64_t zl_modular_at(const zl_f2 *f2, uint64_t index);

/* Packed to flat and back. */
uint64_t zl_modular_flat(const zl_f2 *f2, uint64_t packed);
uint64_t zl_modular_packed(const zl_f2 *f2, uint64_t flat);

/* The product of the output sizes, UINT64_MAX where it does not fit. */
uint64_t zl_modular_group(const zl_f2 *f2);

/* Which flat values are reached, and by what, as working memory of the call: f2 layouts are taken
 * too. */
typedef struct zl_residues {
    const zl_f2 *f2;
    uint64_t count, reached; /* elements of the group; how many of them are values */
    uint8_t *last;           /* a flat value each: 2 + the bit that reaches it first; 0: none */
    uint64_t first, second;  /* the first indices found of one value; second 0: there are none */
} zl_residues;

/* ELIMIT above ZL_RESIDUES elements, ENOMEM. */
zlay_status zl_residues_of(zlay_ctx *ctx, zl_residues *out, const zlay_layout *a);

/* The least index of a flat value; false where it is none. */
bool zl_residues_index(const zl_residues *r, uint64_t value, uint64_t *index);

/* One to one: NO with two indices i < j of one value.  Onto every tuple of the outputs: NO with the
 * least flat value that is not reached.  ELIMIT, ENOMEM as zl_residues_of. */
zlay_status zl_modular_injective(zlay_ctx *ctx, zlay_answer *answer, uint64_t pair[2],
                                 const zlay_layout *a);
zlay_status zl_modular_surjective(zlay_ctx *ctx, zlay_answer *answer, uint64_t *missed,
                                  const zlay_layout *a);

/* Equal as functions to tuples, whatever the number of points: UNDECIDED only where outputs of one
 * place add in different ways, or there is another number of them; NO with an index where they
 * differ. */
zlay_answer zl_modular_equal(const zlay_layout *a, const zlay_layout *b, uint64_t *index);

#endif
