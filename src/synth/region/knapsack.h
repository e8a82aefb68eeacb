/* SPDX-License-Identifier: Apache-2.0 */
/* The least value of sizes, each taken any number of times, whose sum is not below a length. */
#ifndef ZL_SYNTH_REGION_KNAPSACK_H
#define ZL_SYNTH_REGION_KNAPSACK_H

#include "base/base.h"

#include <zlay/region.h>

/* What is least: the cost, then the cells, then the pieces.  A sum beyond 64 bits has the cost
 * UINT64_MAX, which no other has. */
typedef struct zl_region_value {
    uint64_t cost, cells, pieces;
} zl_region_value;

bool zl_region_is_less(const zl_region_value *a, const zl_region_value *b);
zl_region_value zl_region_plus(const zl_region_value *a, const zl_region_value *b);
zl_region_value zl_region_times(const zl_region_value *a, uint64_t times);
static inline bool zl_region_passes(const zl_region_value *a) { return a->cost == UINT64_MAX; }

typedef struct zl_knapsack_sum {
    zl_region_value value; /* the least for a length */
    uint64_t size;         /* number of a size in it; what remains is a shorter length's sum */
} zl_knapsack_sum;

typedef struct zl_knapsack {
    uint32_t count; /* the caller's: sizes, their values; costs are at least 1 */
    uint64_t size[ZLAY_REGION_TILES];
    zl_region_value value[ZLAY_REGION_TILES];
    uint32_t best;  /* the size of the least value for its length */
    uint64_t unit;  /* divides every size */
    uint64_t bound; /* in units: a longer length's sum has the best size */
    zl_knapsack_sum *sum; /* of the lengths up to the bound, in units */
} zl_knapsack;

/* Makes the table in scratch memory, for lengths up to the longest.  ENOMEM. */
zlay_status zl_knapsack_begin(zlay_ctx *ctx, zl_knapsack *s, uint64_t longest);

/* The least value for a length, and how often each size is taken.  EOVERFLOW, ENOMEM. */
zlay_status zl_knapsack_least(zlay_ctx *ctx, const zl_knapsack *s, uint64_t length,
                              zl_region_value *out, uint64_t *times);

#endif
