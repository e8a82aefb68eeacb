/* SPDX-License-Identifier: Apache-2.0 */
/* How much a copy through a map takes. Interleaved maps are of slices, 16 or 32 bytes each,
 * whatever the element type: dimension 0 counts them, and of the last dimension but one a copy
 * takes one (measured). */
#include "base/base.h"
#include "legality/tensormap/size.h"
#include "legality/tensormap/step.h"

enum { WIDE_128_PIXELS = 128 };

uint32_t zlay_tensormap_type_bits(int32_t type) { return zl_map_bits(type); }

uint64_t zl_span(int32_t swizzle)
{
    static const uint8_t spans[] = {0, 32, 64, 128};
    if (swizzle < 0) return 0;
    return spans[swizzle < ZLAY_SWIZZLE_128B ? swizzle : ZLAY_SWIZZLE_128B];
}

static uint64_t slice_bytes(const zlay_tensormap *map) { return map->interleave == 2 ? 32 : 16; }

/* Without interleave the step of dimension 0 is ignored (measured). */
uint64_t zl_box_elements(const zlay_tensormap *map, uint32_t i)
{
    uint32_t step = i || map->interleave ? map->step[i] : 1;
    step += !step;
    return zl_steps((uint64_t)map->box[i] + step - 1, step);
}

uint64_t zl_column_pixels(const zlay_tensormap *map)
{
    return map->mode == 2 && map->wide_mode == 1 ? WIDE_128_PIXELS : map->pixels;
}

/* Rows of the box. Dimension 0 is within a row, and of the slices' dimension a copy takes one. */
static uint64_t rows(const zlay_tensormap *map)
{
    uint64_t count = 1;
    if (map->mode == 1 || map->mode == 2) return zl_column_pixels(map);
    uint32_t slices = map->interleave ? map->rank - 2 : 0, dims = zl_dims(map);
#pragma GCC unroll 4
    for (uint32_t i = 1; i < dims; i++)
        if (i != slices) count = zl_umul_sat(count, zl_box_elements(map, i));
    return count;
}

uint64_t zl_row_bytes(const zlay_tensormap *map)
{
    bool columns = map->mode == 1 || map->mode == 2;
    if (map->interleave) return slice_bytes(map) * (columns ? 1 : zl_box_elements(map, 0));
    return (uint64_t)(columns ? map->channels : map->box[0]) * zl_smem_bits(map->type) / 8;
}

/* The gaps of packed types are not copied, and not counted: "equal to amount of data copied in
 * bytes" (PTX ISA 9.1, cp.async.bulk.tensor); CUTLASS expects 4 and 6 bits a value too. */
uint64_t zl_box_bytes(const zlay_tensormap *map)
{
    uint32_t there = zl_smem_bits(map->type), copied = zl_map_bits(map->type);
    uint64_t row = zl_row_bytes(map);
    bool gaps = there != copied && !map->interleave;
    return zl_umul_sat(rows(map), gaps ? row * copied / there : row);
}

uint64_t zl_box_smem(const zlay_tensormap *map)
{
    uint64_t bytes = zl_row_bytes(map), span = map->interleave ? 0 : zl_span(map->swizzle);
    return zl_umul_sat(rows(map), bytes > span ? bytes : span);
}
