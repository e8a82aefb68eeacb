/* SPDX-License-Identifier: Apache-2.0 */
/* The families of families.def inside. */
#ifndef ZL_SWIZZLE_FAMILY_H
#define ZL_SWIZZLE_FAMILY_H

#include "algebra/radix.h"
#include "synth/swizzle_ask.h"

enum {
#define FAMILY(name, place, range) ZL_FAMILY_##name,
#define FAMILY_MOST(parameter, most)
#include "synth/families.def"
#undef FAMILY
#undef FAMILY_MOST
};

enum {
#define FAMILY(name, place, range)
#define FAMILY_MOST(parameter, most) ZL_FAMILY_##parameter##_MOST = most,
#include "synth/families.def"
#undef FAMILY
#undef FAMILY_MOST
};

enum { ZL_STEPS_COUNTED = 96 }; /* of limits.work that one count of a warp's access takes */

/* One layout of a family. */
typedef struct zl_member {
    int32_t family;
    uint32_t mode;               /* that is contiguous */
    uint64_t cut, grain, pitch;  /* elements */
    uint64_t step;               /* SKEW */
    uint32_t bits, shift;        /* XOR */
    bool joined;                 /* lines of the mode end to end are cut as one */
} zl_member;

/* A tile cut into rows. */
typedef struct zl_rows {
    uint64_t below, extent;      /* indices below the mode; its own */
    uint64_t length, count;      /* of what is cut, a line of the mode or all of them joined */
    uint64_t cut, cuts;
} zl_rows;

/* Where an element lies in the rows of a cut. */
typedef struct zl_place {
    uint32_t column, row;
} zl_place;

/* The divisions that find a place, and those by what moves chunks. */
typedef struct zl_placing {
    zl_rows rows;
    zlay_divisor below, extent, count, cut, chunks;
    uint32_t grain_bits, spare;
} zl_placing;

/* Elements of an access: index into the tile, the lane fastest; UINT32_MAX: inactive.  Of each instance
 * the least wavefronts, and the cut of which its places are known. */
typedef struct zl_points {
    uint32_t *index, *least, *known;
    zl_place *place;
    uint64_t count, instances;
    uint32_t align; /* of a vector, elements */
    uint32_t spare;
} zl_points;

/* The offset of an element modulo a power of two, and the elements behind and before it: numbers
 * from 1, 0 where no vector says. */
typedef struct zl_forced {
    uint32_t behind, before, modulus, rest;
} zl_forced;

typedef struct zl_families {
    const zl_asked *a;
    zl_points points[ZL_ASKS_MOST];
    zl_forced *forced;                  /* of each element of the tile */
    zlay_swizzle_cost cost[ZL_ASKS_MOST]; /* ideal and bound alone */
    uint64_t bound;                     /* their sum */
    uint64_t align, period; /* of a pitch; of the banks: elements */
    uint64_t steps;         /* counts that are left */
    zl_placing placing;     /* of the cut that is tried */
    uint64_t grain;         /* the least chunk that no vector leaves */
    uint32_t cuts, spare;   /* cuts so far */
    uint64_t hard;          /* the instance that ended the last count */
} zl_families;

zl_rows zl_rows_of(const zl_asked *a, const zl_member *m);
/* For tiles of fewer than 2^32 elements: a cut, then the chunks of a grain, before any offset. */
void zl_placing_begin(zl_placing *out, const zl_asked *a, const zl_member *m);
void zl_placing_chunks(zl_placing *p, const zl_member *m);
zl_place zl_placing_place(const zl_placing *p, uint32_t index);
uint64_t zl_place_offset(const zl_placing *p, const zl_member *m, zl_place at);
uint64_t zl_placing_offset(const zl_placing *p, const zl_member *m, uint32_t index);
uint64_t zl_member_size(const zl_member *m, const zl_rows *r);
zlay_status zl_member_layout(zlay_ctx *ctx, zlay_layout **out, const zl_asked *a,
                             const zl_member *m);

/* The elements of every access: EINVAL an index outside the tile, a lane of which some elements
 * have none; ELIMIT, ENOMEM. */
zlay_status zl_points_read(zl_families *f);
void zl_points_free(zl_families *f);

/* What vectors force on any layout: ZLAY_NONE with an element that no layout can place. */
zlay_status zl_points_force(zl_families *f);

/* Begin with a cut: whether each vector lies side by side in one row of it, aligned, and in chunks of
 * which grain. */
bool zl_cut_begin(zl_families *f, const zl_member *m);

/* The wavefronts of a member of the cut that was begun, summed and of each access; a sum above `most`
 * says only that the member takes more.  Nothing is known where steps end at 0. */
zlay_status zl_member_count(zl_families *f, const zl_member *m, uint64_t *wavefronts, uint64_t *sum,
                            uint64_t most);

/* What each access takes at least, whatever the layout: a wavefront a phase, and as many as keys
 * whose places in a row of banks are forced to be few. */
zlay_status zl_bounds_read(zl_families *f);

#endif
