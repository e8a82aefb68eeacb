/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the search for a round trip through shared memory between
 * layouts that are not linear over F2. */
#ifndef ZL_CONVERT_LAY_H
#define ZL_CONVERT_LAY_H

#include "synth/convert/side.h"

enum { ZL_SHAPES = 4, ZL_SHAPE_RANK = 8, ZL_COLOURS = 64 };

typedef struct zl_lay_shape {
    uint64_t extent[ZL_SHAPE_RANK];
    uint64_t rank;
} zl_lay_shape;

/* One side with a form, and what its access takes in all warps. */
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
    zl_table offset;       /* tensor index -> offset, of the candidate */
    zl_table best;         /* the same, of the best candidate so far */
    zl_lane_side side[2], kept[2]; /* of the candidate; of the best */
    uint64_t cost, spans;  /* of the best; elements that it spans */
    bool free;             /* the best has no conflict */
    bool coloured;         /* while colouring: only a cheaper one is taken */
} zl_lay;

/* The slot of a lane's element in an instance of an access; ZL_NOBODY: there
 * is none. */
uint64_t zl_lay_slot_at(const zl_lay *l, int side, uint64_t lane, uint64_t element,
                        uint64_t instance);
uint64_t zl_lay_instances(const zl_lay *l, int side);

/* Counts the candidate in `offset`, and keeps it as the best where it has no
 * conflict and the best has one, or where it costs less. False: it needs more
 * shared memory than there is, or an access's elements do not lie together. */
bool zl_lay_offer(zl_lay *l, uint64_t spans);

uint64_t zl_lay_least_cost(const zl_lay *l, int side); /* of a side, by any offsets */
bool zl_lay_is_free(const zl_lane_side *s);       /* both sides: no conflicts */
uint64_t zl_lay_smem(const zl_conversion *c);      /* bytes of shared memory that may be used */

/* Offers the layout that colouring finds, if it finds one. */
zlay_status zl_lay_colour(zl_lay *l);

/* Permutes of elements narrower than a word, before a store or after a load. */
uint64_t zl_lay_permutes(const zl_lay *l, int side);

/* Adds the steps of the best to the plan, and makes the layout of shared memory
 * and the certificate. */
zlay_status zl_lay_steps(zl_lay *l);

#endif
