/* SPDX-License-Identifier: Apache-2.0 */
/* Where the exact search ended at its quota: schedules by an evolutionary search. It proves nothing. */
#ifndef ZL_PIPE_SCHEDULE_EVOLVE_H
#define ZL_PIPE_SCHEDULE_EVOLVE_H

#include "pipe/schedule/search.h"

/* Look for a schedule of this ii; FOUND or QUOTA, or no memory. */
zl_found zl_evolve(zl_loop *l, int64_t ii, uint64_t quota, int64_t *start);

#endif
