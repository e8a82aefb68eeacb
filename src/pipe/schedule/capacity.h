/* SPDX-License-Identifier: Apache-2.0 */
/* Why no interval has a schedule: the capacity that is too small, and the least that will do. */
#ifndef ZL_PIPE_SCHEDULE_CAPACITY_H
#define ZL_PIPE_SCHEDULE_CAPACITY_H

#include "pipe/schedule/least.h"

/* NONE with *why and the message; ENOMEM. */
zlay_status zl_loop_none(zl_looped *l, zlay_schedule_reason *why);

#endif
