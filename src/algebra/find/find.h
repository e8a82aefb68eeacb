/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that are cheaper than pieces, each found in a function's values or in an affine map
 * over F2. */
#ifndef ZL_ALGEBRA_FIND_H
#define ZL_ALGEBRA_FIND_H

#include "algebra/layout/function.h"

/* Strided, mode by mode of the box: ZLAY_NONE with the break, ENOMEM, ELIMIT. */
zlay_status zl_find_strided(zl_modes *out, const zl_function *f, const zl_modes *box,
                            zl_break *where);

/* Some values of the function show that it is no strided layout of the box; false says nothing. */
bool zl_breaks_sums(const zl_function *f, const zl_modes *box);

/* The first swizzle that makes the function of a strided layout of the box: ZLAY_NONE, ENOMEM, and
 * ELIMIT when more than limits.points values would be asked for. */
zlay_status zl_find_swizzled(zl_modes *out, zl_swizzle *s, const zl_function *f,
                             const zl_modes *box);

/* The same where the bits that values may have are known: those of `set`, and none from `top` on,
 * the sign's copies but one not counted. */
zlay_status zl_find_swizzled_below(zl_modes *out, zl_swizzle *s, const zl_function *f,
                                   const zl_modes *box, uint64_t set, int top);

/* An affine map over F2 as strided, swizzled or, with `outs` output dimensions, f2; ZLAY_NONE. */
zlay_status zl_find_affine(zlay_ctx *ctx, zlay_layout **out, const zl_affine *map,
                           const zl_modes *box, const zlay_layout *names, const zl_f2 *outs);

zlay_status zl_find_strided_affine(zlay_ctx *ctx, zlay_layout **out, const zl_affine *map,
                                   const zl_modes *box);

/* The f2 layout of a map with constant 0: input dimensions those of an f2 layout `names`, else one
 * a top-level mode of the box; outputs those of `outs`, else one of the least size. */
zlay_status zl_make_f2(zlay_ctx *ctx, zlay_layout **out, const zl_affine *map,
                       const zl_modes *box, const zlay_layout *names, const zl_f2 *outs);

/* Replace a swizzled layout by a strided one of the same function, where there is one; up to
 * limits.points values are tried. */
zlay_status zl_simplify(zlay_ctx *ctx, zlay_layout **layout);

#endif
