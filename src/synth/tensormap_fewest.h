/* SPDX-License-Identifier: Apache-2.0 */
/* The fewest boxes that bring all places, and of as many those that write least: every cover has a
 * box over the first place that is left, so those are tried, with one box more from round to round.
 * Places of which no box brings two bound from below what is left. */
#ifndef ZL_SYNTH_TENSORMAP_FEWEST_H
#define ZL_SYNTH_TENSORMAP_FEWEST_H

#include "synth/tensormap_cover.h"

enum { ZL_PLACE_WORDS = ZL_PLACES_MOST / 64, ZL_FEWEST_MOST = 64 };

typedef struct zl_places {
    uint64_t word[ZL_PLACE_WORDS];
} zl_places;

/* A box as a beginning and a length, and what it brings. */
typedef struct zl_known {
    zl_places where;
    uint32_t chunks; /* that it writes */
    uint32_t wanted; /* of them those that the tile wants */
    uint64_t start, row, blocks;
    int32_t swizzle, slice;
    uint32_t level, pixels; /* pixels: of a walk */
    uint16_t shape[ZL_TM_RANK];
} zl_known;

typedef struct zl_fewest {
    zlay_ctx *ctx;
    const zl_known *box;
    uint32_t boxes, longest; /* the most places of one */
    uint32_t words, places, wanted;
    zl_places want;
    const zl_cover *than;    /* a cover that is known; NULL: none is */
    zl_places *near;         /* of each place: all that boxes bring with it */
    uint16_t *order;         /* places, those with few such first */
    uint64_t nodes;
    uint32_t chosen[ZL_FEWEST_MOST];
    uint32_t best[ZL_FEWEST_MOST], best_boxes; /* 0: no cover, or none better than `than` */
    uint64_t best_chunks;
    bool all;                /* no cover is better */
} zl_fewest;

/* From the fields up to `than`; ENOMEM. */
zlay_status zl_fewest_find(zl_fewest *f);

#endif
