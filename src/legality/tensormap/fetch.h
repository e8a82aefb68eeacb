/* SPDX-License-Identifier: Apache-2.0 */
/* What L2 fetches around a row of a tensor map's box: rule TMAP_L2_WASTE judges a promotion by it, and
 * tensormap.synth chooses one by it.  The figures are those of cuda.h (CUtensorMapL2promotion). */
#ifndef ZL_FETCH_H
#define ZL_FETCH_H

#include <stdbool.h>
#include <stdint.h>

enum { ZL_L2_SECTOR = 32, ZL_L2_128B = 2, ZL_L2_256B = 3 };

/* Bytes that are fetched together: a sector, or what a promotion makes of it. */
static inline uint64_t zl_l2_fetch(int32_t promotion)
{
    bool some = promotion >= 1 && promotion <= ZL_L2_256B;
    return some ? (uint64_t)ZL_L2_SECTOR << promotion : ZL_L2_SECTOR;
}

/* What a row asks for at least, where no more than half of the fetch is wasted. */
static inline uint64_t zl_l2_half(uint64_t fetched) { return fetched / 2; }

#endif
