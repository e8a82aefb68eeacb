/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between bf16, the upper half of a float, and float, as the model's epilogue does. */
#include <zlay/sim.h>

#include <string.h>

uint16_t zlay_sim_bf16(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float zlay_sim_float(uint16_t bf16)
{
    uint32_t bits = (uint32_t)bf16 << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
