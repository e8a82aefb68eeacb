/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of places.find as JSON. */
#ifndef ZL_JSON_PLACES_H
#define ZL_JSON_PLACES_H

#include "json/json.h"

#include <zlay/places.h>

void zl_put_places(zl_call *call, const zlay_places *places, const zlay_target *target,
                   const zlay_places_request *request);

#endif
