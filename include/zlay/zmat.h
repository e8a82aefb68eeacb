/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/zmat.h - matrices of integers: Smith and Hermite forms, systems.
 *
 *  A worked example.  a = [2 4; 6 8] has the determinant -8, and the gcd of its
 *  entries is 2, so its Smith form is 2, 4: the values of x -> a x are a quarter
 *  of an eighth of the plane, one point in 8.  Its Hermite form is [2 0; 0 4]:
 *  row 2 - 3 row 1 = [0 -4], and row 1 + that = [2 0].  a x = (2, 2) has the
 *  solution x = (-1, 1) and no other.  2 x = 2 modulo 4 has x = 1 and the
 *  kernel 2: x is odd.  4 x = 2 modulo 8 has none, and w = 1/4 proves it: w times
 *  4 and w times 8 are integers, and w times 2 is not.
 *
 *  Entries have any length; those that fit 64 bits are worked on in 64 bits,
 *  the others by FLINT, with the same results.  A form whose transforms are not
 *  asked takes a tenth to a half of the time: it has its own methods.  A matrix
 *  has up to 64 x 64 entries of 4096 bits; before the work its integers are
 *  estimated by Hadamard's bound, and more than limits.big_bytes is ZLAY_ELIMIT,
 *  as is what needs FLINT in a zlay that is built without it.  A matrix may have
 *  no rows or no columns.
 */
#ifndef ZLAY_ZMAT_H
#define ZLAY_ZMAT_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An immutable matrix of integers; read by any thread. */
typedef struct zlay_zmat zlay_zmat;

/** Make a matrix.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL; ZLAY_ELIMIT more than 64 rows or
 *           columns; ZLAY_ENOMEM.
 *  Out:     out      the matrix; free it with zlay_zmat_free.
 *  In:      entries  rows * cols integers, row by row.
 */
ZLAY_API zlay_status zlay_zmat_new(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                                   const int64_t *entries);

/** Make a matrix of integers of any length.
 *
 *  Returns: as zlay_zmat_new; ZLAY_EINVAL also for a text that is no integer;
 *           ZLAY_ELIMIT also for one of more than 4096 bits.
 *  Out:     out   the matrix.
 *  In:      text  rows * cols texts that end with 0: digits, '-' before them or
 *                 not.
 */
ZLAY_API zlay_status zlay_zmat_new_text(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                                        const char *const *text);

/** Free a matrix; NULL is allowed. */
ZLAY_API void zlay_zmat_free(zlay_zmat *a);

/** The number of rows, of columns; 0 for NULL. */
ZLAY_API size_t zlay_zmat_rows(const zlay_zmat *a);
ZLAY_API size_t zlay_zmat_cols(const zlay_zmat *a);

/** Read an entry.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or no such entry; ZLAY_EOVERFLOW it does
 *           not fit 64 bits, and zlay_zmat_print has it.
 *  Out:     out  the entry.
 */
ZLAY_API zlay_status zlay_zmat_entry(int64_t *out, const zlay_zmat *a, size_t row, size_t col);

/** Write an entry in decimal digits.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL; ZLAY_EROOM.
 */
ZLAY_API zlay_status zlay_zmat_print(zlay_buf *out, const zlay_zmat *a, size_t row, size_t col);

/** The Smith normal form: u a v = s on the diagonal, 0 elsewhere.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     s  one row of min(rows, cols) entries, not negative, each a divisor of
 *              the next, zeros last.
 *           u  rows x rows, of determinant 1 or -1; NULL: not asked.
 *           v  cols x cols, likewise.
 */
ZLAY_API zlay_status zlay_zmat_snf(zlay_ctx *ctx, zlay_zmat **s, zlay_zmat **u, zlay_zmat **v,
                                   const zlay_zmat *a);

/** The same of an n x n matrix in the caller's memory: no ctx, no allocation.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or n > 8; ZLAY_EOVERFLOW a number on the
 *           way leaves 64 bits, or a has no inverse over the rationals:
 *           zlay_zmat_snf has the answer.
 *  Out:     s     n entries.
 *           u, v  n * n entries each, row by row.
 */
ZLAY_API zlay_status zlay_zmat_snf_small(int64_t *s, int64_t *u, int64_t *v, const int64_t *a,
                                         size_t n);

/** The Hermite normal form by rows: u a = h.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     h  row echelon form, pivots positive, entries above a pivot in
 *              [0, pivot), zero rows last; only one matrix is that.
 *           u  of determinant 1 or -1; NULL: not asked.
 */
ZLAY_API zlay_status zlay_zmat_hnf(zlay_ctx *ctx, zlay_zmat **h, zlay_zmat **u,
                                   const zlay_zmat *a);

/** The rank over the rationals.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_ELIMIT, ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_zmat_rank(zlay_ctx *ctx, size_t *out, const zlay_zmat *a);

/** The determinant, as a 1 x 1 matrix.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL also where a is not square; ZLAY_ELIMIT,
 *           ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_zmat_det(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);

/** The inverse over the integers.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a is not square or its determinant neither 1 nor
 *           -1, and the message has it; ZLAY_EINVAL, ZLAY_ELIMIT, ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_zmat_inverse(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);

/** All solutions of a x = b: x plus integer combinations of the kernel's columns.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE there is none, and zlay_zmat_refute proves it;
 *           ZLAY_EINVAL shapes that do not fit, a modulus below 1; ZLAY_ELIMIT,
 *           ZLAY_ENOMEM.
 *  Out:     x       cols x 1.
 *           kernel  a basis of the y with a y = 0, modulo mod where it is given, in
 *                   Hermite form by columns; x is in [0, pivot) at each of its
 *                   pivots, so that both are unique.
 *  In:      b    rows x 1.
 *           mod  a modulus a row, rows x 1; NULL: over the integers.
 */
ZLAY_API zlay_status zlay_zmat_solve(zlay_ctx *ctx, zlay_zmat **x, zlay_zmat **kernel,
                                     const zlay_zmat *a, const zlay_zmat *b,
                                     const zlay_zmat *mod);

/** Why a x = b has no solution: a row w of rationals with w a integral, w b not,
 *  and each w[i] mod[i] integral.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE there is a solution; else as zlay_zmat_solve.
 *  Out:     w    1 x rows, the numerators.
 *           den  1 x 1, their positive denominator.
 */
ZLAY_API zlay_status zlay_zmat_refute(zlay_ctx *ctx, zlay_zmat **w, zlay_zmat **den,
                                      const zlay_zmat *a, const zlay_zmat *b,
                                      const zlay_zmat *mod);

/** A basis of the x with a x = 0: cols x (cols - rank), in Hermite form by
 *  columns.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_ELIMIT, ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_zmat_kernel(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);

#ifdef __cplusplus
}
#endif
#endif
