/* SPDX-License-Identifier: Apache-2.0 */
/* Integer matrices inside: one immutable block each, and two methods of one algorithm.
 *
 * zmat_core.h and zmat_solve.h are written over a type `num` and compiled twice: by zmat64.c, where
 * a num is 64 bits and every product is checked, and by flint.c, where it is FLINT's fmpz.  Every
 * choice that they make depends on values alone, so that both methods have the same results. */
#ifndef ZL_ALGEBRA_ZMAT_H
#define ZL_ALGEBRA_ZMAT_H

#include "base/base.h"
#include <zlay/zmat.h>

struct zlay_zmat {
    zlay_allocator alloc;
    size_t bytes, rows, cols, limbs;
    int64_t *small; /* where limbs is 0 */
    uint64_t *big;  /* else an entry is its sign, 1 for negative, and the limbs of its magnitude */
};

zlay_status zl_zmat_block(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols, size_t limbs);

/* Answers ZLAY_EOVERFLOW, without a message, where a value leaves the method. */
typedef struct zl_zmat_method {
    zlay_status (*snf)(zlay_ctx *ctx, zlay_zmat *out[3], const zlay_zmat *a);
    zlay_status (*hnf)(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a);
    zlay_status (*det)(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);
    zlay_status (*inverse)(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);
    zlay_status (*rank)(zlay_ctx *ctx, size_t *out, const zlay_zmat *a);
    /* The first `keep` unknowns of a x = b: x and the kernel; NONE where there is no solution. */
    zlay_status (*solve)(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a, const zlay_zmat *b,
                         size_t keep);
    /* Numerators and the denominator of w with w a integral and w b not. */
    zlay_status (*refute)(zlay_ctx *ctx, zlay_zmat *out[2], const zlay_zmat *a,
                          const zlay_zmat *b);
} zl_zmat_method;

/* The operation in 64 bits, and by FLINT where that overflows. */
typedef enum zl_zmat_op { ZL_SNF, ZL_HNF, ZL_DET, ZL_INVERSE, ZL_SOLVE, ZL_REFUTE } zl_zmat_op;

zlay_status zl_zmat_run(zlay_ctx *ctx, zl_zmat_op op, zlay_zmat *out[3], const zlay_zmat *a,
                        const zlay_zmat *b, size_t keep);

/* The asked ones of `made` to their places. */
zlay_status zl_zmat_give(zlay_status status, zlay_zmat *made[3], zlay_zmat **const out[3]);

extern const zl_zmat_method zl_zmat_method_64;

/* Smith's form alone of small entries, 64-bit ones; ZLAY_EOVERFLOW: by another method. */
zlay_status zl_smith_small(zlay_ctx *ctx, zlay_zmat **out, const zlay_zmat *a);

/* flint.c; without engines they answer ZLAY_ELIMIT and name the engine that lacks. */
extern const zl_zmat_method zl_zmat_method_flint;
zlay_status zl_zmat_from_text(zlay_ctx *ctx, zlay_zmat **out, size_t rows, size_t cols,
                              const char *const *text);
void zl_zmat_entry_text(zl_text *out, const zlay_zmat *a, size_t i);

#endif
