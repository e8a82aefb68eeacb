/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of a product, of groups all together, and the product of one group as a part of them. */
#ifndef ZL_CLI_GROUPS_H
#define ZL_CLI_GROUPS_H

#include "cli/matrix.h"

/* A product whose matrices may be parts of others. */
typedef struct zl_product {
    zl_matrix a, b, d;
    uint64_t m, n, k;
} zl_product;

/* Describe the matrices of a request, with or without groups; false when their bytes pass 2^63. */
bool zl_groups_describe(zl_matrix *a, zl_matrix *b, zl_matrix *d, const int32_t *type,
                        const zlay_gemm *gemm);

/* groups + 1 offsets in memory that free() takes: numbers in 0 to the rows, at random by `seed`, in
 * order. NULL: no memory. */
uint64_t *zl_groups_draw(const zlay_gemm *gemm, uint64_t seed);

/* The product of group i. */
zl_product zl_groups_product(const zl_matrix *a, const zl_matrix *b, const zl_matrix *d,
                             const zlay_gemm *gemm, const uint64_t *offsets, uint32_t i);

/* Elements of D in rows of no group that no longer hold the canary. */
uint64_t zl_groups_changed(const zl_matrix *d, const zlay_gemm *gemm, const uint64_t *offsets);

#endif
