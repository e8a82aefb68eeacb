/* SPDX-License-Identifier: Apache-2.0 */
/* CuTe's operations inside a call. */
#ifndef ZL_ALGEBRA_CUTE_H
#define ZL_ALGEBRA_CUTE_H

#include "algebra/layout/parts.h"
#include "algebra/find/table.h"
#include <zlay/cute.h>
#include <zlay/pieces.h>

/* a after b. */
zlay_status zl_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b);

/* Public calls as parts of a call (zl_enter_part). */
zlay_status zl_layout_compose(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                              const zlay_layout *b);
zlay_status zl_layout_slice(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                            const zlay_slice *by);
zlay_status zl_layout_index(zlay_ctx *ctx, uint64_t *out, const zlay_layout *layout,
                            const char *coordinate, size_t length);

/* One more than the greatest value. */
zlay_status zl_cosize(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a);

/* The modes of CuTe's complement of a strided layout. */
zlay_status zl_complement(zl_modes *out, const zlay_layout *b, uint64_t cotarget);

/* The complement of any layout: strided where CuTe has one, else by values.  Values are added. */
zlay_status zl_complement_of(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *b,
                             uint64_t cotarget);

zlay_status zl_coalesce(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/* (i, j) -> a(i) + b(j), as one layout of two modes. */
zlay_status zl_pair(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const zlay_layout *b);

/* The two modes of a layout as `arrangement` says; any layout without modes stays. */
zlay_status zl_arrange_pair(zlay_ctx *ctx, zlay_layout **layout, zlay_arrangement arrangement);

/* The same of a layout that is not symbolic. */
zlay_status zl_arrange_strided(zlay_ctx *ctx, zlay_layout **layout, zlay_arrangement arrangement);

/* The box with weight times the index as values. */
zlay_status zl_weights(zl_modes *out, const zl_modes *box, uint64_t weight);

/* A layout with 1:0 behind its modes until there are `rank`; ((a0,b0),(a1,b1),..) of two of one
 * rank, raked: b first. */
zlay_status zl_pad_rank(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t rank);
zlay_status zl_zip_modes(zl_modes *m, const zlay_layout *a, const zlay_layout *b, bool raked);

/* The offset and the swizzle of a around a layout that was made of what is under them. */
zlay_status zl_dress(zlay_ctx *ctx, zlay_layout **layout, const zlay_layout *a);

zlay_status zl_divide_any(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                          const zlay_layout *b);
zlay_status zl_product(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                       const zlay_layout *b);
zlay_status zl_right_inverse(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/* Mode by mode of a tiler's text: `each` makes ((t),(r)) of a mode and its tile. */
typedef zlay_status zl_tile_mode(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *mode,
                                 const zlay_layout *tile);
zlay_status zl_by_tiler(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, const char *tiler,
                        size_t length, zlay_arrangement arrangement, zl_tile_mode *each);

static inline zlay_status zl_check_arrangement(zlay_ctx *ctx, zlay_arrangement arrangement)
{
    if (arrangement >= ZLAY_LOGICAL && arrangement <= ZLAY_FLAT) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EINVAL, "arrangement %d is none", (int)arrangement);
}

#endif
