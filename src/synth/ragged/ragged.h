/* SPDX-License-Identifier: Apache-2.0 */
/* The coordinates of a ragged map as forms, which are computed, printed and proved. */
#ifndef ZL_RAGGED_H
#define ZL_RAGGED_H

#include "base/base.h"
#include <zlay/pool.h>
#include <zlay/ragged.h>

/* What forms are sums of: elements along the ragged dimension. `n` elements of the copied tile are
 * the group's, and the tile begins at `row` of its group. */
enum { ZL_RAGGED_ONE, ZL_RAGGED_OFFSET, ZL_RAGGED_ROW, ZL_RAGGED_N, ZL_RAGGED_TERMS };

/* Coordinates of a copy: along the ragged dimension, of the offset, which is counted in units, and
 * of the dimension that wraps. */
typedef struct zl_ragged_form {
    int64_t window[ZL_RAGGED_TERMS], offset[ZL_RAGGED_TERMS];
    uint32_t wrap;
} zl_ragged_form;

/* Of a tile that the group's end cuts, 0 <= row and 0 <= n <= box; and of one that its beginning
 * cuts, -box < row < 0. */
static inline zl_ragged_form zl_ragged_cut_end(const zlay_ragged_map *r)
{
    return (zl_ragged_form){{r->window, 0, 0, -1}, {0, 1, 1, 1}, r->wrap};
}

static inline zl_ragged_form zl_ragged_cut_begin(const zlay_ragged_map *r)
{
    int64_t before = r->base == ZLAY_RAGGED_SHIFT ? r->window : 0;
    return (zl_ragged_form){{0, 0, 1, 0}, {before, 1, 0, 0}, 0};
}

/* zlay_ragged_map_synth and zlay_pool_find as parts of a call. */
zlay_status zl_ragged_map_make(zlay_ctx *ctx, zlay_ragged_map *out, const zlay_target *target,
                               const zlay_ragged_map_request *request);
zlay_status zl_pool_make(zlay_ctx *ctx, zlay_pool *out, const zlay_pool_request *request);

/* The map of the whole tensor with so many elements of the ragged dimension in its box; units and strides as
 * zlay_ragged_map_synth sets them. NONE: a rule refuses it, or it has more than five dimensions. */
zlay_status zl_ragged_plain(zlay_ctx *ctx, zlay_ragged_map *out, const zlay_target *target,
                            const zlay_ragged_map_request *request, uint32_t box);

/* Whether a dimension of the tensor shares that of the offset. */
static inline bool zl_ragged_shares(const zlay_ragged_map *r, uint32_t i)
{
    return i != r->dim && r->place[i] == r->offset;
}

#endif
