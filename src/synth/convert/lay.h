/* SPDX-License-Identifier: Apache-2.0 */
/* A round trip through shared memory of layouts that are not linear over F2, while it is sought. */
#ifndef ZL_CONVERT_LAY_H
#define ZL_CONVERT_LAY_H

#include "synth/convert/side.h"

enum { ZL_SHAPES = 4, ZL_SHAPE_RANK = 8, ZL_COLOURS = 64 };

typedef struct zl_lay_shape {
    uint64_t extent[ZL_SHAPE_RANK];
    uint64_t rank;
} zl_lay_shape;

/* A side with a width, and what it takes in all warps. */
typedef struct zl_lane_side {
    const zl_form_row *form;
    uint64_t each, accesses; /* elements at one address; accesses of a warp */
    uint64_t wavefronts, least;
    bool counted;
} zl_lane_side;

typedef struct zl_lay {
    zl_points *p;
    zl_lay_shape shapes[ZL_SHAPES];
    size_t count;
    uint64_t size;         /* 1 + the greatest tensor index */
    uint64_t held;         /* tensor indices that src has */
    zl_table offset;       /* of each tensor index, as it is looked at */
    zl_table best;         /* the best so far */
    zl_lane_side side[2], kept[2];
    uint64_t cost, spans;  /* of the best; elements that it spans */
    bool free;             /* the best has no conflict */
    bool coloured;         /* only what costs less is taken any more */
} zl_lay;

/* The slot of a lane's element in an instance of an access; ZL_NOBODY: there is none. */
uint64_t zl_lay_slot_at(const zl_lay *l, int side, uint64_t lane, uint64_t element,
                        uint64_t instance);
uint64_t zl_lay_instances(const zl_lay *l, int side);

/* Offsets that are there are kept where they have no conflict and the best has, or cost less; false:
 * there is no room, or the accesses do not find their elements together. */
bool zl_lay_offer(zl_lay *l, uint64_t spans);

uint64_t zl_lay_least_cost(const zl_lay *l, int side); /* of a side, by any offsets */
bool zl_lay_is_free(const zl_lane_side *s);       /* both sides: no conflicts */
uint64_t zl_lay_smem(const zl_conversion *c);      /* bytes of shared memory that may be used */

/* Offer a place of its own for each element, if one without conflicts is found. */
zlay_status zl_lay_colour(zl_lay *l);

/* Moves of elements narrower than a word, before an access of a side or after it. */
uint64_t zl_lay_permutes(const zl_lay *l, int side);

/* The steps of the best, the tensor's layout, and what is loaded after all has been stored. */
zlay_status zl_lay_steps(zl_lay *l);

#endif
