/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of tensor memory share: shapes as rows. */
#ifndef ZL_TMEM_H
#define ZL_TMEM_H

#include "legality/tcgen05/tcgen05.h"

#include <zlay/tmem.h>

typedef struct zl_tmem_shape {
    const char *name;
    uint32_t lanes, span, columns, registers, most;
} zl_tmem_shape;

/* The map is of scale factors. */
static inline bool zl_tmem_scales(const zlay_tmem_map *map)
{
    return map->shape >= ZLAY_TMEM_SCALES;
}

/* NULL for a number that is no shape. */
const zl_tmem_shape *zl_tmem_shape_of(int32_t shape);

/* zlay_tmem_layout as a part of a call (zl_enter_part). */
zlay_status zl_tmem_layout(zlay_ctx *ctx, zlay_layout **out, const zlay_tmem_map *map);

#endif
