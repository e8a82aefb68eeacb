/* SPDX-License-Identifier: Apache-2.0 */
/* What the operations that choose variants have in common: unknowns, shapes, the bound, and the
 * answer. */
#ifndef ZL_JSON_VARIANTS_H
#define ZL_JSON_VARIANTS_H

#include "json/json.h"

#include <zlay/variants.h>

/* Texts of the request, each of which a 0 ends; integers that are not negative. */
typedef struct zl_strings {
    const char **text;
    uint32_t count;
} zl_strings;
typedef struct zl_counts {
    uint64_t *at;
    uint32_t count;
} zl_counts;

/* Unknowns, shapes, and the bound. */
typedef struct zl_service {
    zl_strings unknowns, facts;
    const json_t *shapes;
    zl_counts weights;
    uint32_t most, has;
    uint64_t bound, percent;
    zl_json_text name;
} zl_service;
extern const zl_fields zl_service_fields;
typedef zl_service zl_service_fields_type;

zlay_status zl_service_read(zl_call *call, zlay_variants_request *out, const zl_service *asked);

/* What an operation puts of a variant, the i-th of the selector, before what both put. */
typedef void zl_put_variant(zl_call *call, json_t *value, const void *asked, uint32_t i,
                            const zlay_variants_item *item);

zlay_status zl_put_variants(zl_call *call, const zlay_variants_request *request,
                            const zlay_variants *variants, const zl_service *service,
                            zl_put_variant *put, const void *asked);

#endif
