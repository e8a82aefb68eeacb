/* SPDX-License-Identifier: Apache-2.0 */
/* Reads elements of matrix operands as floats, exactly. e4m3 has no infinity and one NaN of
 * each sign; e5m2 is the upper half of a half; of tf32 the hardware reads the upper 19 bits. */
#include "sim/sim.h"

#include <string.h>

float zl_float_of(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static float half_to_float(uint32_t bits)
{
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff, sign = bits >> 15 << 31;
    if (exponent == 31) return zl_float_of(sign | 0x7f800000 | fraction << 13);
    if (exponent) return zl_float_of(sign | (exponent + 112) << 23 | fraction << 13);
    return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
}

static float e4m3_to_float(uint32_t bits)
{
    uint32_t exponent = bits >> 3 & 15, fraction = bits & 7;
    float sign = bits >> 7 ? -1.0f : 1.0f;
    if (exponent == 15 && fraction == 7) return zl_float_of(0x7fffffff);
    if (!exponent) return sign * (float)fraction * 0x1p-9f;
    return sign * (float)((8 + fraction) << exponent) * 0x1p-10f;
}

float zl_sim_element(int32_t type, const uint8_t *bytes)
{
    uint16_t half = 0;
    uint32_t word = 0;
    memcpy(&half, bytes, type == ZLAY_TYPE_F16 || type == ZLAY_TYPE_BF16 ? sizeof half : 0);
    memcpy(&word, bytes, type == ZLAY_TYPE_TF32 ? sizeof word : 0);
    switch (type) {
    case ZLAY_TYPE_F16: return half_to_float(half);
    case ZLAY_TYPE_BF16: return zlay_sim_float(half);
    case ZLAY_TYPE_TF32: return zl_float_of(word & 0xffffe000);
    case ZLAY_TYPE_E5M2: return half_to_float((uint32_t)*bytes << 8);
    case ZLAY_TYPE_E4M3: return e4m3_to_float(*bytes);
    case ZLAY_TYPE_S8: return (float)(int8_t)*bytes;
    default: return (float)*bytes;
    }
}

/* Converts a half. Below 2^-14 it counts units of 2^-24, as does a float that is added to 1/2. */
float zl_sim_half(float value)
{
    uint32_t bits, rounded;
    memcpy(&bits, &value, sizeof bits);
    uint32_t magnitude = bits & 0x7fffffff, sign = bits & 0x80000000;
    if (magnitude > 0x7f800000) return zl_float_of(0x7fffffff);
    if (magnitude >= 0x477ff000) return zl_float_of(sign | 0x7f800000);
    if (magnitude < 0x38800000) {
        float sum = zl_float_of(magnitude) + 0.5f;
        memcpy(&rounded, &sum, sizeof rounded);
        return (sign ? -1.0f : 1.0f) * (float)(rounded - 0x3f000000) * 0x1p-24f;
    }
    rounded = (magnitude + 0xfff + (magnitude >> 13 & 1)) & 0xffffe000;
    return zl_float_of(sign | rounded);
}
