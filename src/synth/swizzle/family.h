/* SPDX-License-Identifier: Apache-2.0 */
/* The families of families.def inside. */
#ifndef ZL_SWIZZLE_FAMILY_H
#define ZL_SWIZZLE_FAMILY_H

#include "algebra/radix/radix.h"
#include "synth/swizzle/ask.h"

enum {
#define FAMILY(name, place, range) ZL_FAMILY_##name,
#define FAMILY_MOST(parameter, most)
#include "synth/swizzle/families.def"
#undef FAMILY
#undef FAMILY_MOST
};

enum {
#define FAMILY(name, place, range)
#define FAMILY_MOST(parameter, most) ZL_FAMILY_##parameter##_MOST = most,
#include "synth/swizzle/families.def"
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

/* Where an element lies in rows: those of a cut, or lines that are not cut. */
typedef struct zl_place {
    uint32_t column, row;
} zl_place;

/* How lines become rows of a cut, a power of two or the whole line, and the divisor by what moves chunks. */
typedef struct zl_placing {
    uint64_t count; /* of lines */
    zlay_divisor chunks;
    uint32_t cut_bits, grain_bits; /* cut_bits: 32 where lines are not cut */
} zl_placing;

/* Elements of an access: index into the tile, the lane fastest; UINT32_MAX: inactive.  Of each instance
 * the least wavefronts.  Where vectors matter, the column in its line at which each begins. */
typedef struct zl_access_points {
    uint32_t *index, *least, *start;
    uint64_t count, instances, starts;
    uint32_t align;  /* of a vector, elements */
    uint32_t joined; /* all starts by OR: how far they are multiples of a power of two */
    uint32_t last[ZLAY_BANK_LANES], wavefronts; /* the addresses that were counted last; 0: none */
} zl_access_points;

/* The offset of an element modulo a power of two, and the elements behind and before it: numbers
 * from 1, 0 where no vector says. */
typedef struct zl_forced {
    uint32_t behind, before, modulus, rest;
} zl_forced;

typedef struct zl_families {
    const zl_asked *a;
    zl_access_points points[ZL_ASKS_MOST];
    zl_forced *forced;                  /* of each element of the tile */
    zlay_swizzle_cost cost[ZL_ASKS_MOST]; /* ideal and bound alone */
    uint64_t bound;                     /* their sum */
    uint64_t align, period; /* of a pitch; of the banks: elements */
    uint64_t steps;         /* counts that are left */
    zl_place *line;         /* of each element of the tile, in the lines of the mode that is tried */
    uint32_t lines;         /* which lines these are; 0: none yet */
    bool whole;             /* each vector lies side by side in one of them */
    zl_placing placing;     /* of the cut that is tried */
    uint64_t grain;         /* the least chunk that no vector leaves */
    uint64_t hard;          /* the instance that ended the last count */
} zl_families;

zl_rows zl_rows_of(const zl_asked *a, const zl_member *m);
/* For tiles of fewer than 2^32 elements: where each lies in the lines of a member's mode; the cut, then
 * the chunks of a grain; offsets of places in lines, for members of no more than 2^32 elements. */
void zl_lines_fill(zl_place *out, const zl_asked *a, const zl_member *m);
void zl_placing_begin(zl_placing *out, const zl_asked *a, const zl_member *m);
void zl_placing_chunks(zl_placing *p, const zl_member *m);
void zl_placing_offsets(uint32_t *out, const zl_placing *p, const zl_member *m, const zl_place *line,
                        uint32_t count);
uint64_t zl_member_size(const zl_member *m, const zl_rows *r);
zlay_status zl_member_layout(zlay_ctx *ctx, zlay_layout **out, const zl_asked *a,
                             const zl_member *m);

/* The elements of every access: EINVAL an index outside the tile, a lane of which some elements
 * have none; ELIMIT, ENOMEM. */
zlay_status zl_points_read(zl_families *f);

/* What vectors force on any layout: ZLAY_NONE with an element that no layout can place. */
zlay_status zl_points_force(zl_families *f);

/* Begin with lines: where each element lies in them, and each vector. ELIMIT. */
zlay_status zl_lines_begin(zl_families *f, const zl_member *m);

/* Begin with a cut of these lines: whether each vector lies side by side in one row of it, aligned, and in chunks of
 * which grain. */
bool zl_cut_begin(zl_families *f, const zl_member *m);

/* The wavefronts of a member of the cut that was begun, summed and of each access; a sum above `most`
 * says only that the member takes more.  Nothing is known where steps end at 0. */
zlay_status zl_member_count(zl_families *f, const zl_member *m, uint64_t *wavefronts, uint64_t *sum,
                            uint64_t most);

/* Whether all numbers are others moved by one multiple of a power of two, but UINT32_MAX, which stands
 * where it stands there. */
bool zl_is_moved(const uint32_t *a, const uint32_t *from, uint32_t count, uint32_t step);

/* What each access takes at least, whatever the layout: a wavefront a phase, and as many as keys
 * whose places in a row of banks are forced to be few. */
zlay_status zl_bounds_read(zl_families *f);

#endif
