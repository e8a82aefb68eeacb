/* SPDX-License-Identifier: Apache-2.0 */
/* Where the exact search takes long: schedules by an evolutionary search. It proves nothing. */
#ifndef ZL_PIPE_SCHEDULE_EVOLVE_H
#define ZL_PIPE_SCHEDULE_EVOLVE_H

#include "pipe/schedule/search.h"

/* Look for a schedule of this ii, of at most these stages unless they are 0; FOUND or QUOTA, or no
 * memory. */
zl_outcome zl_evolve(zl_looped *l, int64_t ii, int64_t stages, uint64_t quota, int64_t *start);

#endif
