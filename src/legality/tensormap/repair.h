/* SPDX-License-Identifier: Apache-2.0 */
/* What the repair of one rule and that of a whole map share: boxes cut into issues, and pitches. */
#ifndef ZL_REPAIR_H
#define ZL_REPAIR_H

#include "legality/tensormap/tensormap.h"

/* What a map was asked to bring: its box, and the elements of it along each dimension. */
typedef struct zl_wish {
    uint64_t elements[ZL_DIMS];
    uint32_t box[ZL_DIMS];
} zl_wish;

zl_wish zl_wish_of(const zlay_tensormap *map);

typedef enum zl_fit {
    ZL_FIT_ALONE, /* the largest box that the rules of its entry allow */
    ZL_FIT_ALL,   /* and that the limits of the whole box allow */
    ZL_FIT_LEAST  /* the smallest that the rules of its entry allow */
} zl_fit;

/* Set box[i] so that whole issues bring what was wished; an inner box may bring more where no exact
 * one is legal. Nothing is set where none fits. */
bool zl_box_fit(zlay_tensormap *map, const zlay_target *target, const zl_wish *wish, uint32_t i,
                zl_fit fit);

/* What issues of a map's box keep of a wish, and how many there are. */
int32_t zl_box_keeps(const zlay_tensormap *map, const zl_wish *wish);
uint64_t zl_box_issues(const zlay_tensormap *map, const zl_wish *wish);

/* What a map of columns was asked to bring: set channels and pixels so that whole issues bring it,
 * with what that keeps and how many there are. False: none do. */
bool zl_columns_mend(zlay_tensormap *map, const zlay_target *target, int32_t *keeps,
                     uint64_t *issues);

/* The repair of one rule about channels or pixels, the other left alone. */
void zl_columns_fix(zlay_reason *reason, const zl_subject *subject);

/* Whether a step decides which elements are taken; whether another takes the same. A step of 0 is
 * read as each element. */
bool zl_step_counts(const zlay_tensormap *map, uint32_t i);
bool zl_step_is_same(const zlay_tensormap *map, uint32_t i, uint32_t step);

static inline uint32_t zl_strides(const zlay_tensormap *map)
{
    return zl_dims(map) ? zl_dims(map) - 1 : 0;
}

/* Bytes of a row of the tensor. Interleaved rows are of slices. */
static inline uint64_t zl_inner_bytes(const zlay_tensormap *map)
{
    if (map->interleave) return zl_umul_sat(map->extent[0], map->interleave == 2 ? 32 : 16);
    uint64_t bits = zl_umul_sat(map->extent[0], zl_map_bits(map->type));
    return bits / 8 + (bits % 8 != 0);
}

/* Bytes over which a stride steps where it is `own`: those of the dimensions that lie inside it.
 * The order of the strides varies from map to map, so no branch depends on it. */
static inline uint64_t zl_covered(const zlay_tensormap *map, uint32_t stride, uint64_t own)
{
    uint64_t bytes = zl_inner_bytes(map);
    for (uint32_t i = 0, count = zl_strides(map); i < count; i++) {
        if (i == stride) continue;
        uint64_t other = map->stride[i], extent = map->extent[i + 1];
        uint64_t inner = i < stride ? other <= own : other < own;
        uint64_t reach = zl_umul_sat(other, extent - (extent > 0)) & -inner;
        bytes = zl_uadd_sat(bytes, reach);
    }
    return bytes;
}

/* Set strides that are legal and under which no two elements share bytes that did not before:
 * the fewest changed, then the least in sum. False: there are none. */
bool zl_strides_mend(zlay_tensormap *map, const zlay_target *target, const zlay_tensormap *from);

#endif
