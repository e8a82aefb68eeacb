/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices on the device between margins, their float64 reference, and the judgement of a product.
 */
#ifndef MATRIX_H
#define MATRIX_H

#include "rig.h"

enum { KIND_INTEGER, KIND_NORMAL, KIND_RESULT, MARGIN = 1 << 20 /* cells of 2 bytes */ };

/* One matrix: rows of `pitch` cells of which `inner` are its own.  Around and between them lie NaNs
 * (operands) or a pattern (result). */
typedef struct matrix {
    uint64_t allocation, cells, margin;
    uint64_t outer, inner, pitch;
    uint64_t seed;
    int kind;
    int k_outer; /* an operand whose rows are along k */
} matrix;

/* `shift` cells put the matrix off the alignment of its allocation. */
matrix matrix_new(rig *r, uint64_t outer, uint64_t inner, uint64_t pitch, uint64_t shift);
void matrix_free(rig *r, matrix *m);
uint64_t matrix_address(const matrix *m);
void matrix_fill(rig *r, const matrix *m);

/* Cells that are not as matrix_fill left them; of a result, only those outside. */
uint64_t matrix_changed(rig *r, const matrix *m);

/* Equal for equal allocations. */
uint64_t matrix_sum(rig *r, const matrix *m);

/* The float64 product of two operands and of their magnitudes. */
typedef struct product {
    uint64_t m, n, k, pitch, r, s;
} product;

product product_new(rig *r, const matrix *a, const matrix *b, uint64_t m, uint64_t n, uint64_t k);
void product_free(rig *r, product *p);

/* Judge every element of D; exact: it must equal the reference rounded to bf16. */
rig_result product_compare(rig *r, const product *p, const matrix *d, int d_column, int exact);

#endif
