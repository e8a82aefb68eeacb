/* SPDX-License-Identifier: Apache-2.0 */
/* Where the fields of a tensor map stand in its 128 bytes. */
#ifndef ZL_TENSORMAP_PLACES_H
#define ZL_TENSORMAP_PLACES_H

#include "legality/tensormap/size.h"
#include "base/words.h"

enum { ZL_MAP_WORDS = 16, ZL_PLACES_MOST = 2 };

/* `width` bits from bit `at` on are (value - less) >> shift; no place crosses a word. */
typedef struct zl_bits_place {
    uint32_t less, shift, at, width;
} zl_bits_place;

/* The places of the address, or of one entry of the extents or strides; returns how many. */
uint32_t zl_bits_places(zl_bits_place *out, int32_t field, uint32_t entry);

/* The fields of a map that was read from its words, and what the driver derives of them; returns how
 * many. */
size_t zl_map_bit_fields(zl_bit_field *out, const zlay_tensormap *map);

/* The words of a map that is legal. */
void zl_bits_write(uint64_t *words, const zlay_tensormap *map);

static inline uint64_t zl_bits_mask(uint32_t width)
{
    return width < 64 ? ((uint64_t)1 << width) - 1 : UINT64_MAX;
}

static inline void zl_bits_put(uint64_t *words, const zl_bits_place *p, uint64_t value)
{
    words[p->at / 64] |= ((value - p->less) >> p->shift & zl_bits_mask(p->width)) << p->at % 64;
}

#endif
