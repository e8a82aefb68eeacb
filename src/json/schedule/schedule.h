/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of pipe.schedule, which other requests have too. */
#ifndef ZL_JSON_SCHEDULE_H
#define ZL_JSON_SCHEDULE_H

#include "json/json.h"

#include <zlay/schedule.h>

typedef struct zl_loop_asked {
    zl_objects ops, edges, values;
    const json_t *units, *capacity;
    uint32_t copies;
} zl_loop_asked;
extern const zl_fields zl_schedule_fields;
typedef zl_loop_asked zl_schedule_fields_type;

/* The request with numbers for names, in working memory. */
zlay_status zl_loop_numbered(zl_call *call, zlay_schedule_request *out, const zl_loop_asked *asked);

#endif
