/* SPDX-License-Identifier: Apache-2.0 */
/* How much a copy through a tensor map takes: elements, rows and bytes of its box. */
#ifndef ZL_SIZE_H
#define ZL_SIZE_H

#include <zlay/tensormap.h>

/* Dimensions of a map that its arrays have, whatever its rank says. */
uint32_t zl_dims(const zlay_tensormap *map);
/* Bits of an element in shared memory, gaps of packed types included; bytes of a box or a column
 * there, swizzled rows whole. */
uint32_t zl_smem_bits(int32_t type);
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
