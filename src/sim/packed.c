/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen values of a packed type as 16 bytes of shared memory.  A load appends a gap to what lies
 * together in global memory, and leaves undefined what stands in it: here all ones, so that who reads
 * it is seen.  A store of 6-bit values takes one of each byte, its low bits. */
#include "sim/sim.h"

#include <string.h>

enum { GROUP = 16, VALUE_BITS = 6, GAP = 0xff };

void zl_group_load(uint8_t *shared, const uint8_t *global, uint32_t data)
{
    memcpy(shared, global, data);
    memset(shared + data, GAP, GROUP - data);
}

void zl_group_store(uint8_t *global, const uint8_t *shared)
{
    uint32_t bits = 0, count = 0;
    for (uint32_t i = 0; i < GROUP; i++) {
        bits |= (uint32_t)(shared[i] & ((1u << VALUE_BITS) - 1)) << count;
        for (count += VALUE_BITS; count >= 8; count -= 8, bits >>= 8) *global++ = (uint8_t)bits;
    }
}
