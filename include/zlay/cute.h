/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/cute.h - the rest of CuTe's algebra: divides, products, inverses,
 *  casts, and what two layouts have in common.
 *
 *  A worked example.  a = (4,2):(1,8) has the values 0..3 and 8..11.  Divided
 *  by the tile 2:1 it is 4 tiles of 2, the tile first:
 *
 *      logical_divide   (2,(2,2)):(1,(2,8))
 *      tiled_divide     (2,2,2):(1,2,8)
 *
 *  Its product with 2:1 is ((4,2),2):((1,8),4), a twice, the second time in the
 *  gap.  Its right inverse is 4:1, for a(i) = i up to 3; its left inverse
 *  (8,2):(1,4) has 4 at 8.  In units of two elements it is (2,2):(1,4).
 *
 *  Results and profiles are those of CuTe's C++ templates wherever those are
 *  defined.  Elsewhere, and for every other kind of layout, the result is the
 *  function that each block states, in the cheapest kind that is equal.
 *
 *  A tiler is a text, as "<4:1;8:2>": an entry a mode, an integer n for n:1;
 *  the modes behind the last entry stay whole.
 */
#ifndef ZLAY_CUTE_H
#define ZLAY_CUTE_H

#include <zlay/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How the modes of a divide or a product are arranged.  With (t0, t1, ...) the
 *  tile's modes and (r0, r1, ...) the rest's, each for its mode of the layout: */
typedef int32_t zlay_arrangement;
enum {
    ZLAY_LOGICAL = 0, /* ((t0,r0),(t1,r1),...); by a layout: (t,r) */
    ZLAY_ZIPPED,      /* ((t0,t1,...),(r0,r1,...)) */
    ZLAY_TILED,       /* ((t0,t1,...),r0,r1,...) */
    ZLAY_FLAT         /* (t0,t1,...,r0,r1,...) */
};

/** The layout x -> a(b(x)) mode by mode: mode k of a is composed with entry k,
 *  and modes behind the last entry are dropped, as CuTe's composition does.
 *
 *  Returns: as zlay_layout_compose; ZLAY_EINVAL also for more entries than
 *           modes; ZLAY_NONE also where an entry leaves a dimension of a layout
 *           that ends at its box (f2, pieces).
 */
ZLAY_API zlay_status zlay_layout_compose_tiler(zlay_ctx *ctx, zlay_layout **out,
                                               const zlay_layout *a, const char *tiler,
                                               size_t length);

/** Coalesce by profile: what stands under each integer of the profile becomes
 *  flat and of the fewest modes; modes behind the profile stay.
 *
 *  Returns: as zlay_layout_coalesce; ZLAY_EINVAL also for a profile with more
 *           modes than the layout.
 *  In:      profile  nested integers, as "(1,(1,1))"; only the nesting counts.
 */
ZLAY_API zlay_status zlay_layout_coalesce_profile(zlay_ctx *ctx, zlay_layout **out,
                                                  const zlay_layout *a, const char *profile,
                                                  size_t length);

/** Divide a layout by a layout: a o (b, complement(b, size(a))).
 *
 *  Returns: as zlay_layout_complement and zlay_layout_compose; ZLAY_EINVAL also
 *           for an arrangement that is none.
 *  Out:     out  free it with zlay_layout_free.
 *  In:      a, b  borrowed, of any kind.
 */
ZLAY_API zlay_status zlay_layout_divide(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        const zlay_layout *b, zlay_arrangement arrangement);

/** Divide a layout by a tiler, mode by mode.
 *
 *  Returns: as zlay_layout_divide; ZLAY_EINVAL also for more tiles than modes;
 *           ZLAY_NONE also where a tile leaves a mode of a layout that ends at
 *           its box.
 */
ZLAY_API zlay_status zlay_layout_divide_tiler(zlay_ctx *ctx, zlay_layout **out,
                                              const zlay_layout *a, const char *tiler,
                                              size_t length, zlay_arrangement arrangement);

/** The layout (i, j) -> a(i) + complement(a, size(a) cosize(b))(b(j)): a, repeated
 *  as b says.  Of a swizzled a the layout under the swizzle is repeated.
 *
 *  Returns: as zlay_layout_divide.
 */
ZLAY_API zlay_status zlay_layout_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                         const zlay_layout *b, zlay_arrangement arrangement);

/** The product by a tiler, mode by mode of a strided or swizzled layout.
 *
 *  Returns: as zlay_layout_divide_tiler; ZLAY_NONE for other kinds, whose modes
 *           have no layouts of their own.
 */
ZLAY_API zlay_status zlay_layout_product_tiler(zlay_ctx *ctx, zlay_layout **out,
                                               const zlay_layout *a, const char *tiler,
                                               size_t length, zlay_arrangement arrangement);

/** The product with modes paired, blocked: ((a0,b0),(a1,b1),...), blocks of a;
 *  raked: ((b0,a0),(b1,a1),...), a spread out cyclically.
 *
 *  Returns: as zlay_layout_product.
 *  In:      a, b  of any kind; the one of fewer modes has modes of extent 1
 *                 behind its own.
 */
ZLAY_API zlay_status zlay_layout_blocked_product(zlay_ctx *ctx, zlay_layout **out,
                                                 const zlay_layout *a, const zlay_layout *b);
ZLAY_API zlay_status zlay_layout_raked_product(zlay_ctx *ctx, zlay_layout **out,
                                               const zlay_layout *a, const zlay_layout *b);

/** The longest R with a(R(i)) = i for every i below size(R); of several such
 *  CuTe's, else the one of the least indices.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no value is 0; ZLAY_ELIMIT, ZLAY_ENOMEM,
 *           ZLAY_EINVAL.
 */
ZLAY_API zlay_status zlay_layout_right_inverse(zlay_ctx *ctx, zlay_layout **out,
                                               const zlay_layout *a);

/** A layout L with L(a(i)) = i for every i; where a has no value L is CuTe's, or
 *  undefined where CuTe has none.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE two indices have one value, or a value is
 *           negative: the message has them; ZLAY_ELIMIT, ZLAY_ENOMEM,
 *           ZLAY_EINVAL.
 */
ZLAY_API zlay_status zlay_layout_left_inverse(zlay_ctx *ctx, zlay_layout **out,
                                              const zlay_layout *a);

/** Values in units of n: each mode of stride below n has n / stride points merged
 *  into one, as CuTe's upcast; where that is not defined, and for other kinds,
 *  the layout i -> a(n i) / n.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE an element of n is split: the message has the
 *           index; ZLAY_EINVAL n is 0; ZLAY_EOVERFLOW, ZLAY_ELIMIT, ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_layout_upcast(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                        uint64_t n);

/** Values in units of 1/n: a mode of stride 1 grows n-fold, other strides are
 *  multiplied, as CuTe's downcast; without such a mode, and for other kinds, the
 *  layout n i + k -> n a(i) + k, k below n.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL n is 0; ZLAY_EOVERFLOW, ZLAY_ELIMIT,
 *           ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_layout_downcast(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                          uint64_t n);

/** The values 0, 1, 2, ... that a and b have at the same indices: the right
 *  inverse of b, up to where a has other values.  So b(L(i)) = a(L(i)) = i, and
 *  no L is longer where b has no value twice.  As in zlay_layout_compose a
 *  strided or swizzled a goes on past its box.
 *
 *  Returns: ZLAY_OK; ZLAY_ELIMIT, ZLAY_ENOMEM, ZLAY_EINVAL.
 *  Out:     out  1:0 where not even 0 is common.
 */
ZLAY_API zlay_status zlay_layout_max_common_layout(zlay_ctx *ctx, zlay_layout **out,
                                                   const zlay_layout *a, const zlay_layout *b);

/** The size of zlay_layout_max_common_layout: the widest vector that a copy from
 *  one to the other moves whole.
 *
 *  Returns: as zlay_layout_max_common_layout.
 *  Out:     out  1 or more.
 */
ZLAY_API zlay_status zlay_layout_max_common_vector(zlay_ctx *ctx, uint64_t *out,
                                                   const zlay_layout *a, const zlay_layout *b);

/** The same function with its modes side by side, without parentheses inside.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_ENOMEM; ZLAY_ENOTSUP it has parameters.
 */
ZLAY_API zlay_status zlay_layout_flatten(zlay_ctx *ctx, zlay_layout **out,
                                         const zlay_layout *a);

/** The same function with the top-level modes begin .. end - 1 as one.
 *
 *  Returns: as zlay_layout_flatten; ZLAY_EINVAL also unless begin < end and end
 *           is at most the number of modes.
 */
ZLAY_API zlay_status zlay_layout_group(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                       size_t begin, size_t end);

/** Fix some coordinates: the modes at a blank are kept side by side, and what the
 *  others come to is in the offset.  (4,(2,3)):(1,(20,7)) at "(_,(1,_))" is
 *  20 o (4,3):(1,7).
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL the coordinate does not fit the profile, or an
 *           integer its mode: the message has the byte; ZLAY_ENOTSUP the layout
 *           has parameters; ZLAY_EOVERFLOW, ZLAY_ELIMIT, ZLAY_ENOMEM.
 *  Out:     out  1:0 with an offset where there is no blank.
 *  In:      coordinate  as zlay_layout_index takes it, with _ for a blank; an
 *                       integer stands for a nested mode by its index.
 */
ZLAY_API zlay_status zlay_layout_slice_at(zlay_ctx *ctx, zlay_layout **out,
                                          const zlay_layout *a, const char *coordinate,
                                          size_t length);

/** The modes that a coordinate fixes, side by side; those at a blank are dropped,
 *  as if their coordinate were 0.
 *
 *  Returns: as zlay_layout_slice_at.
 */
ZLAY_API zlay_status zlay_layout_dice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                      const char *coordinate, size_t length);

#ifdef __cplusplus
}
#endif
#endif
