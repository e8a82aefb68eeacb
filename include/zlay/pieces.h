/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/pieces.h - operations that make and keep pieces: guarded quasi-affine
 *  forms with floor divisions.
 *
 *  A worked example.  (6,3):(1,20) composed with 4:4 asks for the values at 0,
 *  4, 8 and 12: 0, 4, 22 and 40, and no shape:stride has those.  The first
 *  layout at v is v mod 6 + 20 floor(v / 6), so with v = 4 x the composition is
 *  4 x + 14 floor(2 x / 3), one piece, as isl text
 *
 *      { [i0] -> [4i0 + 14*floor((2i0)/3)] : 0 <= i0 < 4 }
 *
 *  Padded by one cell on each side it has the box 6 and the values - 0 4 22 40
 *  -, where - is undefined.  Its cells 1 and 3, a slice, have 0 and 22: 2:22.
 *
 *  Every function takes every kind of layout and answers in the cheapest kind
 *  that is equal: up to limits.points points by comparing all of them, above
 *  that by closed forms.  `mode` counts the top-level modes or input dimensions
 *  of the box, 0 the fastest.
 *
 *  With parameters: compositions, flips, slices, paddings and concatenations
 *  are made of the rows of both.  Where the extent of a mode depends on one, as
 *  in [N] -> { [i] -> [2 i] : 0 <= i < N }, the guards of every piece must say
 *  0 <= i < N of it and nothing else, or the answer is ZLAY_ENOTSUP; so it is
 *  for undefined cells and for a restriction of such a box, and for a union.
 */
#ifndef ZLAY_PIECES_H
#define ZLAY_PIECES_H

#include <zlay/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The same function as pieces, one integer variable a top-level mode.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL, ZLAY_ENOMEM; ZLAY_EOVERFLOW a coefficient
 *           does not fit 64 bits; ZLAY_ELIMIT more than 256 variables.
 *  Out:     out  a layout of kind ZLAY_LAYOUT_PIECES; its text is isl's.
 */
ZLAY_API zlay_status zlay_layout_lift(zlay_ctx *ctx, zlay_layout **out,
                                      const zlay_layout *a);

/** The composition of zlay_layout_compose, undefined where b leaves the box of
 *  an a that ends at its box (f2, modular, pieces) instead of ZLAY_NONE.
 *
 *  Returns: as zlay_layout_compose.
 */
ZLAY_API zlay_status
zlay_layout_compose_partial(zlay_ctx *ctx, zlay_layout **out,
                            const zlay_layout *a, const zlay_layout *b);

/** Mirror a mode: its coordinate c becomes extent - 1 - c.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (no such mode), ZLAY_EOVERFLOW, ZLAY_ELIMIT,
 *           ZLAY_ENOMEM; ZLAY_ENOTSUP its extent depends on a parameter.
 *  Out:     out  strided and swizzled layouts keep their profile.
 */
ZLAY_API zlay_status zlay_layout_flip(zlay_ctx *ctx, zlay_layout **out,
                                      const zlay_layout *a, size_t mode);

/** Coordinates begin, begin + step, ... of a mode: those below `end`, or above
 *  it where step is negative (-1 as end: down to 0). */
typedef struct zlay_slice {
    uint64_t mode;
    int64_t begin, end, step;
} zlay_slice;

/** Keep some coordinates of a mode and number them anew from 0.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL no such mode, a step of 0, begin or end
 *           outside the mode, or no coordinate is left; else as
 *           zlay_layout_flip.
 */
ZLAY_API zlay_status zlay_layout_slice(zlay_ctx *ctx, zlay_layout **out,
                                       const zlay_layout *a,
                                       const zlay_slice *by);

/** What is in the cells that padding adds. */
enum {
    ZLAY_PAD_UNDEFINED = 0, /* nothing: eval answers ZLAY_NONE */
    ZLAY_PAD_REPEAT,        /* the mode again: cell c has coordinate
                               (c - before) mod extent */
    ZLAY_PAD_ZERO           /* the value 0 in every output */
};

/** Cells around a mode. */
typedef struct zlay_pad {
    uint64_t mode, before, after;
    int32_t fill;      /* ZLAY_PAD_* */
    uint32_t reserved; /* 0 */
} zlay_pad;

/** Enlarge a mode by cells before and behind it.
 *
 *  Returns: as zlay_layout_flip; ZLAY_EINVAL also for another filling.
 */
ZLAY_API zlay_status zlay_layout_pad(zlay_ctx *ctx, zlay_layout **out,
                                     const zlay_layout *a, const zlay_pad *by);

/** Put b behind a along a mode; the other modes have the same extents.
 *
 *  Returns: as zlay_layout_flip; ZLAY_EINVAL also for boxes or outputs that do
 *           not fit.
 */
ZLAY_API zlay_status zlay_layout_concat(zlay_ctx *ctx, zlay_layout **out,
                                        const zlay_layout *a,
                                        const zlay_layout *b, size_t mode);

/** Keep the values where a condition holds; elsewhere the layout is undefined.
 *
 *  Returns: as zlay_layout_flip; ZLAY_EINVAL also for a condition that does not
 *           read, the message has its byte.
 *  In:      condition  in isl's words over the coordinates x0, x1, ..., as
 *                      "x0 + 2 x1 < 7 and x1 mod 2 = 0"; `length` bytes.
 */
ZLAY_API zlay_status zlay_layout_restrict(zlay_ctx *ctx, zlay_layout **out,
                                          const zlay_layout *a,
                                          const char *condition, size_t length);

/** The values of a and those of b, layouts of one box.
 *
 *  Returns: as zlay_layout_flip; ZLAY_EINVAL also for boxes or outputs that
 *           differ, and for a point where both have values and not the same:
 *           the message has it.
 */
ZLAY_API zlay_status zlay_layout_union(zlay_ctx *ctx, zlay_layout **out,
                                       const zlay_layout *a,
                                       const zlay_layout *b);

#ifdef __cplusplus
}
#endif
#endif
