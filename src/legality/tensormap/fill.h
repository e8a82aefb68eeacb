/* SPDX-License-Identifier: Apache-2.0 */
/* A tensor map that is prepared: the known bits of its 128 bytes, and the form, range and places of each
 * open entry. */
#ifndef ZL_TENSORMAP_FILL_H
#define ZL_TENSORMAP_FILL_H

#include "base/arith.h"
#include "base/base.h"
#include "legality/tensormap/bits.h"
#include "rules/rule.h"

#include <zlay/fill.h>

enum { ZL_FILL_ENTRIES = 10 }; /* an address, five extents, four strides */

/* times x the value of a name. */
typedef struct zl_fill_term {
    size_t name;
    int64_t times;
} zl_fill_term;

/* An entry is constant + its terms, and may be what `range` has. */
typedef struct zl_fill_entry {
    int32_t field;
    uint32_t index, places, terms;
    int64_t constant;
    zl_field_range range;
    zl_bits_place place[ZL_PLACES_MOST];
    zl_fill_term term[ZLAY_FILL_NAMES];
} zl_fill_entry;

struct zlay_fill {
    zlay_allocator alloc;
    const zlay_target *target;
    zlay_tensormap map;           /* an open entry has the value whose bits are 0 */
    uint64_t words[ZL_MAP_WORDS]; /* so have these */
    size_t names;
    uint32_t entries;
    zl_name name[ZLAY_FILL_NAMES];
    zl_fill_entry entry[ZL_FILL_ENTRIES];
};

#endif
