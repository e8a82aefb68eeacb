/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/symbol.h - strided layouts whose strides and extents are products of
 *  names: unknown pitches.
 *
 *  A worked example.  (M,K):(ld,1) is a matrix of M rows, ld elements apart.
 *  Bound at M = 3, K = 2, ld = 4 it is (3,2):(4,1).  With K first, (K,M):(1,ld)
 *  is (K,M):(1,K) exactly when ld == K or there is one row, so whether the two
 *  are equal DEPENDS, and the guard says `M == 1 || ld == K`; then it is also
 *  K*M:1, which (K,M):(1,K) coalesces to for all K and M.  (8,M):(ld,1) o 4:2 is
 *  4:2*ld, without a fact.  Flipped along its rows, (8,M):(ld,1) is
 *  7*ld o (8,M):(-ld,1).
 *
 *  Text: a stride or extent is an integer times names, `2*ld*h`; the offset is a
 *  sum of such, `M*ld - ld o (M,K):(-ld,1)`.  Names are [A-Za-z_][A-Za-z0-9_]{0,63}
 *  without `o`, `if` and the words of facts; at most 16 names and 64 modes.  Without
 *  strides a shape is compact: (M,K) is (M,K):(1,M).  `M/64` is a quotient without
 *  a rest, so that 64 divides M; `ceil(M/64)` and `ceil(3*M/64)` are rounded up.
 *
 *  Divided by the tiler <64;32>, (M,K):(ld,1) zipped is, where 64 divides M and
 *  32 divides K, and for all M and K,
 *      ((64,32),(M/64,K/32)):((ld,1),(64*ld,32))
 *      ((64,32),(ceil(M/64),ceil(K/32))):((ld,1),(64*ld,32))
 *          if i0 + 64*i2 < M and i1 + 32*i3 < K
 *  i0, i1, ... are the coordinates of the leaves in the order of the text; where
 *  the condition fails, past the ragged edge, the layout is undefined.
 *
 *  A name in an extent is at least 1.  What an operation answers holds for all
 *  integers that this and the facts of the layout allow.  parse, print, bind,
 *  coalesce, compose, divides by constants, products, flip, slice of a mode that is
 *  one leaf, equal, injective, surjective, bijective, contained and vector_width
 *  take these layouts; compose, divides and products need an answer that is one
 *  shape:stride for all values, up to a ragged edge, else they are ZLAY_ELIMIT
 *  (limit symbolic-stride); every other operation is ZLAY_ENOTSUP, naming a
 *  parameter.  A layout with an edge is parsed, printed, bound, and equal to what is
 *  written alike; all else is ZLAY_ELIMIT.  zlay_layout_param_nth lists the names, of
 *  quotients their numerators.
 */
#ifndef ZLAY_SYMBOL_H
#define ZLAY_SYMBOL_H

#include <zlay/layout.h>
#include <zlay/facts.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The same layout under facts about its names, which every operation on it then
 *  uses; a name of one value becomes that number.  Layouts that are not symbolic
 *  are copied.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL layout, or the facts leave a name no
 *           value; ZLAY_EOVERFLOW, ZLAY_ENOMEM.
 *  In:      facts  NULL: none.
 */
ZLAY_API zlay_status zlay_layout_assume(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        const zlay_facts *facts);

/** Decide whether two layouts, one of them symbolic, are equal for all values of
 *  their names.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM the guard does not fit, with `need` set;
 *           ZLAY_EINVAL, ZLAY_ELIMIT, ZLAY_EOVERFLOW, ZLAY_ENOMEM.
 *  Out:     answer  ZLAY_YES for all values; ZLAY_NO for none; ZLAY_DEPENDS: the
 *                   guard says for which, if any; ZLAY_UNDECIDED, with the reason
 *                   in the message.
 *           guard   with ZLAY_DEPENDS an expression of C over the names, as
 *                   int64_t, that is true exactly where they are equal and that
 *                   does not overflow; else "".  NULL: not asked.
 *  In:      facts   beside those of the layouts; NULL: none.  An equation, as
 *                   ld = K or ld = 2*K + 8, is used by substitution.
 */
ZLAY_API zlay_status zlay_layout_equal_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                             const zlay_layout *a, const zlay_layout *b,
                                             const zlay_facts *facts);

/** Decide whether no two points of a symbolic layout have one value, whatever its
 *  names are.  (M,K):(ld,1) is injective exactly where
 *      (M == 1 || ld != 0) && (K == 1 || M == 1 || ld >= K || 0 >= K + ld)
 *
 *  Returns: as zlay_layout_equal_guard; ZLAY_EINVAL also a layout without names.
 *  Out:     as zlay_layout_equal_guard, "equal" being injective.
 */
ZLAY_API zlay_status zlay_layout_injective_guard(zlay_ctx *ctx, zlay_answer *answer,
                                                 zlay_buf *guard, const zlay_layout *a);

/** Decide whether a symbolic layout has every value of [0, onto), whatever its
 *  names are.
 *
 *  Returns: as above; ZLAY_EINVAL also for onto below 1.
 *  Out:     as above.
 */
ZLAY_API zlay_status zlay_layout_surjective_guard(zlay_ctx *ctx, zlay_answer *answer,
                                                  zlay_buf *guard, const zlay_layout *a,
                                                  int64_t onto);

/** Decide whether a symbolic layout is a bijection onto [0, its size), whatever
 *  its names are.  (K,M):(1,ld) is one exactly where `M == 1 || ld == K`.
 *
 *  Returns: as above.
 *  Out:     as above.
 */
ZLAY_API zlay_status zlay_layout_bijective_guard(zlay_ctx *ctx, zlay_answer *answer,
                                                 zlay_buf *guard, const zlay_layout *a);

/** Decide whether every value of a is a value of b, whatever their names are; one
 *  of the two is symbolic.
 *
 *  Returns: as above.
 *  Out:     as above.
 */
ZLAY_API zlay_status zlay_layout_contained_guard(zlay_ctx *ctx, zlay_answer *answer,
                                                 zlay_buf *guard, const zlay_layout *a,
                                                 const zlay_layout *b);

/** The numbers at which a NO of a symbolic layout is shown: zlay_layout_is_injective
 *  and its kin give the witness that the layout has when it is bound to them, or
 *  2^64 - 1 where it does not fit 64 bits there.  Of each name the value nearest to
 *  0 that the facts allow, or nearest to 2 where it is at least 1, as of extents.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL, ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     values  the first `room`: of the names of a, then of those that b has
 *                   and a has not.
 *  In:      b       NULL: of a alone.
 */
ZLAY_API zlay_status zlay_layout_sample(zlay_ctx *ctx, int64_t *values, size_t room,
                                        const zlay_layout *a, const zlay_layout *b);

#ifdef __cplusplus
}
#endif
#endif
