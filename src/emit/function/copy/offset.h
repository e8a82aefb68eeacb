/* SPDX-License-Identifier: Apache-2.0 */
/* What addresses have of offsets: units, swizzles in that unit, and the words that say them. */
#ifndef ZL_EMIT_FUNCTION_COPY_OFFSET_H
#define ZL_EMIT_FUNCTION_COPY_OFFSET_H

#include "emit/function/copy/copy.h"

/* Names by side: an offset, a pointer that has it, a swizzled offset.  Types and suffixes of numbers
 * by zl_offset_word. */
extern const char zl_tile_c_raw[], zl_tile_c_plain[], zl_tile_c_mixed[];
extern const char *const zl_tile_c_types[], *const zl_tile_c_suffixes[];

/* log2 of the elements of a byte, negative where an element has several bytes. */
int zl_tile_c_down(const zl_tile_c *t);

/* Elements in the unit of a side's offsets; the offset of the part, in elements. */
int64_t zl_tile_c_unit(const zl_tile_c *t, int side, int64_t elements);
int64_t zl_tile_c_first(const zl_tile_c *t, int side);

/* The swizzle of a side in that unit, the bits that it flips, and x swizzled as an expression. */
zl_swizzle zl_tile_c_swizzle(const zl_tile_c *t, int side);
uint64_t zl_tile_c_flips(zl_swizzle s, uint64_t x);
void zl_tile_c_swizzle_put(zl_text *out, zl_swizzle s, const char *x, const char *suffix);

/* So many times the step of a mode of a named side; of mode number `modes` the part's offset. */
void zl_tile_c_step_put(zl_tile_c *t, int side, uint32_t mode, uint64_t times);

/* The base of a side's addresses, which is then used; a cast of an offset to its width. */
const char *zl_tile_c_base(zl_tile_c *t, int side);
const char *zl_tile_c_narrowed(const zl_tile_c *t, int side);

#endif
