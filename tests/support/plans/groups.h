/* SPDX-License-Identifier: Apache-2.0 */
/* What any kernel of groups makes of the offsets that it reads, and offsets that no caller may give. */
#ifndef TEST_PLANS_GROUPS_H
#define TEST_PLANS_GROUPS_H

#include "random.h"

#include <stdbool.h>
#include <stdint.h>

/* Three groups of 140 rows: offsets that decrease, pass the rows, or are negative; then some that are drawn. */
enum { HOSTILE_GROUPS = 3, HOSTILE_ROWS = 140, HOSTILE = 9, HOSTILE_DRAWN = 24 };

/* The rows of a group: each offset lies between the one before and `most`. */
static inline void groups_rows(uint64_t out[2], const int32_t *offsets, uint64_t group, uint64_t most)
{
    int64_t at = 0, last = (int64_t)most;
    for (uint64_t i = 0; i <= group + 1; i++) {
        out[0] = (uint64_t)at;
        at = offsets[i] < at ? at : offsets[i] > last ? last : offsets[i];
        out[1] = (uint64_t)at;
    }
}

/* The group of a row; -1: none. */
static inline int32_t groups_of_row(const int32_t *offsets, uint32_t groups, uint64_t most, uint64_t row)
{
    for (uint32_t g = 0; g < groups; g++) {
        uint64_t rows[2];
        groups_rows(rows, offsets, g, most);
        if (row >= rows[0] && row < rows[1]) return (int32_t)g;
    }
    return -1;
}

/* The i-th of HOSTILE + HOSTILE_DRAWN; false: there are no more. */
static inline bool groups_hostile(int32_t out[HOSTILE_GROUPS + 1], uint32_t i, uint64_t *random)
{
    static const int32_t offsets[HOSTILE][HOSTILE_GROUPS + 1] = {
        {0, 60, 30, 140}, {140, 70, 0, 0}, {-5, 20, 1000, 140}, {0, INT32_MAX, INT32_MIN, 140}, {INT32_MAX, 0, 1, 2},
        {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MAX}, {141, 142, 143, 144}, {-3, -2, -1, 0}, {0, 139, 141, 70},
    };
    for (int j = 0; j <= HOSTILE_GROUPS; j++)
        out[j] = i < HOSTILE ? offsets[i][j] : (int32_t)(test_random(random) % (HOSTILE_ROWS + 40)) - 20;
    return i < HOSTILE + HOSTILE_DRAWN;
}

#endif
