/* SPDX-License-Identifier: Apache-2.0 */
/* How much a copy through a tensor map takes: elements, rows and bytes of its box. */
#ifndef ZL_SIZE_H
#define ZL_SIZE_H

#include <stdbool.h>
#include <zlay/tensormap.h>

enum { ZL_DIMS = 5 };

/* Dimensions of a map that its arrays have, whatever its rank says. */
static inline uint32_t zl_dims(const zlay_tensormap *map)
{
    return map->rank < ZL_DIMS ? map->rank : ZL_DIMS;
}

/* Whether all reserved words are 0. */
static inline bool zl_map_unreserved(const zlay_tensormap *map)
{
    uint32_t some = 0;
    _Pragma("GCC unroll 14")
    for (size_t i = 0; i < sizeof map->reserved / sizeof *map->reserved; i++) some |= map->reserved[i];
    return !some;
}

/* Bits of an element in global memory. */
static inline uint32_t zl_map_bits(int32_t type)
{
    static const uint8_t bits[] = {
#define TYPE(number, name, bits) [ZLAY_TYPE_##number] = bits,
#include "target/types.def"
#undef TYPE
    };
    return (uint32_t)type <= ZLAY_TYPE_U6_ALIGN16 ? bits[type] : 0;
}

/* The same in shared memory, where packed types lie with their gaps: 16 bytes for 16 values. */
static inline uint32_t zl_smem_bits(int32_t type)
{
    bool gaps = type == ZLAY_TYPE_U4_ALIGN16 || type == ZLAY_TYPE_U6_ALIGN16;
    return gaps ? 8 : zl_map_bits(type);
}

/* Bytes of a box or a column there, swizzled rows whole. */
uint64_t zl_box_smem(const zlay_tensormap *map);
/* Bytes of one row of a swizzle's pattern; 0 without swizzle. */
uint64_t zl_span(int32_t swizzle);
/* Elements that a box asks for along dimension i, pixels of a column, bytes of an innermost row or
 * of a pixel, and bytes that a copy counts. */
uint64_t zl_box_elements(const zlay_tensormap *map, uint32_t i);
uint64_t zl_column_pixels(const zlay_tensormap *map);
uint64_t zl_row_bytes(const zlay_tensormap *map);
uint64_t zl_box_bytes(const zlay_tensormap *map);

#endif
