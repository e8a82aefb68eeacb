/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the fewest boxes that bring all places, and of as many those that
 * write least (minimum set cover). Every cover has a box over the first place
 * that is left, so only such boxes are tried, with one more box in each round
 * (iterative deepening). Two lower bounds end a branch: a set of places of
 * which no box brings two; and the fewest intervals, where each box is taken
 * to bring everything from the first place left up to its last place. A set of
 * places that was reached before by no more boxes and bytes is not tried
 * again. */
#ifndef ZL_SYNTH_TENSORMAP_FEWEST_H
#define ZL_SYNTH_TENSORMAP_FEWEST_H

#include "synth/tensormap/several/cover.h"

enum { ZL_PLACE_WORDS = ZL_PLACES_MOST / 64, ZL_FEWEST_MOST = 64 };

typedef struct zl_places {
    uint64_t word[ZL_PLACE_WORDS];
} zl_places;

/* A box and what it brings. */
typedef struct zl_known {
    zl_places where;
    uint32_t chunks; /* that it writes */
    uint32_t wanted; /* of them those that the tile wants */
    zl_length box;
} zl_known;

typedef struct zl_fewest {
    zlay_ctx *ctx;
    const zl_known *box;
    uint32_t boxes, longest; /* the most places of one */
    uint32_t words, places, wanted;
    zl_places want;
    zl_places firm;          /* of them those that boxes with gaps do not bring; none: not known */
    uint32_t least;          /* no cover has fewer boxes */
    const zl_cover *than;    /* a cover that is known; NULL: none is */
    zl_places *near;         /* of each place: all that boxes bring with it */
    uint16_t *order;         /* places, those with the fewest near first */
    uint16_t *need;          /* a lower bound of the boxes from each place on */
    uint32_t *over;          /* where each place's boxes begin in `list` */
    uint16_t *list;
    struct zl_seen_places *seen; /* sets that were tried, by a hash */
    uint64_t nodes;
    uint32_t chosen[ZL_FEWEST_MOST];
    uint32_t best[ZL_FEWEST_MOST], best_boxes; /* 0: no cover, or none better than `than` */
    uint64_t best_chunks;
    bool all;                /* proved: no cover is better */
    uint32_t sure;           /* none has fewer boxes, whatever other boxes with gaps there are */
} zl_fewest;

/* A hash of so many words of a set; each bit of a word changes its low 32
 * bits. */
static inline uint32_t zl_places_hash(const zl_places *places, uint32_t words)
{
    uint64_t sum = 0;
    for (uint32_t w = 0; w < words; w++) {
        sum = (sum ^ places->word[w]) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 32;
    }
    return (uint32_t)sum;
}

/* Searches; the caller has filled in the fields up to `than`. ZLAY_ENOMEM. */
zlay_status zl_fewest_find(zl_fewest *f);

#endif
