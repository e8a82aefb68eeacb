/* SPDX-License-Identifier: Apache-2.0 */
/* A pipe run in every interleaving with up to five positions. */
#ifndef TEST_EXPLORE_ALL_H
#define TEST_EXPLORE_ALL_H

#include "pipes/explore.h"

enum { STATES = 1 << 20 };

/* The first fault, NULL when there is none. `single`: a pipe of one loop, whose only param counts
 * positions. */
static inline const char *explore_all(explore *x, const zlay_pipe *pipe, bool single)
{
    static const int64_t trips[][2] = {{2, 2}, {1, 3}, {2, 1}, {1, 2}, {1, 1}, {1, 4},
                                       {3, 1}, {1, 5}, {4, 1}, {5, 1}, {0, 1}};
    const char *fault = NULL;
    for (size_t i = 0; !fault && i < sizeof trips / sizeof *trips; i++) {
        int64_t params[2] = {trips[i][0], trips[i][1]}, total = params[0] * params[1];
        if (single && trips[i][0] > 1) continue;
        if (single) params[0] = total;
        for (int mode = 0; !fault && mode < EXPLORE_MODES; mode++)
            fault = explore_run(x, pipe, params, total, single ? total : params[1], mode);
    }
    assert_true(!fault || strncmp(fault, "too ", 4));
    return fault;
}

#endif
