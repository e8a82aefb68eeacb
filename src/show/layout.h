/* SPDX-License-Identifier: Apache-2.0 */
/* The elements of a layout as a grid. */
#ifndef ZL_SHOW_LAYOUT_H
#define ZL_SHOW_LAYOUT_H

#include "base/base.h"

#include <zlay/layout.h>

/* A layout's first two modes, and the coordinates of all others as one; a single mode is a row. */
typedef struct zl_show_extents {
    uint64_t rows, columns, panels;
    bool single;
} zl_show_extents;

zlay_status zl_show_extents_of(zlay_ctx *ctx, zl_show_extents *out, const zlay_layout *layout);

#endif
