/* SPDX-License-Identifier: Apache-2.0 */
/* What covers of ragged domains have in common, by strips and by tiles anywhere. */
#ifndef ZL_JSON_REGION_H
#define ZL_JSON_REGION_H

#include "json/json.h"

#include <zlay/region.h>

/* A list of integers of 64 bits into working memory; nothing where there is none. */
zlay_status zl_read_region_numbers(zl_call *call, const json_t *object, const char *name,
                                   const int64_t **out, uint64_t *count);

void zl_put_region_counts(zl_call *call, const zlay_region_summary *s, bool planned);

/* Of a check: yes with the counts, or no with the cell that shows it. */
zlay_status zl_put_region_answer(zl_call *call, zlay_answer answer, const zlay_region_fault *fault,
                                 const zlay_region_summary *summary);

/* Ragged groups and tiles, as region.cover has them, and the cover of them. */
typedef struct zl_ragged_side {
    zlay_region_axis axis;
    uint64_t count; /* of groups; 0: it is one extent */
    bool read_on;
} zl_ragged_side;
typedef struct zl_ragged_asked {
    zl_ragged_side rows, columns;
    zl_objects tiles;
    uint32_t depth, row_bytes, column_bytes, cell_bytes;
} zl_ragged_asked;
extern const zl_fields zl_ragged_fields;
typedef zl_ragged_asked zl_ragged_fields_type;
zlay_status zl_ragged_cover(zl_call *call, zlay_region **out, const zl_ragged_asked *asked);

#endif
