/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of bf16, for programs that compare on the host. */
#ifndef DEVICE_BF16_H
#define DEVICE_BF16_H

#include "random.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float bf16_value(uint16_t bits)
{
    uint32_t word = (uint32_t)bits << 16;
    float number;
    memcpy(&number, &word, sizeof number);
    return number;
}

/* The nearest one, of a number that is not NaN. */
static inline uint16_t bf16_of(float number)
{
    uint32_t word;
    memcpy(&word, &number, sizeof word);
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

/* Normal, of mean 0 and variance 1 (Box and Muller). */
static inline float bf16_normal(uint64_t *seed)
{
    double u = (double)((test_random(seed) >> 11) + 1) * ldexp(1, -53), v = (double)(test_random(seed) >> 11) * ldexp(1, -53);
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}

#endif
