/* SPDX-License-Identifier: Apache-2.0 */
/* From pieces that an operation made to the cheapest layout that equals them, and any layout as
 * pieces. */
#ifndef ZL_ALGEBRA_FINISH_H
#define ZL_ALGEBRA_FINISH_H

#include "algebra/presburger/draft.h"

/* ---- outputs of a result ---------------------------------------------------------- */

enum { ZL_OUTPUTS_MOST = 64 };

typedef struct zl_outputs {
    zl_dim dim[ZL_OUTPUTS_MOST];
    zl_f2 f2;
} zl_outputs;

/* One integer is the value of every point: one output, or sizes of all whose product fits. */
bool zl_is_flat(const zlay_layout *a);

/* The output dimensions of a flat layout: its own, or numbered ones; NULL: one integer. */
const zl_f2 *zl_outputs_of(zl_outputs *own, const zlay_layout *a);

/* ---- results ------------------------------------------------------------------- */

/* Any layout as pieces over its top-level box. */
zlay_status zl_lift(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);

/* What a result looks like: its box with its profile, who names inputs and outputs. */
typedef struct zl_result_shape {
    const zl_modes *box;
    const zlay_layout *names, *outs; /* either may be NULL */
    bool one_mode; /* a box of one mode stays one, ((2,3)):((1,7)); CuTe's composition does not */
} zl_result_shape;

/* The first form that equals the draft: by values up to limits.points, by its rows above. */
zlay_status zl_draft_finish(zl_draft *d, zlay_layout **out, const zl_result_shape *shape,
                            bool partial);

/* The same of pieces that are made; takes them. */
zlay_status zl_settle(zlay_ctx *ctx, zlay_layout **out, zlay_layout *made,
                      const zl_result_shape *shape);

/* One piece without guards as a strided layout of the box: ZLAY_NONE where it is not plainly so. */
zlay_status zl_find_strided_pieces(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a,
                                   const zl_modes *box);

#endif
