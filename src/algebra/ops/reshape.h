/* SPDX-License-Identifier: Apache-2.0 */
/* What operations along one top-level mode share. */
#ifndef ZL_ALGEBRA_RESHAPE_H
#define ZL_ALGEBRA_RESHAPE_H

#include "algebra/presburger/draft.h"
#include "algebra/find/table.h"
#include <zlay/pieces.h>

/* The leaves of a top-level mode, and whether one pair of parentheses stands around all modes. */
typedef struct zl_leaves {
    size_t first, end;
    uint32_t outer;
} zl_leaves;

/* EINVAL: there is no such mode. */
zlay_status zl_mode_leaves(zlay_ctx *ctx, zl_leaves *out, const zl_modes *box, uint64_t mode);

/* The box of a with `extent` as its mode, one leaf; EINVAL as above. */
zlay_status zl_box_with(zl_modes *out, const zlay_layout *a, uint64_t mode, uint64_t extent);

/* The extent of a mode, 0 where it depends on parameters: EINVAL there is no such mode. */
zlay_status zl_mode_extent_or_0(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a, uint64_t mode);

/* The last coordinate of a mode as a form of the draft's parameters; ENOTSUP where the guards do
 * not tell it plainly. */
zlay_status zl_draft_last(zl_draft *d, zl_quasi *out, const zlay_layout *a, uint64_t mode);

/* The extent of a mode: EINVAL there is none; ENOTSUP it depends on a parameter. */
zlay_status zl_mode_extent(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a, uint64_t mode);

/* The same number of modes, extents (but for `mode`; SIZE_MAX: all of them) and outputs. */
zlay_status zl_same_boxes(zlay_ctx *ctx, const zlay_layout *a, const zlay_layout *b, size_t mode);

/* An operation that gives each point of a new box under its own guards to layouts: `fill` puts the
 * pieces, `at` are the coordinates of the box and may be changed. */
typedef struct zl_filling {
    const zlay_layout *a, *b; /* outputs are those of a; b may be NULL */
    const zl_modes *box;
    bool same_box, partial;
    zlay_status (*fill)(zl_draft *d, zl_quasi *at, size_t count, const void *env);
    const void *env;
} zl_filling;

zlay_status zl_fill(zlay_ctx *ctx, zlay_layout **out, const zl_filling *f);

#endif
