/* SPDX-License-Identifier: Apache-2.0 */
/* Bits that the descriptors of both architectures share: fields of 14 bits, and elements of 4 and 6
 * bits. */
#ifndef ZL_SMEMDESC_BITS_H
#define ZL_SMEMDESC_BITS_H

#include <stdbool.h>
#include <stdint.h>

#define FOURTEEN 0x3fffull /* a field of 14 bits counts 16 bytes */

/* The bytes of the field at a bit of the descriptor. */
static inline uint32_t zl_desc_bytes(uint64_t desc, int at)
{
    return (uint32_t)(desc >> at & FOURTEEN) << 4;
}

/* Bits of shared memory that an element has, given K of one instruction: those of 4 and 6 bits lie
 * 16 in 16 bytes (PTX ISA 9.1, tcgen05, packing formats), but for packed ones. */
uint32_t zl_desc_bits(int32_t type, uint32_t k);

/* Whether rows of an operand are 48 bytes, which no document says where to split (sm_103a). */
bool zl_desc_split(int32_t type, uint32_t k);

#endif
