/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of places.find, which other requests have too, and its answer as JSON. */
#ifndef ZL_JSON_PLACES_H
#define ZL_JSON_PLACES_H

#include "json/json.h"

#include <zlay/places.h>

enum { ZL_PLACES_AXES = 3 };

typedef struct zl_places_asked {
    const zlay_target *target;
    zl_objects values, operations;
    uint32_t loop[2], has_loop;
    uint32_t threads, registers, tmem, cluster;
    uint64_t smem;
    uint32_t grid[ZL_PLACES_AXES];
    const json_t *cost;
} zl_places_asked;
extern const zl_fields zl_places_fields;
typedef zl_places_asked zl_places_fields_type;

/* The request with numbers for names, in working memory. */
zlay_status zl_places_numbered(zl_call *call, zlay_places_request *out,
                               const zl_places_asked *asked);

void zl_put_places(zl_call *call, const zlay_places *places, const zlay_target *target,
                   const zlay_places_request *request);

#endif
