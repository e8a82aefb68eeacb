/* SPDX-License-Identifier: Apache-2.0 */
/* The least number for which a question is answered yes, and what is proved of it. */
#ifndef ZL_PIPE_SCHEDULE_LEAST_H
#define ZL_PIPE_SCHEDULE_LEAST_H

#include "pipe/schedule/search.h"

/* A question about a number, asked at a quota of points. Where it is monotone a yes holds for every
 * greater number too. */
typedef struct zl_probe {
    zl_outcome (*ask)(struct zl_probe *q, int64_t x, uint64_t quota);
    zl_looped *l;
    int64_t ii;     /* of questions about stages */
    int64_t *start; /* of the last yes */
    bool monotone;
} zl_probe;

/* `bound`: every smaller number is refused, proved; `best`: the least found, where one is. FOUND;
 * DEAD: no number from low to most will do; QUOTA: none was found. */
typedef struct zl_least {
    int64_t bound, best;
} zl_least;
zl_outcome zl_least_of(zl_least *out, zl_probe *q, int64_t low, int64_t most);

#endif
