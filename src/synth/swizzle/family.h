/* SPDX-License-Identifier: Apache-2.0 */
/* The search over the families of families.def: its members and its state. */
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

enum { ZL_STEPS_COUNTED = 96 }; /* of limits.work, for one counted access */
enum { ZL_PLACED = 32 }; /* places whose offsets are computed side by side */

/* One layout of a family. */
typedef struct zl_member {
    int32_t family;
    uint32_t mode;               /* the contiguous mode */
    uint64_t cut, grain, pitch;  /* elements */
    uint64_t step;               /* SKEW */
    uint32_t bits, shift;        /* XOR */
    bool joined;                 /* all lines of the mode are cut as one line */
} zl_member;

/* A tile cut into rows. */
typedef struct zl_rows {
    uint64_t below, extent;      /* indices below the mode; its own */
    uint64_t length, count;      /* of a line that is cut; of such lines */
    uint64_t cut, cuts;
} zl_rows;

/* The place of an element in the rows of a cut, or in lines that are not
 * cut. */
typedef struct zl_place {
    uint32_t column, row;
} zl_place;

/* How lines become rows of a cut, which is a power of two or the whole line. */
typedef struct zl_placing {
    uint32_t count; /* of lines */
    zlay_divisor chunks; /* a fast division by the chunks of a row */
    uint32_t cut_bits, grain_bits; /* cut_bits: 32 where lines are not cut */
} zl_placing;

/* The elements of an access. */
typedef struct zl_access_points {
    /* Index into the tile, lane fastest, UINT32_MAX: inactive; of each instance
     * a lower bound of its wavefronts; of each vector its first column. */
    uint32_t *index, *least, *start;
    uint64_t count, instances, starts;
    uint32_t align;  /* of a vector, in elements */
    bool gaps;       /* a lane is inactive */
    uint32_t joined; /* the OR of all starts */
    /* The addresses that were counted last, and their wavefronts; 0: none. */
    uint32_t last[ZLAY_BANK_LANES], wavefronts;
} zl_access_points;

/* What vectors force on an element: its offset modulo a power of two, and its
 * neighbours, as element number + 1; 0 where no vector forces one. */
typedef struct zl_forced {
    uint32_t behind, before, modulus, rest;
} zl_forced;

typedef struct zl_families {
    const zl_asked *a;
    zl_access_points points[ZL_ASKS_MOST];
    zl_forced *forced;                  /* of each element of the tile */
    zlay_swizzle_cost cost[ZL_ASKS_MOST]; /* ideal and lower_bound only */
    uint64_t bound;         /* the sum of the lower bounds */
    uint64_t align, period; /* of a pitch; of a row of all banks; in elements */
    uint64_t steps;         /* counts that are left */
    zl_place *line;         /* of each element, in the current mode's lines */
    uint32_t lines;         /* which lines these are; 0: none yet */
    bool whole;             /* each vector is consecutive in one line */
    zl_placing placing;     /* of the current cut */
    uint64_t grain;         /* the least chunk that contains whole vectors */
    uint64_t hard;          /* the instance that ended the last count */
} zl_families;

zl_rows zl_rows_of(const zl_asked *a, const zl_member *m);

/* For tiles of fewer than 2^32 elements. Fills in the place of each element in
 * the lines of a member's mode; begins a cut; sets its chunks; and computes the
 * offsets of ZL_PLACED places in lines. */
void zl_lines_fill(zl_place *out, const zl_asked *a, const zl_member *m);
void zl_placing_begin(zl_placing *out, const zl_asked *a, const zl_member *m);
void zl_placing_chunks(zl_placing *p, const zl_member *m);
void zl_placing_offsets(uint32_t *out, const zl_placing *p, const zl_member *m, const zl_place *place);
uint64_t zl_member_size(const zl_member *m, const zl_rows *r);
zlay_status zl_member_layout(zlay_ctx *ctx, zlay_layout **out, const zl_asked *a,
                             const zl_member *m);

/* Reads the elements of every access. ZLAY_EINVAL: an index is outside the
 * tile, or a lane has only some elements of its vector; ZLAY_ELIMIT,
 * ZLAY_ENOMEM. */
zlay_status zl_points_read(zl_families *f);

/* Reads what vectors force on every layout; ZLAY_NONE names an element that no
 * layout can place. */
zlay_status zl_points_force(zl_families *f);

/* Begins with the lines of a member's mode: places elements and vectors in
 * them; ZLAY_ELIMIT. */
zlay_status zl_lines_begin(zl_families *f, const zl_member *m);

/* Begins with a cut of these lines and sets `grain`; false: some vector is not
 * consecutive and aligned in one row. */
bool zl_cut_begin(zl_families *f, const zl_member *m);

/* Counts the wavefronts of a member of the cut that was begun, of each access
 * and in all. Counting stops at a sum above `most`: then the member takes at
 * least that many. Where `steps` reaches 0, the result says nothing. */
zlay_status zl_member_count(zl_families *f, const zl_member *m, uint64_t *wavefronts, uint64_t *sum,
                            uint64_t most);

/* Whether `a` is `from` plus one multiple of `step`, a power of two, in each
 * of `count` places, a multiple of 8; UINT32_MAX must stand in the same places
 * of both. */
bool zl_is_moved(const uint32_t *a, const uint32_t *from, uint32_t count, uint32_t step);

/* Bounds what each access takes under every layout: a wavefront for each phase,
 * and more where vectors force many keys into few banks. */
zlay_status zl_bounds_read(zl_families *f);

#endif
