/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_schedule_synth as a part of another call. */
#ifndef ZL_PIPE_SCHEDULE_SCHEDULE_H
#define ZL_PIPE_SCHEDULE_SCHEDULE_H

#include <zlay/schedule.h>

zlay_status zl_schedule_synth(zlay_ctx *ctx, zlay_schedule **out, zlay_schedule_reason *why,
                              const zlay_schedule_request *request);

#endif
