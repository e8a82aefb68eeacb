/* SPDX-License-Identifier: Apache-2.0 */
/* Converts sixteen values of a packed 4- or 6-bit type between global memory and their 16
 * bytes of shared memory. A load leaves the gap undefined; the model fills it with ones, so
 * that reading it shows. A store of 6-bit values takes the low bits of each byte. */
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
