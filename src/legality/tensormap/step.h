/* SPDX-License-Identifier: Apache-2.0 */
/* How many steps of a box's dimension fit into it.  A check counts them for each dimension, and a
 * division takes as long as several rules: legal steps, 1 to 8, are multiplied by 2^16 / step,
 * rounded up.  The product is too great by less than count * 8 / 2^16, so below 2^13 its floor is
 * the quotient. */
#ifndef ZL_STEP_H
#define ZL_STEP_H

#include <stdint.h>

/* floor(count / step); 0 of step 0. */
static inline uint64_t zl_steps(uint64_t count, uint32_t step)
{
    static const uint32_t reciprocals[] = {0, 65536, 32768, 21846, 16384, 13108, 10923, 9363, 8192};
    if (step <= 8 && count < 8192) return count * reciprocals[step] >> 16;
    return step ? count / step : 0;
}

#endif
