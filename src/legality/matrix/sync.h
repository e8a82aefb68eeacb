/* SPDX-License-Identifier: Apache-2.0 */
/* Products by mma.sync: their form, and how warps divide them. */
#ifndef ZL_SYNC_H
#define ZL_SYNC_H

#include "base/base.h"

#include <zlay/layout.h>
#include <zlay/mma.h>

enum { ZL_SYNC_ROWS = 16, ZL_SYNC_COLUMNS = 8, ZL_SYNC_NAME = 48 };

/* Warps along rows and columns, warp w at row w % grid[0] of them; instructions of a warp along each. */
typedef struct zl_sync_warps {
    uint32_t grid[2], blocks[2];
} zl_sync_warps;

/* The id of the instruction form that multiplies two types with 32 bytes of K; false: the target has none. */
bool zl_sync_form(char id[ZL_SYNC_NAME], const zlay_target *target, int32_t a, int32_t b);

/* Whether the target converts sums to a type of D: small floats are made by an instruction of sm_89. */
bool zl_sync_converts(const zlay_target *target, int32_t d);

/* That instruction. */
zlay_mma zl_sync_mma(int32_t a, int32_t b);

/* How so many warps divide rows and columns of a product; false: instructions do not divide them. */
bool zl_sync_grid(zl_sync_warps *out, uint32_t warps, uint32_t rows, uint32_t columns);

/* (thread, value) -> row + rows * column: which elements of the sums a thread has. */
zlay_status zl_sync_fragment(zlay_ctx *ctx, zlay_layout **out, const zl_sync_warps *w);

#endif
