/* SPDX-License-Identifier: Apache-2.0 */
/* Smith's and Hermite's forms without the transforms, which cost most of the time where they are
 * asked: both are unique, so that they are found by other means than the forms with transforms. */
#ifndef ZL_ALGEBRA_ZMAT_ALONE_H
#define ZL_ALGEBRA_ZMAT_ALONE_H

#include "algebra/integer/cramer.h"
#include "algebra/integer/zmat.h"

/* ZLAY_EOVERFLOW, without a message: numbers are larger than these methods take. */
zlay_status zl_smith_alone(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);
zlay_status zl_hermite_alone(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);
zlay_status zl_hermite_small(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);

/* A matrix of numbers of n limbs each; negative NULL: none is. */
zlay_status zl_zmat_of_numbers(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                               const uint64_t *at, const bool *negative, size_t n);

#endif
