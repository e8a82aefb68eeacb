/* SPDX-License-Identifier: Apache-2.0 */
/* Division by multiplication, where loops take it in. */
#ifndef ZL_ALGEBRA_RADIX_H
#define ZL_ALGEBRA_RADIX_H

#include "base/base.h"
#include <zlay/radix.h>

/* u / divisor of one that is not negative. */
static inline uint64_t zl_quotient(const zlay_divisor *d, uint64_t u)
{
    switch (d->way) {
    case ZLAY_DIVISOR_ZERO: return 0;
    case ZLAY_DIVISOR_SHIFT: return u >> d->shift;
    case ZLAY_DIVISOR_MULTIPLY:
        if (d->product < 128) return u * d->multiplier >> d->shift;
        return (uint64_t)((zl_u128)u * d->multiplier >> d->shift);
    default:
        if (d->product < 128) return (u * d->multiplier + d->multiplier) >> d->shift;
        return (uint64_t)(((zl_u128)u * d->multiplier + d->multiplier) >> d->shift);
    }
}

#endif
